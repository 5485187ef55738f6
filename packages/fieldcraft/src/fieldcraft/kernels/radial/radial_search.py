"""Searches for the cells that a radial source acts on, on grids.

Walking distances are whole numbers of 1 / `LENGTH_SCALE` cells, so that they do not depend on the
order of a search.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.radial.radial_arrays import (
    EMISSIONS,
    SQUARE_WEIGHTS,
    WALK_SCRATCH,
    Emissions,
    LinkedGrid,
    SquareWeights,
    WalkScratch,
)
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.trail.stamp_sums import _rounded
from fieldcraft.kernels.trail.stamp_units import ALL_ROWS, TILE_COLUMNS, TILE_ROWS

__all__ = [
    "GRID_1",
    "GRID_8",
    "LENGTH_SCALE",
    "Emissions",
    "LinkedGrid",
    "SquareWeights",
    "WalkScratch",
    "connected",
    "connected_many",
    "open_boxes",
    "path",
]

LENGTH_SCALE = float(1 << 24)
GRID_1 = "LinkedGrid(u1[:,::1], u1[::1], i8[:,::1], i8[::1], i8)"
GRID_8 = "LinkedGrid(u8[:,::1], u8[::1], i8[:,::1], i8[::1], i8)"
"""Grids with up to 8 and up to 64 steps out of a cell, in declarations of kernels."""
_DIRTY = np.uint8(ALL_ROWS)


@kernel("b1[:,::1], i8[::1], i8[::1], i8, out b1[::1]")
def open_boxes(closed, cells, reaches, wrap, found):
    """Write to `found` whether the square of `reaches[i]` around each cell contains no closed cell.

    Squares across an edge that wraps do not count as open.
    """
    height, width = closed.shape
    for i in range(cells.shape[0]):
        reach = reaches[i]
        row, column = divmod(cells[i], width)
        top, bottom = max(row - reach, 0), min(row + reach + 1, height)
        left, right = max(column - reach, 0), min(column + reach + 1, width)
        is_open = True
        if wrap & WRAP_X != 0:
            is_open = right - left == 2 * reach + 1
        if wrap & WRAP_Y != 0:
            is_open = is_open and bottom - top == 2 * reach + 1
        y = top
        while is_open and y < bottom:
            line = closed[y, left:right]
            blocked = False
            for x in range(line.shape[0]):
                blocked |= line[x]
            is_open = not blocked
            y += 1
        found[i] = is_open


@kernel
def _offset(here, there, size, wrap):
    """Return the difference of two rows or columns, the short way around a torus."""
    away = there - here
    if wrap:
        half = (size - 1) // 2
        return (away + half) % size - half
    return away


@kernel(
    f"{GRID_1}, i8, (f8, f8), f8, i8, out i8[::1], out f8[::1], out i8[:,::1]",
    f"{GRID_8}, i8, (f8, f8), f8, i8, out i8[::1], out f8[::1], out i8[:,::1]",
)
def connected(ground, cell, center, radius, mark, cells, squares, seen):
    """Search outwards from a cell over linked cells within a radius, in cells; return the number of
    cells.

    Parameters
    ----------
    ground : LinkedGrid
        The cells, their steps and which axes wrap.
    cell : int
        Where the search begins.
    center : tuple of float
        Columns and rows from the middle of the cell to the point that distances are measured from.
    radius : float
        Largest distance from that point.
    mark : int
        A number that `seen` does not hold yet.
    cells, squares : ndarray
        Receive each cell once and its squared distance.
    seen : ndarray
        Scratch of shape (2 r + 1, 2 r + 1), r at least the offset in cells of any cell found.
    """
    links = ground.links
    masks = ground.masks
    steps = ground.steps
    wrap = ground.wrap
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    across, down = center
    height, width = links.shape
    row, column = divmod(cell, width)
    reach = seen.shape[0] // 2
    limit = radius * radius
    cells[0], squares[0] = cell, across * across + down * down
    seen[reach, reach] = mark
    head, tail = 0, 1
    while head < tail:
        y, x = divmod(cells[head], width)
        head += 1
        for k in range(steps.shape[0]):
            next_y, next_x = y + steps[k, 1], x + steps[k, 0]
            if wrap_x:
                next_x %= width
            if wrap_y:
                next_y %= height
            if next_y < 0 or next_y >= height or next_x < 0 or next_x >= width:
                continue
            right = _offset(column, next_x, width, wrap_x)
            below = _offset(row, next_y, height, wrap_y)
            dx, dy = right - across, below - down
            # The point may be nearer the other way around than the cell.
            if wrap_x:
                dx -= width * np.rint(dx / width)
            if wrap_y:
                dy -= height * np.rint(dy / height)
            square = dx * dx + dy * dy
            if (
                square <= limit
                and seen[reach + below, reach + right] != mark
                and links[next_y, next_x] & masks[k] != 0
            ):
                seen[reach + below, reach + right] = mark
                cells[tail], squares[tail] = next_y * width + next_x, square
                tail += 1
    return tail


@kernel(
    f"{GRID_1}, {EMISSIONS}, {SQUARE_WEIGHTS}, i8, out i8[:,::1], out u1[:,::1], out i8[::1],"
    " out f8[::1], out i8[:,::1]",
    f"{GRID_8}, {EMISSIONS}, {SQUARE_WEIGHTS}, i8, out i8[:,::1], out u1[:,::1], out i8[::1],"
    " out f8[::1], out i8[:,::1]",
)
def connected_many(ground, sources, shapes, mark, sums, dirty, queue, squares, seen):
    """Search with `connected` for many sources and add their footprints; return the last mark used.

    The strengths of the sources are times SCALE.
    """
    cells = sources.cells
    strengths = sources.strengths
    numbers = sources.numbers
    weights = shapes.weights
    flat = sums.reshape(-1)
    width = sums.shape[1]
    for i in range(len(cells)):
        mark += 1
        radius = shapes.radii[numbers[i]]
        first = shapes.starts[numbers[i]]
        count = connected(ground, cells[i], (0.0, 0.0), radius, mark, queue, squares, seen)
        for k in range(count):
            flat[queue[k]] += _rounded(strengths[i] * weights[first + np.int64(squares[k])])
            dirty[queue[k] // width // TILE_ROWS, queue[k] % width // TILE_COLUMNS] = _DIRTY
    return mark


@kernel
def _resistance(extra, y, x):
    """Return the cost of entering a cell besides the step."""
    if extra is None:
        return 0
    return extra[y, x]


@kernel(
    f"{GRID_1}, none, i8, i8, i8, out i8[::1], out i8[::1], {WALK_SCRATCH}",
    f"{GRID_8}, none, i8, i8, i8, out i8[::1], out i8[::1], {WALK_SCRATCH}",
    f"{GRID_1}, i8[:,::1], i8, i8, i8, out i8[::1], out i8[::1], {WALK_SCRATCH}",
    f"{GRID_8}, i8[:,::1], i8, i8, i8, out i8[::1], out i8[::1], {WALK_SCRATCH}",
)
def path(ground, extra, cell, limit, mark, cells, distances, scratch):
    """Search outwards by walking distance; return the number of cells within `limit`.

    Entering a cell costs `extra` (height, width) besides the step; None if it costs nothing
    anywhere. All of the lowest bucket is final, since buckets are as wide as the shortest step: no
    cell in it can shorten another.
    """
    links = ground.links
    masks = ground.masks
    steps = ground.steps
    lengths = ground.lengths
    wrap = ground.wrap
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    best = scratch.best
    seen = scratch.seen
    heads = scratch.heads
    node_cells = scratch.node_cells
    node_next = scratch.node_next
    height, width = links.shape
    row, column = divmod(cell, width)
    reach = seen.shape[0] // 2
    span = lengths.min()
    rounds = heads.shape[0]
    heads[:] = -1
    best[reach, reach], seen[reach, reach] = 0, mark
    node_cells[0], node_next[0], heads[0] = cell, -1, 0
    bucket, slot, found, waiting, nodes = 0, 0, 0, 1, 1
    while waiting > 0:
        node = heads[slot]
        if node < 0:
            bucket += 1
            slot = slot + 1 if slot + 1 < rounds else 0
            continue
        heads[slot] = node_next[node]
        waiting -= 1
        here = node_cells[node]
        y, x = divmod(here, width)
        own_y = reach + _offset(row, y, height, wrap_y)
        own_x = reach + _offset(column, x, width, wrap_x)
        distance = best[own_y, own_x]
        if seen[own_y, own_x] != mark or distance < bucket * span:
            continue
        if extra is not None and distance >= (bucket + 1) * span:
            # It lay beyond all buckets: it goes on to its own, or to the last one again.
            target = (slot + min(distance // span - bucket, rounds - 1)) % rounds
            node_next[node] = heads[target]
            heads[target] = node
            waiting += 1
            continue
        seen[own_y, own_x] = mark + 1
        cells[found], distances[found] = here, distance
        found += 1
        for k in range(steps.shape[0]):
            next_y, next_x = y + steps[k, 1], x + steps[k, 0]
            if wrap_x:
                next_x %= width
            if wrap_y:
                next_y %= height
            if next_y < 0 or next_y >= height or next_x < 0 or next_x >= width:
                continue
            after = distance + lengths[k] + _resistance(extra, next_y, next_x)
            if after > limit or links[next_y, next_x] & masks[k] == 0:
                continue
            to_y = reach + _offset(row, next_y, height, wrap_y)
            to_x = reach + _offset(column, next_x, width, wrap_x)
            if seen[to_y, to_x] == mark + 1 or (
                seen[to_y, to_x] == mark and after >= best[to_y, to_x]
            ):
                continue
            best[to_y, to_x], seen[to_y, to_x] = after, mark
            if extra is None:
                target, edge = slot, (bucket + 1) * span
                while after >= edge:
                    edge += span
                    target = target + 1 if target + 1 < rounds else 0
            else:
                target = (slot + min(after // span - bucket, rounds - 1)) % rounds
            node_cells[nodes], node_next[nodes] = next_y * width + next_x, heads[target]
            heads[target] = nodes
            nodes += 1
            waiting += 1
    return found
