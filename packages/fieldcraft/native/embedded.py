"""Whole layers for programs without Python: Spread, Radial and distances on a grid.

The native build exports these kernels to C and WebAssembly, with the header `fieldcraft.h`
(`packages/fieldcraft/native/api.py`). They keep nothing between calls, and have C's order of
arguments: what is written first. Walls are bytes, 1 in a wall; cells are
numbered by rows. The same bits as `fieldcraft.Spread`, `fieldcraft.Radial(metric="straight")` and
`fieldcraft.distance_map`.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.distance import clear, count, publish
from fieldcraft.kernels.shared import counting
from fieldcraft.kernels.shared.moves import STEPS
from fieldcraft.kernels.spread.spread_rows import BLOCKED, OPEN
from fieldcraft.kernels.spread.spread_steps import wave_near
from fieldcraft.kernels.spread.vectors import ROWS
from fieldcraft.kernels.trail.stamp_sums import _rounded
from fieldcraft.kernels.trail.stamp_units import SCALE

__all__ = ["distance_map", "next_cells", "radial", "spread"]

_EIGHT = np.array(STEPS)
_OPEN = np.array([OPEN.get(step, 0) for step in STEPS], dtype=np.uint8)
_LEVELS = 8
"""How many steps of Spread one pass over the map makes."""
_SIZES = [counting.measure(1 << bits) for bits in range(31)]
_SHIFT = np.array([size.shift for size in _SIZES])
_DIAGONAL = np.array([size.diagonal for size in _SIZES])
_BACK = np.array([size.back for size in _SIZES])
_DELTA = np.array([size.delta for size in _SIZES])
_INVERSE = np.array([size.inverse for size in _SIZES])
_MASK = np.array([size.mask for size in _SIZES])
_CAME = np.stack(
    [counting.canonical(steps).reshape(256, 256)[1 << np.arange(8)] for steps in (4, 8)]
)


@kernel
def _open(walls, row, column, k):
    """Whether step `k` of `moves.STEPS` from a cell ends in an open cell and cuts no corner."""
    across, down = column + _EIGHT[k, 0], row + _EIGHT[k, 1]
    if across < 0 or down < 0 or across >= walls.shape[1] or down >= walls.shape[0]:
        return False
    return walls[down, across] == 0 and walls[row, across] == 0 and walls[down, column] == 0


@kernel("out f4[:,::1], u1[:,::1], u1[:,::1], i8, f4, f4, f4, f4, i8")
def spread(values, walls, held, neighbors, straight, diagonal, momentum, floor, steps):
    """Take steps of Spread with exponential decay, in place.

    `held` is 1 where a cell keeps its value: write a source's strength there before. `neighbors`
    is 4 or 8. `straight` and `diagonal` are exp(-decay * length) for the lengths of the two steps.
    A cell falls to 0 where its value and what it moves to are below `floor`.
    """
    height, width = values.shape
    ground = np.empty((height, width), np.uint8)
    for row in range(height):
        for column in range(width):
            bits = np.uint8(BLOCKED if walls[row, column] != 0 or held[row, column] != 0 else 0)
            for k in range(4, neighbors):
                # The same steps lead in and out.
                if walls[row, column] == 0 and _open(walls, row, column, 11 - k):
                    bits |= _OPEN[k]
            ground[row, column] = bits
            if walls[row, column] != 0:
                values[row, column] = 0
    scratch = np.zeros((_LEVELS * ROWS + 1, (width + 15) // 16 * 16 + 32), np.float32)
    while steps > 0:
        levels = min(steps, _LEVELS)
        edge = values[:0]
        if neighbors == 8:
            rule = straight, diagonal, None, momentum, floor, 0
            wave_near(ground, rule, 0, height, levels, values, edge, edge, scratch)
        else:
            plain = straight, None, None, momentum, floor, 0
            wave_near(ground, plain, 0, height, levels, values, edge, edge, scratch)
        steps -= levels


@kernel("out f4[:,::1], u1[:,::1], i4[::1], f8[::1], f8[:,::1]")
def radial(values, walls, cells, strengths, weights):
    """Write the sum of sources: each adds its strength times `weights` around its cell.

    `weights` has an odd number of rows and columns, with the source in the middle.
    """
    height, width = values.shape
    reach = weights.shape[0] // 2
    sums = np.zeros((height, width), np.int64)
    for i in range(cells.shape[0]):
        row, column = divmod(cells[i], width)
        strength = strengths[i] * SCALE
        for y in range(max(row - reach, 0), min(row + reach + 1, height)):
            for x in range(max(column - reach, 0), min(column + reach + 1, width)):
                sums[y, x] += _rounded(strength * weights[y - row + reach, x - column + reach])
    for y in range(height):
        for x in range(width):
            value = np.float32(np.float64(sums[y, x]) / SCALE)
            values[y, x] = np.float32(0) if walls[y, x] != 0 else value


@kernel("out f4[:,::1], u1[:,::1], i4[::1], i8, f8")
def distance_map(values, walls, goals, neighbors, cell_size):
    """Write the walking distance of each cell to the nearest goal; infinity where no way leads.

    `neighbors` is 4 or 8; diagonal steps cut no corners.
    """
    height, width = values.shape
    size = height * width
    is_wall, open_steps = np.empty(size, np.bool_), np.zeros(size, np.uint8)
    for row in range(height):
        for column in range(width):
            cell = row * width + column
            is_wall[cell] = walls[row, column] != 0
            for k in range(neighbors):
                if not is_wall[cell] and _open(walls, row, column, k):
                    open_steps[cell] |= np.uint8(1 << k)
    table = np.zeros((256, 256), np.uint8)
    for bits in range(256):
        table[0, bits] = bits & ((1 << neighbors) - 1)
        for steps in range(1, 256):
            for k in range(8):
                if steps >> k & 1:
                    table[steps, bits] |= _CAME[neighbors // 8, k, bits]
    power = 0
    while size >> (power + 1) > 0:
        power += 1
    shift, diagonal = _SHIFT[power], _DIAGONAL[power]
    spans = np.zeros((1, 2), np.int64)
    spans[0, 1] = size
    dist, came = np.empty(size, np.int64), np.zeros(size, np.uint8)
    clear(is_wall, spans, counting.FAR, dist)
    lists, state = np.empty((3, size), np.int32), np.zeros(4, np.int64)
    for i in range(goals.shape[0]):
        goal = goals[i]
        if not is_wall[goal] and dist[goal] != 0:
            dist[goal] = 0
            lists[0, state[1]] = goal
            state[1] += 1
    reach = counting.FAR - 1
    count(
        open_steps,
        table.reshape(-1),
        spans[0, :0],
        width,
        shift,
        1 << shift,
        diagonal,
        reach,
        came,
        dist,
        lists,
        state,
    )
    measure = _BACK[power], _DELTA[power], _INVERSE[power], _MASK[power], cell_size
    publish(dist, is_wall, spans, measure, values.reshape(-1))


@kernel("f4[:,::1], u1[:,::1], i8, i4[::1], out i4[::1]")
def next_cells(distances, walls, neighbors, cells, following):
    """Write the cell that follows each agent's on a shortest way down a map of distances: the
    neighbor with the least distance plus the step to it, or the agent's own cell at a goal and
    where no way leads.
    """
    width = distances.shape[1]
    for i in range(cells.shape[0]):
        row, column = divmod(cells[i], width)
        following[i], least = cells[i], np.float32(np.inf)
        if distances[row, column] == 0 or walls[row, column] != 0:
            continue
        for k in range(neighbors):
            if _open(walls, row, column, k):
                down, across = row + _EIGHT[k, 1], column + _EIGHT[k, 0]
                length = distances[down, across] + np.float32(1 if k < 4 else np.sqrt(2.0))
                if length < least:
                    following[i], least = down * width + across, length
