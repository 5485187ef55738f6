"""The moves of searches on a grid: which steps leave each cell, which cells are connected, and
scratch.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.space import Grid, Terrain

__all__ = ["GridMoves", "Scratch", "moves_of"]

_FEW = 64  # changed walls around which moves are mended; after more they are built anew

Scratch = list[NDArray[Any]]


class GridMoves:
    """The moves on one grid, for the walls of one `walls_version`; these arrays never change."""

    def __init__(self, space: Grid, before: GridMoves | None = None) -> None:
        # A coarser grid takes over its parent's walls when asked for its version, so that comes
        # first.
        self.version = space.walls_version
        neighborhood = space.neighborhood
        self.plain = (neighborhood.is_four or neighborhood.is_eight) and _same_both_ways(
            space.terrain
        )
        self.eight = neighborhood.is_eight
        self.steps: NDArray[np.int64] = np.array(neighborhood.steps, dtype=np.int64)
        self.lengths = neighborhood.lengths(space.cell_size)
        self.straight, self.diagonal = (
            float(np.hypot(1, 0) * space.cell_size),
            float(np.hypot(1, 1) * space.cell_size),
        )
        self.norm, self.facets = kernels.shortest_path_weighted.bound(
            self.steps, self.lengths, space.wrap
        )
        self.king: NDArray[Any] = self._built(
            space, kernels.moves.STEPS, None if before is None else before.king, before
        )
        self._table: NDArray[Any] | None = None
        if before is not None and before._table is not None:
            self._table = self._built(space, neighborhood.steps, before._table, before)
        self.stops = self._stopping(space, before)
        self.edges = self.king.reshape(-1)
        self._labels: NDArray[np.int32] | None = None
        self._free: dict[str, list[Scratch]] = (
            {"uniform": [], "weighted": []} if before is None else before._free
        )

    def _built(
        self,
        space: Grid,
        steps: tuple[tuple[int, int], ...],
        old: NDArray[np.signedinteger] | None,
        before: GridMoves | None,
    ) -> NDArray[Any]:
        """The moves of these steps, (height, width): uint8 for up to 8, else int64."""
        table = np.array(steps, dtype=np.int64)
        dtype = np.uint8 if len(steps) <= 8 else np.int64
        moves = np.empty(space.shape, dtype=dtype)
        windows = (
            None
            if old is None or before is None
            else _windows(space, before.version, int(np.abs(table).max()))
        )
        if old is not None and windows is not None:
            moves = old.copy()
        classes, enter, ruled = _rules(space.terrain)
        for window in windows or [(0, space.height, 0, space.width)]:
            kernels.moves.leave(
                space.walls, classes, enter, ruled, table, space.wrap, *window, moves
            )
        moves.flags.writeable = False
        return moves

    def _stopping(self, space: Grid, before: GridMoves | None) -> NDArray[np.int64]:
        """Where straight runs end, for `uniform`."""
        if not self.plain or space.wrap:
            return np.zeros(0, dtype=np.int64)
        windows = None if before is None else _windows(space, before.version, 1)
        stops = (
            kernels.moves.stops_room(space.shape)
            if before is None or windows is None
            else before.stops.copy()
        )
        for window in windows or [(0, space.height, 0, space.width)]:
            kernels.moves.stops(self.king, self.eight, *window, stops)
        return np.asarray(stops)

    def table(self, space: Grid) -> NDArray[Any]:
        """The moves of the grid's own steps, flat."""
        if self._table is None:
            same = space.neighborhood.steps == kernels.moves.STEPS
            self._table = (
                self.king if same else self._built(space, space.neighborhood.steps, None, None)
            )
        return self._table.reshape(-1)

    @property
    def labeled(self) -> bool:
        """Whether it is known which cells are connected."""
        return self._labels is not None

    def labels(self, space: Grid) -> NDArray[np.int32]:
        """A number per cell, flat: no way leads from one to another of a different number."""
        if self._labels is None:
            moves, steps = self.table(space), self.steps
            labels = np.empty(len(space), dtype=np.int32)
            kernels.moves.label(moves, steps, space.width, space.height, labels)
            self._labels = labels
        return self._labels

    def length_of(self, count: int, diagonals: int) -> float:
        """Return the length of a path over so many cells."""
        return (count - 1 - diagonals) * self.straight + diagonals * self.diagonal

    def take(self, space: Grid, kind: str) -> Scratch:
        """Return arrays for one search at a time, `uniform` or `weighted`, for `give` to take
        back.
        """
        try:
            return self._free[kind].pop()
        except IndexError:
            if kind == "uniform":
                return list(kernels.shortest_path_uniform.uniform_room(len(space)))
            return list(kernels.shortest_path_weighted.weighted_room(len(space)))

    def give(self, kind: str, scratch: Scratch) -> None:
        """Take back what `take` gave."""
        self._free[kind].append(scratch)


_known: WeakKeyDictionary[Grid, GridMoves] = WeakKeyDictionary()


def moves_of(space: Grid) -> GridMoves:
    """The moves on a grid as its walls are now."""
    moves = _known.get(space)
    if moves is None or moves.version != space.walls_version:
        moves = _known[space] = GridMoves(space, moves)
    return moves


def _windows(space: Grid, version: int, reach: int) -> list[tuple[int, int, int, int]] | None:
    """Rows [y0, y1) and columns [x0, x1) in which moves differ since a `walls_version`, or None
    where it is best to look at all.
    """
    height, width = space.shape
    changed = space.walls_changed(version)
    rows, columns = np.divmod(changed, width)
    inside = (
        (rows >= reach) & (rows < height - reach) & (columns >= reach) & (columns < width - reach)
    )
    if len(changed) > _FEW or (space.wrap and not inside.all()):
        return None
    return [
        (
            max(y - reach, 0),
            min(y + reach + 1, height),
            max(x - reach, 0),
            min(x + reach + 1, width),
        )
        for y, x in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


def _same_both_ways(terrain: Terrain | None) -> bool:
    """Whether the classes of a terrain fall into groups: free steps within each, none between
    them.
    """
    if terrain is None or terrain.is_plain:
        return True
    is_open = terrain.enter.diagonal()
    enter = terrain.enter[np.ix_(is_open, is_open)]
    return bool((enter == enter.T).all() and ((enter.astype(np.int64) @ enter > 0) == enter).all())


def _rules(terrain: Terrain | None) -> tuple[NDArray[np.uint8], NDArray[np.bool_], bool]:
    """The classes of a terrain, what may enter what, and whether that says more than walls do;
    read-only.
    """
    if terrain is None or terrain.is_plain:
        classes, enter, ruled = (
            np.zeros((1, 1), dtype=np.uint8),
            np.ones((1, 1), dtype=np.bool_),
            False,
        )
    else:
        classes, enter, ruled = terrain.classes.view(), terrain.enter.view(), True
    classes.flags.writeable = enter.flags.writeable = False
    return classes, enter, ruled
