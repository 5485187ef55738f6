"""Distance maps: how far it is from everywhere to the nearest goal."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.layer import Guard
from fieldcraft.layer.operand import Operand
from fieldcraft.paths import door
from fieldcraft.paths.charged import CHARGES, ChargedDistances, Rule
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.distances import Distances
from fieldcraft.paths.filled import UNREACHED, Filled
from fieldcraft.paths.prices import Prices
from fieldcraft.paths.route import Path, no_path
from fieldcraft.paths.standing import standing
from fieldcraft.paths.stepping import stepped
from fieldcraft.space import Snapshot, Space, checked_space
from fieldcraft.space.answers import Spots

__all__ = ["DistanceMap", "distance_map"]

_Found = TypeVar("_Found")
_KEPT_CHANGES = 64
_MADE_ANEW = ("_guard", "_values", "_view", "_finite", "_distances", "_shown")  # by a copy
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
) -> DistanceMap:
    """How far it is from everywhere to the nearest goal, walking.

    Nothing is searched before a value is asked for, and then no further than that value needs.

    Parameters
    ----------
    space: a grid: its neighbourhood says which steps there are; they cut no corners, one-way
        terrain is kept to, and a torus is walked round. Or a graph or mesh: ways lead along open
        edges. Distances are those of walking *to* the goal, also where steps lead one way.
    goals: one world position or (N, 2) of them, (N, 3) on a 3D graph.
    cost: what the ground costs per world unit of way: a number, an array of the space's shape, a
        layer, or an expression such as `1 + 4 * threat`. By default 1. At least 1e-6; infinite is a
        wall. A step costs its length times the mean of its two cells. A layer or expression is read
        when the map is made, and again by `repair`.
    start_costs: what each goal begins with, at least 0: one number or one per goal. A goal that
        another one undercuts is not a goal.
    limit: the search ends at this distance, which is included.
    charge: "mean", or "enter": a step costs its length times the cost of the cell that it ends in,
        as tile and board games reckon.
    outward: distances of walking *from* the goals instead of to them: how far a unit gets,
        `distances.values <= movement`. The two differ where steps lead one way or are charged on
        entering. `descend` then answers the way from the goal to a position.

    Maps with another charge or outward are searched as a whole when they are first asked, and anew
    after each change.

    Raises `OutsideMap` or `OnWall` for a goal that can't be stood on, naming the nearest open cell,
    and `InvalidValue` for no goals and for other arguments that don't fit.
    """
    checked_space(space, "A distance map lies on")
    return DistanceMap(
        space,
        goals,
        cost=cost,
        start_costs=start_costs,
        limit=limit,
        charge=charge,
        outward=outward,
    )


class DistanceMap(Operand):
    """How far it is from everywhere to the nearest goal, walking; made by `distance_map`.

    It shows the ground as it was when the map was made or last repaired: walls and costs that
    change later are taken over by `repair`, and `outdated` says whether there are any. A map that
    has been searched to its end is mended there, at a fraction of the price; one that hasn't is
    begun anew when it is next asked. Either way it equals a new one bit for bit.

    Distances are float64 inside. With 4 or 8 neighbours and one cost for all ground they are
    counted in straight and diagonal steps, and right to the last digit or so however long the way.
    Else they are sums along the way, from the goal on.

    It is a map like a layer, so it goes into expressions, windows and questions: `threat - 0.2 *
    distances`, `-distances`, `distances.curve("linear", 40, 0)`. There walls read 0, and 1e20
    stands for ground from which no way leads, so that it is never the nearest; `filled(number)`
    takes another number for it. Expressions follow when the map is repaired.

    Used by one thread at a time.
    """

    name = "distance"
    rule: Rule
    """The cost of a step, and which way one walks."""
    goals: NDArray[np.int64]
    """The cells of the goals, ascending, each once."""
    start_costs: NDArray[np.float64]
    """The cost that each goal begins with."""

    def __init__(
        self,
        space: Space,
        goals: ArrayLike,
        *,
        cost: Cost = None,
        start_costs: ArrayLike | None = None,
        limit: float | None = None,
        charge: str = "mean",
        outward: bool = False,
    ) -> None:
        if not isinstance(outward, bool):
            raise InvalidValue(
                "outward is True or False", got=f"outward={outward!r}", remedy="Pass one of these"
            )
        self.rule = Rule(checks.choice("charge", charge, CHARGES), outward)
        limit = math.inf if limit is None else checks.not_negative("limit", limit)
        prices = Prices(space, cost)
        ground = door.snapshot_of(space, prices.shut)
        cells, _ = standing(space, ground.walls, "goal", goals)
        if not len(cells):
            raise InvalidValue(
                "A distance map has goals",
                got="none",
                remedy="Pass one position or an array of at least one",
            )
        self._points: NDArray[np.float64] | None = checks.positions(
            goals, dimensions=space.dimensions
        )[0].copy()
        self._points.flags.writeable = False
        self._set_up(ground, prices, *aims(cells, start_costs), limit)

    def _set_up(
        self,
        ground: Snapshot,
        prices: Prices,
        goals: NDArray[np.int64],
        start_costs: NDArray[np.float64],
        limit: float,
    ) -> None:
        self.space, self.limit, self._prices = checked_space(prices.space), limit, prices
        self._guard = Guard("A distance map", "Put a lock around it, or give each thread its own")
        self._values: NDArray[np.float32] = np.empty(len(self.space), dtype=np.float32)
        self._view = self._values.view().reshape(self.space.shape)
        self._view.flags.writeable = False
        self._finite: Filled | None = None
        self._version = 0
        self._changes: list[NDArray[np.int64] | None] = []
        self._begin(ground, goals, start_costs)

    def _begin(
        self, ground: Snapshot, goals: NDArray[np.int64], start_costs: NDArray[np.float64]
    ) -> None:
        """Forget all distances; the next question begins to look for them."""
        self.goals, self.start_costs = goals, start_costs
        self._distances: Distances = (
            door.distances_on(ground, self._prices, goals, start_costs, self.limit)
            if self.rule.is_usual
            else ChargedDistances(ground, self._prices, goals, start_costs, self.limit, self.rule)
        )
        self._shown = False

    def __repr__(self) -> str:
        goals = f"{len(self.goals)} goals" if len(self.goals) > 1 else "1 goal"
        return (
            f"<{type(self).__name__} to {goals} on"
            f" {self.space.describe()}{', outdated' if self.outdated else ''}>"
        )

    # Python's own copies

    def __getstate__(self) -> dict[str, Any]:
        held = {name: value for name, value in self.__dict__.items() if name not in _MADE_ANEW}
        return held | {"ground": self._distances.ground}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ground, changes, version = (state.pop(name) for name in ("ground", "_changes", "_version"))
        self.__dict__.update(state)
        self._set_up(ground, self._prices, self.goals, self.start_costs, self.limit)
        self._changes, self._version = changes, version
        if self._points is not None:
            self._points.flags.writeable = False

    # Reading

    @property
    def values(self) -> NDArray[np.float32]:
        """The distances in world units (times cost): float32 of the space's shape, inf on walls and
        where no goal is reached.

        A read-only view, which `repair` changes in place.
        """
        if not self._shown:
            with self._guard:
                self._distances.settle()
                self._distances.show(self._values)
                self._shown = True
        return self._view

    def filled(self, number: float) -> Filled:
        """The distances as a map that reads `number` where no way leads to a goal (0 on walls):
        `distances.filled(99).normalize()`.
        """
        return Filled(self, number)

    def finite_values(self) -> NDArray[np.float32]:
        """The values as expressions, windows and curves read them: 0 on walls, 1e20 where no way
        leads to a goal.
        """
        if self._finite is None:
            self._finite = Filled(self, UNREACHED)
        return self._finite.values

    @property
    def exact(self) -> NDArray[np.float64]:
        """The distances in float64, of the space's shape: a new array."""
        with self._guard:
            self._distances.settle()
            return self._distances.measured(slice(None)).reshape(self.space.shape)

    def sample(  # type: ignore[override]
        self, positions: ArrayLike, *, how: str = "nearest", outside: str = "refuse"
    ) -> float | NDArray[np.float64]:
        """The distances from the cells of world positions: a float for one, (N,) float64 for many;
        inf in walls.

        Searches only as far as these need, and goes on from there next time. `outside` is "refuse"
        or "clamp", see `cell_at` of the space. With `how="bilinear"` distances between cells, of a
        map that is searched to its end; see `fieldcraft.sample`.
        """
        if not isinstance(how, str) or how != "nearest":
            between = super().sample(positions, how=how, outside=outside)
            return between if isinstance(between, float) else between.astype(np.float64)
        cells = self.space.cell_at(positions, outside=outside)
        found = self._measured(np.atleast_1d(cells))
        return float(found[0]) if isinstance(cells, int) else found

    def sample_cells(self, cells: ArrayLike) -> NDArray[np.float64]:
        """`sample` for cells: (N,) float64. Raises `InvalidValue` for what are no cells of the
        space.
        """
        return self._measured(self.space.cell_ids(cells))

    def _measured(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        with self._guard:
            shut = self._distances.ground.walls[cells]
            if shut.all():
                return np.full(len(cells), math.inf)
            self._distances.settle(cells[~shut])
            return self._distances.measured(cells)

    def descend(self, position: ArrayLike) -> Path:
        """The way from a world position to the goal that is nearest by this map, over the cells'
        centers.

        Where several steps are as good, straight on; on a graph to the vertex of the lowest number.
        Where no goal is reached, the path is not `found`. Raises `OnWall` or `OutsideMap` for a
        position that can't be stood on, naming the nearest open cell.
        """
        distances = self._distances
        cells, single = standing(self.space, distances.ground.walls, "start", position)
        if not single:
            raise InvalidValue(
                "A way begins at one position",
                got=f"an array of shape {np.shape(position)}",
                remedy="Call it for each position",
            )
        total = float(self._measured(cells)[0])
        if total == math.inf:
            return no_path(self.space)
        with self._guard:
            way, length = distances.descend(int(cells[0]))
            total -= float(distances.measured(way[:1] if self.outward else way[-1:])[0])
        way.flags.writeable = False
        return Path(self.space, way, length, total)

    def step(self, positions: ArrayLike, *, apart: bool = False, onto_goals: bool = True) -> Spots:
        """One step each towards the nearest goal, for whoever moves from cell to cell:
        `hunt.step(monsters, apart=True).positions`.

        Everyone takes the step that begins a shortest way by the map; of equal ones that to the
        lowest cell. Who is at a goal, or has no way to one, stays, and is not `found`. On a
        `flee_map` these are steps to safety.

        Parameters
        ----------
        positions: one (x, y) pair or an (N, 2) array of world positions on open ground.
        apart: let them step one after the other, the nearest to a goal first, each to the best cell
            on which nobody of them stands at that moment and which is no farther from the goal than
            its own. So they queue in corridors, and surround a goal where steps may be diagonal;
            who finds no such cell waits.
        onto_goals: whether the goals' own cells may be entered; with False monsters stop beside the
            player.

        Raises `OutsideMap` or `OnWall` for positions that can't be stood on, `InvalidValue` for a
        map with `outward=True`.
        """
        return stepped(self, positions, apart, onto_goals)

    @property
    def goal_positions(self) -> NDArray[np.float64]:
        """The world positions that the map was asked for, (N, 2) or (N, 3); of a flee map the
        centers of its goals' cells.
        """
        return self.space.position_of(self.goals) if self._points is None else self._points

    @property
    def charge(self) -> str:
        """The rule by which a step is charged: "mean" or "enter", see `distance_map`."""
        return self.rule.charge

    @property
    def outward(self) -> bool:
        """Whether these are distances of walking from the goals."""
        return self.rule.outward

    @property
    def prices(self) -> Prices:
        """The costs of the ground, as they were when the map was made or last repaired."""
        return self._prices

    def searched(self, look: Callable[[Distances], _Found]) -> _Found:
        """The answer that a look at the search behind the map finds, once it has come to its end:
        for things that follow the map.
        """
        with self._guard:
            self._distances.settle()
            return look(self._distances)

    @property
    def version(self) -> int:
        """A number that grows with every `repair` that found something to do."""
        return self._version

    @property
    def outdated(self) -> bool:
        """Whether walls, or the layer or expression that the cost was read from, have changed
        since; `repair` takes that over.
        """
        return self.space.walls_version != self._distances.ground.version or self._prices.outdated

    @property
    def repairs(self) -> bool:
        """Whether `repair` can mend distances: not where they are so large that a short step added
        to them changes nothing.
        """
        return self._distances.mendable

    @property
    def walls(self) -> NDArray[np.bool_]:
        """The walls that the distances keep to, infinite costs among them: of the space's shape,
        read-only.
        """
        return self._distances.ground.walls.reshape(self.space.shape)

    @property
    def links(self) -> NDArray[Any]:
        """The steps that the distances keep to: (height, width) as `Grid.links`, on a graph whether
        each arc of its topology is open.
        """
        return self._distances.links

    @property
    def costs(self) -> NDArray[np.float64] | None:
        """The cost of each cell, of the space's shape, a copy; None where all ground costs the
        same.
        """
        return (
            None
            if self._prices.costs is None
            else self._prices.costs.reshape(self.space.shape).copy()
        )

    def changed_since(self, version: int) -> NDArray[np.int64] | None:
        """The cells, ascending, whose distance has changed since a `version`; None where that may
        be all of them.
        """
        behind = self._version - version
        if behind > len(self._changes) or behind < 0:
            return None
        found = [_NONE]
        for cells in self._changes[len(self._changes) - behind :]:
            if cells is None:
                return None
            found.append(cells)
        return np.unique(np.concatenate(found)) if len(found) > 2 else found[-1]

    def cut_off(self, cells: ArrayLike, among: ArrayLike | None = None) -> NDArray[np.int64]:
        """The cells, ascending, that reach a goal now and would not if there were walls in these
        `cells`.

        Of the cells that would be walls only those `among` count: some cells to look at, by default
        all others.
        """
        shut = np.unique(self.space.cell_ids(cells))
        looked_at = None if among is None else self.space.cell_ids(among)
        with self._guard:
            distances = self._distances
            distances.settle()
            shut = shut[~distances.ground.walls[shut]]
            lost = distances.cut_off(shut)
        return (
            np.setdiff1d(lost, shut, assume_unique=True)
            if looked_at is None
            else np.intersect1d(lost, looked_at)
        )

    # Changing

    def repair(self, cells: ArrayLike | None = None, cost: Cost = None) -> NDArray[np.int64] | None:
        """Take over what has changed in the walls of the space and in the cost.

        Returns the cells, ascending, whose distance is another one now; None where it may be all of
        them, because the map had not been searched to its end and is begun anew. Goals in a new
        wall don't count until it opens.

        Parameters
        ----------
        cells: where the cost has changed, if you know; it is not looked at elsewhere. By default
            everywhere. Changed walls are known in any case.
        cost: the cost now. A layer or expression that the map was made with need not be passed
            again.

        Raises what `distance_map` raises for a cost; the map is then as it was.
        """
        where = None if cells is None else self.space.cell_ids(cells)
        with self._guard:
            return self._repair(where, cost)

    def _repair(self, cells: NDArray[np.int64] | None, cost: Cost) -> NDArray[np.int64] | None:
        space, prices = self.space, self._prices
        distances = self._distances
        before = distances.ground
        version = space.walls_version
        changed = space.walls_changed(before.version) if version != before.version else _NONE
        if cost is not None or prices.uniform is None:
            recosted = prices.take_over(cost, cells, changed)
            if recosted is None:
                self._prices = Prices(space, cost)
                self._begin_anew(door.snapshot_of(space, self._prices.shut))
                return None
            if len(recosted):
                changed = np.union1d(changed, recosted)
            distances.fit()
        if not len(changed):
            return _NONE
        if not distances.finished or not distances.mendable:
            self._begin_anew(before.mended(space, version, prices.shut, changed))
            return None
        found = distances.mend(version, changed)
        found.sort()
        if self._shown:
            distances.show(self._values, found)
        return self._note(found)

    def _begin_anew(self, ground: Snapshot) -> None:
        self._begin(ground, self.goals, self.start_costs)
        self._note(None)

    def _note(self, changed: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
        """Go on to the next version."""
        self._version += 1
        if changed is not None:
            changed.flags.writeable = False
        self._changes.append(changed)
        del self._changes[:-_KEPT_CHANGES]
        return changed


def aims(
    cells: NDArray[np.int64], start_costs: ArrayLike | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cells of goals, ascending and each once, and the least that each is given to begin
    with.
    """
    given = (
        np.zeros(len(cells))
        if start_costs is None
        else checks.numbers("start_costs", start_costs, len(cells))
    )
    if start_costs is not None and (bad := (given < 0) | (given > checks.LARGEST)).any():
        index = int(np.flatnonzero(bad)[0])
        raise InvalidValue(
            f"start_costs lie from 0 to {checks.LARGEST:g}",
            got=f"{given[index]:g} at index {index}",
            remedy="Add a number to all of them: only their differences matter",
        )
    if len(cells) > 1:
        cells, which = np.unique(cells, return_inverse=True)
        least = np.full(len(cells), math.inf)
        np.minimum.at(least, which, given)
        given = least
    cells.flags.writeable = given.flags.writeable = False
    return cells, given
