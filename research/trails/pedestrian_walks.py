"""Recorded pedestrians: all steps, and the ground."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft.formats.recordings import Timeline

STEP = 0.4  # seconds of walking whose direction counts
AHEAD = 5  # steps: 2 s
_SLOWEST = 0.1  # meters a second: who is slower stands
_ROOM = 0.5  # meters around a recording whose place is not known

Floats = NDArray[np.float64]
Corners = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Place:
    """The place of a recording, in meters: the corners of the ground, its obstacles, and data
    missing in the file.
    """

    name: str
    ground: Corners
    obstacles: tuple[Corners, ...] = ()
    frames_per_second: float | None = None
    unit: str | None = None


def _box(left: float, low: float, right: float, high: float) -> Corners:
    return ((left, low), (right, low), (right, high), (left, high))


PLACES = {
    "bi_corr_400_b_03.txt": Place(
        "corridor, both ways", _box(-6.5, -1.5, 5.5, 6.5), (_box(-5, -1, 5, 0), _box(-5, 4.1, 5, 5))
    ),
    "uo-100-180-180.txt": Place(
        "corridor, one way",
        (
            (2.8, -6.5),
            (2.8, -4),
            (1.8, -4),
            (1.8, 4),
            (2.8, 4),
            (2.8, 8),
            (-1, 8),
            (-1, 4),
            (0, 4),
            (0, -4),
            (-1, -4),
            (-1, -6.5),
        ),
        frames_per_second=16.0,
        unit="cm",
    ),
    "bottleneck_040_c_56_h-.txt": Place(
        "bottleneck",
        _box(-3.5, -2, 3.5, 8),
        (
            (
                (-0.7, -1.1),
                (-0.25, -1.1),
                (-0.25, -0.15),
                (-0.4, 0),
                (-2.8, 0),
                (-2.8, 6.7),
                (-3.05, 6.7),
                (-3.05, -0.3),
                (-0.7, -0.3),
            ),
            (
                (0.25, -1.1),
                (0.7, -1.1),
                (0.7, -0.3),
                (3.05, -0.3),
                (3.05, 6.7),
                (2.8, 6.7),
                (2.8, 0),
                (0.4, 0),
                (0.25, -0.15),
            ),
        ),
    ),
}
"""Three recordings of the pedestrian dynamics data archive of Forschungszentrum Juelich (doi
10.34735/ped.2018.1 for the bottleneck), with their geometry as PedPy's notebooks give it.
"""


@dataclass(frozen=True)
class Walks:
    """All steps: their start and time, cell, direction, walker, and the direction of the step 2 s
    before, or NaN.
    """

    grid: Grid
    when: Floats
    cells: NDArray[np.int64]
    steps: Floats
    who: NDArray[np.int64]
    before: Floats

    @property
    def duration(self) -> float:
        """The seconds until the last step; 0 without steps."""
        return float(self.when.max(initial=0.0))


def ground_of(timeline: Timeline, place: Place | None, cell: float) -> Grid:
    """Return the ground of a recording: its place, or a box around all steps with a margin."""
    if place is None:
        low, high = (
            np.nanmin(timeline.positions, axis=0) - _ROOM,
            np.nanmax(timeline.positions, axis=0) + _ROOM,
        )
    else:
        low, high = (f(np.array(place.ground), axis=0) for f in (np.min, np.max))
    columns, rows = np.ceil((high - low) / cell - 1e-9).astype(int).tolist()
    grid = Grid(
        columns, rows, cell_size=cell, origin=(float(low[0]), float(low[1])), neighbors=8, y_up=True
    )
    if place is not None:
        centers = grid.position_of(np.arange(len(grid)))
        blocked = ~_within(centers, place.ground)
        for corners in place.obstacles:
            blocked |= _within(centers, corners)
        grid.set_walls(np.flatnonzero(blocked))
    return grid


def walks_of(timeline: Timeline, grid: Grid) -> Walks:
    """Return all steps of 0.4 s on a grid, without pauses."""
    parts = []
    for person in range(len(timeline.ids)):
        rows = np.flatnonzero((timeline.entities == person) & ~np.isnan(timeline.positions[:, 0]))
        seconds = timeline.seconds[rows]
        places = timeline.positions[rows]
        moments = np.arange(math.ceil(seconds[0] / STEP), math.floor(seconds[-1] / STEP) + 1) * STEP
        at = np.stack([np.interp(moments, seconds, places[:, axis]) for axis in (0, 1)], axis=1)
        steps = np.diff(at, axis=0)
        before = np.full_like(steps, np.nan)
        before[AHEAD:] = steps[:-AHEAD]
        before[np.hypot(before[:, 0], before[:, 1]) < _SLOWEST * STEP] = np.nan
        parts.append((moments[:-1], at[:-1], steps, np.full(len(steps), person), before))
    when, at, steps, who, before = (np.concatenate(column) for column in zip(*parts, strict=True))
    low = np.array(grid.origin)
    inside = ((at >= low) & (at < low + grid.size)).all(axis=1) & (
        np.hypot(steps[:, 0], steps[:, 1]) >= _SLOWEST * STEP
    )
    order = np.flatnonzero(inside)[np.argsort(when[inside], kind="stable")]
    cells = np.asarray(grid.nearest_open(grid.cell_at(at[order])), dtype=np.int64)
    return Walks(grid, when[order], cells, steps[order], who[order], before[order])


def _within(points: Floats, corners: Corners) -> NDArray[np.bool_]:
    """Return which points, (N, 2), are in a polygon: an odd number of its sides is to their
    right.
    """
    x, y = points.T
    inside = np.zeros(len(points), dtype=np.bool_)
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if y0 != y1:
            inside ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) / (y1 - y0) * (x1 - x0))
    return inside
