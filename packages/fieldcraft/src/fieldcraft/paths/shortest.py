"""Shortest paths from one place to another."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.paths.arc_search import CHARGES
from fieldcraft.paths.backend import backend
from fieldcraft.paths.cost import CellCosts, Cost
from fieldcraft.paths.distances import DistanceMap
from fieldcraft.paths.path import Path
from fieldcraft.paths.places import ON_WALL, resolve_pairs
from fieldcraft.space import Space

__all__ = ["shortest_path", "shortest_paths"]


def shortest_path(
    space: Space,
    start: ArrayLike,
    goal: ArrayLike,
    *,
    cost: Cost = None,
    smooth: bool = False,
    charge: str = "mean",
    on_wall: str = "refuse",
) -> Path:
    """Return the cheapest path between two positions.

    The path begins at `start` and ends at the center of the goal's cell. Of several cheapest paths
    always the same one is returned.

    Parameters
    ----------
    space : Grid, HexGrid, Graph or Mesh
        Where agents walk. The neighborhood of a grid determines the allowed steps, which cut no
        corners.
    start, goal : array_like of shape (2,)
        World positions; on a 3D graph of shape (3,).
    cost : float, ndarray, layer or expression, optional
        Cost per world unit, at least 1e-6 (default 1), such as `1 + 4 * threat`; infinite cells are
        walls. A step costs its length times the mean cost of its two cells.
    smooth : bool
        Replace steps by straight legs where they cross no wall, cut no corner, and cost no more.
        Then `cells` are those where the path turns. On plane meshes where all cells cost the same
        the smoothed path is the shortest one.
    charge : {"mean", "enter"}
        With "enter" a step costs its length times the cost of the cell that it ends in, as in tile
        and board games.
    on_wall : {"refuse", "nearest"}
        With "nearest" a position in a wall is moved to the nearest open cell.

    Returns
    -------
    Path
        `path.found` is False where there is none.

    Raises
    ------
    OnWall
        If a position is in a wall. The message names the nearest open cell.
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 1, 0, 0],
    ...                       [0, 0, 1, 0, 0],
    ...                       [0, 0, 0, 0, 0]])
    >>> path = fc.shortest_path(grid, (0.5, 1.5), (3.5, 1.5))
    >>> path.length
    5.0
    >>> path.positions
    array([[0.5, 1.5],
           [1.5, 1.5],
           [1.5, 2.5],
           [2.5, 2.5],
           [3.5, 2.5],
           [3.5, 1.5]])
    """
    checks.flag("smooth", smooth)
    checks.choice("on_wall", on_wall, ON_WALL)
    if checks.choice("charge", charge, CHARGES) == "mean":
        return backend(space).shortest_path(start, goal, cost, smooth, on_wall)
    for what, position in (("start", start), ("goal", goal)):
        if not checks.positions(position, dimensions=space.dimensions)[1]:
            raise InvalidValue(
                f"{what} is one position",
                got=f"an array of shape {np.shape(position)}",
                remedy="Call shortest_paths for many",
            )
    return _by_distance_maps(space, start, goal, cost, smooth, charge, on_wall)[0]


def shortest_paths(
    space: Space,
    starts: ArrayLike,
    goals: ArrayLike,
    *,
    cost: Cost = None,
    smooth: bool = False,
    charge: str = "mean",
    on_wall: str = "refuse",
) -> list[Path]:
    """Return many shortest paths, from each start to the goal of the same number.

    Uses all threads; the paths do not depend on their number.

    Parameters
    ----------
    space, cost, smooth, charge, on_wall
        See `shortest_path`.
    starts, goals : array_like of shape (N, 2) or (2,)
        World positions; one stands for all.

    Returns
    -------
    list of Path
        In the order of the starts.

    Raises
    ------
    OnWall, OutsideMap, InvalidValue
        As `shortest_path` does, naming the index.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> paths = fc.shortest_paths(fc.Grid(5, 3), [(0.5, 0.5), (2.5, 2.5)], (4.5, 0.5))
    >>> [path.length for path in paths]
    [4.0, 4.0]
    """
    checks.flag("smooth", smooth)
    checks.choice("on_wall", on_wall, ON_WALL)
    if checks.choice("charge", charge, CHARGES) == "mean":
        return backend(space).shortest_paths(starts, goals, cost, smooth, on_wall)
    return _by_distance_maps(space, starts, goals, cost, smooth, charge, on_wall)


def _by_distance_maps(
    space: Space,
    starts: ArrayLike,
    goals: ArrayLike,
    cost: Cost,
    smooth: bool,
    charge: str,
    on_wall: str,
) -> list[Path]:
    """Return paths by another charge, from one distance map for each goal."""
    if smooth:
        raise InvalidValue(
            "Legs of a smoothed path cross cells and enter none",
            got=f"smooth=True with charge={charge!r}",
            remedy="Leave one of them out",
        )
    walls = backend(space).snapshot(CellCosts(space, cost).walls).walls
    places, from_, _, to = resolve_pairs(space, walls, starts, goals, on_wall)
    maps = {
        cell: DistanceMap(space, space.position_of(cell), cost=cost, charge=charge)
        for cell in np.unique(to).tolist()
    }
    inside = from_ == np.atleast_1d(space.cell_at(places)) if len(places) else from_ < 0
    return [
        maps[goal].descend(place if same else space.position_of(cell))
        for goal, place, cell, same in zip(
            to.tolist(), places, from_.tolist(), inside.tolist(), strict=True
        )
    ]
