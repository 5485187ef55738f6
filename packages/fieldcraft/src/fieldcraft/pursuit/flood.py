"""The state of a flood after a fugitive, and how it begins anew when walls or views change."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.layer.operand import Operand
from fieldcraft.space import Space
from fieldcraft.space.adjacency import Adjacency

__all__ = ["LAST_STEP", "NEVER", "Flood", "heat_of", "mask_of", "steps_warm"]

NEVER = -1
LAST_STEP = 2**31 - 1


class Flood(Operand):
    """The arrays of a flood: the state of each cell, when it was ignited, lists of hot cells and of
    the barrier, and marks in these lists.
    """

    space: Space
    restarts: int
    stopped: str | None
    _ops: Any
    _ways: Adjacency
    _lasts: int
    _start: int
    _changes: int
    _walls_version: int
    _blocked: NDArray[np.bool_]
    _barred: NDArray[np.bool_]
    _behind: NDArray[np.bool_]
    _state: NDArray[np.uint8]
    _ignited: NDArray[np.int32]
    _lit: NDArray[np.int32]
    _shut: NDArray[np.int32]
    _marks: NDArray[np.int64]

    @property
    def steps(self) -> int:
        """How many steps the flood has made."""
        return int(self._marks[kernels.flood.STEPS])

    def _run(
        self,
        state: NDArray[np.uint8],
        ignited: NDArray[np.int32],
        lit: NDArray[np.int32],
        shut: NDArray[np.int32],
        marks: NDArray[np.int64],
        count: int,
        most_hot: int,
    ) -> int:
        # No flood makes more steps at once than there are cells, nor ignites more.
        count, most_hot = min(count, len(lit) + 1), min(most_hot, len(lit))
        return int(
            kernels.flood.run(
                self._ways.starts,
                self._ways.ends,
                self._behind,
                count,
                most_hot,
                self._lasts,
                state,
                ignited,
                lit,
                shut,
                marks,
            )
        )

    def _forget(self, cleared: NDArray[np.bool_]) -> None:
        """Be as if the flood had never been in some of the cells where it was."""
        if cleared.any():
            self._strike(self._lit, kernels.flood.FRONT, cleared)
            self._state[cleared] = kernels.flood.UNTOUCHED
            self._ignited[cleared] = NEVER
            self._changes += 1

    def _strike(self, listed: NDArray[np.int32], mark: int, cells: NDArray[np.bool_]) -> None:
        """Take cells out of `lit` or `shut`, whose last front begins and ends at this entry of
        `marks`.
        """
        first, end = self._marks[mark : mark + 2].tolist()
        kept = ~cells[listed[:end]]
        left = listed[:end][kept]
        listed[: len(left)] = left
        self._marks[mark], self._marks[mark + 1] = np.count_nonzero(kept[:first]), len(left)

    def _follow_walls(self) -> None:
        """Nothing is warm and no barrier stands where a wall is by now; where one was, and was
        opened, the flood has not been.
        """
        if self._walls_version == self.space.walls_version:
            return
        self._barred = self._barred_now()
        self._walls_version = self.space.walls_version
        self._ways = self.space.adjacency
        self._take_walls()
        self._changes += 1

    def _barred_now(self) -> NDArray[np.bool_]:
        """Where nobody can be, whether or not the flood has heard of it. What is read obeys it and
        changes nothing.
        """
        return (
            self._barred
            if self._walls_version == self.space.walls_version
            else self.space.walls.reshape(-1) | self._blocked
        )

    def _take_walls(self) -> None:
        self.stopped = None  # by other ways it may go on
        self._forget(self._barred & (self._state == kernels.flood.HEAT))
        self._strike(self._shut, kernels.flood.TAIL, self._barred)
        self._state[self._state == kernels.flood.BLOCKED] = kernels.flood.UNTOUCHED
        self._state[self._barred] = kernels.flood.BLOCKED

    def _origin(self) -> int:
        """The cell in which the fugitive was last seen, or the nearest that it can be in where that
        is walled by now.
        """
        barred = self._barred_now()
        free = np.flatnonzero(~barred)
        if not barred[self._start] or not len(free):
            return self._start
        away = self.space.offsets_from(self.space.position_of(self._start))[free]
        return int(free[(away**2).sum(axis=1).argmin()])

    def _begin_anew(self, seen: NDArray[np.bool_]) -> bool:
        """The answer of `observe` to a flood that is cold everywhere: a new one."""
        if not self.restarts:
            state, shut, marks, late = self._flooded(seen, barrier=True)
            if late and self._ignite(state, shut, marks, seen):
                return True
        state, shut, marks, _ = self._flooded(seen, barrier=False)
        self.restarts += self._ignite(state, shut, marks, seen)
        return False

    def _flooded(
        self, seen: NDArray[np.bool_], *, barrier: bool
    ) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64], bool]:
        """The state, `shut` and marks of a new flood that has come as far as this one, or late: a
        little farther, out of view.
        """
        state = np.where(
            self._state == kernels.flood.BLOCKED,
            np.uint8(kernels.flood.BLOCKED),
            np.uint8(kernels.flood.UNTOUCHED),
        )
        ignited, lit, marks = (
            np.empty_like(self._ignited),
            np.zeros_like(self._lit),
            np.array([0, 1, 0, int(barrier), 0], dtype=np.int64),
        )
        shut = np.zeros_like(self._shut)
        lit[0] = shut[0] = origin = self._origin()
        if state[origin] == kernels.flood.UNTOUCHED:
            state[origin] = kernels.flood.HEAT
        end = (
            self._run(state, ignited, lit, shut, marks, self.steps, len(lit))
            if self.steps
            else kernels.flood.RUNS
        )
        late = False
        while end == kernels.flood.RUNS and seen[lit[: marks[kernels.flood.FRONT + 1]]].all():
            late = True
            end = self._run(state, ignited, lit, shut, marks, 1, len(lit))
        if marks[kernels.flood.TAIL] and origin != self._start:
            # No barrier stands where it began. Only `_start` stays listed so: that cell is never
            # behind, and can't be listed again.
            shut[:-1] = shut[1:]
            marks[kernels.flood.TAIL : kernels.flood.TAIL + 2] -= 1
        return state, shut, marks, late

    def _ignite(
        self,
        state: NDArray[np.uint8],
        shut: NDArray[np.int32],
        marks: NDArray[np.int64],
        seen: NDArray[np.bool_],
    ) -> bool:
        """Go on with that state, hot where it is warm out of view; whether it is anywhere."""
        hot = np.flatnonzero((state == kernels.flood.HEAT) & ~seen)
        if not len(hot):
            return False
        state[(state == kernels.flood.HEAT) & seen] = kernels.flood.UNTOUCHED
        self._state, self._shut = state, shut
        self._ignited[:] = NEVER
        self._ignited[hot] = self.steps
        self._lit[: len(hot)] = hot
        self._marks[:] = (
            0,
            len(hot),
            marks[kernels.flood.TAIL],
            marks[kernels.flood.TAIL + 1],
            self.steps,
        )
        self.stopped = None
        self._changes += 1
        return True


def heat_of(cooling: float, age: NDArray[np.integer]) -> NDArray[np.float32]:
    """The heat of cells that were ignited so many steps ago."""
    heat = np.maximum(1 - cooling * age, 0.0).astype(np.float32)
    heat[heat < kernels.flood.COLD] = 0
    return np.asarray(heat)


@functools.lru_cache(maxsize=64)
def steps_warm(cooling: float) -> int:
    """How many steps a cell is warm, that in which it is ignited among them."""
    about = min(int(1 / cooling), LAST_STEP - 2)
    ages = np.arange(max(about - 1, 0), about + 3)
    return int(ages[0]) + int(np.count_nonzero(heat_of(cooling, ages)))


def mask_of(space: Space, cells: ArrayLike | None) -> NDArray[np.bool_]:
    """Return cells, ids or bool in the space's shape, as a flat mask."""
    mask = np.zeros(len(space), dtype=np.bool_)
    if cells is not None:
        mask[space.cell_ids(cells)] = True
    return mask
