"""Neighbourhoods as tables of steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

__all__ = ["MAX_STEPS", "Neighborhood"]

MAX_STEPS = 64
_REACH = 64
_FOUR = ((1, 0), (-1, 0), (0, 1), (0, -1))
_EIGHT = (*_FOUR, (1, 1), (-1, 1), (1, -1), (-1, -1))


@dataclass(frozen=True)
class Neighborhood:
    """Which cells one step reaches: `steps` are (columns, rows) offsets, in the order in which
    arrays are stored.

    A step (1, 0) goes from a cell to the one on its right, so influence flows that way too. Steps
    of (+-1, +-1) are
    diagonals and never cut a corner: both cells beside them must be open. Longer steps jump.
    """

    steps: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, neighbors: int | ArrayLike, *, y_up: bool = False) -> Neighborhood:
        """The neighbourhood for 4, 8, or a table of (dx, dy) steps in cells along the world's axes.

        Raises `InvalidValue` for anything else, for (0, 0), for a step named twice, for more than
        64 steps and for steps longer than 64 cells.
        """
        if isinstance(neighbors, (int, np.integer)) and not isinstance(neighbors, bool):
            if neighbors == 4:
                return cls(_FOUR)
            if neighbors == 8:
                return cls(_EIGHT)
        table = checks.array("neighbors", neighbors)
        remedy = "Pass 4, 8 or a table such as [(1, 2), (2, 1), (-1, 2), (-2, 1)]"
        if (
            table.ndim != 2
            or table.shape[1:] != (2,)
            or table.dtype.kind not in "iu"
            or not 1 <= len(table) <= MAX_STEPS
        ):
            raise InvalidValue(
                f"neighbors is 4, 8, or a table of 1 to {MAX_STEPS} whole-number steps (dx, dy)",
                got=f"neighbors={neighbors!r}",
                remedy=remedy,
            )
        steps = tuple((int(dx), -int(dy) if y_up else int(dy)) for dx, dy in table)
        if (
            (0, 0) in steps
            or len(set(steps)) != len(steps)
            or max(max(abs(dx), abs(dy)) for dx, dy in steps) > _REACH
        ):
            raise InvalidValue(
                f"The steps of a neighbourhood differ, are not (0, 0) and reach at most {_REACH}"
                " cells",
                got=f"neighbors={neighbors!r}",
                remedy=remedy,
            )
        return cls(steps)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def is_four(self) -> bool:
        """Whether these are just the four straight steps, in any order."""
        return set(self.steps) == set(_FOUR)

    @property
    def is_eight(self) -> bool:
        """Whether these are just the eight steps around a cell, in any order."""
        return set(self.steps) == set(_EIGHT)

    def lengths(self, cell_size: float) -> NDArray[np.float64]:
        """The world length of each step, shape (len(self),)."""
        return np.array([np.hypot(dx, dy) for dx, dy in self.steps]) * checks.positive(
            "cell_size", cell_size
        )
