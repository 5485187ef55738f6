"""All that changes in a colony."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.games.ants.settings import Tuning
from fieldcraft_worlds.games.columns import ReadOnly

__all__ = ["MINUTE", "State"]

MINUTE = 60
"""Seconds of which it is remembered how much food came home in each."""


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A colony at one moment, N ants on a map of (height, width) cells. Never changed: a step makes another.

    Parameters
    ----------
    step, key: how many steps were made, and the key of the ants' dice.
    trails, tuning: the kind of trails, and what is tuned now.
    positions, headings, cells: of ants: (N, 2) in world units, (N, 2) unit vectors, (N,).
    carrying: bool (N,), who carries food.
    since: (N,), steps since each left the nest, or the food if it carries some.
    walked: (N, 2), how far each came since the window began, in world units; `turned`: bool (N,), who took or brought food since.
    planes: float32 (2, height, width): the trails to food and home, or the x and y of the velocity trail.
    food: int32 (height, width), how much lies in each cell; `walls`: bool (height, width).
    nest: the cell of its middle.
    home: how much food came home; `recent`: int32 (60,), how much in each of the last seconds, a ring.
    nowhere: the share of ants that went nowhere in the last whole window: they neither took nor brought food, and came less far than 0.3
        of the way that they walked. None before the first one ends.
    """

    step: int
    key: int
    trails: str
    tuning: Tuning
    positions: NDArray[np.float64]
    headings: NDArray[np.float64]
    cells: NDArray[np.int64]
    carrying: NDArray[np.bool_]
    since: NDArray[np.int32]
    walked: NDArray[np.float64]
    turned: NDArray[np.bool_]
    planes: NDArray[np.float32]
    food: NDArray[np.int32]
    walls: NDArray[np.bool_]
    nest: int
    home: int
    recent: NDArray[np.int32]
    nowhere: float | None

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def per_minute(self) -> int:
        """How much food came home within the last minute."""
        return int(self.recent.sum())
