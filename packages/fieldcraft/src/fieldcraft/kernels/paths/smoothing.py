"""Straight segments in place of steps."""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.compiling.low_level import lowest_bit
from fieldcraft.kernels.paths.path_ground import CostGround
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = ["CostGround", "straighten"]

BACK = 64  # corners that a segment may skip in one pass
PASSES = 8


@kernel(
    "CostGround(i8[::1], i8[:,::1], f8[::1], f8[::1], b1, i8, i8, i8), u1[::1], i8[::1], f8, f8,"
    " out i8[::1]",
    "CostGround(u1[::1], i8[:,::1], f8[::1], f8[::1], b1, i8, i8, i8), u1[::1], i8[::1], f8, f8,"
    " out i8[::1]",
)
def straighten(ground, king, cells, least, cell_size, chosen):
    """Choose the cells at which a path turns, so that the straight segments between them cost the
    least.

    `king` are the steps out of each cell of the eight `moves.STEPS`. No cost is less than `least`.
    `cells` are those of the path; the chosen ones are written to `chosen`. Returns their number,
    the length and the cost.
    """
    costs = ground.costs
    width = ground.width
    height = ground.height
    wrap = ground.wrap
    n = cells.shape[0]
    nodes = np.empty(n, np.int64)
    xs = np.empty(n, np.int64)
    ys = np.empty(n, np.int64)
    leg_lengths = np.zeros(n)
    leg_costs = np.zeros(n)
    count = _corners(ground, cells, nodes, xs, ys, leg_lengths, leg_costs)
    totals, worlds, before = np.zeros(n), np.zeros(n), np.zeros(n, np.int64)
    best_lengths, best_costs = np.zeros(n), np.zeros(n)
    for _ in range(PASSES):
        for j in range(1, count):
            before[j], best_lengths[j], best_costs[j] = j - 1, leg_lengths[j], leg_costs[j]
            totals[j] = totals[j - 1] + leg_costs[j]
            for i in range(j - 2, max(j - BACK, 0) - 1, -1):
                dx, dy = xs[j] - xs[i], ys[j] - ys[i]
                if _is_half_round(dx, dy, width, height, wrap):
                    continue
                length = math.sqrt(np.float64(dx * dx + dy * dy)) * cell_size
                if totals[i] + length * least > totals[j]:
                    continue
                mean = _mean(king, costs, cells[nodes[i]], dx, dy, width, height)
                if totals[i] + length * mean <= totals[j]:
                    before[j], best_lengths[j], best_costs[j] = i, length, length * mean
                    totals[j] = totals[i] + length * mean
        fewer = 1
        j = count - 1
        while j > 0:
            j = before[j]
            fewer += 1
        at = fewer - 1
        j = count - 1
        while True:
            # The k-th one kept is at least the k-th of all, so nothing is overwritten before it is
            # read.
            chosen[at] = j
            if j == 0:
                break
            j = before[j]
            at -= 1
        for at in range(fewer):
            j = chosen[at]
            nodes[at], xs[at], ys[at] = nodes[j], xs[j], ys[j]
            leg_lengths[at], leg_costs[at] = best_lengths[j], best_costs[j]
        same = fewer == count
        count = fewer
        if same:
            break
    for at in range(count):
        chosen[at] = cells[nodes[at]]
        if at > 0:
            worlds[at] = worlds[at - 1] + leg_lengths[at]
            totals[at] = totals[at - 1] + leg_costs[at]
    return count, worlds[count - 1], totals[count - 1]


@kernel
def _is_half_round(dx, dy, width, height, wrap):
    """Return whether so many columns and rows are half of an axis that wraps, or more."""
    if wrap & WRAP_X != 0 and 2 * abs(dx) >= width:
        return True
    return wrap & WRAP_Y != 0 and 2 * abs(dy) >= height


