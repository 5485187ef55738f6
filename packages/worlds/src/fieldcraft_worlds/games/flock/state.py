"""All that changes in a flock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft_worlds.games import bounds
from fieldcraft_worlds.games.columns import ReadOnly
from fieldcraft_worlds.games.flock.settings import MOST_BIRDS, RULES, Tuning

__all__ = ["State", "check_sky", "checked", "order_of"]


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A flock at one moment, N birds on a map of (height, width) cells. Never changed: a step makes
    another.

    Parameters
    ----------
    step, key: how many steps were made, and the key of the birds' dice.
    rule, tuning: by what they fly, and what is tuned now.
    positions, headings, cells: of birds: (N, 2) in world units, (N, 2) unit vectors, (N,).
    by_layers: bool (N,), who flies by layers; the others do by neighbours.
    walls: bool (height, width).
    predator: where one is, (x, y), or None.
    """

    step: int
    key: int
    rule: str
    tuning: Tuning
    positions: NDArray[np.float64]
    headings: NDArray[np.float64]
    cells: NDArray[np.int64]
    by_layers: NDArray[np.bool_]
    walls: NDArray[np.bool_]
    predator: tuple[float, float] | None

    def __len__(self) -> int:
        return len(self.cells)


def order_of(headings: NDArray[np.float64]) -> float:
    """The order parameter of headings (N, 2): the length of their mean, from 0 for none to 1 where
    all head the same way.
    """
    if not len(headings):
        return 0.0
    x, y = headings.mean(axis=0).tolist()
    return float(np.sqrt(x * x + y * y))


def checked(state: State, space: Grid) -> State:
    """The state, if it can be one of a flock on this map; else `InvalidValue`."""
    count = len(bounds.array("cells", state.cells, np.int64, (None,)))
    bounds.whole("the number of birds", count, high=MOST_BIRDS)
    bounds.whole("step", state.step)
    bounds.whole("key", state.key, high=2**63 - 1)
    bounds.one_of("rule", state.rule, RULES)
    bounds.cells("cells", state.cells, count, space)
    bounds.places("positions", state.positions, count, space)
    bounds.array("headings", state.headings, np.float64, (count, 2), -1.001, 1.001)
    bounds.array("by_layers", state.by_layers, np.bool_, (count,))
    check_sky(state.walls, state.predator, state.tuning, space)
    return state


def check_sky(
    walls: NDArray[np.bool_], predator: tuple[float, float] | None, tuning: Tuning, space: Grid
) -> None:
    """Raise `InvalidValue` for walls, a predator and a tuning that a flock on this map can't
    have.
    """
    bounds.array("walls", walls, np.bool_, space.shape)
    if predator is not None:
        bounds.vector("predator", predator)
        bounds.places("predator", np.array([predator], dtype=np.float64), 1, space)
    bounds.kind("tuning", tuning, Tuning)
