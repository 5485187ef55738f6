"""All that changes in a flock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft_worlds.games import bounds
from fieldcraft_worlds.games.flock.settings import LAYERS, MOST_BIRDS, NEIGHBORS, RULES, Tuning
from fieldcraft_worlds.games.lazy import LazyState

__all__ = ["State", "checked", "order_of"]


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
    rule: str
    tuning: Tuning
    agents: NDArray[np.int32]
    walls: NDArray[np.bool_]
    predator: tuple[float, float] | None

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


def checked(state: State, space: Grid) -> State:
    """Return the state, if it can be one of a flock on this map; else raise `InvalidValue`. A
    `Swarm` itself checks whether birds are on the map.
    """
    count = bounds.array("agents", state.agents, np.int32, (3, None)).shape[1]
    bounds.integer("the number of birds", count, high=MOST_BIRDS)
    bounds.integer("step", state.step)
    bounds.integer("key", state.key, high=2**62 - 1)
    bounds.one_of("rule", state.rule, RULES)
    bounds.array("walls", state.walls, np.bool_, space.shape)
    if state.predator is not None:
        bounds.vector("predator", state.predator)
        bounds.places("predator", np.array([state.predator], dtype=np.float64), 1, space)
    bounds.kind("tuning", state.tuning, Tuning)
    return state
