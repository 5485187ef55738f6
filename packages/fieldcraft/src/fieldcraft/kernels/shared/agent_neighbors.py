"""Neighbors of agents.

Agents are sorted into square bins at least as wide as the radius. All neighbors of an agent are in
the 3 x 3 bins around its own, and the agents of a row of bins are consecutive in memory.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["APART_X", "APART_Y", "BinFrame", "closest", "flock", "separate", "sort"]

_TURNS = [k * math.pi * (3 - math.sqrt(5)) for k in range(16)]
APART_X, APART_Y = np.cos(_TURNS), np.sin(_TURNS)
"""Directions of agents in one place: the first of a pair takes one, the other its opposite."""

_AT_ONCE = 64
_BIN_FRAME = "BinFrame(f8, f8, f8, f8, f8, f8, i8)"


class BinFrame(NamedTuple):
    """Where the bins are: their least x and y, the periods of axes that wrap or 0, the bins per
    unit of length along both axes, and the number of columns of bins.
    """

    low_x: float
    low_y: float
    period_x: float
    period_y: float
    per_x: float
    per_y: float
    columns: int


@kernel(error_model="numpy")
def _bin(at, low, per, count):
    """Return the row or column of bins at a coordinate."""
    return np.int64(min(max((at - low) * per, 0.0), count - 1.0))


@kernel(error_model="numpy")
def _on_map(x, y, frame):
    """Return a position; along axes that wrap the one on the map."""
    if frame.period_x > 0:
        x = frame.low_x + (x - frame.low_x) % frame.period_x
    if frame.period_y > 0:
        y = frame.low_y + (y - frame.low_y) % frame.period_y
    return x, y


@kernel(
    f"f8[:,::1], {_BIN_FRAME}, out i8[::1], out i8[::1], out f8[:,::1], out f8[:,::1], out i8[::1]",
    error_model="numpy",
)
def sort(points, frame, starts, order, places, coordinates, keys):
    """Sort `points` (N, 2) by bins, stably: `order` receives their indices, `places` the points
    (along axes that wrap: on the map).

    The members of bin `b` are `starts[b]` to `starts[b + 1]`; `coordinates` (2, N) has all x, then
    all y of `places`; `keys` is scratch of N.
    """
    columns = frame.columns
    rows = (starts.shape[0] - 1) // columns
    starts[:] = 0
    for i in range(points.shape[0]):
        x, y = _on_map(points[i, 0], points[i, 1], frame)
        row = _bin(y, frame.low_y, frame.per_y, rows)
        key = row * columns + _bin(x, frame.low_x, frame.per_x, columns)
        keys[i] = key
        starts[key + 1] += 1
    for b in range(rows * columns):
        starts[b + 1] += starts[b]
    for i in range(points.shape[0]):
        key = keys[i]
        k = starts[key]
        starts[key] = k + 1
        order[k] = i
        x, y = _on_map(points[i, 0], points[i, 1], frame)
        places[k, 0], places[k, 1] = x, y
        coordinates[0, k], coordinates[1, k] = x, y
    for b in range(rows * columns, 0, -1):
        starts[b] = starts[b - 1]
    starts[0] = 0


@kernel
def _beside(own, count, wrap, turn):
    """Return the bins around one along an axis, [first, last), in two parts if they cross an edge
    that wraps: part `turn` of them, 0 or 1.
    """
    if turn == 1:
        if wrap and count >= 3 and own == 0:
            return 0, 2
        if wrap and count >= 3 and own == count - 1:
            return 0, 1
        return 0, 0
    if not wrap:
        return max(own - 1, 0), min(own + 2, count)
    if count < 3:
        return 0, count
    if own == 0:
        return count - 1, count
    if own == count - 1:
        return own - 1, count
    return own - 1, own + 2


@kernel(error_model="numpy")
def _near(starts, frame, x, y, spans):
    """Write where the members of the bins around a place begin and end, one row per stretch; return
    the number of stretches, at most 6.
    """
    columns = frame.columns
    rows = (starts.shape[0] - 1) // columns
    wrap_x = frame.period_x > 0
    wrap_y = frame.period_y > 0
    parts = 1
    if wrap_y:
        parts = 2
    pieces = 1
    if wrap_x:
        pieces = 2
    column = _bin(x, frame.low_x, frame.per_x, columns)
    row = _bin(y, frame.low_y, frame.per_y, rows)
    count = 0
    for part in range(parts):
        row_0, row_1 = _beside(row, rows, wrap_y, part)
        for r in range(row_0, row_1):
            for piece in range(pieces):
                first, last = _beside(column, columns, wrap_x, piece)
                if first < last:
                    spans[count, 0] = starts[r * columns + first]
                    spans[count, 1] = starts[r * columns + last]
                    count += 1
    return count


@kernel(forceinline=True)
def _short(away, period):
    """Return a difference, the short way around an axis that wraps; its period is 0 if it does
    not.
    """
    half = period / 2
    if away > half:
        return away - period
    if away < -half:
        return away + period
    return away


@kernel(
    f"f8[:,::1], i8[::1], i8[::1], {_BIN_FRAME}, f8, i8, i8, out f8[:,::1]",
    error_model="numpy",
)
def separate(coordinates, order, starts, frame, radius, first, last, out):
    """Write the sum of pushes on each agent, in sorted order, into `out` (N, 2): away from each
    neighbor by 1 - distance / radius.
    """
    period_x = frame.period_x
    period_y = frame.period_y
    wrap = period_x > 0 or period_y > 0
    per = 1.0 / radius
    xs, ys = coordinates[0], coordinates[1]
    pushes_x, pushes_y = np.empty(_AT_ONCE), np.empty(_AT_ONCE)
    spans = np.empty((6, 2), np.int64)
    for k in range(first, last):
        x, y = xs[k], ys[k]
        sum_x, sum_y, coincident = 0.0, 0.0, 0
        pieces = _near(starts, frame, x, y, spans)
        for piece in range(pieces):
            j, end = spans[piece, 0], spans[piece, 1]
            while j < end:
                count = min(end - j, _AT_ONCE)
                # no check for a negative index, so that the loop can run on vectors
                base = np.uint64(j)
                # This loop runs on vectors: the sums, which depend on their order, come after it.
                for i in range(count):
                    dx, dy = x - xs[base + np.uint64(i)], y - ys[base + np.uint64(i)]
                    if wrap:
                        dx, dy = _short(dx, period_x), _short(dy, period_y)
                    d2 = dx * dx + dy * dy
                    coincident += d2 == 0
                    share = 1.0 / math.sqrt(d2 if d2 > 0 else np.inf) - per
                    share = share if share > 0 else 0.0  # beyond the radius: 0 changes no sum
                    pushes_x[i], pushes_y[i] = dx * share, dy * share
                for i in range(count):
                    sum_x += pushes_x[i]
                    sum_y += pushes_y[i]
                j += count
        for piece in range(pieces if coincident > 1 else 0):
            for j in range(spans[piece, 0], spans[piece, 1]):
                dx, dy = x - xs[j], y - ys[j]
                if wrap:
                    dx, dy = _short(dx, period_x), _short(dy, period_y)
                if dx * dx + dy * dy == 0 and j != k:
                    turn = (order[j] + order[k]) % APART_X.shape[0]
                    sign = 1.0 if order[k] < order[j] else -1.0
                    sum_x += sign * APART_X[turn]
                    sum_y += sign * APART_Y[turn]
        out[k, 0], out[k, 1] = sum_x, sum_y


@kernel(
    f"f8[:,::1], i8[::1], i8[::1], f8[:,::1], {_BIN_FRAME}, f8, i8, i8, out f8[:,::1]",
    error_model="numpy",
)
def flock(places, order, starts, velocities, frame, radius, first, last, out):
    """Write sums over the neighbors of each agent, in sorted order, into `out` (N, 5): how many,
    their offsets, their velocities (by `order`).
    """
    period_x = frame.period_x
    period_y = frame.period_y
    wrap = period_x > 0 or period_y > 0
    reach2 = radius * radius
    spans = np.empty((6, 2), np.int64)
    for k in range(first, last):
        x, y = places[k, 0], places[k, 1]
        count, sum_x, sum_y, sum_vx, sum_vy = 0, 0.0, 0.0, 0.0, 0.0
        for piece in range(_near(starts, frame, x, y, spans)):
            for j in range(spans[piece, 0], spans[piece, 1]):
                dx, dy = places[j, 0] - x, places[j, 1] - y
                if wrap:
                    dx, dy = _short(dx, period_x), _short(dy, period_y)
                if dx * dx + dy * dy <= reach2 and j != k:
                    count += 1
                    sum_x += dx
                    sum_y += dy
                    sum_vx += velocities[order[j], 0]
                    sum_vy += velocities[order[j], 1]
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = count, sum_x, sum_y, sum_vx
        out[k, 4] = sum_vy


@kernel(
    f"f8[:,::1], i8[::1], i8[::1], i8[::1], f8[:,::1], i8[::1], {_BIN_FRAME}, f8, i8, i8,"
    " out i8[::1], out f8[::1]",
    error_model="numpy",
)
def closest(
    places, order, starts, groups, points, selves, frame, radius, first, last, found, distances
):
    """Write the nearest agent within the radius of each of `points` (N, 2) into `found` (-1 if
    none), the lowest number of equally distant ones.

    `selves` (N,) are the agents at the points, which do not find themselves; -1 is a point without
    an agent. Where there are `groups` (one per agent), it finds only agents of other groups.
    """
    period_x = frame.period_x
    period_y = frame.period_y
    wrap = period_x > 0 or period_y > 0
    grouped = groups.shape[0] > 0
    spans = np.empty((6, 2), np.int64)
    for k in range(first, last):
        x, y = _on_map(points[k, 0], points[k, 1], frame)
        best, best2 = np.int64(-1), radius * radius
        # Points beyond the bins look at the nearest ones; the distance decides.
        for piece in range(_near(starts, frame, x, y, spans)):
            for j in range(spans[piece, 0], spans[piece, 1]):
                dx, dy = places[j, 0] - x, places[j, 1] - y
                if wrap:
                    dx, dy = _short(dx, period_x), _short(dy, period_y)
                d2 = dx * dx + dy * dy
                i = order[j]
                nearer = d2 < best2 or (d2 == best2 and (best < 0 or i < best))
                if nearer and i != selves[k] and not (grouped and groups[i] == groups[selves[k]]):
                    best, best2 = i, d2
        found[k] = best
        distances[k] = math.sqrt(best2) if best >= 0 else np.inf
