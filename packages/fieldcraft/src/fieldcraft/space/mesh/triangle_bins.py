"""The triangles of a mesh in squares of the plane, to find those at positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.polygons import TriangleBins
from fieldcraft.space.csr import runs, starts_of

_MOST_ACROSS = 1024  # squares in a row
_PER_TRIANGLE = 16  # squares that triangles reach into, on average
_FEW = 64  # squares for each triangle in any case
_TINY = np.finfo(np.float64).tiny


def binned(
    plan: NDArray[np.float64], triangles: NDArray[np.int64], has_area: NDArray[np.bool_]
) -> TriangleBins:
    """Return triangles (T, 3), numbers of corners (C, 2), in about as many squares as there are
    triangles; those without an area are in none.
    """
    numbers = np.flatnonzero(has_area)
    used = triangles[numbers]
    low = np.zeros(2)
    extent = 1.0
    boxes = np.zeros((2, 0, 2))
    if len(used):
        boxes = np.stack([plan[used].min(axis=1), plan[used].max(axis=1)])
        low = boxes[0].min(axis=0)
        extent = float((boxes[1].max(axis=0) - low).max())
    across = int(min(max(np.sqrt(len(used)), 1), _MOST_ACROSS))
    while True:
        side = max(extent * (1 + 1e-9) / across, _TINY)
        corners = np.clip(((boxes - low) / side).astype(np.int64), 0, across - 1)
        spans = corners[1] - corners[0] + 1
        size = int((spans[:, 0] * spans[:, 1]).sum())
        if across == 1 or size <= _PER_TRIANGLE * len(used) + _FEW:
            break
        across //= 2
    # One entry for each row of squares that a triangle reaches into, then for each square of it.
    of_row = np.repeat(np.arange(len(used)), spans[:, 1])
    rows = runs(corners[0, :, 1], spans[:, 1])
    widths = spans[of_row, 0]
    columns = runs(corners[0, of_row, 0], widths)
    squares = np.repeat(rows, widths) * across + columns
    of_square = numbers[np.repeat(of_row, widths)]
    order = np.argsort(squares, kind="stable")
    return TriangleBins(
        low,
        side,
        across,
        starts_of(squares, across * across).astype(np.int32),
        of_square[order].astype(np.int32),
        triangles.astype(np.int32),
    )
