"""Shortest paths from one place to another."""

from __future__ import annotations

from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.paths import door
from fieldcraft.paths.charged import CHARGES
from fieldcraft.paths.charged_search import charged_path, charged_paths
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.route import Path
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
) -> Path:
    """The cheapest way from one place to another, from the center of its cell to the center of the
    goal's.

    Where there is no way, the answer is a path that is not `found`. Of several cheapest ways always
    the same one is returned. Costs are compared in float64: no other way is cheaper by more than
    the rounding of such sums.

    Parameters
    ----------
    space: a grid. Its neighbourhood says which steps there are; they cut no corners, and one-way
        terrain is kept to.
    start, goal: (x, y) in world units.
    cost: what the ground costs per world unit of way: a number, an array of shape (height, width),
        a layer, or an expression, such as `1 + 4 * threat`. By default 1. At least 1e-6; infinite
        is a wall. A step costs its length times the mean of its two cells.
    smooth: replace steps by straight legs wherever they cross no wall, cut no corner, and cost no
        more than what they replace, each cell counted with the length of the leg inside it. Then
        `cells` are those where the path turns. On plane meshes, where all ground costs the same, it
        is the shortest way there is.
    charge: "mean", or "enter" for steps that cost their length times the cost of the cell they end
        in, as in tile and board games.

    Raises `OutsideMap` or `OnWall` for a start or goal that can't be stood on, naming the nearest
    open cell, and `InvalidValue` for other arguments that don't fit.
    """
    legs = checks.flag("smooth", smooth)
    if checks.choice("charge", charge, CHARGES) != "mean":
        return charged_path(space, start, goal, cost, legs, charge)
    return door.shortest_path(space, start, goal, cost, legs)


def shortest_paths(
    space: Space,
    starts: ArrayLike,
    goals: ArrayLike,
    *,
    cost: Cost = None,
    smooth: bool = False,
    charge: str = "mean",
) -> list[Path]:
    """Many shortest paths at once, over all threads: from each start to the goal of the same
    number.

    `starts` and `goals` are (N, 2) world positions; one (x, y) pair stands for all. The paths are
    those of `shortest_path`, in the order of the starts, whatever the number of threads. Raises
    what it raises, naming the index.
    """
    legs = checks.flag("smooth", smooth)
    if checks.choice("charge", charge, CHARGES) != "mean":
        return charged_paths(space, starts, goals, cost, legs, charge)
    return door.shortest_paths(space, starts, goals, cost, legs)
