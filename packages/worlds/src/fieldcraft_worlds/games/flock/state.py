"""State of a flock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.settings import one_of
from fieldcraft_worlds.games.flock.settings import LAYERS, NEIGHBORS, RULES, Tuning
from fieldcraft_worlds.games.lazy import LazyState
from fieldcraft_worlds.games.states import Contents


@dataclass(frozen=True, eq=False)
class State(LazyState):
    """A flock at one moment, N birds in whole numbers on a map of (height, width) cells. It never
    changes: a step returns another one.

    Parameters
    ----------
    step, key : int
        The number of steps, and the key of the birds' random numbers.
    rule, tuning : str / Tuning
        The rule of birds, and the present tuning.
    agents : NDArray[int32]
        All birds, (3, N), see `fieldcraft.steering.Swarm.agents`.
    walls : ndarray of bool
        Bool (height, width).
    predator : tuple[float, float]
        The position of a predator, (x, y), or None.
    """

    step: int
    key: int
    rule: Annotated[str, one_of(RULES)]
    tuning: Tuning
    agents: Annotated[NDArray[np.int32], Contents(3, "birds")]
    walls: Annotated[NDArray[np.bool_], Contents("map")]
    predator: Annotated[tuple[float, float] | None, Contents(low=-1e6, high=1e6, is_on_map=True)]

    def __len__(self) -> int:
        return int(self.base.agents.shape[1])

    @property
    def by_layers(self) -> NDArray[np.bool_]:
        """The birds that fly by layers, bool (N,); the others fly by exact neighbors."""
        if self.rule in (LAYERS, NEIGHBORS):
            return np.full(len(self), self.rule == LAYERS)
        return np.asarray(np.arange(len(self)) % 2 == 0)


def order_of(headings: NDArray[np.float64]) -> float:
    """Return the order parameter of headings (N, 2): the length of their mean, from 0 for none to 1
    where all are equal.
    """
    if not len(headings):
        return 0.0
    x, y = headings.mean(axis=0).tolist()
    return float(np.sqrt(x * x + y * y))
