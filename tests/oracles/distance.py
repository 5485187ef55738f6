"""Distances to the nearest goal, spelled out: the specification of `fieldcraft.kernels.distance`.

The distance of a cell is the least, over all ways to a goal, of what the goal begins with plus the
steps back from it, added one by one. Where all steps are of two lengths, straight and diagonal, it
is counted in whole numbers: see `measured`. Else it is a sum of float64 in that order.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "EIGHT",
    "FAR",
    "Measure",
    "add",
    "add_near",
    "canonical",
    "clear",
    "count",
    "descend",
    "measure",
    "measured",
    "price",
    "publish_cells",
    "publish_counts",
    "publish_sums",
    "search",
    "summits",
]

FAR = 1 << 62
EIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""The order of the bits in `count`."""

Links = NDArray[np.unsignedinteger]
Distances = NDArray[Any]
Cost = (
    NDArray[np.float64] | None
)  # None, or of length 1, where every cell costs the same; then lengths are whole, else half


class Measure(NamedTuple):
    """How whole numbers stand for straight and diagonal steps on a map of so many cells.

    A straight step is 2**shift, a diagonal one the odd number next to its square root of two times
    that. No way has so many steps that a distance reaches 2**62. As the number of diagonals is less
    than 2**shift, the low bits of a distance times `inverse` tell it.
    """

    shift: int
    diagonal: int
    back: float
    delta: float
    inverse: int
    mask: int


def measure(cells: int) -> Measure:
    """The whole numbers for maps of so many cells."""
    shift = 61 - cells.bit_length()
    diagonal = math.isqrt(2 << (2 * shift)) | 1
    low = 1 << min(shift, 32)
    with localcontext() as context:
        context.prec = 60
        delta = float(Decimal(2).sqrt() - Decimal(diagonal) / Decimal(1 << shift))
    return Measure(shift, diagonal, 0.5**shift, delta, pow(diagonal, -1, low), low - 1)


def measured(counts: NDArray[np.int64], measure: Measure, scale: float) -> NDArray[np.float64]:
    """Whole numbers as distances, `scale` per straight step; inf for `FAR`.

    (number / 2**shift + diagonals * (root of two - diagonal / 2**shift)) * scale: within two
    roundings of the true length.
    """
    diagonals = ((counts & measure.mask) * measure.inverse) & measure.mask
    return np.where(
        counts >= FAR, np.inf, (counts * measure.back + diagonals * measure.delta) * scale
    )


def canonical(steps: int) -> NDArray[np.uint8]:
    """Which steps `count` looks at: by `came * 256 + ways`, both sets of the first four or of all
    `EIGHT`.

    A search that came straight goes straight on, and to a side and its diagonal where the corner
    behind that side is shut. One that came by a diagonal goes on by it and by the two straight
    steps it is made of. Having come from nowhere, as at a goal, it goes everywhere.
    """
    bit = {step: 1 << k if k < steps else 0 for k, step in enumerate(EIGHT)}
    one = np.zeros((8, 256), dtype=np.uint8)
    for k, (x, y) in enumerate(EIGHT):
        for ways in range(256):
            if x and y:
                look = bit[x, y] | bit[x, 0] | bit[0, y]
            else:
                look = bit[x, y]
                for side_x, side_y in ((y, x), (-y, -x)):
                    if not ways & bit[side_x - x, side_y - y]:
                        look |= bit[side_x, side_y] | bit[side_x + x, side_y + y]
            one[k, ways] = look & ways
    table = np.zeros((256, 256), dtype=np.uint8)
    table[0] = np.arange(256) & (1 << steps) - 1
    for came in range(1, 256):
        for k in range(8):
            if came >> k & 1:
                table[came] |= one[k]
    return table.reshape(-1)


def clear(dist: Distances, walls: NDArray[np.bool_], spans: NDArray[np.int64], far: float) -> None:
    """Set the cells of spans [start, end) to `far`, and walls to less than anything."""
    for start, end in spans.tolist():
        dist[start:end] = np.where(walls[start:end], -far, far)


