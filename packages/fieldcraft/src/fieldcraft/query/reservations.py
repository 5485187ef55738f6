"""Spots that are taken, so that a hundred agents asking at once don't choose one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import atomic
from fieldcraft.query.backend import queries
from fieldcraft.query.choosing import best, worst
from fieldcraft.query.ground import Readable
from fieldcraft.space import Space
from fieldcraft.space.answers import Spots, checked_none, chosen
from fieldcraft.space.kinds import checked_space

__all__ = ["Reservations"]


class Reservations:
    """The reservations of the cells of a space.

    Agents ask with `best` or `worst`, which serve them in the order in which they come: each takes
    its spot, and nobody after it gets one less than `spacing` away. An agent holds one spot at a
    time.

    Parameters
    ----------
    space : Space
        The space that all layers asked through this lie on; see `Layer.space`.
    spacing : float, optional
        The least distance between two spots, world units from center to center. 0: no cell twice.
    """

    def __init__(self, space: Space, *, spacing: float = 0.0) -> None:
        self.space = checked_space(space, "Reservations are made on")
        self.spacing = checks.not_negative("spacing", spacing)
        self._held: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, agent: Hashable) -> bool:
        return agent in self._held

    def __repr__(self) -> str:
        return f"<Reservations: {len(self)} spots taken, {self.spacing:g} apart>"

    @property
    def agents(self) -> list[Hashable]:
        """The agents that hold a spot, in the order in which they took them."""
        return list(self._held)

    @property
    def cells(self) -> NDArray[np.int64]:
        """The cells they hold, shape (N,), in the order of `agents`."""
        return np.array(list(self._held.values()), dtype=np.int64)

    @property
    def positions(self) -> NDArray[np.float64]:
        """The world positions of these, shape (N, 2)."""
        return self.space.position_of(self.cells).reshape(-1, self.space.dimensions)

    def best(
        self,
        layer: Readable,
        positions: ArrayLike,
        radius: float,
        *,
        agents: Iterable[Hashable] | Hashable,
        where: Readable | ArrayLike | None = None,
        walk: float | None = None,
        outside: str = "refuse",
        none: str = "nan",
    ) -> Spots:
        """Take for each agent the best free cell around its position.

        What these agents held before is given up first, all of it; the spots of others stay. Then
        they choose one after the other. An agent that finds nothing holds nothing.

        `agents` are N different hashable values for an (N, 2) array of `positions`, or one for one
        (x, y) pair. `where`, `walk`, `outside` and `none` are as in `fieldcraft.best`. Returns a
        spot for each. When this raises, nothing has changed.
        """
        return self._serve(
            layer, positions, radius, agents, where, walk, outside, none, np.float32(1)
        )

    def worst(
        self,
        layer: Readable,
        positions: ArrayLike,
        radius: float,
        *,
        agents: Iterable[Hashable] | Hashable,
        where: Readable | ArrayLike | None = None,
        walk: float | None = None,
        outside: str = "refuse",
        none: str = "nan",
    ) -> Spots:
        """Take for each agent the free cell with the lowest value around its position; the rest is
        as in `best`.
        """
        return self._serve(
            layer, positions, radius, agents, where, walk, outside, none, np.float32(-1)
        )

    @atomic
    def release(self, *agents: Hashable) -> int:
        """Give up the spots of these agents; those who hold none are passed over. Returns how many
        were given up.
        """
        before = len(self._held)
        for agent in agents:
            self._held.pop(agent, None)
        return before - len(self._held)

    def clear(self) -> None:
        """Give up all spots."""
        self._held.clear()

    def _serve(
        self,
        layer: Readable,
        positions: ArrayLike,
        radius: float,
        agents: Iterable[Hashable] | Hashable,
        where: Readable | ArrayLike | None,
        walk: float | None,
        outside: str,
        none: str,
        sign: np.float32,
    ) -> Spots:
        ground, otherwise = queries(layer), checked_none(none)
        if not ground.space.same_cells(self.space):
            raise InvalidValue(
                "The layer lies on the ground of the reservations",
                got=f"{ground.space!r} for {self.space!r}",
                remedy="Keep one fc.Reservations(layer.space) per cell size",
            )
        far = checks.positive("radius", radius)
        points, single = checks.positions(positions, dimensions=self.space.dimensions)
        names = _names(agents, len(points), single)
        asking = set(names)
        kept = np.array(
            [cell for agent, cell in self._held.items() if agent not in asking], dtype=np.int64
        )
        if walk is None:
            cells = ground.best_in_turn(points, far, self.spacing, where, kept, outside, sign)
        else:
            cells = self._walked(
                layer, points, far, where, kept, walk, outside, best if sign > 0 else worst
            )

        def own() -> NDArray[np.int64]:
            return np.asarray(self.space.cell_at(points, outside=outside), dtype=np.int64)

        spots = chosen(cells, own, single, None, otherwise, self.space, ground.flat)
        self._take(names, cells[:, 0].tolist())
        return spots

    @atomic
    def _take(self, names: list[Hashable], cells: list[int]) -> None:
        self.release(*names)
        self._held.update(
            (agent, cell) for agent, cell in zip(names, cells, strict=True) if cell >= 0
        )

    def _walked(
        self,
        layer: Readable,
        points: NDArray[np.float64],
        radius: float,
        where: Readable | ArrayLike | None,
        kept: NDArray[np.int64],
        walk: float,
        outside: str,
        pick: Callable[..., Spots],
    ) -> NDArray[np.int64]:
        """The cells that agents take who walk to them, one after the other: (N, 1), -1 for none."""
        allowed = np.ones(self.space.shape, dtype=np.bool_)
        if where is not None:
            values = np.asarray(getattr(where, "values", where))
            pick(layer, points[:0], radius, where=where)  # says what is no answer to where
            allowed &= values.reshape(self.space.shape) != 0
        for cell in kept.tolist():
            self._keep_off(allowed, cell)
        cells = np.full((len(points), 1), -1, dtype=np.int64)
        for number, point in enumerate(points):
            cell = int(pick(layer, point, radius, where=allowed, walk=walk, outside=outside).cells)
            if cell >= 0:
                cells[number] = cell
                self._keep_off(allowed, cell)
        return cells

    def _keep_off(self, allowed: NDArray[np.bool_], cell: int) -> None:
        """Take away a cell that is held and those that are too near to it."""
        away = self.space.offsets_from(self.space.position_of(cell))
        near = (away**2).sum(axis=1) < (self.spacing * (1 - 1e-9)) ** 2
        near[cell] = True
        allowed.reshape(-1)[near] = False


def _names(agents: Any, count: int, single: bool) -> list[Hashable]:
    names: list[Hashable]
    if single:
        names = [agents]
    elif isinstance(agents, np.ndarray) and agents.ndim:
        names = agents.tolist()
    elif isinstance(agents, Iterable) and not isinstance(agents, (str, bytes, np.ndarray)):
        names = list(agents)
    else:
        names = [agents]
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
                remedy="Ask once for each agent",
            )
        seen.add(name)
    return names
