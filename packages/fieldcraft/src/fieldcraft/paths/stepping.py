"""One step each for agents that move from cell to cell down a distance map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.paths.arc_search import step_cost, ways_with_walls
from fieldcraft.paths.path import resolve_cells
from fieldcraft.space.adjacency import runs
from fieldcraft.space.results import ChosenCells

if TYPE_CHECKING:
    from fieldcraft.paths.distances import DistanceMap

__all__ = ["step_down"]

_NO_CELLS = np.empty(0, dtype=np.int32)


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
    cells, single = resolve_cells(space, walls, "walker", positions)
    steps = space.adjacency if distances.is_current else ways_with_walls(space, walls)
    first = steps.starts[cells]
    counts = steps.starts[cells + 1] - first
    arcs = runs(first, counts)
    starts = np.concatenate([[0], counts.cumsum()])
    origins, ends = cells.repeat(counts), steps.ends[arcs].astype(np.int64)
    left = distances.measured(np.concatenate([cells, ends]))
    here, left = left[: len(cells)], left[len(cells) :]
    lengths = steps.lengths[arcs]
    totals = left + step_cost(distances.charge, distances.cell_costs, origins, ends, lengths)
    blocked = np.zeros(len(ends), dtype=np.bool_)
    if not distances.is_current:
        blocked |= space.walls.reshape(-1)[ends]
    if not onto_goals:
        blocked |= np.isin(ends, distances.goals)
    order, occupied = np.arange(len(cells)), _NO_CELLS
    if apart:
        # The nearest first.
        order = here.argsort(kind="stable")
        occupied = np.zeros(len(space), dtype=np.int32)
        np.add.at(occupied, cells, 1)
    chosen = np.empty_like(cells)
    kernels.step_down.choose(
        cells, starts, here, ends, left, totals, blocked, order, apart, chosen, occupied
    )
    moves = chosen >= 0
    cells[moves], here[moves] = ends[chosen[moves]], left[chosen[moves]]
    values = here.astype(np.float32)
    if single:
        return ChosenCells(
            space.position_of(int(cells[0])), values[0], cells[0], moves[0], cells[0]
        )
    return ChosenCells(space.position_of(cells), values, cells, moves, cells)
