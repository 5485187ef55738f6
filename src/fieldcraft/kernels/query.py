"""Questions to a map of values, fast: the same bits as `fieldcraft.kernels.reference.query`.

Rows and columns are those of the arrays; `u` and `v` are world positions in cells from the origin, so that `v` grows with
the world's y, and row `height - 1 - floor(v)` lies there if `y_up`. `first` and `last` bound the agents that a call serves.

Handing an array to another compiled function counts its references, which takes longer than all that is done with a
few cells. So functions that are called per cell take numbers only, and the loops that read cells are written out.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["TILE", "along", "best", "bilinear", "bounds", "gradient", "label", "measure", "peaks", "thin"]

TILE = 16
_POINTS = 512  # at a time: their scratch stays in the first-level cache
_INSIDE = 1 - 2.0**-53  # times a count: the last position before the far rim


@njit(nogil=True, cache=True)
def _on_map(index, count, wrap):  # type: ignore[no-untyped-def]
    """A row or column that may lie beyond the rim: from the other side on a torus, else -1."""
    if 0 <= index < count:
        return np.int64(index)
    return np.int64(index % count) if wrap else np.int64(-1)


# Values between cells -----------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, error_model="numpy")
def _around(u, count, flip, wrap):  # type: ignore[no-untyped-def]
    """Along one axis: the two rows or columns whose centres surround a position (-1 off the map), and how far in between."""
    before = np.floor(u - 0.5)
    part = (u - 0.5) - before
    low = _on_map(before, count, wrap)
    high = _on_map(before + 1.0, count, wrap)
    if flip:
        low = count - 1 - low if low >= 0 else low
        high = count - 1 - high if high >= 0 else high
    return low, high, part


@njit(nogil=True, cache=True)
def _reached(own, bottom, top, left, right):  # type: ignore[no-untyped-def]
    """Which of four cells (0 1 below, 2 3 above) straight steps reach from `own`, as bits, by the sides that are joined."""
    along = bottom if own < 2 else top
    across = left if own % 2 == 0 else right
    part = 1 << own
    if along:
        part |= 1 << (own ^ 1)
    if across:
        part |= 1 << (own ^ 2)
    if (along and (right if own % 2 == 0 else left)) or (across and (top if own < 2 else bottom)):
        part |= 1 << (own ^ 3)
    return part


@njit(nogil=True, cache=True, error_model="numpy")
def _block(u, v, height, width, y_up):  # type: ignore[no-untyped-def]
    left = np.floor(u - 0.5)
    below = np.floor(v - 0.5)
    row = height - 1.0 - below if y_up else below
    on_map = (left >= 0) & (left < width - 1) & (below >= 0) & (below < height - 1)
    return row * width + left if on_map else -1.0, (u - 0.5) - left, (v - 0.5) - below


@njit(nogil=True, cache=True, error_model="numpy")
def _blocks(points, x0, y0, size, height, width, y_up, corner, across, along, bases):  # type: ignore[no-untyped-def]
    """Where the 2 x 2 cells around points begin: the flat index of the one with the smallest x and y, and how far in between.

    `points` holds x and y in turn. -1 for a point beside which one of the four lies off the map. Apart from the rest, and
    `corner` apart from `bases`, so that it runs on vectors.
    """
    inverse = 1.0 / size
    if math.frexp(size)[0] == 0.5:  # of a power of 2 the inverse is exact
        for i in range(bases.shape[0]):
            u = (points[2 * i] - x0) * inverse
            v = (points[2 * i + 1] - y0) * inverse
            corner[i], across[i], along[i] = _block(u, v, height, width, y_up)
    else:
        for i in range(bases.shape[0]):
            u = (points[2 * i] - x0) / size
            v = (points[2 * i + 1] - y0) / size
            corner[i], across[i], along[i] = _block(u, v, height, width, y_up)
    for i in range(bases.shape[0]):
        bases[i] = np.int64(corner[i])


@njit(nogil=True, cache=True, error_model="numpy")
def bilinear(  # type: ignore[no-untyped-def]
    values, walls, bare, classes, both, kinds, points, x0, y0, size, y_up, wrap, clamp, first, last, outside, out
):
    """Values between the cells around each of `points` (N, 2), into `out` (N,); a point off the map or not finite into `outside`."""
    height, width = values.shape
    flat = values.reshape(-1)
    wall = walls.reshape(-1)
    pairs = points.reshape(-1)
    corners = np.empty(_POINTS)
    bases = np.empty(_POINTS, np.int64)
    across = np.empty(_POINTS)
    along = np.empty(_POINTS)
    kind = np.empty(4, np.int64)
    right = np.uint64(1)
    up = np.uint64(-width if y_up else width)
    for start in range(first, last, _POINTS):
        count = min(_POINTS, last - start)
        here = pairs[2 * start : 2 * (start + count)]
        _blocks(here, x0, y0, size, np.float64(height), np.float64(width), y_up, corners, across, along, bases[:count])
        for i in range(count):
            base = np.uint64(bases[i])
            known = bare
            if bases[i] >= 0 and not bare and not kinds:
                known = not (wall[base] | wall[base + right] | wall[base + up] | wall[base + up + right])
            if bases[i] >= 0 and known:
                low = flat[base] + (np.float64(flat[base + right]) - flat[base]) * across[i]
                high = flat[base + up] + (np.float64(flat[base + up + right]) - flat[base + up]) * across[i]
                out[start + i] = low + (high - low) * along[i]
                continue

            u = (points[start + i, 0] - x0) / size
            v = (points[start + i, 1] - y0) / size
            if not (0 <= u < width and 0 <= v < height) and not (np.isfinite(u) and np.isfinite(v) and (clamp or wrap)):
                outside[0] = start + i
                continue
            if not wrap:
                u = min(max(u, 0.0), width * _INSIDE)
                v = min(max(v, 0.0), height * _INSIDE)
            r0, r1, tv = _around(v, height, y_up, wrap)
            c0, c1, tu = _around(u, width, False, wrap)
            for corner in range(4):
                r = r1 if corner >= 2 else r0
                c = c1 if corner % 2 == 1 else c0
                if r < 0 or c < 0 or walls[r, c]:
                    kind[corner] = -1
                else:
                    kind[corner] = np.int64(classes[r, c]) if kinds else 0
            bottom = kind[0] >= 0 and kind[1] >= 0 and (not kinds or both[kind[0], kind[1]])
            top = kind[2] >= 0 and kind[3] >= 0 and (not kinds or both[kind[2], kind[3]])
            left = kind[0] >= 0 and kind[2] >= 0 and (not kinds or both[kind[0], kind[2]])
            right_side = kind[1] >= 0 and kind[3] >= 0 and (not kinds or both[kind[1], kind[3]])
            part = _reached((2 if tv >= 0.5 else 0) + (1 if tu >= 0.5 else 0), bottom, top, left, right_side)
            if part == 15:
                low = values[r0, c0] + (np.float64(values[r0, c1]) - values[r0, c0]) * tu
                high = values[r1, c0] + (np.float64(values[r1, c1]) - values[r1, c0]) * tu
                out[start + i] = low + (high - low) * tv
                continue
            total = 0.0
            whole = 0.0
            for corner in range(4):
                if part & (1 << corner) != 0:
                    weight = (tv if corner >= 2 else 1.0 - tv) * (tu if corner % 2 == 1 else 1.0 - tu)
                    total += weight * values[r1 if corner >= 2 else r0, c1 if corner % 2 == 1 else c0]
                    whole += weight
            out[start + i] = total / whole


@njit(nogil=True, cache=True, error_model="numpy")
def gradient(  # type: ignore[no-untyped-def]
    values, walls, bare, classes, both, kinds, points, x0, y0, size, y_up, wrap, clamp, smooth, first, last, outside, out
):
    """Slopes along the world's x and y at each of `points` (N, 2), per world unit, into `out` (N, 2); a wrong point into `outside`."""
    height, width = values.shape
    kind = np.empty(4, np.int64)
    beside = np.empty(2)
    for i in range(first, last):
        u = (points[i, 0] - x0) / size
        v = (points[i, 1] - y0) / size
        if not (0 <= u < width and 0 <= v < height) and not (np.isfinite(u) and np.isfinite(v) and (clamp or wrap)):
            outside[0] = i
            continue
        if not wrap:
            u = min(max(u, 0.0), width * _INSIDE)
            v = min(max(v, 0.0), height * _INSIDE)
        r0, r1, tv = _around(v, height, y_up, wrap)
        c0, c1, tu = _around(u, width, False, wrap)
        for corner in range(4):
            r = r1 if corner >= 2 else r0
            c = c1 if corner % 2 == 1 else c0
            if r < 0 or c < 0 or walls[r, c]:
                kind[corner] = -1
            else:
                kind[corner] = np.int64(classes[r, c]) if kinds else 0
        own = (2 if tv >= 0.5 else 0) + (1 if tu >= 0.5 else 0)
        part = 1 << own
        if smooth:
            bottom = kind[0] >= 0 and kind[1] >= 0 and (not kinds or both[kind[0], kind[1]])
            top = kind[2] >= 0 and kind[3] >= 0 and (not kinds or both[kind[2], kind[3]])
            left = kind[0] >= 0 and kind[2] >= 0 and (not kinds or both[kind[0], kind[2]])
            right = kind[1] >= 0 and kind[3] >= 0 and (not kinds or both[kind[1], kind[3]])
            part = _reached(own, bottom, top, left, right)
        x = 0.0
        y = 0.0
        whole = 0.0
        for corner in range(4):
            if part & (1 << corner) == 0:
                continue
            weight = (tv if corner >= 2 else 1.0 - tv) * (tu if corner % 2 == 1 else 1.0 - tu) if smooth else 1.0
            whole += weight
            if kind[corner] < 0:
                continue
            r = r1 if corner >= 2 else r0
            c = c1 if corner % 2 == 1 else c0
            for axis in range(2):
                sides = 0
                for side in range(2):
                    beside[side] = np.float64(values[r, c])
                    move = 1 if side == 1 else -1
                    rb = _on_map(r + (-move if y_up else move), height, wrap) if axis == 1 else r
                    cb = _on_map(c + move, width, wrap) if axis == 0 else c
                    if rb >= 0 and cb >= 0 and not walls[rb, cb] and (not kinds or both[kind[corner], classes[rb, cb]]):
                        beside[side] = np.float64(values[rb, cb])
                        sides += 1
                slope = (beside[1] - beside[0]) / 2.0 if sides == 2 else beside[1] - beside[0]
                if axis == 0:
                    x += weight * slope
                else:
                    y += weight * slope
        out[i, 0] = x / whole / size
        out[i, 1] = y / whole / size


