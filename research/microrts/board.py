"""What is taken in a cycle: cells, resources, and the damage that is under way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from research.microrts.game import ATTACK, PRODUCE, Cell, State


@dataclass(frozen=True)
class Settings:
    """Numbers that decide how the agent plays; `blank` empties all influence layers."""

    blank: bool = False
    harvesters: int = 3
    guards: int = 4  # workers before the first barracks where the bases are near each other
    crowd: int = 6  # workers for each of three or more near bases while both sides harvest
    army: str = "Light"
    counter: str = "Ranged"  # trained against heavy fighters
    attack_ratio: float = 1.3  # own power to the enemy's from which all fighters attack
    engage: float = 1.5  # own presence to the enemy's from which one fighter attacks
    engage_growing: float = 1.0  # the same for three or more near bases while both sides harvest
    retreat: float = 0.6  # and below which it falls back to its own
    gather: float = 1.0  # worth of a unit of presence while it falls back
    patience: int = 400  # cycles without a change in the number of units
    presence_radius: float = 5.0
    caution: float = 0.3  # cost of a step for each unit of the enemy's presence
    progress: float = 0.3  # worth of a step towards the goal
    gain: float = 1.0
    loss: float = 1.3
    spare: float = 1
    most_workers: int = 60
    short: float = 12  # cells between the bases
    calm: int = 120  # cycles without raiders
    rich: int = 5  # resources
    stocked: int = 7  # resources with which all workers fight raiders where bases are near
    rally: float = 3  # cells from own buildings


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
