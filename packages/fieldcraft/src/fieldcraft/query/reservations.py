"""Reservations of the best cells by agents that keep their distance from each other."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.base.words import IfOutside, NoneFound
from fieldcraft.query.personal import PersonalValues
from fieldcraft.query.queries import Lottery, lottery
from fieldcraft.query.queries_on_space import queries_of
from fieldcraft.space import Space
from fieldcraft.space.chosen_cells import ChosenCells, checked_none, chosen
from fieldcraft.space.kinds import checked_space
from fieldcraft.values.exclusion import excludable, keys_left_out
from fieldcraft.values.readable import Readable


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
        without: object = None,
        outside: IfOutside = "refuse",
        none: NoneFound = "nan",
    ) -> ChosenCells:
        """Reserve the best free cell around each agent's position.

        First all earlier reservations of these agents are released; then they choose one after the
        other. An agent that finds no cell has no reservation. If this raises, nothing has changed.

        Parameters
        ----------
        layer, positions, radius, where, occupied, walk, within, rng, without, outside, none
            As in `fieldcraft.best`; an array is one of the space of these reservations.
        agents : hashable, or iterable of N hashables
            Different names for N positions, or one for one position.

        Returns
        -------
        ChosenCells
            One cell for each agent.
        """
        return self._reserve(
            layer,
            positions,
            radius,
            agents,
            where,
            occupied,
            walk,
            within,
            rng,
            without,
            outside,
            none,
            sign=np.float32(1),
        )

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
        without: object = None,
        outside: IfOutside = "refuse",
        none: NoneFound = "nan",
    ) -> ChosenCells:
        """Reserve the free cell with the lowest value around each agent's position.

        Parameters
        ----------
        layer, positions, radius, agents, where, occupied, walk, within, rng, without, outside, none
            As for `best`.

        Returns
        -------
        ChosenCells
            One cell for each agent.
        """
        return self._reserve(
            layer,
            positions,
            radius,
            agents,
            where,
            occupied,
            walk,
            within,
            rng,
            without,
            outside,
            none,
            sign=np.float32(-1),
        )

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
        without: object,
        outside: IfOutside,
        none: NoneFound,
        sign: np.float32,
    ) -> ChosenCells:
        if isinstance(getattr(layer, "space", None), Space):
            values = queries_of(layer)
        else:
            values = queries_of(layer, self.space)
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
        keys = None
        if without is not None:
            keys = keys_left_out(excludable(layer, without), without, len(points), single)
        if keys is None:
            cells = values.best_in_turn(points, far, self.spacing, closed, walk, sign, drawn)
            spots = chosen(cells, own, single, None, otherwise, self.space, values.flat)
            self._set(names, cells[:, 0].tolist())
            return spots
        starts = np.atleast_1d(own)
        each = PersonalValues(excludable(layer, without), keys, points, starts, far)
        cells = np.empty((len(points), 1), dtype=np.int64)
        shown = np.empty((len(points), 1), dtype=np.float32)
        for some, personal in each.parts():
            for k in range(len(personal.cells)):
                personal.write(k)
                agent = slice(some.start + k, some.start + k + 1)
                draws = None
                if drawn is not None:
                    draws = Lottery(drawn.share, drawn.draws[agent])
                cells[agent] = each.queries.best_in_turn(
                    points[agent], far, self.spacing, closed, walk, sign, draws
                )
            read = cells[some]
            if otherwise == "stay":
                read = np.where(read < 0, starts[some, np.newaxis], read)
            shown[some] = personal.values_at(read)
        spots = chosen(cells, own, single, None, otherwise, self.space, each.array)
        self._set(names, cells[:, 0].tolist())
        return replace(spots, values=shown.reshape(np.shape(spots.values))[()])

    @atomic
    def _set(self, names: list[Hashable], cells: list[int]) -> None:
        self.release(*names)
        for agent, cell in zip(names, cells, strict=True):
            if cell >= 0:
                self._cells[agent] = cell


def _names(agents: Any, count: int, single: bool) -> list[Hashable]:
    given = agents.tolist() if isinstance(agents, np.ndarray) else agents
    names: list[Hashable] = [given]
    if not single and isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        names = list(given)
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
