"""Influence on level geometry, floor by floor: of a file of yours, or of a hall with a gallery and
a ramp.

    python examples/floors.py [LEVEL.obj] [--floors 4] [--picture floors.png]

The level is baked: voxels tell where one can stand. Two noises spread over the ground that one can
walk, never through a ceiling.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import fieldcraft as fc

# Height is y here, as in most files: a hall of 20 by 10, a gallery three above it, and the ramp up
# to that.
HALL = """
v 0 0 0\nv 20 0 0\nv 20 0 -10\nv 0 0 -10\nf 1 2 3 4
v 0 3 0\nv 10 3 0\nv 10 3 -6\nv 0 3 -6\nf 5 6 7 8
v 10 3 0\nv 16 0 0\nv 16 0 -3\nv 10 3 -3\nf 9 10 11 12
"""


def baked(file: Path) -> fc.Graph:
    level = fc.load_map(file, bake=True, cell_size=0.25, agent_radius=0.4, step_height=0.9)
    parts = level.parts()
    share = level.areas[parts == 0].sum() / level.areas.sum()
    print(
        f"{len(level):,} places to stand in {parts.max() + 1} parts; the largest has {share:.0%} of"
        " the ground"
    )
    return level


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "level", nargs="?", type=Path, help="an .obj or .glb file with y up, in metres"
    )
    parser.add_argument("--floors", type=int, default=2)
    parser.add_argument("--picture", default="floors.png")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = arguments.level
        if file is None:
            file = Path(folder, "hall.obj")
            file.write_text(HALL)
        level = baked(file)
    largest = np.flatnonzero(level.parts() == 0)
    below, above = (
        largest[np.argsort(level.positions[largest, 2], kind="stable")[k]]
        for k in (len(largest) // 8, -len(largest) // 16)
    )
    noise = fc.InfluenceMap(level).add_layer("noise", fc.Spread(decay=0.1, momentum=1.0))
    noise.add_source(level.position_of(below), strength=3.0)
    noise.add_source(level.position_of(above), strength=5.0)
    noise.settle()
    title = "Two noises, floor by floor"
    fc.view.save_png(
        arguments.picture,
        fc.view.picture_floors(noise, arguments.floors, title=title, legend="noise"),
    )
    print(f"{arguments.picture}: {arguments.floors} floors of {level}")


if __name__ == "__main__":
    main()
