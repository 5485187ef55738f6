"""Distance maps to goals, flee maps, flow fields, and which of two sides arrives first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.base.ranges import farthest_within
from fieldcraft.layers import Layer
from fieldcraft.paths.cost import Cost, Traffic
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.paths.flow.on_spaces import GraphFlow, GridFlow
from fieldcraft.space import Grid, Space
from fieldcraft.space.csr import NO_CELLS

__all__ = [
    "FirstArrival",
    "FleeMap",
    "FlowField",
    "distance_map",
    "first_arrival",
    "flee_map",
    "flow_field",
]


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

    Distances are computed lazily: nothing is searched before a value is read, and no farther than
    that value needs. Maps with traffic or another charge, or outward, are searched again as a whole
    after each change of walls or costs.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        Where agents walk. Its `neighbors` and `corners` say which steps a grid allows. On a graph
        or mesh agents walk along open edges. Distances are of walking *to* the goals, which matters
        for one-way steps.
    goals : array_like of shape (2,) or (N, 2)
        World positions; on a 3D graph of shape (3,) or (N, 3).
    cost : float, ndarray, layer or expression, optional
        Cost per world unit, at least 1e-6 (default 1), such as `1 + 4 * threat`; infinite cells are
        walls. A step costs its length times the mean cost of its two cells. Layers and expressions
        are read once, and again by `DistanceMap.repair`.
    start_costs : float or array_like of shape (N,), optional
        Cost added to each goal, for example the price of entering an exit. A goal is ignored if
        another goal is cheaper from its cell.
    limit : float, optional
        Largest distance to search, inclusive.
    charge : {"mean", "enter"}
        With "enter" a step costs its length times the cost of the cell that it ends in, as in tile
        and board games.
    outward : bool
        Return distances of walking *from* the goals. They differ for one-way steps and for
        `charge="enter"`. `fieldcraft.reach` finds the cells within a few steps of units.
    on_wall : {"refuse", "nearest"}
        With "nearest" a goal in a wall is moved to the nearest open cell.
    traffic : layer with fc.Trail(vector=True), optional
        The recent moves of agents, written by `steering.PIBT` or `layer.deposit(positions, steps)`.
        A step against the flow costs more, so that agents that follow the map form lanes. It is
        read once, and again by `DistanceMap.repair`.
    weight : float, optional
        The part by which the cost of a step against a flow of strength 1 rises.

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
    if traffic is None:
        against = None
    else:
        against = Traffic(space, traffic, weight)
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
        self.danger = danger
        self.strength = strength
        self.charge = danger.charge
        self.outward = danger.outward
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
            return NO_CELLS
        with self._lock:
            self.goals, self.start_costs = self._safe_cells()
            self.cell_costs = self.danger.search.costs.copy()
            self._restart(self.danger.search.ground)
            self._note(None)
        return None


_fields: WeakValueDictionary[int, FlowField] = WeakValueDictionary()


def flow_field(distance_map: DistanceMap) -> FlowField:
    """Return the directions in which agents walk to the goals of a distance map.

    The same field is returned whenever a map is passed again. It follows its map: after `repair` it
    is updated where distances or walls have changed when it is next read. Directions are 0 in the
    cells of goals.

    Parameters
    ----------
    distance_map : DistanceMap
        The distances to the goals, on a grid whose neighborhood has the four straight steps and
        `corners` "never" or "if-one-open", on hexagons, a graph or a mesh. With "cut" agents pass
        between two walls from cell to cell only: use `DistanceMap.step`.

    Returns
    -------
    FlowField
        On a graph or mesh a `GraphFlow`, which knows the next vertex as well.

    Raises
    ------
    InvalidValue
        For anything else, and for a map with `outward=True`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> flow = fc.flow_field(fc.distance_map(fc.Grid(5, 1), (4.5, 0.5)))
    >>> flow.sample([(0.5, 0.5), (4.5, 0.5)])
    array([[1., 0.],
           [0., 0.]])
    """
    checks.instance(
        distance_map,
        DistanceMap,
        "A flow field is made from a distance map",
        "Pass fc.distance_map(space, goals)",
    )
    if distance_map.outward:
        raise InvalidValue(
            "A flow field leads to the goals of its map",
            got="a map with outward=True",
            remedy="Make the distance map without outward",
        )
    known = _fields.get(id(distance_map))
    if known is None or known.distance_map is not distance_map:
        grid = isinstance(distance_map.space, Grid)
        if grid:
            known = GridFlow(distance_map)
        else:
            known = GraphFlow(distance_map)
        _fields[id(distance_map)] = known
    return known


@dataclass(frozen=True, eq=False, repr=False)
class FirstArrival:
    """When two sides can be in each cell; made by `first_arrival`. Arrays have the space's shape.

    Attributes
    ----------
    ours, theirs : ndarray of float64
        Seconds until the first unit of a side can be there; infinite where none can.
    margin : float
        Seconds by which a side has to be first.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.query.first_arrival(fc.Grid(7, 1), (0.5, 0.5), (6.5, 0.5))
    <FirstArrival: 3 cells safe, 1 contested, 3 lost>
    """

    space: Space
    ours: NDArray[np.float64]
    theirs: NDArray[np.float64]
    margin: float

    def __repr__(self) -> str:
        counts = (int(each.sum()) for each in (self.safe, self.contested, self.lost))
        return "<FirstArrival: {} cells safe, {} contested, {} lost>".format(*counts)

    @cached_property
    def safe(self) -> NDArray[np.bool_]:
        """The cells where we are first."""
        return self.theirs > farthest_within(self.ours + self.margin)

    @cached_property
    def lost(self) -> NDArray[np.bool_]:
        """The cells where they are first."""
        return self.ours > farthest_within(self.theirs + self.margin)

    @property
    def contested(self) -> NDArray[np.bool_]:
        """The cells that both sides reach, neither first."""
        return np.isfinite(self.ours) & ~self.safe & ~self.lost

    @property
    def contact_time(self) -> float:
        """Seconds until both sides can be in one cell; infinite where they cannot."""
        return float(np.maximum(self.ours, self.theirs).min())

    @property
    def contact(self) -> NDArray[np.float64]:
        """Where they can meet first: the center of that cell, NaN where they cannot meet."""
        later = np.maximum(self.ours, self.theirs).reshape(-1)
        if later.min() == np.inf:
            return np.full(self.space.dimensions, np.nan)
        return self.space.position_of(int(later.argmin()))


def first_arrival(
    space: Space,
    ours: ArrayLike,
    theirs: ArrayLike,
    *,
    our_speed: ArrayLike = 1.0,
    their_speed: ArrayLike = 1.0,
    margin: float = 0.0,
    cost: Cost = None,
    on_wall: str = "refuse",
) -> FirstArrival:
    """Return which cells each of two sides can reach first.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        Where units walk.
    ours, theirs : array_like of shape (2,) or (N, 2)
        World positions of the units of each side; on a 3D graph of shape (3,) or (N, 3).
    our_speed, their_speed : float or array_like of shape (N,)
        World units a second, one for all units of a side or one each.
    margin : float
        Cells where neither side is earlier by more than so many seconds are contested. Times that
        differ by less than one part in 1e9 are equal, so that rounding decides no cell.
    cost : float, ndarray, layer or expression, optional
        Cost per world unit, as for `distance_map`; a cost of 2 takes twice the time.
    on_wall : {"refuse", "nearest"}
        With "nearest" a unit in a wall starts from the nearest open cell.

    Returns
    -------
    FirstArrival
        Masks `safe`, `contested` and `lost`, the times, and when and where they can meet.

    Raises
    ------
    OnWall, OutsideMap, InvalidValue
        As `distance_map` does.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> from fieldcraft.query import first_arrival
    >>> arrival = first_arrival(fc.Grid(7, 1), (0.5, 0.5), (6.5, 0.5), our_speed=2)
    >>> arrival.safe
    array([[ True,  True,  True,  True, False, False, False]])
    >>> arrival.contested
    array([[False, False, False, False,  True, False, False]])
    >>> arrival.contact_time
    2.0
    """
    limit = checks.not_negative("margin", margin)
    mine = _times(space, ours, "our_speed", our_speed, cost, on_wall)
    other = _times(space, theirs, "their_speed", their_speed, cost, on_wall)
    return FirstArrival(space, mine, other, limit)


def _times(
    space: Space, units: ArrayLike, name: str, speed: ArrayLike, cost: Cost, on_wall: str
) -> NDArray[np.float64]:
    """Return when the first of some units can be in each cell."""
    points, _ = checks.positions(units, dimensions=space.dimensions)
    speeds = checks.positives(name, speed, len(points))
    times = np.full(space.shape, np.inf)
    for pace in np.unique(speeds).tolist():
        found = DistanceMap(space, points[speeds == pace], cost=cost, outward=True, on_wall=on_wall)
        np.minimum(times, found.exact / pace, out=times)
    return times
