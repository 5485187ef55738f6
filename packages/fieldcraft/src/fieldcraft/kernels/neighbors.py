"""The neighbors of agents.

Agents are sorted into square bins at least as wide as they see, so that all neighbours of one lie
in the 3 x 3 bins around its own, and those of a row of bins one after the other in memory.
"""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["APART_X", "APART_Y", "closest", "flock", "separate", "sort"]

_TURNS = [k * math.pi * (3 - math.sqrt(5)) for k in range(16)]
APART_X, APART_Y = np.cos(_TURNS), np.sin(_TURNS)
"""Where agents in one spot go: the first of a pair one way, the other the opposite."""

_AT_ONCE = 64


@kernel(error_model="numpy")
def _bin(at, low, per, count):
    return np.int64(min(max((at - low) * per, 0.0), count - 1.0))


@kernel(
    "f8[:,::1], f8, f8, f8, f8, f8, f8, i8, out i8[::1], out i8[::1], out i8[::1], out f8[:,::1],"
    " out f8[:,::1]",
    error_model="numpy",
)
def sort(
    points,
    low_x,
    low_y,
    period_x,
    period_y,
    per_x,
    per_y,
    columns,
    keys,
    starts,
    order,
    places,
    lines,
):
    """Sort `points` (N, 2) by bins, those of a bin as they come: `order` says which is where,
    `places` has them (on a torus: on the map).

    The members of bin `b` are `starts[b]` to `starts[b + 1]`; `lines` (2, N) has all x, then all y
    of `places`; `keys` is scratch of N.
    """
    rows = (starts.shape[0] - 1) // columns
    starts[:] = 0
    for i in range(points.shape[0]):
        x = points[i, 0]
        y = points[i, 1]
        if period_x > 0:
            x = low_x + (x - low_x) % period_x
            y = low_y + (y - low_y) % period_y
        key = _bin(y, low_y, per_y, rows) * columns + _bin(x, low_x, per_x, columns)
        keys[i] = key
        starts[key + 1] += 1
    for b in range(rows * columns):
        starts[b + 1] += starts[b]
    for i in range(points.shape[0]):
        key = keys[i]
        k = starts[key]
        starts[key] = k + 1
        order[k] = i
        x = points[i, 0]
        y = points[i, 1]
        if period_x > 0:
            x = low_x + (x - low_x) % period_x
            y = low_y + (y - low_y) % period_y
        places[k, 0] = x
        places[k, 1] = y
        lines[0, k] = x
        lines[1, k] = y
    for b in range(rows * columns, 0, -1):
        starts[b] = starts[b - 1]
    starts[0] = 0


@kernel
def _beside(own, count, wrap, turn):
    """The bins around one along an axis, [first, last), in two parts if they pass the rim of a
    torus: the part before or after `turn`.
    """
    if not wrap:
        return (max(own - 1, 0), min(own + 2, count)) if turn == 0 else (0, 0)
    if count < 3:
        return (0, count) if turn == 0 else (0, 0)
    if own == 0:
        return (count - 1, count) if turn == 0 else (0, 2)
    if own == count - 1:
        return (own - 1, count) if turn == 0 else (0, 1)
    return (own - 1, own + 2) if turn == 0 else (0, 0)