def count(
    ways: NDArray[np.uint8],
    came: NDArray[np.uint8],
    dist: NDArray[np.int64],
    width: int,
    shift: int,
    straight: int,
    diagonal: int,
    limit: int,
    table: NDArray[np.uint8],
    lists: NDArray[np.int32],
    state: NDArray[np.int64],
    until: NDArray[np.int64],
) -> None:
    """Find all distances; the goals are in the first list, with distances of 0."""
    offsets = [x + y * width for x, y in EIGHT]
    lengths = [diagonal if x and y else straight for x, y in EIGHT]
    heap = [(0, goal) for goal in lists[0, : state[1]].tolist()]
    while heap:
        gone, cell = heapq.heappop(heap)
        if gone > dist[cell]:
            continue
        for k in range(8):
            after = gone + lengths[k]
            if (
                table[int(ways[cell])] >> k & 1
                and after < dist[cell + offsets[k]]
                and after <= limit
            ):
                dist[cell + offsets[k]] = after
                heapq.heappush(heap, (after, cell + offsets[k]))
    state[1:4] = 0


def price(
    values: NDArray[Any],
    walls: NDArray[np.bool_],
    lowest: float,
    highest: float,
    out: NDArray[np.float64],
) -> tuple[float, float, bool, int]:
    """Copy costs to float64. Returns (the least, the dearest finite, whether some are infinite, the
    first that is none, or -1).

    Only cells that are no walls count. A cost lies from `lowest` to `highest`, or is infinite.
    """
    out[:] = values
    good = (out >= lowest) & (out <= highest) & ~walls
    infinite = (out == math.inf) & ~walls
    bad = np.flatnonzero(~(good | infinite | walls))
    least, dearest = out.min(initial=math.inf, where=good), out.max(initial=0.0, where=good)
    return float(least), float(dearest), bool(infinite.any()), int(bad[0]) if len(bad) else -1


def add_near(
    ways: NDArray[np.uint8],
    known: int,
    dist: NDArray[np.float64],
    cost: NDArray[np.float64],
    pad: int,
    width: int,
    straight: float,
    diagonal: float,
    inverse: float,
    limit: float,
    lists: NDArray[np.int32],
    state: NDArray[np.int64],
    until: NDArray[np.int64],
) -> None:
    """Find all distances; the goals are in the first list, with distances of 0.

    `dist` and `cost` have `pad` cells more on each side, and so do the numbers of cells in the
    lists.
    """
    away, price = dist[pad:-pad], cost[pad:-pad]
    heap = [(0.0, goal - pad) for goal in lists[0, : state[2]].tolist()]
    while heap:
        gone, cell = heapq.heappop(heap)
        if gone > away[cell]:
            continue
        for k, (x, y) in enumerate(EIGHT):
            if (int(ways[cell]) & known) >> k & 1:
                there = cell + x + y * width
                after = gone + _weight(there, cell, diagonal if x and y else straight, price)
                if after < away[there] and after <= limit:
                    away[there] = after
                    heapq.heappush(heap, (after, there))
    state[1:] = 0


def add(
    links: Links,
    dist: Distances,
    cost: Cost,
    steps: NDArray[np.int64],
    lengths: NDArray[Any],
    width: int,
    wrap: bool,
    far: float,
    inverse: float,
    limit: float,
    seeds: NDArray[np.int64],
    starts: NDArray[Any],
    heads: NDArray[np.int32],
    nodes: NDArray[np.int32],
    following: NDArray[np.int32],
    state: NDArray[np.int64],
    until: NDArray[np.int64],
) -> None:
    """Find all distances; those of the `seeds` are written already, walls hold less than anything.

    Without a cost `lengths` are those of the steps, else half of them.
    """
    search(
        dist,
        links,
        cost,
        steps,
        lengths.tolist(),
        width,
        wrap,
        limit,
        list(zip(starts.tolist(), seeds.tolist(), strict=True)),
    )
    state[1], state[2], state[5] = 0, len(seeds), 0


def publish_counts(
    dist: NDArray[np.int64],
    walls: NDArray[np.bool_],
    spans: NDArray[np.int64],
    back: float,
    delta: float,
    inverse: int,
    mask: int,
    scale: float,
    values: NDArray[np.float32],
) -> None:
    """Turn whole numbers into float32 distances, inf on walls and outside of the spans."""
    values[:] = np.inf
    for start, end in spans.tolist():
        found = measured(dist[start:end], Measure(0, 0, back, delta, inverse, mask), scale)
        values[start:end] = np.where(walls[start:end], np.inf, found)


