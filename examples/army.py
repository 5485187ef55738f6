"""A battle of 300 units: who holds the ground, where it is deadly, how the wounded get out, where a
dropship can land.

    python examples/army.py                     # prints how the battle goes
    python examples/army.py --picture army.png  # and draws the front line, the danger and the exits

Four layers are updated by `sync` from plain arrays, without a loop over units; every order is a
query of these layers.
"""

import argparse

import numpy as np

import fieldcraft as fc
from fieldcraft import steering

parser = argparse.ArgumentParser()
parser.add_argument("--picture")
picture = parser.parse_args().picture

DT, RANGE, SPEED = 0.1, 7.0, 4.0
rng = np.random.default_rng(8)
space = fc.generate_map("open", 160, 140, seed=8, neighbors=8)
imap = fc.InfluenceMap(space)
teams = imap.add_teams(
    ["red", "blue"], fc.Radial(14, falloff="linear")
)  # a sum: twice as many count twice
reach = imap.add_layer(
    "reach", fc.Radial(RANGE, falloff="constant")
)  # red's weapons, as blue sees them
flak = imap.add_layer(
    "flak", fc.Radial(20, metric="straight"), walls=False
)  # guns against flyers: no wall stops those

ids, side = np.arange(300), np.arange(300) % 2  # 0 is red, 1 is blue
place = np.where(side[:, np.newaxis] == 0, (35, 70), (125, 70)) + rng.normal(0, 16, (300, 2))
place = space.position_of(space.nearest_open(space.cell_at(place, outside="clamp")))
velocity, health = np.zeros((300, 2)), np.ones(300)
flak.sync(["battery"], [(30.5, 90.5)], [1.0], on_wall="nearest")
crowd = steering.Crowd(space, radius=0.4)
base, camp = space.open_near([(130.5, 70.5), (30.5, 70.5)])

for tick in range(150):
    alive = health > 0
    for name, number in (("red", 0), ("blue", 1)):
        mine = alive & (side == number)
        teams[name].sync(ids[mine], place[mine], health[mine])
    red, blue = alive & (side == 0), alive & (side == 1)
    reach.sync(ids[red], place[red], np.full(red.sum(), 0.2))
    imap.advance(DT)

    danger = 1 + 4 * reach  # influence becomes a cost in one place
    if tick % 10 == 0:
        attack = {
            0: fc.flow_field(fc.distance_map(space, base)),
            1: fc.flow_field(fc.distance_map(space, camp)),
        }
        retreat = fc.flow_field(fc.distance_map(space, base, cost=danger))
    wish = np.where(side[:, np.newaxis] == 0, attack[0].sample(place), attack[1].sample(place))
    hurt = blue & (health < 0.5)
    wish[hurt] = retreat.sample(place[hurt])  # the wounded go home by the path under least fire
    odds = teams.influence("blue").sample(place)
    wish[blue & ~hurt & (odds < -1)] *= -0.5  # blue kites where it is outnumbered
    place, velocity = crowd.step(
        place, velocity, SPEED * wish * alive[:, np.newaxis], DT, max_speed=SPEED
    )
    health -= 0.6 * DT * np.where(side == 1, reach.sample(place), 0.5 * (odds > 2))

tension, front = teams.tension(), teams.front_lines()
landing = fc.best(
    -1.0 * flak - reach.on(flak.space), camp, radius=30, outside="clamp"
)  # least fire from either, near the enemy's camp
print(
    f"{(health[side == 0] > 0).sum()} red and {(health[side == 1] > 0).sum()} blue units are left"
)
print(
    f"the dropship lands at ({landing.positions[0]:.0f}, {landing.positions[1]:.0f}); tension peaks"
    f" at {tension.read().max():.1f}"
)
if picture:
    ways = [
        fc.shortest_path(space, at, base, cost=danger)
        for at in place[(side == 1) & (health > 0) & (health < 0.7)][:5]
    ]
    held, fire = fc.view.frame_teams(teams, size=960), fc.view.frame(reach, size=960)
    fc.view.draw_lines(held, fc.view.Placement(space, size=960), front, color="#ffffff")
    fc.view.draw_lines(fire, fc.view.Placement(space, size=960), ways, color="#4fb3ff")
    fc.view.save_png(
        picture,
        fc.view.page([held, fire], ["who holds the ground", "fire, and the way of the wounded"]),
    )