@kernel(
    "f8[:,::1], i8[::1], i8[::1], f8, f8, f8, f8, f8, f8, i8, f8, i8, i8, out f8[:,::1]",
    error_model="numpy",
)
def separate(
    lines,
    order,
    starts,
    low_x,
    low_y,
    period_x,
    period_y,
    per_x,
    per_y,
    columns,
    radius,
    first,
    last,
    out,
):
    """The sum of pushes on each agent, in sorted order, into `out` (N, 2): from each neighbour
    away, by 1 - distance / radius.
    """
    rows = (starts.shape[0] - 1) // columns
    wrap = period_x > 0
    half_x = period_x / 2
    half_y = period_y / 2
    per = 1.0 / radius
    xs = lines[0]
    ys = lines[1]
    pushes_x = np.empty(_AT_ONCE)
    pushes_y = np.empty(_AT_ONCE)
    for k in range(first, last):
        x = xs[k]
        y = ys[k]
        column = _bin(x, low_x, per_x, columns)
        row = _bin(y, low_y, per_y, rows)
        sum_x = 0.0
        sum_y = 0.0
        together = 0
        for part in range(2 if wrap else 1):
            row_0, row_1 = _beside(row, rows, wrap, part)
            for piece in range(2 * (row_1 - row_0) if wrap else row_1 - row_0):
                r = row_0 + (piece >> 1 if wrap else piece)
                column_0, column_1 = _beside(column, columns, wrap, piece & 1 if wrap else 0)
                j = starts[r * columns + column_0]
                end = starts[r * columns + column_1]
                while j < end:
                    count = min(end - j, _AT_ONCE)
                    base = np.uint64(
                        j
                    )  # no check for a negative index, so that the loop can run on vectors
                    # This loop runs on vectors: the sums, whose order counts, come after it.
                    for i in range(count):
                        dx = x - xs[base + np.uint64(i)]
                        dy = y - ys[base + np.uint64(i)]
                        if wrap:
                            dx = (
                                dx - period_x
                                if dx > half_x
                                else (dx + period_x if dx < -half_x else dx)
                            )
                            dy = (
                                dy - period_y
                                if dy > half_y
                                else (dy + period_y if dy < -half_y else dy)
                            )
                        d2 = dx * dx + dy * dy
                        together += d2 == 0
                        share = 1.0 / math.sqrt(d2 if d2 > 0 else np.inf) - per
                        share = (
                            share if share > 0 else 0.0
                        )  # beyond the radius; adding 0 changes no sum
                        pushes_x[i] = dx * share
                        pushes_y[i] = dy * share
                    for i in range(count):
                        sum_x += pushes_x[i]
                        sum_y += pushes_y[i]
                    j += count
        if together > 1:
            for part in range(2 if wrap else 1):
                row_0, row_1 = _beside(row, rows, wrap, part)
                for piece in range(2 * (row_1 - row_0) if wrap else row_1 - row_0):
                    r = row_0 + (piece >> 1 if wrap else piece)
                    column_0, column_1 = _beside(column, columns, wrap, piece & 1 if wrap else 0)
                    for j in range(starts[r * columns + column_0], starts[r * columns + column_1]):
                        dx = x - xs[j]
                        dy = y - ys[j]
                        if wrap:
                            dx = (
                                dx - period_x
                                if dx > half_x
                                else (dx + period_x if dx < -half_x else dx)
                            )
                            dy = (
                                dy - period_y
                                if dy > half_y
                                else (dy + period_y if dy < -half_y else dy)
                            )
                        if dx * dx + dy * dy == 0 and j != k:
                            turn = (order[j] + order[k]) % APART_X.shape[0]
                            sign = 1.0 if order[k] < order[j] else -1.0
                            sum_x += sign * APART_X[turn]
                            sum_y += sign * APART_Y[turn]
        out[k, 0] = sum_x
        out[k, 1] = sum_y


