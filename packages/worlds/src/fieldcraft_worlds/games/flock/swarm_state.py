"""All that changes in a flock that is a swarm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft_worlds.games import bounds
from fieldcraft_worlds.games.course import Awaited
from fieldcraft_worlds.games.flock.settings import LAYERS, MOST_BIRDS, Tuning
from fieldcraft_worlds.games.flock.state import check_sky

__all__ = ["SwarmState", "checked"]


@dataclass(frozen=True, eq=False)
class SwarmState(Awaited):
    """A flock at one moment, N birds in whole numbers on a map of (height, width) cells. Never
    changed: a step makes another.

    Parameters
    ----------
    step, key: how many steps were made, and the key of the birds' dice.
    tuning: what is tuned now.
    agents: all birds, (3, N), as `fieldcraft.steering.Swarm.agents` says.
    walls: bool (height, width).
    predator: where one is, (x, y), or None.
    """

    step: int
    key: int
    tuning: Tuning
    agents: NDArray[np.int32]
    walls: NDArray[np.bool_]
    predator: tuple[float, float] | None

    def __len__(self) -> int:
        return int(self.base.agents.shape[1])

    @property
    def rule(self) -> str:
        """By what they fly: layers."""
        return LAYERS

    @property
    def by_layers(self) -> NDArray[np.bool_]:
        """The birds that fly by layers, bool (N,): all."""
        return np.ones(len(self), dtype=np.bool_)


def checked(state: SwarmState, space: Grid) -> SwarmState:
    """The state, if it can be one of a flock on this map; else `InvalidValue`. Whether birds are on
    the map a `Swarm` checks itself.
    """
    count = bounds.array("agents", state.agents, np.int32, (3, None)).shape[1]
    bounds.whole("the number of birds", count, high=MOST_BIRDS)
    bounds.whole("step", state.step)
    bounds.whole("key", state.key, high=2**62)
    check_sky(state.walls, state.predator, state.tuning, space)
    return state
