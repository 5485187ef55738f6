"""Plans of many agents for the next steps, improved by large-neighborhood search.

`occupied` has the agent in each cell at each time, at `cell << bits | time`. Twice that index (plus
1 once the goal has been reached) is a state of the search for one agent's path.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.agents.joint_plans import (
    IMPROVE_SCRATCH,
    PLANNERS,
    STEP_COSTS,
    GoalDistances,
    ImproveScratch,
    Planners,
    StepCosts,
)
from fieldcraft.kernels.agents.pibt_steps import distance_of, next_random, other_diagonal
from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.heap import pop, push, replace_first

__all__ = [
    "GROUP",
    "MOST_WAITING",
    "GoalDistances",
    "ImproveScratch",
    "Planners",
    "StepCosts",
    "improve",
]

_REST = 0.01  # weight of the distance back to a goal that has been reached
_DEEPER = 1e-4  # prefers the longer one of two partial paths with equal estimates
_LARGEST = 2147483647.0
_HALF = np.int64(32)  # bits of the number of a state
_LOWER = (np.int64(1) << _HALF) - np.int64(1)
_MOST_SETTLED = 4096  # states, after which the search for one path gives up
_LAST_TURN = 32767
_LEAST_DELAY = 1e-3  # Plans that cost this much more than the shortest path are improved.
GROUP = 8
"""Number of agents that plan new paths together."""
MOST_WAITING = 1 << 17
"""Size of the queue of the search for one path, which gives up when the queue is full."""


@kernel(forceinline=True)
def _remaining(distances, row, cell):
    """Return the distance from a cell to the goal of a row, as float64."""
    return np.float64(distance_of(distances, row, cell))


@kernel
def _cost(ground, distances, row, goal, plan, i):
    """Return the cost of a plan: its steps up to the goal, or all steps and the distance left."""
    starts = ground.starts
    ends = ground.ends
    costs = ground.costs
    last = plan.shape[1] - 1
    if row < 0:
        total = 0.0
        for t in range(last):
            if plan[i, t] != plan[i, t + 1]:
                total += 1.0
        return total
    total = 0.0
    for t in range(last):
        here, there = np.int64(plan[i, t]), np.int64(plan[i, t + 1])
        if here == goal:
            return total + _REST * _remaining(distances, row, plan[i, last])
        if here == there:
            total += 1.0
        else:
            for arc in range(starts[here], starts[here + 1]):
                if ends[arc] == there:
                    total += np.float64(costs[arc])
    if plan[i, last] == goal:
        return total
    return total + _remaining(distances, row, plan[i, last])


@kernel(forceinline=True)
def _crossing(occupied, bits, here, there, t, width):
    """Return the agent that takes the other diagonal of a step at time t, -1 for none."""
    one, other = other_diagonal(here, there, width)
    if one < 0:
        return np.int64(-1)
    before, after = (one << bits) + t, (other << bits) + t
    agent = np.int64(occupied[before])
    if agent >= 0 and occupied[after + 1] == agent:
        return agent
    agent = np.int64(occupied[after])
    if agent >= 0 and occupied[before + 1] == agent:
        return agent
    return np.int64(-1)


@kernel
def _search(ground, distances, row, goal, occupied, bits, plan, i, limit, state, turn, scratch):
    """Write the cheapest path of an agent among all others to its plan, if it costs at most
    `limit`. Return whether there is one, and the state of the generator.

    `seen` holds for each state the turn of its last settlement, `settled` the states of this turn
    in order, each with the index of its predecessor.
    """
    starts, ends, costs, width = ground
    seen, keys, nodes, settled = scratch
    last = plan.shape[1] - 1
    times = (np.int64(1) << bits) - 1
    start = np.int64(plan[i, 0])
    reached = np.int64(1) if row >= 0 and start == goal else np.int64(0)
    # The best waiting state is stored outside of the heap, as it is mostly the next one.
    key = 0.0
    if row >= 0:
        key = _remaining(distances, row, start)
        if reached:
            key = _REST * key
    packed = (start << (bits + 1)) + reached
    size = np.int64(0)
    has_next = True
    count = np.int64(0)
    while (has_next or size > 0) and count < settled.shape[0]:
        if not has_next:
            key, packed = keys[0], nodes[0]
            size = pop(keys, nodes, size, False)
        elif size > 0 and keys[0] < key:
            first_key, first_node = keys[0], nodes[0]
            replace_first(keys, nodes, size, key, packed, False)
            key, packed = first_key, first_node
        has_next = False
        node = packed & _LOWER
        if seen[node] == turn:
            continue
        seen[node] = turn
        settled[count, 0], settled[count, 1] = node, packed >> _HALF
        done = node & 1
        at = node >> 1
        t = at & times
        here = at >> bits
        if t == last:
            while t > 0:
                plan[i, t] = settled[count, 0] >> (bits + 1)
                count = settled[count, 1]
                t -= 1
            return True, state
        before = 0.0
        if row >= 0:
            before = _remaining(distances, row, here)
            if done:
                before = _REST * before
        least = np.inf
        first = np.int64(0)
        behind = occupied[at + 1]
        for arc in range(starts[here] - 1, starts[here + 1]):
            there = here
            if arc >= starts[here]:
                there = np.int64(ends[arc])
            next_at = (there << bits) + t + 1
            if occupied[next_at] >= 0:
                continue
            if behind >= 0 and occupied[next_at - 1] == behind:
                continue
            if _crossing(occupied, bits, here, there, t, width) >= 0:
                continue
            if row < 0:
                more = 0.0 if there == here else 1.0
                follow = np.int64(0)
            elif done:
                more = _REST * _remaining(distances, row, there) - before
                follow = np.int64(1)
            else:
                more = 1.0 if there == here else np.float64(costs[arc])
                follow = np.int64(1) if there == goal else np.int64(0)
                more += (0.0 if follow else _remaining(distances, row, there)) - before
            following = 2 * next_at + follow
            if seen[following] == turn:
                continue
            state = next_random(state)
            total = key + more - _DEEPER * (0.5 + state / _LARGEST)
            if total > limit:
                continue
            following |= count << _HALF
            if total < least:
                least, total = total, least
                first, following = following, first
            if total == np.inf or size >= keys.shape[0]:
                continue
            size = push(keys, nodes, size, total, following, False)
        if least < np.inf:
            has_next = True
            key, packed = least, first
        count += 1
    return False, state


@kernel
def _mark(occupied, bits, plan, i, agent):
    """Write an agent, or -1, to all cells and times of a plan."""
    for t in range(plan.shape[1]):
        occupied[(np.int64(plan[i, t]) << bits) + t] = agent


@kernel
def _next_turn(seen):
    """Count up the turn, the last entry. After the last turn no state counts as settled."""
    if seen[-1] == _LAST_TURN:
        seen[:] = 0
    seen[-1] += 1


@kernel
def _conflict_group(ground, distances, rows, occupied, bits, plan, seed, state, group, inside):
    """Choose agents that block each other, `seed` first. Return their number and the state
    of the generator.
    """
    starts = ground.starts
    ends = ground.ends
    width = ground.width
    last = plan.shape[1] - 1
    group[0] = seed
    inside[seed] = True
    count = np.int64(1)
    most = group.shape[0]
    for _attempt in range(4 * most):
        if count >= most:
            break
        state = next_random(state)
        i = np.int64(group[state % count])
        row = rows[i]
        state = next_random(state)
        t = state % last
        here = np.int64(plan[i, t])
        while t < last and count < most:
            best = here
            near = np.float64(1e30)
            for arc in range(starts[here] - 1, starts[here + 1]):
                there = here
                if arc >= starts[here]:
                    there = np.int64(ends[arc])
                state = next_random(state)
                away = state / _LARGEST
                if row >= 0:
                    away += _remaining(distances, row, there)
                if away < near:
                    best, near = there, away
            at = (best << bits) + t
            other = np.int64(occupied[at + 1])
            swapped = np.int64(occupied[at])
            if other < 0 and swapped >= 0 and occupied[(here << bits) + t + 1] == swapped:
                other = swapped
            if other < 0:
                other = _crossing(occupied, bits, here, best, t, width)
            if other >= 0 and not inside[other]:
                inside[other] = True
                group[count] = other
                count += 1
            here = best
            t += 1
    for k in range(count):
        inside[group[k]] = False
    return count, state


@kernel(
    f"{STEP_COSTS}, {PLANNERS}, i8[::1], i8, i8, i8, out i4[:,::1], out i4[::1], {IMPROVE_SCRATCH}"
)
def improve(ground, agents, first, rounds, seed, bits, plan, occupied, scratch):
    """Improve plans (n, times): each agent of `first` plans alone among all others, and keeps its
    plan if none costs less. Then in some `rounds` remove a few plans, and search the best path of
    each of these agents among all others. The new plans stay if their total cost is no higher.

    `seed` is the state of the generator. `occupied` (cells << bits,) is all -1 and left so. Return
    the state of the generator, with which further rounds go on.
    """
    distances = agents.distances
    rows = agents.rows
    goals = agents.goals
    pinned = agents.pinned
    seen = scratch.seen
    keys = scratch.keys
    nodes = scratch.nodes
    plan_costs = scratch.plan_costs
    new_costs = scratch.new_costs
    saved_plans = scratch.saved_plans
    inside = scratch.inside
    count = plan.shape[0]
    group = np.empty(GROUP, np.int64)
    settled = np.empty((_MOST_SETTLED, 2), np.int64)
    state = np.int64(seed)
    for i in range(count):
        plan_costs[i] = _cost(ground, distances, rows[i], goals[i], plan, i)
        _mark(occupied, bits, plan, i, i)
    for k in range(first.shape[0]):
        i = first[k]
        if pinned[i] or rows[i] < 0:
            continue
        if plan_costs[i] - _remaining(distances, rows[i], plan[i, 0]) < _LEAST_DELAY:
            continue
        _mark(occupied, bits, plan, i, np.int32(-1))
        _next_turn(seen)
        found, state = _search(
            ground,
            distances,
            rows[i],
            goals[i],
            occupied,
            bits,
            plan,
            i,
            plan_costs[i],
            state,
            seen[-1],
            (seen, keys, nodes, settled),
        )
        plan_costs[i] = _cost(ground, distances, rows[i], goals[i], plan, i)
        _mark(occupied, bits, plan, i, i)
    for _round in range(rounds):
        chosen = np.int64(-1)
        delay = -1.0
        for _attempt in range(4):
            state = next_random(state)
            i = state % count
            if rows[i] < 0:
                continue
            wait = plan_costs[i] - _remaining(distances, rows[i], plan[i, 0])
            if wait > delay:
                chosen, delay = i, wait
        if chosen < 0 or delay < _LEAST_DELAY or pinned[chosen]:
            continue
        size, state = _conflict_group(
            ground, distances, rows, occupied, bits, plan, chosen, state, group, inside
        )
        bound = 0.0
        old = 0.0
        m = np.int64(0)
        while m < size:
            i = group[m]
            if pinned[i]:
                size -= 1
                group[m] = group[size]
                continue
            state = next_random(state)
            j = state % (m + 1)
            group[m], group[j] = group[j], i
            m += 1
        for k in range(size):
            i = group[k]
            old += plan_costs[i]
            if rows[i] >= 0 and plan[i, 0] != goals[i]:
                bound += _remaining(distances, rows[i], plan[i, 0])
            saved_plans[k, :] = plan[i, :]
            _mark(occupied, bits, plan, i, np.int32(-1))
        new = 0.0
        found = True
        planned = np.int64(0)
        while planned < size:
            i = group[planned]
            if rows[i] >= 0 and plan[i, 0] != goals[i]:
                bound -= _remaining(distances, rows[i], plan[i, 0])
            _next_turn(seen)
            found, state = _search(
                ground,
                distances,
                rows[i],
                goals[i],
                occupied,
                bits,
                plan,
                i,
                old - new - bound + 1e-3,
                state,
                seen[-1],
                (seen, keys, nodes, settled),
            )
            if not found:
                break
            _mark(occupied, bits, plan, i, i)
            new_costs[planned] = _cost(ground, distances, rows[i], goals[i], plan, i)
            new += new_costs[planned]
            planned += 1
        if found and new <= old + 1e-6:
            for k in range(size):
                plan_costs[group[k]] = new_costs[k]
        else:
            for k in range(planned):
                _mark(occupied, bits, plan, group[k], np.int32(-1))
            for k in range(size):
                plan[group[k], :] = saved_plans[k, :]
                _mark(occupied, bits, plan, group[k], group[k])
    for i in range(count):
        _mark(occupied, bits, plan, i, np.int32(-1))
    return state
