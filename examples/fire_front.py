"""A fire that crosses a map too large for an array: only blocks at its front are computed, and only those it has reached exist.

python examples/fire_front.py                                              # 1,536 x 1,536, from a generated town
python examples/fire_front.py --map Berlin_1_256.map --tiles 32 --steps 8000  # a real one, laid out again and again: 8,192 x 8,192
python examples/fire_front.py --picture fire.png                           # where it was when, and how much memory that took

The lesson: with a linear falloff, a momentum of 1 and no walls that move, a value is the strength less the way that the fire has come:
when it came, for every cell. Behind the front nothing changes, so that blocks sleep; before it there are none.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import fieldcraft as fc
from fieldcraft import cluster

parser = argparse.ArgumentParser()
parser.add_argument("--map", help="a map file, laid side by side")
parser.add_argument("--tiles", type=int, default=3, help="how many times across and down")
parser.add_argument("--steps", type=int, default=400, help="how long the fire burns, a cell a step")
parser.add_argument("--picture")
options = parser.parse_args()

town = fc.load_map(options.map) if options.map else fc.generate_map("rooms", 512, 512, seed=4)
height, width = town.shape
LIT = 1e6


def walls(rows, columns):
    """The walls of some rows and columns of the large map: made on the spot, so that nobody holds them all."""
    return town.walls[np.ix_(np.arange(rows.start, rows.stop) % height, np.arange(columns.start, columns.stop) % width)]


def memory():
    """The megabytes that this process takes now."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6
    except OSError:
        return 0.0


with tempfile.TemporaryDirectory() as folder:
    size = (width * options.tiles, height * options.tiles)
    world = cluster.World(folder, size, block=256, walls=walls, halo_steps=32, memory=5e8)
    fire = world.add_layer("fire", fc.Spread(decay=1.0, momentum=1.0, falloff="linear"))
    middle = np.array(size) / 2
    near = fire.window(middle - 32, middle + 32)  # a plain layer: ask it for the open ground nearest to the middle
    start = near.space.position_of(near.space.nearest_open(near.space.cell_at(middle)))
    fire.add_sources(start, LIT)

    begun, told = time.perf_counter(), []
    with cluster.run(world, checkpoint=None) as running:  # client=Client(...) for the workers of a cluster
        for second in range(-(-options.steps // 32)):
            report = running.step(32)
            told.append((second, report.blocks_run, report.blocks_asleep, memory()))
    took = time.perf_counter() - begun
    map_of_times = fire.overview(max(max(size) // 512, 1))
    burnt = np.where(map_of_times > 0, LIT - map_of_times, np.nan)

    cells = size[0] * size[1]
    print(f"{size[0]:,} x {size[1]:,} = {cells:,} cells; after {fire.steps:,} steps the fire has come {np.nanmax(burnt):,.0f} steps far")
    blocks = np.array(told)
    print(f"at the front {blocks[:, 1].max():.0f} blocks at once, {blocks[:, 2].max():.0f} asleep behind it")

if options.picture:
    shown = np.where(np.isnan(burnt), 0, np.nanmax(burnt) + 1 - burnt).astype(np.float32)
    frames = [fc.view.frame(shown, scale=1)]
    if len(told) > 1:
        memory_curve = [("MB of memory", blocks[:, 3], None), ("blocks at the front", blocks[:, 1], None)]
        frames.append(fc.view.plot_over_time(blocks[:, 0] * took / len(told), memory_curve, width=640, height=360))
    fc.view.save_png(options.picture, fc.view.sheet(frames, ["how long ago the fire came", "while it burnt"][: len(frames)], columns=1))
