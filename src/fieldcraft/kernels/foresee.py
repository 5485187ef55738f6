"""Tracks that are met on ways, and when: one text, run plain or compiled."""

from __future__ import annotations

from fieldcraft.kernels.declare import kernel

__all__ = ["foresee"]


@kernel("i4[:,::1], f8[:,::1], i4[:,::1], f8[::1], i8[::1], f8, i8[::1], i8[::1], i4[::1], out i8[:,::1], out f8[::1]")
def foresee(ways, places, tracks, weights, before, reach, rows, starts, views, seen, gains):
    """The moment at which each of the tracks (T, M) is first seen from each of the ways (P, T), into `seen` (P, M), T for never.

    Tracks and ways are cells by moment. A cell is seen from another if it is at most `reach` away by `places` (N, D) and among
    `views[starts[r] : starts[r + 1]]`, sorted, for the row r in `rows` of the other. `gains` (P,) are the sums of `weights` times how many
    moments sooner than `before` (M,) that is.
    """
    moments, many = tracks.shape
    for p in range(ways.shape[0]):
        gain = 0.0
        for i in range(many):
            seen[p, i] = moments
        for t in range(moments):
            here = ways[p, t]
            first, last = starts[rows[here]], starts[rows[here] + 1]
            for i in range(many):
                if seen[p, i] < moments or before[i] <= t or weights[i] == 0.0:
                    continue
                there = tracks[t, i]
                away = 0.0
                for axis in range(places.shape[1]):
                    away += (places[there, axis] - places[here, axis]) * (places[there, axis] - places[here, axis])
                if away > reach * reach:
                    continue
                low, high = first, last
                while low < high:
                    middle = (low + high) >> 1
                    if views[middle] < there:
                        low = middle + 1
                    else:
                        high = middle
                if low < last and views[low] == there:
                    seen[p, i] = t
                    gain += weights[i] * (before[i] - t)
        gains[p] = gain
