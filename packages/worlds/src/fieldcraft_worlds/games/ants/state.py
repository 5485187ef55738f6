"""All that changes in a colony."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft_worlds.games import bounds
from fieldcraft_worlds.games.ants.settings import MOST_ANTS, SCALAR, TRAILS, Tuning
from fieldcraft_worlds.games.lazy import LazyState

__all__ = ["MINUTE", "State", "checked"]

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
    trails: str
    tuning: Tuning
    agents: NDArray[np.int32]
    planes: NDArray[np.float32]
    food: NDArray[np.int32]
    walls: NDArray[np.bool_]
    nest: int
    home: int
    counted: int
    recent: NDArray[np.int32]
    places: NDArray[np.int32]
    nowhere: float | None

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


def checked(state: State, space: Grid) -> State:
    """Return the state, if it can be one of a colony on this map; else raise `InvalidValue`. A
    `Swarm` itself checks whether ants stand on the map.
    """
    count = bounds.array("places", state.places, np.int32, (2, None)).shape[1]
    bounds.integer("the number of ants", count, high=MOST_ANTS)
    bounds.integer("step", state.step)
    bounds.integer("key", state.key, high=2**62)
    bounds.one_of("trails", state.trails, TRAILS)
    bounds.kind("tuning", state.tuning, Tuning)
    bounds.array("agents", state.agents, np.int32, (3, count))
    least = 0 if state.trails == SCALAR else -np.inf
    bounds.array("planes", state.planes, np.float32, (2, *space.shape), least)
    bounds.array("food", state.food, np.int32, space.shape, 0, 2**30)
    bounds.array("walls", state.walls, np.bool_, space.shape)
    bounds.integer("nest", state.nest, high=len(space) - 1)
    bounds.integer("counted", state.counted)
    bounds.integer("home", state.home, low=state.counted)
    bounds.array("recent", state.recent, np.int32, (MINUTE,), 0)
    if state.nowhere is not None:
        bounds.number("nowhere", state.nowhere, 0, 1)
    return state
