"""Distance maps to goals, and flee maps: the path to safety, not into a corner."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import atomic
from fieldcraft.layer import Layer
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.distances import DistanceMap
from fieldcraft.paths.traffic import Traffic
from fieldcraft.space import Space

__all__ = ["FleeMap", "distance_map", "flee_map"]

_NONE = np.empty(0, dtype=np.int64)
_NONE.flags.writeable = False


def distance_map(
    space: Space,
    goals: ArrayLike,
    *,
    cost: Cost = None,
    start_costs: ArrayLike | None = None,
    limit: float | None = None,
    charge: str = "mean",
    outward: bool = False,
    on_wall: str = "refuse",
    traffic: Layer | None = None,
    weight: float = 4.0,
) -> DistanceMap:
    """Return the walking distance from every cell to the nearest goal.

    Distances are computed lazily: nothing is searched before a value is requested, and no farther
    than that value needs. Maps with traffic or another charge, or outward, are searched again as a
    whole after each change of walls or costs.

    Parameters
    ----------
    space : Grid, HexGrid, Graph or Mesh
        Where agents walk. Its `neighbors` and `corners` say which steps a grid allows. On a graph
        or mesh agents walk along open edges. Distances are of walking *to* the goals, also where
        steps lead one way.
    goals : array_like of shape (2,) or (N, 2)
        World positions; on a 3D graph of shape (3,) or (N, 3).
    cost : float, ndarray, layer or expression, optional
        Cost per world unit, at least 1e-6 (default 1), such as `1 + 4 * threat`; infinite cells are
        walls. A step costs its length times the mean cost of its two cells. Layers and expressions
        are read once, and again by `DistanceMap.repair`.
    start_costs : float or array_like of shape (N,), optional
        Cost added to each goal, for example the price of entering an exit. A goal is ignored where
        another one is cheaper even from there.
    limit : float, optional
        Largest distance to search, inclusive.
    charge : {"mean", "enter"}
        With "enter" a step costs its length times the cost of the cell that it ends in, as in tile
        and board games.
    outward : bool
        Return distances of walking *from* the goals. They differ where steps lead one way or are
        charged on entering. `fieldcraft.reach` finds the cells within a few steps of units.
    on_wall : {"refuse", "nearest"}
        With "nearest" a goal in a wall is moved to the nearest open cell.
    traffic : layer with fc.Trail(vector=True), optional
        Where agents have gone lately, as `steering.PIBT` or `layer.deposit(positions, steps)` keep
        it. A step against its flow costs more, so that agents who follow the map form lanes. It is
        read once, and again by `DistanceMap.repair`.
    weight : float, optional
        A step against a flow of strength 1 costs so much more, as a part of its cost.

    Returns
    -------
    DistanceMap
        A map that can be sampled, drawn, used in expressions, followed downhill and repaired after
        walls change.

    Raises
    ------
    OnWall
        If a goal is in a wall. The message names the nearest open cell.
    OutsideMap
        If a goal is outside the map.
    InvalidValue
        If there are no goals, or an argument does not fit.

    References
    ----------
    E. W. Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1
    (1959).

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 1, 0, 0],
    ...                       [0, 0, 1, 0, 0],
    ...                       [0, 0, 0, 0, 0]])
    >>> distances = fc.distance_map(grid, (0.5, 0.5))
    >>> distances.values
    array([[ 0.,  1., inf,  7.,  8.],
           [ 1.,  2., inf,  6.,  7.],
           [ 2.,  3.,  4.,  5.,  6.]], dtype=float32)
    """
    against = None if traffic is None else Traffic(space, traffic, weight)
    return DistanceMap(space, goals, cost, start_costs, limit, charge, outward, on_wall, against)


def flee_map(danger: DistanceMap, *, strength: float = 1.2, limit: float | None = None) -> FleeMap:
    """Return a map that leads away from the goals of a distance map when it is descended.

    Walking away from danger step by step ends in the nearest corner. Here each cell is worth
    `strength` times its distance to the danger, and each step costs its length. So agents leave a
    dead end while there is time, even if their path first leads past the danger.

    Parameters
    ----------
    danger : DistanceMap
        The distances to the danger. Cells that it does not reach, or that lie beyond its limit, are
        safe.
    strength : float
        Above 1. The larger, the longer the paths that agents take to safety.
    limit : float, optional
        The search ends at this value.

    Returns
    -------
    FleeMap
        Values are 0 at the safest cells, and elsewhere what it costs to reach safety.

    Raises
    ------
    InvalidValue
        If an argument does not fit, or the map is outward.

    References
    ----------
    The "safety maps" of roguelikes (distances times -1.2, scanned again until they settle), done
    exactly: roguebasin.com, "The Incredible Power of Dijkstra Maps".

    Examples
    --------
    >>> import fieldcraft as fc
    >>> corridor = fc.Grid(20, 1)
    >>> danger = fc.distance_map(corridor, (2.5, 0.5))
    >>> path = fc.flee_map(danger).descend((1.5, 0.5))
    >>> path.positions[-1]  # past the danger, out of the dead end
    array([19.5,  0.5])
    """
    checks.instance(
        danger,
        DistanceMap,
        "A flee map is made from a distance map",
        "Pass fc.distance_map(space, threats)",
    )
    number = checks.finite("strength", strength)
    if not number > 1:
        raise InvalidValue("strength is above 1", got=f"strength={strength!r}", remedy="Pass 1.2")
    return FleeMap(danger, number, np.inf if limit is None else checks.not_negative("limit", limit))


class FleeMap(DistanceMap):
    """The distance from every cell to safety; made by `flee_map`, and used like any distance map.

    `goals` are the cells to run to, `start_costs` what these lack in safety.
    """

    name = "flight"

    def __init__(self, danger: DistanceMap, strength: float, limit: float) -> None:
        self.danger, self.strength = danger, strength
        self.charge, self.outward = danger.charge, danger.outward
        goals, start_costs = self._safe_cells()
        search = danger.search
        self._set_up(search.ground, search.costs.copy(), goals, start_costs, limit)

    def _safe_cells(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the cells to run to, and what they lack in safety."""
        distances = self.danger.exact.reshape(-1)
        self._followed = self.danger.version
        reached = distances < np.inf
        top = distances.max(initial=0.0, where=reached)
        lacking = self.strength * (top - np.where(reached, distances, top))
        # Cells from which a step leads to a cell that is safer by more than the step costs are no
        # goals.
        goals = self.danger.search.minima(lacking)
        return goals, lacking[goals]

    @property
    def outdated(self) -> bool:
        """Whether the danger, walls or costs have changed since; `repair` takes that over."""
        return self.danger.outdated or self.danger.version != self._followed

    @atomic
    def repair(self, cells: ArrayLike | None = None, cost: Cost = None) -> NDArray[np.int64] | None:
        """Repair the danger's map with these arguments, and take over its changes.

        Returns None where a distance to the danger has changed: then the flee map is searched anew.
        """
        self.danger.repair(cells, cost)
        if self.danger.version == self._followed:
            return _NONE
        with self._lock:
            self.goals, self.start_costs = self._safe_cells()
            self.cell_costs = self.danger.search.costs.copy()
            self._restart(self.danger.search.ground)
            self._note(None)
        return None
