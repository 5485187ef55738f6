"""What is taken in a cycle: cells, resources, and the damage that is under way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from research.microrts.game import ATTACK, PRODUCE, Cell, State


class Board:
    """Cells that nobody stands on or moves to, resources that nobody has spent yet, and the damage
    that own attacks under way will do.
    """

    def __init__(self, state: State, noise: NDArray[np.float64]) -> None:
        self.state = state
        self.noise = noise
        self._taken = state.walls.copy()
        self.available = state.resources[state.me]
        self.damage: dict[Cell, int] = {}
        for unit in state.units:
            self._taken[unit.cell[1], unit.cell[0]] = True
            self.claim(unit.target)
            if unit.action == PRODUCE and unit.aim:
                self.claim(unit.aim)
            if unit.player == state.me and unit.product:
                self.available -= unit.product.cost
            if unit.player == state.me and unit.action == ATTACK and unit.aim:
                self.damage[unit.aim] = self.damage.get(unit.aim, 0) + unit.kind.damage

    def free(self, cell: Cell) -> bool:
        """Whether a unit may be ordered onto a cell."""
        height, width = self._taken.shape
        return 0 <= cell[0] < width and 0 <= cell[1] < height and not self._taken[cell[1], cell[0]]

    def claim(self, cell: Cell) -> None:
        """Keep a cell for a unit that moves to it or is built on it."""
        self._taken[cell[1], cell[0]] = True
