"""The cost of walking over each cell, from the argument `cost` and from the recent moves of
agents.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import Charge
from fieldcraft.kernels.shared.arrays import Floats, Ints, read_only
from fieldcraft.kernels.values import map_operations as operations
from fieldcraft.layers import Layer, TrailLayer
from fieldcraft.layers.propagation import Trail
from fieldcraft.space import Graph, Space, checked_space
from fieldcraft.space.cached import cached
from fieldcraft.space.csr import NO_CELLS
from fieldcraft.space.labeled_arrays import unlabeled
from fieldcraft.values import functions
from fieldcraft.values.clearance import Clearance
from fieldcraft.values.operand import Operand

LEAST = 1e-6
"""The smallest cost of a cell: searches look at distances in steps of the smallest one."""

Cost = Operand | ArrayLike | None

CHARGES = ("mean", "enter")
"""What a step costs per length: the mean of its two cells' costs, or that of the cell it enters."""

SAME_COST = read_only(np.ones(1))
"""The costs of cells as kernels take them where all cost the same."""


class CellCosts:
    """The cost of each cell: `uniform` for all, or `values`, one per cell, flat float64; and the
    `traffic` that raises the cost of steps against it, or None.

    `least` and `greatest` bound the finite costs of open cells, and `infinite` is whether some may
    be infinite: these bounds only widen.
    """

    def __init__(self, space: Space, cost: Cost, traffic: Traffic | None = None) -> None:
        self.space = space
        self.traffic = traffic
        if isinstance(cost, Operand):
            self.uniform = None
        else:
            self.uniform = uniform_cost(cost)
        self.values: NDArray[np.float64] | None = None
        self.infinite = False
        self._source: Any = None
        self._seen: object = None
        if self.uniform is not None:
            self.least = self.greatest = self.uniform
            return
        self.values, self.least, self.greatest, self.infinite = read_costs(space, cost)
        self._remember(cost)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_seen": None, "outdated": self._source_outdated}

    def __setstate__(self, state: dict[str, Any]) -> None:
        outdated = state.pop("outdated")
        self.__dict__.update(state)
        if outdated:
            self._seen = object()
        else:
            self._seen = getattr(self._source, "version", None)

    def _remember(self, cost: Cost) -> None:
        """Store a layer or an expression, which can be read again, and its version."""
        self._source = None
        self._seen = None
        if isinstance(cost, Operand) or isinstance(getattr(cost, "space", None), Space):
            self._source = cost
            self._seen = getattr(cost, "version", None)

    @property
    def walls(self) -> NDArray[np.float64] | None:
        """The costs if some may be infinite, which makes these cells walls."""
        if not self.infinite:
            return None
        return self.values

    @property
    def factor(self) -> float:
        """The factor of the length of steps for kernels: the cost of all cells; or 0.5 where cells
        have costs of their own, because kernels multiply it by the sum of the costs of both cells.
        """
        if self.uniform is None:
            return 0.5
        return self.uniform

    @property
    def outdated(self) -> bool:
        """Whether the traffic, or the layer or expression that was read, has changed since."""
        return self._source_outdated or (self.traffic is not None and self.traffic.outdated)

    @property
    def _source_outdated(self) -> bool:
        """Whether the layer or expression that was read has changed since."""
        return self._source is not None and getattr(self._source, "version", None) != self._seen

    def of_step(self, cells: NDArray[np.int64], charge: Charge) -> float:
        """Return the cost of a world unit of the first step over two or more cells."""
        if self.uniform is not None:
            return self.uniform
        assert self.values is not None
        left, entered = self.values[cells[:2]]
        if charge == "enter":
            return float(entered)
        return float((left + entered) / 2)

    def update_traffic(self) -> bool:
        """Read the traffic again; return whether it has changed."""
        if self.traffic is None or not self.traffic.outdated:
            return False
        self.traffic.read()
        return True

    def copy(self) -> CellCosts:
        """Return a copy."""
        other = object.__new__(CellCosts)
        other.__dict__.update(self.__dict__)
        if self.values is None:
            other.values = None
        else:
            other.values = self.values.copy()
        if self.traffic is None:
            other.traffic = None
        else:
            other.traffic = self.traffic.copy()
        return other

    def update(
        self, cost: Cost, cells: NDArray[np.int64] | None, walls: NDArray[np.int64]
    ) -> NDArray[np.int64] | None:
        """Read a new cost, or for None the layer or expression again.

        Returns the cells whose cost has changed, some of which may be walls; None if a number
        replaces an array, an array a number, or a number another: then nothing is changed. Only
        `cells` are read. Changed `walls` may have opened: then their costs count from now on, which
        may widen the bounds although no cost has changed.
        """
        if cost is None and not self._source_outdated:
            if self.values is not None and len(walls):
                _check(self.space, self.values[walls], walls)
                self._widen(walls)
            return NO_CELLS
        if cost is None:
            cost = self._source
        number = uniform_cost(cost)
        if number is not None or self.values is None:
            if number is not None and number == self.uniform:
                return NO_CELLS
            return None
        if cells is None:
            found, least, greatest, infinite = read_costs(self.space, cost)
            where = np.flatnonzero(found != self.values)
            self.values = found
            self.infinite = self.infinite or infinite
            self.least = min(self.least, least)
            self.greatest = max(self.greatest, greatest)
        else:
            where = np.union1d(cells, walls)
            found = self.values.copy()
            found[where] = cell_values(self.space, cost).reshape(-1)[where]
            _check(self.space, found[where], where)
            where = where[found[where] != self.values[where]]
            self.values[where] = found[where]
            self._widen(np.concatenate([where, walls]))
        self._remember(cost)
        return where

    def _widen(self, cells: NDArray[np.int64]) -> None:
        """Extend the bounds to the costs of those of these cells that are open."""
        assert self.values is not None
        found = self.values[cells][~self.space.walls.reshape(-1)[cells]]
        finite = found[np.isfinite(found)]
        self.infinite = self.infinite or len(finite) < len(found)
        self.least = min(self.least, float(finite.min(initial=math.inf)))
        self.greatest = max(self.greatest, float(finite.max(initial=0)))


