"""The searches of one call for shortest paths, on whatever space."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels import pool
from fieldcraft.paths.path import Path
from fieldcraft.space import Space

__all__ = ["PathProblem"]

Ints = NDArray[np.int64]
Wide = NDArray[np.float64]

_PER_CHUNK = 16  # problems that a thread takes at a time


class PathProblem(ABC):
    """The space, walls and costs of one call; `walls` include cells of infinite cost."""

    space: Space
    walls: NDArray[np.bool_]

    @abstractmethod
    def solve(self, start: Wide, here: int, goal: Wide, there: int) -> Path:
        """Return the path between two positions in two cells."""

    @abstractmethod
    def solve_band(self, starts: Wide, here: Ints, goals: Wide, there: Ints) -> list[Path]:
        """Return the paths between pairs of positions, in one thread."""

    def solve_many(self, starts: Wide, here: Ints, goals: Wide, there: Ints) -> list[Path]:
        """Return the paths between pairs of positions, shared among threads."""
        bands = [slice(i, i + _PER_CHUNK) for i in range(0, len(here), _PER_CHUNK)]
        paths: list[list[Path]] = [[]] * len(bands)
        numbers = itertools.count()  # taking a number is atomic

        def work() -> None:
            while (number := next(numbers)) < len(bands):
                band = bands[number]
                paths[number] = self.solve_band(starts[band], here[band], goals[band], there[band])

        pool.run([(work, ())] * pool.shares(len(bands)))
        return [path for found in paths for path in found]
