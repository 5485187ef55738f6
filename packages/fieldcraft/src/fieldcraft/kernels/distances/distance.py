"""Distances to the nearest goal on grids with four or eight neighbors.

`count` serves steps of two lengths, straight and diagonal. Distances are whole numbers there: a
straight step is a power of two and a diagonal one the odd number next to sqrt(2) times that, so
that sums are exact, do not depend on the order of the steps, and contain the number of diagonals.
Cells wait in three lists, one per straight step of distance: a cell in the lowest list cannot
shorten another in it. Of the paths of one length around the same rectangle the search follows only
the one that begins with its diagonals, which leaves one or three neighbors to process on open
ground (canonical orderings: Sturtevant and Rabin, IJCAI 2016; the rules of Harabor and Grastien's
jump points, for diagonals that cut no corners). Where several paths of one length meet, the search
follows all of them.

`add_near` serves four or eight neighbors and a cost per cell, in float64, with as many lists as the
most expensive step spans. It finds the neighbors that a cell improves without branches, since no
processor predicts them; `price` reads the costs.

All other grids are searched by `distance_search`.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.compiling.low_level import lowest_bit
from fieldcraft.kernels.shared.counting import FAR

__all__ = [
    "add_near",
    "clear",
    "count",
    "lengths",
    "price",
    "publish",
]


@kernel(
    "b1[::1], i8[:,::1], f8, out f8[::1]",
    "b1[::1], i8[:,::1], i8, out i8[::1]",
)
def clear(walls, spans, far, dist):
    """Set the cells of spans [start, end) to `far`, and walls to less than any distance."""
    for i in range(spans.shape[0]):
        to = dist[spans[i, 0] : spans[i, 1]]
        wall = walls[spans[i, 0] : spans[i, 1]]
        for j in range(to.shape[0]):
            to[j] = -far if wall[j] else far


@kernel(
    "u1[::1], u1[::1], i8[::1], i8, i8, i8, i8, i8, out u1[::1], out i8[::1], out i4[:,::1], out"
    " i8[::1]"
)
def count(
    open_steps, table, until, width, shift, straight, diagonal, limit, came, dist, lists, state
):
    """Search until every cell of `until` is final, or to the end if it is empty.

    `open_steps` has a bit for each of the steps `moves.STEPS` that leaves a cell, or enters it from
    the other side: both are the same. `table[came * 256 + open_steps]` are the steps to follow
    after the steps `came`, see `counting.canonical`. `state` = [bucket, cells in each of the three
    `lists`]; list `bucket % 3` is the lowest.
    """
    offsets = np.array([1, -1, width, -width, width + 1, width - 1, -width + 1, -width - 1])
    lengths = np.array(
        [straight, straight, straight, straight, diagonal, diagonal, diagonal, diagonal]
    )
    bucket = state[0]
    # The lists of this bucket and of the next two, and how many cells are in each.
    now = lists[bucket % 3]
    soon = lists[(bucket + 1) % 3]
    late = lists[(bucket + 2) % 3]
    n_now = state[1 + bucket % 3]
    n_soon = state[1 + (bucket + 1) % 3]
    n_late = state[1 + (bucket + 2) % 3]
    final = 0  # of `until` that are known to be final
    while n_now + n_soon + n_late > 0:
        if until.shape[0] > 0:
            while final < until.shape[0] and dist[until[final]] >> shift <= bucket:
                final += 1
            if final == until.shape[0]:
                break
        end = (bucket + 2) << shift
        for i in range(n_now):
            cell = np.int64(now[np.uint64(i)])
            length = dist[np.uint64(cell)]
            if length >> shift != bucket:
                continue
            before = np.int64(came[np.uint64(cell)])
            steps = np.int64(table[(before << 8) | open_steps[np.uint64(cell)]])
            while steps != 0:
                k = lowest_bit(steps)
                bit = steps & -steps
                steps = steps & (steps - 1)
                there = np.uint64(cell + offsets[k])
                new = length + lengths[k]
                old = dist[there]
                # No branches: whether a cell gets better can't be foreseen. What is written behind
                # the end of a list is not in it.
                less = (new < old) & (new <= limit)
                taken = bit if less | (new == old) else np.int64(0)
                came[there] = taken if less else came[there] | taken
                dist[there] = new if less else old
                is_soon = new < end
                waits = less & (old >> shift != new >> shift)
                soon[np.uint64(n_soon)] = there
                late[np.uint64(n_late)] = there
                n_soon += np.int64(waits & is_soon)
                n_late += np.int64(waits & (not is_soon))
        now, soon, late = soon, late, now
        n_now = n_soon
        n_soon = n_late
        n_late = 0
        bucket += 1
    state[0] = bucket
    state[1 + bucket % 3] = n_now
    state[1 + (bucket + 1) % 3] = n_soon
    state[1 + (bucket + 2) % 3] = n_late


@kernel(
    "f4[::1], b1[::1], f8, f8, out f8[::1]",
    "f8[::1], b1[::1], f8, f8, out f8[::1]",
)
def price(values, walls, lowest, highest, out):
    """Copy costs to float64. Return (the least, the greatest finite one, whether some are infinite,
    the first invalid one or -1).

    Only cells that are not walls count. A cost is between `lowest` and `highest`, or infinite.
    Costs are compared by their bits, which have the same order for positive numbers: that
    vectorizes.
    """
    bits = out.view(np.int64)
    ends = np.array([lowest, highest, np.inf]).view(np.int64)
    never = ends[2]
    least, dearest = never, np.int64(0)
    for start in range(0, out.shape[0], 2048):
        end = min(start + 2048, out.shape[0])
        of, to, wall, to_bits = values[start:end], out[start:end], walls[start:end], bits[start:end]
        for i in range(to.shape[0]):
            to[i] = of[i]
        for i in range(to.shape[0]):
            open_ = np.int64(wall[i]) - 1  # all bits, or none
            at_most = (to_bits[i] & open_) | (never & ~open_)
            least = at_most if at_most < least else least
            at_least = to_bits[i] & open_
            dearest = at_least if at_least > dearest else dearest
    found = np.array([least, dearest]).view(np.float64)
    if least >= ends[0] and dearest <= ends[1]:
        return found[0], found[1], False, -1
    found[0], found[1] = np.inf, 0.0
    infinite = False
    for c in range(out.shape[0]):
        if walls[c]:
            continue
        if out[c] == np.inf:
            infinite = True
        elif lowest <= out[c] <= highest:
            found[0] = min(found[0], out[c])
            found[1] = max(found[1], out[c])
        else:
            return found[0], found[1], infinite, c
    return found[0], found[1], infinite, -1


@kernel(
    "u1[::1], f8[::1], i8[::1], i8, i8, f8, f8, f8, f8, out f8[::1], out i4[:,::1], out i8[::1]"
)
def add_near(
    open_steps, cost, until, known, width, straight, diagonal, inverse, limit, dist, lists, state
):
    """Search until every cell of `until` is final, or to the end if it is empty.

    `open_steps` are those of `count`; only the bits `known` of them count. `dist` and `cost` have a
    row and one cell more on each side, which may hold anything, as may walls: they are read but not
    used. `straight` and `diagonal` are half the lengths of steps. A bucket is narrower than the
    cheapest step, by enough for roundings, so that a cell in it cannot shorten another in it; the
    most expensive step spans fewer than there are `lists`. `state` = [bucket, cells waiting, cells
    in each list]; the lists hold indices into these arrays.
    """
    pad = width + 1
    offsets = np.array([1, -1, width, -width, width + 1, width - 1, -width + 1, -width - 1])
    lengths = np.array(
        [straight, straight, straight, straight, diagonal, diagonal, diagonal, diagonal]
    )
    w = np.uint64(width)
    one = np.uint64(1)
    rounds = lists.shape[0]
    bucket = state[0]
    waiting = state[1]
    counts = state[2:]
    final = 0  # of `until` that are known to be final
    while waiting > 0:
        if until.shape[0] > 0:
            while final < until.shape[0]:
                d = dist[until[final] + pad]
                if d == np.inf or np.int64(d * inverse) > bucket:
                    break
                final += 1
            if final == until.shape[0]:
                break
        slot = bucket % rounds
        here = lists[slot]
        size = counts[slot]
        counts[slot] = 0
        waiting -= size
        while size > 0:
            size -= 1
            c = np.uint64(here[size])
            d = dist[c]
            if np.int64(d * inverse) != bucket:
                continue
            # The steps that improve the cell they lead to, a bit for each.
            own = cost[c]
            m = np.int64(d + straight * (cost[c + one] + own) < dist[c + one])
            m |= np.int64(d + straight * (cost[c - one] + own) < dist[c - one]) << 1
            m |= np.int64(d + straight * (cost[c + w] + own) < dist[c + w]) << 2
            m |= np.int64(d + straight * (cost[c - w] + own) < dist[c - w]) << 3
            m |= np.int64(d + diagonal * (cost[c + w + one] + own) < dist[c + w + one]) << 4
            m |= np.int64(d + diagonal * (cost[c + w - one] + own) < dist[c + w - one]) << 5
            m |= np.int64(d + diagonal * (cost[c - w + one] + own) < dist[c - w + one]) << 6
            m |= np.int64(d + diagonal * (cost[c - w - one] + own) < dist[c - w - one]) << 7
            m &= np.int64(open_steps[np.int64(c) - pad]) & known
            while m != 0:
                k = lowest_bit(m)
                m = m & (m - 1)
                there = np.int64(c) + offsets[k]
                new = d + lengths[k] * (cost[there] + own)
                if new > limit:
                    continue
                old = dist[there]
                dist[there] = new
                target = np.int64(new * inverse)
                if old == np.inf or np.int64(old * inverse) != target:
                    into = slot + (target - bucket)
                    if into >= rounds:
                        into -= rounds
                    lists[into, counts[into]] = there
                    counts[into] += 1
                    waiting += 1
        bucket += 1
    state[0] = bucket
    state[1] = waiting


@kernel(forceinline=True)
def _length(count, back, delta, inverse, mask, scale):
    """Return the length of a distance in whole numbers, see `counting.Measure`."""
    diagonals = np.int32((np.uint32(count) * np.uint32(inverse)) & np.uint32(mask))
    return (np.float64(count) * back + np.float64(diagonals) * delta) * scale


@kernel("i8[::1], f8, f8, i8, i8, f8, out f8[::1]")
def lengths(counts, back, delta, inverse, mask, scale, out):
    """Write the float64 distances of whole numbers."""
    for i in range(counts.shape[0]):
        length = _length(counts[i], back, delta, inverse, mask, scale)
        out[i] = np.inf if counts[i] >= FAR else length


@kernel(forceinline=True)
def _value(distance, measure):
    """Return a distance as float32; `measure` is as in `publish`."""
    value = np.float32(distance)
    if measure is not None:
        back, delta, inverse, mask, scale = measure
        value = np.float32(_length(distance, back, delta, inverse, mask, scale))
        value = np.float32(np.inf) if distance >= FAR else value
    return value


@kernel(
    "i8[::1], b1[::1], i8[:,::1], (f8, f8, i8, i8, f8), out f4[::1]",
    "f8[::1], b1[::1], i8[:,::1], none, out f4[::1]",
)
def publish(dist, walls, spans, measure, values):
    """Write distances as float32, inf on walls and outside of the spans.

    `measure` is (back, delta, inverse, mask, scale) for whole numbers, see `counting.Measure`, and
    None for float64 distances.
    """
    done = 0
    for i in range(spans.shape[0]):
        values[done : spans[i, 0]] = np.inf
        done = spans[i, 1]
        from_ = dist[spans[i, 0] : done]
        wall = walls[spans[i, 0] : done]
        to = values[spans[i, 0] : done]
        for j in range(to.shape[0]):
            to[j] = np.float32(np.inf) if wall[j] else _value(from_[j], measure)
    values[done:] = np.inf
