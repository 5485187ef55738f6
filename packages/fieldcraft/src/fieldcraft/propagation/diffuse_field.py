"""Fields that diffuse: what each cell offers its neighbors, and what they take."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import interruptible
from fieldcraft.kernels import pool
from fieldcraft.propagation.field import Field, checked_resistance
from fieldcraft.propagation.settings import part_kept
from fieldcraft.sources import Sources
from fieldcraft.space import Grid, Space
from fieldcraft.space.adjacency import cached_until_walls_change, inside, starts_of

if TYPE_CHECKING:
    from fieldcraft.propagation.diffuse import Diffuse

__all__ = [
    "DiffuseField",
    "GridDiffuseField",
    "ListedDiffuseField",
    "Numbers",
    "balance",
]

Floats = NDArray[np.float64]


def balance(
    values: NDArray[np.float32],
    origins: NDArray[np.int64],
    ends: NDArray[np.int32],
    shares: NDArray[np.float32],
    takers: NDArray[Any],
    through: NDArray[np.float32],
    *,
    held: NDArray[np.int64],
    keep: float,
) -> Floats:
    """The values (N,) that steps of mixing leave as they are.

    Each cell gives `takers` (N,) times the part `shares` (N,) of its value away, which arrives from
    `origins` at `ends`, both (A,), the part `through` (N,) of it; of all that it has then it keeps
    the part `keep`. The cells `held` stay. Where nothing is held and nothing lost, the sum stays.
    Solved directly: `scipy.sparse.linalg.splu`.

    Raises
    ------
    InvalidValue
        If ways lead into a part of the map and not back, so that one balance after another would
        do.
    """
    from scipy.sparse import csr_array, diags_array
    from scipy.sparse.csgraph import connected_components

    count, size = len(values), shares.astype(np.float64)
    there = csr_array((np.ones(len(ends)), (ends, origins)), shape=(count, count))
    enters = diags_array(through.astype(np.float64)) @ there
    after = (keep * (diags_array(1 - takers * size) + enters * size)).tocsr()
    _, parts = connected_components(there, directed=False)
    is_fed, loses = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    is_fed[parts[held]] = True
    loses[parts[np.asarray(after.sum(axis=0)).reshape(-1) < 1 - 1e-6]] = True  # shares are float32
    fed, empty = is_fed[parts], loses[parts] & ~is_fed[parts]
    result: Floats = np.where(empty, 0.0, values)
    fed[held] = False
    if fed.any():
        rows = after[fed]
        result[fed] = _solved(
            diags_array(np.ones(rows.shape[0])) - rows[:, fed], rows[:, held] @ result[held]
        )
    still = ~is_fed[parts] & ~empty & (size > 0)
    if still.any():
        if (there != there.T).nnz:
            raise _one_way("ways that lead one way only")
        # In balance as much passes between two neighbors one way as the other.
        room = np.where(still, through / np.where(still, size, 1), 0)
        total, rooms = (
            np.bincount(parts, weights=part) for part in (np.where(still, result, 0), room)
        )
        result[still] = (total[parts] * room)[still] / rooms[parts][still]
    return result


def _solved(equations: Any, given: Floats) -> Floats:
    from scipy.sparse.linalg import splu

    try:
        columns = equations.tocsc()
        found = interruptible(lambda: splu(columns).solve(given))
    except RuntimeError as singular:
        raise _one_way(str(singular)) from singular
    if not np.isfinite(found).all():
        raise _one_way("no single balance")
    return np.asarray(found)


def _one_way(got: str) -> InvalidValue:
    return InvalidValue(
        "What diffuses settles where each way leads back",
        got=got,
        remedy="Take steps instead: layer.step(1000)",
    )


Numbers = NDArray[np.float32]

_LEAST_FLOOR = 1e-30  # smaller float32 numbers take ten times as long
_WORK_PER_THREAD = 60_000  # cells
_UNIT_WORK = 50_000


class DiffuseField(Field):
    """Values that neighbours share. `degrees` (N,) is how many neighbours each cell would have with
    no wall anywhere.
    """

    remainder_is = "mixed"
    _given: NDArray[Any] | None
    """How many shares leave each cell, as kernels take it; None after a change of walls or
    settings.
    """

    def __init__(
        self, diffuse: Diffuse, space: Space, every: float, degrees: NDArray[np.int64]
    ) -> None:
        self.space: Any = space
        self.values: Numbers = np.zeros(space.shape, dtype=np.float32)
        self._degrees = degrees
        self._held = (np.zeros(0, np.int64), np.zeros(0, np.float32))
        self._fed = self._walls_version = -1
        self.tune(diffuse, every)

    @abstractmethod
    def _prepare(self) -> None:
        """Work out what each cell offers in the next step."""

    @abstractmethod
    def _call(self, values: Numbers, first: int, last: int) -> pool.Call:
        """The kernel that takes a step in some rows of `values`, which are what they were when it
        was prepared.
        """

    @property
    def _rows(self) -> int:
        """How many rows there are to share out: of cells, or cells."""
        return len(self.values)

    def resist(self, resistance: NDArray[np.float32] | None) -> None:
        """Let the part exp(-resistance) of each share enter a cell, and the rest stay where it
        was; see `Field.resist`.
        """
        self.resistance = resistance
        self._given = None

    def feed(self, sources: Sources) -> None:
        """Hold the cells of the sources; see `Field.feed`."""
        moved = self.space.walls_version != self._walls_version
        if moved:
            self._walls_version = self.space.walls_version
            self._given = None
            if self.diffuse.edges == "conserve":
                self._leave_walls()
            self.values[self.space.walls] = 0
        if moved or sources.version != self._fed:
            before, walls = self._held[0], self.space.walls.reshape(-1)
            self.values.reshape(-1)[before[walls[before]]] = 0
            self._held = sources.pins("sum")
            sources.forget_changes()
            self._fed = sources.version

    def _leave_walls(self) -> None:
        """Move what lies under new walls to their open neighbors, or to the nearest open cell."""
        flat, walls = self.values.reshape(-1), self.space.walls.reshape(-1)
        under = np.setdiff1d(np.flatnonzero(walls & (flat != 0)), self._held[0])
        ways = self.space.adjacency_from_walls
        for cell in under.tolist() if not walls.all() else ():
            ends = ways.ends[ways.starts[cell] : ways.starts[cell + 1]]
            if not len(ends):
                ends = np.atleast_1d(self.space.nearest_open(cell))
            np.add.at(flat, ends, flat[cell] / np.float32(len(ends)))

    def tune(self, diffuse: Diffuse, every: float) -> None:
        """Go on with other parameters; see `Field.tune`."""
        self.diffuse = diffuse
        self._given = None
        self._keep = np.float32(part_kept(diffuse.keep, diffuse.half_life, every, usual=1.0))
        self._floor = np.float32(min(max(diffuse.floor, _LEAST_FLOOR), checks.LARGEST))
        self._shares = (diffuse.rate / np.maximum(self._degrees, 1)).astype(np.float32)

    @property
    def _through(self) -> Numbers:
        """What part of a share enters each cell, (N,)."""
        if self.resistance is None:
            return np.ones(len(self.space), dtype=np.float32)
        return np.exp(-self.resistance.reshape(-1))

    @property
    def _rule(self) -> tuple[NDArray[Any], np.float32, np.float32]:
        """What leaves each cell, what part of all is kept, and the floor, as kernels take them:
        where cells resist they only sum up what is offered.
        """
        if self._given is None:
            self._given = self._takers()
            if self.resistance is not None:
                self._leaving = self._leaves()
                self._given = np.zeros_like(self._given)
        if self.resistance is not None:
            return self._given, np.float32(1), np.float32(0)
        return self._given, self._keep, self._floor

    def _leaves(self) -> Numbers:
        """How many shares leave each cell, (N,), where not all of one enters the next."""
        ways = self.space.adjacency_from_walls
        held = (1 - self._through)[ways.ends]
        stays = np.bincount(ways.origins, weights=held, minlength=len(self.space))
        return np.asarray(self._takers().reshape(-1) - stays, dtype=np.float32)

    def _enter(self, offered: Numbers) -> Numbers:
        """Return the values after a step in which all this was offered to each cell."""
        flat, came = self.values.reshape(-1), self._through * offered.reshape(-1)
        new = self._keep * ((flat - self._leaving * (flat * self._shares)) + came)
        new[np.abs(new) < self._floor] = 0
        return np.asarray(new).reshape(self.values.shape)

    def run(self, count: int) -> None:
        """Take `count` steps."""
        for _ in range(count):
            self.put(*self._held)
            self._prepare()
            bands = pool.bands(self._rows, self.values.size // _WORK_PER_THREAD)
            after = self.values if self.resistance is None else np.zeros_like(self.values)
            if len(bands) > 1:
                pool.run([self._call(after, first, last) for first, last in bands])
            else:
                kernel, arguments = self._call(after, 0, self._rows)
                kernel(*arguments)
            if self.resistance is not None:
                self.values[...] = self._enter(after)
            self.put(*self._held)

    def step_in_units(self) -> Iterator[None]:
        """Take one step, some rows a unit; see `Field.step_in_units`."""
        self.put(*self._held)
        self._prepare()
        after = self.values.copy() if self.resistance is None else np.zeros_like(self.values)
        rows = max(1, _UNIT_WORK * self._rows // self.values.size)
        for first in range(0, self._rows, rows):
            kernel, arguments = self._call(after, first, min(first + rows, self._rows))
            kernel(*arguments)
            yield
        self.values[...] = after if self.resistance is None else self._enter(after)
        self.put(*self._held)

    def settle(self) -> None:
        """Solve for where endless steps would lead."""
        before = self.values.copy()
        self.put(*self._held)
        ways, held = self.space.adjacency_from_walls, self._held[0]
        leave = ~self.space.walls.reshape(-1)
        leave[held] = True
        used = leave[ways.origins]
        takers = self._takers() if self.resistance is None else self._leaves()
        try:
            settled = balance(
                self.values.reshape(-1),
                ways.origins[used],
                ways.ends[used],
                self._shares,
                takers.reshape(-1).astype(np.float64),
                self._through,
                held=held,
                keep=float(self._keep),
            )
        except BaseException:
            self.values[:] = before
            raise
        self.values.reshape(-1)[:] = np.where(np.abs(settled) < self._floor, 0, settled)
        self.put(*self._held)

    def state(self) -> dict[str, NDArray[Any]]:
        """The values, and what cells resist; see `Field.state`."""
        state: dict[str, NDArray[Any]] = {"values": self.values}
        return state if self.resistance is None else state | {"resistance": self.resistance}

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        if "resistance" in state:
            self.resist(checked_resistance(state["resistance"], self.space.shape))
        self.values[:] = state["values"]

    def _takers(self) -> NDArray[Any]:
        """How many shares leave each cell, (N,): one for each neighbour that takes it, or for each
        there might be.
        """
        return self._degrees if self.diffuse.edges == "lose" else _takers(self.space)


class ListedDiffuseField(DiffuseField):
    """Values on any space, whose cells know from whom they get."""

    def _prepare(self) -> None:
        self._offers = self.values.reshape(-1) * self._shares

    def _takers(self) -> NDArray[Any]:
        return super()._takers().astype(np.float32)

    @property
    def _rows(self) -> int:
        return int(self.values.size)

    def _call(self, values: Numbers, first: int, last: int) -> pool.Call:
        given, keep, floor = self._rule
        arguments = (
            self._offers,
            given,
            keep,
            floor,
            first,
            last,
            values.reshape(-1),
        )
        return kernels.diffuse.exchange_listed, (*_arrivals(self.space), *arguments)


@cached_until_walls_change
def _takers(space: Space) -> NDArray[np.int64]:
    return np.asarray(np.diff(space.adjacency_from_walls.starts))


@cached_until_walls_change
def _arrivals(space: Space) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Where each cell's steps come from: those of `v` are `origins[starts[v]:starts[v + 1]]`,
    ascending.
    """
    ways = space.adjacency_from_walls
    order = np.argsort(ways.ends, kind="stable")
    return starts_of(ways.ends, len(space)), ways.origins[order].astype(np.int32)


