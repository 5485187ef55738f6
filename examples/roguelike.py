"""Monsters of a roguelike, tile by tile: a hero explores a dungeon, hunters close in, cowards run,
a thief goes for gold unseen.

    python examples/roguelike.py                          # prints what happens
    python examples/roguelike.py --picture roguelike.png  # and draws the last turn

A monster steps down a map. One map serves all monsters of a kind; maps are added like numbers.
"""

import argparse

import numpy as np

import fieldcraft as fc

parser = argparse.ArgumentParser()
parser.add_argument("--picture")
picture = parser.parse_args().picture

# A dungeon as roguelike libraries hold it: walkable[x, y], in Fortran order.
walkable = np.asfortranarray(~fc.generate_map("rooms", 60, 36, seed=4).walls.T)
space = fc.Grid(walls=~walkable.T, tiles=True, neighbors=8)  # (x, y) are tiles now, everywhere

imap = fc.InfluenceMap(space)
known = imap.add_layer("known", fc.Fade(amount=0.2, interval=1.0, maximum=100.0), every=1.0)
rng = np.random.default_rng(4)
tiles = space.positions[rng.choice(np.flatnonzero(~space.walls), 8, replace=False)]
hero, gold, hunters, cowards, thief = tiles[0], tiles[1], tiles[2:5], tiles[5:7], tiles[7]

stolen, scares = None, 0
for turn in range(1, 301):
    seen = fc.visible(space, hero, radius=9)
    known.mark(seen)
    hunted = fc.distance_map(space, hunters)
    if hunted.sample(hero) < 4:
        hero = fc.flee_map(hunted).step(hero).positions  # round corners, not into them
        scares += 1
    else:
        hero = fc.query.explore_step(
            known, hero, rng=rng
        ).positions  # towards the nearest tile that nobody has seen yet

    scent = fc.distance_map(
        space, hero, limit=15
    )  # steps to the hero; nobody smells farther, and stays
    if turn % 2:  # hunters are slow
        hunters = scent.step(hunters, one_per_cell=True).positions
    cowards = fc.flee_map(fc.distance_map(space, hero)).step(cowards, one_per_cell=True).positions
    if stolen is None:
        thief = (
            fc.distance_map(space, gold, cost=1 + 20.0 * seen).step(thief).positions
        )  # tiles in view are dear
        if (thief == gold).all():
            stolen = turn
            print(
                f"turn {turn}: the thief has the gold,"
                f" {'seen' if seen.flat[space.cell_at(thief)] else 'unseen'}"
            )
    imap.step()
    if (known.values[~space.walls] > 0).all():
        break

print(f"turn {turn}: the hero ran from hunters {scares} times")
print(f"{(known.values[~space.walls] > 0).mean():.0%} of the dungeon is known after turn {turn}")
if picture:
    frame = fc.view.frame(known, scale=16)
    place = fc.view.Placement(space, scale=16)
    for who, color in (
        (hero, "#ffffff"),
        (hunters, "#ff5a4e"),
        (cowards, "#4fb3ff"),
        (thief, "#b98bff"),
        (gold, "#ffd24e"),
    ):
        fc.view.draw_dots(frame, place, who, color=color, width=12)
    fc.view.save_png(picture, frame)
