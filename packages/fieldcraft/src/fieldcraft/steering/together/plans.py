"""Plans of agents that step together, for the next steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.interruption import poll_interrupt
from fieldcraft.kernels.agents.joint_plans import (
    ImproveScratch,
    Occupants,
    PIBTScratch,
    Planners,
    StepCosts,
)
from fieldcraft.kernels.agents.look_ahead import GROUP, MOST_WAITING

Ints = NDArray[np.int64]
Cells = NDArray[np.int32]
_ROUNDS = 32  # One call of a kernel makes so many, and Ctrl-C is noticed in between.
_ALONE = 1024  # In one call so many agents plan alone.
_NO_AGENTS = np.empty(0, dtype=np.int64)


class Plans:
    """Plans of all agents for the next `times` steps, without collisions.

    Each call makes the first step of the plans and appends a step by PIBT. Agents with a new goal
    plan their paths among all others, and then the plans are improved `effort` times. Plans start
    again if agents are not where their plans have them, or if agents or walls have changed.
    """

    def __init__(self, times: int, effort: int) -> None:
        self.times = times
        self.effort = effort
        self._plan = np.empty((0, times + 1), dtype=np.int32)
        self._improved_for = (0, 0)
        self._scratch_for = (np.empty(0, dtype=np.int64), -1)

    def step(
        self,
        ground: StepCosts,
        agents: Planners,
        cells: Ints,
        order: Ints,
        seed: int,
        same: bool,
        redirected: Ints,
    ) -> Ints:
        """Return the cells of all agents after the next step; see `kernels.agents.pibt_steps.step`.

        With `same` agents and walls are unchanged since the last step. The agents `redirected` have
        a new goal since then.
        """
        pinned = agents.pinned
        next_cells = np.empty(len(cells), dtype=np.int64)
        led = (ground, agents.distances)
        rest = (pinned, seed, next_cells, *self._step_scratch(ground.starts, len(cells)))
        if not self.times:
            kernels.agents.pibt_steps.step(*led, agents.rows, cells, order, *rest)
            return next_cells
        plan = self._plan.copy()  # Ctrl-C leaves the last plans as they are
        continues = same and np.array_equal(plan[:, 1], cells)
        if continues and not (plan[pinned] != cells[pinned, np.newaxis]).any():
            plan[:, :-1] = plan[:, 1:]
            planned = self.times - 1
            first = redirected
        else:
            plan = np.empty((len(cells), self.times + 1), dtype=np.int32)
            plan[:, 0] = cells
            planned = 0
            first = _NO_AGENTS
        for t in range(planned, self.times):
            # Who has arrived by then has no goal any more, and goes last.
            arrived = _arrived(plan[:, : t + 1], agents.goals)
            rows = np.where(arrived, -1, agents.rows)
            turns = order[np.argsort(arrived[order], kind="stable")]
            kernels.agents.pibt_steps.step(*led, rows, plan[:, t].astype(np.int64), turns, *rest)
            plan[:, t + 1] = next_cells
        if len(cells):
            self._improve(plan, ground, agents, first, seed)
        self._plan = plan
        return plan[:, 1].astype(np.int64)

    def _step_scratch(self, starts: Ints, count: int) -> tuple[Occupants, PIBTScratch]:
        """Return scratch for a step by PIBT, that of the last step if it fits."""
        if self._scratch_for[0] is not starts or self._scratch_for[1] != count:
            size = len(starts) - 1
            many = count * (int(np.diff(starts).max(initial=0)) + 1)
            self._scratch_for = (starts, count)
            self._at_cells = Occupants(
                now=np.full(size, -1, dtype=np.int32),
                after=np.full(size, -1, dtype=np.int32),
            )
            self._step_arrays = PIBTScratch(
                stack=np.empty(count + 1, dtype=np.int32),
                nexts=np.empty(count + 1, dtype=np.int64),
                lasts=np.empty(count + 1, dtype=np.int64),
                options=np.empty(many, dtype=np.int32),
                near=np.empty(many, dtype=np.float32),
                ties=np.empty(many, dtype=np.int64),
            )
        return self._at_cells, self._step_arrays

    def _improve(
        self, plan: Cells, ground: StepCosts, agents: Planners, first: Ints, seed: int
    ) -> None:
        size = len(ground.starts) - 1
        times = self.times + 1
        count = len(agents.rows)
        bits = self.times.bit_length()
        if self._improved_for != (size, count):
            self._improved_for = (size, count)
            waiting = min(10 * times * size, MOST_WAITING)
            self._occupied = np.full(size << bits, -1, dtype=np.int32)
            self._scratch = ImproveScratch(
                seen=np.zeros((2 * size << bits) + 1, dtype=np.int16),
                keys=np.empty(waiting),
                nodes=np.empty(waiting, dtype=np.int64),
                plan_costs=np.empty(count),
                new_costs=np.empty(GROUP),
                saved_plans=np.empty((GROUP, times), dtype=np.int32),
                inside=np.zeros(count, dtype=np.bool_),
            )
        for begin in range(0, len(first), _ALONE):
            poll_interrupt()
            some = first[begin : begin + _ALONE]
            seed = kernels.agents.look_ahead.improve(
                ground, agents, some, 0, seed, bits, plan, self._occupied, self._scratch
            )
        for done in range(0, self.effort, _ROUNDS):
            poll_interrupt()
            rounds = min(_ROUNDS, self.effort - done)
            seed = kernels.agents.look_ahead.improve(
                ground, agents, _NO_AGENTS, rounds, seed, bits, plan, self._occupied, self._scratch
            )


def _arrived(plan: Cells, goals: Ints) -> NDArray[np.bool_]:
    """Return who comes to its goal in a plan. An agent that begins there is not on its way."""
    elsewhere: NDArray[np.bool_] = plan[:, 0] != goals
    visited: NDArray[np.bool_] = (plan == goals[:, np.newaxis]).any(axis=1)
    return elsewhere & visited
