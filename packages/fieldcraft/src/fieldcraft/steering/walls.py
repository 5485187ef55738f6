"""Moving among walls without ever entering one, alone and as a crowd."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.paths.flow import FlowField
from fieldcraft.space import Grid, Space, checked_space
from fieldcraft.space.cells import on_map
from fieldcraft.steering import on_graph, on_grid

__all__ = ["Crowd", "avoid_walls", "move"]

Wide = NDArray[np.float64]


def move(
    space: Space,
    positions: ArrayLike,
    displacements: ArrayLike,
    *,
    radius: float = 0.0,
    leap: bool | FlowField = True,
    outside: str = "refuse",
) -> Wide:
    """Move agents, along walls where these bar their way: the new positions, (N, 2), or (2,) for
    one (x, y) pair.

    The whole way is walked, so nothing is jumped over, whatever the speed. Where an agent meets a
    wall, the rim of the map or ground that the terrain forbids to enter from where it stands, what
    is left of its displacement goes on along that side, and around a corner along the corner's
    tangent. An agent ends on open ground, in a cell that `space.cell_at` reads back.

    An agent that stands in a wall (one was built on it) is first put into the open cell nearest to
    its own, at the point of it nearest to where it stood.

    On a mesh agents walk from polygon to polygon through the sides that open edges lead over, and
    along the others. So they keep to their floor; on a 3D mesh positions are (N, 3), with the z of
    the ground, and displacements (N, 2) or (N, 3), of which the z is left out. Agents are points
    there (radius 0). Who is beside the mesh begins at the nearest point of the polygon whose middle
    is nearest.
    On waypoints without a mesh one walks along edges: see `Travellers`. Raises `OutsideMap` for
    positions off the map, and `InvalidValue`.

    Parameters
    ----------
    space : Space
        The grid. On a torus agents pass the rim and their new positions lie on the map.
    positions : array_like
        (N, 2) or one pair, on the map.
    displacements : array_like
        (N, 2) world units, finite, at most a million cells long; one pair moves all.
    radius : float, optional
        How far an agent's center stays from walls, in world units, at most half a cell. With 0 it
        stops a millionth of a cell before them; more than 0.49 cells count as 0.49, so that nobody
        jams in the mouth of a corridor. Who is nearer already may move along and away, not nearer.
    leap : bool or FlowField, optional
        Whether open edges of a mesh that lead over gaps (jumps, drops) are taken by who walks into
        them. Or the flow field on it that agents follow: then they leap where it leads over a gap,
        and nowhere else.
    outside : {"refuse", "clamp"}
        With "clamp" agents off the map start in the nearest cell.
    """
    positions = on_map(checked_space(space, "Moving needs"), positions, outside)
    if isinstance(space, Grid):
        return on_grid.move(space, positions, displacements, radius, leap)
    return on_graph.move(space, positions, displacements, radius, leap)


def avoid_walls(
    space: Space,
    positions: ArrayLike,
    velocities: ArrayLike,
    ahead: float,
    *,
    outside: str = "refuse",
) -> Wide:
    """The change of velocity that keeps agents off walls: (N, 2), or (2,) for one pair, in world
    units per second.

    Each agent feels along three lines: one of length `ahead` (world units) where it is heading, and
    one half as long 30 degrees to each side. A line that a wall, the rim or forbidden ground cuts
    off after a part `t` of it pushes away from that side by `(1 - t)` of the agent's speed; that
    ahead turns it as strongly towards the side where it is freer. Nothing ahead, or standing
    still: (0, 0). After the containment of Reynolds, "Steering Behaviors for Autonomous Characters"
    (1999).

    On a mesh the rim is what is felt, seen from above, gaps that edges leap over included;
    positions on a 3D mesh are (N, 3). With `outside="clamp"` agents off the map count as in the
    nearest cell.

    Raises
    ------
    OutsideMap
        For positions off the map.
    InvalidValue
        If an argument has a wrong value, shape or type.
    """
    positions = on_map(checked_space(space, "Avoiding walls needs"), positions, outside)
    if isinstance(space, Grid):
        return on_grid.avoid_walls(space, positions, velocities, ahead)
    return on_graph.avoid_walls(space, positions, velocities, ahead)


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