def sized(space: Space, cost: Cost, size: int | None) -> Cost:
    """Return a cost with walls where a footprint of `size` does not fit, see `Clearance`; it
    follows the walls.
    """
    if size is None:
        return cost
    checked_space(space, "Footprints fit on")
    if isinstance(space, Graph) and space.mesh is not None:
        raise InvalidValue(
            "On a mesh agents are points: a mesh is made for a radius",
            got=f"size={size!r}",
            remedy="Leave size out, and load a mesh that was made for agents of that radius",
        )
    least = checks.integer("size", size, minimum=1)
    clearance = Clearance(space)
    if least == 1:  # fits in every open cell; without a map of costs, distances stay exact
        return cost
    fits = clearance >= least
    number = uniform_cost(cost)
    if number is not None:
        return functions.where(fits, number, math.inf)
    if isinstance(cost, Operand):
        check_space(space, cost)
        return functions.where(fits, cost, math.inf)
    return functions.where(fits, cell_values(space, cost), math.inf)


def read_costs(space: Space, cost: Cost) -> tuple[NDArray[np.float64], float, float, bool]:
    """Return the cost of each cell, flat, where infinite ones are walls; the least cost of open
    cells, the greatest finite one, and whether some are infinite.

    Raises `InvalidValue` for costs below `LEAST`, above 1e30 but finite, or NaN on open cells.
    """
    values = np.ascontiguousarray(cell_values(space, cost)).reshape(-1)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    out = np.empty(values.size)
    least, greatest, infinite, bad = kernels.distances.distance.price(
        values, space.walls.reshape(-1), LEAST, checks.LARGEST, out
    )
    if bad >= 0:
        raise invalid_cost(space, float(values[bad]), bad)
    return out, float(least), float(greatest), bool(infinite)


def _check(space: Space, found: NDArray[np.float64], cells: NDArray[np.int64]) -> None:
    """Raise for costs that are too small, too large or NaN, except in walls."""
    valid = (found >= LEAST) & ((found <= checks.LARGEST) | (found == math.inf))
    bad = np.flatnonzero(~(valid | space.walls.reshape(-1)[cells]))
    if len(bad):
        raise invalid_cost(space, float(found[bad[0]]), int(cells[bad[0]]))


def invalid_cost(space: Space, cost: float, cell: int) -> InvalidValue:
    """Return the error for the cost of a cell."""
    remedy = "Start from a positive cost: 1 + 4 * threat, with nothing negative in threat"
    if not cost:
        remedy += (
            ". Expressions read 0 on walls of their own maps: write 1 + 4 * threat.on(space),"
            " not (1 + 4 * threat).on(space)"
        )
    return InvalidValue(
        f"The cost of an open cell is {LEAST:g} to {checks.LARGEST:g}, or inf for a wall",
        got=f"{cost + 0.0:g} at {space.describe(cell)}",  # -0 is 0
        remedy=remedy,
    )


def check_space(space: Space, cost: Any, what: str = "cost") -> None:
    """Raise `InvalidValue` for a cost on another space."""
    if differs := space.describe_difference(cost.space):
        raise InvalidValue(
            f"{what} has a value for each cell of the space",
            got=f"{getattr(cost, 'name', type(cost).__name__)} {differs}",
            remedy=(
                f"Use a layer of a map on {space!r}, or read a coarse one on the fine cells:"
                " coarse.on(space)"
            ),
        )


