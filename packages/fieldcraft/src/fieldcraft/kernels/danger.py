"""Cheapest ways through danger that changes with time."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.heap import TWICE, longer, sift_down, sift_up

__all__ = ["search"]

_DEEPER = 1e-10  # of two ways that seem as cheap the search follows the one that is further on
_DIAGONAL = 0.41421356237309503


@kernel
def _apart(places, norm, ratio, one, other):
    """Return a lower bound of the way between two cells: see `search`."""
    if ratio == 0.0:
        return 0.0
    most, least, square = 0.0, 0.0, 0.0
    for axis in range(places.shape[1]):
        away = abs(places[one, axis] - places[other, axis])
        square += away * away
        if away > most:
            most, least = away, most
        else:
            least = away
    if norm == 1:
        return ratio * (most + _DIAGONAL * least)
    if norm == 2:
        return ratio * (most + least)
    return ratio * np.sqrt(square)


@kernel
def _price(cost, one, other):
    if cost.shape[0] == 1:
        return cost[0]
    return 0.5 * (cost[one] + cost[other])


@kernel
def _lasts(length, pace):
    """Return how many time steps a step of this length takes."""
    steps = np.int64(length / pace + 0.5)
    return steps if steps > 1 else np.int64(1)


@kernel(
    "((i8[::1], i4[::1], f8[::1]), (i8[::1], i4[::1], f8[::1]), f8[:,::1]), f8[::1], f4[:,::1],"
    " f4[::1], i8, i8, f8, f8, i8, f8, f8, (out f8[::1], out i4[::1]), (out f8[::1], out i4[::1],"
    " out i8[::1])"
)
def search(
    ground, cost, danger, lowest, start, goal, pace, time_step, norm, ratio, rate, bounds, states
):
    """Return the states of the cheapest way from a start to a goal, and its cost; no states where
    there is none. A state is `time step * cells + cell`; those of the last time step
    stand for all later ones.

    `ground` is (the steps that leave each cell, those that lead into it, positions), steps as
    (starts, ends, lengths). `cost` has one number per cell, or one for all. `danger` (time steps,
    cells) is damage a second, `lowest` the least of each cell. `pace` is how far an agent walks in
    a time step of `time_step` seconds. `norm` is 1 where ways are as long as a king's, 2 as a
    rook's, 0 as a bird's, times `ratio`, times `rate` for the least cost. `bounds` are infinite and
    0 before and after. `states` holds the cost of each state, where it was reached from, and in
    which search; the last entry of that counts searches.
    """
    (starts, ends, lengths), (back_starts, back_ends, back_lengths), places = ground
    rest, closed = bounds
    best, came, turns = states
    frames, cells = danger.shape
    last = frames - 1
    turns[-1] += 2
    turn = turns[-1]
    # The search backwards for the rest of the way, at the lowest danger of each cell: it goes on
    # whenever the search forwards asks for a cell that it has not got to.
    back_keys, back_cells = np.empty(256, np.float64), np.empty(256, np.int64)
    touched = np.empty(256, np.int64)
    touched[0], rest[goal] = goal, 0.0
    back_keys[0], back_cells[0] = 0.0, goal
    back_size, met = np.int64(1), np.int64(1)
    keys, nodes = np.empty(256, np.float64), np.empty(256, np.int64)
    keys[0], nodes[0] = 0.0, start
    best[start], came[start], turns[start] = 0.0, -1, turn
    size = np.int64(1)
    if np.isinf(danger[0, start]) or np.isinf(lowest[goal]):
        size = np.int64(0)
    found = np.int64(-1)
    while size > 0:
        node = nodes[0]
        size -= 1
        if size > 0:
            keys[0], nodes[0] = keys[size], nodes[size]
            sift_down(keys, nodes, size)
        if turns[node] == turn + 1:
            continue
        turns[node] = turn + 1
        k = node // cells
        here = node - k * cells
        if here == goal:
            found = node
            break
        spent = best[node]
        now = 0.5 * time_step * np.float64(danger[k, here])
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
            more += lasting * (now + 0.5 * time_step * np.float64(danger[then, there]))
            following = then * cells + there
            if not more < np.inf or turns[following] == turn + 1:
                continue
            total = spent + more
            if turns[following] == turn and best[following] <= total:
                continue
            while closed[there] == 0 and back_size > 0:
                v = back_cells[0]
                back_size -= 1
                if back_size > 0:
                    back_keys[0], back_cells[0] = back_keys[back_size], back_cells[back_size]
                    sift_down(back_keys, back_cells, back_size)
                if closed[v] != 0:
                    continue
                closed[v] = 1
                low = 0.5 * time_step * np.float64(lowest[v])
                for way in range(back_starts[v], back_starts[v + 1]):
                    n = np.int64(back_ends[way])
                    if closed[n] != 0:
                        continue
                    length = back_lengths[way]
                    s = rest[v] + length * _price(cost, n, v)
                    s += _lasts(length, pace) * (low + 0.5 * time_step * np.float64(lowest[n]))
                    if s < rest[n]:
                        if rest[n] == np.inf:
                            if met == touched.shape[0]:
                                touched = longer(touched, TWICE)
                            touched[met] = n
                            met += 1
                        rest[n] = s
                        if back_size == back_keys.shape[0]:
                            back_keys = longer(back_keys, TWICE)
                            back_cells = longer(back_cells, TWICE)
                        ahead = rate * _apart(places, norm, ratio, n, start)
                        back_keys[back_size] = s * (1.0 - _DEEPER) + ahead
                        back_cells[back_size] = n
                        back_size += 1
                        sift_up(back_keys, back_cells, back_size - 1)
            if closed[there] == 0:
                continue
            best[following], came[following], turns[following] = total, node, turn
            if size == keys.shape[0]:
                keys, nodes = longer(keys, TWICE), longer(nodes, TWICE)
            keys[size] = total * (1.0 - _DEEPER) + rest[there]
            nodes[size] = following
            size += 1
            sift_up(keys, nodes, size - 1)
    for i in range(met):
        rest[touched[i]] = np.inf
        closed[touched[i]] = 0
    spent = np.inf
    count = np.int64(0)
    if found >= 0:
        spent = best[found]
        node = found
        while node >= 0:
            count += 1
            node = np.int64(came[node])
    way = np.empty(count, np.int64)
    node = found
    for i in range(count):
        way[count - 1 - i] = node
        node = np.int64(came[node])
    return way, spent
