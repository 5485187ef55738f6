"""State of a colony."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.settings import one_of
from fieldcraft_worlds.games.ants.settings import TRAILS, Tuning
from fieldcraft_worlds.games.lazy import LazyState
from fieldcraft_worlds.games.states import Contents

MINUTE = 60
"""Seconds in `State.recent`."""

_ROLE = 1 << 16  # the bit of an ant's role


@dataclass(frozen=True, eq=False)
class State(LazyState):
    """A colony at one moment, N ants in whole numbers on a map of (height, width) cells. It never
    changes: a step returns another one.

    Parameters
    ----------
    step, key : int
        The number of steps, and the key of the ants' random numbers.
    trails, tuning : str / Tuning
        The kind of trails, and the present tuning.
    agents : NDArray[int32]
        All ants, (3, N), see `fieldcraft.steering.Swarm.agents`; those with role 1 carry food.
    planes : ndarray of float32
        (2, height, width): the trails to food and home, or x and y of the velocity trail.
    food : NDArray[int32]
        (height, width), the food in each cell; `walls`: bool (height, width).
    nest : int
        The cell of its middle.
    home : int
        The food that came home; `counted`: the part of it in whole seconds; `recent`: int32 (60,),
        the food of each of the last seconds.
    places : NDArray[int32]
        (2, N), the places of ants at the start of the window, as in `agents`.
    nowhere : float
        The share of ants that went nowhere in the last window: they took no food, were not at home,
        and moved less than 0.3 of their path. None before the first one ends.
    """

    step: int
    key: int
    trails: Annotated[str, one_of(TRAILS)]
    tuning: Tuning
    agents: Annotated[NDArray[np.int32], Contents(3, "ants")]
    planes: Annotated[NDArray[np.float32], Contents(2, "map")]
    food: Annotated[NDArray[np.int32], Contents("map", low=0, high=2**30)]
    walls: Annotated[NDArray[np.bool_], Contents("map")]
    nest: Annotated[int, Contents(low=0, below="cells")]
    home: int
    counted: int
    recent: Annotated[NDArray[np.int32], Contents(MINUTE, low=0)]
    places: Annotated[NDArray[np.int32], Contents(2, "ants")]
    nowhere: Annotated[float | None, Contents(low=0, high=1)]

    def __len__(self) -> int:
        return int(self.places.shape[1])

    @property
    def carrying(self) -> NDArray[np.bool_]:
        """The ants that carry food, bool (N,)."""
        return np.asarray(self.agents[2] & _ROLE != 0)

    @property
    def per_minute(self) -> int:
        """The food that came home within the last minute, in whole seconds."""
        return int(self.recent.sum())
