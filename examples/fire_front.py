"""A fire that crosses a map too large for an array: only blocks at its front are computed, and only
blocks that it has reached exist.

    python examples/fire_front.py            # 1,536 x 1,536 cells of generated towns
    python examples/fire_front.py --map Berlin_0_512.map NewYork_2_1024.map --tiles 32
                                             # of map files: 32,768 x 32,768, over a billion cells
    python examples/fire_front.py --picture fire.png --film fire.webp
                                             # when the fire came, and the memory that it took

With a linear falloff, a momentum of 1 and fixed walls, a value is the strength less the distance
that the fire has come: the time of its arrival. Behind the front nothing changes, so those blocks
sleep; before it there are none. `--memory` bounds what is in memory; sleeping blocks are in the
folder.
"""

import argparse
import tempfile
import time

import numpy as np
import psutil

import fieldcraft as fc
import fieldcraft_cluster as cluster

parser = argparse.ArgumentParser()
parser.add_argument(
    "--map", nargs="*", default=[], help="map files, laid out side by side in any order"
)
parser.add_argument("--tiles", type=int, default=3, help="how many maps across and down")
parser.add_argument(
    "--steps", type=int, help="how long the fire burns, a cell a step; by default until it is out"
)
parser.add_argument("--memory", type=float, default=1.0, help="gigabytes of blocks to hold at once")
parser.add_argument(
    "--folder", help="where the world is kept; by default a folder that is deleted at the end"
)
parser.add_argument("--picture")
parser.add_argument("--film")
options = parser.parse_args()

LIT, ROUND = 1e6, 32
towns = [fc.load_map(path).walls for path in options.map] or [
    fc.generate_map("rooms", 512, 512, seed=seed).walls for seed in (4, 5)
]
side = max(max(walls.shape) for walls in towns)  # smaller maps are repeated to fill a tile
which = np.random.default_rng(7).integers(len(towns), size=(options.tiles, options.tiles))
which[options.tiles // 2, options.tiles // 2] = 0


def walls(rows, columns):
    """The walls of some rows and columns of the large map: made on the spot, so that nobody holds
    them all.
    """
    found = np.zeros((rows.stop - rows.start, columns.stop - columns.start), dtype=bool)
    for i in range(rows.start // side, -(-rows.stop // side)):
        for j in range(columns.start // side, -(-columns.stop // side)):
            top, bottom = max(rows.start, i * side), min(rows.stop, (i + 1) * side)
            left, right = max(columns.start, j * side), min(columns.stop, (j + 1) * side)
            town = towns[which[i, j]]
            here = np.ix_(
                np.arange(top, bottom) % side % town.shape[0],
                np.arange(left, right) % side % town.shape[1],
            )
            found[
                top - rows.start : bottom - rows.start, left - columns.start : right - columns.start
            ] = town[here]
    return found


def burn(world):
    """Let a fire start in the middle and burn: the layer, and seconds, steps, blocks and megabytes
    after each round.
    """
    fire = world.add_layer("fire", fc.Spread(decay=1.0, momentum=1.0, falloff="linear"))
    middle = np.array(size) / 2 + side // 2 * (options.tiles % 2 == 0)
    near = fire.window(middle - 32, middle + 32)  # a plain layer, for the nearest open cell
    fire.add_sources(near.space.open_near(middle), LIT)
    me, begun, rows = psutil.Process(), time.perf_counter(), []
    with cluster.run(world, checkpoint=None):  # client=Client(...) for the workers of a cluster
        while options.steps is None or fire.steps < options.steps:
            report = world.step(ROUND)
            rows.append(
                (
                    time.perf_counter() - begun,
                    fire.steps,
                    report.blocks_run,
                    report.blocks_idle,
                    me.memory_info().rss / 1e6,
                )
            )
            if len(rows) % 50 == 0:
                took, step, blocks, idle, megabytes = rows[-1]
                print(
                    f"{took:7.0f} s, step {step:,}: {blocks} blocks at the front, {idle:,}"
                    f" idle, {megabytes:,.0f} MB",
                    flush=True,
                )
            if not report.blocks_run:
                break
    return fire, np.array(rows)


def shown_at(burnt, step, tail):
    """A picture of a moment: what burns is bright, what has burnt long ago dim."""
    ago = step - burnt
    glow = np.where(ago >= 0, 0.12 + 0.88 * np.exp(-np.maximum(ago, 0) / tail), 0)
    return fc.view.frame(np.nan_to_num(glow).astype(np.float32), limits=(0, 1), scale=1)


with tempfile.TemporaryDirectory() as spare:
    size = (side * options.tiles, side * options.tiles)
    world = cluster.World(
        options.folder or spare,
        size,
        block=512,
        walls=walls,
        halo_steps=ROUND,
        memory=options.memory * 1e9,
    )
    begun = time.perf_counter()
    fire, rows = burn(world)
    took = time.perf_counter() - begun
    came = fire.overview(max(size[0] // 512, 1))
    world.close()

burnt = np.where(came > 0, LIT - came, np.nan)
cpu = sum(psutil.Process().cpu_times()[:2])
print(f"{size[0]:,} x {size[1]:,} = {size[0] * size[1]:,} cells")
print(f"after {fire.steps:,} steps the fire has come {np.nanmax(burnt):,.0f} steps far")
print(f"{took:,.0f} s, {cpu:,.0f} s of CPU time, at most {rows[:, 4].max():,.0f} MB of memory")
print(f"at the front {rows[:, 2].max():.0f} blocks at once, {rows[:, 3].max():,.0f} idle behind it")

if options.picture:
    ages = np.where(np.isnan(burnt), 0, np.nanmax(burnt) + 1 - burnt).astype(np.float32)
    frames = [fc.view.frame(ages, scale=1)]
    if len(rows) > 1:
        curves = [("MB of memory", rows[:, 4], None), ("blocks at the front", rows[:, 2], None)]
        frames.append(fc.view.plot_over_time(rows[:, 0], curves, width=640, height=360))
    fc.view.save_png(
        options.picture,
        fc.view.page(
            frames, ["how long ago the fire came", "while it burnt"][: len(frames)], columns=1
        ),
    )
if options.film:
    last = np.nanmax(burnt)
    fc.view.save_film(
        options.film,
        (shown_at(burnt, step, last / 20) for step in np.linspace(0, last * 1.1, 90)),
        15,
        quality=60,
    )
