"""Recorded ants in their nest: the cells and times of each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft.formats.recordings import Timeline

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Walks:
    """The walks by name: for each ant the cells that it entered, at least a cell's length apart,
    and the times.

    `outside` is the share of points outside of the nest, which are left out.
    """

    grid: Grid
    ants: dict[str, tuple[Floats, NDArray[np.int64]]]
    duration: float
    outside: float


def walks_of(timeline: Timeline, width: float, height: float, cell: float) -> Walks:
    """Return the walks of all individuals of a recording in a box from (0, 0) to (width,
    height).
    """
    grid = Grid(
        max(math.ceil(width / cell - 1e-9), 1),
        max(math.ceil(height / cell - 1e-9), 1),
        cell_size=cell,
        neighbors=8,
    )
    ants = {}
    count = 0
    lost = 0
    for ant, name in enumerate(timeline.ids):
        rows = np.flatnonzero((timeline.entities == ant) & ~np.isnan(timeline.positions[:, 0]))
        rows = rows[list(_spaced(timeline.positions[rows], cell))]
        places = timeline.positions[rows]
        inside = ((places >= 0) & (places < (width, height))).all(axis=1)
        count = count + len(rows)
        lost = lost + int(np.count_nonzero(~inside))
        ants[name] = (
            timeline.seconds[rows[inside]],
            np.asarray(grid.cell_at(places[inside].reshape(-1, 2)), dtype=np.int64),
        )
    return Walks(grid, ants, timeline.duration, lost / max(count, 1))


def _spaced(places: Floats, least: float) -> Iterator[int]:
    """Return the indices of places at least a distance from the last one, so that a pause counts
    once.
    """
    x, y = math.inf, math.inf
    for index, (next_x, next_y) in enumerate(places.tolist()):
        if not math.hypot(next_x - x, next_y - y) < least:
            x, y = next_x, next_y
            yield index
