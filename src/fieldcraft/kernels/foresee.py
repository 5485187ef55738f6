"""Many ways walked at once, tracks and searchers alike, and which searcher would see which track when: one text, run plain or compiled.

Ways lead down to landmarks: `links` (N, K) hold, for each cell and landmark, which of the steps out of the cell leads there, by its
number among them, `NOWHERE` at the landmark itself and where no way leads. The steps out of cell v are `starts[v]` up to `starts[v + 1]`,
each with its end and its length.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["NOWHERE", "descents", "foresee", "lead", "walk"]

NOWHERE = np.uint16(65535)


@kernel("i8[::1], i4[::1], f8[::1], f4[::1], i8, out u2[:,::1]")
def descents(starts, ends, lengths, values, column, links):
    """The step out of each cell that begins the shortest way by a distance map, into a column of `links`; of equal ones the first."""
    for v in range(links.shape[0]):
        links[v, column] = NOWHERE
        if values[v] == 0.0:
            continue
        least = np.inf
        for k in range(starts[v], starts[v + 1]):
            total = lengths[k] + values[ends[k]]
            if total < least:
                least = total
                links[v, column] = np.uint16(k - starts[v])


@kernel(inline="always")
def _onward(starts, ends, lengths, links, goal, step, here, credit):
    """Where somebody is a moment later, who goes a step long by that way, and what is left of the step.

    A step counts as taken when half of it is. Two short ones may fall due at once.
    """
    credit += step
    for _ in range(2):
        link = links[here, goal]
        if link == NOWHERE:
            break
        k = starts[here] + link
        if lengths[k] > 2 * credit:
            break
        credit -= lengths[k]
        here = np.int64(ends[k])
    return here, min(credit, step)


@kernel(inline="always")
def _drawn(cumulative, chance):
    """The first entry that a chance lies below, the last if it lies below none."""
    low, high = 0, cumulative.shape[0] - 1
    while low < high:
        middle = (low + high) >> 1
        if chance < cumulative[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@kernel(
    "i8[::1], i4[::1], f8[::1], u2[:,::1], f8[:,::1], i8[::1], i4[:,::1], f8, i8, f8[:,::1], i8[::1], i8[::1], "
    "out i8[::1], out i8[::1], out f8[::1], out i4[:,::1]"
)
def walk(starts, ends, lengths, links, onwards, behind, hiding, step, now, dice, turns, hides, cells, goals, credit, rows):
    """Tracks, walked on for as many moments as `rows` (T, M) has; `cells`, `goals` and `credit` (M,) are left as they are then.

    Each goes to its landmark `goals`, -1 for one that stays. At the moment `turns` it goes to one of `behind` instead, and there it chooses
    the next by its row of `onwards` (K, K), chances summed up. Those with a row in `hides` follow that row of `hiding` (H, L), a
    cell each moment. `dice` (M, R) are numbers in [0, 1) for these choices, used again from the first if there are too few.
    """
    last = hiding.shape[1] - 1
    for i in range(cells.shape[0]):
        here, goal, left, used = cells[i], goals[i], credit[i], 0
        for t in range(rows.shape[0]):
            moment = now + 1 + t
            if hides[i] >= 0:
                here = np.int64(hiding[hides[i], min(moment, last)])
            else:
                if turns[i] == moment:
                    goal = behind[np.int64(dice[i, used % dice.shape[1]] * behind.shape[0])]
                    used += 1
                if goal >= 0:
                    if links[here, goal] == NOWHERE:
                        goal = np.int64(_drawn(onwards[goal], dice[i, used % dice.shape[1]]))
                        used += 1
                    here, left = _onward(starts, ends, lengths, links, goal, step, here, left)
            rows[t, i] = here
        cells[i], goals[i], credit[i] = here, goal, left


@kernel("i8[::1], i4[::1], f8[::1], u2[:,::1], f8, i8[::1], i8[::1], out i4[:,::1]")
def lead(starts, ends, lengths, links, step, goals, begins, ways):
    """Ways (P, T), a cell each moment, from the cell that each has at the moment `begins` (P,) on to the landmark `goals` (P,)."""
    for p in range(ways.shape[0]):
        here, left = np.int64(ways[p, begins[p]]), 0.0
        for t in range(begins[p] + 1, ways.shape[1]):
            here, left = _onward(starts, ends, lengths, links, goals[p], step, here, left)
            ways[p, t] = here


@kernel("i4[:,::1], i4[:,::1], f8[::1], i8[::1], u1[:,::1], out i8[::1], out i8[::1], out f8[::1], out f8[::1]")
def foresee(ways, tracks, weights, before, views, seen, order, sums, gains):
    """The worth of each way (P, T), into `gains` (P,): the sum over tracks (T, M) of their `weights` times how many looks sooner than
    `before` (M,) they are seen from it.

    Ways and tracks are places, look by look; place a sees place b where `views[a, b]`. Looks that a way has in common with the one
    before it are not taken again, so sort them. `seen` (M,) are left as they are for the last way: the look that sees each track first, T
    for none.
    `order` (M,) and `sums` (T + 1,) are scratch.
    """
    looks, many = tracks.shape
    for i in range(many):
        seen[i] = looks
    count = 0
    sums[0] = 0.0
    for p in range(ways.shape[0]):
        same = 0
        if p > 0:
            while same < looks and ways[p, same] == ways[p - 1, same]:
                same += 1
        while count > 0 and seen[order[count - 1]] >= same:
            count -= 1
            seen[order[count]] = looks
        gain = sums[same]
        for t in range(same, looks):
            view = views[ways[p, t]]
            for i in range(many):
                if view[tracks[t, i]] != 0 and t < before[i] and seen[i] == looks:
                    seen[i] = t
                    order[count] = i
                    count += 1
                    gain += weights[i] * (before[i] - t)
            sums[t + 1] = gain
        gains[p] = gain
