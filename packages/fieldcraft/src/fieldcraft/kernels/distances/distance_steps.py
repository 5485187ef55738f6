"""The steps of searches for distances: those of a grid, or arcs between numbered cells.

Kernels take `arcs` and `grid`, one of which is None, and `sizes` and `cost`:

- `arcs` are `Arcs`, and `grid` are `LinkedSteps`.

- `sizes` are the costs of arcs or of steps, or half their lengths if `cost` has one number per
  cell. `cost` has length 1 if all cells cost the same, and is None for whole numbers.

Helpers return at one place, use their arrays just before, unpack a record at once and cannot raise:
then Numba counts no references in loops. Reading the fields of a record one by one made searches
take 6 %, and repairs 17 % longer.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = [
    "beyond",
    "end_of",
    "listed_steps",
    "neighbor",
    "next_cell",
    "origin_of",
    "steps_from",
]


@kernel(forceinline=True, error_model="numpy")
def neighbor(cell, dx, dy, offset, width, height, wrap):
    """Return the cell one step away. Off the map it is -1, or another cell that no link leads
    to.
    """
    place = cell + offset
    if wrap:
        y, x = cell // width + dy, cell % width + dx
        if x < 0 or x >= width or y < 0 or y >= height:
            place = y % height * width + x % width
    elif place < 0 or place >= width * height:
        place = -1
    return place


@kernel(forceinline=True)
def listed_steps(arcs, grid, cell):
    """Return the numbers of the steps in the first list of `arcs` for a cell, or of all steps of a
    grid: the first, and the one after the last.
    """
    first, last = np.int64(0), np.int64(0)
    if arcs is not None:
        first, last = arcs.starts[cell], arcs.starts[cell + 1]
    if grid is not None:
        last = np.int64(grid.steps.shape[0])
    return first, last


@kernel(forceinline=True)
def origin_of(arcs, grid, cell, step):
    """Return the cell that a step into `cell` leaves, -1 if there is none."""
    origin = np.int64(-1)
    if arcs is not None:
        origin = np.int64(arcs.origins[step])
    if grid is not None:
        links, steps, width, height, wrap = grid
        dx, dy, offset, link = steps[step, 0], steps[step, 1], steps[step, 2], links[cell]
        if (link >> step) & 1 != 0:
            origin = neighbor(cell, -dx, -dy, -offset, width, height, wrap)
    return origin


@kernel(forceinline=True)
def next_cell(arcs, grid, cell, step):
    """Return the cell that a step out of `cell` enters, -1 if there is none.

    Here `arcs` are `EndSteps` or `OutSteps`, see `listed_steps`.
    """
    end = np.int64(-1)
    if arcs is not None:
        end = np.int64(arcs.ends[step])
    if grid is not None:
        steps = grid.steps
        dx, dy, offset = steps[step, 0], steps[step, 1], steps[step, 2]
        other = neighbor(cell, dx, dy, offset, grid.width, grid.height, grid.wrap)
        link = grid.links[max(other, 0)]
        if other >= 0 and (link >> step) & 1 != 0:
            end = other
    return end


@kernel(forceinline=True)
def steps_from(arcs, grid, cell):
    """Return the numbers of the steps out of a cell: the first, and the one after the last."""
    first, last = np.int64(0), np.int64(0)
    if arcs is not None:
        first, last = arcs.out_starts[cell], arcs.out_starts[cell + 1]
    if grid is not None:
        last = np.int64(grid.steps.shape[0])
    return first, last


@kernel(forceinline=True)
def end_of(arcs, grid, cell, step):
    """Return the cell that a step out of `cell` enters, -1 if there is none, and the index of its
    size.
    """
    end, size = np.int64(-1), np.int64(step)
    if arcs is not None:
        size = arcs.out_arcs[step]
        end = np.int64(arcs.ends[size])
    if grid is not None:
        end = next_cell(None, grid, cell, step)
    return end, size


@kernel(forceinline=True)
def beyond(distance, here, there, size, cost):
    """Return a distance plus the cost of a step between two cells.

    It is always larger, so that no two cells of a finished map support each other.
    """
    if cost is None:
        return distance + size
    total = distance + (size if cost.shape[0] == 1 else size * (cost[here] + cost[there]))
    return total if total > distance else np.nextafter(distance, np.inf)
