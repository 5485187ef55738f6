"""Influence on a navigation mesh, floor by floor: of a file of yours, or of a hall with a gallery
and a ramp.

    python examples/floors.py [LEVEL.obj] [--floors 4] [--picture floors.png]

Two noises spread over the ground that one can walk, never through a ceiling.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

import fieldcraft as fc


def hall(file: Path) -> None:
    """Write a hall of 20 by 10, a gallery three above it, and the ramp up to it; y is up."""
    corners, faces = [], []
    for left, right, near, far, height in (
        (0, 20, 0, 10, 0.0),
        (0, 10, 0, 6, 3.0),
        (10, 16, 0, 3, 0.0),
    ):
        for x in range(left, right):
            for z in range(near, far):
                for across, down in ((x, z), (x + 1, z), (x + 1, z + 1), (x, z + 1)):
                    is_ramp = left == 10
                    corners.append((across, (16 - across) / 2 if is_ramp else height, -down))
                if height or left or not (10 <= x < 16 and z < 3):  # the ramp's foot stands there
                    faces.append([len(corners) - k for k in (3, 2, 1, 0)])
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [
        "f " + " ".join(map(str, f)) for f in faces
    ]
    file.write_text("\n".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("level", nargs="?", type=Path, help="an .obj file with y up, in meters")
    parser.add_argument("--floors", type=int, default=2)
    parser.add_argument("--picture", default="floors.png")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = arguments.level
        if file is None:
            file = Path(folder, "hall.obj")
            hall(file)
        level = fc.load_map(file)
    largest = np.flatnonzero(level.parts() == 0)
    below, above = (
        largest[np.argsort(level.positions[largest, 2], kind="stable")[k]]
        for k in (len(largest) // 8, -len(largest) // 16)
    )
    noise = fc.InfluenceMap(level).add_layer("noise", fc.Spread(decay=0.1, momentum=1.0))
    noise.add_source(level.position_of(below), strength=3.0)
    noise.add_source(level.position_of(above), strength=5.0)
    noise.settle()
    cuts = np.linspace(*level.extent[:, 2], arguments.floors + 1)
    cuts[-1] += 1e-6  # the highest vertices are on the last floor
    colors = fc.view.ColorScale(0, 5)
    pairs = list(pairwise(cuts))
    floors = [fc.view.frame(noise, heights=each, colors=colors, size=400) for each in pairs]
    titles = [f"z {low:.1f} to {high:.1f}" for low, high in pairs]
    title = "Two noises, floor by floor"
    fc.view.save_png(
        arguments.picture, fc.view.page(floors, titles, legend=colors, title=title, columns=2)
    )
    print(f"{arguments.picture}: {arguments.floors} floors of {level}")


if __name__ == "__main__":
    main()
