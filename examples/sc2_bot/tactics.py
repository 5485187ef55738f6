"""The bot's thinking: it asks a battlefield and answers with places, and knows nothing of how a
game is played or told.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fieldcraft.formats.adapters.sc2 import UNITS, Battlefield, Threat

FEARED = UNITS | {
    "BANELING": Threat(ground=20.0, ground_radius=6.0),
    "SIEGETANKSIEGED": Threat(ground=30.0, ground_radius=17.0),
}
RANGE = 6.0


class Tactics:
    """Where each of our soldiers should go: out of danger, into range of what can be shot from
    safety, or on towards the enemy.
    """

    def __init__(self, bot: Any) -> None:
        self.field = Battlefield(bot, threat=FEARED)

    def places(
        self, soldiers: list[Any], targets: list[Any], goal: tuple[float, float]
    ) -> np.ndarray:
        """A place for each soldier, (N, 2)."""
        self.field.update()
        at = np.array([tuple(unit.position) for unit in soldiers]).reshape(-1, 2)
        if not len(at):
            return at
        going = self.field.next_points(at, goal)
        if targets:
            aims = np.array([tuple(unit.position) for unit in targets])
            away = np.linalg.norm(at[:, None] - aims[None], axis=2)
            near = away.min(axis=1) <= RANGE + 4
            if near.any():
                going[near] = self.field.firing_positions(
                    at[near], aims[away[near].argmin(axis=1)], RANGE
                )
        in_danger = ~self.field.is_safe(going)
        if in_danger.any():
            going[in_danger] = self.field.safe_spots(at[in_danger])
        return going
