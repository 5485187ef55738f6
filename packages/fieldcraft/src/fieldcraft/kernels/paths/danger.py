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

from typing import NamedTuple

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.paths.danger_records import (
    CELL_BOUNDS,
    DANGER_GROUND,
    DANGER_HEAPS,
    FIRST_STEPS,
    PATH_NORMS,
    STATE_COSTS,
    TIME_STEPS,
    CellBounds,
    DangerGround,
    DangerHeaps,
    FirstSteps,
    PathNorms,
    StateCosts,
    TimeSteps,
)
from fieldcraft.kernels.shared.heap import TWICE, longer, pop, push
from fieldcraft.kernels.shared.step_lists import OutSteps

__all__ = [
    "BLOCK",
    "CellBounds",
    "DangerGround",
    "DangerHeaps",
    "FirstSteps",
    "OutSteps",
    "PathNorms",
    "StateCosts",
    "TimeSteps",
    "search",
]

_DEEPER = 1e-10  # of two paths that seem as cheap the search follows the one that is further on
_SLACK = 1e-9
BLOCK = 4  # time steps that share one least danger
_NO_PATH = 1.0e308
"""Bounds above this belong to cells from which no path is cheap enough."""


class _Task(NamedTuple):
    """The numbers of a search that bounds depend on: `half` of the seconds of a time step, and by
    how much a path from the start may be shorter than one from the center of its cell, `nearer`.

    `margin` is the largest number of time steps that a step takes; twice that for an agent that
    does not begin at the center of its cell, since its first step may take less time or more.
    """

    start: int
    goal: int
    pace: float
    half: float
    margin: np.int64
    nearer: float


@kernel
def _norm(places, norm, straight, diagonal, one, other):
    """Return `straight` per world unit of the straight distance of two cells; with `norm` 1, of the
    longer side, and `diagonal` of the shorter one; with `norm` 2, of both sides.
    """
    most = 0.0
    least = 0.0
    square = 0.0
    for axis in range(places.shape[1]):
        away = abs(places[one, axis] - places[other, axis])
        square += away * away
        if away > most:
            least = most
            most = away
        else:
            least = away
    if norm == 1:
        return straight * most + diagonal * least
    if norm == 2:
        return straight * (most + least)
    return straight * np.sqrt(square)


@kernel
def _price(cost, one, other):
    """Return the cost of a step between two cells per world unit: the mean of both."""
    if cost.shape[0] == 1:
        return cost[0]
    return 0.5 * (cost[one] + cost[other])


@kernel
def _length(leaving, here, there):
    """Return the length of the shortest step between two cells; infinite if there is none."""
    starts, ends, lengths = leaving
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
def _least(places, danger, lowest, norms, task, limit, cell):
    """Return the least danger of a cell at the time steps at which it can matter to a useful path;
    infinite if there are none.

    The danger of a cell matters from when an agent leaves the place before it until it reaches the
    place behind it.
    """
    norm, straight, diagonal, quick, quicker, least, thrift = norms
    last = np.int64(danger.shape[0] - 1)
    arrival = np.int64(_norm(places, norm, quick, quicker, task.start, cell) + 1e-6)
    first = min(max(arrival - task.margin, 0), last)
    ahead = least * _norm(places, norm, straight, diagonal, cell, task.goal)
    latest = (limit - ahead) / (task.pace * least * thrift) + task.margin
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
def _settle(ground, norms, task, limit, until, bounds, heap, sizes):
    """Search backwards from the goal until a cell has its bound, or to the end. Return the heap,
    which may have grown, and its sizes.

    `heap` is (keys, cells, the cells that were reached), and `sizes` are the numbers of keys and of
    cells that were reached.
    """
    _, entering, places, cost, danger, lowest = ground
    starts, origins, lengths = entering
    rest, lows, closed = bounds
    keys, cells, touched = heap
    size, met = sizes
    pace = task.pace
    half = task.half
    if met == 0:
        rest[task.goal] = 0.0
        lows[task.goal] = _least(places, danger, lowest, norms, task, limit, task.goal)
        keys[0] = 0.0
        cells[0] = task.goal
        touched[0] = task.goal
        size = np.int64(1)
        met = np.int64(1)
    while closed[until] == 0 and size > 0:
        here = cells[0]
        size = pop(keys, cells, size, False)
        if closed[here] != 0:
            continue
        closed[here] = 1
        before = rest[here]
        low = lows[here]
        for arc in range(starts[here], starts[here + 1]):
            origin = np.int64(origins[arc])
            if closed[origin] != 0:
                continue
            length = lengths[arc]
            total = before + length * _price(cost, origin, here)
            half_time = np.float64(_lasts(length, pace)) * half
            total += half_time * low
            if total >= rest[origin]:
                continue
            ahead = _norm(places, norms.norm, norms.straight, norms.diagonal, origin, task.start)
            ahead = norms.least * max(ahead - task.nearer, 0.0)
            if total + ahead > limit:
                continue
            if rest[origin] == np.inf:
                touched[met] = origin
                met += 1
                lows[origin] = _least(places, danger, lowest, norms, task, limit, origin)
                rest[origin] = 1.7e308
            total += half_time * lows[origin]
            if total < rest[origin]:
                rest[origin] = total
                if size == keys.shape[0]:
                    keys = longer(keys, TWICE)
                    cells = longer(cells, TWICE)
                size = push(keys, cells, size, total * (1.0 - _DEEPER) + ahead, origin, False)
    return (keys, cells, touched), (size, met)


