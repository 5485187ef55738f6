"""All that changes in a flock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.games.columns import ReadOnly
from fieldcraft_worlds.games.flock.settings import Tuning

__all__ = ["State", "order_of"]


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A flock at one moment, N birds on a map of (height, width) cells. Never changed: a step makes another.

    Parameters
    ----------
    step, key: how many steps were made, and the key of the birds' dice.
    rule, tuning: by what they fly, and what is tuned now.
    positions, headings, cells: of birds: (N, 2) in world units, (N, 2) unit vectors, (N,).
    by_layers: bool (N,), who flies by layers; the others do by neighbours.
    walls: bool (height, width).
    predator: where one is, (x, y), or None.
    """

    step: int
    key: int
    rule: str
    tuning: Tuning
    positions: NDArray[np.float64]
    headings: NDArray[np.float64]
    cells: NDArray[np.int64]
    by_layers: NDArray[np.bool_]
    walls: NDArray[np.bool_]
    predator: tuple[float, float] | None

    def __len__(self) -> int:
        return len(self.cells)


def order_of(headings: NDArray[np.float64]) -> float:
    """The order parameter of headings (N, 2): the length of their mean, from 0 for none to 1 where all head the same way."""
    if not len(headings):
        return 0.0
    x, y = headings.mean(axis=0).tolist()
    return float(np.sqrt(x * x + y * y))
