"""What examples/c/influence.c prints, from the library's own layers."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc

SHAPE = HEIGHT, WIDTH = 40, 61
PLACES, STRENGTHS = np.array([5 * WIDTH + 5, 30 * WIDTH + 40]), (4.0, 2.5)


def digest(values: np.ndarray) -> int:
    """FNV-1a over the bytes of the values."""
    sum_ = 14695981039346656037
    for byte in values.astype("<f4").tobytes():
        sum_ = (sum_ ^ byte) * 1099511628211 & 0xFFFFFFFFFFFFFFFF
    return sum_


def said_by_python() -> str:
    """What the example prints, from the library's own layers."""
    walls = np.zeros(SHAPE, dtype=bool)
    for column in range(3, WIDTH, 7):
        walls[:, column] = True
        walls[column * 5 % HEIGHT, column] = False
    grid = fc.Grid(walls=walls, neighbors=8)
    imap = fc.InfluenceMap(grid)
    spread = imap.add_layer("spread", fc.Spread(decay=0.1, momentum=0.5, floor=0.001))
    radial = imap.add_layer("radial", fc.Radial(7, metric="straight", falloff="linear"))
    for place, strength in zip(grid.position_of(PLACES), STRENGTHS, strict=True):
        spread.add_source(place, strength)
        radial.add_source(place, strength)
    imap.step(50)
    distances = fc.distance_map(grid, grid.position_of(PLACES))
    rows = (("spread", spread), ("radial", radial), ("distance", distances))
    return "".join(f"{name:8} {digest(each.values):016x}\n" for name, each in rows)
