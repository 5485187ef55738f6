"""What agents that step together are going to do in the next steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.look_ahead import GROUP, MOST_WAITING
from fieldcraft.paths.guides import Distances

__all__ = ["Plans"]

Ints = NDArray[np.int64]
Cells = NDArray[np.int32]
Steps = tuple[Ints, Cells, NDArray[np.float32]]
_Places = tuple[Cells, Cells]
_Scratch = tuple[Cells, Ints, Ints, Cells, NDArray[np.float32], Ints]


class Plans:
    """Plans of all agents for the next `times` steps, none of which collide.

    The first step of each plan is made, a step by PIBT is put to its end, and then plans are
    improved `effort` times. They begin anew where agents are not where their plans have them, or
    where others have come.
    """

    def __init__(self, times: int, effort: int) -> None:
        self.times, self.effort = times, effort
        self._plan = np.empty((0, times + 1), dtype=np.int32)
        self._sizes = 0, 0
        self._room_for = np.empty(0, dtype=np.int64), -1

    def step(
        self,
        ground: Steps,
        distances: Distances,
        rows: Ints,
        goals: Ints,
        cells: Ints,
        order: Ints,
        pinned: NDArray[np.bool_],
        seed: int,
        same: bool,
    ) -> Ints:
        """Return the cells of all agents after the next step; see `kernels.pibt.step`.

        `same` says that agents and walls are those of the last step.
        """
        starts, ends, _ = ground
        then = np.empty(len(cells), dtype=np.int64)
        places, scratch = self._room(starts, len(cells))
        if not self.times:
            kernels.pibt.step(
                (starts, ends), distances, rows, cells, order, pinned, seed, then, places, scratch
            )
            return then
        count = len(cells)
        plan = self._plan
        known = same and np.array_equal(plan[:, 1], cells)
        if known and not (plan[pinned] != cells[pinned, np.newaxis]).any():
            plan[:, :-1] = plan[:, 1:]
            first = self.times - 1
        else:
            plan = self._plan = np.empty((count, self.times + 1), dtype=np.int32)
            plan[:, 0] = cells
            first = 0
        for t in range(first, self.times):
            here = plan[:, t].astype(np.int64)
            kernels.pibt.step(
                (starts, ends), distances, rows, here, order, pinned, seed, then, places, scratch
            )
            plan[:, t + 1] = then
        self._improve(ground, distances, rows, goals, pinned, seed)
        return plan[:, 1].astype(np.int64)

    def _room(self, starts: Ints, count: int) -> tuple[_Places, _Scratch]:
        """Return memory for a step of so many agents by PIBT, that of the last one if it fits."""
        if self._room_for[0] is not starts or self._room_for[1] != count:
            size = len(starts) - 1
            many = count * (int(np.diff(starts).max(initial=0)) + 1)
            self._room_for = starts, count
            self._places = np.full(size, -1, dtype=np.int32), np.full(size, -1, dtype=np.int32)
            self._stacks = (
                np.empty(count + 1, dtype=np.int32),
                np.empty(count + 1, dtype=np.int64),
                np.empty(count + 1, dtype=np.int64),
                np.empty(many, dtype=np.int32),
                np.empty(many, dtype=np.float32),
                np.empty(many, dtype=np.int64),
            )
        return self._places, self._stacks

    def _improve(
        self,
        ground: Steps,
        distances: Distances,
        rows: Ints,
        goals: Ints,
        pinned: NDArray[np.bool_],
        seed: int,
    ) -> None:
        size, times, count = len(ground[0]) - 1, self.times + 1, len(rows)
        bits = self.times.bit_length()
        if self._sizes != (size, count):
            self._sizes = size, count
            waiting = min(10 * times * size, MOST_WAITING)
            self._taken = np.full(size << bits, -1, dtype=np.int32)
            self._scratch = (
                np.zeros((2 * size << bits) + 1, dtype=np.int16),
                np.empty(waiting),
                np.empty(waiting, dtype=np.int64),
                np.empty(count),
                np.empty(GROUP),
                np.empty((GROUP, times), dtype=np.int32),
                np.zeros(count, dtype=np.bool_),
            )
        agents = distances, rows, goals, pinned
        kernels.look_ahead.improve(
            ground, agents, self.effort, seed, bits, self._plan, self._taken, self._scratch
        )
