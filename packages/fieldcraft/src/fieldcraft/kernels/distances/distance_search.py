"""Distances to the nearest goal over any steps, in whole numbers or float64.

Cells wait in buckets of equal width in distance, more of them than the most expensive step spans. A
bucket that is narrower than the cheapest step is searched in any order: a cell in it cannot shorten
another in it. In a wider bucket cells may be queued again, until no distance decreases.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.distance_steps import (
    beyond,
    end_of,
    listed_steps,
    origin_of,
    steps_from,
)
from fieldcraft.kernels.distances.search_arrays import (
    BUCKET_QUEUE,
    BucketQueue,
    SearchSeeds,
)
from fieldcraft.kernels.shared.heap import TWICE, longer
from fieldcraft.kernels.shared.step_lists import (
    ARCS,
    LINKED_STEPS_1,
    LINKED_STEPS_8,
    Arcs,
    LinkedSteps,
)

__all__ = [
    "Arcs",
    "BucketQueue",
    "LinkedSteps",
    "SearchSeeds",
    "descend",
    "downhill",
    "given",
    "note",
    "search",
    "spread",
]

_IDLE, _FIRST = np.uint32(0), np.uint32(1)
_OTHER = np.int64(2)
"""What `before` holds: 0 for a cell that does not wait, 1 for the first of a bucket, and else the
number of the cell before plus 2.
"""


@kernel(forceinline=True)
def _slot(distance, inverse, bucket, slot, rounds):
    """Return the index of a distance in the ring of buckets; `slot` is that of `bucket`."""
    place = slot + np.int64(distance * inverse) - bucket
    return place if place < rounds else place - rounds


@kernel(forceinline=True)
def _offer(cell, distance, inverse, bucket, slot, dist, queue, changes):
    """Set a shorter distance of a cell and queue it. Return the number of additional waiting
    cells.
    """
    heads, before, following = queue
    rounds = heads.shape[0]
    into = _slot(distance, inverse, bucket, slot, rounds)
    old, ahead, behind = dist[cell], before[cell], following[cell]
    if changes is not None:
        note(cell, old, changes)
    if ahead != _IDLE:
        if ahead == _FIRST:
            heads[_slot(old, inverse, bucket, slot, rounds)] = behind
        else:
            following[np.int64(ahead) - _OTHER] = behind
        if behind >= 0:
            before[behind] = ahead
    head = heads[into]
    if head >= 0:
        before[head] = cell + _OTHER
    dist[cell], before[cell], following[cell], heads[into] = distance, _FIRST, head, cell
    return np.int64(ahead == _IDLE)


@kernel(forceinline=True)
def note(cell, distance, changes):
    """Store the distance of a cell before its first change."""
    marks, touched, olds, counts = changes
    mark = marks[cell]
    count = counts[0]
    touched[count] = cell
    olds[count] = distance
    counts[0] = count + 1 - (mark & 1)
    marks[cell] = mark | 1


@kernel
def spread(arcs, grid, sizes, cost, goals, until, far, inverse, limit, dist, state, queue, changes):
    """Search as `search` does, and store old distances in `changes`, which are `Changes` or None;
    with more of them than it has place for the search is abandoned.
    """
    seeds = goals.cells
    starts = goals.costs
    heads = queue.heads
    before = queue.before
    following = queue.following
    rounds = heads.shape[0]
    bucket, waiting, taken = state[0], state[1], state[2]
    final = 0
    while waiting > 0 or taken < seeds.shape[0]:
        if changes is not None and changes.counts[0] > changes.counts[1]:
            break
        if waiting == 0:
            bucket = max(bucket, np.int64(starts[taken] * inverse))
        slot = bucket % rounds
        while taken < seeds.shape[0] and np.int64(starts[taken] * inverse) <= bucket:
            if starts[taken] < dist[seeds[taken]] and starts[taken] <= limit:
                waiting += _offer(
                    seeds[taken], starts[taken], inverse, bucket, slot, dist, queue, changes
                )
            taken += 1
        if until.shape[0] > 0:
            while (
                final < until.shape[0]
                and dist[until[final]] != far
                and np.int64(dist[until[final]] * inverse) < bucket
            ):
                final += 1
            if final == until.shape[0]:
                break
        while heads[slot] >= 0:
            cell = np.int64(heads[slot])
            heads[slot], before[cell] = following[cell], _IDLE
            if heads[slot] >= 0:
                before[heads[slot]] = _FIRST
            waiting -= 1
            distance = dist[cell]
            first, last = listed_steps(arcs, grid, cell)
            for step in range(first, last):
                other = origin_of(arcs, grid, cell, step)
                if other < 0:
                    continue
                total = beyond(distance, other, cell, sizes[step], cost)
                if total < dist[other] and total <= limit:
                    waiting += _offer(other, total, inverse, bucket, slot, dist, queue, changes)
        bucket += 1
    state[0], state[1], state[2] = bucket, waiting, taken


@kernel(
    f"none, {LINKED_STEPS_1}, f8[::1], f8[::1], SearchSeeds(i8[::1], f8[::1]), i8[::1], f8, f8, f8,"
    f" out f8[::1], out i8[::1], {BUCKET_QUEUE}",
    f"none, {LINKED_STEPS_1}, i8[::1], none, SearchSeeds(i8[::1], i8[::1]), i8[::1], i8, f8, i8,"
    f" out i8[::1], out i8[::1], {BUCKET_QUEUE}",
    f"none, {LINKED_STEPS_8}, f8[::1], f8[::1], SearchSeeds(i8[::1], f8[::1]), i8[::1], f8, f8, f8,"
    f" out f8[::1], out i8[::1], {BUCKET_QUEUE}",
    f"{ARCS}, none, f8[::1], f8[::1], SearchSeeds(i8[::1], f8[::1]), i8[::1], f8, f8, f8,"
    f" out f8[::1], out i8[::1], {BUCKET_QUEUE}",
)
def search(arcs, grid, sizes, cost, seeds, until, far, inverse, limit, dist, state, queue):
    """Search until every cell of `until` is final, or to the end if it is empty.

    See `distance_steps` for `arcs`, `grid`, `sizes` and `cost`. `inverse` is 1 / the width of a
    bucket. `dist` is `far`, or less than any distance in walls that arcs lead into. `state` =
    [bucket, cells waiting, seeds used].
    """
    spread(arcs, grid, sizes, cost, seeds, until, far, inverse, limit, dist, state, queue, None)


@kernel(
    f"none, {LINKED_STEPS_1}, f8[::1], f8[::1], f8[::1], i8[::1], f8, out f8[::1]",
    f"none, {LINKED_STEPS_8}, f8[::1], f8[::1], f8[::1], i8[::1], f8, out f8[::1]",
    f"{ARCS}, none, f8[::1], f8[::1], f8[::1], i8[::1], f8, out f8[::1]",
)
def given(arcs, grid, sizes, cost, dist, cells, far, out):
    """Write the least distance that the steps out of each cell give it, or `far`."""
    for i in range(cells.shape[0]):
        cell, best = cells[i], far
        first, last = steps_from(arcs, grid, cell)
        for step in range(first, last):
            other, size = end_of(arcs, grid, cell, step)
            if other >= 0 and 0 <= dist[other] < far:
                best = min(best, beyond(dist[other], cell, other, sizes[size], cost))
        out[i] = best


@kernel(
    f"none, {LINKED_STEPS_1}, f8[::1], f8[::1], f8[::1], i8[::1], f8, i8, out i8[::1], out i8[::1]",
    f"none, {LINKED_STEPS_1}, i8[::1], none, i8[::1], i8[::1], i8, i8, out i8[::1], out i8[::1]",
    f"none, {LINKED_STEPS_8}, f8[::1], f8[::1], f8[::1], i8[::1], f8, i8, out i8[::1], out i8[::1]",
    f"{ARCS}, none, f8[::1], f8[::1], f8[::1], i8[::1], f8, i8, out i8[::1], out i8[::1]",
)
def downhill(arcs, grid, sizes, cost, dist, cells, far, turn, following, taken):
    """Write the cell after each one on a shortest path, and the step or arc there; -1 at its end.

    It is the first step that gives exactly the distance, from step number `turn` on.
    """
    for i in range(cells.shape[0]):
        cell, after, by = cells[i], np.int64(-1), np.int64(-1)
        first, last = steps_from(arcs, grid, cell)
        step, left = first + turn, last - first
        if not 0 <= dist[cell] < far:
            left = np.int64(0)
        while left > 0:
            if step >= last:
                step = first
            other, size = end_of(arcs, grid, cell, step)
            if (
                other >= 0
                and 0 <= dist[other] < dist[cell]
                and beyond(dist[other], cell, other, sizes[size], cost) == dist[cell]
            ):
                after, by, left = other, size, np.int64(0)
            step += 1
            left -= 1
        following[i], taken[i] = after, by


@kernel(
    f"none, {LINKED_STEPS_1}, f8[::1], f8[::1], f8[::1], f8, i8",
    f"none, {LINKED_STEPS_1}, i8[::1], none, i8[::1], i8, i8",
    f"none, {LINKED_STEPS_8}, f8[::1], f8[::1], f8[::1], f8, i8",
    f"{ARCS}, none, f8[::1], f8[::1], f8[::1], f8, i8",
)
def descend(arcs, grid, sizes, cost, dist, far, cell):
    """Return the cells from one down to a goal, and the steps or arcs taken; on a grid the same
    step again where that is as short.
    """
    path, taken = np.empty(64, np.int64), np.empty(64, np.int64)
    path[0] = cell
    length, turn = 1, np.int64(0)
    while path[length - 1] >= 0:
        if length == path.shape[0]:
            path, taken = longer(path, TWICE), longer(taken, TWICE)
        here, after, by = path[length - 1 : length], path[length:], taken[length - 1 :]
        downhill(arcs, grid, sizes, cost, dist, here, far, turn, after, by)
        if grid is not None:
            turn = by[0]
        length += 1
    return path[: length - 1], taken[: length - 2]
