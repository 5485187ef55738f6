"""A whole crowd, one step at a time, in one call."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.paths.flow import FlowField
from fieldcraft.space import Grid, Space, checked_space
from fieldcraft.steering import on_graph, on_grid

__all__ = ["Crowd"]

Wide = NDArray[np.float64]


@dataclass(frozen=True)
class Crowd:
    """How agents on a grid or mesh walk together: settings only, so that a game keeps positions and
    velocities in its own state.

    `step` does for all agents at once what `follow_flow` (or any wish), `separation`,
    `avoid_walls`, `combine`, `accelerate` and
    `move` do one after the other: the acceleration is `response * (wish - velocity) + separation *
    max_speed * pushes + avoidance * (avoid_walls)`, shortened to `max_force`; the velocity is
    shortened to `max_speed`; the move is swept.

    Parameters
    ----------
    space : Space
        The grid, or a graph with a mesh.
    radius : float, optional
        How far centers stay from walls, world units, at most half a cell; 0 on a mesh, which is
        made for a radius.
    keep_apart : float, optional
        How far a neighbour is felt, world units; 0 for never.
    ahead : float, optional
        How far walls are felt ahead, world units; 0 for never.
    response : float, optional
        Per second: a velocity comes near the wish in about `1 / response` s.
    separation : float, optional
        Per second: how hard a neighbour in the very same spot pushes, beside `response`.
    avoidance : float, optional
        Per second: how hard walls ahead push, beside `response`.

    Raises
    ------
    InvalidValue
        For what is negative, for a radius of more than half a cell.
    """

    space: Space
    radius: float = 0.0
    keep_apart: float = 1.0
    ahead: float = 1.5
    response: float = 8.0
    separation: float = 8.0
    avoidance: float = 4.0

    def __post_init__(self) -> None:
        for name in ("keep_apart", "ahead", "response", "separation", "avoidance"):
            checks.not_negative(name, getattr(self, name))
        if isinstance(self.space, Grid):
            on_grid.check_crowd(self, self.space)
        else:
            on_graph.check_crowd(self, checked_space(self.space, "A crowd needs"))

    def step(
        self,
        positions: ArrayLike,
        velocities: ArrayLike,
        wish: FlowField | ArrayLike,
        dt: float,
        *,
        max_speed: ArrayLike,
        max_force: ArrayLike = math.inf,
    ) -> tuple[Wide, Wide]:
        """Positions and velocities after `dt` seconds, two new (N, 2) arrays.

        Agents that touched a wall keep the velocity along it. The same calls give the
        same bits, whatever the number of threads. Raises `OutsideMap` for positions off the map,
        and `InvalidValue`.

        Parameters
        ----------
        positions : array_like
            (N, 2) world units, (N, 3) on a 3D mesh, on the map. Agents in walls are first put out
            of them, as by `move`.
        velocities : array_like
            (N, 2) world units per second.
        wish : FlowField or array_like
            A flow field to follow at `max_speed`, or (N, 2) velocities: what the agents would do if
            they were alone.
        dt : float
            Seconds, above 0.
        max_speed, max_force : array_like / array_like, optional
            World units per second, and per second squared; at least 0; one number, or one per
            agent.
        """
        moving = positions, velocities, wish, dt, max_speed, max_force
        if isinstance(self.space, Grid):
            return on_grid.crowd_step(self, self.space, *moving)
        return on_graph.crowd_step(self, self.space, *moving)
