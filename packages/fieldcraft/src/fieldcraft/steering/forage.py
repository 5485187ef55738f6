"""Food that the agents of a swarm bring home."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import extensions
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.arrays import read_only
from fieldcraft.kernels.swarm_layout import packed
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.cells import cell_array

__all__ = ["Forage"]

_MOST_FOOD = 2**30


class Forage:
    """Food on a grid, and the home that agents bring it to, a portion each.

    Agents of role 0 take a portion in a cell that has some, turn round and get role 1. Agents of
    role 1 drop theirs in a home cell, turn round and get role 0. If a cell has fewer portions than
    agents that want one, the agent with the lowest number takes one; the others try again at the
    next step.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> from fieldcraft.steering import Forage, Swarm, Walk
    >>> corridor = fc.Grid(4, 1)
    >>> forage = Forage(corridor, food=[[0, 0, 0, 5]], home=np.array([[True, False, False, False]]))
    >>> ant = Swarm.at(corridor, [(2.5, 0.5)], headings=(1, 0))
    >>> ant.run(Walk(speed=1.0, wander=0.0), 1.0, steps=4, forage=forage)
    >>> forage.food
    array([[0, 0, 0, 4]], dtype=int32)
    >>> forage.brought
    1
    """

    def __init__(self, space: Grid, food: ArrayLike, home: ArrayLike) -> None:
        """Create food and home on a grid.

        Parameters
        ----------
        space : Grid
            The grid of the agents.
        food : array_like
            Portions of each cell, whole numbers from 0 to 2**30, (height, width).
        home : array_like
            Which cells are home, bool (height, width).

        Raises
        ------
        InvalidValue
            If an array has another shape, or numbers out of range.
        """
        space = grid_of(space, "Food")
        portions = cell_array(space, "food", food, "iu")
        if portions.size and not 0 <= portions.min() <= portions.max() <= _MOST_FOOD:
            raise InvalidValue(
                f"food is portions of each cell, from 0 to {_MOST_FOOD:,}",
                got=f"{portions.min()} to {portions.max()}",
                remedy="Pass such numbers",
            )
        inside = cell_array(space, "home", home, "b")
        self.space = space
        self.homes = packed(inside)
        self.claims = np.zeros((2, portions.size), dtype=np.int32)
        self._food = np.array(portions, dtype=np.int32).reshape(-1)
        self._brought = 0
        self._on_device: Any = None  # the food while agents on a device fetch it

    def __repr__(self) -> str:
        return f"<Forage: {int(self.food.sum()):,} portions left, {self.brought:,} brought>"

    @property
    def food(self) -> NDArray[np.int32]:
        """Portions left in each cell, (height, width), read-only. A device is read if it has
        them.
        """
        portions = self._food if self._on_device is None else self._on_device.read()[0]
        return read_only(portions.reshape(self.space.shape))

    @property
    def brought(self) -> int:
        """Number of portions brought home."""
        return self._brought + (0 if self._on_device is None else self._on_device.read()[1])

    def recover(self) -> None:
        """Go on without a lost device, with the portions that were last read from it; see
        `Swarm.recover`.

        Raises
        ------
        InvalidValue
            If the food is on no lost device.
        """
        if self._on_device is None or not self._on_device.device.lost:
            raise InvalidValue(
                "Food recovers from a device that is lost",
                got="none that is",
                remedy="Go on; nothing is gone",
            )
        (self._food, more), self._on_device = self._on_device.last_read, None
        self._food = np.array(self._food)
        self._brought += more

    def portions(self) -> NDArray[np.int32]:
        """Return the portions of each cell, (cells,), for agents on the CPU to take."""
        self.on(None)
        return self._food

    def cells(self) -> NDArray[np.int64]:
        """Return the open cells that have food, in ascending order, for agents on the CPU."""
        return np.flatnonzero((self.portions() > 0) & ~self.space.walls.reshape(-1))

    def count(self, brought: int) -> None:
        """Add to the number of portions brought home."""
        self._brought += brought

    def on(self, device: Any) -> Any:
        """Move the food to a device unless it is there, and return it; None for the CPU."""
        if self._on_device is not None and self._on_device.device is not device:
            self._food, more = self._on_device.read()
            self._brought += more
            self._on_device = None
        if device is not None and self._on_device is None:
            self._on_device = extensions.devices().food(device, self._food, self.homes)
        return self._on_device
