"""Movement that never enters a wall: moves, avoidance, crowds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.missing_names import Suggesting, SuggestingArguments
from fieldcraft.base.words import IfOutside
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.space import Grid, Space, checked_space
from fieldcraft.space.cells import on_map
from fieldcraft.steering.movement_on_grid import (
    avoid_walls_on_grid,
    check_crowd_on_grid,
    crowd_step_on_grid,
    move_on_grid,
)
from fieldcraft.steering.movement_on_mesh import (
    avoid_walls_on_mesh,
    check_crowd_on_mesh,
    crowd_step_on_mesh,
    move_on_mesh,
)

Floats = NDArray[np.float64]


def move(
    space: Space,
    positions: ArrayLike,
    displacements: ArrayLike,
    *,
    radius: float = 0.0,
    leap: bool | FlowField = True,
    outside: IfOutside = "refuse",
) -> Floats:
    """Return the positions of agents after displacements, along walls where these block the path.

    The whole path is walked, so nothing is skipped at any speed. At a wall, the rim of the map or
    ground that the terrain forbids to enter, the rest of a displacement continues along that side,
    and around a corner along its tangent. Agents end on open ground. An agent in a wall is first
    moved to the nearest point of the nearest open cell.

    On a mesh agents walk from polygon to polygon through sides that open edges cross. Positions on
    a 3D mesh are (N, 3) with the z of the ground; the z of displacements is ignored. Agents beside
    the mesh start at the nearest point of the polygon with the nearest middle. On waypoints walk
    along paths: `Path.at`.

    Parameters
    ----------
    space : Grid or Mesh
        Agents cross edges that wrap.
    positions : array_like of shape (2,) or (N, 2)
        World positions on the map.
    displacements : array_like of shape (2,) or (N, 2)
        World units, at most a million cells long; one pair moves all.
    radius : float
        Least distance of centers from walls in world units, at most half a cell; 0 on a mesh. With
        0 an agent stops a millionth of a cell before a wall; above 0.49 cells it counts as 0.49,
        so that no agent jams in a corridor. Agents that are nearer may move along and away.
    leap : bool or FlowField
        Whether agents cross gaps of a mesh (jumps, drops) that open edges lead over. With the flow
        field that they follow, they cross only the gaps that it leads over.
    outside : {"refuse", "clamp"}
        With "clamp" agents off the map start in the nearest cell.

    Returns
    -------
    ndarray of float64
        (N, 2) world positions, or (2,) for one agent.

    Raises
    ------
    OutsideMap
        If a position is off the map.
    InvalidValue
        If another argument has a wrong value, shape or type.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.steering.move(fc.Grid(9, 7), (8.0, 3.0), (1000.0, 2.0), radius=0.25)
    array([8.75, 5.  ])
    """
    positions = on_map(checked_space(space, "Moving needs"), positions, outside)
    if isinstance(space, Grid):
        return move_on_grid(space, positions, displacements, radius, leap)
    return move_on_mesh(space, positions, displacements, radius, leap)


def avoid_walls(
    space: Space,
    positions: ArrayLike,
    velocities: ArrayLike,
    ahead: float,
    *,
    outside: IfOutside = "refuse",
) -> Floats:
    """Return the changes of velocity that keep agents off walls.

    Each agent has three feelers: one of length `ahead` straight on, and two half as long, 30
    degrees to each side. A feeler that a wall, the rim or forbidden ground cuts off after a part
    `t` of its length pushes away from that side by `(1 - t)` of the agent's speed; the one straight
    on also turns the agent to the side that is freer. After the containment of Reynolds, "Steering
    Behaviors for Autonomous Characters" (1999). On a mesh, rims and gaps block feelers.

    Parameters
    ----------
    space : Grid or Mesh
        Where agents move.
    positions : array_like of shape (2,) or (N, 2)
        World positions; (N, 3) on a 3D mesh.
    velocities : array_like of shape (2,) or (N, 2)
        World units per second.
    ahead : float
        Length of the longest feeler in world units.
    outside : {"refuse", "clamp"}
        With "clamp" agents off the map count as in the nearest cell.

    Returns
    -------
    ndarray of float64
        (N, 2) world units per second, or (2,) for one agent; 0 for agents at rest.

    Raises
    ------
    OutsideMap
        If a position is off the map.
    InvalidValue
        If another argument has a wrong value, shape or type.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.steering.avoid_walls(fc.Grid(9, 7), (8.0, 3.5), (2.0, 0.0), ahead=2.0)
    array([-1.,  1.])
    """
    positions = on_map(checked_space(space, "Avoiding walls needs"), positions, outside)
    if isinstance(space, Grid):
        return avoid_walls_on_grid(space, positions, velocities, ahead)
    return avoid_walls_on_mesh(space, positions, velocities, ahead)


@dataclass(frozen=True)
class Crowd(Suggesting, SuggestingArguments):
    """How agents on a grid or mesh walk together: settings only. Positions and velocities stay in
    the state of a game.

    A step does what `follow_flow`, `separation`, `avoid_walls`, `accelerate` and `move` do one
    after the other: the force is `response * (desired - velocity) + separation * max_speed * pushes
    + avoidance * avoid_walls(...)`.

    Parameters
    ----------
    space : Grid or Mesh
        Where agents walk.
    radius : float
        Least distance of centers from walls in world units, at most half a cell; 0 on a mesh.
    separation_radius : float
        Distance within which neighbors push, in world units; 0 for none.
    ahead : float
        Length of the feelers for walls, in world units; 0 for none.
    response : float
        Per second: a velocity approaches the desired one in about `1 / response` s.
    separation : float
        Per second: how strongly a neighbor in the same place pushes.
    avoidance : float
        Per second: how strongly walls ahead push.

    Raises
    ------
    InvalidValue
        If a number is negative, or the radius more than half a cell.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(9, 3)
    >>> flow = fc.flow_field(fc.distance_map(grid, (8.5, 1.5)))
    >>> crowd = fc.steering.Crowd(grid, response=10.0)
    >>> at = [(1.5, 1.5), (4.5, 1.5)]
    >>> velocities = [(0, 0), (0, 0)]
    >>> at, velocities = crowd.step(at, velocities, flow, dt=0.1, max_speed=2.0)
    >>> velocities.tolist()
    [[2.0, 0.0], [2.0, 0.0]]
    """

    space: Space
    radius: float = 0.0
    separation_radius: float = 1.0
    ahead: float = 1.5
    response: float = 8.0
    separation: float = 8.0
    avoidance: float = 4.0

    def __post_init__(self) -> None:
        for name in ("separation_radius", "ahead", "response", "separation", "avoidance"):
            checks.not_negative(name, getattr(self, name))
        if isinstance(self.space, Grid):
            check_crowd_on_grid(self, self.space)
        else:
            check_crowd_on_mesh(self, checked_space(self.space, "A crowd needs"))

    def step(
        self,
        positions: ArrayLike,
        velocities: ArrayLike,
        desired: FlowField | ArrayLike,
        dt: float,
        *,
        max_speed: ArrayLike,
        max_force: ArrayLike = math.inf,
    ) -> tuple[Floats, Floats]:
        """Return positions and velocities after `dt` seconds.

        Agents that touch a wall keep the velocity along it. The result does not depend on the
        number of threads.

        Parameters
        ----------
        positions : array_like of shape (N, 2)
            World positions, (N, 3) on a 3D mesh. Agents in walls are moved out as by `move`.
        velocities : array_like of shape (N, 2)
            World units per second.
        desired : FlowField or array_like of shape (N, 2)
            A flow field to follow at `max_speed`, or the velocities that agents would have alone.
        dt : float
            Seconds, above 0.
        max_speed, max_force : float or array_like of shape (N,)
            Limits in world units per second, and per second squared.

        Raises
        ------
        OutsideMap
            If a position is off the map.
        InvalidValue
            If another argument has a wrong value, shape or type.
        """
        if isinstance(self.space, Grid):
            return crowd_step_on_grid(
                self, self.space, positions, velocities, desired, dt, max_speed, max_force
            )
        return crowd_step_on_mesh(
            self, self.space, positions, velocities, desired, dt, max_speed, max_force
        )