@kernel(
    "f8[:,::1], i8[::1], i8[::1], f8, f8, f8, f8, f8, f8, i8, f8, f8[:,::1], i8, i8, out f8[:,::1]",
    error_model="numpy",
)
def flock(
    places,
    order,
    starts,
    low_x,
    low_y,
    period_x,
    period_y,
    per_x,
    per_y,
    columns,
    radius,
    velocities,
    first,
    last,
    out,
):
    """Sums over each agent's neighbours, in sorted order, into `out` (N, 5): how many, their
    offsets, their velocities (by `order`).
    """
    rows = (starts.shape[0] - 1) // columns
    wrap = period_x > 0
    half_x = period_x / 2
    half_y = period_y / 2
    reach2 = radius * radius
    for k in range(first, last):
        x = places[k, 0]
        y = places[k, 1]
        column = _bin(x, low_x, per_x, columns)
        row = _bin(y, low_y, per_y, rows)
        count = 0
        sum_x = 0.0
        sum_y = 0.0
        sum_vx = 0.0
        sum_vy = 0.0
        for part in range(2):
            row_0, row_1 = _beside(row, rows, wrap, part)
            for r in range(row_0, row_1):
                for piece in range(2):
                    column_0, column_1 = _beside(column, columns, wrap, piece)
                    if column_0 == column_1:
                        continue
                    for j in range(starts[r * columns + column_0], starts[r * columns + column_1]):
                        dx = places[j, 0] - x
                        dy = places[j, 1] - y
                        if wrap:
                            dx = (
                                dx - period_x
                                if dx > half_x
                                else (dx + period_x if dx < -half_x else dx)
                            )
                            dy = (
                                dy - period_y
                                if dy > half_y
                                else (dy + period_y if dy < -half_y else dy)
                            )
                        if dx * dx + dy * dy < reach2 and j != k:
                            count += 1
                            sum_x += dx
                            sum_y += dy
                            sum_vx += velocities[order[j], 0]
                            sum_vy += velocities[order[j], 1]
        out[k, 0] = count
        out[k, 1] = sum_x
        out[k, 2] = sum_y
        out[k, 3] = sum_vx
        out[k, 4] = sum_vy


@kernel(
    "f8[:,::1], i8[::1], i8[::1], f8, f8, f8, f8, f8, f8, i8, f8, i8[::1], f8[:,::1], i8[::1],"
    " i8[::1], i8, i8, out i8[::1], out f8[::1]",
    error_model="numpy",
)
def closest(
    places,
    order,
    starts,
    low_x,
    low_y,
    period_x,
    period_y,
    per_x,
    per_y,
    columns,
    radius,
    groups,
    points,
    own,
    selves,
    first,
    last,
    found,
    distances,
):
    """For each of `points` (N, 2) the nearest member within the radius, the lowest number of
    equals, into `found` (-1 if none).

    Where there are `groups` (one per member), one of another group than the point's `own`; never
    the member of `selves` (-1 if none).
    """
    rows = (starts.shape[0] - 1) // columns
    wrap = period_x > 0
    half_x = period_x / 2
    half_y = period_y / 2
    grouped = groups.shape[0] > 0
    for k in range(first, last):
        x = points[k, 0]
        y = points[k, 1]
        if wrap:
            x = low_x + (x - low_x) % period_x
            y = low_y + (y - low_y) % period_y
        # Who asks from beyond the bins looks at those nearest to it; the distance decides.
        column = _bin(x, low_x, per_x, columns)
        row = _bin(y, low_y, per_y, rows)
        best = -1
        best2 = radius * radius
        for part in range(2):
            row_0, row_1 = _beside(row, rows, wrap, part)
            for r in range(row_0, row_1):
                for piece in range(2):
                    column_0, column_1 = _beside(column, columns, wrap, piece)
                    if column_0 == column_1:
                        continue
                    for j in range(starts[r * columns + column_0], starts[r * columns + column_1]):
                        dx = places[j, 0] - x
                        dy = places[j, 1] - y
                        if wrap:
                            dx = (
                                dx - period_x
                                if dx > half_x
                                else (dx + period_x if dx < -half_x else dx)
                            )
                            dy = (
                                dy - period_y
                                if dy > half_y
                                else (dy + period_y if dy < -half_y else dy)
                            )
                        d2 = dx * dx + dy * dy
                        i = order[j]
                        nearer = d2 < best2 or (d2 == best2 and (best < 0 or i < best))
                        if nearer and i != selves[k] and not (grouped and groups[i] == own[k]):
                            best = i
                            best2 = d2
        found[k] = best
        distances[k] = math.sqrt(best2) if best >= 0 else np.inf
