"""Radial influence, fast: footprints, and adding them to a map of whole numbers.

Amounts are whole multiples of 2**-24. They are rounded by adding and taking off `_MAGIC`, which
vectorises: a double of that size has no bits left for fractions. Right for magnitudes below 2**51.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.declare import kernel

__all__ = [
    "LENGTH_SCALE",
    "SCALE",
    "TILE_COLUMNS",
    "TILE_ROWS",
    "amount",
    "clear",
    "connected",
    "connected_many",
    "mark_boxes",
    "path",
    "publish",
    "reaching",
    "scatter",
    "scatter_strongest",
    "stamp",
    "stamp_many",
    "stamp_strongest",
]

SCALE = float(1 << 24)
LENGTH_SCALE = float(1 << 24)
TILE_ROWS = 8
TILE_COLUMNS = 16


def amount(strength: float, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The amount that a source adds at cells of these weights, in units of 1 / SCALE: rounded to
    even. `strength` is times SCALE.
    """
    return np.rint(strength * weights).astype(np.int64)


_MAGIC = 6755399441055744.0
_MAGIC_BITS = np.int64(0x4338000000000000)


@kernel
def _whole(x):
    return np.float64(x + _MAGIC).view(np.int64) - _MAGIC_BITS


@kernel
def _mark(dirty, y0, y1, x0, x1):
    for ty in range(y0 // TILE_ROWS, (y1 - 1) // TILE_ROWS + 1):
        for tx in range(x0 // TILE_COLUMNS, (x1 - 1) // TILE_COLUMNS + 1):
            dirty[ty, tx] = 1


@kernel("f8[:,::1], i8, f8, i8, i8, b1, out i8[:,::1], out u1[:,::1]")
def stamp(weights, cell, strength, first, last, wrap, sums, dirty):
    """Add a footprint's rows [first, last) around a cell. `weights` (2 r + 1, 2 r + 1); `strength`
    times SCALE.

    On a torus each cell takes part once, at its shortest offset.
    """
    height, width = sums.shape
    row, column = divmod(cell, width)
    r = weights.shape[0] // 2
    if not wrap:
        y0, y1 = max(row - r + first, 0), min(row - r + last, height)
        x0, x1 = max(column - r, 0), min(column + r + 1, width)
        if y0 >= y1:
            return
        for y in range(y0, y1):
            out = sums[y, x0:x1]
            share = weights[y - row + r, x0 - column + r : x1 - column + r]
            for x in range(out.shape[0]):
                out[x] += _whole(strength * share[x])
        _mark(dirty, y0, y1, x0, x1)
        return
    for j in range(max(first, r - (height - 1) // 2), min(last, r + height // 2 + 1)):
        y = (row - r + j) % height
        for i in range(max(0, r - (width - 1) // 2), min(2 * r, r + width // 2) + 1):
            x = (column - r + i) % width
            sums[y, x] += _whole(strength * weights[j, i])
            dirty[y // TILE_ROWS, x // TILE_COLUMNS] = 1


@kernel(
    "(i8[::1], f8[::1], i8[::1]), (f8[::1], i8[::1], i8[::1]), b1, i8, i8, b1, out i8[:,::1], out"
    " u1[:,::1]"
)
def stamp_many(sources, prints, wrap, top, bottom, anew, sums, dirty):
    """Add one whole footprint per source, of which `sources` has (cells, strengths, shapes).
    `prints` are (tables, starts, reaches): the footprints of all shapes one after the other.

    Only the map's rows [top, bottom), whole tiles, are touched, so that threads share the work; on
    a torus all are. `anew` clears these rows first.
    """
    (cells, strengths, which), (tables, starts, reaches) = sources, prints
    width = sums.shape[1]
    flat = sums.reshape(-1)
    if anew:
        flat[top * width : bottom * width] = 0
    for i in range(cells.shape[0]):
        r = reaches[which[i]]
        side = 2 * r + 1
        start = starts[which[i]]
        strength = strengths[i]
        if wrap:
            weights = tables[start : start + side * side].reshape(side, side)
            stamp(weights, cells[i], strength, 0, side, wrap, sums, dirty)
            continue
        # What `stamp` does; called, it takes half as long again.
        row, column = divmod(cells[i], width)
        y0, y1 = max(row - r, top), min(row + r + 1, bottom)
        x0, x1 = max(column - r, 0), min(column + r + 1, width)
        if y0 >= y1:
            continue
        to = y0 * width + x0
        of = start + (y0 - row + r) * side + x0 - column + r
        for _ in range(y0, y1):
            out = flat[to : to + x1 - x0]
            share = tables[of : of + x1 - x0]
            for x in range(x1 - x0):
                out[x] += _whole(strength * share[x])
            to += width
            of += side
        _mark(dirty, y0, y1, x0, x1)


@kernel
def _stronger(old, new):
    return new if abs(new) > abs(old) or (abs(new) == abs(old) and new > old) else old


@kernel("f8[:,::1], i8, f8, i8, i8, b1, out i8[:,::1], out u1[:,::1]")
def stamp_strongest(weights, cell, strength, first, last, wrap, sums, dirty):
    """Like `stamp`, but only in dirty tiles, and the strongest magnitude stays, the positive one of
    equals.
    """
    height, width = sums.shape
    row, column = divmod(cell, width)
    r = weights.shape[0] // 2
    j0, j1 = (
        max(first, r - (height - 1) // 2 if wrap else r - row),
        min(last, r + height // 2 + 1 if wrap else height - row + r),
    )
    i0, i1 = (
        r - (width - 1) // 2 if wrap else r - column,
        r + width // 2 + 1 if wrap else width - column + r,
    )
    for j in range(j0, j1):
        y = (row - r + j) % height
        for i in range(max(0, i0), min(2 * r + 1, i1)):
            x = (column - r + i) % width
            if dirty[y // TILE_ROWS, x // TILE_COLUMNS] != 0:
                sums[y, x] = _stronger(sums[y, x], _whole(strength * weights[j, i]))


@kernel("i8[::1], f8[::1], f8, i8, i8, out i8[:,::1], out u1[:,::1]")
def scatter(cells, weights, strength, first, last, sums, dirty):
    """Add to listed cells, those of [first, last) in the list."""
    flat = sums.reshape(-1)
    width = sums.shape[1]
    for i in range(first, last):
        flat[cells[i]] += _whole(strength * weights[i])
        dirty[cells[i] // width // TILE_ROWS, cells[i] % width // TILE_COLUMNS] = 1


@kernel("i8[::1], f8[::1], f8, i8, i8, out i8[:,::1], out u1[:,::1]")
def scatter_strongest(cells, weights, strength, first, last, sums, dirty):
    """`stamp_strongest` for listed cells."""
    flat = sums.reshape(-1)
    width = sums.shape[1]
    for i in range(first, last):
        if dirty[cells[i] // width // TILE_ROWS, cells[i] % width // TILE_COLUMNS] != 0:
            flat[cells[i]] = _stronger(flat[cells[i]], _whole(strength * weights[i]))


@kernel("u1[:,::1], i8, i8, out i8[:,::1]")
def clear(dirty, first, last, sums):
    """Set the dirty tiles of the tile rows [first, last) to 0; how many there were."""
    count = 0
    for ty in range(first, last):
        for tx in range(dirty.shape[1]):
            if dirty[ty, tx] != 0:
                count += 1
                sums[
                    ty * TILE_ROWS : (ty + 1) * TILE_ROWS,
                    tx * TILE_COLUMNS : (tx + 1) * TILE_COLUMNS,
                ] = 0
    return count


@kernel
def _covered(first, last, size, tile, tiles, wrap):
    """The tiles over the rows (or columns) from `first` to `last`: the first of them and how many
    there are.
    """
    if not wrap:
        begin = max(first, 0) // tile
        return begin, min(last, size - 1) // tile - begin + 1
    if last - first + 1 >= size:
        return 0, tiles
    begin, end = first % size // tile, last % size // tile
    if first % size <= last % size:
        return begin, end - begin + 1
    return begin, min(tiles - begin + end + 1, tiles)


@kernel("i8[::1], i8[::1], i8[::1], i8, i8, b1, out u1[:,::1]")
def mark_boxes(cells, which, reaches, height, width, wrap, dirty):
    """Mark the tiles that footprints of these reaches around these cells may touch."""
    down, right = dirty.shape
    for i in range(cells.shape[0]):
        r = reaches[which[i]]
        row, column = divmod(cells[i], width)
        ty, rows = _covered(row - r, row + r, height, TILE_ROWS, down, wrap)
        tx, columns = _covered(column - r, column + r, width, TILE_COLUMNS, right, wrap)
        for j in range(ty, ty + rows):
            for k in range(tx, tx + columns):
                dirty[j % down, k % right] = 1


@kernel("u1[:,::1], i8[::1], i8[::1], i8[::1], i8, i8, b1, out b1[::1]")
def reaching(dirty, cells, which, reaches, height, width, wrap, found):
    """Whether any tile that a footprint may touch is dirty, one answer per cell, into `found`."""
    down, right = dirty.shape
    for i in range(cells.shape[0]):
        r = reaches[which[i]]
        row, column = divmod(cells[i], width)
        ty, rows = _covered(row - r, row + r, height, TILE_ROWS, down, wrap)
        tx, columns = _covered(column - r, column + r, width, TILE_COLUMNS, right, wrap)
        found[i] = False
        for j in range(ty, ty + rows):
            for k in range(tx, tx + columns):
                if dirty[j % down, k % right] != 0:
                    found[i] = True
                    break
            if found[i]:
                break


@kernel("i8[:,::1], b1[:,::1], u1[:,::1], i8, i8, out f4[:,::1]")
def publish(sums, walls, dirty, first, last, values):
    """Turn the dirty tiles of the tile rows [first, last) into float32, 0 on walls; how many there
    were.
    """
    height, width = sums.shape
    count = 0
    for ty in range(first, last):
        for tx in range(dirty.shape[1]):
            if dirty[ty, tx] == 0:
                continue
            count += 1
            x0 = tx * TILE_COLUMNS
            x1 = min(x0 + TILE_COLUMNS, width)
            for y in range(ty * TILE_ROWS, min((ty + 1) * TILE_ROWS, height)):
                row, wall, out = sums[y, x0:x1], walls[y, x0:x1], values[y, x0:x1]
                for x in range(x1 - x0):
                    value = np.float32(np.float64(row[x]) * (1.0 / 16777216.0))
                    out[x] = np.float32(0) if wall[x] else value
    return count


@kernel
def _offset(here, there, size, wrap):
    away = there - here
    return (away + (size - 1) // 2) % size - (size - 1) // 2 if wrap else away


@kernel(
    "(u1[:,::1], u1[::1], i8[:,::1], b1), i8, f8, i8, i8, i8, i8, out i8[::1], out i8[::1], out"
    " i8[:,::1]",
    "(u8[:,::1], u8[::1], i8[:,::1], b1), i8, f8, i8, i8, i8, i8, out i8[::1], out i8[::1], out"
    " i8[:,::1]",
)
def connected(ground, cell, radius, mark, head, tail, most, cells, squares, seen):
    """Search outwards from a cell over linked cells within a radius (in cells): up to `most` cells
    a call.

    `ground` is (links, masks, steps, wrap). `cells` is the queue and the answer, `squares` the
    squared distances; the search goes on from `head` and `tail` (0 and 0 begins it) and is over
    when they are equal. `seen` is scratch of shape (2 r + 1, 2 r + 1), r = floor(radius), that
    holds `mark`, another one for each search, where it has been. Returns (head, tail).
    """
    links, masks, steps, wrap = ground
    height, width = links.shape
    row, column = divmod(cell, width)
    r = seen.shape[0] // 2
    limit = radius * radius
    if tail == 0:
        cells[0], squares[0] = cell, 0
        seen[r, r] = mark
        tail = 1
    stop = head + most
    while head < tail and head < stop:
        y, x = divmod(cells[head], width)
        head += 1
        for k in range(steps.shape[0]):
            ny, nx = y + steps[k, 1], x + steps[k, 0]
            if wrap:
                ny, nx = ny % height, nx % width
            elif ny < 0 or ny >= height or nx < 0 or nx >= width:
                continue
            dx, dy = _offset(column, nx, width, wrap), _offset(row, ny, height, wrap)
            square = dx * dx + dy * dy
            if square <= limit and seen[r + dy, r + dx] != mark and links[ny, nx] & masks[k] != 0:
                seen[r + dy, r + dx] = mark
                cells[tail], squares[tail] = ny * width + nx, square
                tail += 1
    return head, tail


@kernel(
    "(u1[:,::1], u1[::1], i8[:,::1], b1), (i8[::1], f8[::1], i8[::1]), (f8[::1], f8[::1], i8[::1]),"
    " i8, out i8[:,::1], out u1[:,::1], out i8[::1], out i8[::1], out i8[:,::1]",
    "(u8[:,::1], u8[::1], i8[:,::1], b1), (i8[::1], f8[::1], i8[::1]), (f8[::1], f8[::1], i8[::1]),"
    " i8, out i8[:,::1], out u1[:,::1], out i8[::1], out i8[::1], out i8[:,::1]",
)
def connected_many(ground, sources, shapes, mark, sums, dirty, queue, squares, seen):
    """`connected` and `scatter` for many sources of small radius, one after the other; returns the
    last mark that was used.

    `sources` are (cells, strengths, shapes), and `shapes` (radii, weights, starts): the weights of
    a shape by squared distance lie in `weights` from `starts` on.
    """
    (cells, strengths, which), (radii, weights, starts) = sources, shapes
    for i in range(len(cells)):
        mark += 1
        shape = which[i]
        _, tail = connected(
            ground, cells[i], radii[shape], mark, 0, 0, len(queue), queue, squares, seen
        )
        _scatter_squares(sums, dirty, queue, squares, weights, starts[shape], strengths[i], tail)
    return mark


@kernel
def _scatter_squares(sums, dirty, cells, squares, weights, start, strength, count):
    flat = sums.reshape(-1)
    width = sums.shape[1]
    for i in range(count):
        flat[cells[i]] += _whole(strength * weights[start + squares[i]])
        dirty[cells[i] // width // TILE_ROWS, cells[i] % width // TILE_COLUMNS] = 1


@kernel
def _resistance(extra, y, x):
    """What entering a cell costs besides the step."""
    if extra is None:
        return 0
    return extra[y, x]


@kernel(
    "(u1[:,::1], u1[::1], i8[:,::1], b1), i8[::1], none, i8, i8, i8, i8, out i8[::1], out i8[::1],"
    " out i8[::1], (out i8[:,::1], out i8[:,::1], out i8[::1], out i8[::1], out i8[::1])",
    "(u8[:,::1], u8[::1], i8[:,::1], b1), i8[::1], none, i8, i8, i8, i8, out i8[::1], out i8[::1],"
    " out i8[::1], (out i8[:,::1], out i8[:,::1], out i8[::1], out i8[::1], out i8[::1])",
    "(u1[:,::1], u1[::1], i8[:,::1], b1), i8[::1], i8[:,::1], i8, i8, i8, i8, out i8[::1], out"
    " i8[::1], out i8[::1], (out i8[:,::1], out i8[:,::1], out i8[::1], out i8[::1], out i8[::1])",
    "(u8[:,::1], u8[::1], i8[:,::1], b1), i8[::1], i8[:,::1], i8, i8, i8, i8, out i8[::1], out"
    " i8[::1], out i8[::1], (out i8[:,::1], out i8[:,::1], out i8[::1], out i8[::1], out i8[::1])",
)
def path(ground, lengths, extra, cell, limit, mark, most, cells, gone, state, scratch):
    """Search outwards by walking distance up to `limit`: up to `most` cells a call.

    `ground` is (links, masks, steps, wrap). A step is as long as `lengths` (K,) says and what
    `extra` (height, width) says of the cell that it enters, None where no cell resists. Lengths and
    distances are whole numbers. Buckets as wide as the shortest step: no cell in the
    lowest one can shorten another there, so all of it is final. `cells` and `gone` receive each
    cell once with its distance. `state` = [bucket, found, waiting, nodes]; all 0 begins a search;
    it is over when none waits.

    `scratch` is (best, seen, heads, node cells, next nodes). `best` and `seen` have the shape (2 r
    + 1, 2 r + 1); `seen` holds `mark` where a cell waits, `mark + 1` where it is final, so marks go
    up by two. `heads` are the buckets, one more than the longest step spans, through lists of
    nodes.
    """
    links, masks, steps, wrap = ground
    best, seen, heads, node_cells, node_next = scratch
    height, width = links.shape
    row, column = divmod(cell, width)
    r = seen.shape[0] // 2
    span = lengths.min()
    rounds = heads.shape[0]
    if state[3] == 0:
        heads[:] = -1
        best[r, r], seen[r, r] = 0, mark
        node_cells[0], node_next[0], heads[0] = cell, -1, 0
        state[2], state[3] = 1, 1
    taken = 0
    bucket, found, waiting, nodes = state[0], state[1], state[2], state[3]
    slot = bucket % rounds
    while waiting > 0 and taken < most:
        node = heads[slot]
        if node < 0:
            bucket += 1
            slot = slot + 1 if slot + 1 < rounds else 0
            continue
        heads[slot] = node_next[node]
        waiting -= 1
        taken += 1
        here = node_cells[node]
        y, x = divmod(here, width)
        hy = r + _offset(row, y, height, wrap)
        hx = r + _offset(column, x, width, wrap)
        distance = best[hy, hx]
        if seen[hy, hx] != mark or distance < bucket * span:
            continue
        if extra is not None and distance >= (bucket + 1) * span:
            # It lay beyond all buckets: it goes on to its own, or to the last one again.
            target = (slot + min(distance // span - bucket, rounds - 1)) % rounds
            node_next[node] = heads[target]
            heads[target] = node
            waiting += 1
            continue
        seen[hy, hx] = mark + 1
        cells[found], gone[found] = here, distance
        found += 1
        for k in range(steps.shape[0]):
            ny, nx = y + steps[k, 1], x + steps[k, 0]
            if wrap:
                ny, nx = ny % height, nx % width
            elif ny < 0 or ny >= height or nx < 0 or nx >= width:
                continue
            after = distance + lengths[k] + _resistance(extra, ny, nx)
            if after > limit or links[ny, nx] & masks[k] == 0:
                continue
            ty, tx = r + _offset(row, ny, height, wrap), r + _offset(column, nx, width, wrap)
            if seen[ty, tx] == mark + 1 or (seen[ty, tx] == mark and after >= best[ty, tx]):
                continue
            best[ty, tx], seen[ty, tx] = after, mark
            if extra is None:
                target, edge = slot, (bucket + 1) * span
                while after >= edge:
                    edge += span
                    target = target + 1 if target + 1 < rounds else 0
            else:
                target = (slot + min(after // span - bucket, rounds - 1)) % rounds
            node_cells[nodes], node_next[nodes] = ny * width + nx, heads[target]
            heads[target] = nodes
            nodes += 1
            waiting += 1
    state[0], state[1], state[2], state[3] = bucket, found, waiting, nodes
