"""The queries that each kind of space implements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.shared.step_lists import EndSteps, LinkedSteps
from fieldcraft.values.readable import Cells, Floats, Values

Steps = tuple[EndSteps | None, LinkedSteps | None]
"""The steps from cell to cell: the starts and ends of edges on a graph, or the ground of a grid."""


@dataclass(frozen=True)
class Lottery:
    """A random choice among cells that are about as good as the best: those whose value is within a
    `share` of the best value. `draws` (N, k) are numbers from 0 up to 1, one for each choice.
    """

    share: float
    draws: Floats


@dataclass(frozen=True, eq=False)
class Personal:
    """Values that each of N agents has of its own in `cells` (N, k), and an array by cell that
    receives those of one agent after the other.
    """

    cells: Cells
    values: NDArray[np.float32]
    array: NDArray[np.float32]

    def write(self, agent: int) -> None:
        """Write the values of one agent into the array."""
        self.array[self.cells[agent]] = self.values[agent]

    def values_at(self, cells: Cells) -> NDArray[np.float32]:
        """Return the values that agents have in some of their cells, (N, m); NaN where a cell is
        -1.
        """
        found = np.full(cells.shape, np.nan, dtype=np.float32)
        rows = np.arange(len(cells))
        for k in range(cells.shape[1]):
            same = self.cells == cells[:, k, np.newaxis]
            place = same.argmax(axis=1)
            known = same[rows, place]
            found[known, k] = self.values[rows[known], place[known]]
        return found


def lottery(
    within: float | None, rng: np.random.Generator | None, count: int, choices: int
) -> Lottery | None:
    """Return the lottery for some choices at each of `count` positions, None without `within`."""
    if within is None and rng is None:
        return None
    if within is None:
        raise InvalidValue(
            "A generator is for a random choice within a part of the best value",
            got="rng without within",
            remedy="Pass within=0.05 as well, say",
        )
    share = checks.not_negative("within", within)
    if rng is None:
        raise InvalidValue(
            "A choice within a part of the best value is random and needs a generator",
            got=f"within={within!r} without rng",
            remedy="Pass rng=np.random.default_rng(1), say",
        )
    return Lottery(share, checks.generator(rng).random((count, choices)))


class Queries(Values, ABC):
    """Values, with the queries that differ between kinds of space."""

    @abstractmethod
    def gradient(
        self, positions: ArrayLike, smooth: bool, outside: IfOutside
    ) -> tuple[Floats, bool]:
        """Return the slopes at positions, (N, D), and whether it was one position."""

    @abstractmethod
    def along(
        self, paths: list[Floats], outside: IfOutside
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return of each path the sum, length, mean, maximum, (N,), and where that is, (N, D)."""

    @abstractmethod
    def best(
        self,
        points: Floats,
        radius: float,
        wanted: int,
        spacing: float,
        closed: NDArray[np.bool_],
        walk: float | None,
        sign: np.float32,
        lottery: Lottery | None = None,
    ) -> Cells:
        """Return the `wanted` best cells around each position, (N, k), -1 where there are no more.
        The lowest values are best with a `sign` of -1. With a lottery each choice is a random one
        of the cells that are about as good as the best that is left.
        """

    def best_each(
        self,
        personal: Personal,
        points: Floats,
        radius: float,
        wanted: int,
        spacing: float,
        closed: NDArray[np.bool_],
        walk: float | None,
        sign: np.float32,
        lottery: Lottery | None = None,
    ) -> tuple[Cells, NDArray[np.float32]]:
        """Return the same as `best` for agents that each have values of their own, and the values
        of the cells, NaN where there are no more. The values of this are changed near each agent,
        and are any numbers before and after.
        """
        found = np.empty((len(points), wanted), dtype=np.int64)
        for i in range(len(points)):
            personal.write(i)
            draw = None
            if lottery is not None:
                draw = Lottery(lottery.share, lottery.draws[i : i + 1])
            here = points[i : i + 1]
            found[i] = self.best(here, radius, wanted, spacing, closed, walk, sign, draw)
        return found, personal.values_at(found)

    @abstractmethod
    def cells_around(self, points: Floats, own: Cells, radius: float) -> Cells:
        """Return all cells within a radius of positions in these cells, (N, k); others may be among
        them, and cells may be repeated.
        """

    def columns_around(self, radius: float) -> int:
        """Return how many columns the cells of `cells_around` have; see `Near`."""
        return 1

    def most_around(self, radius: float) -> int:
        """Return how many cells `cells_around` returns for one position, at most."""
        return len(self.space)

    @abstractmethod
    def close(self, cells: Cells, spacing: float, closed: NDArray[np.bool_]) -> None:
        """Close cells, and those less than `spacing` from one of them."""

    @abstractmethod
    def peaks(self, most: int, spacing: float, above: float) -> Cells:
        """Return the cells of at most `most` peaks, the highest first."""

    @abstractmethod
    def steps(self) -> Steps:
        """Return the steps from cell to cell."""

    def best_in_turn(
        self,
        points: Floats,
        radius: float,
        spacing: float,
        closed: NDArray[np.bool_],
        walk: float | None,
        sign: np.float32,
        lottery: Lottery | None = None,
    ) -> Cells:
        """Return one cell for each position, (N, 1), chosen one after the other: each closes the
        cells less than `spacing` away.
        """
        found = np.full((len(points), 1), -1, dtype=np.int64)
        for k in range(len(points)):
            if lottery is None:
                own = None
            else:
                own = Lottery(lottery.share, lottery.draws[k : k + 1])
            found[k] = self.best(points[k : k + 1], radius, 1, 0.0, closed, walk, sign, own)
            if found[k, 0] >= 0:
                self.close(found[k], spacing, closed)
        return found
