"""The damage that enemies can do in each cell in their next turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.words import Charge, IfOnWall
from fieldcraft.paths.cost import CHARGES, Cost
from fieldcraft.paths.search.reach import AttacksInSight, Hits, ReachSearch
from fieldcraft.paths.starts_and_goals import ON_WALL, resolve_cells
from fieldcraft.space import Space, checked_space
from fieldcraft.space.sight.viewers import check_need_of_sight, checked_heights
from fieldcraft.space.space_ranges import within_walk
from fieldcraft.values.array_map import ArrayMap


@dataclass(frozen=True, eq=False, repr=False)
class DamageNextTurn:
    """The damage that enemies can do in each cell; made by `damage_next_turn`.

    Attributes
    ----------
    total : ArrayMap
        The sum over all enemies that can hit a cell; 0 in walls.
    most : ArrayMap
        The damage of the strongest of them.
    """

    space: Space
    total: ArrayMap
    most: ArrayMap

    def __repr__(self) -> str:
        hit = int(np.count_nonzero(self.total.values))
        return f"<DamageNextTurn: {hit} cells, at most {self.total.values.max(initial=0):g}>"


def damage_next_turn(
    space: Space,
    positions: ArrayLike,
    strengths: ArrayLike,
    *,
    moves: ArrayLike,
    ranges: ArrayLike,
    sight: bool = False,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    cost: Cost = None,
    charge: Charge = "mean",
    on_wall: IfOnWall = "refuse",
) -> DamageNextTurn:
    """Return the damage that enemies who move and then attack can do in each cell.

    Each enemy counts in all cells that it can hit from one of the cells that it can walk to, as
    `reach(..., ranges=...)` has it. So a cell with a `total` of 0 is safe for a turn.

    Parameters
    ----------
    space : Grid, HexGrid, Graph or Mesh
        Where enemies walk.
    positions : array_like of shape (N, 2) or (2,)
        World positions of the enemies; (N, 3) on a 3D graph.
    strengths : float or array_like of shape (N,)
        The damage of an attack, at least 0; one number for all or one each.
    moves : float or array_like of shape (N,)
        How far an enemy walks, inclusive, in world units times cost.
    ranges : float or array_like of shape (N,)
        How far it hits, inclusive, in world units in a straight line.
    sight : bool
        Whether walls block attacks.
    heights, eye
        Ground that blocks attacks too, as in `visible`; with `sight`.
    cost, charge, on_wall
        As for `reach`.

    Returns
    -------
    DamageNextTurn
        `total` and `most`, maps as of now.

    Raises
    ------
    OnWall, OutsideMap
        If an enemy is in a wall or off the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> lane = fc.Grid(9, 1)
    >>> foes = [(1.5, 0.5), (6.5, 0.5)]
    >>> damage = fc.query.damage_next_turn(lane, foes, [3, 5], moves=1, ranges=2)
    >>> damage.total.values
    array([[3., 3., 3., 8., 8., 5., 5., 5., 5.]], dtype=float32)
    >>> damage.most.values
    array([[3., 3., 3., 5., 5., 5., 5., 5., 5.]], dtype=float32)
    """
    checked_space(space, "Enemies walk on")
    check_need_of_sight(heights, checks.flag("sight", sight), "sight=False", "Pass sight=True")
    over = checked_heights(space, heights, eye)
    enter = checks.choice("charge", charge, CHARGES) == "enter"
    checks.choice("on_wall", on_wall, ON_WALL)
    starts, _ = resolve_cells(space, space.walls, "walker", positions, on_wall)
    count = len(starts)
    amounts = _not_negative("strengths", strengths, count)
    far = _not_negative("moves", moves, count)
    hit_ranges = _not_negative("ranges", ranges, count)
    reached: dict[int, NDArray[np.int64]] = {}
    for limit in np.unique(far).tolist():
        search = ReachSearch(space, cost, enter, within_walk(space, limit))
        walkers = np.flatnonzero(far == limit)
        found = search.run_all(starts[walkers])
        search.end()
        for walker, (cells, _, _) in zip(walkers.tolist(), found, strict=True):
            reached[walker] = cells
    attacks = None
    if sight:
        attacks = AttacksInSight.of(space, hit_ranges.tolist(), over)
    hits = Hits(space, attacks)
    for i in range(count):
        hits.add(reached[i], float(hit_ranges[i]), float(amounts[i]))
    return DamageNextTurn(
        space,
        ArrayMap(space, hits.total.astype(np.float32), "damage"),
        ArrayMap(space, hits.most.astype(np.float32), "strongest attack"),
    )


def _not_negative(name: str, values: ArrayLike, count: int) -> NDArray[np.float64]:
    found = checks.numbers(name, values, count)
    wrong = (found < 0) | (found > checks.LARGEST)
    checks.none_wrong(f"{name} lie from 0 to {checks.LARGEST:g}", found, wrong, "Correct these")
    return found
