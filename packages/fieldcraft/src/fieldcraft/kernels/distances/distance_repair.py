"""Repairs of finished maps of distances.

`repair` clears the cells with a distance that no step gives exactly any more, and then searches
again from the border of the cleared cells. `sample` estimates how many cells that would be.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.distance_search import note, spread
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
    Changes,
    RepairScratch,
    SearchSeeds,
)
from fieldcraft.kernels.shared.heap import pop, push
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
    "RepairScratch",
    "SearchSeeds",
    "repair",
    "sample",
]

_SUMS = "SearchSeeds(i8[::1], f8[::1])"
_COUNTS = "SearchSeeds(i8[::1], i8[::1])"
_SUM_SCRATCH = "RepairScratch(out i1[::1], out i8[::1], out f8[::1], out i4[::1])"
_COUNT_SCRATCH = "RepairScratch(out i1[::1], out i8[::1], out i8[::1], out i4[::1])"

_CLEARED, _STACKED, _GOAL = np.int8(1), np.int8(2), np.int8(4)
_LOST, _VALID = np.int8(8), np.int8(16)
_CLEAR = 4


@kernel(forceinline=True)
def _push(cell, size, marks, stack):
    """Put a cell on the stack unless it is there; return the size of the stack."""
    mark = marks[cell]
    stack[size], marks[cell] = cell, mark | _STACKED
    return size + 1 - (mark >> 1 & 1)


@kernel(forceinline=True)
def _count_beside(arcs, grid, around, cell):
    """Return the numbers k for `_beside`: the first, and the one after the last."""
    if arcs is not None:
        return listed_steps(arcs, grid, cell)
    if around is not None:
        return np.int64(0), np.int64(around.shape[0])
    return np.int64(0), np.int64(0)


@kernel(forceinline=True)
def _beside(arcs, grid, around, cell, k):
    """Return a cell with steps that another cell may affect, -1 off the map."""
    if arcs is not None:
        return origin_of(arcs, grid, cell, k)
    if grid is not None:
        width = grid.width
        height = grid.height
        wrap = grid.wrap
        x = cell % width + around[k, 0]
        y = cell // width + around[k, 1]
        if wrap:
            return y % height * width + x % width
        if 0 <= x < width and 0 <= y < height:
            return y * width + x
    return np.int64(-1)


@kernel
def _near(arcs, grid, walls, before, around, changed, far, dist, changes, stack):
    """Push changed cells, and the cells with steps that these may affect, onto the stack. Return
    its size.

    Cells that were walls get the distance `far`, and new walls less than any distance.
    """
    marks = changes.marks
    size = np.int64(0)
    for i in range(changed.shape[0]):
        cell = changed[i]
        if before[cell]:
            dist[cell] = far
        if not walls[cell]:
            size = _push(cell, size, marks, stack)
        else:
            if dist[cell] != far:
                note(cell, dist[cell], changes)
            dist[cell] = -far
    for i in range(changed.shape[0]):
        cell = changed[i]
        first, last = _count_beside(arcs, grid, around, cell)
        for k in range(first, last):
            other = _beside(arcs, grid, around, cell, k)
            if other >= 0 and not walls[other]:
                size = _push(other, size, marks, stack)
    return size


@kernel
def _clear(arcs, grid, sizes, cost, walls, far, size, dist, changes, stack):
    """Clear each cell of the stack with a distance that no step gives exactly, and push the cells
    that had their distance from it.
    """
    marks = changes.marks
    work = changes.counts
    while size > 0 and work[0] <= work[1]:
        size -= 1
        cell = np.int64(stack[size])
        marks[cell] &= ~_STACKED
        distance = dist[cell]
        is_valid = distance == far or marks[cell] & _GOAL != 0
        step, last = steps_from(arcs, grid, cell)
        while step < last and not is_valid:
            other, at = end_of(arcs, grid, cell, step)
            if other >= 0 and 0 <= dist[other] < far:
                is_valid = beyond(dist[other], cell, other, sizes[at], cost) == distance
            step += 1
        if is_valid:
            continue
        note(cell, distance, changes)
        dist[cell] = far
        first, last = listed_steps(arcs, grid, cell)
        for step in range(first, last):
            other = origin_of(arcs, grid, cell, step)
            if (
                other >= 0
                and dist[other] == beyond(distance, other, cell, sizes[step], cost)
                and not walls[other]
                and marks[other] & _STACKED == 0
            ):
                marks[other] |= _STACKED
                stack[size] = other
                size += 1


@kernel(
    f"none, {LINKED_STEPS_1}, f8[::1], f8[::1], b1[::1], b1[::1], i8[:,::1], i8[::1], {_SUMS},"
    f" f8, f8, f8, out f8[::1], {_SUM_SCRATCH}, {BUCKET_QUEUE}, out i8[::1]",
    f"none, {LINKED_STEPS_1}, i8[::1], none, b1[::1], b1[::1], i8[:,::1], i8[::1], {_COUNTS},"
    f" i8, f8, i8, out i8[::1], {_COUNT_SCRATCH}, {BUCKET_QUEUE}, out i8[::1]",
    f"none, {LINKED_STEPS_8}, f8[::1], f8[::1], b1[::1], b1[::1], i8[:,::1], i8[::1], {_SUMS},"
    f" f8, f8, f8, out f8[::1], {_SUM_SCRATCH}, {BUCKET_QUEUE}, out i8[::1]",
    f"{ARCS}, none, f8[::1], f8[::1], b1[::1], b1[::1], none, i8[::1], {_SUMS}, f8, f8, f8,"
    f" out f8[::1], {_SUM_SCRATCH}, {BUCKET_QUEUE}, out i8[::1]",
)
def repair(
    arcs,
    grid,
    sizes,
    cost,
    walls,
    before,
    around,
    changed,
    goals,
    far,
    inverse,
    limit,
    dist,
    scratch,
    queue,
    work,
):
    """Update a finished map after changes of the walls, steps or costs of the cells `changed`.
    Return the cells with a new distance, and the old one of each.

    `work` = [0, most]: the first becomes the number of cells that were cleared or got a shorter
    distance. With more than `most` the repair is abandoned: marks and queue stay as they are then,
    and these cells and their old distances are returned.

    Steps, costs and `walls` are the new ones, `before` are the old walls. `around` are the offsets
    (columns, rows) from a changed cell to the cells of a grid with steps that it may affect.

    More than 12 arguments: the map before and after a change, and arrays that are kept between
    repairs.
    """
    marks = scratch.marks
    touched = scratch.cells
    olds = scratch.olds
    stack = scratch.stack
    changes = Changes(marks, touched, olds, work)
    goal_cells = goals.cells
    starts = goals.costs
    for i in range(goal_cells.shape[0]):
        if dist[goal_cells[i]] == starts[i]:
            marks[goal_cells[i]] |= _GOAL
    size = _near(arcs, grid, walls, before, around, changed, far, dist, changes, stack)
    near = stack[:size].astype(np.int64)
    _clear(arcs, grid, sizes, cost, walls, far, size, dist, changes, stack)
    # Seeds: what the rest gives to cleared cells, and what new steps give to all others nearby.
    cleared, size = work[0], np.int64(0)
    if cleared > work[1]:
        return touched[:cleared].copy(), olds[:cleared].copy()
    keys = np.empty(cleared + near.shape[0] + goal_cells.shape[0], dist.dtype)
    cells = np.empty(keys.shape[0], np.int64)
    for i in range(keys.shape[0]):
        if i < cleared:
            cell, best = touched[i], far
        elif i < cleared + near.shape[0]:
            cell, best = near[i - cleared], far
        else:
            number = i - cleared - near.shape[0]
            cell, best = goal_cells[number], starts[number]
        first, last = steps_from(arcs, grid, cell)
        for step in range(first, last):
            other, at = end_of(arcs, grid, cell, step)
            if other >= 0 and 0 <= dist[other] < far:
                best = min(best, beyond(dist[other], cell, other, sizes[at], cost))
        if best < dist[cell] and not walls[cell]:
            size = push(keys, cells, size, best, cell, False)
    seeds = np.empty(size, np.int64)
    firsts = np.empty(size, dist.dtype)
    for i in range(seeds.shape[0]):
        seeds[i], firsts[i] = cells[0], keys[0]
        size = pop(keys, cells, size, False)
    state = np.zeros(3, np.int64)
    everywhere = np.empty(0, np.int64)
    spread(
        arcs,
        grid,
        sizes,
        cost,
        SearchSeeds(seeds, firsts),
        everywhere,
        far,
        inverse,
        limit,
        dist,
        state,
        queue,
        changes,
    )
    if work[0] > work[1]:
        return touched[: work[0]].copy(), olds[: work[0]].copy()
    marks[goal_cells] = 0
    count = 0
    for i in range(work[0]):
        cell = touched[i]
        marks[cell] = 0
        if dist[cell] != olds[i]:
            touched[count], olds[count] = cell, olds[i]
            count += 1
    return touched[:count].copy(), olds[:count].copy()


@kernel(
    f"none, {LINKED_STEPS_1}, f8[::1], f8[::1], b1[::1], {_SUMS}, f8[::1], i8[::1], f8, i8, f8,"
    f" {_SUM_SCRATCH}",
    f"none, {LINKED_STEPS_1}, i8[::1], none, b1[::1], {_COUNTS}, i8[::1], i8[::1], i8, i8, f8,"
    f" {_COUNT_SCRATCH}",
    f"none, {LINKED_STEPS_8}, f8[::1], f8[::1], b1[::1], {_SUMS}, f8[::1], i8[::1], f8, i8, f8,"
    f" {_SUM_SCRATCH}",
    f"{ARCS}, none, f8[::1], f8[::1], b1[::1], {_SUMS}, f8[::1], i8[::1], f8, i8, f8,"
    f" {_SUM_SCRATCH}",
)
def sample(arcs, grid, sizes, cost, walls, goals, dist, cells, far, most, enough, scratch):
    """Return of how many of some reached cells `repair` would keep the distances, and of how many
    it would clear them.

    A distance is valid if steps that give exactly the old distances still lead from its cell to a
    goal. At most `most` cells are visited: the cell that was looked at then and those after it are
    ignored. So are all others once it would clear `_CLEAR` cells, and a larger share than `enough`
    of those that were looked at. The arguments are those of `repair`, before it has changed `dist`.
    """
    marks = scratch.marks
    next_steps = scratch.cells
    stack = scratch.stack
    goal_cells = goals.cells
    starts = goals.costs
    visited = np.empty(most, np.int64)
    seen = 0
    for i in range(goal_cells.shape[0]):
        if dist[goal_cells[i]] == starts[i]:
            marks[goal_cells[i]] = _VALID
    valid = 0
    lost = 0
    for i in range(cells.shape[0]):
        cell = cells[i]
        if walls[cell] or not 0 <= dist[cell] < far:
            continue
        if seen == most or (lost >= _CLEAR and lost > enough * (valid + lost)):
            break
        size = 0
        is_cut_short = False
        if marks[cell] == 0:
            stack[0] = cell
            next_steps[0] = steps_from(arcs, grid, cell)[0]
            marks[cell] = _LOST
            visited[seen] = cell
            seen += 1
            size = 1
        # Depth first, so that another step is tried where the last one has ended at a change.
        while size > 0:
            here = np.int64(stack[size - 1])
            step = next_steps[size - 1]
            last = steps_from(arcs, grid, here)[1]
            following = np.int64(-1)
            has_path = False
            while step < last and following < 0 and not has_path:
                other, at = end_of(arcs, grid, here, step)
                if (
                    other >= 0
                    and 0 <= dist[other] < far
                    and not walls[other]
                    and beyond(dist[other], here, other, sizes[at], cost) == dist[here]
                ):
                    has_path = marks[other] == _VALID
                    if marks[other] == 0:
                        following = other
                step += 1
            next_steps[size - 1] = step
            if has_path:
                for j in range(size):
                    marks[stack[j]] = _VALID
                size = 0
            elif following < 0:
                size -= 1
            elif seen == most:
                size = 0
                is_cut_short = True
            else:
                stack[size] = following
                next_steps[size] = steps_from(arcs, grid, following)[0]
                marks[following] = _LOST
                visited[seen] = following
                seen += 1
                size += 1
        if marks[cell] == _VALID:
            valid += 1
        elif not is_cut_short:
            lost += 1
    marks[goal_cells] = 0
    for i in range(seen):
        marks[visited[i]] = 0
    return valid, lost
