"""The door between kinds of space: each function here picks once what serves a space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.paths.flow import FlowField
from fieldcraft.space import Space, picked
from fieldcraft.steering import on_graph, on_grid

if TYPE_CHECKING:
    from fieldcraft.steering.crowd import Crowd

__all__ = ["avoid_walls", "check_crowd", "crowd_step", "move"]

Wide = NDArray[np.float64]


def move(
    space: Space,
    positions: ArrayLike,
    displacements: ArrayLike,
    radius: float,
    leap: bool | FlowField,
) -> Wide:
    """See `walls.move`."""
    return picked(space, "Moving", grid=on_grid.move, graph=on_graph.move)(
        space, positions, displacements, radius, leap
    )


def avoid_walls(space: Space, positions: ArrayLike, velocities: ArrayLike, ahead: float) -> Wide:
    """See `walls.avoid_walls`."""
    return picked(space, "Avoiding walls", grid=on_grid.avoid_walls, graph=on_graph.avoid_walls)(
        space, positions, velocities, ahead
    )


def check_crowd(settings: Crowd, space: Space) -> None:
    """Refuse settings of a crowd that don't fit its space."""
    picked(space, "A crowd", grid=on_grid.check_crowd, graph=on_graph.check_crowd)(settings, space)


def crowd_step(
    settings: Crowd,
    space: Space,
    positions: ArrayLike,
    velocities: ArrayLike,
    wish: FlowField | ArrayLike,
    dt: float,
    top: ArrayLike,
    most: ArrayLike,
) -> tuple[Wide, Wide]:
    """See `Crowd.step`."""
    step = picked(space, "A crowd", grid=on_grid.crowd_step, graph=on_graph.crowd_step)
    return step(settings, space, positions, velocities, wish, dt, top, most)
