"""All that changes in a colony."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft_worlds.games import bounds
from fieldcraft_worlds.games.ants.settings import MOST_ANTS, TRAILS, Tuning
from fieldcraft_worlds.games.columns import ReadOnly

__all__ = ["MINUTE", "State", "checked"]

MINUTE = 60
"""Seconds of which it is remembered how much food came home in each."""


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A colony at one moment, N ants on a map of (height, width) cells. Never changed: a step makes
    another.

    Parameters
    ----------
    step, key: how many steps were made, and the key of the ants' dice.
    trails, tuning: the kind of trails, and what is tuned now.
    positions, headings, cells: of ants: (N, 2) in world units, (N, 2) unit vectors, (N,).
    carrying: bool (N,), who carries food.
    since: (N,), steps since each left the nest, or the food if it carries some.
    walked: (N, 2), how far each came since the window began, in world units; `turned`: bool (N,),
        who took or brought food since.
    planes: float32 (2, height, width): the trails to food and home, or the x and y of the velocity
        trail.
    food: int32 (height, width), how much lies in each cell; `walls`: bool (height, width).
    nest: the cell of its middle.
    home: how much food came home; `recent`: int32 (60,), how much in each of the last seconds, a
        ring.
    nowhere: the share of ants that went nowhere in the last whole window: they neither took nor
        brought food, and came less far than 0.3 of the way that they walked. None before the first
        one ends.
    """

    step: int
    key: int
    trails: str
    tuning: Tuning
    positions: NDArray[np.float64]
    headings: NDArray[np.float64]
    cells: NDArray[np.int64]
    carrying: NDArray[np.bool_]
    since: NDArray[np.int32]
    walked: NDArray[np.float64]
    turned: NDArray[np.bool_]
    planes: NDArray[np.float32]
    food: NDArray[np.int32]
    walls: NDArray[np.bool_]
    nest: int
    home: int
    recent: NDArray[np.int32]
    nowhere: float | None

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def per_minute(self) -> int:
        """How much food came home within the last minute."""
        return int(self.recent.sum())


def checked(state: State, space: Grid) -> State:
    """The state, if it can be one of a colony on this map; else `InvalidValue`."""
    count = len(bounds.array("cells", state.cells, np.int64, (None,)))
    bounds.whole("the number of ants", count, high=MOST_ANTS)
    bounds.whole("step", state.step)
    bounds.whole("key", state.key, high=2**63 - 1)
    bounds.one_of("trails", state.trails, TRAILS)
    bounds.cells("cells", state.cells, count, space)
    bounds.places("positions", state.positions, count, space)
    bounds.array("headings", state.headings, np.float64, (count, 2), -1.001, 1.001)
    for name in ("carrying", "turned"):
        bounds.array(name, getattr(state, name), np.bool_, (count,))
    bounds.array("since", state.since, np.int32, (count,), 0)
    bounds.array("walked", state.walked, np.float64, (count, 2))
    bounds.array("planes", state.planes, np.float32, (2, *space.shape))
    bounds.array("food", state.food, np.int32, space.shape, 0)
    bounds.array("walls", state.walls, np.bool_, space.shape)
    bounds.whole("nest", state.nest, high=len(space) - 1)
    bounds.whole("home", state.home)
    bounds.array("recent", state.recent, np.int32, (MINUTE,), 0)
    if state.nowhere is not None:
        bounds.number("nowhere", state.nowhere, 0, 1)
    bounds.kind("tuning", state.tuning, Tuning)
    return state
