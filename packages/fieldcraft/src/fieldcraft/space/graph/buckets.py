"""The vertices of a graph in square buckets, to find the nearest to many positions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from fieldcraft.space.csr import starts_of

_MOST_IN_A_BUCKET = 64
_MOST_ACROSS = 4096  # buckets in a row
_SLACK = 1e-9  # of the side of a bucket: more than what rounding moves
_PER_THREAD = 4_000  # points that pay for waking a thread


class Buckets(NamedTuple):
    """Squares of the plane, row by row from `low` on, and the vertices in each.

    `vertices` and their `places` (N, 2) or (N, 3) from `starts[k]` up to `starts[k + 1]` are those
    of bucket k. Distances to the sides of buckets are exact to `slack`.
    """

    low: NDArray[np.float64]
    side: float
    columns: int
    rows: int
    slack: float
    starts: NDArray[np.int64]
    vertices: NDArray[np.int64]
    places: NDArray[np.float64]

    @classmethod
    def of(cls, positions: NDArray[np.float64]) -> Buckets | None:
        """Return the buckets of vertices; None where many are so close together, or so far from
        the others, that buckets find none quickly.
        """
        plan = positions[:, :2]
        low = plan.min(axis=0)
        size = plan.max(axis=0) - low
        largest = float(size.max())
        if not 0 < largest < np.inf:
            return None
        shape = largest / max(float(size.min()), largest / _MOST_ACROSS)
        across = int(min(np.sqrt(len(plan) * shape), _MOST_ACROSS))  # about a vertex a bucket
        side = largest / max(across, 1)
        columns, rows = (np.maximum((size / side).astype(np.int64) + 1, 1)).tolist()
        last = np.array([columns, rows]) - 1
        column, row = np.clip(np.floor((plan - low) / side).astype(np.int64), 0, last).T
        numbers = row * columns + column
        starts = starts_of(numbers, columns * rows)
        if np.diff(starts).max() > _MOST_IN_A_BUCKET:
            return None
        vertices = np.argsort(numbers, kind="stable")
        slack = _SLACK * side
        return cls(low, side, columns, rows, slack, starts, vertices, positions[vertices])

    def nearest(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the nearest vertex to each point by straight distance, (N,).

        It is `kernels.shared.nearest.UNSURE` where two are about as near, or none is near.
        """
        found = np.empty(len(points), dtype=np.int64)
        places = np.ascontiguousarray(points)
        kernel = kernels.shared.nearest.nearest
        bands = pool.bands(len(points), len(points) // _PER_THREAD)
        pool.run([(kernel, (tuple(self), places, *band, found)) for band in bands])
        return found
