"""One step of agents: to the highest value beside them, or to the least known cell in sight."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.base.interruption import atomic
from fieldcraft.base.words import IfOutside, NoneFound
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.query.queries import lottery
from fieldcraft.query.slopes import queries
from fieldcraft.space import Space
from fieldcraft.space.cached import cached
from fieldcraft.space.cells import occupied_mask
from fieldcraft.space.kinds import checked_space
from fieldcraft.space.regions import ChosenCells, checked_none, chosen
from fieldcraft.values.readable import Readable, Values


class Reservations:
    """Reserved cells of a space: agents reserve the best free cell, and others keep their distance.

    Agents choose with `best` or `worst` in their order. Each reserves one cell at a time, and no
    other agent gets one less than `spacing` away.

    Parameters
    ----------
    space : Space
        The space of all layers that are used with it; see `Layer.space`.
    spacing : float
        Least distance between two reserved cells, world units from center to center; 0: no cell
        twice.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(5, 1)
    >>> cover = fc.InfluenceMap(grid).add_layer("cover", values=[[0, 1, 2, 9, 7]])
    >>> taken = fc.query.Reservations(grid, spacing=2)
    >>> taken.best(cover, [(2.5, 0.5), (2.5, 0.5)], 3, agents=["ann", "bob"]).cells
    array([3, 1])
    >>> taken.release("ann")
    1
    """

    def __init__(self, space: Space, *, spacing: float = 0.0) -> None:
        self.space = checked_space(space, "Reservations are made on")
        self.spacing = checks.not_negative("spacing", spacing)
        self._cells: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._cells)

    def __contains__(self, agent: Hashable) -> bool:
        return agent in self._cells

    def __repr__(self) -> str:
        return f"<Reservations: {len(self)} cells taken, {self.spacing:g} apart>"

    @property
    def agents(self) -> list[Hashable]:
        """The agents with a reservation, in the order of the reservations."""
        return list(self._cells)

    @property
    def cells(self) -> NDArray[np.int64]:
        """The reserved cells, (N,), in the order of `agents`."""
        return np.array(list(self._cells.values()), dtype=np.int64)

    @property
    def positions(self) -> NDArray[np.float64]:
        """The world positions of these cells, (N, 2)."""
        return self.space.position_of(self.cells).reshape(-1, self.space.dimensions)

    def best(
        self,
        layer: Readable | ArrayLike,
        positions: ArrayLike,
        radius: float,
        *,
        agents: Iterable[Hashable] | Hashable,
        where: Readable | ArrayLike | None = None,
        occupied: ArrayLike | None = None,
        walk: float | None = None,
        within: float | None = None,
        rng: np.random.Generator | None = None,
        outside: IfOutside = "refuse",
        none: NoneFound = "nan",
    ) -> ChosenCells:
        """Reserve the best free cell around each agent's position.

        First all earlier reservations of these agents are released; then they choose one after the
        other. An agent that finds no cell has no reservation. If this raises, nothing has changed.

        Parameters
        ----------
        layer, positions, radius, where, occupied, walk, within, rng, outside, none
            As in `fieldcraft.best`; an array is one of the space of these reservations.
        agents : hashable, or iterable of N hashables
            Different names for N positions, or one for one position.

        Returns
        -------
        ChosenCells
            One cell for each agent.
        """
        limits = where, occupied, walk, within, rng, outside, none
        return self._reserve(layer, positions, radius, agents, *limits, np.float32(1))

    def worst(
        self,
        layer: Readable | ArrayLike,
        positions: ArrayLike,
        radius: float,
        *,
        agents: Iterable[Hashable] | Hashable,
        where: Readable | ArrayLike | None = None,
        occupied: ArrayLike | None = None,
        walk: float | None = None,
        within: float | None = None,
        rng: np.random.Generator | None = None,
        outside: IfOutside = "refuse",
        none: NoneFound = "nan",
    ) -> ChosenCells:
        """Reserve the free cell with the lowest value around each agent's position.

        Parameters
        ----------
        layer, positions, radius, agents, where, occupied, walk, within, rng, outside, none
            As for `best`.

        Returns
        -------
        ChosenCells
            One cell for each agent.
        """
        limits = where, occupied, walk, within, rng, outside, none
        return self._reserve(layer, positions, radius, agents, *limits, np.float32(-1))

    @atomic
    def release(self, *agents: Hashable) -> int:
        """Release the reservations of agents, if they have any; return how many there were."""
        before = len(self._cells)
        for agent in agents:
            self._cells.pop(agent, None)
        return before - len(self._cells)

    def clear(self) -> None:
        """Release all reservations."""
        self._cells.clear()

    def _reserve(
        self,
        layer: Readable | ArrayLike,
        positions: ArrayLike,
        radius: float,
        agents: Iterable[Hashable] | Hashable,
        where: Readable | ArrayLike | None,
        occupied: ArrayLike | None,
        walk: float | None,
        within: float | None,
        rng: np.random.Generator | None,
        outside: IfOutside,
        none: NoneFound,
        sign: np.float32,
    ) -> ChosenCells:
        if isinstance(getattr(layer, "space", None), Space):
            own_space = None
        else:
            own_space = self.space
        values = queries(layer, own_space)
        otherwise = checked_none(none)
        if not values.space.same_cells(self.space):
            raise InvalidValue(
                "The layer has the cells of the reservations",
                got=f"{values.space!r} for {self.space!r}",
                remedy="Keep one fc.query.Reservations(layer.space) per cell size",
            )
        far = checks.positive("radius", radius)
        points, own, single = values.cells(positions, outside)
        names = _names(agents, len(points), single)
        closed = values.closed(where, occupied)
        others = [cell for agent, cell in self._cells.items() if agent not in set(names)]
        values.close(np.array(others, dtype=np.int64), self.spacing, closed)
        drawn = lottery(within, rng, len(points), 1)
        cells = values.best_in_turn(points, far, self.spacing, closed, walk, sign, drawn)
        spots = chosen(cells, own, single, None, otherwise, self.space, values.flat)
        self._set(names, cells[:, 0].tolist())
        return spots

    @atomic
    def _set(self, names: list[Hashable], cells: list[int]) -> None:
        self.release(*names)
        self._cells.update(
            (agent, cell) for agent, cell in zip(names, cells, strict=True) if cell >= 0
        )


def _names(agents: Any, count: int, single: bool) -> list[Hashable]:
    names: list[Hashable] = [agents]
    if not single and isinstance(agents, np.ndarray) and agents.ndim:
        names = agents.tolist()
    elif not single and isinstance(agents, Iterable) and not isinstance(agents, (str, bytes)):
        names = list(agents)
    if len(names) != count:
        raise InvalidValue(
            "There is one agent per position",
            got=f"{len(names)} agents for {count} positions",
            remedy="Pass as many ids, names or tuples as positions",
        )
    seen: set[Hashable] = set()
    for name in names:
        checks.key("An agent", name)
        if name in seen:
            raise InvalidValue(
                "Agents differ from each other within one call",
                got=f"{name!r} twice",
                remedy="Call it once for each agent",
            )
        seen.add(name)
    return names


_CELLS_PER_THREAD = 10_000
_MOST_KEY = 2**63 - 1
_AT_ONCE = 1 << 16  # cells that are searched for unknown ones at a time


def uphill(
    layer: Readable | ArrayLike,
    positions: ArrayLike,
    *,
    occupied: ArrayLike | None = None,
    outside: IfOutside = "refuse",
    space: Space | None = None,
) -> ChosenCells:
    """Return the step of each agent to the highest value beside it.

    Negate a layer to go downhill: `-danger`.

    Parameters
    ----------
    layer : layer, expression or array_like
        Values on any space; an array in the shape of `space`.
    positions : array_like of shape (2,) or (N, 2)
        World positions of agents.
    occupied : array_like, optional
        Cells that no agent steps to because others hold them: world positions of shape (M, 2), ids
        of cells, or a mask.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.
    space : Space, optional
        The space of an array.

    Returns
    -------
    ChosenCells
        The cells to step to, the lowest of equally high ones. An agent stays where no step is
        better; then it is not `found`.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.query.uphill([[0, 1, 5, 2]], [(1.5, 0.5), (2.5, 0.5)], space=fc.Grid(4, 1)).cells
    array([2, 2])
    """
    values = Values(layer, space)
    _, cells, single = values.cells(positions, outside)
    starts = np.atleast_1d(cells)
    best = np.empty(len(starts), dtype=np.int64)
    edges = values.space.adjacency
    if occupied is None:
        kernels.values.uphill.uphill(edges.starts, edges.ends, values.flat, starts, best)
    else:
        mask = occupied_mask(values.space, occupied)
        free = np.where(mask, np.float32(-np.inf), values.flat)
        kernels.values.uphill.uphill(edges.starts, edges.ends, free, starts, best)
        # An agent in a cell that counts as occupied stays there, too, if no step is better.
        best = np.where(values.flat[best] > values.flat[starts], best, starts)
    if single:
        return ChosenCells.steps(best[0], starts[0], values.space, values.flat)
    return ChosenCells.steps(best, starts, values.space, values.flat)


def explore_step(
    layer: Readable | ArrayLike,
    positions: ArrayLike,
    sight: int = 1,
    *,
    unknown: float | None = 0.0,
    rng: np.random.Generator | None = None,
    one_per_cell: bool = False,
    occupied: ArrayLike | None = None,
    outside: IfOutside = "refuse",
    space: Space | None = None,
) -> ChosenCells:
    """Return the step of each explorer towards the least known cell within `sight` steps.

    Of equally known cells the nearest counts, in steps, and of equally near ones a random one. The
    explorer's own cell does not count. Steps are steps of the space. A search for the frontier may
    visit the whole map, for each position.

    Parameters
    ----------
    layer : layer, expression or array_like
        How well each cell is known, such as a layer with `Fade`; lower is less. A `LastSeen` is
        read by its `knowledge`: cells never seen are unknown.
    positions : array_like of shape (2,) or (N, 2)
        World positions on open ground.
    sight : int
        Steps, at least 1.
    unknown : float, optional
        If every cell within sight has a higher value, the step leads to the frontier: the nearest
        cell at any distance that does not. Without one, or with None, it leads to the least known
        cell within sight.
    rng : numpy.random.Generator, optional
        Source of one random number for each call. By default ties are broken alike in every call.
    one_per_cell : bool
        Whether explorers choose in the order of `positions`, and none steps to the cell of one
        before it unless it has no other step. Otherwise explorers that meet may walk as one.
    occupied : array_like, optional
        With `one_per_cell`, cells that no explorer steps to because others hold them: world
        positions of shape (M, 2), ids of cells, or a mask.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.
    space : Space, optional
        The space of an array.

    Returns
    -------
    ChosenCells
        With `targets`, the cells that the steps lead towards. Where nothing can be reached `found`
        is False, and both are the explorer's own cell.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    OnWall
        If a position is in a wall.
    InvalidValue
        If another argument does not fit.

    References
    ----------
    B. Yamauchi, "A Frontier-Based Approach for Autonomous Exploration" (1997).

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(5, 1)
    >>> step = fc.query.explore_step([[2, 3, 9, 9, 1]], (2.5, 0.5), sight=2, space=grid)
    >>> step.cell.item(), step.targets.item()
    (3, 4)
    """
    values = queries(getattr(layer, "knowledge", layer), space)
    space = values.space
    flat = values.flat
    reach = min(checks.integer("sight", sight, minimum=1), len(space))
    limit = None
    if unknown is not None:
        known = checks.finite("unknown", unknown)
        limit = np.float32(np.clip(known, -checks.LARGEST, checks.LARGEST))
    points, own, single = values.cells(positions, outside)
    walls = space.walls.reshape(-1)
    starts = np.atleast_1d(own)
    if walls[starts].any():
        index = int(np.flatnonzero(walls[starts])[0])
        raise OnWall(
            "Explorers are on open ground",
            got=f"{tuple(points[index].tolist())} at index {index}",
            remedy="Use space.nearest_open()",
        )
    taken = _taken(space, checks.flag("one_per_cell", one_per_cell), occupied)
    if rng is None:
        key = 0
    else:
        key = int(checks.generator(rng).integers(_MOST_KEY))
    cells = starts.copy()
    targets = starts.copy()
    inputs = *values.steps(), read_only(flat), read_only(starts)
    _explore(space, inputs, (reach, False, np.float32(0), key), taken, (cells, targets))
    if limit is not None and ((targets != starts) & (flat[targets] > limit)).any():
        parts = [np.s_[first : first + _AT_ONCE] for first in range(0, len(space), _AT_ONCE)]
        if any(((flat[part] <= limit) & ~walls[part]).any() for part in parts):
            _explore(space, inputs, (reach, True, limit, key), taken, (cells, targets))
    if occupied is not None:
        waits = taken[cells] & (cells != starts)
        cells[waits] = starts[waits]
        targets[waits] = starts[waits]
    if single:
        return ChosenCells.steps(cells[0], starts[0], space, flat, targets[0])
    return ChosenCells.steps(cells, starts, space, flat, targets)


def _taken(space: Space, one_per_cell: bool, occupied: ArrayLike | None) -> NDArray[np.bool_]:
    """Return the cells that are taken before the first explorer steps; none at all, (0,), where
    explorers do not keep off each other.
    """
    if occupied is None:
        return np.zeros(len(space) if one_per_cell else 0, dtype=np.bool_)
    if not one_per_cell:
        raise InvalidValue(
            "Explorers that keep off occupied cells keep off each other",
            got="occupied without one_per_cell",
            remedy="Pass one_per_cell=True",
        )
    return occupied_mask(space, occupied)


def _explore(
    space: Space,
    inputs: tuple[Any, ...],
    rule: tuple[int, bool, np.float32, int],
    taken: NDArray[np.bool_],
    outputs: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> None:
    """Find the steps of all explorers, on several threads where that pays. With `taken` of all
    cells they step one after the other.
    """
    one_per_cell = len(taken) > 0
    (reach, searches, _, _), count, family = rule, len(outputs[0]), kernels.values.explore
    if searches:
        visited = len(space)
    else:
        visited = min(2 * reach * (reach + 1), len(space))
    bands = pool.bands(count, 1 if one_per_cell else count * visited // _CELLS_PER_THREAD)
    taken = taken.copy()
    # New scratch as large as the map would cost more than a search nearby.
    free = _free_scratch(space)
    scratch = [free.pop() if free else family.scratch(len(space)) for _ in bands]
    pool.run(
        [
            (family.explore, (*inputs, rule, *band, taken, *outputs, each))
            for band, each in zip(bands, scratch, strict=True)
        ]
    )
    free += scratch


@cached
def _free_scratch(space: Space) -> list[tuple[NDArray[np.int64], ...]]:
    """Return the scratch of a space that no search is using."""
    return []
