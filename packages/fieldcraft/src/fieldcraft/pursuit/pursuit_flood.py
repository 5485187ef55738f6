"""A flood from one cell, and its changes when walls or views change."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import Ints
from fieldcraft.space import Space
from fieldcraft.space.adjacency import Adjacency

NEVER = -1
LAST_STEP = 2**31 - 1


class Flood:
    """A flood that begins in the cell `start`.

    `state` and `ignited` (N,) are the state of each cell and the step in which it was ignited,
    `lit` and `barrier_cells` (N,) list ignited cells and the barrier, and `marks` are places in
    these lists, see `kernels.pursuit.flood_steps`. `blocked` are cells that it cannot enter beside
    walls, and `behind` those of the barrier. `stopped` is why it has stopped, None while it runs,
    and `restarts` how often it began again. `changes` grows with every change.
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
        self.start = start
        self.blocked = blocked
        self.behind = behind
        self._lasts = steps_warm(cooling)
        self._adjacency: Adjacency = space.adjacency
        self.walls_version = space.walls_version
        self.impassable: NDArray[np.bool_] = space.walls.reshape(-1) | blocked
        self.state: NDArray[np.uint8] = np.where(
            self.impassable,
            np.uint8(kernels.pursuit.flood_steps.BLOCKED),
            np.uint8(kernels.pursuit.flood_steps.UNTOUCHED),
        )
        self.behind[start] = False
        self.ignited = np.full(len(space), NEVER, dtype=np.int32)
        self.lit = np.zeros(len(space), dtype=np.int32)
        self.barrier_cells = np.zeros(len(space), dtype=np.int32)
        # The flood and the barrier begin in the same cell, which is not part of the barrier.
        self.lit[0] = start
        self.barrier_cells[0] = start
        self.marks = np.array([0, 1, 0, 1, 0], dtype=np.int64)
        self.restarts = 0
        self.changes = 0
        self.stopped: str | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_adjacency"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._adjacency = self.space.adjacency

    @property
    def steps(self) -> int:
        """The number of steps of the flood."""
        return int(self.marks[kernels.pursuit.flood_steps.STEPS])

    def make_steps(self, count: int, most_hot: int) -> int:
        """Make some steps of the front, and return how they ended."""
        return self._run(
            self.state, self.ignited, self.lit, self.barrier_cells, self.marks, count, most_hot
        )

    def front(self) -> Ints:
        """Return the cells of the front that may be hot."""
        first, end = self._front_marks()
        return self.lit[first:end].astype(np.int64)

    def _front_marks(self) -> tuple[int, int]:
        """Return where the front begins and ends in `lit`."""
        mark = kernels.pursuit.flood_steps.FRONT
        return int(self.marks[mark]), int(self.marks[mark + 1])

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
                self.behind,
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

    def forget(self, cleared: NDArray[np.bool_]) -> None:
        """Make some hot cells untouched."""
        if cleared.any():
            self._strike(self.lit, kernels.pursuit.flood_steps.FRONT, cleared)
            self.state[cleared] = kernels.pursuit.flood_steps.UNTOUCHED
            self.ignited[cleared] = NEVER
            self.changes += 1

    def _strike(self, listed: NDArray[np.int32], mark: int, cells: NDArray[np.bool_]) -> None:
        """Remove cells from `lit` or `barrier_cells`, whose last front begins at the entry `mark`
        of `marks` and ends at the next.
        """
        first, end = self.marks[mark : mark + 2].tolist()
        remaining = ~cells[listed[:end]]
        left = listed[:end][remaining]
        listed[: len(left)] = left
        self.marks[mark] = np.count_nonzero(remaining[:first])
        self.marks[mark + 1] = len(left)

    def follow_walls(self) -> None:
        """Remove heat and barrier from new walls; opened cells become untouched."""
        if self.walls_version == self.space.walls_version:
            return
        self.impassable = self.impassable_now()
        self.walls_version = self.space.walls_version
        self._adjacency = self.space.adjacency
        self._take_walls()
        self.changes += 1

    def impassable_now(self) -> NDArray[np.bool_]:
        """Return the cells where the target cannot be now, for answers before the flood follows
        new walls.
        """
        if self.walls_version == self.space.walls_version:
            return self.impassable
        return self.space.walls.reshape(-1) | self.blocked

    def _take_walls(self) -> None:
        self.stopped = None  # it may go on along other paths
        self.forget(self.impassable & (self.state == kernels.pursuit.flood_steps.HEAT))
        self._strike(self.barrier_cells, kernels.pursuit.flood_steps.TAIL, self.impassable)
        opened = self.state == kernels.pursuit.flood_steps.BLOCKED
        self.state[opened] = kernels.pursuit.flood_steps.UNTOUCHED
        self.state[self.impassable] = kernels.pursuit.flood_steps.BLOCKED

    def origin(self) -> int:
        """Return the cell of the last sighting, or the nearest possible one if it is blocked."""
        impassable = self.impassable_now()
        free = np.flatnonzero(~impassable)
        if not impassable[self.start] or not len(free):
            return self.start
        away = self.space.offsets_from(self.space.position_of(self.start))[free]
        return int(free[(away**2).sum(axis=1).argmin()])

    def begin_anew(self, seen: NDArray[np.bool_]) -> bool:
        """Begin a new flood after one that is cold everywhere; return whether the target only came
        out of view.
        """
        if not self.restarts:
            # Without a listed cell the barrier was dropped.
            has_barrier = bool(self.marks[kernels.pursuit.flood_steps.TAIL + 1])
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
            self.state == kernels.pursuit.flood_steps.BLOCKED,
            np.uint8(kernels.pursuit.flood_steps.BLOCKED),
            np.uint8(kernels.pursuit.flood_steps.UNTOUCHED),
        )
        ignited = np.empty_like(self.ignited)
        lit = np.zeros_like(self.lit)
        marks = np.array([0, 1, 0, int(barrier), 0], dtype=np.int64)
        barrier_cells = np.zeros_like(self.barrier_cells)
        origin = self.origin()
        lit[0] = origin
        barrier_cells[0] = origin
        if state[origin] == kernels.pursuit.flood_steps.UNTOUCHED:
            state[origin] = kernels.pursuit.flood_steps.HEAT
        end = kernels.pursuit.flood_steps.RUNS
        if self.steps:
            end = self._run(state, ignited, lit, barrier_cells, marks, self.steps, len(lit))
        late = False
        while (
            end == kernels.pursuit.flood_steps.RUNS
            and seen[lit[: marks[kernels.pursuit.flood_steps.FRONT + 1]]].all()
        ):
            late = True
            end = self._run(state, ignited, lit, barrier_cells, marks, 1, len(lit))
        if marks[kernels.pursuit.flood_steps.TAIL] and origin != self.start:
            # There is no barrier at the origin. Only `_start` may stay listed without one: that
            # cell is never behind, and is not listed again.
            barrier_cells[:-1] = barrier_cells[1:]
            marks[kernels.pursuit.flood_steps.TAIL : kernels.pursuit.flood_steps.TAIL + 2] -= 1
        return state, barrier_cells, marks, late

    def drop_barrier(self) -> bool:
        """Drop the barrier of a front that has no other cells left to enter, and return whether
        there are any behind the barrier: the flood goes on from the cells beside it.
        """
        front, end = self._front_marks()
        barrier = self.state == kernels.pursuit.flood_steps.BARRIER
        if front == end or not barrier.any():
            return False
        steps = self._adjacency
        hot = self.state == kernels.pursuit.flood_steps.HEAT
        leaves = hot[steps.origins] & barrier[steps.ends]
        if not leaves.any():
            return False
        listed = self.lit[:end]
        beside = np.zeros(len(barrier), dtype=np.bool_)
        beside[steps.origins[leaves]] = True
        again = listed[beside[listed]]
        self.lit[:end] = np.concatenate([listed[~beside[listed]], again])
        self.ignited[again] = self.steps
        self.state[barrier] = kernels.pursuit.flood_steps.UNTOUCHED
        self.marks[:] = (end - len(again), end, 0, 0, self.steps)
        return True

    def _ignite(
        self,
        state: NDArray[np.uint8],
        barrier_cells: NDArray[np.int32],
        marks: NDArray[np.int64],
        seen: NDArray[np.bool_],
    ) -> bool:
        """Continue with a state whose warm cells out of view are hot; return if there are any."""
        is_warm = state == kernels.pursuit.flood_steps.HEAT
        hot = np.flatnonzero(is_warm & ~seen)
        if not len(hot):
            return False
        state[is_warm & seen] = kernels.pursuit.flood_steps.UNTOUCHED
        self.state = state
        self.barrier_cells = barrier_cells
        self.ignited[:] = NEVER
        self.ignited[hot] = self.steps
        self.lit[: len(hot)] = hot
        self.marks[:] = (
            0,
            len(hot),
            marks[kernels.pursuit.flood_steps.TAIL],
            marks[kernels.pursuit.flood_steps.TAIL + 1],
            self.steps,
        )
        self.stopped = None
        self.changes += 1
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
