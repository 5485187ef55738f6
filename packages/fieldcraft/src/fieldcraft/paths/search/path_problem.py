"""The searches of one call for shortest paths."""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths.path import Path, no_path
from fieldcraft.space import Space

_PER_CHUNK = 16  # Threads search so many paths at a time.
_LONG = 2.5e-5  # Other threads pay where a path takes so many seconds.


class PathProblem(ABC):
    """The space, walls and costs of one call; `walls` include cells of infinite cost."""

    space: Space
    walls: NDArray[np.bool_]

    @abstractmethod
    def solve(self, start: Floats, here: int, goal: Floats, there: int) -> Path:
        """Return the path between two positions in two cells."""

    def solve_many(self, starts: Floats, here: Ints, goals: Floats, there: Ints) -> list[Path]:
        """Return the paths between pairs of positions, shared among threads."""
        count = len(here)
        paths = [no_path(self.space)] * count
        chunks = itertools.count(_PER_CHUNK, _PER_CHUNK)

        def solve(first: int) -> None:
            for i in range(first, min(first + _PER_CHUNK, count)):
                paths[i] = self.solve(starts[i], int(here[i]), goals[i], int(there[i]))

        def work() -> None:
            while (first := next(chunks)) < count:
                solve(first)

        began = time.perf_counter()
        solve(0)
        threads = 1
        # Threads that search short paths only wait for each other.
        if time.perf_counter() - began > _LONG * min(count, _PER_CHUNK):
            threads = pool.shares(count // _PER_CHUNK)
        pool.run([(work, ())] * threads)
        return paths
