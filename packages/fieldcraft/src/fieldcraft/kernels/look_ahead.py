"""Plans of many agents for the next steps, improved by large-neighborhood search.

Time and cell make one number: `time * cells + cell`, and twice that (plus 1 once the goal has been
reached) is a state of the search for one agent's way.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.heap import sift_down, sift_up
from fieldcraft.kernels.pibt import distance_of, drawn

__all__ = ["GROUP", "MOST_WAITING", "improve"]

_REST = 0.01  # of the way back to a goal that has been reached counts
_DEEPER = 1e-4  # of two ways that seem as short the search follows the one that is further on
_LARGEST = 2147483647.0
GROUP = 8
"""How many agents find their ways anew at a time."""
MOST_WAITING = 1 << 17
"""How many states the search for one way may put aside; it gives up where they do not suffice."""


@kernel(inline="always")
def _left(distances, row, cell):
    return np.float64(distance_of(distances, row, cell))


@kernel
def _cost(starts, ends, costs, distances, row, goal, plan, i):
    """Return what a plan costs: its steps up to the goal, or to its end and from there the rest."""
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
            return total + _REST * _left(distances, row, plan[i, last])
        if here == there:
            total += 1.0
        else:
            for arc in range(starts[here], starts[here + 1]):
                if ends[arc] == there:
                    total += np.float64(costs[arc])
    if plan[i, last] == goal:
        return total
    return total + _left(distances, row, plan[i, last])


@kernel
def _search(
    starts,
    ends,
    costs,
    distances,
    row,
    goal,
    taken,
    plan,
    i,
    limit,
    state,
    turn,
    closed,
    came,
    keys,
    nodes,
):
    """Write the cheapest way of an agent among all others into its plan, if it costs at most
    `limit`. Returns whether there is one, and the state of the generator.
    """
    last = plan.shape[1] - 1
    cells = starts.shape[0] - 1
    start = np.int64(plan[i, 0])
    states = np.int64(2 * (last + 1)) * cells
    reached = np.int64(1) if row >= 0 and start == goal else np.int64(0)
    keys[0] = 0.0
    if row >= 0:
        keys[0] = _REST * _left(distances, row, start) if reached else _left(distances, row, start)
    nodes[0] = 2 * start + reached
    size = np.int64(1)
    while size > 0:
        key = keys[0]
        packed = nodes[0]
        size -= 1
        if size > 0:
            keys[0], nodes[0] = keys[size], nodes[size]
            sift_down(keys, nodes, size)
        node = packed % states
        if closed[node] == turn:
            continue
        closed[node] = turn
        came[node] = packed // states
        done = node & 1
        place = node >> 1
        t = place // cells
        here = place - t * cells
        if t == last:
            while t > 0:
                plan[i, t] = (node >> 1) % cells
                node = np.int64(came[node])
                t -= 1
            return True, state
        before = 0.0
        if row >= 0:
            before = _REST * _left(distances, row, here) if done else _left(distances, row, here)
        for arc in range(starts[here] - 1, starts[here + 1]):
            there = here
            if arc >= starts[here]:
                there = np.int64(ends[arc])
            if taken[t + 1, there] >= 0:
                continue
            other = taken[t, there]
            if other >= 0 and taken[t + 1, here] == other:
                continue
            if row < 0:
                more = 0.0 if there == here else 1.0
                follow = np.int64(0)
            elif done:
                more = _REST * _left(distances, row, there) - before
                follow = np.int64(1)
            else:
                more = 1.0 if there == here else np.float64(costs[arc])
                follow = np.int64(1) if there == goal else np.int64(0)
                more += (0.0 if follow else _left(distances, row, there)) - before
            following = 2 * ((t + 1) * cells + there) + follow
            if closed[following] == turn:
                continue
            state = drawn(state)
            total = key + more - _DEEPER * (0.5 + state / _LARGEST)
            if total > limit or size >= keys.shape[0]:
                continue
            keys[size] = total
            nodes[size] = following + states * node
            size += 1
            sift_up(keys, nodes, size - 1)
    return False, state


@kernel
def _gather(starts, ends, distances, rows, taken, plan, seed, state, group, inside):
    """Choose agents that are in each other's way, the first of them `seed`. Returns how many, and
    the state of the generator.
    """
    last = plan.shape[1] - 1
    group[0] = seed
    inside[seed] = True
    count = np.int64(1)
    most = group.shape[0]
    for _walk in range(4 * most):
        if count >= most:
            break
        state = drawn(state)
        i = np.int64(group[state % count])
        row = rows[i]
        state = drawn(state)
        t = state % last
        here = np.int64(plan[i, t])
        while t < last and count < most:
            best = here
            near = np.float64(1e30)
            for arc in range(starts[here] - 1, starts[here + 1]):
                there = here
                if arc >= starts[here]:
                    there = np.int64(ends[arc])
                state = drawn(state)
                away = state / _LARGEST
                if row >= 0:
                    away += _left(distances, row, there)
                if away < near:
                    best, near = there, away
            other = np.int64(taken[t + 1, best])
            swapped = np.int64(taken[t, best])
            if other < 0 and swapped >= 0 and taken[t + 1, here] == swapped:
                other = swapped
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
    "(i8[::1], i4[::1], f4[::1]), ((f4[:,::1], i8[:,::1], i4[::1], f4[::1]), i8[::1], i8[::1],"
    " b1[::1]), i8, i8, out i4[:,::1], out i4[:,::1], (out i8[::1], out i4[::1],"
    " out f8[::1], out i8[::1], out f8[::1], out i4[:,::1], out b1[::1])"
)
def improve(ground, agents, rounds, seed, plan, taken, scratch):
    """Improve plans (n, times) for some `rounds`: take a few agents out, and let one after the
    other find the best way among all others. The new plans stay if their costs sum up to no more.

    `ground` are (starts, ends, costs) of steps; `agents` are (distances, rows, goals, pinned) as
    for `pibt.step`, with the cells of goals or -1. `taken` (times, cells) is all -1 and left so.
    Returns how many rounds reduced the costs.
    """
    starts, ends, costs = ground
    distances, rows, goals, pinned = agents
    closed, came, keys, nodes, spent, kept, inside = scratch
    count = plan.shape[0]
    last = plan.shape[1] - 1
    group = np.empty(GROUP, np.int64)
    state = np.int64(seed)
    better = 0
    for i in range(count):
        spent[i] = _cost(starts, ends, costs, distances, rows[i], goals[i], plan, i)
        for t in range(last + 1):
            taken[t, plan[i, t]] = i
    for _turn in range(rounds):
        chosen = np.int64(-1)
        delay = -1.0
        for _attempt in range(4):
            state = drawn(state)
            i = state % count
            if rows[i] < 0:
                continue
            wait = spent[i] - _left(distances, rows[i], plan[i, 0])
            if wait > delay:
                chosen, delay = i, wait
        if chosen < 0 or delay < 1e-3 or pinned[chosen]:
            continue
        size, state = _gather(
            starts, ends, distances, rows, taken, plan, chosen, state, group, inside
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
            state = drawn(state)
            j = state % (m + 1)
            group[m], group[j] = group[j], i
            m += 1
        for k in range(size):
            i = group[k]
            old += spent[i]
            if rows[i] >= 0 and plan[i, 0] != goals[i]:
                bound += _left(distances, rows[i], plan[i, 0])
            for t in range(last + 1):
                kept[k, t] = plan[i, t]
                taken[t, plan[i, t]] = -1
        new = 0.0
        found = True
        planned = np.int64(0)
        while planned < size:
            i = group[planned]
            if rows[i] >= 0 and plan[i, 0] != goals[i]:
                bound -= _left(distances, rows[i], plan[i, 0])
            closed[-1] += 1
            found, state = _search(
                starts,
                ends,
                costs,
                distances,
                rows[i],
                goals[i],
                taken,
                plan,
                i,
                old - new - bound + 1e-3,
                state,
                closed[-1],
                closed,
                came,
                keys,
                nodes,
            )
            if not found:
                break
            for t in range(last + 1):
                taken[t, plan[i, t]] = i
            new += _cost(starts, ends, costs, distances, rows[i], goals[i], plan, i)
            planned += 1
        if found and new <= old + 1e-6:
            if new < old - 1e-6:
                better += 1
            for k in range(size):
                i = group[k]
                spent[i] = _cost(starts, ends, costs, distances, rows[i], goals[i], plan, i)
        else:
            for k in range(planned):
                for t in range(last + 1):
                    taken[t, plan[group[k], t]] = -1
            for k in range(size):
                for t in range(last + 1):
                    plan[group[k], t] = kept[k, t]
                    taken[t, kept[k, t]] = group[k]
    for i in range(count):
        for t in range(last + 1):
            taken[t, plan[i, t]] = -1
    return better
