"""Paths of particles and searchers, and the gain of each path of a searcher.

Paths lead to goals by shortest paths. The first K goals are landmarks: `links` (K, N) hold for each
landmark and cell the arc out of the cell that leads there, by its index among them, and `NOWHERE`
at the landmark itself and where no path leads. Paths to other goals descend their distance maps,
`fields` (F, N). The arcs out of cell v are `starts[v]` to `starts[v + 1]`.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.pursuit.rollout_arrays import (
    LANDMARK_PATHS,
    WALKERS,
    LandmarkPaths,
    Walkers,
)
from fieldcraft.kernels.shared.step_lists import OUT_STEPS, OutSteps

__all__ = [
    "NOWHERE",
    "LandmarkPaths",
    "OutSteps",
    "Walkers",
    "descents",
    "extend",
    "gains_of",
    "walk",
]

NOWHERE = np.uint16(65535)
_MOST_STEPS = 64  # steps in one moment, at most
_EQUAL = 1e-4  # of a step: rounding of the sums of two equally long paths


@kernel(forceinline=True)
def _down(starts, ends, lengths, values, v):
    """Return the arc out of a cell that begins the shortest path by a distance map, the first of
    equal ones; `NOWHERE` at the goal.
    """
    if values[v] == 0.0:
        return NOWHERE
    found, least = NOWHERE, np.inf
    for k in range(starts[v], starts[v + 1]):
        total = lengths[k] + values[ends[k]]
        if total < least:
            least = total
            found = np.uint16(k - starts[v])
    return found


@kernel("i8[::1], i4[::1], f8[::1], f4[::1], i8, out u2[:,::1]")
def descents(starts, ends, lengths, values, row, links):
    """Write the arc out of each cell that begins the shortest path by a distance map into a row of
    `links`.
    """
    for v in range(links.shape[1]):
        links[row, v] = _down(starts, ends, lengths, values, v)


@kernel(forceinline=True)
def _drawn(cumulative, chance):
    """Return the index of the first entry above a chance, or the last index."""
    low, high = 0, cumulative.shape[0] - 1
    while low < high:
        middle = (low + high) >> 1
        if chance < cumulative[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@kernel(forceinline=True)
def _onward(adjacency, marks, goal, step, here, credit, last):
    """Return the cell of a target a moment later on the path to a landmark, how far it is past that
    cell, and its last move.

    A step counts as taken when half of it is, so the distance past the cell may be negative. Among
    equally short paths the target goes straight on: `last` is by how much the number of its cell
    changed in the move before, 0 if it never moved.
    """
    starts = adjacency.starts
    ends = adjacency.ends
    lengths = adjacency.lengths
    links = marks.links
    away = marks.away
    credit += step
    for _ in range(_MOST_STEPS):
        link = links[goal, here]
        if link == NOWHERE:
            return here, min(credit, 0.0), last
        k = starts[here] + link
        if last != 0 and ends[k] - here != last:
            for j in range(starts[here], starts[here + 1]):
                if ends[j] - here == last:
                    if lengths[j] + away[goal, ends[j]] <= away[goal, here] + _EQUAL * step:
                        k = j
                    break
        if lengths[k] > 2 * credit:
            break
        credit -= lengths[k]
        last = np.int64(ends[k]) - here
        here = np.int64(ends[k])
    return here, credit, last


@kernel(
    f"{OUT_STEPS}, {LANDMARK_PATHS}, i8[::1], i4[:,::1], f8[:,::1], i8[::1], i8[::1], f8, i8,"
    f" {WALKERS}, out i4[:,::1]"
)
def walk(adjacency, marks, behind, paths, draws, turns, path_rows, step, now, particles, rows):
    """Walk particles for as many moments as `rows` (T, M) has, and write their cells into it.

    A particle goes to its landmark, and draws the next one there. At the moment `turns` it goes to
    one of `behind` instead. A particle with a row in `path_rows` follows that row of `paths` (H,
    L), one cell per moment, before that. `draws` (M, R) are random numbers in [0, 1), used again
    from the first when there are too few.
    """
    links = marks.links
    onwards = marks.onwards
    cells = particles.cells
    goals = particles.goals
    credit = particles.credit
    moves = particles.moves
    last = paths.shape[1] - 1
    for i in range(cells.shape[0]):
        here = cells[i]
        goal = goals[i]
        left = credit[i]
        move = moves[i]
        used = 0
        for t in range(rows.shape[0]):
            moment = now + 1 + t
            if path_rows[i] >= 0 and (moment <= last or goal < 0):
                here = np.int64(paths[path_rows[i], min(moment, last)])
            else:
                if turns[i] == moment:
                    goal = behind[np.int64(draws[i, used % draws.shape[1]] * behind.shape[0])]
                    left = -abs(left)
                    used += 1
                if goal >= 0:
                    if links[goal, here] == NOWHERE:
                        goal = np.int64(_drawn(onwards[goal], draws[i, used % draws.shape[1]]))
                        used += 1
                    here, left, move = _onward(adjacency, marks, goal, step, here, left, move)
            rows[t, i] = here
        cells[i], goals[i], credit[i], moves[i] = here, goal, left, move


@kernel(f"{OUT_STEPS}, u2[:,::1], f4[:,::1], i8[::1], i8[::1], f8, out i4[:,::1]")
def extend(adjacency, links, fields, goals, begins, step, cells):
    """Extend paths `cells` (P, T), one cell per moment, from the cell at the moment `begins` (P,)
    on to the goal `goals` (P,).
    """
    starts = adjacency.starts
    ends = adjacency.ends
    lengths = adjacency.lengths
    marks = links.shape[0]
    for p in range(cells.shape[0]):
        here, credit, goal = np.int64(cells[p, begins[p]]), 0.0, goals[p]
        for t in range(begins[p] + 1, cells.shape[1]):
            credit += step
            for _ in range(_MOST_STEPS):
                if goal < marks:
                    link = links[goal, here]
                else:
                    link = _down(starts, ends, lengths, fields[goal - marks], here)
                if link == NOWHERE:
                    credit = min(credit, 0.0)
                    break
                k = starts[here] + link
                if lengths[k] > 2 * credit:
                    break
                credit -= lengths[k]
                here = np.int64(ends[k])
            cells[p, t] = here


@kernel(
    "i4[:,::1], i4[:,::1], f8[::1], i8[::1], f8[::1], u1[:,::1], out i8[::1], out i8[::1], out"
    " f8[::1], out f8[::1]"
)
def gains_of(paths, futures, weights, before, worth, views, seen, order, sums, gains):
    """Write the gain of each path (P, T) into `gains` (P,).

    The gain is the sum over particles, `futures` (T, M), of their `weights` times the increase in
    worth of seeing them at that look instead of at the look `before` (M,). `worth` (T + 1,) is the
    worth of each look, the last one for never. Paths and futures are clusters of cells, look by
    look; cluster a sees cluster b if `views[a, b]`. Looks that a path shares with the one before it
    are reused, so sort the paths. `seen` (M,) holds at the end the look of the last path that sees
    each particle first, T for none. `order` (M,) and `sums` (T + 1,) are scratch.
    """
    depth, many = futures.shape
    for i in range(many):
        seen[i] = depth
    count = 0
    sums[0] = 0.0
    for p in range(paths.shape[0]):
        same = 0
        if p > 0:
            while same < depth and paths[p, same] == paths[p - 1, same]:
                same += 1
        while count > 0 and seen[order[count - 1]] >= same:
            count -= 1
            seen[order[count]] = depth
        gain = sums[same]
        for t in range(same, depth):
            view = views[paths[p, t]]
            for i in range(many):
                if view[futures[t, i]] != 0 and t < before[i] and seen[i] == depth:
                    seen[i] = t
                    order[count] = i
                    count += 1
                    gain += weights[i] * (worth[t] - worth[before[i]])
            sums[t + 1] = gain
        gains[p] = gain
