"""All that changes in a mould."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.games.columns import ReadOnly

__all__ = ["State"]


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A mould at one moment, on a map of (height, width) cells. Never changed: a step makes another.

    Parameters
    ----------
    step, key: how many steps were made, and the key of the agents' dice.
    agents: all of them in whole numbers, (3, N), as `fieldcraft.steering.Swarm.agents` says.
    values: the trail, (height, width).
    cities: the cells in the middle of the cities, (C,).
    """

    step: int
    key: int
    agents: NDArray[np.int32]
    values: NDArray[np.float32]
    cities: NDArray[np.int64]
