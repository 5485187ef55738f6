"""A hex wargame: two sides, woods that cost two points to enter, movement ranges, who holds which
hex, and where to strike.

    python examples/hex_war.py                        # prints the turns
    python examples/hex_war.py --picture hex_war.png  # and draws the board

A hex board is a space like any other; movement points are a distance map with a cost for entering.
"""

import argparse

import numpy as np

import fieldcraft as fc

parser = argparse.ArgumentParser()
parser.add_argument("--picture")
picture = parser.parse_args().picture

rng = np.random.default_rng(6)
lakes = rng.random((12, 18)) < 0.1
woods = (rng.random((12, 18)) < 0.25) & ~lakes
lakes[:, [0, 17]] = woods[:, [0, 17]] = False
board = fc.HexGrid(18, 12, walls=lakes)
price = np.where(woods, 2.0, 1.0)

imap = fc.InfluenceMap(board)
teams = imap.add_teams(["red", "blue"], fc.Radial(5, falloff="linear", metric="path"))
units = {
    "red": board.position_of(np.arange(5) * 36),
    "blue": board.position_of(np.arange(5) * 36 + 17),
}


def influence():
    """Tell the map where everybody stands."""
    for name, positions in units.items():
        teams[name].sync(range(len(positions)), positions)
    imap.step()


influence()
for turn in range(1, 7):
    for name, enemy in (("red", "blue"), ("blue", "red")):
        for number in range(5):
            me, others = units[name][number], np.delete(units[name], number, axis=0)
            range_ = (
                fc.distance_map(board, me, cost=price, charge="enter", outward=True).values
                <= 4 * board.typical_step
            )  # four points
            range_.flat[board.cell_at(np.vstack([others, units[enemy]]))] = False  # one unit a hex
            to_enemy = fc.distance_map(board, units[enemy], cost=price, charge="enter")
            wish = teams.vulnerability() - 0.3 * to_enemy  # where the fight is open, and near
            units[name][number] = fc.best(
                wish, me, radius=8 * board.typical_step, where=range_, outside="clamp"
            ).positions
        influence()
    held = {name: (teams.influence(name).read() > 0).mean() for name in units}
    print(f"turn {turn}: " + ", ".join(f"{name} holds {share:.0%}" for name, share in held.items()))

if picture:
    frame, place = fc.view.frame_teams(teams, size=1100), fc.view.Placement(board, size=1100)
    fc.view.draw_dots(frame, place, board.positions[woods.reshape(-1)], color="#3f7d4b", width=12)
    fc.view.draw_lines(frame, place, teams.front_lines(), color="#ffffff")
    for name, color in (("red", "#ff5a4e"), ("blue", "#4fb3ff")):
        fc.view.draw_dots(frame, place, units[name], color=color, width=28)
    fc.view.save_png(picture, frame)