class _Exchanges(NamedTuple):
    """From where offers arrive, as kernels take it."""

    links: NDArray[np.uint8]
    masks: NDArray[np.uint8]
    takers: NDArray[np.uint8]


@cached_until_walls_change
def _exchanges(grid: Grid) -> _Exchanges:
    links, masks = (
        grid.links(),
        dict(zip(grid.neighborhood.steps, grid.link_masks.tolist(), strict=True)),
    )
    takers = np.zeros(grid.shape, dtype=np.uint8)
    for (dx, dy), mask in masks.items():
        arrive = links & np.uint8(mask) != 0
        if grid.wrap:
            takers += np.roll(arrive, (-dy, -dx), axis=(0, 1))
        else:
            takers[inside(grid, -dx, -dy)] += arrive[inside(grid, dx, dy)]
    # A neighbour's offer arrives by the step from there.
    return _Exchanges(
        links,
        np.array([masks.get((-dx, -dy), 0) for dx, dy in kernels.diffuse.AROUND], dtype=np.uint8),
        takers,
    )


class GridDiffuseField(DiffuseField):
    """Values on squares, row by row; offers are kept with a rim."""

    _offers: Numbers | None = None

    def _prepare(self) -> None:
        height, width = self.space.shape
        if self._offers is None:
            self._offers = np.zeros((height + 2, width + 2), dtype=np.float32)
        offers = self._offers
        np.multiply(self.values, self._shares[0], out=offers[1:-1, 1:-1])
        if self.space.wrap:
            offers[0, 1:-1], offers[-1, 1:-1] = offers[-2, 1:-1], offers[1, 1:-1]
            offers[:, 0], offers[:, -1] = offers[:, -2], offers[:, 1]
        exchanges = _exchanges(self.space)
        self._arguments = (offers, exchanges.links, exchanges.masks, *self._rule)

    def _takers(self) -> NDArray[Any]:
        takers = _exchanges(self.space).takers
        loses = self.diffuse.edges == "lose"
        return np.full_like(takers, self._degrees[0]) if loses else takers

    def _call(self, values: Numbers, first: int, last: int) -> pool.Call:
        return kernels.diffuse.exchange, (*self._arguments, first, last, values)
