"""The state of a flood, and its changes when walls or views change."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.space import Space
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.values.operand import Operand

NEVER = -1
LAST_STEP = 2**31 - 1


class Flood(Operand):
    """The arrays of a flood that begins in the cell `start`: the state of each cell, the step in
    which it was ignited, lists of ignited cells and of the barrier, and marks in these lists.

    `blocked` are cells that it cannot enter beside walls, `behind` those of the barrier.
    """

    def __init__(
        self,
        space: Space,
        start: int,
        blocked: NDArray[np.bool_],
        behind: NDArray[np.bool_],
        cooling: float,
    ) -> None:
        self.space = space
        self._start = start
        self._blocked = blocked
        self._behind = behind
        self._lasts = steps_warm(cooling)
        self._adjacency: Adjacency = space.adjacency
        self._walls_version = space.walls_version
        self._impassable: NDArray[np.bool_] = space.walls.reshape(-1) | blocked
        self._state: NDArray[np.uint8] = np.where(
            self._impassable,
            np.uint8(kernels.pursuit.flood_steps.BLOCKED),
            np.uint8(kernels.pursuit.flood_steps.UNTOUCHED),
        )
        self._behind[start] = False
        self._ignited = np.full(len(space), NEVER, dtype=np.int32)
        self._lit, self._barrier_cells = (np.zeros(len(space), dtype=np.int32) for _ in range(2))
        # The flood and the barrier begin in the same cell, which is not part of the barrier.
        self._lit[0] = self._barrier_cells[0] = start
        self._marks = np.array([0, 1, 0, 1, 0], dtype=np.int64)
        self.restarts = self._changes = 0
        self.stopped: str | None = None

    @property
    def steps(self) -> int:
        """The number of steps of the flood."""
        return int(self._marks[kernels.pursuit.flood_steps.STEPS])

    def _run(
        self,
        state: NDArray[np.uint8],
        ignited: NDArray[np.int32],
        lit: NDArray[np.int32],
        barrier_cells: NDArray[np.int32],
        marks: NDArray[np.int64],
        count: int,
        most_hot: int,
    ) -> int:
        # A flood makes and ignites at most as many steps and cells as there are cells.
        count = min(count, len(lit) + 1)
        most_hot = min(most_hot, len(lit))
        return int(
            kernels.pursuit.flood_steps.run(
                self._adjacency.starts,
                self._adjacency.ends,
                self._behind,
                count,
                most_hot,
                self._lasts,
                state,
                ignited,
                lit,
                barrier_cells,
                marks,
            )
        )

    def _forget(self, cleared: NDArray[np.bool_]) -> None:
        """Make some hot cells untouched."""
        if cleared.any():
            self._strike(self._lit, kernels.pursuit.flood_steps.FRONT, cleared)
            self._state[cleared] = kernels.pursuit.flood_steps.UNTOUCHED
            self._ignited[cleared] = NEVER
            self._changes += 1

    def _strike(self, listed: NDArray[np.int32], mark: int, cells: NDArray[np.bool_]) -> None:
        """Remove cells from `lit` or `barrier_cells`, whose last front begins at the entry `mark`
        of `marks` and ends at the next.
        """
        first, end = self._marks[mark : mark + 2].tolist()
        remaining = ~cells[listed[:end]]
        left = listed[:end][remaining]
        listed[: len(left)] = left
        self._marks[mark], self._marks[mark + 1] = np.count_nonzero(remaining[:first]), len(left)

    def _follow_walls(self) -> None:
        """Remove heat and barrier from new walls; opened cells become untouched."""
        if self._walls_version == self.space.walls_version:
            return
        self._impassable = self._impassable_now()
        self._walls_version = self.space.walls_version
        self._adjacency = self.space.adjacency
        self._take_walls()
        self._changes += 1

    def _impassable_now(self) -> NDArray[np.bool_]:
        """Return the cells where the target cannot be now, for answers before the flood follows
        new walls.
        """
        if self._walls_version == self.space.walls_version:
            return self._impassable
        return self.space.walls.reshape(-1) | self._blocked

    def _take_walls(self) -> None:
        self.stopped = None  # it may go on along other paths
        self._forget(self._impassable & (self._state == kernels.pursuit.flood_steps.HEAT))
        self._strike(self._barrier_cells, kernels.pursuit.flood_steps.TAIL, self._impassable)
        self._state[self._state == kernels.pursuit.flood_steps.BLOCKED] = (
            kernels.pursuit.flood_steps.UNTOUCHED
        )
        self._state[self._impassable] = kernels.pursuit.flood_steps.BLOCKED

    def _origin(self) -> int:
        """Return the cell of the last sighting, or the nearest possible one if it is blocked."""
        impassable = self._impassable_now()
        free = np.flatnonzero(~impassable)
        if not impassable[self._start] or not len(free):
            return self._start
        away = self.space.offsets_from(self.space.position_of(self._start))[free]
        return int(free[(away**2).sum(axis=1).argmin()])

    def _begin_anew(self, seen: NDArray[np.bool_]) -> bool:
        """Begin a new flood after one that is cold everywhere; return the result of `observe`."""
        if not self.restarts:
            has_barrier = bool(
                self._marks[kernels.pursuit.flood_steps.TAIL + 1]
            )  # else it was dropped
            state, barrier_cells, marks, late = self._flooded(seen, barrier=has_barrier)
            if late and self._ignite(state, barrier_cells, marks, seen):
                return True
        state, barrier_cells, marks, _ = self._flooded(seen, barrier=False)
        self.restarts += self._ignite(state, barrier_cells, marks, seen)
        return False

    def _flooded(
        self, seen: NDArray[np.bool_], *, barrier: bool
    ) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64], bool]:
        """Return the state, `barrier_cells` and marks of a new flood after as many steps as this
        one, and whether it took more steps to come out of view.
        """
        state = np.where(
            self._state == kernels.pursuit.flood_steps.BLOCKED,
            np.uint8(kernels.pursuit.flood_steps.BLOCKED),
            np.uint8(kernels.pursuit.flood_steps.UNTOUCHED),
        )
        ignited = np.empty_like(self._ignited)
        lit = np.zeros_like(self._lit)
        marks = np.array([0, 1, 0, int(barrier), 0], dtype=np.int64)
        barrier_cells = np.zeros_like(self._barrier_cells)
        lit[0] = barrier_cells[0] = origin = self._origin()
        if state[origin] == kernels.pursuit.flood_steps.UNTOUCHED:
            state[origin] = kernels.pursuit.flood_steps.HEAT
        if self.steps:
            end = self._run(state, ignited, lit, barrier_cells, marks, self.steps, len(lit))
        else:
            end = kernels.pursuit.flood_steps.RUNS
        late = False
        while (
            end == kernels.pursuit.flood_steps.RUNS
            and seen[lit[: marks[kernels.pursuit.flood_steps.FRONT + 1]]].all()
        ):
            late = True
            end = self._run(state, ignited, lit, barrier_cells, marks, 1, len(lit))
        if marks[kernels.pursuit.flood_steps.TAIL] and origin != self._start:
            # There is no barrier at the origin. Only `_start` may stay listed without one: that
            # cell is never behind, and is not listed again.
            barrier_cells[:-1] = barrier_cells[1:]
            marks[kernels.pursuit.flood_steps.TAIL : kernels.pursuit.flood_steps.TAIL + 2] -= 1
        return state, barrier_cells, marks, late

    def _drop_barrier(self) -> bool:
        """Drop the barrier of a front that has no other cells left to enter, and return whether
        there are any behind the barrier: the flood goes on from the cells beside it.
        """
        front, end = self._marks[
            kernels.pursuit.flood_steps.FRONT : kernels.pursuit.flood_steps.FRONT + 2
        ].tolist()
        steps = self._adjacency
        barrier = self._state == kernels.pursuit.flood_steps.BARRIER
        leaves = (self._state == kernels.pursuit.flood_steps.HEAT)[steps.origins] & barrier[
            steps.ends
        ]
        if front == end or not leaves.any():
            return False
        listed = self._lit[:end]
        beside = np.zeros(len(barrier), dtype=np.bool_)
        beside[steps.origins[leaves]] = True
        again = listed[beside[listed]]
        self._lit[:end] = np.concatenate([listed[~beside[listed]], again])
        self._ignited[again] = self.steps
        self._state[barrier] = kernels.pursuit.flood_steps.UNTOUCHED
        self._marks[:] = end - len(again), end, 0, 0, self.steps
        return True

    def _ignite(
        self,
        state: NDArray[np.uint8],
        barrier_cells: NDArray[np.int32],
        marks: NDArray[np.int64],
        seen: NDArray[np.bool_],
    ) -> bool:
        """Continue with a state whose warm cells out of view are hot; return if there are any."""
        hot = np.flatnonzero((state == kernels.pursuit.flood_steps.HEAT) & ~seen)
        if not len(hot):
            return False
        state[(state == kernels.pursuit.flood_steps.HEAT) & seen] = (
            kernels.pursuit.flood_steps.UNTOUCHED
        )
        self._state = state
        self._barrier_cells = barrier_cells
        self._ignited[:] = NEVER
        self._ignited[hot] = self.steps
        self._lit[: len(hot)] = hot
        self._marks[:] = (
            0,
            len(hot),
            marks[kernels.pursuit.flood_steps.TAIL],
            marks[kernels.pursuit.flood_steps.TAIL + 1],
            self.steps,
        )
        self.stopped = None
        self._changes += 1
        return True


def heat_of(cooling: float, age: NDArray[np.integer]) -> NDArray[np.float32]:
    """Return the heat of cells that were ignited `age` steps ago."""
    heat = np.maximum(1 - cooling * age, 0.0).astype(np.float32)
    heat[heat < kernels.pursuit.flood_steps.COLD] = 0
    return np.asarray(heat)


@functools.lru_cache(maxsize=64)
def steps_warm(cooling: float) -> int:
    """Return the number of steps in which a cell is warm, from the one that ignites it."""
    about = min(int(1 / cooling), LAST_STEP - 2)
    ages = np.arange(max(about - 1, 0), about + 3)
    return int(ages[0]) + int(np.count_nonzero(heat_of(cooling, ages)))


def mask_of(space: Space, cells: ArrayLike | None) -> NDArray[np.bool_]:
    """Return cells, ids or bool in the space's shape, as a flat mask."""
    mask = np.zeros(len(space), dtype=np.bool_)
    if cells is not None:
        mask[space.cell_ids(cells)] = True
    return mask
