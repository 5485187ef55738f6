"""Steps of agents down a distance map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.distances.step_choices import StepCharge, StepChoices
from fieldcraft.kernels.shared.step_lists import OutSteps
from fieldcraft.paths.search.distances_on_arcs import adjacency_with_walls
from fieldcraft.paths.starts_and_goals import resolve_cells
from fieldcraft.space.cells import occupied_mask
from fieldcraft.space.chosen_cells import ChosenCells

if TYPE_CHECKING:
    from fieldcraft.paths.distance_maps import DistanceMap

_NOBODY = np.empty(0, dtype=np.int32)


def step_down(
    distances: DistanceMap,
    positions: ArrayLike,
    one_per_cell: bool,
    onto_goals: bool,
    occupied: ArrayLike | None,
) -> ChosenCells:
    """See `DistanceMap.step`."""
    space = distances.space
    walls = distances.walls.reshape(-1)
    checks.flag("one_per_cell", one_per_cell)
    checks.flag("onto_goals", onto_goals)
    if distances.outward:
        raise InvalidValue(
            "Agents step down a map of distances to its goals",
            got="a map with outward=True",
            remedy="Make it without outward",
        )
    cells, single = resolve_cells(space, walls, "walker", positions)
    is_current = distances.is_current
    if is_current:
        adjacency = space.adjacency
    else:
        adjacency = adjacency_with_walls(space, walls)
    steps = OutSteps(adjacency.starts, adjacency.ends, adjacency.lengths)
    first = np.empty_like(cells)
    around = np.empty(len(cells) * (1 + adjacency.most_steps), dtype=np.int64)
    around = around[: kernels.distances.step_down.around(cells, steps, first, around)]
    left = distances.measured(around)
    closed = None
    if occupied is not None or not onto_goals or not is_current:
        closed = _closed(distances, onto_goals, occupied)
    order = np.arange(len(cells))
    agents = _NOBODY
    if one_per_cell:
        # The nearest first.
        order = left[: len(cells)].argsort(kind="stable")
        agents = np.bincount(cells, minlength=len(space)).astype(np.int32)
    chosen = np.empty_like(cells)
    values = np.empty(len(cells), dtype=np.float32)
    moves = np.empty(len(cells), dtype=np.bool_)
    kernels.distances.step_down.choose(
        cells,
        steps,
        first,
        around,
        left,
        distances.cell_costs.values,
        closed,
        order,
        _charge(distances),
        one_per_cell,
        StepChoices(chosen, values, moves),
        agents,
    )
    if single:
        return ChosenCells(
            space.position_of(int(chosen[0])), values[0], chosen[0], moves[0], chosen[0]
        )
    return ChosenCells(space._centers_of(chosen), values, chosen, moves, chosen)


def _closed(
    distances: DistanceMap, onto_goals: bool, occupied: ArrayLike | None
) -> NDArray[np.bool_]:
    """Return the cells that no agent steps to, (cells,)."""
    space = distances.space
    if occupied is None:
        closed = np.zeros(len(space), dtype=np.bool_)
    else:
        closed = occupied_mask(space, occupied)
    if not distances.is_current:
        closed |= space.walls.reshape(-1)
    if not onto_goals:
        closed[distances.goals] = True
    return closed


def _charge(distances: DistanceMap) -> StepCharge:
    """Return what a unit of length costs, as `kernels.distances.step_down.choose` takes it."""
    step_down = kernels.distances.step_down
    costs = distances.cell_costs
    if costs.values is None:
        return StepCharge(step_down.EVEN, costs.uniform or 1.0)
    if distances.charge == "enter":
        return StepCharge(step_down.AT_ENDS, 1.0)
    return StepCharge(step_down.MEAN, 1.0)