@kernel
def _forget(bounds, touched, met):
    """Reset the bounds of the cells that a search has touched."""
    rest, _, closed = bounds
    for i in range(met):
        rest[touched[i]] = np.inf
        closed[touched[i]] = 0


@kernel
def _walked(leaving, cost, danger, times, first_steps, cells):
    """Return the cost of walking from the start over these cells without waiting; infinite if no
    first step leads to them.
    """
    pace = times.pace
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
        spent += length * _price(cost, before, there) + times.seconds * met
        k = min(k + lasting, last)
        i += 1
        if i == cells.shape[0]:
            return spent
        before = there
        length = _length(leaving, before, cells[i])


@kernel
def _path_to(ground, times, first_steps, start, found, came):
    """Return the places of the path to a state, the length and the number of time steps of each
    step, and the damage.
    """
    leaving, _, _, _, danger, _ = ground
    cells = np.int64(danger.shape[1])
    stride = cells + 1
    count = np.int64(0)
    state = found
    while state >= 0:
        count += 1
        state = np.int64(came[state])
    path = np.empty(count, np.int64)
    lengths = np.zeros(count)
    lasted = np.ones(count, np.int64)
    damage = 0.0
    state = found
    for i in range(count - 1, -1, -1):
        k = state // stride
        path[i] = state - k * stride
        if i + 1 < count:
            here = path[i]
            there = path[i + 1]
            if here == cells and there != cells:
                lengths[i] = _first_length(first_steps, there)
                lasted[i] = _lasts(lengths[i], times.pace)
            elif here != there:
                lengths[i] = _length(leaving, here, there)
                lasted[i] = _lasts(lengths[i], times.pace)
            if here == cells:
                here = start
            if there == cells:
                there = start
            damage += times.seconds * _met(danger, k, here, there, lasted[i])
        state = np.int64(came[state])
    return path, lengths[:-1].copy(), lasted[:-1].copy(), damage


@kernel(
    f"{DANGER_GROUND}, {FIRST_STEPS}, i8[::1], {PATH_NORMS}, {TIME_STEPS}, i8, i8, {CELL_BOUNDS},"
    f" {STATE_COSTS}, {DANGER_HEAPS}"
)
def search(ground, first_steps, first_path, norms, times, start, goal, bounds, states, scratch):
    """Return the places of the cheapest path from the start to the center of a goal, the length and
    the number of time steps of each step, the cost, and the damage; no places if there is no path.

    The agent is in the cell `start`, and steps first to a cell of `first_steps`. `first_path` are
    the cells of a path that may be good. `bounds`, `states` and `scratch` are reused by later
    searches.
    """
    leaving, _, places, cost, danger, _ = ground
    starts, ends, lengths = leaving
    first_ends, first_lengths = first_steps
    pace, seconds, longest = times
    norm, straight, diagonal, _, _, least, _ = norms
    half = 0.5 * seconds
    nearer = 0.0
    margin = np.int64(longest)
    for i in range(first_ends.shape[0]):
        there = first_ends[i]
        away = _norm(places, norm, straight, diagonal, start, there)
        nearer = max(nearer, away - first_lengths[i])
        if first_lengths[i] != _length(leaving, start, there):
            margin = 2 * longest
    task = _Task(start, goal, pace, half, margin, nearer)
    rest, lows, closed = bounds
    best, came, turns = states
    cells = np.int64(danger.shape[1])
    stride = cells + 1
    last = np.int64(danger.shape[0] - 1)
    # In `turns` a state that was reached has the number of the search, and one more once its cost
    # is final.
    turns[-1] += 2
    turn = turns[-1]
    bound_keys, bound_cells, touched, keys, nodes = scratch
    heap = (bound_keys, bound_cells, touched)
    sizes = (np.int64(0), np.int64(0))
    known = _walked(leaving, cost, danger, times, first_steps, first_path) * (1.0 + _SLACK)
    rest_of_start = np.inf
    for i in range(first_ends.shape[0]):
        there = first_ends[i]
        length = first_lengths[i]
        heap, sizes = _settle(ground, norms, task, known, there, bounds, heap, sizes)
        if closed[there] != 0:
            before = length * _price(cost, start, there)
            before += np.float64(_lasts(length, pace)) * half * lows[there]
            rest_of_start = min(rest_of_start, before + rest[there])
    size = np.int64(0)
    if danger[0, start] < np.inf and rest_of_start < _NO_PATH:
        keys[0] = rest_of_start
        nodes[0] = cells
        best[cells] = 0.0
        came[cells] = -1
        turns[cells] = turn
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
        # The steps of the place: it waits first, then takes each step out of its cell, or each
        # first step from the start.
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
                    ahead = least * _norm(places, norm, straight, diagonal, there, goal)
                    if total + ahead > known or sizes[0] == 0:
                        continue
                    heap, sizes = _settle(ground, norms, task, known, there, bounds, heap, sizes)
                    if closed[there] == 0:
                        continue
                ahead = rest[there]
            if not total + ahead <= known or ahead > _NO_PATH:
                continue
            best[following] = total
            came[following] = node
            turns[following] = turn
            if size == keys.shape[0]:
                keys = longer(keys, TWICE)
                nodes = longer(nodes, TWICE)
            key = total * (1.0 - _DEEPER) + ahead
            size = push(keys, nodes, size, key, following, False)
    _forget(bounds, heap[2], sizes[1])
    path, step_lengths, lasted, damage = _path_to(ground, times, first_steps, start, found, came)
    spent = np.inf
    if found >= 0:
        spent = best[found]
    return path, step_lengths, lasted, spent, damage