def publish_sums(
    dist: NDArray[np.float64],
    walls: NDArray[np.bool_],
    spans: NDArray[np.int64],
    values: NDArray[np.float32],
) -> None:
    """Turn float64 distances into float32, inf on walls and outside of the spans."""
    values[:] = np.inf
    for start, end in spans.tolist():
        values[start:end] = np.where(walls[start:end], np.inf, dist[start:end])


def publish_cells(
    dist: Distances,
    cells: NDArray[np.int64],
    counted: bool,
    back: float,
    delta: float,
    inverse: int,
    mask: int,
    scale: float,
    values: NDArray[np.float32],
) -> None:
    """Turn the distances of some cells into float32: of whole numbers where `counted`."""
    values[cells] = (
        measured(dist[cells], Measure(0, 0, back, delta, inverse, mask), scale)
        if counted
        else dist[cells]
    )


def descend(
    dist: Distances,
    links: Links,
    cost: Cost,
    steps: NDArray[np.int64],
    lengths: NDArray[Any],
    width: int,
    wrap: bool,
    far: float,
    cell: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The way from a cell down to a goal, (cells, steps taken).

    Each step is to a neighbour that gives exactly the distance, straight on where it can.
    """
    way = [cell]
    taken: list[int] = []
    last = 0
    while True:
        for j in range(len(steps)):
            k = (last + j) % len(steps)
            dx, dy = steps[k].tolist()
            there = _moved(way[-1], dx, dy, len(dist), width, wrap)
            if there is None or not int(links[there]) >> k & 1 or dist[there] == far:
                continue
            if dist[there] + _weight(way[-1], there, lengths[k], cost) == dist[way[-1]]:
                way.append(there)
                taken.append(k)
                last = k
                break
        else:
            return np.array(way, dtype=np.int64), np.array(taken, dtype=np.int64)


def summits(
    heights: NDArray[np.float64],
    links: Links,
    walls: NDArray[np.bool_],
    cost: Cost,
    steps: NDArray[np.int64],
    lengths: NDArray[np.float64],
    width: int,
    wrap: bool,
) -> NDArray[np.int64]:
    """The open cells of which no neighbour's height and the step to it add up to less than their
    own.
    """
    lower = set()
    for there in range(len(heights)):
        for cell, k in _before(there, links, steps, width, wrap):
            if heights[there] + _weight(cell, there, lengths[k], cost) < heights[cell]:
                lower.add(cell)
    return np.array(
        [cell for cell in np.flatnonzero(~walls).tolist() if cell not in lower], dtype=np.int64
    )


def search(
    dist: Distances,
    links: Links,
    cost: Cost,
    steps: NDArray[np.int64],
    lengths: list[Any],
    width: int,
    wrap: bool,
    limit: float,
    heap: list[tuple[Any, int]],
) -> None:
    """Dijkstra's algorithm, backwards along the links into each cell."""
    heapq.heapify(heap)
    while heap:
        gone, cell = heapq.heappop(heap)
        if gone > dist[cell]:
            continue
        for there, k in _before(cell, links, steps, width, wrap):
            after = gone + _weight(there, cell, lengths[k], cost)
            if after < dist[there] and after <= limit:
                dist[there] = after
                heapq.heappush(heap, (after, there))


def _weight(here: int, there: int, length: Any, cost: Cost) -> Any:
    return (
        length
        if cost is None or len(cost) == 1
        else length * (float(cost[here]) + float(cost[there]))
    )


def _before(
    cell: int, links: Links, steps: NDArray[np.int64], width: int, wrap: bool
) -> Iterator[tuple[int, int]]:
    """The cells from which steps enter a cell, and which steps."""
    entered = int(links[cell])
    for k in range(len(steps)):
        if entered >> k & 1:
            dx, dy = steps[k].tolist()
            there = _moved(cell, -dx, -dy, len(links), width, wrap)
            assert there is not None
            yield there, k


def _moved(cell: int, dx: int, dy: int, cells: int, width: int, wrap: bool) -> int | None:
    y, x = divmod(cell, width)
    y, x = y + dy, x + dx
    if wrap:
        return y % (cells // width) * width + x % width
    return y * width + x if 0 <= y < cells // width and 0 <= x < width else None
