"""The best cells around agents, spelled out: the specification of `fieldcraft.kernels.best`.

`first` and `last` bound the agents that a call serves; their places are world positions in cells
from the origin.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["TILE", "best", "bounds", "thin"]

TILE = 16
"""Side of the squares whose highest values the compiled kernels keep; it changes no answer."""

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


def bounds(values: Floats, closed: Bytes, sign: np.float32, out: Floats) -> None:
    """The highest `sign * value` of the cells of each tile that are not closed, -infinity where
    there is none.
    """
    scores = np.where(closed != 0, np.float32(-np.inf), sign * values)
    for ty in range(out.shape[0]):
        for tx in range(out.shape[1]):
            out[ty, tx] = scores[ty * TILE : (ty + 1) * TILE, tx * TILE : (tx + 1) * TILE].max()


def best(
    values: Floats,
    bounds: Floats,
    places: Wide,
    axes: tuple[bool, bool],
    sign: np.float32,
    squares: tuple[float, float],
    taking: bool,
    first: int,
    last: int,
    out: Ints,
    closed: Bytes,
) -> None:
    """For each of `places` (N, 2) in cells, the best cells one after the other into `out` (N, k),
    which holds -1.

    Of the cells that are not `closed`, with a center no further than the square root of `reach2`,
    the one with the highest `sign * value`; of equals the nearest, of those the lowest. The next
    must be another, and its squared distance to all before it at least `spacing2`. On a torus
    distances go the short way round. If `taking`, each choice closes what lies less than the
    spacing from it for those after it.
    """
    (y_up, wrap), (reach2, spacing2) = axes, squares
    for i in range(first, last):
        picks: list[int] = []
        for cell in _ranked(values, closed, sign, places[i], reach2, y_up, wrap):
            if len(picks) == out.shape[1]:
                break
            if all(_apart(cell, other, values.shape, spacing2, wrap) for other in picks):
                picks.append(cell)
        out[i, : len(picks)] = picks
        for cell in picks if taking else []:
            _close(closed, cell, spacing2, wrap)


def thin(cells: Ints, spacing2: float, wrap: bool, most: int, out: Ints, closed: Bytes) -> int:
    """The first `most` of `cells` that keep the spacing to those before them, into `out`; how many
    they are.
    """
    count = 0
    for cell in cells:
        if count == most:
            break
        if closed.reshape(-1)[cell] == 0:
            out[count] = cell
            count += 1
            _close(closed, int(cell), spacing2, wrap)
    return count


def _close(closed: Bytes, cell: int, spacing2: float, wrap: bool) -> None:
    """Close a cell and what lies less than the spacing from it."""
    height, width = closed.shape
    dr, dc = np.abs(np.arange(height) - cell // width), np.abs(np.arange(width) - cell % width)
    if wrap:
        dr, dc = np.minimum(dr, height - dr), np.minimum(dc, width - dc)
    d2 = (dr * dr)[:, np.newaxis] + dc * dc
    closed[(d2 == 0) | (d2 < spacing2)] = 1


def _ranked(
    values: Floats,
    closed: Bytes,
    sign: np.float32,
    place: Wide,
    reach2: float,
    y_up: bool,
    wrap: bool,
) -> Iterator[int]:
    """The cells within reach, the best first."""
    height, width = values.shape
    v2 = _squares(place[1], height, wrap)
    if y_up:
        v2 = v2[::-1]
    u2 = _squares(place[0], width, wrap)
    rows, columns = np.flatnonzero(v2 <= reach2), np.flatnonzero(u2 <= reach2)
    d2 = u2[columns] + v2[rows][:, np.newaxis]
    near = (d2 <= reach2) & (closed[np.ix_(rows, columns)] == 0)
    scores = (sign * values[np.ix_(rows, columns)])[near]
    cells = (rows[:, np.newaxis] * width + columns)[near]
    return iter(cells[np.lexsort((cells, d2[near], -scores))].tolist())


def _squares(at: float, count: int, wrap: bool) -> Wide:
    """How far the centers of rows or columns are from `at`, squared, the short way round."""
    away = np.abs((np.arange(count) + 0.5) - at)
    if wrap:
        away = np.minimum(away, count - away)
    return np.asarray(away * away)


def _apart(cell: int, other: int, shape: tuple[int, ...], spacing2: float, wrap: bool) -> bool:
    height, width = shape
    dr, dc = abs(cell // width - other // width), abs(cell % width - other % width)
    if wrap:
        dr, dc = min(dr, height - dr), min(dc, width - dc)
    return cell != other and dr * dr + dc * dc >= spacing2
