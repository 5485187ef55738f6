"""Many ways walked at once, tracks and searchers alike, and which searcher would see which track
when: one text, run plain or compiled.

Paths lead down to goals. The first K are landmarks: `links` (K, N) hold, for each cell and
landmark, which of the steps out of the cell leads there, by its number among them, `NOWHERE` at the
landmark itself and where no way leads. To others lead their distance maps, `fields` (F, N). The
steps out of cell v are `starts[v]` up to `starts[v + 1]`, each with its end and its length.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["NOWHERE", "descents", "foresee", "lead", "walk"]

NOWHERE = np.uint16(65535)
_HOPS = 64  # steps that somebody takes in a moment, at most
_EQUAL = 1e-4  # of a step: by how much two ways as long differ when they are added up


@kernel(inline="always")
def _down(starts, ends, lengths, values, v):
    """The step out of a cell that begins the shortest way by a distance map, the first of equal
    ones; `NOWHERE` at its goal.
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
    """The step out of each cell that begins the shortest way by a distance map, into a row of
    `links`.
    """
    for v in range(links.shape[1]):
        links[row, v] = _down(starts, ends, lengths, values, v)


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


@kernel(inline="always")
def _onward(ways, links, away, goal, step, here, credit, last):
    """Where somebody is a moment later, who goes a step long on the way to a landmark; how far it
    is past there; and its last move.

    A step counts as taken when half of it is; until then somebody is past its beginning, and then
    by less than nothing. Wherever it is as
    short, the way leads straight on: `last` is by how much the number of the cell changed before, 0
    if it never did.
    """
    starts, ends, lengths = ways
    credit += step
    for _ in range(_HOPS):
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
    "(i8[::1], i4[::1], f8[::1]), (u2[:,::1], f4[:,::1], f8[:,::1]), i8[::1], i4[:,::1], f8[:,::1],"
    " i8[::1], i8[::1], f8, i8, (out i8[::1], out i8[::1], out f8[::1], out i8[::1]), out i4[:,::1]"
)
def walk(ways, marks, behind, given, dice, turns, follows, step, now, tracks, rows):
    """Tracks, walked on for as many moments as `rows` (T, M) has; `tracks` are (cells, goals,
    credit, lasts) (M,), left as they are then. `ways` are (starts, ends, lengths), and `marks`
    (links, away, onwards).

    Each goes to its landmark `goals`, -1 for one that stays; `away` (K, N) is how far it is to
    each. At the moment `turns` it goes to one of `behind` instead, and there it chooses the next by
    its row of `onwards` (K, K), chances summed up. Those with a row in `follows` go that way of
    `given` (H, L) before, a cell each moment. `dice` (M, R) are numbers in [0, 1) for these
    choices, used again from the first if there are too few.
    """
    (links, away, onwards), (cells, goals, credit, lasts) = marks, tracks
    last = given.shape[1] - 1
    for i in range(cells.shape[0]):
        here, goal, left, move, used = cells[i], goals[i], credit[i], lasts[i], 0
        for t in range(rows.shape[0]):
            moment = now + 1 + t
            if follows[i] >= 0 and (moment <= last or goal < 0):
                here = np.int64(given[follows[i], min(moment, last)])
            else:
                if turns[i] == moment:
                    goal = behind[np.int64(dice[i, used % dice.shape[1]] * behind.shape[0])]
                    left = -abs(left)
                    used += 1
                if goal >= 0:
                    if links[goal, here] == NOWHERE:
                        goal = np.int64(_drawn(onwards[goal], dice[i, used % dice.shape[1]]))
                        used += 1
                    here, left, move = _onward(ways, links, away, goal, step, here, left, move)
            rows[t, i] = here
        cells[i], goals[i], credit[i], lasts[i] = here, goal, left, move


@kernel("(i8[::1], i4[::1], f8[::1]), u2[:,::1], f4[:,::1], i8[::1], i8[::1], f8, out i4[:,::1]")
def lead(ways, links, fields, goals, begins, step, cells):
    """Continue `cells` (P, T), a cell each moment, from the one at the moment `begins` (P,) on to
    the goal `goals` (P,).
    """
    starts, ends, lengths = ways
    marks = links.shape[0]
    for p in range(cells.shape[0]):
        here, credit, goal = np.int64(cells[p, begins[p]]), 0.0, goals[p]
        for t in range(begins[p] + 1, cells.shape[1]):
            credit += step
            for _ in range(_HOPS):
                link = (
                    links[goal, here]
                    if goal < marks
                    else _down(starts, ends, lengths, fields[goal - marks], here)
                )
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
def foresee(ways, tracks, weights, before, worth, views, seen, order, sums, gains):
    """The worth of each way (P, T), into `gains` (P,): the sum over tracks (T, M) of their
    `weights` times how much more it is worth to see them at that look than at the look `before`
    (M,): `worth` (T + 1,) is that of each look, the last one of none.

    Paths and tracks are places, look by look; place a sees place b where `views[a, b]`. Looks that
    a way has in common with the one before it are not taken again, so sort them. `seen` (M,) are
    left as they are for the last way: the look that sees each track first, T for none.
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
                    gain += weights[i] * (worth[t] - worth[before[i]])
            sums[t + 1] = gain
        gains[p] = gain
