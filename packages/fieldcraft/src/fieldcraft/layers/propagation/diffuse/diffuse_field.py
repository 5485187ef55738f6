"""Fields that diffuse: the shares that cells offer their neighbors, and the cells that take
them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import interruptible
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.propagation.diffuse.equilibrium import Ground, equilibrium
from fieldcraft.layers.propagation.propagation import Field, checked_pins, checked_resistance
from fieldcraft.layers.propagation.settings import retention
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Grid, Space
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.csr import starts_of
from fieldcraft.space.grid.neighborhood import beside

if TYPE_CHECKING:
    from fieldcraft.layers.propagation.diffuse.diffuse import Diffuse

Floats = NDArray[np.float64]
Numbers = NDArray[np.float32]

_LEAST_FLOOR = 1e-30  # smaller float32 numbers take ten times as long
_WORK_PER_THREAD = 60_000  # cells
_UNIT_WORK = 50_000


class DiffuseField(Field):
    """Values that diffuse between neighbors. `degrees` (N,) is the number of neighbors of each cell
    without walls.
    """

    remainder_is = "mixed"
    drifts: ClassVar[bool] = False
    """Whether it takes settings with a drift, and no others."""
    _flow: Any
    """What leaves and enters each cell, as kernels take it; None after a change of walls or
    settings.
    """

    def __init__(
        self, diffuse: Diffuse, space: Space, every: float, degrees: NDArray[np.int64]
    ) -> None:
        self.space: Any = space
        self.values: Numbers = np.zeros(space.shape, dtype=np.float32)
        self._flat = self.values.reshape(-1)
        self._degrees = degrees
        self._pins = (np.zeros(0, np.int64), np.zeros(0, np.float32))
        self._fed = self._walls_version = -1
        self.tune(diffuse, every)

    @abstractmethod
    def _offer(self) -> None:
        """Calculate the shares that each cell offers in the next step."""

    @abstractmethod
    def _call(self, values: Numbers, first: int, last: int) -> pool.Call:
        """Return the call that takes a step in some rows of `values`, after `_offer`."""

    @property
    def _rows(self) -> int:
        """The number of rows that can be stepped by themselves: rows of cells, or cells."""
        return len(self.values)

    def set_resistance(self, resistance: Numbers | None) -> None:
        """Attenuate what enters cells: the part exp(-resistance) of each share enters a cell, and
        the rest stays; see `Field.set_resistance`.
        """
        self.resistance = resistance
        self._flow = None

    def feed(self, sources: Sources) -> None:
        """Pin the cells of the sources; see `Field.feed`."""
        moved = self.space.walls_version != self._walls_version
        if moved:
            self._walls_version = self.space.walls_version
            self._flow = None
            if self.diffuse.edges == "conserve":
                self._leave_walls()
            self.values[self.space.walls] = 0
        if moved or sources.rows.version != self._fed:
            before = self._pins[0]
            walls = self.space.walls.reshape(-1)
            self._flat[before[walls[before]]] = 0
            self._pins = sources.rows.pins("sum")
            sources.rows.forget_changes()
            self._fed = sources.rows.version

    def _pin(self) -> None:
        """Set the cells of sources to their strengths."""
        cells, strengths = self._pins
        self._flat[cells] = strengths

    def _leave_walls(self) -> None:
        """Move the values under new walls to their open neighbors, or to the nearest open cell."""
        flat = self._flat
        walls = self.space.walls.reshape(-1)
        under = np.setdiff1d(np.flatnonzero(walls & (flat != 0)), self._pins[0])
        steps = self.space.adjacency_from_walls
        for cell in under.tolist() if not walls.all() else ():
            ends = steps.ends[steps.starts[cell] : steps.starts[cell + 1]]
            if not len(ends):
                ends = np.atleast_1d(self.space.nearest_open(cell))
            np.add.at(flat, ends, flat[cell] / np.float32(len(ends)))

    def _refuse_other_kind(self, diffuse: Diffuse) -> None:
        """Refuse settings with a drift for a field without, and the other way around."""
        if (diffuse.drift is not None) != self.drifts:
            raise InvalidValue(
                "Whether a layer drifts is chosen when it is made",
                got=f"drift={checks.short(diffuse.drift)}",
                remedy="Add it with a drift; drift=(0, 0) is one that can be changed later",
                about="drift",
            )

    def tune(self, diffuse: Diffuse, every: float) -> None:
        """Set parameters; see `Field.tune`."""
        self._refuse_other_kind(diffuse)
        self.diffuse = diffuse
        self._flow = None
        self._keep = np.float32(retention(diffuse.keep, diffuse.half_life, every, usual=1.0))
        self._floor = np.float32(min(max(diffuse.floor, _LEAST_FLOOR), checks.LARGEST))
        self._shares = (diffuse.rate / np.maximum(self._degrees, 1)).astype(np.float32)

    def run(self, count: int) -> None:
        """Take `count` steps."""
        for _ in range(count):
            self._pin()
            self._offer()
            bands = pool.bands(self._rows, self.values.size // _WORK_PER_THREAD)
            pool.run([self._call(self.values, first, last) for first, last in bands])
            self._pin()

    def step_in_units(self) -> Iterator[None]:
        """Take one step, some rows a unit; see `Field.step_in_units`."""
        self._pin()
        self._offer()
        after = self.values.copy()
        rows = max(1, _UNIT_WORK * self._rows // self.values.size)
        for first in range(0, self._rows, rows):
            kernel, arguments = self._call(after, first, min(first + rows, self._rows))
            kernel(*arguments)
            yield
        self.values[...] = after
        self._pin()

    def settle(self) -> None:
        """Set the values that endless steps would lead to."""
        self._pin()
        settled = interruptible(self._balance)
        self._flat[:] = np.where(np.abs(settled) < self._floor, 0, settled)
        self._pin()

    @abstractmethod
    def _balance(self) -> Floats:
        """Return the values (N,) that steps leave as they are. Raises `InvalidValue` if there is no
        single balance.
        """

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the values, and the resistance; see `Field.state`."""
        state: dict[str, NDArray[Any]] = {"values": self.values, "pinned": self._pins[0]}
        if self.resistance is None:
            return state
        return state | {"resistance": self.resistance}

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Continue from a state; see `Field.restore`."""
        if "resistance" in state:
            self.set_resistance(checked_resistance(state["resistance"], self.space.shape))
        self.values[:] = state["values"]
        pinned = checked_pins(state["pinned"], len(self.space))
        self._pins = (pinned, self._flat[pinned])
        # The values may be older than a change of walls, also after `settle` was refused.
        self._fed = -1
        self._walls_version = -1
        self._flow = None


class EvenDiffuseField(DiffuseField):
    """Values of which each neighbor of a cell gets an equal share."""

    _flow: tuple[NDArray[Any], Numbers] | None
    """How many shares leave each cell, and which part of what arrives enters it, as kernels take
    them; None after a change of walls or settings.
    """

    @abstractmethod
    def _receivers(self) -> NDArray[Any]:
        """Return the number of neighbors that take a share of each cell, in the shape of
        kernels.
        """

    @property
    def _rule(self) -> tuple[NDArray[Any], Numbers, np.float32, np.float32]:
        """What leaves and enters each cell, which part of all stays, and the floor."""
        if self._flow is None:
            given = self._receivers()
            through: Numbers = np.zeros((len(given), 0), dtype=np.float32)
            if self.resistance is not None:
                through = np.exp(-self.resistance).reshape(given.shape)
                steps = self.space.adjacency_from_walls
                stays = (1 - through.reshape(-1))[steps.ends]
                stays = np.bincount(steps.origins, weights=stays, minlength=len(self.space))
                given = (given - stays.reshape(given.shape)).astype(np.float32)
            self._flow = given, through if given.ndim == 2 else through.reshape(-1)
        return *self._flow, self._keep, self._floor

    def _balance(self) -> Floats:
        """Return the values (N,) that steps leave as they are.

        Solved directly, see `equilibrium`. Raises `InvalidValue` if steps lead into a part of the
        map and not back, so that more than one balance is possible.
        """
        steps = self.space.adjacency_from_walls
        count = len(self.space)
        pinned = self._pins[0]
        is_pinned = np.zeros(count, dtype=np.bool_)
        is_pinned[pinned] = True
        gives = ~self.space.walls.reshape(-1) | is_pinned
        from_open = gives[steps.origins]
        origins = steps.origins[from_open]
        ends = steps.ends[from_open].astype(np.int64)
        through = np.ones(count)
        if self.resistance is not None:
            # A part that is 0 as a float32 never enters in a step.
            part: Numbers = np.exp(-self.resistance.reshape(-1))
            through = np.where(part > 0, np.exp(-self.resistance.reshape(-1).astype(np.float64)), 0)
        lost = np.zeros(count)
        if self.diffuse.edges == "lose":
            lost = self._degrees - np.diff(steps.starts).astype(np.float64)
        ground = Ground(
            origins=origins,
            ends=ends,
            shares=np.broadcast_to(self._shares, count).astype(np.float64),
            through=through,
            lost=lost,
            keep=float(self._keep),
        )
        return equilibrium(ground, self._flat.astype(np.float64), is_pinned)


class ListedDiffuseField(EvenDiffuseField):
    """Values on any space, by lists of the cells that each cell receives shares from."""

    def _offer(self) -> None:
        self._offers = self._flat * self._shares

    @property
    def _rows(self) -> int:
        return int(self.values.size)

    def _receivers(self) -> NDArray[Any]:
        if self.diffuse.edges == "lose":
            return self._degrees.astype(np.float32)
        return np.asarray(np.diff(self.space.adjacency_from_walls.starts), dtype=np.float32)

    def _call(self, values: Numbers, first: int, last: int) -> pool.Call:
        arguments = (*_arrivals(self.space), self._offers, *self._rule, first, last)
        return kernels.spread.diffuse_steps.exchange_listed, (*arguments, values.reshape(-1))


@cached_until_walls_change
def _arrivals(space: Space) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the steps that lead to each cell: those to v are from
    `origins[starts[v]:starts[v + 1]]`, ascending.
    """
    steps = space.adjacency_from_walls
    order = np.argsort(steps.ends, kind="stable")
    return starts_of(steps.ends, len(space)), steps.origins[order].astype(np.int32)


