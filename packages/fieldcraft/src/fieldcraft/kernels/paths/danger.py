"""Cheapest paths through danger that changes with time.

A state is a cell at a time step: `time step * cells + cell`. The states of the last time step
represent all later ones, since the danger is constant from then on.

The search is A* over states. Its bound is the cheapest path over cells alone, where each cell has
the least danger of the time steps at which a useful path can be there: not before it can get there,
and not so late that the whole path would cost more than the best known one. That bound is searched
backwards, no farther than needed.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.heap import TWICE, longer, pop, push

__all__ = ["BLOCK", "search"]

_DEEPER = 1e-10  # of two paths that seem as cheap the search follows the one that is further on
_SLACK = 1e-9
BLOCK = 4  # time steps that share one least danger


@kernel
def _norm(places, norm, straight, diagonal, one, other):
    """Return `straight` per world unit of the straight distance of two cells; with `norm` 1, of the
    longer side, and `diagonal` of the shorter one; with `norm` 2, of both sides.
    """
    most, least, square = 0.0, 0.0, 0.0
    for axis in range(places.shape[1]):
        away = abs(places[one, axis] - places[other, axis])
        square += away * away
        if away > most:
            most, least = away, most
        else:
            least = away
    if norm == 1:
        return straight * most + diagonal * least
    if norm == 2:
        return straight * (most + least)
    return straight * np.sqrt(square)


@kernel
def _price(cost, one, other):
    if cost.shape[0] == 1:
        return cost[0]
    return 0.5 * (cost[one] + cost[other])


@kernel
def _length(ground, here, there):
    """Return the length of the shortest step between two cells; infinite if there is none."""
    starts, ends, lengths = ground[0]
    shortest = np.inf
    for arc in range(starts[here], starts[here + 1]):
        if ends[arc] == there and lengths[arc] < shortest:
            shortest = lengths[arc]
    return shortest


@kernel
def _lasts(length, pace):
    """Return the number of time steps that a step of this length takes."""
    if length < 1.5 * pace:
        return np.int64(1)
    return np.int64(length / pace + 0.5)


@kernel
def _least(places, danger, lowest, pace, norms, limit, start, goal, cell):
    """Return the least danger of a cell at the time steps at which a useful path can be there;
    infinite if there are none.
    """
    norm, straight, diagonal, quick, quicker, rate, thrift = norms
    last = np.int64(danger.shape[0] - 1)
    first = min(np.int64(_norm(places, norm, quick, quicker, start, cell) + 1e-6), last)
    ahead = rate * _norm(places, norm, straight, diagonal, cell, goal)
    latest = (limit - ahead) / (pace * rate * thrift)
    end = last
    if latest < last:
        end = np.int64(latest)
    if first > end or ahead > limit:
        return np.inf
    low, k = np.float32(np.inf), first
    while k <= end:
        if k % BLOCK == 0 and (k + BLOCK <= end + 1 or end == last):
            low = min(low, lowest[cell, k // BLOCK])
            k += BLOCK
        else:
            low = min(low, danger[k, cell])
            k += 1
    return np.float64(low)


@kernel
def _settle(task, limit, until, bounds, heap, sizes):
    """Search backwards from the goal until a cell has its bound, or to the end. Return the heap,
    which may have grown, and its sizes.

    `task` are the arguments of `search`: (ground, cost, danger, lowest, pace, half, norms, start,
    goal).
    """
    ground, cost, danger, lowest, pace, half, norms, start, goal = task
    back_starts, back_ends, back_lengths = ground[1]
    places = ground[2]
    norm, straight, diagonal, _, _, rate, _ = norms
    rest, lows, closed = bounds
    keys, cells, touched = heap
    size, met = sizes
    if met == 0:
        rest[goal] = 0.0
        lows[goal] = _least(places, danger, lowest, pace, norms, limit, start, goal, goal)
        keys[0], cells[0], touched[0] = 0.0, goal, goal
        size, met = np.int64(1), np.int64(1)
    while closed[until] == 0 and size > 0:
        v = cells[0]
        size = pop(keys, cells, size, False)
        if closed[v] != 0:
            continue
        closed[v] = 1
        before, low = rest[v], lows[v]
        for arc in range(back_starts[v], back_starts[v + 1]):
            n = np.int64(back_ends[arc])
            if closed[n] != 0:
                continue
            length = back_lengths[arc]
            s = before + length * _price(cost, n, v)
            last_part = np.float64(_lasts(length, pace)) * half
            s += last_part * low
            ahead = rate * _norm(places, norm, straight, diagonal, n, start)
            if s >= rest[n] or s + ahead > limit:
                continue
            if rest[n] == np.inf:
                touched[met] = n
                met += 1
                lows[n] = _least(places, danger, lowest, pace, norms, limit, start, goal, n)
                rest[n] = 1.7e308
            s += last_part * lows[n]
            if s < rest[n]:
                rest[n] = s
                if size == keys.shape[0]:
                    keys, cells = longer(keys, TWICE), longer(cells, TWICE)
                size = push(keys, cells, size, s * (1.0 - _DEEPER) + ahead, n, False)
    return (keys, cells, touched), (size, met)


@kernel
def _forget(bounds, touched, met):
    rest, _, closed = bounds
    for i in range(met):
        rest[touched[i]] = np.inf
        closed[touched[i]] = 0


@kernel
def _walked(ground, cost, danger, pace, half, cells):
    """Return the cost of walking over these cells without waiting."""
    last = np.int64(danger.shape[0] - 1)
    k, spent = np.int64(0), 0.0
    for i in range(cells.shape[0] - 1):
        here, there = cells[i], cells[i + 1]
        length = _length(ground, here, there)
        lasting = _lasts(length, pace)
        then = min(k + lasting, last)
        met = np.float64(danger[k, here]) + np.float64(danger[then, there])
        spent += length * _price(cost, here, there) + np.float64(lasting) * half * met
        k = then
    return spent


@kernel(
    "((i8[::1], i4[::1], f8[::1]), (i8[::1], i4[::1], f8[::1]), f8[:,::1]), f8[::1], f4[:,::1],"
    " f4[:,::1], i8[::1], f8, f8, (i8, f8, f8, f8, f8, f8, f8), i8, i8,"
    " (out f8[::1], out f8[::1], out u1[::1]), (out f8[::1], out i4[::1], out i4[::1]),"
    " (out f8[::1], out i8[::1], out i8[::1], out f8[::1], out i8[::1])"
)
def search(
    ground,
    cost,
    danger,
    lowest,
    first_path,
    pace,
    half,
    norms,
    start,
    goal,
    bounds,
    states,
    scratch,
):
    """Return the cells of the cheapest path from a start to a goal, the length and the number of
    time steps of each step, the cost, and the damage; no cells if there is no path.

    `ground` is (the steps that leave each cell, those that lead into it, positions), steps as
    (starts, ends, lengths). `cost` has one number per cell, or one for all. `danger` (time steps,
    cells) is damage a second, `lowest` (cells, blocks) the least of each `BLOCK` time steps.
    `first_path` are the cells of a path that may be good. `pace` is how far an agent walks in a
    time step, `half` half of its seconds. `norms` are (norm, straight, diagonal, quick, quicker,
    rate, thrift): lower bounds of the length of a path and of its time steps, see `_norm`; the
    least cost of a cell; and the least part of `pace` that any step covers in a time step. `bounds`
    are infinite, anything and 0 before and after. `states` holds the cost of each state, where it
    was reached from, and in which search; the last entry of that counts searches. `scratch` are the
    keys and cells of a heap, as many numbers as cells, and the keys and states of another heap;
    heaps that it is too short for grow.
    """
    starts, ends, lengths = ground[0]
    places = ground[2]
    norm, straight, diagonal, _, _, rate, _ = norms
    task = (ground, cost, danger, lowest, pace, half, norms, start, goal)
    rest, _, closed = bounds
    best, came, turns = states
    cells = np.int64(danger.shape[1])
    last = np.int64(danger.shape[0] - 1)
    turns[-1] += 2
    turn = turns[-1]
    heap = scratch[:3]
    keys, nodes = scratch[3:]
    sizes = (np.int64(0), np.int64(0))
    known = _walked(ground, cost, danger, pace, half, first_path) * (1.0 + _SLACK)
    heap, sizes = _settle(task, known, start, bounds, heap, sizes)
    size = np.int64(0)
    if closed[start] != 0 and danger[0, start] < np.inf and rest[start] < 1.0e308:
        keys[0], nodes[0] = rest[start], start
        best[start], came[start], turns[start] = 0.0, -1, turn
        size = np.int64(1)
    found = np.int64(-1)
    while size > 0:
        node = nodes[0]
        size = pop(keys, nodes, size, False)
        if turns[node] == turn + 1:
            continue
        turns[node] = turn + 1
        k = node // cells
        here = node - k * cells
        if here == goal:
            found = node
            break
        spent = best[node]
        now = np.float64(danger[k, here])
        for arc in range(starts[here] - 1, starts[here + 1]):
            if arc < starts[here]:
                if k == last:
                    continue
                there, lasting = here, np.int64(1)
                more = pace * _price(cost, here, here)
            else:
                there, lasting = np.int64(ends[arc]), _lasts(lengths[arc], pace)
                more = lengths[arc] * _price(cost, here, there)
            then = min(k + lasting, last)
            total = spent + more
            total += np.float64(lasting) * half * (now + np.float64(danger[then, there]))
            if not total <= known or total == np.inf:
                continue
            following = then * cells + there
            if turns[following] == turn + 1:
                continue
            if turns[following] == turn and best[following] <= total:
                continue
            if closed[there] == 0:
                ahead = rate * _norm(places, norm, straight, diagonal, there, goal)
                if total + ahead > known or sizes[0] == 0:
                    continue
                heap, sizes = _settle(task, known, there, bounds, heap, sizes)
                if closed[there] == 0:
                    continue
            if not total + rest[there] <= known or rest[there] > 1.0e308:
                continue
            best[following], came[following], turns[following] = total, node, turn
            if size == keys.shape[0]:
                keys, nodes = longer(keys, TWICE), longer(nodes, TWICE)
            key = total * (1.0 - _DEEPER) + rest[there]
            size = push(keys, nodes, size, key, following, False)
    _forget(bounds, heap[2], sizes[1])
    count, node = np.int64(0), found
    while node >= 0:
        count += 1
        node = np.int64(came[node])
    path = np.empty(count, np.int64)
    segment_lengths, lasted = np.zeros(count), np.ones(count, np.int64)
    node, damage, after = found, 0.0, 0.0
    for i in range(count - 1, -1, -1):
        k = node // cells
        path[i] = node - k * cells
        if i + 1 < count and path[i] != path[i + 1]:
            length = _length(ground, path[i], path[i + 1])
            segment_lengths[i], lasted[i] = length, _lasts(length, pace)
        if i + 1 < count:
            damage += np.float64(lasted[i]) * half * (danger[k, path[i]] + after)
        after = np.float64(danger[k, path[i]])
        node = np.int64(came[node])
    spent = np.inf
    if found >= 0:
        spent = best[found]
    return path, segment_lengths[:-1].copy(), lasted[:-1].copy(), spent, damage
