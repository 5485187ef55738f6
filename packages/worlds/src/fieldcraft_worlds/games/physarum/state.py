"""All that changes in a mould."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft_worlds.games import bounds
from fieldcraft_worlds.games.lazy import LazyState
from fieldcraft_worlds.games.physarum.settings import MOST_AGENTS

__all__ = ["State", "checked"]

_MOST_CITIES = 4096
_MOST_HEADING = 2**17 - 1


@dataclass(frozen=True, eq=False)
class State(LazyState):
    """A mould at one moment, on a map of (height, width) cells. Never changed: a step makes
    another.

    Parameters
    ----------
    step, key : int
        How many steps were made, and the key of the agents' dice.
    agents : NDArray[int32]
        All of them in whole numbers, (3, N), as `fieldcraft.steering.Swarm.agents` says.
    values : ndarray of float32
        The trail, (height, width).
    cities : ndarray of int64
        The cells in the middle of the cities, (C,).
    """

    step: int
    key: int
    agents: NDArray[np.int32]
    values: NDArray[np.float32]
    cities: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.base.agents.shape[1])


def checked(state: State, space: Grid) -> State:
    """The state, if it can be one of a mould on this map; else `InvalidValue`. Whether agents stand
    on the map a `Swarm` checks itself.
    """
    bounds.integer("step", state.step)
    bounds.integer("key", state.key, high=2**63 - 1)
    agents = bounds.array("agents", state.agents, np.int32, (3, None), 0)
    bounds.integer("the number of agents", agents.shape[1], high=MOST_AGENTS)
    bounds.array("headings of agents", agents[2], np.int32, (None,), 0, _MOST_HEADING)
    bounds.array("values", state.values, np.float32, space.shape, 0)
    bounds.cells("cities", state.cities, None, space)
    bounds.integer("the number of cities", len(state.cities), high=_MOST_CITIES)
    return state