class GridDiffuseField(EvenDiffuseField):
    """Values on squares with neighbors among the eight around, row by row; offers have a rim."""

    _offers: Numbers | None = None

    def _offer(self) -> None:
        height, width = self.space.shape
        if self._offers is None:
            self._offers = np.zeros((height + 2, width + 2), dtype=np.float32)
        offers = self._offers
        np.multiply(self.values, self._shares[0], out=offers[1:-1, 1:-1])
        if self.space.wraps_y:
            offers[0, 1:-1] = offers[-2, 1:-1]
            offers[-1, 1:-1] = offers[1, 1:-1]
        if self.space.wraps_x:
            offers[:, 0] = offers[:, -2]
            offers[:, -1] = offers[:, 1]
        self._arguments = (offers, *_links(self.space)[:2], *self._rule)

    def _receivers(self) -> NDArray[Any]:
        receivers = _links(self.space)[2]
        loses = self.diffuse.edges == "lose"
        if loses:
            return np.full_like(receivers, self._degrees[0])
        return receivers

    def _call(self, values: Numbers, first: int, last: int) -> pool.Call:
        return kernels.spread.diffuse_steps.exchange, (*self._arguments, first, last, values)


@cached_until_walls_change
def _links(grid: Grid) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the links of a grid, the bit of each neighbor's offer in them, and the number of
    neighbors that take a share of each cell.
    """
    links = grid.links()
    masks = dict(zip(grid.neighborhood.steps, grid.link_masks.tolist(), strict=True))
    receivers = np.zeros(grid.shape, dtype=np.uint8)
    for (dx, dy), mask in masks.items():
        arrive = links & np.uint8(mask) != 0
        receivers += beside(arrive, dx, dy, False, grid.wrap_flags)
    around = [masks.get((-dx, -dy), 0) for dx, dy in kernels.spread.diffuse_steps.AROUND]
    return links, np.array(around, dtype=np.uint8), receivers
