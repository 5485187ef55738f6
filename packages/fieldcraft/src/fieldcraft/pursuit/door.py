"""The door between kinds of space: each function here picks once what serves a space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit import on_graph, on_grid
from fieldcraft.space import Space, picked

__all__ = ["Flow", "check_near", "drift", "flow", "walks"]

Floats = NDArray[np.float64]


class Flow(Protocol):
    """How belief moves on a space as its walls are now."""

    def placed(self, weights: NDArray[Any]) -> Floats:
        """Weights in the space's shape, as the kernels take them."""
        ...

    def taken(self, mass: Floats) -> Floats:
        """The way back."""
        ...

    def index(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where cells are in a flat mass."""
        ...

    def run(self, mass: Floats, scale: float, out: Floats) -> None:
        """Take one step."""
        ...


def flow(space: Space, stay: float, stride: float) -> Flow:
    """How belief moves: a share `stay` waits at each interval, in which a target gets `stride`
    world units far.
    """
    begin: Callable[..., Flow] = picked(space, "A belief", grid=on_grid.flow, graph=on_graph.flow)
    return begin(space, stay, stride)


def drift(space: Space, chances: Floats) -> Flow:
    """How belief moves where each step of `space.ways` is taken with a chance of its own, (A,)."""
    begin: Callable[..., Flow] = picked(space, "A belief", grid=on_grid.drift, graph=on_graph.drift)
    return begin(space, chances)


def walks(space: Space, starts: NDArray[np.int64], places: NDArray[np.int64]) -> Floats:
    """Walking distances from starts to places, infinite where no way leads, (S, P)."""
    return picked(space, "A search", grid=on_grid.walks, graph=on_graph.walks)(
        space, starts, places
    )


def check_near(space: Space, point: Floats) -> None:
    """Refuse a place from which the nearest cell would say nothing about somebody."""
    picked(space, "A chase", grid=on_grid.check_near, graph=on_graph.check_near)(space, point)
