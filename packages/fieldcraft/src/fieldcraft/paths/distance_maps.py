"""Distance maps: the distance from every cell to the nearest goal."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import Between, Charge, IfOnWall, IfOutside
from fieldcraft.layers import Layer, SingleThreadLock
from fieldcraft.paths.cost import CHARGES, CellCosts, Cost, Traffic, sized
from fieldcraft.paths.descent import step_down
from fieldcraft.paths.path import Path, no_path
from fieldcraft.paths.search.distances import DistanceSearch, SearchTask
from fieldcraft.paths.search.distances_on_grid import search_for
from fieldcraft.paths.starts_and_goals import ON_WALL, resolve_cells, unique_goals
from fieldcraft.space import Snapshot, Space, checked_space, snapshot_of
from fieldcraft.space.chosen_cells import ChosenCells
from fieldcraft.space.csr import NO_CELLS
from fieldcraft.values.operand import Operand

if TYPE_CHECKING:
    from fieldcraft.space.cells import Many, One

UNREACHED = 1e20
"""What expressions read where no goal is reached: a cost that can still be added and multiplied."""

_CHANGES = 64  # versions that `changed_since` can look back
_NOT_COPIED = ("_lock", "_values", "_view", "_finite", "_search")


class _Change(NamedTuple):
    """What a version of a distance map has changed: the cells with a new distance, and the cells
    whose walls or costs are new.
    """

    distances: NDArray[np.int64]
    steps: NDArray[np.int64]


class DistanceMap(Operand):
    """The walking distance from every cell to the nearest goal; made by `distance_map`.

    It has the walls and costs of the time when it was made or last repaired: `outdated` is whether
    they have changed since, and `repair` updates the map, with the same result as a new map bit for
    bit. After few changes it takes a fraction of the time of a new search; where a repair would
    take longer than that, the map is searched again.

    Distances are float64 internally. With 4 or 8 neighbors and one cost for all cells they are
    counts of straight and diagonal steps, exact up to one rounding. Else they are sums along the
    path from the goal.

    Like a layer it can be used in expressions, windows and questions: `threat - 0.2 * distances`.
    In expressions walls are 0, and cells that reach no goal 1e20, so that they are never the
    nearest; `fc.minimum(distances, 99)` limits that. A distance map is used by one thread at a
    time.

    Attributes
    ----------
    goals : ndarray of int64
        The cells of the goals, ascending, each once.
    start_costs : ndarray of float64
        The cost that each goal begins with.
    charge, outward, size
        See `distance_map`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> distances = fc.distance_map(fc.Grid(5, 1), (0.5, 0.5))
    >>> distances.space.set_walls([2])
    >>> distances.repair()
    >>> distances.values
    array([[ 0.,  1., inf, inf, inf]], dtype=float32)
    """

    name = "distance"

    def __init__(
        self,
        space: Space,
        goals: ArrayLike,
        cost: Cost = None,
        start_costs: ArrayLike | None = None,
        limit: float | None = None,
        charge: Charge = "mean",
        outward: bool = False,
        on_wall: IfOnWall = "refuse",
        traffic: Traffic | None = None,
        size: int | None = None,
    ) -> None:
        self.charge = checks.choice("charge", charge, CHARGES)
        checks.choice("on_wall", on_wall, ON_WALL)
        self.outward = checks.flag("outward", outward)
        self.size = size
        checked_space(space, "Paths lie on")
        costs = CellCosts(space, sized(space, cost, size), traffic)
        ground = snapshot_of(space, costs.walls)
        cells, _ = resolve_cells(space, ground.walls, "goal", goals, on_wall)
        if not len(cells):
            raise InvalidValue("A distance map has goals", got="none", remedy="Pass at least one")
        if limit is None:
            limit = math.inf
        else:
            limit = checks.not_negative("limit", limit)
        self._set_up(ground, costs, *unique_goals(cells, start_costs), limit)

    def _set_up(
        self,
        ground: Snapshot,
        costs: CellCosts,
        goals: NDArray[np.int64],
        start_costs: NDArray[np.float64],
        limit: float,
    ) -> None:
        self.space = costs.space
        self.limit = limit
        self.cell_costs = costs
        self.goals = goals
        self.start_costs = start_costs
        remedy = "Put a lock around it, or give each thread its own"
        self._lock = SingleThreadLock("A distance map", remedy)
        self._values: NDArray[np.float32] | None = None
        self._finite: NDArray[np.float32] | None = None
        self._finite_walls = -1
        self._version = 0
        self._changes: list[_Change | None] = []
        self._ground = ground
        self._shown = False
        self._search: DistanceSearch | None = None

    def _restart(self, ground: Snapshot) -> None:
        """Discard all distances; the next use begins a new search."""
        self._ground = ground
        self._search = None
        self._shown = False

    @property
    def search(self) -> DistanceSearch:
        """The search of the map; it may not have begun."""
        if self._search is None:
            task = SearchTask(
                self._ground,
                self.cell_costs,
                self.goals,
                self.start_costs,
                self.limit,
                self.charge,
                self.outward,
            )
            self._search = search_for(task)
        return self._search

    def settled(self) -> DistanceSearch:
        """Complete the search of the map and return it."""
        with self._lock:
            self.search.settle()
            return self.search

    def __repr__(self) -> str:
        if len(self.goals) > 1:
            goals = f"{len(self.goals)} goals"
        else:
            goals = "1 goal"
        outdated = ", outdated" if self.outdated else ""
        return f"<{type(self).__name__} to {goals} on {self.space.describe()}{outdated}>"

    def _own_lock(self) -> SingleThreadLock:
        """See `Operand._own_lock`."""
        return self._lock

    # Python's own copies

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _NOT_COPIED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        changes = self._changes
        version = self._version
        self._set_up(self._ground, self.cell_costs, self.goals, self.start_costs, self.limit)
        self._changes = changes
        self._version = version

    # Reading

    @property
    def values(self) -> NDArray[np.float32]:
        """The distances (times cost), float32 of the space's shape; inf on walls and where no goal
        is reached. A read-only view, which `repair` changes in place.
        """
        if not self._shown:
            if self._values is None:
                self._values = np.empty(len(self.space), dtype=np.float32)
                self._view = self._values.view().reshape(self.space.shape)
                self._view.flags.writeable = False
            with self._lock:
                self.search.settle()
                self.search.write(self._values)
                self._shown = True
        return self._view

    def finite_values(self) -> NDArray[np.float32]:
        """Return the values for expressions: 0 on walls, 1e20 where no goal is reached.

        Walls are those of now: a wall that has opened since reaches no goal before a repair, like a
        cell that is blocked by an infinite cost.
        """
        now = self.space.walls_version
        if self._finite is None or self._finite_walls != now:
            values = self.values
            self._finite = np.where(np.isinf(values), np.float32(UNREACHED), values)
            np.minimum(self._finite, np.float32(checks.LARGEST), out=self._finite)
            self._finite[self.space.walls] = 0
            self._finite_walls = now
        return self._finite

    @property
    def exact(self) -> NDArray[np.float64]:
        """The distances in float64, of the space's shape: a new array."""
        return self.settled().measured(slice(None)).reshape(self.space.shape)

    @overload  # type: ignore[override]
    def sample(self, positions: One, *, how: Between = ..., outside: IfOutside = ...) -> float: ...
    @overload
    def sample(
        self, positions: Many, *, how: Between = ..., outside: IfOutside = ...
    ) -> NDArray[np.float64]: ...
    @overload
    def sample(
        self, positions: ArrayLike, *, how: Between = ..., outside: IfOutside = ...
    ) -> float | NDArray[np.float64]: ...
    def sample(
        self, positions: ArrayLike, *, how: Between = "nearest", outside: IfOutside = "refuse"
    ) -> float | NDArray[np.float64]:
        """Return the distances at world positions: a float for one, (N,) float64 for many.

        It searches only as far as needed; the next call continues from there.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions. In walls the distance is inf.
        how : {"nearest", "bilinear"}
            "bilinear" reads between cells; see `fieldcraft.sample`.
        outside : {"refuse", "clamp"}
            With "clamp" a position outside the map counts as the nearest cell.
        """
        if not isinstance(how, str) or how != "nearest":
            between = super().sample(positions, how=how, outside=outside)
            if isinstance(between, float):
                return between
            return between.astype(np.float64)
        cells = self.space.cell_at(positions, outside=outside)
        found = self.measured(np.atleast_1d(cells))
        if isinstance(cells, int):
            return float(found[0])
        return found

    def measured(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the distances of checked cells: (N,) float64, inf on walls."""
        with self._lock:
            search = self.search
            if not search.finished:
                on_wall = self._ground.walls[cells]
                if on_wall.all():
                    return np.full(len(cells), math.inf)
                search.settle(cells[~on_wall])
            return search.measured(cells)

    def descend(self, position: ArrayLike) -> Path:
        """Return the path from a world position to the nearest goal.

        Of equally good steps the straight one is taken, on a graph the vertex of the lowest number.
        Where no goal is reached, the path is not `found`. On an outward map the path leads from the
        goal to the position.

        Raises
        ------
        OnWall, OutsideMap
            In a wall or outside the map. The message names the nearest open cell.
        """
        cells, _ = resolve_cells(self.space, self._ground.walls, "start", position)
        rule = "A path begins at one position"
        place = checks.position(position, rule, dimensions=self.space.dimensions)
        total = float(self.measured(cells)[0])
        if total == math.inf:
            return no_path(self.space)
        with self._lock:
            path, length = self.search.descend(int(cells[0]))
            goal = path[:1] if self.outward else path[-1:]
            total -= float(self.search.measured(goal)[0])
        if self.outward:
            path.flags.writeable = False
            return Path(self.space, path, length, total)
        first_cost = partial(self.cell_costs.of_step, charge=self.charge)
        return Path.over_cells(self.space, path, length, total, place, first_cost)

    def step(
        self,
        positions: ArrayLike,
        *,
        one_per_cell: bool = False,
        onto_goals: bool = True,
        occupied: ArrayLike | None = None,
    ) -> ChosenCells:
        """Return one step of each agent towards the nearest goal: `hunt.step(monsters).positions`.

        Each agent takes the first step of a shortest path; of equal steps the one to the lowest
        cell. Agents at a goal, or without a path to one, stay, and are not `found`.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions on open cells.
        one_per_cell : bool
            Let agents step one after the other, the nearest first, each to the best cell that is
            free at that moment and no farther from the goal than its own. They queue in corridors
            and surround a goal; agents without such a cell wait.
        onto_goals : bool
            With False agents stop beside the goals.
        occupied : array_like, optional
            Cells that no agent steps to because others hold them, such as another group: world
            positions of shape (M, 2), ids of cells, or a mask.

        Raises
        ------
        OnWall, OutsideMap
            If a position is in a wall or outside the map.
        InvalidValue
            If the map is outward, or `occupied` is something else.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> distances = fc.distance_map(fc.Grid(5, 1), (4.5, 0.5))
        >>> distances.step([(0.5, 0.5), (4.5, 0.5)]).cells
        array([1, 4])
        """
        return step_down(self, positions, one_per_cell, onto_goals, occupied)

    @property
    def version(self) -> int:
        """A number that grows with every `repair` that changes something."""
        return self._version

    @property
    def outdated(self) -> bool:
        """Whether walls, traffic, or the layer or expression of the cost have changed."""
        return self.space.walls_version != self._ground.version or self.cell_costs.outdated

    @property
    def is_current(self) -> bool:
        """Whether the map has the current walls of the space."""
        return self.space.walls_version == self._ground.version and not self.cell_costs.infinite

    @property
    def walls(self) -> NDArray[np.bool_]:
        """The walls, infinite costs among them, of the space's shape; read-only."""
        return self._ground.walls.reshape(self.space.shape)

    @property
    def costs(self) -> NDArray[np.float64] | None:
        """The cost of each cell, a copy of the space's shape; None if all cost the same."""
        values = self.cell_costs.values
        if values is None:
            return None
        return values.reshape(self.space.shape).copy()

    def changed_since(self, version: int) -> NDArray[np.int64] | None:
        """Return the cells, ascending, with a new distance since a version; None if maybe all."""
        changes = self._changes_since(version)
        if changes is None:
            return None
        return _union([change.distances for change in changes])

    def steps_changed_since(self, version: int) -> NDArray[np.int64] | None:
        """Return the cells, ascending, whose walls or costs are new since a version; None if maybe
        all. The best step there, or beside them, may be another one although no distance is new.
        """
        changes = self._changes_since(version)
        if changes is None:
            return None
        return _union([change.steps for change in changes])

    def _changes_since(self, version: int) -> list[_Change] | None:
        behind = self._version - version
        if behind > len(self._changes) or behind < 0:
            return None
        found = []
        for change in self._changes[len(self._changes) - behind :]:
            if change is None:
                return None
            found.append(change)
        return found

    def cut_off(self, cells: ArrayLike, among: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return the cells, ascending, that reach a goal now and would not with walls in `cells`.

        Parameters
        ----------
        cells, among : array_like
            Ids of cells, or masks: bool in the space's shape. `among` are those to check, by
            default all.
        """
        walls = np.unique(self.space.cell_ids(cells))
        some = None
        if among is not None:
            some = self.space.cell_ids(among)
        walls = walls[~self._ground.walls[walls]]
        with self._lock:
            self.search.settle()
            lost = self.search.cut_off(walls)
        if some is None:
            return np.setdiff1d(lost, walls)
        return np.intersect1d(lost, some)

    # Changing

    def repair(self, cells: ArrayLike | None = None, cost: Cost = None) -> NDArray[np.int64] | None:
        """Update the distances after walls or costs have changed.

        Returns the cells, ascending, whose distance has changed; None if it may be all, because the
        map was not searched to its end and starts again. Goals in a new wall don't count until it
        opens. Raises the errors of `distance_map` for a cost; then nothing has changed.

        Parameters
        ----------
        cells : array_like, optional
            The cells whose cost may have changed; by default all. Changed walls are found without
            this.
        cost : Cost, optional
            The new cost; not needed for the layer or expression that the map was made with.
        """
        where = None
        if cells is not None:
            where = self.space.cell_ids(cells)
        if self.size is not None:
            where = None  # a wall changes which footprints fit around it
            if cost is not None:
                cost = sized(self.space, cost, self.size)
        with self._lock:
            return self._repair(where, cost)

    def _repair(self, cells: NDArray[np.int64] | None, cost: Cost) -> NDArray[np.int64] | None:
        space = self.space
        costs = self.cell_costs
        before = self._ground
        version = space.walls_version
        changed_walls = NO_CELLS
        if version != before.version:
            changed_walls = space.walls_changed(before.version)
        changed = changed_walls
        if cost is not None or costs.uniform is None:
            changed_costs = costs.update(cost, cells, changed_walls)
            if changed_costs is None:
                self.cell_costs = CellCosts(space, cost, costs.traffic)
                self.cell_costs.update_traffic()
                self._restart(snapshot_of(space, self.cell_costs.walls))
                self._note(None)
                return None
            changed = changed_costs
            if len(changed_walls):
                changed = np.union1d(changed_walls, changed_costs)
            if len(changed) and self._search is not None:
                # An opened wall may cost more than any cell that was open.
                self._search.costs_changed()
        if not (costs.update_traffic() or len(changed)):
            return NO_CELLS
        ground = before.updated(space, costs.walls, changed)
        search = self._search
        if search is None or not search.finished or not search.repairable:
            self._restart(ground)
            self._note(None)
            return None
        found = search.repair(ground, changed)
        self._ground = ground
        if found is None:
            distances = search.dist
            # Its memory serves the new search.
            search = None
            self._search = None
            found = self._search_again(distances, before)
        else:
            found.sort()
            if self._shown and self._values is not None:
                search.write(self._values, found)
        found.flags.writeable = False
        changed.flags.writeable = False
        self._note(_Change(found, changed))
        return found

    def _search_again(self, distances: NDArray[Any], ground: Snapshot) -> NDArray[np.int64]:
        """Search from the goals to the end; return the cells, ascending, that had another distance
        before, in the walls of an earlier snapshot.
        """
        search = self.search
        search.settle()
        if self._shown and self._values is not None:
            search.write(self._values)
        return search.differences(distances, ground)

    def _note(self, change: _Change | None) -> None:
        """Begin the next version; None if all distances may have changed."""
        self._version += 1
        self._finite = None
        self._changes.append(change)
        del self._changes[:-_CHANGES]


def _union(cells: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the cells of all arrays, each ascending, ascending and once."""
    if len(cells) == 1:
        return cells[0]
    return np.unique(np.concatenate([NO_CELLS, *cells]))


def distance_map(
    space: Space,
    goals: ArrayLike,
    *,
    cost: Cost = None,
    start_costs: ArrayLike | None = None,
    limit: float | None = None,
    charge: Charge = "mean",
    outward: bool = False,
    on_wall: IfOnWall = "refuse",
    traffic: Layer | None = None,
    weight: float = 4.0,
    size: int | None = None,
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
    size : int, optional
        The footprint of agents, in cells across: cells in which it does not fit are walls, see
        `fieldcraft.question.Clearance`. On grids and hexagons: a mesh is made for a radius.

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
    against = None
    if traffic is not None:
        against = Traffic(space, traffic, weight)
    return DistanceMap(
        space,
        goals,
        cost,
        start_costs,
        limit,
        charge,
        outward,
        on_wall,
        traffic=against,
        size=size,
    )
