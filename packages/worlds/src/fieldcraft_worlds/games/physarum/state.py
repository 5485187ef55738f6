"""State of a slime mold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.games.lazy import LazyState
from fieldcraft_worlds.games.states import Contents


@dataclass(frozen=True, eq=False)
class State(LazyState):
    """A slime mold at one moment, on a map of (height, width) cells. It never changes: a step
    returns another one.

    Parameters
    ----------
    step, key : int
        The number of steps, and the key of the agents' random numbers.
    agents : NDArray[int32]
        All agents in whole numbers, (3, N), see `fieldcraft.steering.Swarm.agents`.
    values : ndarray of float32
        The trail, (height, width).
    cities : ndarray of int64
        The cells in the middle of the cities, (C,).
    """

    step: int
    key: int
    agents: Annotated[NDArray[np.int32], Contents(3, "agents", low=0)]
    values: Annotated[NDArray[np.float32], Contents("map", low=0)]
    cities: Annotated[NDArray[np.int64], Contents("cities", low=0, below="cells")]

    def __len__(self) -> int:
        return int(self.base.agents.shape[1])
