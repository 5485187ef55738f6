"""The vertex nearest to a position, by buckets of vertices."""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["UNSURE", "nearest"]

UNSURE = -2
"""In place of a vertex: two vertices are about as near, or the nearest is many buckets away."""

_MOST_RINGS = 8  # of buckets around a position
_EQUAL = 1e-12  # squared distances that differ by less may be in another order by rounding


@kernel
def _bucket(away, side, count):
    """Return the row or column of a bucket at a distance from the first corner, at most the last
    one's.
    """
    return np.int64(math.floor(min(max(away / side, 0.0), count - 1.0)))


@kernel
def _in_buckets(starts, places, point, first, end, best, second, vertex):
    """Look at the vertices of the buckets [first, end); return the two least squared distances, and
    the place of the nearest vertex.
    """
    for place in range(starts[first], starts[end]):
        dx, dy = places[place, 0] - point[0], places[place, 1] - point[1]
        square = dx * dx + dy * dy
        if places.shape[1] == 3:
            dz = places[place, 2] - point[2]
            square += dz * dz
        # Without branches, which no processor could foresee.
        second = min(second, max(best, square))
        vertex = np.int64(place) if square < best else vertex
        best = min(best, square)
    return best, second, vertex


@kernel
def _beyond(away, side, index, ring, count):
    """Return the least distance along an axis from a place in bucket `index` to buckets more than
    `ring` from it; infinite where there are none.
    """
    least = np.inf
    if index - ring > 0:
        least = away - (index - ring) * side
    if index + ring < count - 1:
        least = min(least, (index + ring + 1) * side - away)
    return least


@kernel(
    "(f8[::1], f8, i8, i8, f8, i8[::1], i8[::1], f8[:,::1]), f8[:,::1], i8, i8, out i8[::1]",
)
def nearest(buckets, points, first, last, found):
    """Write the nearest vertex to each of the points [first, last), or UNSURE.

    `buckets` are (low, side, columns, rows, slack, starts, vertices, places): `vertices` and their
    `places` from `starts[k]` up to `starts[k + 1]` are those in bucket k of the plane, row by row
    from `low` on. Distances to buckets are exact to `slack`.
    """
    low, side, columns, rows, slack, starts, vertices, places = buckets
    for i in range(first, last):
        point = points[i]
        right, down = point[0] - low[0], point[1] - low[1]
        column, row = _bucket(right, side, columns), _bucket(down, side, rows)
        best, second, vertex = np.inf, np.inf, np.int64(-1)
        found[i] = UNSURE
        for ring in range(1, _MOST_RINGS + 1):
            left, end = max(column - ring, 0), min(column + ring + 1, columns)
            for y in range(max(row - ring, 0), min(row + ring + 1, rows)):
                base = y * columns
                if ring == 1 or abs(y - row) == ring:
                    best, second, vertex = _in_buckets(
                        starts, places, point, base + left, base + end, best, second, vertex
                    )
                    continue
                if column - ring >= 0:
                    at = base + column - ring
                    best, second, vertex = _in_buckets(
                        starts, places, point, at, at + 1, best, second, vertex
                    )
                if column + ring < columns:
                    at = base + column + ring
                    best, second, vertex = _in_buckets(
                        starts, places, point, at, at + 1, best, second, vertex
                    )
            across = _beyond(right, side, column, ring, columns)
            least = min(across, _beyond(down, side, row, ring, rows)) - slack
            if least > 0 and best < least * least:
                second = min(second, least * least)
                if second - best > _EQUAL * second:
                    found[i] = vertices[vertex]
                break
            if least == np.inf:
                break