def cell_values(space: Space, cost: Cost, what: str = "cost") -> NDArray[Any]:
    """Return a cost as numbers in the space's shape, unchecked, without a copy."""
    other = getattr(cost, "space", None)
    if isinstance(other, Space):
        if other is not space:
            check_space(space, cost, what)
        found: NDArray[Any] = np.asarray(cost.values)  # type: ignore[union-attr]
        if getattr(cost, "may_be_infinite", False):
            return np.where(found == operations.LARGEST, np.float32(np.inf), found)
        return found
    number = uniform_cost(cost)
    if number is not None:
        return np.full(space.shape, number)
    values = unlabeled(space, cost)  # type: ignore[arg-type]
    rule = f"{what} is numbers of the space's shape {space.shape}, {space.axes}"
    remedy = "Pass one number per cell, a layer, an expression, or one number for all"
    return checks.array_of(values, space.shape, "iuf", rule, remedy)


def uniform_cost(cost: Cost) -> float | None:
    """Return the cost if it is one number for all cells, 1 for None; else None."""
    if cost is None:
        return 1.0
    if isinstance(cost, np.ndarray) and cost.ndim == 0 and cost.dtype.kind in "iuf":
        cost = float(cost)
    if isinstance(cost, (bool, np.bool_)) or not isinstance(cost, (int, float, np.number)):
        return None
    number = checks.finite("cost", cost)
    if LEAST <= number <= checks.LARGEST:
        return number
    raise InvalidValue(
        f"A cost is a number from {LEAST:g} to {checks.LARGEST:g}",
        got=f"cost={cost!r}",
        remedy="Pass a number such as 1",
    )


class Traffic:
    """A layer of vectors to which agents add their moves, and the costs of moving against them.

    A move adds its direction to the cell that it ends in, times the part that an update of the
    layer removes. So the length of a vector is a mean over the last updates: the number of agents
    that arrive per step, minus the number in the opposite direction.
    """

    def __init__(self, space: Space, layer: Layer, weight: float) -> None:
        trail = layer.propagation if isinstance(layer, TrailLayer) else None
        if not isinstance(layer, TrailLayer) or not isinstance(trail, Trail) or not trail.vector:
            raise InvalidValue(
                "Traffic is a layer of vectors",
                got=repr(layer),
                remedy='Add one: imap.add_layer("traffic", fc.Trail(vector=True, blur=1))',
            )
        if layer.space is not space:
            raise InvalidValue(
                "Traffic is a layer on the space of the agents",
                got=f"one on {layer.space!r}",
                remedy="Make the map and the agents with the same space",
            )
        self.space = space
        self.layer = layer
        self.trail = trail
        self.weight = checks.not_negative("weight", weight)
        self._ends = np.empty(0, dtype=np.int32)
        self._along = np.empty((0, space.dimensions))
        self.read()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_seen": None, "outdated": self.outdated}

    def __setstate__(self, state: dict[str, Any]) -> None:
        outdated = state.pop("outdated")
        self.__dict__.update(state)
        if outdated:
            self._seen = -1
        else:
            self._seen = self.layer.version

    def read(self) -> None:
        """Read the layer again."""
        flow = self.layer.vectors
        # A copy: the next step of the layer may write into the same array.
        self._flow = flow.reshape(-1, flow.shape[-1]).copy()
        self._seen = self.layer.version

    def copy(self) -> Traffic:
        """Return a copy, which reads the same layer on its own."""
        other = object.__new__(Traffic)
        other.__dict__.update(self.__dict__)
        return other

    @property
    def outdated(self) -> bool:
        """Whether the layer has changed since it was read."""
        return self.layer.version != self._seen

    def _directions(self, begins: NDArray[np.integer], ends: NDArray[np.integer]) -> Floats:
        """Return the unit vectors from cells to their neighbors."""
        places = _places(self.space)
        steps = self.space.shortest_vectors(places[ends] - places[begins])
        lengths = np.sqrt((steps * steps).sum(axis=1))
        return np.asarray(steps / np.maximum(lengths, np.finfo(np.float64).tiny)[:, np.newaxis])

    def factors(self, begins: NDArray[np.int32], ends: NDArray[np.int32]) -> Floats:
        """Return the factors of the costs of steps, (A,), from the last values read."""
        if self._ends is not ends:
            self._ends = ends
            self._along = self._directions(begins, ends)
        found = np.empty(len(ends))
        kernels.distances.guides.against(self._flow, begins, ends, self._along, self.weight, found)
        return found

    def add(self, before: Ints, after: Ints) -> None:
        """Add the moves of agents."""
        moved = before != after
        share = 1 - self.trail.retention(self.layer.every)
        ends = after[moved]
        self.layer.deposit_at(ends, share * self._directions(before[moved], ends))


@cached
def _places(space: Space) -> Floats:
    """Return the centers of all cells."""
    return read_only(space.position_of(np.arange(len(space))))
