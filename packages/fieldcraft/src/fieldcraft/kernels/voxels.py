"""Solid ground as columns of voxels: what level geometry is baked from.

Heights are whole voxels; a span goes from `low` up to and not including `high`.

Source: the rasterizer of Mikko Mononen's Recast, told anew: a triangle is cut into the columns that
    it crosses, and fills in each
the voxels between its lowest and its highest point there.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["beside", "floors", "rasterize"]


@kernel
def _clip(points, count, axis, limit, keep_above, out):
    """Cut a polygon, `count` rows of `points`, along an axis: the part above (or below) the limit,
    into `out`; its corners.
    """
    made = 0
    before = count - 1
    for here in range(count):
        from_ = points[before, axis] - limit
        to = points[here, axis] - limit
        if not keep_above:
            from_ = -from_
            to = -to
        if (from_ >= 0) != (to >= 0):
            share = from_ / (from_ - to)
            for k in range(3):
                out[made, k] = points[before, k] + (points[here, k] - points[before, k]) * share
            out[made, axis] = limit
            made += 1
        if to >= 0:
            for k in range(3):
                out[made, k] = points[here, k]
            made += 1
        before = here
    return made


@kernel("f8[:,:,::1], i8[::1], i8, i8, out i8[::1], out i8[::1], out i8[::1], out i8[::1]")
def rasterize(triangles, walkable, width, height, cells, lows, highs, flags):
    """The spans that triangles (T, 3, 3) fill, in voxels from the corner of the box; how many there
    are, room for them or not.
    """
    count = 0
    room = cells.shape[0]
    corners = np.zeros((3, 3))
    above = np.zeros((12, 3))
    row = np.zeros((12, 3))
    right = np.zeros((12, 3))
    piece = np.zeros((12, 3))
    for number in range(triangles.shape[0]):
        for k in range(3):
            for axis in range(3):
                corners[k, axis] = triangles[number, k, axis]
        top = max(int(np.floor(min(corners[0, 1], corners[1, 1], corners[2, 1]))), 0)
        bottom = min(int(np.floor(max(corners[0, 1], corners[1, 1], corners[2, 1]))), height - 1)
        for y in range(top, bottom + 1):
            size = _clip(corners, 3, 1, float(y), True, above)
            size = _clip(above, size, 1, float(y + 1), False, row)
            if size < 3:
                continue
            least = row[0, 0]
            most = row[0, 0]
            for k in range(1, size):
                least = min(least, row[k, 0])
                most = max(most, row[k, 0])
            for x in range(max(int(np.floor(least)), 0), min(int(np.floor(most)), width - 1) + 1):
                there = _clip(row, size, 0, float(x), True, right)
                there = _clip(right, there, 0, float(x + 1), False, piece)
                if there < 3:
                    continue
                low = piece[0, 2]
                high = piece[0, 2]
                for k in range(1, there):
                    low = min(low, piece[k, 2])
                    high = max(high, piece[k, 2])
                if count < room:
                    cells[count] = y * width + x
                    lows[count] = int(np.floor(low))
                    highs[count] = max(int(np.ceil(high)), int(np.floor(low)) + 1)
                    flags[count] = walkable[number]
                count += 1
    return count


@kernel("i8[::1], i8[::1], i8[::1], i8[::1], i8, i8, out i8[::1], out i8[::1], out i8[::1]")
def floors(cells, lows, highs, flags, climb, clearance, out, tops, ceilings):
    """Where one can stand: on the top of solid ground that is walkable and has `clearance` above
    it; how many places there are.

    Spans are sorted by cell and `low`. Those that touch become one, which is walkable if one within
    `climb` of its top is. An obstacle at most `climb` high on walkable ground is walkable too.
    `out` are the cells, `tops` where one stands, `ceilings` where the next solid ground above
    begins.
    """
    count = 0
    i = 0
    far = 1 << 40
    while i < cells.shape[0]:
        cell = cells[i]
        ground = -far
        ground_walkable = 0
        while i < cells.shape[0] and cells[i] == cell:
            low = lows[i]
            high = highs[i]
            flag = flags[i]
            i += 1
            while i < cells.shape[0] and cells[i] == cell and lows[i] <= high:
                if highs[i] > high + climb:
                    flag = flags[i]
                elif highs[i] >= high - climb:
                    flag = max(flag, flags[i])
                high = max(high, highs[i])
                i += 1
            if ground > -far and ground_walkable != 0 and low - ground >= clearance:
                out[count] = cell
                tops[count] = ground
                ceilings[count] = low
                count += 1
            if flag == 0 and ground > -far and ground_walkable != 0 and high - ground <= climb:
                flag = 1
            ground = high
            ground_walkable = flag
        if ground_walkable != 0:
            out[count] = cell
            tops[count] = ground
            ceilings[count] = far
            count += 1
    return count


@kernel("i8[::1], i8[::1], i8[::1], i8[::1], i8, i8, i8, i8, out i8[:,::1]")
def beside(cells, tops, ceilings, starts, width, height, climb, clearance, out):
    """For each place the one reached by a step right, down, left and up, (N, 4): the nearest in
    height, or -1.

    A step climbs or falls at most `climb`, and has `clearance` all the way. The places of cell `c`
    are `starts[c]` to `starts[c + 1]`.
    """
    for i in range(cells.shape[0]):
        y = cells[i] // width
        x = cells[i] % width
        for k in range(4):
            nx = x + (1 if k == 0 else -1 if k == 2 else 0)
            ny = y + (1 if k == 1 else -1 if k == 3 else 0)
            out[i, k] = -1
            if nx < 0 or ny < 0 or nx >= width or ny >= height:
                continue
            there = ny * width + nx
            best = climb + 1
            for j in range(starts[there], starts[there + 1]):
                off = abs(tops[j] - tops[i])
                if (
                    off < best
                    and min(ceilings[i], ceilings[j]) - max(tops[i], tops[j]) >= clearance
                ):
                    best = off
                    out[i, k] = j
