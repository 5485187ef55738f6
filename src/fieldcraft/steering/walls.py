"""Moving among walls without ever entering one, and steering away from them in time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.reference import moving as reference
from fieldcraft.paths.flow import FlowField
from fieldcraft.query.ground import crowd, frozen, too_far
from fieldcraft.space import AnySpace, Graph, Grid
from fieldcraft.space.passages import passages, quiet
from fieldcraft.steering import meshes
from fieldcraft.steering.arguments import cells_long, grid, points, vectors

__all__ = ["avoid_walls", "move", "out_of_walls", "refuse_outside", "room_beside"]

_AGENTS = 1_000  # as many pay for waking a thread
_WIDEST = 0.49  # cells; exactly half of one would jam in a corridor's mouth

Wide = NDArray[np.float64]


def move(space: AnySpace, positions: ArrayLike, displacements: ArrayLike, *, radius: float = 0.0, leap: bool | FlowField = True) -> Wide:
    """Move agents, along walls where these bar their way: the new positions, (N, 2), or (2,) for one (x, y) pair.

    The whole way is walked, so nothing is jumped over, whatever the speed. Where an agent meets a wall, the rim of the map or
    ground that the terrain forbids to enter from where it stands, what is left of its displacement goes on along that side, and
    around a corner along the corner's tangent. An agent ends on open ground, in a cell that `space.cell_at` reads back.

    Parameters
    ----------
    space: the grid. On a torus agents pass the rim and their new positions lie on the map.
    positions: (N, 2) or one pair, on the map.
    displacements: (N, 2) world units, finite, at most a million cells long; one pair moves all.
    radius: how far an agent's centre stays from walls, in world units, at most half a cell. With 0 it stops a millionth of a cell
        before them; more than 0.49 cells count as 0.49, so that nobody jams in the mouth of a corridor. Who is nearer already may
        move along and away, not nearer.
    leap: whether open edges of a mesh that lead over gaps (jumps, drops) are taken by who walks into them. Or the flow field on it that
        agents follow: then they leap where it leads over a gap, and nowhere else.

    An agent that stands in a wall (one was built on it) is first put into the open cell nearest to its own, at the
    point of it nearest to where it stood.

    On a mesh agents walk from polygon to polygon through the sides that open edges lead over, and along the others. So they keep
    to their floor; on a 3D mesh positions are (N, 3), with the z of the ground, and displacements (N, 2) or (N, 3), of which the z is left
    out. Agents are points there (radius 0). Who is beside the mesh begins at the nearest point of the polygon whose middle is nearest.
    On waypoints without a mesh one walks along edges: see `Travellers`. Raises `OutsideMap` for positions off the map, and `InvalidValue`.
    """
    if isinstance(space, Graph):
        return meshes.move(space, positions, displacements, radius, leap)
    ground, (at, single) = grid(space), points(positions)
    near = room_beside(ground, radius)
    shifts = vectors("Displacements", displacements, len(at))
    cells_long("Displacements", shifts, ground)
    bars, moved, wrong = passages(ground), np.empty(at.shape), np.full(2, -1, dtype=np.int64)
    function = kernels.load("moving").move

    def call(first: int, last: int) -> pool.Call:
        return function, (bars, at, shifts, *ground.origin, ground.cell_size, ground.wrap, near, first, last, wrong, moved)

    crowd(call, len(at), _AGENTS)
    if wrong[0] >= 0:
        refuse_outside(ground, at, int(wrong[0]))
    if wrong[1] >= 0:
        at = frozen(out_of_walls(ground, at, near))
        crowd(call, len(at), _AGENTS)
    return moved[0] if single else moved


def avoid_walls(space: AnySpace, positions: ArrayLike, velocities: ArrayLike, ahead: float) -> Wide:
    """The change of velocity that keeps agents off walls: (N, 2), or (2,) for one pair, in world units per second.

    Each agent feels along three lines: one of length `ahead` (world units) where it is heading, and one half as long 30 degrees to
    each side. A line that a wall, the rim or forbidden ground cuts off after a part `t` of it pushes away from that side by
    `(1 - t)` of the agent's speed; that ahead turns it as strongly towards the side where it is freer. Nothing ahead, or standing
    still: (0, 0). After the containment of Reynolds, "Steering Behaviors for Autonomous Characters" (1999).

    On a mesh the rim is what is felt, seen from above, gaps that edges leap over included; positions on a 3D mesh are (N, 3).

    Raises `OutsideMap` for positions off the map, and `InvalidValue`.
    """
    if isinstance(space, Graph):
        return meshes.avoid(space, positions, velocities, ahead)
    ground, (at, single) = grid(space), points(positions)
    heading = vectors("Velocities", velocities, len(at))
    reach = np.array([checks.positive("ahead", ahead)])
    cells_long("Looks ahead", reach, ground)
    bars, forces, wrong = passages(ground), np.empty(at.shape), np.full(1, -1, dtype=np.int64)
    function = kernels.load("moving").avoid
    calm = quiet(ground, math.ceil(float(reach[0]) / ground.cell_size))
    common = (bars, calm, at, heading, *ground.origin, ground.cell_size, ground.wrap, float(reach[0]) / ground.cell_size)

    def call(first: int, last: int) -> pool.Call:
        return function, (*common, first, last, wrong, forces)

    crowd(call, len(at), _AGENTS)
    if wrong[0] >= 0:
        refuse_outside(ground, at, int(wrong[0]))
    return forces[0] if single else forces


def room_beside(space: Grid, radius: float) -> float:
    """What an agent of this radius keeps to walls, in cells."""
    cells = checks.not_negative("radius", radius) / space.cell_size
    if cells > 0.5:
        raise InvalidValue(
            f"The radius of an agent is at most half a cell, {space.cell_size / 2:g} here, so that it fits wherever a path leads",
            got=f"radius={radius!r}",
            remedy="Use larger cells, or for large agents a grid with thicker walls: space.with_walls(thickened)",
        )
    return min(max(cells, reference.CLEARANCE), _WIDEST)


def out_of_walls(space: Grid, at: Wide, near: float) -> Wide:
    """The positions, those in walls replaced by the nearest point of the nearest open cell that keeps `near` to its sides."""
    found = at.copy()
    cells = np.asarray(space.cell_at(at))
    stuck = np.flatnonzero(space.walls.reshape(-1)[cells])
    centers = space.position_of(space.nearest_open(cells[stuck]))
    offset = space.short_way(at[stuck] - centers)
    room = (0.5 - near) * space.cell_size
    found[stuck] = centers + np.clip(offset, -room, room)
    return found


def refuse_outside(space: Grid, at: Wide, index: int) -> None:
    """Raise what is to be said about positions off the map, of which that at `index` is one."""
    with np.errstate(over="ignore", invalid="ignore"):
        space.cell_at(at)  # raises, and says which position and why
    raise too_far(at[index])
