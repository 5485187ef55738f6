"""The best cells around positions.

Places are world positions in cells from the origin.

Passing an array to another compiled function counts its references, which takes longer than the
work for a few cells. So functions that are called per cell take numbers only, and the loops that
read cells are written out.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.values.best_rule import BEST_RULE, BestRule

__all__ = [
    "TILE",
    "BestRule",
    "around",
    "best",
    "best_each",
    "best_within",
    "bounds",
    "thin",
    "windows",
]

TILE = 16
"""Side of the squares with cached highest values; it changes no result."""


@kernel("f4[:,::1], u1[:,::1], f4, out f4[:,::1]")
def bounds(values, closed, sign, out):
    """Write the highest `sign * value` of the open cells of each tile, -infinity where there is
    none.
    """
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


@kernel
def _away(index, at, count, wrap):
    """Return the distance of the center of a row or column from `at`, the short way around an axis
    that wraps.
    """
    d = abs((index + 0.5) - at)
    return min(d, count - d) if wrap else d


@kernel
def _gap(first, last, at, count, wrap):
    """Return at most the smallest `_away` of the rows or columns [first, last)."""
    if first + 0.5 <= at <= last - 0.5:
        return 0.0
    return min(_away(first, at, count, wrap), _away(last - 1, at, count, wrap))


@kernel
def _tile(own, offset, count, wrap):
    """Return the row or column of tiles at an offset from the own one, each once along an axis that
    wraps; -1 if there is none.
    """
    if wrap:
        return (own + offset) % count if -(count // 2) <= offset < count - count // 2 else -1
    return own + offset if 0 <= own + offset < count else -1


@kernel
def _squared_distance(cell, other, height, width, wrap):
    """Return the squared distance of two cells, the short way around axes that wrap."""
    dr = abs(cell // width - other // width)
    dc = abs(cell % width - other % width)
    if wrap & WRAP_Y != 0:
        dr = min(dr, height - dr)
    if wrap & WRAP_X != 0:
        dc = min(dc, width - dc)
    return dr * dr + dc * dc


@kernel
def _close(closed, cell, spacing2, wrap):
    """Close a cell and the cells less than the spacing from it."""
    height, width = closed.shape
    r, c = divmod(cell, width)
    reach = np.int64(min(np.sqrt(spacing2), np.float64(height + width)))
    low_r, high_r = max(r - reach, 0), min(r + reach, height - 1)
    low_c, high_c = max(c - reach, 0), min(c + reach, width - 1)
    # Along axes that wrap each row and column once, the short way around.
    if wrap & WRAP_Y != 0:
        low_r, high_r = r - min(reach, height // 2), r + min(reach, height - 1 - height // 2)
    if wrap & WRAP_X != 0:
        low_c, high_c = c - min(reach, width // 2), c + min(reach, width - 1 - width // 2)
    for y in range(low_r, high_r + 1):
        for x in range(low_c, high_c + 1):
            d2 = (y - r) * (y - r) + (x - c) * (x - c)
            if d2 == 0 or d2 < spacing2:
                closed[y % height, x % width] = 1


@kernel(
    f"f4[:,::1], f4[:,::1], f8[:,::1], {BEST_RULE}, b1, i8, i8, out i8[:,::1], out u1[:,::1]",
    error_model="numpy",
)
def best(values, bounds, places, rule, taking, first, last, out, closed):
    """Write the best cells around each of `places` (N, 2), one after the other, into `out` (N, k),
    which holds -1.

    Tiles are visited from the inside outwards and skipped where nothing in them can win, by their
    `bounds`, see `bounds`. If `taking`, each choice closes the cells around it for the next ones.
    """
    y_up = rule.y_up
    wrap = rule.wrap
    sign = rule.sign
    reach2 = rule.reach2
    spacing2 = rule.spacing2
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    height, width = values.shape
    down, across = bounds.shape
    reach = np.int64(min(np.sqrt(reach2), np.float64(height + width))) + 1
    rings = (reach - 1) // TILE + (3 if wrap != 0 else 1)
    rings = min(rings, max(down, across))
    for i in range(first, last):
        u, v = places[i, 0], places[i, 1]
        own_column, own_row = min(np.int64(u), width - 1), min(np.int64(v), height - 1)
        if y_up:
            own_row = height - 1 - own_row
        for k in range(out.shape[1]):
            top_score, top_d2, top_cell = np.float32(-np.inf), np.inf, np.int64(-1)
            for ring in range(rings + 1):
                for a in range(-ring, ring + 1):
                    ty = _tile(own_row // TILE, a, down, wrap_y)
                    if ty < 0:
                        continue
                    top = ty * TILE
                    bottom = min(top + TILE, height)
                    gap_v = (
                        _gap(height - bottom, height - top, v, height, wrap_y)
                        if y_up
                        else _gap(top, bottom, v, height, wrap_y)
                    )
                    if gap_v * gap_v > reach2:
                        continue
                    for b in range(-ring, ring + 1, 1 if abs(a) == ring else 2 * ring):
                        tx = _tile(own_column // TILE, b, across, wrap_x)
                        if tx < 0:
                            continue
                        left = tx * TILE
                        right = min(left + TILE, width)
                        gap_u = _gap(left, right, u, width, wrap_x)
                        gap2 = gap_u * gap_u + gap_v * gap_v
                        bound = bounds[ty, tx]
                        if (
                            gap2 > reach2
                            or bound < top_score
                            or (bound == top_score and gap2 > top_d2)
                        ):
                            continue
                        first_column, end_column = left, right
                        if not wrap_x:
                            first_column = max(left, own_column - reach)
                            end_column = min(right, own_column + reach + 1)
                        for r in range(top, bottom):
                            dv = _away(height - 1 - r if y_up else r, v, height, wrap_y)
                            dv2 = dv * dv
                            if dv2 > reach2:
                                continue
                            for c in range(first_column, end_column):
                                score = sign * values[r, c]
                                if not score >= top_score or closed[r, c] != 0:
                                    continue
                                du = _away(c, u, width, wrap_x)
                                d2 = du * du + dv2
                                cell = r * width + c
                                if d2 > reach2 or (
                                    score == top_score
                                    and (d2 > top_d2 or (d2 == top_d2 and cell > top_cell))
                                ):
                                    continue
                                free = True
                                for p in range(k):
                                    squared = _squared_distance(
                                        cell, out[i, p], height, width, wrap
                                    )
                                    free = free and squared > 0 and squared >= spacing2
                                if free:
                                    top_score, top_d2, top_cell = score, d2, cell
            if top_cell < 0:
                break
            out[i, k] = top_cell
            if taking:
                _close(closed, top_cell, spacing2, wrap)


@kernel(
    f"i8[:,::1], f4[:,::1], f8[:,::1], u1[:,::1], {BEST_RULE}, i8, out i8[:,::1], out f4[:,::1]",
    error_model="numpy",
)
def best_each(cells, own, places, closed, rule, columns, out, values):
    """Write the best cells around each of `places` (N, 2) into `out` (N, k), which holds -1, as
    `best` does, for agents that each have values of their own; and their values into `values`.

    Agent i has the values `own[i]` in `cells[i]`, which are all cells within the radius, each once;
    they are a rectangle with so many columns, row by row.
    """
    y_up = rule.y_up
    wrap = rule.wrap
    sign = rule.sign
    reach2 = rule.reach2
    spacing2 = rule.spacing2
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    height, width = closed.shape
    blocked = closed.reshape(-1)
    for i in range(cells.shape[0]):
        u, v = places[i, 0], places[i, 1]
        for k in range(out.shape[1]):
            top_score, top_d2, top_cell = np.float32(-np.inf), np.inf, np.int64(-1)
            for begin in range(0, cells.shape[1], columns):
                r = cells[i, begin] // width
                dv = _away(height - 1 - r if y_up else r, v, height, wrap_y)
                dv2 = dv * dv
                if dv2 > reach2:
                    continue
                for at in range(begin, begin + columns):
                    score = sign * own[i, at]
                    if not score >= top_score:
                        continue
                    cell = cells[i, at]
                    du = _away(cell - r * width, u, width, wrap_x)
                    d2 = du * du + dv2
                    if (
                        d2 > reach2
                        or blocked[np.uint64(cell)] != 0
                        or (
                            score == top_score
                            and (d2 > top_d2 or (d2 == top_d2 and cell > top_cell))
                        )
                    ):
                        continue
                    free = True
                    for p in range(k):
                        squared = _squared_distance(cell, out[i, p], height, width, wrap)
                        free = free and squared > 0 and squared >= spacing2
                    if free:
                        top_score, top_d2, top_cell = score, d2, cell
                        values[i, k] = own[i, at]
            if top_cell < 0:
                break
            out[i, k] = top_cell


@kernel
def _span(own, reach, count, wrap):
    """Return the first row or column within reach of the own one, how many there are, and which of
    them has the lowest index.
    """
    if wrap:
        if 2 * reach + 1 >= count:
            return np.int64(0), np.int64(count), np.int64(0)
        first = (own - reach) % count
        return first, 2 * reach + 1, count - first if first + 2 * reach >= count else np.int64(0)
    first = max(own - reach, 0)
    return first, min(own + reach, count - 1) + 1 - first, np.int64(0)


@kernel
def _scan(values, closed, place, rule, before, limit, wanted):
    """Look at the open cells around a place that keep the spacing to the cells `before`, ascending.

    Return the highest score, the number of cells with at least the score `limit`, and the one of
    these with the number `wanted`, -1 if there are not so many.
    """
    u, v = place
    y_up = rule.y_up
    wrap = rule.wrap
    sign = rule.sign
    reach2 = rule.reach2
    spacing2 = rule.spacing2
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    height, width = values.shape
    own_column, own_row = min(np.int64(u), width - 1), min(np.int64(v), height - 1)
    if y_up:
        own_row = height - 1 - own_row
    reach = np.int64(min(np.sqrt(reach2), np.float64(height + width))) + 1
    top, rows, lowest_row = _span(own_row, reach, height, wrap_y)
    left, columns, lowest_column = _span(own_column, reach, width, wrap_x)
    highest, count, chosen = -np.inf, np.int64(0), np.int64(-1)
    for a in range(rows):
        r = (top + (a + lowest_row) % rows) % height
        dv = _away(height - 1 - r if y_up else r, v, height, wrap_y)
        dv2 = dv * dv
        if dv2 > reach2:
            continue
        for b in range(columns):
            c = left + b + lowest_column
            c -= columns if b + lowest_column >= columns else 0
            c -= width if c >= width else 0
            score = np.float64(sign * values[r, c])
            if closed[r, c] != 0 or (score < limit and score <= highest):
                continue
            du = _away(c, u, width, wrap_x)
            if du * du + dv2 > reach2:
                continue
            cell = r * width + c
            free = True
            for p in range(before.shape[0]):
                squared = _squared_distance(cell, before[p], height, width, wrap)
                free = free and squared > 0 and squared >= spacing2
            if not free:
                continue
            highest = max(highest, score)
            if score >= limit:
                if count == wanted:
                    chosen = cell
                count += 1
    return highest, count, chosen


@kernel(
    f"f4[:,::1], f8[:,::1], f8[:,::1], {BEST_RULE}, f8, b1, i8, i8, out i8[:,::1], out u1[:,::1]",
    error_model="numpy",
)
def best_within(values, places, draws, rule, share, taking, first, last, out, closed):
    """Write random cells around each of `places` (N, 2) into `out` (N, k), which holds -1: each
    one of the cells whose score is within a `share` of the best one.

    `draws` (N, k) are numbers from 0 up to 1 that decide; the other arguments are those of `best`.
    """
    for i in range(first, last):
        place = places[i, 0], places[i, 1]
        for k in range(out.shape[1]):
            before = out[i, :k]
            highest, _count, _cell = _scan(
                values, closed, place, rule, before, np.inf, np.int64(-1)
            )
            if highest == -np.inf:
                break
            limit = highest - share * abs(highest)
            _highest, count, _cell = _scan(values, closed, place, rule, before, limit, np.int64(-1))
            wanted = min(np.int64(draws[i, k] * count), count - 1)
            _highest, _count, cell = _scan(values, closed, place, rule, before, limit, wanted)
            out[i, k] = cell
            if taking:
                _close(closed, cell, rule.spacing2, rule.wrap)


@kernel("i8[::1], i8, (i8, i8), i8, out i8[::1]")
def windows(centers, reach, shape, wrap, cells):
    """Write the cells up to `reach` rows and columns from each of `centers`; return their number.

    Cells between several centers come several times.
    """
    height, width = shape
    count = 0
    for i in range(centers.shape[0]):
        row, column = divmod(centers[i], width)
        for y in range(row - reach, row + reach + 1):
            if wrap & WRAP_Y == 0 and (y < 0 or y >= height):
                continue
            for x in range(column - reach, column + reach + 1):
                if wrap & WRAP_X != 0 or 0 <= x < width:
                    cells[count] = (y % height) * width + x % width
                    count += 1
    return count


@kernel("i8[::1], i8, (i8, i8), i8, (i8, i8), out i8[:,::1]")
def around(centers, reach, shape, wrap, size, cells):
    """Write the cells up to `reach` rows and columns from each of `centers` (N,) into a row of
    `cells`, each once.

    `size` are the height and width of such a square, at most those of the map: at its rim a square
    has cells beyond the reach on the other side.
    """
    (height, width), (rows, columns) = shape, size
    for i in range(centers.shape[0]):
        row, column = divmod(centers[i], width)
        top, left = row - reach, column - reach
        if wrap & WRAP_Y == 0:
            top = max(min(top, height - rows), 0)
        if wrap & WRAP_X == 0:
            left = max(min(left, width - columns), 0)
        for y in range(rows):
            begin, place = ((top + y) % height) * width, y * columns
            for x in range(columns):
                cells[i, place + x] = begin + (left + x)
            if left < 0 or left + columns > width:
                for x in range(columns):
                    cells[i, place + x] = begin + (left + x) % width


@kernel("i8[::1], f8, i8, i8, out i8[::1], out u1[:,::1]")
def thin(cells, spacing2, wrap, most, out, closed):
    """Write the first `most` of `cells` that keep the spacing to the chosen cells before them into
    `out`; return their number.
    """
    count = 0
    for cell in cells:
        if count == most:
            break
        if closed[cell // closed.shape[1], cell % closed.shape[1]] == 0:
            out[count] = cell
            count += 1
            _close(closed, cell, spacing2, wrap)
    return count
