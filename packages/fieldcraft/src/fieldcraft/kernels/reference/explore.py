"""Exploring, spelled out: the specification of `fieldcraft.kernels.explore`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference.chance import throw

__all__ = ["explore", "room"]


def explore(
    values: NDArray[np.float32],
    links: NDArray[np.unsignedinteger],
    masks: NDArray[np.unsignedinteger],
    steps: NDArray[np.int64],
    wrap: bool,
    ways: tuple[NDArray[np.int64], NDArray[np.int32]],
    starts: NDArray[np.int64],
    sight: int,
    searches: bool,
    unknown: np.float32,
    key: int,
    taken: NDArray[np.bool_],
    first: int,
    last: int,
    next_cells: NDArray[np.int64],
    targets: NDArray[np.int64],
    *scratch: NDArray[np.int64],
) -> None:
    """For the agents [first, last): the cell to step to from each start and the cell it heads for,
    or the start itself for both.

    Heads for the lowest value up to `sight` steps away, the nearest of equals, then the lowest die
    of agent and cell. If that is above `unknown` and it `searches`, it heads for the nearest cell
    at any distance that is not, if there is one.

    Where `taken` has an entry for each cell, agents choose one after the other: none takes a first
    step to a cell that is taken, unless it has no other, and takes the one that it steps to.

    On a graph, whose `steps` are none, those from vertex v lead to `ways[1][ways[0][v] : ways[0][v
    + 1]]`.
    """
    flat = values.reshape(-1)
    for agent in range(first, last):
        start = int(starts[agent])
        shut = {
            cell
            for cell in _beside(start, links, masks, steps, wrap, ways)
            if len(taken) and taken[cell]
        }
        if shut.issuperset(set(_beside(start, links, masks, steps, wrap, ways)) - {start}):
            shut = set()
        came_by = {start: start}
        ring, depth = [start], 0
        best = None
        while ring:
            depth += 1
            beyond = depth > sight
            if beyond and (not searches or (best is not None and best[0] <= unknown)):
                break
            outer = []
            for cell in ring:
                for there in _beside(cell, links, masks, steps, wrap, ways):
                    if there in came_by or (cell == start and there in shut):
                        continue
                    came_by[there] = there if cell == start else came_by[cell]
                    outer.append(there)
            ring = outer
            seen = [(float(flat[cell]), depth, throw(key, agent, cell), cell) for cell in ring]
            if beyond:
                seen = [(-np.inf, *other[1:]) for other in seen if other[0] <= unknown]
            best = min([*seen, *([] if best is None else [best])], default=None)
            if beyond and seen:
                break
        next_cells[agent] = start if best is None else came_by[best[3]]
        targets[agent] = start if best is None else best[3]
        if len(taken):
            taken[next_cells[agent]] = True


def _beside(
    cell: int,
    links: NDArray[np.unsignedinteger],
    masks: NDArray[np.unsignedinteger],
    steps: NDArray[np.int64],
    wrap: bool,
    ways: tuple[NDArray[np.int64], NDArray[np.int32]],
) -> list[int]:
    """The cells one step away."""
    if not len(steps):
        there: list[int] = ways[1][ways[0][cell] : ways[0][cell + 1]].tolist()
        return there
    height, width = links.shape
    row, column = divmod(cell, width)
    found = []
    for k, (dx, dy) in enumerate(steps.tolist()):
        y, x = row + dy, column + dx
        if wrap:
            y, x = y % height, x % width
        if 0 <= y < height and 0 <= x < width and links[y, x] & masks[k]:
            found.append(y * width + x)
    return found


def room(cells: int) -> tuple[NDArray[np.int64], ...]:
    """Scratch, of which this tier needs none."""
    return ()
