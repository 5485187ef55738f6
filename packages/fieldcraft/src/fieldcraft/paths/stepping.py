"""One step each for agents that move from cell to cell down a distance map."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.paths.arc_search import step_cost, ways_with_walls
from fieldcraft.paths.path import resolve_cells
from fieldcraft.space.adjacency import Adjacency, runs
from fieldcraft.space.results import ChosenCells

if TYPE_CHECKING:
    from fieldcraft.paths.distances import DistanceMap

__all__ = ["step_down"]


def step_down(
    distances: DistanceMap, positions: ArrayLike, apart: bool, onto_goals: bool
) -> ChosenCells:
    """See `DistanceMap.step`."""
    space, walls = distances.space, distances.walls.reshape(-1)
    checks.flag("apart", apart)
    checks.flag("onto_goals", onto_goals)
    if distances.outward:
        raise InvalidValue(
            "Agents step down a map of distances to its goals",
            got="a map with outward=True",
            remedy="Make it without outward",
        )
    starts, single = resolve_cells(space, walls, "walker", positions)
    ways = space.adjacency if distances.is_current else ways_with_walls(space, walls)
    if single and not apart:
        return _step_alone(distances, int(starts[0]), ways, onto_goals)
    first = ways.starts[starts]
    counts = ways.starts[starts + 1] - first
    arcs = runs(first, counts)
    walker = np.repeat(np.arange(len(starts)), counts)
    there = ways.ends[arcs].astype(np.int64)
    left = distances.measured(np.concatenate([starts, there]))
    left_here, left = left[: len(starts)], left[len(starts) :]
    lengths = ways.lengths[arcs]
    total = left + step_cost(distances.charge, distances.cell_costs, starts[walker], there, lengths)
    # Agents that step one after the other may pass sideways around a goal; else each comes nearer.
    leads = (left <= left_here[walker]) if apart else (left < left_here[walker])
    leads &= left < np.inf
    if not distances.is_current:
        leads &= ~space.walls.reshape(-1)[there]
    if not onto_goals:
        leads &= ~np.isin(there, distances.goals)
    walker, there, total, left = walker[leads], there[leads], total[leads], left[leads]
    order = np.lexsort((there, total, walker)) if len(there) > 1 else slice(None)
    walker, there, left = walker[order], there[order], left[order]
    edges = np.searchsorted(walker, np.arange(len(starts) + 1))
    chosen = _one_by_one(starts, left_here, there, edges) if apart else edges[:-1].copy()
    chosen[edges[:-1] == edges[1:]] = -1
    cells, values = starts.copy(), left_here.astype(np.float32)
    moves = chosen >= 0
    cells[moves], values[moves] = there[chosen[moves]], left[chosen[moves]]
    if single:
        return ChosenCells(
            space.position_of(int(cells[0])), values[0], cells[0], moves[0], cells[0]
        )
    return ChosenCells(space.position_of(cells), values, cells, moves, cells)


def _step_alone(
    distances: DistanceMap, start: int, ways: Adjacency, onto_goals: bool
) -> ChosenCells:
    """Return the step of one walker: what `step_down` says, without arrays of options."""
    space, cell = distances.space, start
    arcs = slice(ways.starts.item(start), ways.starts.item(start + 1))
    there = ways.ends[arcs].astype(np.int64)
    here, *left = distances.measured(np.concatenate([[start], there])).tolist()
    starts = np.full(len(there), start)
    steps = step_cost(distances.charge, distances.cell_costs, starts, there, ways.lengths[arcs])
    goals = () if onto_goals else distances.goals
    best, value = math.inf, here
    for option, away, step in zip(there.tolist(), left, steps.tolist(), strict=True):
        blocked = not distances.is_current and space.walls.reshape(-1)[option]
        if away < here and away + step < best and not blocked and option not in goals:
            best, cell, value = away + step, option, away
    cells, values = np.array([cell]), np.array([value], dtype=np.float32)
    moved = cells != start
    return ChosenCells(space.position_of(cell), values[0], cells[0], moved[0], cells[0])


def _one_by_one(
    starts: NDArray[np.int64],
    left: NDArray[np.float64],
    there: NDArray[np.int64],
    edges: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the option of each walker, -1 for none, if they step one after the other, the nearest
    first, each to the best cell that is free at that moment.
    """
    chosen = np.full(len(starts), -1, dtype=np.int64)
    occupied: dict[int, int] = {}
    for cell in starts.tolist():
        occupied[cell] = occupied.get(cell, 0) + 1
    options, ends = there.tolist(), edges.tolist()
    for walker in np.argsort(left, kind="stable").tolist():
        for option in range(ends[walker], ends[walker + 1]):
            if not occupied.get(options[option]):
                occupied[int(starts[walker])] -= 1
                occupied[options[option]] = 1
                chosen[walker] = option
                break
    return chosen