@kernel
def _corners(ground, cells, nodes, xs, ys, leg_lengths, leg_costs):
    """Write where the steps change, and before a segment is half of an axis that wraps: indices
    into `cells`, and places on the unrolled map.
    """
    moves = ground.moves
    steps = ground.steps
    lengths = ground.lengths
    costs = ground.costs
    width = ground.width
    height = ground.height
    wrap = ground.wrap
    n = cells.shape[0]
    y, x = divmod(cells[0], width)
    count = 1
    nodes[0], xs[0], ys[0] = 0, x, y
    last = np.int64(-1)
    run = 0
    cost = 0.0
    for i in range(1, n):
        step = _step(moves, steps, lengths, width, height, cells[i - 1], cells[i])
        dx, dy = steps[step, 0], steps[step, 1]
        half_round = _is_half_round(
            x + dx - xs[count - 1], y + dy - ys[count - 1], width, height, wrap
        )
        if run > 0 and (step != last or half_round):
            nodes[count], xs[count], ys[count] = i - 1, x, y
            leg_lengths[count] = run * lengths[last]
            leg_costs[count] = cost if costs.shape[0] > 0 else run * lengths[last]
            count += 1
            run = 0
            cost = 0.0
        x += dx
        y += dy
        run += 1
        last = step
        if costs.shape[0] > 0:
            cost += (lengths[step] * 0.5) * (costs[cells[i - 1]] + costs[cells[i]])
    if n > 1:
        nodes[count], xs[count], ys[count] = n - 1, x, y
        leg_lengths[count] = run * lengths[last]
        leg_costs[count] = cost if costs.shape[0] > 0 else run * lengths[last]
        count += 1
    return count


@kernel
def _step(moves, steps, lengths, width, height, start, end):
    """Return the shortest step from one cell to another; the first of several."""
    y, x = divmod(start, width)
    end_y, end_x = divmod(end, width)
    best = np.int64(-1)
    left = np.int64(moves[start])
    while left != 0:
        k = lowest_bit(left)
        left &= left - 1
        if (
            (x + steps[k, 0] - end_x) % width == 0
            and (y + steps[k, 1] - end_y) % height == 0
            and (best < 0 or lengths[k] < lengths[best])
        ):
            best = k
    return best


@kernel
def _mean(king, costs, start, dx, dy, width, height):
    """Return the mean cost along a straight segment from the center of a cell, infinite if it is
    blocked.
    """
    y, x = divmod(start, width)
    right = 0 if dx > 0 else 1
    down = 2 if dy > 0 else 3
    both = 4 + right + 2 * (down - 2)
    step_x = 1 if dx > 0 else -1
    step_y = 1 if dy > 0 else -1
    left_x, left_y = abs(dx), abs(dy)
    weight_x, weight_y = max(left_y, 1), max(left_x, 1)
    next_x, next_y = weight_x, weight_y
    here = np.int64(0)
    total = 0.0
    uneven = costs.shape[0] > 0
    while left_x > 0 or left_y > 0:
        if left_y == 0 or (left_x > 0 and next_x < next_y):
            move = right
        elif left_x == 0 or next_y < next_x:
            move = down
        else:
            move = both
        cell = y * width + x
        if (np.int64(king[cell]) >> move) & 1 == 0:
            return np.inf
        there = next_y if move == down else next_x
        if uneven:
            total += np.float64(there - here) * costs[cell]
        here = there
        nx = (x + step_x) % width if move != down else x
        ny = (y + step_y) % height if move != right else y
        if uneven and (
            costs[ny * width + nx] == np.inf
            or costs[y * width + nx] == np.inf
            or costs[ny * width + x] == np.inf
        ):
            return np.inf
        x, y = nx, ny
        if move != down:
            left_x -= 1
            next_x += 2 * weight_x
        if move != right:
            left_y -= 1
            next_y += 2 * weight_y
    if not uneven:
        return 1.0
    total_weight = 2 * weight_x * weight_y
    total += np.float64(total_weight - here) * costs[y * width + x]
    return total / np.float64(total_weight)
