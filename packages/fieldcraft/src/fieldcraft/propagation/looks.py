"""Fields of view over squares, for radial sources."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels

__all__ = ["Looks"]

Seen = tuple[NDArray[np.int64], NDArray[np.float64]]


class Looks:
    """Looks round on maps of one shape: what they work in is kept for the next."""

    def __init__(self) -> None:
        self._rooms: dict[
            tuple[int, bool], tuple[NDArray[np.int64], NDArray[np.int64], tuple[Any, ...]]
        ] = {}

    def round(
        self,
        walls: NDArray[np.bool_],
        wrap: bool,
        cell: int,
        radius: float,
        aside: bool,
        portion: int,
    ) -> Generator[int, None, Seen]:
        """The cells in sight of one, ascending, and their distances as shares of the `radius` in
        cells: yields after each `portion`.

        `walls` (height, width). A look is begun anew where one that went to the same side, `aside`
        or not, is not finished.
        """
        limit = kernels.visible.squared_reach(radius)
        row, column = divmod(cell, walls.shape[1])
        blocked = walls.view(np.uint8)
        blocked.flags.writeable = (
            False  # as those of a grid: kernels are compiled anew for arrays that can be written to
        )
        if (limit, aside) not in self._rooms:
            size = kernels.visible.most_cells(walls.shape, limit)
            self._rooms[limit, aside] = (
                np.zeros(size, np.int64),
                np.zeros(size, np.int64),
                kernels.visible.room(walls.shape, limit, heights=False),
            )
        cells, squares, room = self._rooms[limit, aside]
        state = room[-1]
        state[:] = 0
        while not kernels.visible.sight_cells(
            blocked,
            kernels.visible.NO_HEIGHTS,
            1.0,
            row,
            column,
            limit,
            wrap,
            False,
            cells,
            squares,
            portion,
            *room,
        ):
            yield 1
        count = int(state[kernels.visible.COUNT])
        yield 1
        return cells[:count].copy(), np.sqrt(squares[:count].astype(np.float64)) / radius
