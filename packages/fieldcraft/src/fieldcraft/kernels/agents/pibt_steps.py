"""Joint steps of agents, one per cell: priority inheritance with backtracking (PIBT).

Random numbers are those of the generator "minimal standard" of Park and Miller, in 64 bits.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.agents.joint_plans import (
    GOAL_DISTANCES,
    OCCUPANTS,
    PIBT_SCRATCH,
    STEP_COSTS,
    GoalDistances,
    Occupants,
    PIBTScratch,
    StepCosts,
)
from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.guides import looked_up

__all__ = [
    "NOBODY",
    "GoalDistances",
    "Occupants",
    "PIBTScratch",
    "StepCosts",
    "distance_of",
    "next_random",
    "other_diagonal",
    "read_distances",
    "step",
]

NOBODY = np.int64(-1)
_FACTOR = np.int64(48271)
_PRIME = np.int64(2147483647)
_OCCUPIED = np.int64(1) << np.int64(32)
_LAST = np.float32(1 << 20)  # more than distances between cells mostly are


@kernel(forceinline=True)
def next_random(state):
    """Return the next state of the generator, which is also the random number: 1 to 2**31 - 2."""
    return np.int64((state * _FACTOR) % _PRIME)


@kernel(forceinline=True)
def distance_of(distances, row, cell):
    """Return the distance from a cell to the goal of a row."""
    left, spans, table = distances
    if spans.shape[0] == 0:
        return left[row, cell]
    return looked_up(cell, spans[row, 0], spans[row, 1], table)


@kernel(f"{GOAL_DISTANCES}, i8[::1], i8[::1], out f4[::1]")
def read_distances(distances, rows, cells, out):
    """Write the distances from cells to the goals of rows; 0 for agents without a row."""
    for i in range(rows.shape[0]):
        out[i] = 0.0
        if rows[i] >= 0:
            out[i] = distance_of(distances, rows[i], cells[i])


@kernel(forceinline=True)
def other_diagonal(here, there, width):
    """Return the ends of the other diagonal of the rectangle with these corners on a grid with rows
    of `width` cells; NOBODY twice if the step between them is straight, and with `width` 0.
    """
    if width == 0:
        return NOBODY, NOBODY
    row = here // width
    column = here - row * width
    next_row = there // width
    next_column = there - next_row * width
    if row == next_row or column == next_column:
        return NOBODY, NOBODY
    return row * width + next_column, next_row * width + column


@kernel
def _crosses(agents_at, next_cells, here, there, width):
    """Return whether an agent takes the other diagonal at the same time."""
    one, other = other_diagonal(here, there, width)
    if one < 0:
        return False
    agent = np.int64(agents_at[one])
    if agent >= 0 and next_cells[agent] == other:
        return True
    agent = np.int64(agents_at[other])
    return agent >= 0 and next_cells[agent] == one


@kernel
def _ends_blind(starts, ends, distances, leader, cell, there):
    """Return whether a step leads into a corridor without another way out, in which every cell is
    nearer to the goal of the row `leader` than the one before.
    """
    before = np.int64(cell)
    at = np.int64(there)
    while distance_of(distances, leader, at) < distance_of(distances, leader, before):
        exits = 0
        onward = at
        for arc in range(starts[at], starts[at + 1]):
            if np.int64(ends[arc]) != before:
                exits += 1
                onward = np.int64(ends[arc])
        if exits != 1:
            return exits == 0
        before, at = at, onward
    return False


@kernel
def _rank_options(
    starts, ends, distances, rows, cells, i, base, state, agents_at, options, near, ties, leader
):
    """Write the cells that an agent may enter, the best first. Return the end of the list and the
    state of the generator.

    `leader` is the row of the agent for which this one makes room, negative for none. A cell on the
    way of that one comes last, unless this agent comes nearer to its own goal there; if it leads
    into a dead end, it is no option.
    """
    cell = cells[i]
    row = rows[i]
    count = base
    away_now = np.float32(0)
    leader_away = np.float32(0)
    if leader >= 0:
        leader_away = distance_of(distances, leader, cell)
        if row >= 0:
            away_now = distance_of(distances, row, cell)
    for arc in range(starts[cell] - 1, starts[cell + 1]):
        there = cell
        if arc >= starts[cell]:
            there = np.int64(ends[arc])
        if row >= 0:
            away = distance_of(distances, row, there)
        else:
            away = np.float32(0 if there == cell else 1)
        state = next_random(state)
        tie = state
        if leader >= 0 and away >= away_now and distance_of(distances, leader, there) < leader_away:
            if _ends_blind(starts, ends, distances, leader, cell, there):
                continue
            away += _LAST
        if agents_at[there] >= 0 and there != cell:
            tie += _OCCUPIED
        k = count
        while k > base and (near[k - 1] > away or (near[k - 1] == away and ties[k - 1] > tie)):
            options[k], near[k], ties[k] = options[k - 1], near[k - 1], ties[k - 1]
            k -= 1
        options[k], near[k], ties[k] = there, away, tie
        count += 1
    return count, state


@kernel
def _takes_turns(ground, distances, rows, cells, leader, other):
    """Return whether `leader`, which cannot get past `other`, steps aside and lets it out.

    It does if it would come nearer to its goal in the cell of the other, and the other can step
    back, and comes nearer to its own goal there or has none.
    """
    here = np.int64(cells[leader])
    there = np.int64(cells[other])
    row = rows[leader]
    if row < 0:
        return False
    if distance_of(distances, row, there) >= distance_of(distances, row, here):
        return False
    back = False
    for arc in range(ground.starts[there], ground.starts[there + 1]):
        if np.int64(ground.ends[arc]) == here:
            back = True
    if not back:
        return False
    row = rows[other]
    if row < 0:
        return True
    return distance_of(distances, row, here) < distance_of(distances, row, there)


@kernel(
    f"{STEP_COSTS}, {GOAL_DISTANCES}, i8[::1], i8[::1], i8[::1], b1[::1], i8, out i8[::1],"
    f" {OCCUPANTS}, {PIBT_SCRATCH}"
)
def step(ground, distances, rows, cells, order, pinned, seed, next_cells, at_cells, scratch):
    """Write the next cell of each agent to `next_cells` (n,).

    Agent i is in `cells[i]` and takes the step with the shortest distance of `rows[i]`
    (`distance_of`); without a row it stays unless it is pushed. Agents choose in this `order`;
    `pinned` agents stay. `at_cells` is restored.

    An agent that cannot make room, as it stands in a dead end, is let out: the one that pushed it
    steps aside, and it takes that one's cell.
    """
    starts = ground.starts
    ends = ground.ends
    width = ground.width
    agents_at = at_cells.now
    claimed = at_cells.after
    stack = scratch.stack
    nexts = scratch.nexts
    lasts = scratch.lasts
    options = scratch.options
    near = scratch.near
    ties = scratch.ties
    state = np.int64(seed)
    for agent in range(cells.shape[0]):
        agents_at[cells[agent]] = agent
        next_cells[agent] = NOBODY
        if pinned[agent]:
            next_cells[agent] = cells[agent]
            claimed[cells[agent]] = agent
    for turn in range(order.shape[0]):
        root = order[turn]
        if next_cells[root] >= 0:
            continue
        stack[0] = root
        nexts[0] = 0
        lasts[0], state = _rank_options(
            starts,
            ends,
            distances,
            rows,
            cells,
            root,
            0,
            state,
            agents_at,
            options,
            near,
            ties,
            NOBODY,
        )
        let_out = NOBODY
        depth = 1
        while depth > 0:
            i = np.int64(stack[depth - 1])
            pushed = NOBODY
            done = False
            while nexts[depth - 1] < lasts[depth - 1]:
                there = np.int64(options[nexts[depth - 1]])
                nexts[depth - 1] += 1
                if claimed[there] >= 0:
                    continue
                if depth == 1 and let_out >= 0 and there == cells[i]:
                    continue
                j = np.int64(agents_at[there])
                if j >= 0 and j != i and next_cells[j] == cells[i]:
                    continue
                if _crosses(agents_at, next_cells, np.int64(cells[i]), there, width):
                    continue
                next_cells[i] = there
                claimed[there] = i
                done = True
                if j >= 0 and j != i and next_cells[j] < 0:
                    pushed = j
                break
            if pushed >= 0:
                stack[depth] = pushed
                nexts[depth] = lasts[depth - 1]
                lasts[depth], state = _rank_options(
                    starts,
                    ends,
                    distances,
                    rows,
                    cells,
                    pushed,
                    lasts[depth - 1],
                    state,
                    agents_at,
                    options,
                    near,
                    ties,
                    rows[root],
                )
                depth += 1
            elif done:
                depth = 0
            else:
                next_cells[i] = cells[i]
                claimed[cells[i]] = i
                depth -= 1
                if (
                    depth == 1
                    and let_out < 0
                    and _takes_turns(ground, distances, rows, cells, root, i)
                ):
                    let_out = i
        if let_out >= 0:
            there = np.int64(cells[root])
            here = np.int64(cells[let_out])
            if claimed[there] < 0 and not _crosses(agents_at, next_cells, here, there, width):
                claimed[here] = NOBODY
                claimed[there] = let_out
                next_cells[let_out] = there
    for agent in range(cells.shape[0]):
        agents_at[cells[agent]] = -1
        claimed[next_cells[agent]] = -1
