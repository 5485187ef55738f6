"""A dungeon on tcod's own console: rats follow a scent around corners, bats keep away from the
light, the map of what is known fades.

    python examples/roguelike_tcod.py                        # plays 80 turns and prints the result
    python examples/roguelike_tcod.py --picture dungeon.png  # and draws the last turn

tcod computes sight, draws and reads keys; monsters step on maps of fieldcraft. It needs
`pip install "./packages/fieldcraft[roguelike,view]"`.
"""

import argparse

import numpy as np
import tcod.console

import fieldcraft as fc
from fieldcraft.formats.adapters import tcod as tiles_with

parser = argparse.ArgumentParser()
parser.add_argument("--picture")
picture = parser.parse_args().picture

WIDTH, HEIGHT = 60, 36
walkable = np.asfortranarray(
    ~fc.generate_map("rooms", WIDTH, HEIGHT, seed=4).walls.T
)  # the tutorial's tiles["walkable"], [x, y]
space = tiles_with.grid(walkable)
imap = fc.InfluenceMap(space)
scent = imap.add_layer("scent", fc.Trail(keep=0.93), every=1.0)
light = imap.add_layer("light", fc.Radial(7, "linear", metric="sight"), every=1.0)
known = imap.add_layer("known", fc.Fade(half_life=60.0), every=1.0)

rng = np.random.default_rng(7)
tiles = space.positions[rng.choice(np.flatnonzero(~space.walls), 9, replace=False)]
hero, rats, bats = tiles[0], tiles[1:5], tiles[5:]
torch, bites, lit = light.add_source(hero, 1.0), 0, 0
turns = 80
for _ in range(turns):
    seen = tiles_with.field_of_view(walkable, (int(hero[0]), int(hero[1])), radius=8)
    known.mark(seen)
    hero = fc.query.explore_step(known, hero, rng=rng).positions
    scent.deposit(hero, 1.0)
    torch.move(hero)
    imap.step()
    rats = (
        fc.distance_map(space, hero, cost=1 + 4 / (0.05 + scent))
        .step(rats, one_per_cell=True)
        .positions
    )
    bats = space.positions[fc.query.uphill(1 - light, bats).cells]
    bites += int((np.abs(rats - hero).max(axis=1) <= 1).sum())
    lit += int((light.sample(bats) > 0.5).sum())

print(
    f"after {turns} turns {(known.values[~space.walls] > 0).mean():.0%} of the dungeon is known;"
    f" rats beside the hero {bites} times,"
)
print(f"bats in bright light {lit / turns / len(bats):.0%} of the time")

if picture:
    console = tcod.console.Console(WIDTH, HEIGHT, order="F")
    shade = np.clip(0.25 * (tiles_with.tiles_of(known) > 0) + tiles_with.tiles_of(light), 0, 1)[
        ..., None
    ]
    stone = np.where(walkable, 0, 40)[..., None]
    console.rgb["ch"] = np.where(walkable, ord("."), ord("#"))
    console.rgb["bg"] = (
        stone
        + shade * (150, 120, 60)
        + np.clip(tiles_with.tiles_of(scent), 0, 1)[..., None] * (0, 60, 0)
    )
    for sign, where in (("@", hero[None]), ("r", rats), ("b", bats)):
        for x, y in where.astype(int).tolist():
            console.print(x, y, sign)
    # tcod draws letters with a font of yours: context.present(console). Here every tile is a
    # square, and creatures are dots.
    frame = np.full((HEIGHT * 14, WIDTH * 14, 4), 255, dtype=np.uint8)
    frame[..., :3] = console.rgb["bg"].transpose(1, 0, 2).repeat(14, axis=0).repeat(14, axis=1)
    place = fc.view.Placement(space, scale=14)
    for color, where in (("#ff785a", rats), ("#96aaff", bats), ("#ffffff", hero)):
        fc.view.draw_dots(frame, place, where, color=color, width=10)
    fc.view.save_png(picture, frame)
