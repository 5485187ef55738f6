"""All that changes in a colony."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from fieldcraft.settings import one_of
from fieldcraft_worlds.games.ants.settings import TRAILS, Tuning
from fieldcraft_worlds.games.lazy import LazyState
from fieldcraft_worlds.games.states import Holds

__all__ = ["MINUTE", "State"]

MINUTE = 60
"""The number of seconds whose harvests are remembered."""

_ROLE = 1 << 16


@dataclass(frozen=True, eq=False)
class State(LazyState):
    """A colony at one moment, N ants in whole numbers on a map of (height, width) cells. Never
    changed: a step makes another.

    Parameters
    ----------
    step, key : int
        How many steps were made, and the key of the ants' random numbers.
    trails, tuning : str / Tuning
        The kind of trails, and what is tuned now.
    agents : NDArray[int32]
        All ants, (3, N), as `fieldcraft.steering.Swarm.agents` says; those of role 1 carry food.
    planes : ndarray of float32
        Float32 (2, height, width): the trails to food and home, or x and y of the velocity trail.
    food : NDArray[int32]
        Int32 (height, width), how much lies in each cell; `walls`: bool (height, width).
    nest : int
        The cell of its middle.
    home : int
        How much food came home; `counted`: how much of it in whole seconds; `recent`: int32 (60,),
        how much in each of the last ones.
    places : NDArray[int32]
        (2, N), where ants were when the window began, as the first two columns of `agents`.
    nowhere : float
        The share of ants that went nowhere in the last whole window: they neither took food nor
        were at home, and came less far than 0.3 of the way that they walked. None before the first
        one ends.
    """

    step: int
    key: int
    trails: Annotated[str, one_of(TRAILS)]
    tuning: Tuning
    agents: Annotated[NDArray[np.int32], Holds(3, "ants")]
    planes: Annotated[NDArray[np.float32], Holds(2, "map")]
    food: Annotated[NDArray[np.int32], Holds("map", low=0, high=2**30)]
    walls: Annotated[NDArray[np.bool_], Holds("map")]
    nest: Annotated[int, Holds(low=0, below="cells")]
    home: int
    counted: int
    recent: Annotated[NDArray[np.int32], Holds(MINUTE, low=0)]
    places: Annotated[NDArray[np.int32], Holds(2, "ants")]
    nowhere: Annotated[float | None, Holds(low=0, high=1)]

    def __len__(self) -> int:
        return int(self.places.shape[1])

    @property
    def carrying(self) -> NDArray[np.bool_]:
        """The ants that carry food, bool (N,)."""
        return np.asarray(self.agents[2] & _ROLE != 0)

    @property
    def per_minute(self) -> int:
        """How much food came home within the last minute, in whole seconds."""
        return int(self.recent.sum())
