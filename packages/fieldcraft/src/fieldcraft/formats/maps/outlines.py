"""Outlines of shapes, and the cells of a map that they block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import BadMapFile
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.space.csr import runs

__all__ = ["Outline", "blocked_cells", "ellipse", "rectangle"]

Outline = tuple[Floats, bool]
"""Points (N, 2), (x, y) in cells from the corner of a map, y downwards, and whether the outline is
closed.
"""

_MAX_CROSSINGS = 2**22
_FARTHEST = 1e9


def blocked_cells(shape: tuple[int, int], outlines: Sequence[Outline]) -> NDArray[np.bool_]:
    """Return which cells of a map, (height, width) bool, outlines block.

    A closed outline is a polygon, even-odd where it crosses itself; another one is an open line. A
    cell is blocked if its center is in a polygon. A polygon too thin to contain a center blocks
    too: where it crosses the straight line between the centers of two neighbors, it blocks the cell
    that contains the middle of the crossing. Segments of an open line do the same. A shape that
    crosses no line between two centers blocks nothing.

    Raises
    ------
    BadMapFile
        For points that are not finite or very far off the map, and for outlines that cross too many
        rows and columns.
    """
    blocked = np.zeros(shape, dtype=np.bool_)
    # How many polygons begin (or, below 0, end) at a cell, along each row.
    changes = np.zeros((shape[0], shape[1] + 1), dtype=np.int32)
    for closed in (True, False):
        some = [points for points, is_closed in outlines if is_closed == closed and len(points)]
        if not some:
            continue
        if closed:
            begins = np.concatenate(some)
            ends = np.concatenate([np.roll(points, -1, axis=0) for points in some])
            counts = [len(points) for points in some]
        else:
            begins = np.concatenate([points[:-1] for points in some])
            ends = np.concatenate([points[1:] for points in some])
            counts = [len(points) - 1 for points in some]
        owners = np.repeat(np.arange(len(some)), counts)
        for axis in (0, 1):  # along the rows, then along the columns
            lines, at, owner = _crossings(shape[axis], axis, begins, ends, owners)
            if closed:
                # Between every other pair of crossings lies the inside.
                order = np.lexsort((at, lines, owner))
                lines = lines[order][::2]
                enter = at[order][::2]
                leave = at[order][1::2]
                first = np.ceil(enter - 0.5).astype(np.int64)
                past = np.ceil(leave - 0.5).astype(np.int64)
                if axis == 0:
                    np.add.at(changes, (lines, np.clip(first, 0, shape[1])), 1)
                    np.add.at(changes, (lines, np.clip(past, 0, shape[1])), -1)
                thin = first == past
                lines = lines[thin]
                at = (enter[thin] + leave[thin]) / 2
            place = np.floor(at)
            inside = (place >= 0) & (place < shape[1 - axis])
            across = lines[inside]
            along = place[inside].astype(np.int64)
            if axis == 0:
                blocked[across, along] = True
            else:
                blocked[along, across] = True
    return blocked | (np.cumsum(changes, axis=1, dtype=np.int32)[:, :-1] > 0)


def _crossings(
    count: int, axis: int, begins: Floats, ends: Floats, owners: Ints
) -> tuple[Ints, Floats, Ints]:
    """Return the crossings of edges with the center lines of `count` rows (axis 0) or columns: the
    line, the position on it, and the owner of the edge.
    """
    if not (np.abs(begins) < _FARTHEST).all():
        raise BadMapFile(
            "The points of a shape are finite and near the map",
            got=f"{begins[~(np.abs(begins) < _FARTHEST).all(axis=1)][0].tolist()}, in cells",
            remedy="Correct or remove the shape",
        )
    along = begins[:, axis]
    across = begins[:, 1 - axis]
    low = np.minimum(across, ends[:, 1 - axis])
    high = np.maximum(across, ends[:, 1 - axis])
    first = np.clip(np.ceil(low - 0.5), 0, count).astype(np.int64)
    spans = np.clip(np.ceil(high - 0.5), 0, count).astype(np.int64) - first
    if spans.sum() > _MAX_CROSSINGS:
        raise BadMapFile(
            "The shapes of a map are simple enough to draw",
            got=f"more than {_MAX_CROSSINGS:,} crossings of their edges with rows and columns",
            remedy="Use a tile layer for the walls",
        )
    edge = np.repeat(np.arange(len(spans)), spans)
    lines = runs(first, spans)
    share = (lines + 0.5 - across[edge]) / (ends[:, 1 - axis] - across)[edge]
    return lines, along[edge] + share * (ends[:, axis] - along)[edge], owners[edge]


def rectangle(x: float, y: float, width: float, height: float) -> Floats:
    """Return the corners of a rectangle, (4, 2), from its corner (x, y)."""
    return np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], dtype=float)


def ellipse(width: float, height: float, *, cell: float) -> Floats:
    """Return a polygon (N, 2) for the ellipse in a rectangle from (0, 0), exact to a hundredth of a
    `cell` on any map.
    """
    radius = min(max(abs(width), abs(height)) / (2 * cell), 8000.0)
    turns = np.linspace(0, 2 * np.pi, 32 + 32 * int(np.ceil(np.sqrt(radius))), endpoint=False)
    return np.stack([width / 2 * (1 + np.cos(turns)), height / 2 * (1 + np.sin(turns))], axis=1)
