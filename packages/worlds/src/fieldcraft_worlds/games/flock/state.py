"""All that changes in a flock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from fieldcraft.settings import one_of
from fieldcraft_worlds.games.flock.settings import LAYERS, NEIGHBORS, RULES, Tuning
from fieldcraft_worlds.games.lazy import LazyState
from fieldcraft_worlds.games.states import Holds

__all__ = ["State", "order_of"]


@dataclass(frozen=True, eq=False)
class State(LazyState):
    """A flock at one moment, N birds in whole numbers on a map of (height, width) cells. Never
    changed: a step makes another.

    Parameters
    ----------
    step, key : int
        How many steps were made, and the key of the birds' random numbers.
    rule, tuning : str / Tuning
        By what they fly, and what is tuned now.
    agents : NDArray[int32]
        All birds, (3, N), as `fieldcraft.steering.Swarm.agents` says.
    walls : ndarray of bool
        Bool (height, width).
    predator : tuple[float, float]
        Where one is, (x, y), or None.
    """

    step: int
    key: int
    rule: Annotated[str, one_of(RULES)]
    tuning: Tuning
    agents: Annotated[NDArray[np.int32], Holds(3, "birds")]
    walls: Annotated[NDArray[np.bool_], Holds("map")]
    predator: Annotated[tuple[float, float] | None, Holds(low=-1e6, high=1e6, is_on_map=True)]

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
    where all head the same way.
    """
    if not len(headings):
        return 0.0
    x, y = headings.mean(axis=0).tolist()
    return float(np.sqrt(x * x + y * y))
