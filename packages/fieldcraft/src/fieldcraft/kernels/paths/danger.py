"""Cheapest paths through danger that changes with time.

A place is a cell, or the start, which has the number after the last cell's: an agent may begin
beside the center of its cell. A state is a place at a time step: `time step * places + place`. The
states of the last time step represent all later ones, since the danger is constant from then on.

Danger changes linearly from one time step to the next, and along a step from the cell that is left
to the cell that is entered. The damage of a step is the integral over its time.

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
def _first_length(first_steps, there):
    """Return the length of the shortest first step to a cell; infinite if there is none."""
    ends, lengths = first_steps
    shortest = np.inf
    for i in range(ends.shape[0]):
        if ends[i] == there and lengths[i] < shortest:
            shortest = lengths[i]
    return shortest


@kernel
def _met(danger, k, here, there, lasting):
    """Return the danger that an agent meets on a step, integrated over its time, in time steps.

    The step begins in the cell `here` at time step k and ends `lasting` time steps later in the
    cell `there`. It is infinite if the danger of one of both cells is infinite at one of these
    times.
    """
    last = np.int64(danger.shape[0] - 1)
    then = min(k + lasting, last)
    if lasting == 1:
        met = np.float64(danger[k, here]) + np.float64(danger[then, there])
        return (2.0 * met + np.float64(danger[k, there]) + np.float64(danger[then, here])) / 6.0
    count = np.float64(lasting)
    inner = 1.0 / (6.0 * count)
    met = (0.5 - inner) * (np.float64(danger[k, here]) + np.float64(danger[then, there]))
    met += inner * (np.float64(danger[k, there]) + np.float64(danger[then, here]))
    j = np.int64(1)
    while j < lasting and k + j < last:
        share = np.float64(j) / count
        met += (1.0 - share) * np.float64(danger[k + j, here])
        met += share * np.float64(danger[k + j, there])
        j += 1
    if j < lasting:
        constant = np.float64(lasting - j)
        entered = constant * np.float64(lasting + j - 1) / (2.0 * count)
        met += (constant - entered) * np.float64(danger[last, here])
        met += entered * np.float64(danger[last, there])
    return met


@kernel
def _least(places, danger, lowest, pace, norms, margin, limit, start, goal, cell):
    """Return the least danger of a cell at the time steps at which it can matter to a useful path;
    infinite if there are none.

    The danger of a cell matters from when an agent leaves the place before it until it reaches the
    place behind it. `margin` is the largest number of time steps that a step takes; twice that for
    an agent that does not begin at the center of its cell, since its first step may take less time
    or more.
    """
    norm, straight, diagonal, quick, quicker, rate, thrift = norms
    last = np.int64(danger.shape[0] - 1)
    arrival = np.int64(_norm(places, norm, quick, quicker, start, cell) + 1e-6)
    first = min(max(arrival - margin, 0), last)
    ahead = rate * _norm(places, norm, straight, diagonal, cell, goal)
    latest = (limit - ahead) / (pace * rate * thrift) + margin
    end = last
    if latest < last:
        end = np.int64(latest)
    if first > end or ahead > limit:
        return np.inf
    first_block = (first + BLOCK - 1) // BLOCK
    end_block = (end + 1) // BLOCK
    if end == last:
        end_block = np.int64(lowest.shape[1])
    low = np.float32(np.inf)
    for k in range(first, min(first_block * BLOCK, end + 1)):
        low = min(low, danger[k, cell])
    for block in range(first_block, end_block):
        low = min(low, lowest[cell, block])
    for k in range(max(end_block, first_block) * BLOCK, end + 1):
        low = min(low, danger[k, cell])
    return np.float64(low)


@kernel
def _settle(task, limit, until, bounds, heap, sizes):
    """Search backwards from the goal until a cell has its bound, or to the end. Return the heap,
    which may have grown, and its sizes.

    `task` is (ground, cost, danger, lowest, pace, half, norms, margin, nearer, start, goal): the
    arguments of `search` and `_least`, half of the seconds of a time step, and by how much a path
    from the start may be shorter than one from the center of its cell.
    """
    ground, cost, danger, lowest, pace, half, norms, margin, nearer, start, goal = task
    back_starts, back_ends, back_lengths = ground[1]
    places = ground[2]
    norm, straight, diagonal, _, _, rate, _ = norms
    rest, lows, closed = bounds
    keys, cells, touched = heap
    size, met = sizes
    if met == 0:
        rest[goal] = 0.0
        lows[goal] = _least(places, danger, lowest, pace, norms, margin, limit, start, goal, goal)
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
            if s >= rest[n]:
                continue
            ahead = _norm(places, norm, straight, diagonal, n, start) - nearer
            ahead = rate * max(ahead, 0.0)
            if s + ahead > limit:
                continue
            if rest[n] == np.inf:
                touched[met] = n
                met += 1
                lows[n] = _least(places, danger, lowest, pace, norms, margin, limit, start, goal, n)
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
def _walked(ground, cost, danger, pace, seconds, first_steps, cells):
    """Return the cost of walking from the start over these cells without waiting; infinite if no
    first step leads to them.
    """
    last = np.int64(danger.shape[0] - 1)
    k = np.int64(0)
    spent = 0.0
    before = cells[0]
    i = np.int64(0)
    if cells.shape[0] > 1 and _first_length(first_steps, cells[1]) < np.inf:
        i += 1
    length = _first_length(first_steps, cells[i])
    if length == np.inf:
        return np.inf
    while True:
        there = cells[i]
        lasting = _lasts(length, pace)
        met = _met(danger, k, before, there, lasting)
        spent += length * _price(cost, before, there) + seconds * met
        k = min(k + lasting, last)
        i += 1
        if i == cells.shape[0]:
            return spent
        before = there
        length = _length(ground, before, cells[i])


@kernel(
    "((i8[::1], i4[::1], f8[::1]), (i8[::1], i4[::1], f8[::1]), f8[:,::1]), f8[::1], f4[:,::1],"
    " f4[:,::1], (i8[::1], f8[::1]), i8[::1], f8, f8, i8, (i8, f8, f8, f8, f8, f8, f8), i8, i8,"
    " (out f8[::1], out f8[::1], out u1[::1]), (out f8[::1], out i4[::1], out i4[::1]),"
    " (out f8[::1], out i8[::1], out i8[::1], out f8[::1], out i8[::1])"
)
def search(
    ground,
    cost,
    danger,
    lowest,
    first_steps,
    first_path,
    pace,
    seconds,
    longest,
    norms,
    start,
    goal,
    bounds,
    states,
    scratch,
):
    """Return the places of the cheapest path from the start to the center of a goal, the length and
    the number of time steps of each step, the cost, and the damage; no places if there is no path.

    `ground` is (the steps that leave each cell, those that lead into it, positions), steps as
    (starts, ends, lengths). `cost` has one number per cell, or one for all. `danger` (time steps,
    cells) is damage a second, `lowest` (cells, blocks) the least of each `BLOCK` time steps. The
    agent is in the cell `start`; `first_steps` are the cells to which it may step first, and the
    lengths of these steps. `first_path` are the cells of a path that may be good. `pace` is how far
    an agent walks in a time step, which takes `seconds`. A step takes at most `longest` time steps.
    `norms` are (norm, straight, diagonal, quick, quicker, rate, thrift): lower bounds of the length
    of a path and of its time steps, see `_norm`; the least cost of a cell; and the least part of
    `pace` that any step between cells covers in a time step. `bounds` are infinite, anything and 0
    before and after. `states` holds the cost of each state, where it was reached from, and in which
    search; the last entry of that counts searches. `scratch` are the keys and cells of a heap, as
    many numbers as cells, and the keys and states of another heap; heaps that it is too short for
    grow.

    More than 12 arrays and numbers: steps out of cells and into them, danger with its bounds, and
    memory for states of cells and time.
    """
    starts, ends, lengths = ground[0]
    first_ends, first_lengths = first_steps
    places = ground[2]
    norm, straight, diagonal, _, _, rate, _ = norms
    half = 0.5 * seconds
    nearer = 0.0
    margin = np.int64(longest)
    for i in range(first_ends.shape[0]):
        there = first_ends[i]
        away = _norm(places, norm, straight, diagonal, start, there)
        nearer = max(nearer, away - first_lengths[i])
        if first_lengths[i] != _length(ground, start, there):
            margin = 2 * longest
    task = (ground, cost, danger, lowest, pace, half, norms, margin, nearer, start, goal)
    rest, lows, closed = bounds
    best, came, turns = states
    cells = np.int64(danger.shape[1])
    stride = cells + 1
    last = np.int64(danger.shape[0] - 1)
    turns[-1] += 2
    turn = turns[-1]
    heap = scratch[:3]
    keys, nodes = scratch[3:]
    sizes = (np.int64(0), np.int64(0))
    known = _walked(ground, cost, danger, pace, seconds, first_steps, first_path) * (1.0 + _SLACK)
    rest_of_start = np.inf
    for i in range(first_ends.shape[0]):
        there = first_ends[i]
        length = first_lengths[i]
        heap, sizes = _settle(task, known, there, bounds, heap, sizes)
        if closed[there] != 0:
            before = length * _price(cost, start, there)
            before += np.float64(_lasts(length, pace)) * half * lows[there]
            rest_of_start = min(rest_of_start, before + rest[there])
    size = np.int64(0)
    if danger[0, start] < np.inf and rest_of_start < 1.0e308:
        keys[0], nodes[0] = rest_of_start, cells
        best[cells], came[cells], turns[cells] = 0.0, -1, turn
        size = np.int64(1)
    found = np.int64(-1)
    while size > 0:
        node = nodes[0]
        size = pop(keys, nodes, size, False)
        if turns[node] == turn + 1:
            continue
        turns[node] = turn + 1
        k = node // stride
        place = node - k * stride
        if place == goal:
            found = node
            break
        spent = best[node]
        here = place
        arc = np.int64(-1)
        end = np.int64(first_ends.shape[0])
        if place == cells:
            here = start
        else:
            arc = np.int64(starts[here] - 1)
            end = np.int64(starts[here + 1])
        wait = arc
        while arc < end:
            waits = arc == wait
            there = np.int64(here)
            following = np.int64(place)
            length = pace
            if not waits and place == cells:
                there = np.int64(first_ends[arc])
                following = there
                length = first_lengths[arc]
            elif not waits:
                there = np.int64(ends[arc])
                following = there
                length = lengths[arc]
            arc += 1
            if waits and k == last:
                continue
            lasting = _lasts(length, pace)
            then = min(k + lasting, last)
            following += then * stride
            if turns[following] == turn + 1:
                continue
            total = spent + length * _price(cost, here, there)
            if total > known:
                continue
            total += seconds * _met(danger, k, here, there, lasting)
            if not total <= known or total == np.inf:
                continue
            if turns[following] == turn and best[following] <= total:
                continue
            ahead = rest_of_start
            if not waits or place != cells:
                if closed[there] == 0:
                    ahead = rate * _norm(places, norm, straight, diagonal, there, goal)
                    if total + ahead > known or sizes[0] == 0:
                        continue
                    heap, sizes = _settle(task, known, there, bounds, heap, sizes)
                    if closed[there] == 0:
                        continue
                ahead = rest[there]
            if not total + ahead <= known or ahead > 1.0e308:
                continue
            best[following], came[following], turns[following] = total, node, turn
            if size == keys.shape[0]:
                keys, nodes = longer(keys, TWICE), longer(nodes, TWICE)
            key = total * (1.0 - _DEEPER) + ahead
            size = push(keys, nodes, size, key, following, False)
    _forget(bounds, heap[2], sizes[1])
    count, node = np.int64(0), found
    while node >= 0:
        count += 1
        node = np.int64(came[node])
    path = np.empty(count, np.int64)
    segment_lengths, lasted = np.zeros(count), np.ones(count, np.int64)
    node, damage = found, 0.0
    for i in range(count - 1, -1, -1):
        k = node // stride
        path[i] = node - k * stride
        if i + 1 < count:
            here, there = path[i], path[i + 1]
            if here == cells and there != cells:
                segment_lengths[i] = _first_length(first_steps, there)
                lasted[i] = _lasts(segment_lengths[i], pace)
            elif here != there:
                segment_lengths[i] = _length(ground, here, there)
                lasted[i] = _lasts(segment_lengths[i], pace)
            if here == cells:
                here = start
            if there == cells:
                there = start
            damage += seconds * _met(danger, k, here, there, lasted[i])
        node = np.int64(came[node])
    spent = np.inf
    if found >= 0:
        spent = best[found]
    return path, segment_lengths[:-1].copy(), lasted[:-1].copy(), spent, damage