# The best cells around ----------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def bounds(values, closed, sign, out):  # type: ignore[no-untyped-def]
    """The highest `sign * value` of the cells of each tile that are not closed, -infinity where there is none."""
    height, width = values.shape
    for ty in range(out.shape[0]):
        for tx in range(out.shape[1]):
            highest = np.float32(-np.inf)
            for r in range(ty * TILE, min((ty + 1) * TILE, height)):
                for c in range(tx * TILE, min((tx + 1) * TILE, width)):
                    score = sign * values[r, c]
                    if score > highest and closed[r, c] == 0:
                        highest = score
            out[ty, tx] = highest


@njit(nogil=True, cache=True)
def _away(index, at, count, wrap):  # type: ignore[no-untyped-def]
    """How far the centre of a row or column is from `at`, the short way round."""
    d = abs((index + 0.5) - at)
    return min(d, count - d) if wrap else d


@njit(nogil=True, cache=True)
def _gap(first, last, at, count, wrap):  # type: ignore[no-untyped-def]
    """At most the smallest `_away` of the rows or columns [first, last)."""
    if first + 0.5 <= at <= last - 0.5:
        return 0.0
    return min(_away(first, at, count, wrap), _away(last - 1, at, count, wrap))


@njit(nogil=True, cache=True)
def _tile(own, offset, count, wrap):  # type: ignore[no-untyped-def]
    """The row or column of tiles so far from the own one, each once on a torus; -1 if there is none."""
    if wrap:
        return (own + offset) % count if -(count // 2) <= offset < count - count // 2 else -1
    return own + offset if 0 <= own + offset < count else -1


@njit(nogil=True, cache=True)
def _apart2(cell, other, height, width, wrap):  # type: ignore[no-untyped-def]
    """The squared distance of two cells, the short way round."""
    dr = abs(cell // width - other // width)
    dc = abs(cell % width - other % width)
    if wrap:
        dr = min(dr, height - dr)
        dc = min(dc, width - dc)
    return dr * dr + dc * dc


@njit(nogil=True, cache=True)
def _close(closed, cell, spacing2, wrap):  # type: ignore[no-untyped-def]
    """Close a cell and what lies less than the spacing from it."""
    height, width = closed.shape
    r, c = divmod(cell, width)
    reach = np.int64(min(np.sqrt(spacing2), np.float64(height + width)))
    low_r, high_r = max(r - reach, 0), min(r + reach, height - 1)
    low_c, high_c = max(c - reach, 0), min(c + reach, width - 1)
    if wrap:
        # Each row and column once, the short way round.
        low_r, high_r = r - min(reach, height // 2), r + min(reach, height - 1 - height // 2)
        low_c, high_c = c - min(reach, width // 2), c + min(reach, width - 1 - width // 2)
    for y in range(low_r, high_r + 1):
        for x in range(low_c, high_c + 1):
            d2 = (y - r) * (y - r) + (x - c) * (x - c)
            if d2 == 0 or d2 < spacing2:
                closed[y % height, x % width] = 1


@njit(nogil=True, cache=True, error_model="numpy")
def best(  # type: ignore[no-untyped-def]
    values, closed, bounds, sign, places, reach2, spacing2, taking, y_up, wrap, first, last, out
):
    """For each of `places` (N, 2) in cells, the best cells one after the other into `out` (N, k), which holds -1.

    Tiles are visited from the inside outwards and left out where nothing in them can win. If `taking`, each choice closes
    what lies around it for those after it.
    """
    height, width = values.shape
    down, across = bounds.shape
    rings = np.int64(min(np.sqrt(reach2), np.float64(height + width))) // TILE + (3 if wrap else 1)
    rings = min(rings, max(down, across))
    for i in range(first, last):
        u = places[i, 0]
        v = places[i, 1]
        own_column = min(np.int64(u), width - 1)
        own_row = min(np.int64(v), height - 1)
        if y_up:
            own_row = height - 1 - own_row
        for k in range(out.shape[1]):
            top_score = np.float32(-np.inf)
            top_d2 = np.inf
            top_cell = -1
            for ring in range(rings + 1):
                for a in range(-ring, ring + 1):
                    ty = _tile(own_row // TILE, a, down, wrap)
                    if ty < 0:
                        continue
                    top = ty * TILE
                    bottom = min(top + TILE, height)
                    gap_v = _gap(height - bottom, height - top, v, height, wrap) if y_up else _gap(top, bottom, v, height, wrap)
                    if gap_v * gap_v > reach2:
                        continue
                    for b in range(-ring, ring + 1, 1 if abs(a) == ring else 2 * ring):
                        tx = _tile(own_column // TILE, b, across, wrap)
                        if tx < 0:
                            continue
                        left = tx * TILE
                        right = min(left + TILE, width)
                        gap_u = _gap(left, right, u, width, wrap)
                        gap2 = gap_u * gap_u + gap_v * gap_v
                        bound = bounds[ty, tx]
                        if gap2 > reach2 or bound < top_score or (bound == top_score and gap2 > top_d2):
                            continue
                        for r in range(top, bottom):
                            dv = _away(height - 1 - r if y_up else r, v, height, wrap)
                            dv2 = dv * dv
                            if dv2 > reach2:
                                continue
                            for c in range(left, right):
                                score = sign * values[r, c]
                                if not score >= top_score or closed[r, c] != 0:
                                    continue
                                du = _away(c, u, width, wrap)
                                d2 = du * du + dv2
                                cell = r * width + c
                                if d2 > reach2 or (score == top_score and (d2 > top_d2 or (d2 == top_d2 and cell > top_cell))):
                                    continue
                                free = True
                                for p in range(k):
                                    apart2 = _apart2(cell, out[i, p], height, width, wrap)
                                    free = free and apart2 > 0 and apart2 >= spacing2
                                if free:
                                    top_score = score
                                    top_d2 = d2
                                    top_cell = cell
            if top_cell < 0:
                break
            out[i, k] = top_cell
            if taking:
                _close(closed, top_cell, spacing2, wrap)


@njit(nogil=True, cache=True)
def thin(cells, closed, spacing2, wrap, most, out):  # type: ignore[no-untyped-def]
    """The first `most` of `cells` that keep the spacing to those before them, into `out`; how many they are."""
    count = 0
    for cell in cells:
        if count == most:
            break
        if closed[cell // closed.shape[1], cell % closed.shape[1]] == 0:
            out[count] = cell
            count += 1
            _close(closed, cell, spacing2, wrap)
    return count


# Hills and countries ------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def _middle(queue, columns, rows, first, last):  # type: ignore[no-untyped-def]
    """Of the cells in a stretch of the queue, the one nearest to their mean, of equals the lowest."""
    sum_x = 0
    sum_y = 0
    for i in range(first, last):
        sum_x += columns[i]
        sum_y += rows[i]
    mean_x = sum_x / (last - first)
    mean_y = sum_y / (last - first)
    nearest = np.inf
    found = -1
    for i in range(first, last):
        dx = columns[i] - mean_x
        dy = rows[i] - mean_y
        d2 = dx * dx + dy * dy
        if d2 < nearest or (d2 == nearest and queue[i] < found):
            nearest = d2
            found = queue[i]
    return found


@njit(nogil=True, cache=True, error_model="numpy")
def peaks(values, walls, links, moves, masks, ends, threshold, wrap, out):  # type: ignore[no-untyped-def]
    """The cells above the threshold beside which nothing is higher, into `out`; how many. Of a plateau, the middle one."""
    height, width = values.shape
    flat = values.reshape(-1)
    wall = walls.reshape(-1)
    link = links.reshape(-1)
    reach = np.abs(moves).max()
    seen = np.zeros(flat.shape[0], np.uint8)
    queue = np.empty(flat.shape[0], np.int64)
    columns = np.empty(flat.shape[0], np.int64)
    rows = np.empty(flat.shape[0], np.int64)
    count = 0
    for cell in range(flat.shape[0]):
        value = flat[cell]
        if wall[cell] or seen[cell] != 0 or not value > threshold:
            continue
        queue[0] = cell
        columns[0] = cell % width
        rows[0] = cell // width
        seen[cell] = 1
        size = 1
        i = 0
        top = True
        while i < size:
            here = queue[i]
            y = here // width
            x = here - y * width
            inner = reach <= x < width - reach and reach <= y < height - reach
            for m in range(moves.shape[0]):
                there = here + moves[m, 1] * width + moves[m, 0]
                if not inner:
                    ny = _on_map(y + moves[m, 1], height, wrap)
                    nx = _on_map(x + moves[m, 0], width, wrap)
                    if ny < 0 or nx < 0:
                        continue
                    there = ny * width + nx
                if wall[there] or link[there if ends[m] else here] & masks[m] == 0:
                    continue
                if flat[there] > value:
                    top = False
                elif flat[there] == value and seen[there] == 0:
                    seen[there] = 1
                    queue[size] = there
                    columns[size] = columns[i] + moves[m, 0]
                    rows[size] = rows[i] + moves[m, 1]
                    size += 1
            i += 1
        if top:
            out[count] = cell if size == 1 else _middle(queue, columns, rows, 0, size)
            count += 1
    return count


@njit(nogil=True, cache=True, error_model="numpy")
def label(values, walls, links, moves, masks, ends, threshold, wrap, labels, queue, columns, rows):  # type: ignore[no-untyped-def]
    """Number the joined cells above the threshold from 1 on, by their first cell, in `labels`; (regions, cells in them).

    `queue` gets the cells region by region, `columns` and `rows` where they lie without the jump across the rim of a torus.
    """
    height, width = values.shape
    flat = values.reshape(-1)
    wall = walls.reshape(-1)
    link = links.reshape(-1)
    reach = np.abs(moves).max()
    number = labels.reshape(-1)
    count = 0
    size = 0
    for cell in range(flat.shape[0]):
        if wall[cell] or number[cell] != 0 or not flat[cell] > threshold:
            continue
        count += 1
        number[cell] = count
        queue[size] = cell
        columns[size] = cell % width
        rows[size] = cell // width
        i = size
        size += 1
        while i < size:
            here = queue[i]
            y = here // width
            x = here - y * width
            inner = reach <= x < width - reach and reach <= y < height - reach
            for m in range(moves.shape[0]):
                there = here + moves[m, 1] * width + moves[m, 0]
                if not inner:
                    ny = _on_map(y + moves[m, 1], height, wrap)
                    nx = _on_map(x + moves[m, 0], width, wrap)
                    if ny < 0 or nx < 0:
                        continue
                    there = ny * width + nx
                if number[there] != 0 or wall[there] or not flat[there] > threshold or link[there if ends[m] else here] & masks[m] == 0:
                    continue
                number[there] = count
                queue[size] = there
                columns[size] = columns[i] + moves[m, 0]
                rows[size] = rows[i] + moves[m, 1]
                size += 1
            i += 1
    return count, size


@njit(nogil=True, cache=True)
def measure(values, labels, queue, columns, rows, size, cells, totals, tops, middles):  # type: ignore[no-untyped-def]
    """Of each region its number of cells, sum, highest cell (of equals the lowest) and middle cell; `tops` holds -1."""
    flat = values.reshape(-1)
    number = labels.reshape(-1)
    for cell in range(flat.shape[0]):
        region = number[cell] - 1
        if region >= 0:
            cells[region] += 1
            totals[region] += flat[cell]
            if tops[region] < 0 or flat[cell] > flat[tops[region]]:
                tops[region] = cell
    first = 0
    while first < size:
        region = number[queue[first]] - 1
        middles[region] = _middle(queue, columns, rows, first, first + cells[region])
        first += cells[region]


# Along a path -------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def along(values, places, starts, y_up, wrap, first, last, sums, lengths, highest, where):  # type: ignore[no-untyped-def]
    """Of each path, in cells: the sum of value times length, its length, the highest value and the middle of its stretch.

    Path `p` goes straight from each to the next of `places[starts[p] : starts[p + 1]]`, on a torus the short way.
    """
    height, width = values.shape
    for p in range(first, last):
        total = 0.0
        length = 0.0
        top = -np.inf
        top_u = places[starts[p], 0]
        top_v = places[starts[p], 1]
        for i in range(starts[p], starts[p + 1] - 1):
            u = places[i, 0]
            v = places[i, 1]
            du = places[i + 1, 0] - u
            dv = places[i + 1, 1] - v
            if wrap:
                du -= width * np.rint(du / width)
                dv -= height * np.rint(dv / height)
            span = np.sqrt(du * du + dv * dv)
            if span == 0:
                continue
            length += span
            c = np.int64(np.floor(u))
            r = np.int64(np.floor(v))
            left_c = abs(np.int64(np.floor(u + du)) - c)
            left_r = abs(np.int64(np.floor(v + dv)) - r)
            t = 0.0
            while True:
                until_c = ((c + 1 if du > 0 else c) - u) / du if left_c > 0 else np.inf
                until_r = ((r + 1 if dv > 0 else r) - v) / dv if left_r > 0 else np.inf
                until = min(min(until_c, until_r), 1.0)
                if until > t:
                    x = c % width if wrap else min(max(c, 0), width - 1)
                    y = r % height if wrap else min(max(r, 0), height - 1)
                    value = values[height - 1 - y if y_up else y, x]
                    total += value * ((until - t) * span)
                    if value > top:
                        top = np.float64(value)
                        top_u = u + du * ((t + until) / 2.0)
                        top_v = v + dv * ((t + until) / 2.0)
                    t = until
                if left_c == 0 and left_r == 0:
                    break
                if until_c <= until_r:
                    c += 1 if du > 0 else -1
                    left_c -= 1
                else:
                    r += 1 if dv > 0 else -1
                    left_r -= 1
        if top == -np.inf:
            x = min(np.int64(top_u), width - 1)
            y = min(np.int64(top_v), height - 1)
            top = np.float64(values[height - 1 - y if y_up else y, x])
        sums[p] = total
        lengths[p] = length
        highest[p] = top
        where[p, 0] = top_u
        where[p, 1] = top_v
