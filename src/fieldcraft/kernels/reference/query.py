"""Questions to a map of values, spelled out: the specification of `fieldcraft.kernels.query`.

Rows and columns are those of the arrays; `u` and `v` are world positions in cells from the origin, so that `v` grows with
the world's y, and row `height - 1 - floor(v)` lies there if `y_up`. `first` and `last` bound the agents that a call serves.
All arithmetic on positions is float64 and in the order written here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["TILE", "along", "best", "bilinear", "bounds", "gradient", "label", "measure", "peaks", "thin"]

TILE = 16
"""Side of the squares whose highest values the compiled kernels keep; it changes no answer."""

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Links = NDArray[np.unsignedinteger]


# Values between cells -----------------------------------------------------------------------------------------------


def bilinear(
    values: Floats,
    walls: Bools,
    bare: bool,
    classes: Bytes,
    both: Bools,
    kinds: bool,
    points: Wide,
    x0: float,
    y0: float,
    size: float,
    y_up: bool,
    wrap: bool,
    clamp: bool,
    first: int,
    last: int,
    outside: Ints,
    out: Floats,
) -> None:
    """Values between the cells around each of `points` (N, 2), into `out` (N,); a point off the map or not finite into `outside`.

    Of the 2 x 2 cells whose centres surround a point, those take part that can be reached from the point's own cell
    by straight steps among the four, over open cells and, if there are `kinds` of ground, between `classes` whose pair is in
    `both`: it may be stepped from each to the other. Their weights are divided by what they sum to. `bare` maps have
    neither walls nor kinds.
    """
    index, u, v = _on_ground(points[first:last], x0, y0, size, values.shape, wrap, clamp, first, outside)
    corners, tu, tv = _corners(walls, classes, both, kinds, u, v, y_up, wrap)
    total = np.zeros(len(index))
    whole = np.zeros(len(index))
    found = []
    for rows, columns, weights, _ in corners:
        found.append(values[rows, columns].astype(np.float64))
        total = total + np.where(weights > 0, weights * values[rows, columns], 0.0)
        whole = whole + weights
    low = found[0] + (found[1] - found[0]) * tu
    high = found[2] + (found[3] - found[2]) * tu
    all_four = np.logical_and.reduce([takes_part for _, _, _, takes_part in corners])
    out[first + index] = np.where(all_four, low + (high - low) * tv, total / whole)


def gradient(
    values: Floats,
    walls: Bools,
    bare: bool,
    classes: Bytes,
    both: Bools,
    kinds: bool,
    points: Wide,
    x0: float,
    y0: float,
    size: float,
    y_up: bool,
    wrap: bool,
    clamp: bool,
    smooth: bool,
    first: int,
    last: int,
    outside: Ints,
    out: Wide,
) -> None:
    """Slopes along the world's x and y at each of `points` (N, 2), per world unit, into `out` (N, 2); a wrong point into `outside`.

    Those of the point's cell, or if `smooth` those of the cells that `bilinear` mixes, mixed in the same way.
    """
    index, u, v = _on_ground(points[first:last], x0, y0, size, values.shape, wrap, clamp, first, outside)
    corners, tu, tv = _corners(walls, classes, both, kinds, u, v, y_up, wrap)
    own = 2 * (tv >= 0.5) + (tu >= 0.5)
    for axis, (dr, dc) in enumerate([(0, 1), (-1 if y_up else 1, 0)]):
        total = np.zeros(len(index))
        whole = np.zeros(len(index))
        for corner, (rows, columns, weights, _) in enumerate(corners):
            if not smooth:
                weights = np.where(own == corner, 1.0, 0.0)
            slope = _slope(values, walls, classes, both, kinds, rows, columns, dr, dc, wrap)
            total = total + np.where(weights > 0, weights * slope, 0.0)
            whole = whole + weights
        out[first + index, axis] = total / whole / size


def _on_ground(
    points: Wide, x0: float, y0: float, size: float, shape: tuple[int, ...], wrap: bool, clamp: bool, first: int, outside: Ints
) -> tuple[Ints, Wide, Wide]:
    """Which points are on the map, or moved onto it if they may be, and their `u` and `v`."""
    height, width = shape
    with np.errstate(over="ignore"):
        u, v = (points[:, 0] - x0) / size, (points[:, 1] - y0) / size
    inside = np.isfinite(u) & np.isfinite(v) & (clamp | wrap | ((u >= 0) & (u < width) & (v >= 0) & (v < height)))
    if not wrap:
        u = np.minimum(np.maximum(u, 0.0), width * (1 - 2.0**-53))  # the far rim itself is off the map
        v = np.minimum(np.maximum(v, 0.0), height * (1 - 2.0**-53))
    if not inside.all():
        outside[0] = first + np.flatnonzero(~inside)[-1]
    return np.flatnonzero(inside), u[inside], v[inside]


def _corners(
    walls: Bools, classes: Bytes, both: Bools, kinds: bool, u: Wide, v: Wide, y_up: bool, wrap: bool
) -> tuple[list[tuple[Ints, Ints, Wide, Bools]], Wide, Wide]:
    """The four cells around positions, those of smaller y first, then of smaller x, and how far between their centres.

    Each as rows, columns, weights (0 for those that don't take part), whether it takes part.
    """
    height, width = walls.shape
    columns, tu = _around(u, width, wrap)
    rows, tv = _around(v, height, wrap)
    if y_up:
        rows = [np.where(row >= 0, height - 1 - row, -1) for row in rows]

    def joined(one: int, other: int) -> Bools:
        cells = [(rows[corner // 2], columns[corner % 2]) for corner in (one, other)]
        on_map = np.logical_and.reduce([index >= 0 for cell in cells for index in cell])
        return np.asarray(on_map & _joined(walls, classes, both, kinds, *cells))

    beyond = 2 * (tv >= 0.5) + (tu >= 0.5)
    corners = []
    for corner in range(4):
        takes_part = beyond == corner
        for own in range(4):
            if own in (corner ^ 1, corner ^ 2):
                takes_part |= (beyond == own) & joined(own, corner)
            elif own == corner ^ 3:
                for between in (own ^ 1, own ^ 2):
                    takes_part |= (beyond == own) & joined(own, between) & joined(between, corner)
        weights = (tv if corner >= 2 else 1.0 - tv) * (tu if corner % 2 else 1.0 - tu)
        corners.append((rows[corner // 2], columns[corner % 2], np.where(takes_part, weights, 0.0), takes_part))
    return corners, tu, tv


def _around(u: Wide, count: int, wrap: bool) -> tuple[list[Ints], Wide]:
    """Along one axis: the two rows or columns whose centres surround positions (-1 off the map), and how far in between."""
    before = np.floor(u - 0.5)
    pair = [np.mod(at, count).astype(np.int64) if wrap else np.where(at < count, at, -1).astype(np.int64) for at in (before, before + 1)]
    return pair, (u - 0.5) - before


def _joined(walls: Bools, classes: Bytes, both: Bools, kinds: bool, one: tuple[Ints, Ints], other: tuple[Ints, Ints]) -> Bools:
    """Whether the straight steps between cells may be taken both ways."""
    is_open = ~walls[one] & ~walls[other]
    return np.asarray(is_open & both[classes[one], classes[other]] if kinds else is_open)


def _slope(
    values: Floats, walls: Bools, classes: Bytes, both: Bools, kinds: bool, rows: Ints, columns: Ints, dr: int, dc: int, wrap: bool
) -> Wide:
    """How much cells' values grow per cell in the direction (dr, dc): between the neighbours that a step joins to them."""
    height, width = values.shape
    here = values[rows, columns].astype(np.float64)
    found = []
    for sign in (1, -1):
        r, c = rows + sign * dr, columns + sign * dc
        if wrap:
            r, c = r % height, c % width
        on_map = (r >= 0) & (r < height) & (c >= 0) & (c < width)
        r, c = np.clip(r, 0, height - 1), np.clip(c, 0, width - 1)
        joined = on_map & _joined(walls, classes, both, kinds, (rows, columns), (r, c))
        found.append((joined, np.where(joined, values[r, c], here)))
    (has_after, after), (has_before, before) = found
    return np.where(has_after & has_before, (after - before) / 2.0, after - before)


# The best cells around ----------------------------------------------------------------------------------------------


def bounds(values: Floats, closed: Bytes, sign: np.float32, out: Floats) -> None:
    """The highest `sign * value` of the cells of each tile that are not closed, -infinity where there is none."""
    scores = np.where(closed != 0, np.float32(-np.inf), sign * values)
    for ty in range(out.shape[0]):
        for tx in range(out.shape[1]):
            out[ty, tx] = scores[ty * TILE : (ty + 1) * TILE, tx * TILE : (tx + 1) * TILE].max()


def best(
    values: Floats,
    closed: Bytes,
    bounds: Floats,
    sign: np.float32,
    places: Wide,
    reach2: float,
    spacing2: float,
    taking: bool,
    y_up: bool,
    wrap: bool,
    first: int,
    last: int,
    out: Ints,
) -> None:
    """For each of `places` (N, 2) in cells, the best cells one after the other into `out` (N, k), which holds -1.

    Of the cells that are not `closed`, with a centre no further than the square root of `reach2`, the one with the highest
    `sign * value`; of equals the nearest, of those the lowest. The next must be another, and its squared distance to all
    before it at least `spacing2`. On a torus distances go the short way round. If `taking`, each choice closes what lies less
    than the spacing from it for those after it.
    """
    for i in range(first, last):
        picks: list[int] = []
        for cell in _ranked(values, closed, sign, places[i], reach2, y_up, wrap):
            if len(picks) == out.shape[1]:
                break
            if all(_apart(cell, other, values.shape, spacing2, wrap) for other in picks):
                picks.append(cell)
        out[i, : len(picks)] = picks
        for cell in picks if taking else []:
            _close(closed, cell, spacing2, wrap)


def thin(cells: Ints, closed: Bytes, spacing2: float, wrap: bool, most: int, out: Ints) -> int:
    """The first `most` of `cells` that keep the spacing to those before them, into `out`; how many they are."""
    count = 0
    for cell in cells:
        if count == most:
            break
        if closed.reshape(-1)[cell] == 0:
            out[count] = cell
            count += 1
            _close(closed, int(cell), spacing2, wrap)
    return count


def _close(closed: Bytes, cell: int, spacing2: float, wrap: bool) -> None:
    """Close a cell and what lies less than the spacing from it."""
    height, width = closed.shape
    dr, dc = np.abs(np.arange(height) - cell // width), np.abs(np.arange(width) - cell % width)
    if wrap:
        dr, dc = np.minimum(dr, height - dr), np.minimum(dc, width - dc)
    d2 = (dr * dr)[:, np.newaxis] + dc * dc
    closed[(d2 == 0) | (d2 < spacing2)] = 1


def _ranked(values: Floats, closed: Bytes, sign: np.float32, place: Wide, reach2: float, y_up: bool, wrap: bool) -> Iterator[int]:
    """The cells within reach, the best first."""
    height, width = values.shape
    v2 = _squares(place[1], height, wrap)
    if y_up:
        v2 = v2[::-1]
    u2 = _squares(place[0], width, wrap)
    rows, columns = np.flatnonzero(v2 <= reach2), np.flatnonzero(u2 <= reach2)
    d2 = u2[columns] + v2[rows][:, np.newaxis]
    near = (d2 <= reach2) & (closed[np.ix_(rows, columns)] == 0)
    scores = (sign * values[np.ix_(rows, columns)])[near]
    cells = (rows[:, np.newaxis] * width + columns)[near]
    return iter(cells[np.lexsort((cells, d2[near], -scores))].tolist())


def _squares(at: float, count: int, wrap: bool) -> Wide:
    """How far the centres of rows or columns are from `at`, squared, the short way round."""
    away = np.abs((np.arange(count) + 0.5) - at)
    if wrap:
        away = np.minimum(away, count - away)
    return np.asarray(away * away)


def _apart(cell: int, other: int, shape: tuple[int, ...], spacing2: float, wrap: bool) -> bool:
    height, width = shape
    dr, dc = abs(cell // width - other // width), abs(cell % width - other % width)
    if wrap:
        dr, dc = min(dr, height - dr), min(dc, width - dc)
    return cell != other and dr * dr + dc * dc >= spacing2


# Hills and countries ------------------------------------------------------------------------------------------------


def peaks(
    values: Floats, walls: Bools, links: Links, moves: Ints, masks: Links, ends: Bools, threshold: float, wrap: bool, out: Ints
) -> int:
    """The cells above the threshold beside which nothing is higher, into `out`; how many. Of a plateau, the middle one.

    Cells lie beside each other if one of the `moves` (columns, rows) leads from one to the other: move `m` is open where
    `masks[m]` is set in the `links` of the cell in which it ends, if `ends[m]`, or else in those of the cell it leaves.
    """
    flat = values.reshape(-1)
    seen: set[int] = set()
    found = []
    for cell in np.flatnonzero((values > threshold) & ~walls).tolist():
        if cell in seen:
            continue
        plateau = [(cell, cell % values.shape[1], cell // values.shape[1])]
        seen.add(cell)
        top = True
        for here, x, y in plateau:
            for there, dx, dy in _beside(walls, links, moves, masks, ends, here, wrap):
                top = top and bool(flat[there] <= flat[cell])
                if flat[there] == flat[cell] and there not in seen:
                    seen.add(there)
                    plateau.append((there, x + dx, y + dy))
        if top:
            found.append(_middle(plateau))
    out[: len(found)] = found
    return len(found)


def label(
    values: Floats,
    walls: Bools,
    links: Links,
    moves: Ints,
    masks: Links,
    ends: Bools,
    threshold: float,
    wrap: bool,
    labels: NDArray[np.int32],
    queue: Ints,
    columns: Ints,
    rows: Ints,
) -> tuple[int, int]:
    """Number the joined cells above the threshold from 1 on, by their first cell, in `labels`; (regions, cells in them).

    `queue` gets the cells region by region, `columns` and `rows` where they lie without the jump across the rim of a torus.
    """
    width = values.shape[1]
    flat, number = values.reshape(-1), labels.reshape(-1)
    count = size = 0
    for cell in np.flatnonzero((values > threshold) & ~walls).tolist():
        if number[cell]:
            continue
        count += 1
        number[cell] = count
        region = [(cell, cell % width, cell // width)]
        for here, x, y in region:
            for there, dx, dy in _beside(walls, links, moves, masks, ends, here, wrap):
                if not number[there] and flat[there] > threshold:
                    number[there] = count
                    region.append((there, x + dx, y + dy))
        queue[size : size + len(region)], columns[size : size + len(region)], rows[size : size + len(region)] = zip(*region, strict=True)
        size += len(region)
    return count, size


def measure(
    values: Floats,
    labels: NDArray[np.int32],
    queue: Ints,
    columns: Ints,
    rows: Ints,
    size: int,
    cells: Ints,
    totals: Wide,
    tops: Ints,
    middles: Ints,
) -> None:
    """Of each region its number of cells, sum, highest cell (of equals the lowest) and middle cell; `tops` holds -1."""
    flat, number = values.reshape(-1), labels.reshape(-1)
    for region in range(len(cells)):
        own = np.flatnonzero(number == region + 1)
        cells[region] = len(own)
        for cell in own:
            totals[region] += flat[cell]
        tops[region] = own[np.argmax(flat[own])]
        here = number[queue[:size]] == region + 1
        middles[region] = _middle(list(zip(queue[:size][here].tolist(), columns[:size][here], rows[:size][here], strict=True)))


def _beside(walls: Bools, links: Links, moves: Ints, masks: Links, ends: Bools, cell: int, wrap: bool) -> Iterator[tuple[int, int, int]]:
    """The open cells that a move joins to a cell, each with (columns, rows) to it."""
    height, width = walls.shape
    y, x = divmod(cell, width)
    for (dx, dy), mask, end in zip(moves.tolist(), masks, ends, strict=True):
        ny, nx = y + dy, x + dx
        if wrap:
            ny, nx = ny % height, nx % width
        elif not (0 <= ny < height and 0 <= nx < width):
            continue
        if not walls[ny, nx] and links[(ny, nx) if end else (y, x)] & mask:
            yield ny * width + nx, dx, dy


def _middle(cells: list[tuple[int, int, int]]) -> int:
    """Of (cell, column, row), the cell nearest to the mean, of equals the lowest."""
    mean_x = sum(int(x) for _, x, _ in cells) / len(cells)
    mean_y = sum(int(y) for _, _, y in cells) / len(cells)
    return min(((x - mean_x) * (x - mean_x) + (y - mean_y) * (y - mean_y), cell) for cell, x, y in cells)[1]


# Along a path -------------------------------------------------------------------------------------------------------


def along(
    values: Floats,
    places: Wide,
    starts: Ints,
    y_up: bool,
    wrap: bool,
    first: int,
    last: int,
    sums: Wide,
    lengths: Wide,
    highest: Wide,
    where: Wide,
) -> None:
    """Of each path, in cells: the sum of value times length, its length, the highest value and the middle of its stretch.

    Path `p` goes straight from each to the next of `places[starts[p] : starts[p + 1]]`, on a torus the short way. Of
    equal values the first counts; a path without length reads its cell.
    """
    height, width = values.shape

    def value(column: int, row: int) -> float:
        x = column % width if wrap else min(max(column, 0), width - 1)
        y = row % height if wrap else min(max(row, 0), height - 1)
        return float(values[height - 1 - y if y_up else y, x])

    for p in range(first, last):
        path = places[starts[p] : starts[p + 1]].tolist()
        total, length = 0.0, 0.0
        top, top_at = -math.inf, path[0]
        for (u, v), (u1, v1) in pairwise(path):
            du, dv = u1 - u, v1 - v
            if wrap:
                du -= width * round(du / width)
                dv -= height * round(dv / height)
            span = math.sqrt(du * du + dv * dv)
            if span == 0:
                continue
            length += span
            t = 0.0
            for until, column, row in _stretches(u, v, du, dv):
                if until > t:
                    here = value(column, row)
                    total += here * ((until - t) * span)
                    if here > top:
                        middle = (t + until) / 2.0
                        top, top_at = here, [u + du * middle, v + dv * middle]
                    t = until
        if top == -math.inf:
            top = value(*(min(int(at), count - 1) for at, count in zip(top_at, (width, height), strict=True)))
        sums[p], lengths[p], highest[p], where[p] = total, length, top, top_at


def _stretches(u: float, v: float, du: float, dv: float) -> Iterator[tuple[float, int, int]]:
    """The cells that a straight line crosses in turn: (part of the line until which it is in the cell, column, row)."""
    columns = _crossings(u, du)
    rows = _crossings(v, dv)
    column, row = math.floor(u), math.floor(v)
    i = j = 0
    while i < len(columns) or j < len(rows):
        until_column = columns[i] if i < len(columns) else math.inf
        until_row = rows[j] if j < len(rows) else math.inf
        yield min(until_column, until_row, 1.0), column, row
        if until_column <= until_row:
            column += 1 if du > 0 else -1
            i += 1
        else:
            row += 1 if dv > 0 else -1
            j += 1
    yield 1.0, column, row


def _crossings(u: float, du: float) -> list[float]:
    """The parts of a line after which one of its coordinates passes from cell to cell."""
    start, end = math.floor(u), math.floor(u + du)
    edges = range(start + 1, end + 1) if du > 0 else range(start, end, -1)
    return [(edge - u) / du for edge in edges]
