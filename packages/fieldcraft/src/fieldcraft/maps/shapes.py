"""Shapes -> the cells that they block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import BadMapFile

__all__ = ["Points", "ShapePainter", "ellipse", "rectangle"]

_MAX_CROSSINGS = 2**22
_FARTHEST = 1e9
_BATCH = 2**12

Points = NDArray[np.float64]
Ids = NDArray[np.int64]


class ShapePainter:
    """Collects shapes on a map of (height, width) cells and says which cells they block.

    Positions are (x, y) in cells from the corner of the map, y downwards. A cell is blocked if its
    center lies in a shape.
    A shape too thin to hold a center blocks too, so that nothing leaks through it: wherever it
    crosses the straight line between the centers of two neighbours, it blocks the one of them that
    holds the middle of the crossing. So do the segments of an open line. What touches no line
    between two centers blocks nothing.
    """

    def __init__(self, height: int, width: int) -> None:
        self._shape = (height, width)
        self._blocked = np.zeros(self._shape, dtype=np.bool_)
        # Along each row, how many shapes begin (or, below 0, end) at a cell.
        self._changes: NDArray[np.int32] | None = None
        self._waiting: list[tuple[Points, bool]] = []
        self._points = 0
        self._crossings = 0

    def add(self, points: Points, *, closed: bool = True) -> None:
        """Add a polygon of points, shape (N, 2), even-odd where it crosses itself; or with
        `closed=False` an open line.

        Raises
        ------
        BadMapFile
            For points that are not finite or absurdly far, and when all shapes together are too
            intricate.
        """
        near = np.abs(points) < _FARTHEST
        if not near.all():
            raise BadMapFile(
                "The points of a shape are finite and near the map",
                got=f"{tuple(points[~near.all(axis=1)][0].tolist())}, in cells from its corner",
                remedy="Mend or remove the shape",
            )
        if not len(points):
            return
        self._waiting.append((points, closed))
        self._points += len(points)
        if self._points >= _BATCH:
            self._paint()

    def blocked(self) -> NDArray[np.bool_]:
        """The blocked cells, bool of shape (height, width)."""
        self._paint()
        if self._changes is not None:
            self._blocked |= np.cumsum(self._changes, axis=1, dtype=np.int32)[:, :-1] > 0
            self._changes = None
        return self._blocked.copy()

    def _paint(self) -> None:
        for closed in (True, False):
            shapes = [points for points, is_closed in self._waiting if is_closed == closed]
            if not shapes:
                continue
            begins = np.concatenate([points if closed else points[:-1] for points in shapes])
            ends = np.concatenate(
                [np.roll(points, -1, axis=0) if closed else points[1:] for points in shapes]
            )
            owners = np.repeat(
                np.arange(len(shapes)), [len(points) - (not closed) for points in shapes]
            )
            for axis in (0, 1):  # along the rows, then along the columns
                lines, at, owner = self._cross(axis, begins, ends, owners)
                if closed:
                    self._fill(axis, lines, at, owner)
                else:
                    self._mark(axis, lines, at)
        self._waiting.clear()
        self._points = 0

    def _cross(
        self, axis: int, begins: Points, ends: Points, owners: Ids
    ) -> tuple[Ids, Points, Ids]:
        """Where edges cross the center lines of the rows (axis 0) or columns: the line, the
        position on it, whose edge.
        """
        along, across = begins[:, axis], begins[:, 1 - axis]
        low, high = np.minimum(across, ends[:, 1 - axis]), np.maximum(across, ends[:, 1 - axis])
        count = self._shape[axis]
        first = np.clip(np.ceil(low - 0.5), 0, count).astype(np.int64)
        spans = np.clip(np.ceil(high - 0.5), 0, count).astype(np.int64) - first
        total = int(spans.sum())
        self._crossings += total
        if self._crossings > _MAX_CROSSINGS:
            raise BadMapFile(
                "The shapes of a map are simple enough to draw",
                got=f"more than {_MAX_CROSSINGS:,} crossings of their edges with rows and columns",
                remedy="Use a tile layer for the walls",
            )
        edge = np.repeat(np.arange(len(spans)), spans)
        lines = np.arange(total) - np.repeat(np.cumsum(spans) - spans, spans) + first[edge]
        share = (lines + 0.5 - across[edge]) / (ends[:, 1 - axis] - across)[edge]
        return lines, along[edge] + share * (ends[:, axis] - along)[edge], owners[edge]

    def _fill(self, axis: int, lines: Ids, at: Points, owner: Ids) -> None:
        """Block what lies between every other pair of crossings of a closed shape with a line."""
        order = np.lexsort((at, lines, owner))
        lines, enter, leave = lines[order][::2], at[order][::2], at[order][1::2]
        first, past = np.ceil(enter - 0.5).astype(np.int64), np.ceil(leave - 0.5).astype(np.int64)
        thin = first == past
        self._mark(axis, lines[thin], (enter[thin] + leave[thin]) / 2)
        if axis == 1 or not len(lines):
            return  # the centers have been found along the rows
        height, width = self._shape
        if self._changes is None:
            self._changes = np.zeros((height, width + 1), dtype=np.int32)
        np.add.at(self._changes, (lines, np.clip(first, 0, width)), 1)
        np.add.at(self._changes, (lines, np.clip(past, 0, width)), -1)

    def _mark(self, axis: int, lines: Ids, at: Points) -> None:
        place = np.floor(at)
        inside = (place >= 0) & (place < self._shape[1 - axis])
        cells = (lines[inside], place[inside].astype(np.int64))
        self._blocked[cells if axis == 0 else cells[::-1]] = True


def rectangle(x: float, y: float, width: float, height: float) -> Points:
    """The corners of a rectangle, shape (4, 2), from its corner (x, y)."""
    return np.array(
        [(x, y), (x + width, y), (x + width, y + height), (x, y + height)], dtype=np.float64
    )


def ellipse(x: float, y: float, width: float, height: float, *, cell: float) -> Points:
    """A polygon for the ellipse in the rectangle from (x, y), shape (N, 2), true to a hundredth of
    a `cell` on any map.
    """
    radius = min(max(abs(width), abs(height)) / (2 * cell), 8000.0)
    turns = np.linspace(0, 2 * np.pi, 32 + 32 * int(np.ceil(np.sqrt(radius))), endpoint=False)
    return np.stack(
        [x + width / 2 * (1 + np.cos(turns)), y + height / 2 * (1 + np.sin(turns))], axis=1
    )
