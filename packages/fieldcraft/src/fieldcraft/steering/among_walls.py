"""Movement among the walls of a grid, and on navigation meshes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.agents.crowd_arrays import CrowdAgents, CrowdLimits, OpenGround
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import Floats, Ints, read_only
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.paths.flow.flow_on_graph import GraphFlow
from fieldcraft.paths.flow.flow_on_grid import GridFlow
from fieldcraft.space import Graph, Grid, Space
from fieldcraft.space.grid.passages import clear_cells, passages
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.mesh.floors import floors_of
from fieldcraft.steering.behaviors import shortened
from fieldcraft.steering.neighbors import Neighbors, separation, write_pushes
from fieldcraft.steering.steering_checks import (
    check_lengths,
    max_forces,
    per_agent,
    points,
    vectors,
)
from fieldcraft.values.bands import run_in_bands
from fieldcraft.values.readable import too_far

if TYPE_CHECKING:
    from fieldcraft.steering.crowd import Crowd

# agents that pay for waking a thread
_MOVERS = 1_000
_CROWD = 500
_WIDEST = 0.49  # cells; agents of exactly half a cell would jam at the entry of a corridor


def move_on_grid(
    space: Grid, positions: ArrayLike, displacements: ArrayLike, radius: float, leap: object
) -> Floats:
    """See `walls.move`."""
    at, single = points(positions)
    clearance = _clearance(space, radius)
    shifts = vectors("Displacements", displacements, len(at))
    check_lengths("Displacements", shifts, space)
    blocked = passages(space)
    moved = np.empty(at.shape)
    frame = space.layout.frame
    for _ in range(2):
        wrong = np.full(2, -1, dtype=np.int64)
        inputs = blocked, at, shifts, frame, clearance
        run_in_bands(kernels.agents.moving.move, inputs, (wrong, moved), len(at), _MOVERS)
        if wrong[0] >= 0:
            _refuse_outside(space, at, int(wrong[0]))
        if wrong[1] < 0:
            break
        at = read_only(_out_of_walls(space, at, clearance))
    return moved[0] if single else moved


def avoid_walls_on_grid(
    space: Grid, positions: ArrayLike, velocities: ArrayLike, ahead: float
) -> Floats:
    """See `walls.avoid_walls`."""
    at, single = points(positions)
    heading = vectors("Velocities", velocities, len(at))
    reach = np.array([checks.positive("ahead", ahead)])
    check_lengths("Feelers", reach, space)
    forces = np.empty(at.shape)
    wrong = np.full(1, -1, dtype=np.int64)
    cells = float(reach[0]) / space.cell_size
    ground = _open_ground(space, cells)
    inputs = ground, at, heading, space.layout.frame, cells
    run_in_bands(kernels.agents.moving.avoid, inputs, (wrong, forces), len(at), _MOVERS)
    if wrong[0] >= 0:
        _refuse_outside(space, at, int(wrong[0]))
    return forces[0] if single else forces


def check_crowd_on_grid(settings: Crowd, space: Grid) -> None:
    """Refuse settings of a crowd that do not fit a grid."""
    _clearance(space, settings.radius)
    check_lengths("Feelers", np.array([float(settings.ahead)]), space)


def crowd_step_on_grid(
    settings: Crowd,
    space: Grid,
    positions: ArrayLike,
    velocities: ArrayLike,
    desired: FlowField | ArrayLike,
    dt: float,
    max_speed: ArrayLike,
    max_force: ArrayLike,
) -> tuple[Floats, Floats]:
    """See `Crowd.step`."""
    at, single = points(positions)
    if single:
        raise InvalidValue(
            "A crowd has many positions",
            got="one (x, y) pair",
            remedy="Pass an array of shape (N, 2)",
        )
    moving = vectors("Velocities", velocities, len(at))
    seconds = checks.positive("dt", dt)
    speeds = per_agent("max_speed", max_speed, len(at))
    forces = max_forces(max_force, len(at))
    check_lengths("Moves of max_speed * dt", speeds * seconds, space)
    if isinstance(desired, GridFlow) and desired.space is space:
        flow = desired
    else:
        flow = None
    if isinstance(desired, FlowField) and flow is None:
        raise InvalidValue(
            "A crowd follows a flow field on its own grid",
            got=repr(desired.space),
            remedy="Build the field on the crowd's grid",
        )
    if flow is None:
        sample = None
    else:
        sample = flow.sampler()
    if isinstance(desired, FlowField):
        wanted = moving
    else:
        wanted = vectors("Desired velocities", desired, len(at))
    clearance = _clearance(space, settings.radius)
    ahead = settings.ahead / space.cell_size
    frame = space.layout.frame
    ground = _open_ground(space, ahead)
    avoidance = settings.avoidance if ahead > 0 else 0.0
    gains = np.array([float(flow is not None), settings.response, settings.separation, avoidance])

    def serve(at: Floats) -> tuple[Ints, Floats, Floats]:
        """Return which agents were off the map and in walls (-1 for none), positions and
        velocities.
        """
        if settings.separation_radius > 0:
            reach = settings.separation_radius
        else:
            reach = space.cell_size
        near = Neighbors(at, reach, space=space)
        if flow is not None:
            targets = np.empty(at.shape)
        else:
            targets = wanted[near.order]
        pushes = np.zeros(at.shape)
        wrong = np.full(2, -1, dtype=np.int64)
        moved = np.empty(at.shape)
        changed = np.empty(at.shape)
        agents = CrowdAgents(
            points=near.places,
            order=near.order,
            velocities=moving,
            desired=targets,
            pushes=pushes,
        )
        limits = CrowdLimits(gains, forces, speeds)
        inputs = ground, agents, limits, frame, clearance, ahead, seconds

        def step(first: int, last: int) -> None:
            if sample is not None:
                sample(near.places, first, last, targets)
            if settings.separation_radius > 0:
                write_pushes(near, first, last, pushes)
            kernels.agents.moving.drive(*inputs, first, last, wrong, moved, changed)

        pool.run([(step, band) for band in pool.bands(len(at), len(at) // _CROWD)])
        return wrong, moved, changed

    wrong, moved, changed = serve(at)
    if wrong[0] >= 0:
        _refuse_outside(space, at, int(wrong[0]))
    if wrong[1] >= 0:
        _, moved, changed = serve(read_only(_out_of_walls(space, at, clearance)))
    return moved, changed


def _open_ground(space: Grid, ahead: float) -> OpenGround:
    """Return what is blocked in and around cells, for agents that look so many cells ahead."""
    return OpenGround(passages(space), clear_cells(space, math.ceil(ahead)))


def _clearance(space: Grid, radius: float) -> float:
    """Return the distance that an agent of this radius keeps to walls, in cells."""
    cells = checks.not_negative("radius", radius) / space.cell_size
    if cells > 0.5:
        raise InvalidValue(
            f"The radius of an agent is at most half a cell, {space.cell_size / 2:g} here, so that"
            " it fits wherever a path leads",
            got=f"radius={radius!r}",
            remedy=(
                "Use larger cells, or for large agents a grid with thicker walls:"
                " space.with_walls(thickened)"
            ),
        )
    return min(max(cells, kernels.agents.moving.CLEARANCE), _WIDEST)


def _out_of_walls(space: Grid, at: Floats, clearance: float) -> Floats:
    """Return positions, those in walls replaced by the nearest point of the nearest open cell that
    keeps the clearance to its sides.
    """
    found = at.copy()
    cells = np.asarray(space.cell_at(at))
    stuck = np.flatnonzero(space.walls.reshape(-1)[cells])
    centers = space.position_of(space.nearest_open(cells[stuck]))
    offset = space.shortest_vectors(at[stuck] - centers)
    most = (0.5 - clearance) * space.cell_size
    found[stuck] = centers + np.clip(offset, -most, most)
    return found


def _refuse_outside(space: Grid, at: Floats, index: int) -> None:
    """Raise the error of positions off the map, for example the one at `index`."""
    with np.errstate(over="ignore", invalid="ignore"):
        space.cell_at(at)  # raises, and names the position and the reason
    raise too_far(at[index])


_NOWHERE = read_only(np.empty(0, dtype=np.int64))
_STOREY = 3.0  # height of a storey beside the distance that agents keep apart
_TOUCHED = 3e-6  # an agent so far off, relative to its coordinates, has met a rim
_AGENTS = 500  # that pay for waking a thread


def _mesh_of(space: Space, radius: float = 0.0) -> Graph:
    """Return the graph of a space, if it has a mesh on which agents of this radius can move."""
    graph = graph_of(space)
    if graph.mesh is None:
        raise InvalidValue(
            "Agents move freely on a grid or a mesh",
            got="a graph of waypoints without a mesh",
            remedy="Move agents along paths: fc.shortest_path(...).at(distance)",
        )
    if checks.not_negative("radius", radius) > 0:
        raise InvalidValue(
            "On a mesh agents are points: a mesh is made for a radius",
            got=f"radius={radius!r}",
            remedy="Leave radius out, and load a mesh that was made for agents of that radius",
        )
    return graph


def check_crowd_on_mesh(settings: Crowd, space: Space) -> None:
    """Refuse settings of a crowd that do not fit a mesh."""
    _mesh_of(space, settings.radius)


def _polygons_at(mesh: Graph, points: Floats) -> Ints:
    """Return the open polygons that agents are in; for those in a blocked one, that with the
    nearest middle.
    """
    if not len(points):
        return np.empty(0, dtype=np.int64)
    return np.atleast_1d(mesh.nearest_open(np.atleast_1d(mesh.cell_at(points))))


def move_on_mesh(
    space: Space,
    positions: ArrayLike,
    displacements: ArrayLike,
    radius: float,
    leap: bool | FlowField,
) -> Floats:
    """See `walls.move`."""
    mesh = _mesh_of(space, radius)
    at, single = checks.positions(positions, dimensions=mesh.dimensions)
    flat = checks.array("Displacements", displacements)
    if mesh.dimensions == 3 and flat.shape[-1:] == (3,):
        flat = flat[..., :2]
    shifts = vectors("Displacements", flat, len(at))
    places, cells = _walked(mesh, at, _polygons_at(mesh, at), shifts, leap)
    moved = _lifted(mesh, places, cells)
    return moved[0] if single else moved


def _walked(
    mesh: Graph, at: Floats, cells: Ints, shifts: Floats, leap: bool | FlowField
) -> tuple[Floats, Ints]:
    """Return where agents in polygons get to in the ground plane, (N, 2), and in which
    polygons.
    """
    floors = floors_of(mesh)
    portals = floors.mesh
    wanted = _NOWHERE
    if isinstance(leap, GraphFlow):
        wanted = _own_flow(leap, mesh).next
    elif not isinstance(leap, (bool, np.bool_)):
        raise InvalidValue(
            "leap is True, False or a flow field on the mesh",
            got=repr(leap),
            remedy="Pass the field that agents follow",
        )
    elif not leap:
        portals = floors.on_foot
    plan, shifts = (
        read_only(np.clip(each[:, :2], -checks.LARGEST, checks.LARGEST)) for each in (at, shifts)
    )
    places = np.empty((len(at), 2))
    ends = np.empty(len(at), dtype=np.int64)
    inputs = portals, floors.portals.middles, wanted, read_only(cells), plan, shifts
    run_in_bands(kernels.agents.mesh_moving.move, inputs, (places, ends), len(at), _AGENTS)
    return places, ends


def _own_flow(flow: GraphFlow, mesh: Graph) -> GraphFlow:
    if flow.graph is not mesh:
        raise InvalidValue(
            "Agents follow a flow field on their own mesh",
            got=repr(flow.space),
            remedy="Build the field on it",
        )
    return flow


def _lifted(mesh: Graph, places: Floats, cells: Ints) -> Floats:
    """Return places in the ground plane as positions on their polygons: with a z on a 3D mesh."""
    if mesh.dimensions == 2:
        return places
    assert mesh.mesh is not None
    heights = np.empty(len(places))
    triangles = floors_of(mesh).portals.fans, mesh.mesh.triangles, mesh.mesh.corners
    kernels.agents.mesh_moving.heights(*triangles, read_only(cells), places, heights)
    return np.column_stack([places, heights])


def avoid_walls_on_mesh(
    space: Space, positions: ArrayLike, velocities: ArrayLike, ahead: float
) -> Floats:
    """See `walls.avoid_walls`."""
    mesh = _mesh_of(space)
    at, single = checks.positions(positions, dimensions=mesh.dimensions)
    heading = vectors("Velocities", velocities, len(at))
    reach = checks.positive("ahead", ahead)
    forces = _avoidance(mesh, at, _polygons_at(mesh, at), heading, reach)
    return forces[0] if single else forces


def _avoidance(mesh: Graph, at: Floats, cells: Ints, heading: Floats, ahead: float) -> Floats:
    """Return the change of velocity away from rims ahead, for agents in these polygons; gaps that
    edges leap over are rims.
    """
    plan = read_only(np.ascontiguousarray(at[:, :2]))
    forces = np.empty((len(at), 2))
    inputs = floors_of(mesh).on_foot, read_only(cells), plan, read_only(heading), ahead
    run_in_bands(kernels.agents.mesh_moving.avoid, inputs, (forces,), len(at), _AGENTS)
    return forces


def crowd_step_on_mesh(
    settings: Crowd,
    space: Space,
    positions: ArrayLike,
    velocities: ArrayLike,
    desired: FlowField | ArrayLike,
    dt: float,
    max_speed: ArrayLike,
    max_force: ArrayLike,
) -> tuple[Floats, Floats]:
    """See `Crowd.step`."""
    mesh = _mesh_of(space)
    at, single = checks.positions(positions, dimensions=mesh.dimensions)
    if single:
        raise InvalidValue(
            "A crowd has many positions",
            got="one position",
            remedy=f"Pass an array of shape (N, {mesh.dimensions})",
        )
    seconds = checks.positive("dt", dt)
    count = len(at)
    moving = vectors("Velocities", velocities, count)
    speeds = per_agent("max_speed", max_speed, count)
    forces = max_forces(max_force, count)
    cells = _polygons_at(mesh, at)
    leap: bool | FlowField = True
    if isinstance(desired, GraphFlow):
        leap = _own_flow(desired, mesh)
        wanted = desired.sample(at, cells=cells)[:, :2] * speeds[:, np.newaxis]
    else:
        wanted = vectors("Desired velocities", desired, count)  # type: ignore[arg-type]
    force = (wanted - moving) * settings.response
    if settings.separation_radius > 0:
        near = Neighbors(_by_storey(at, settings.separation_radius), settings.separation_radius)
        force += separation(near, strength=speeds) * settings.separation
    if settings.ahead > 0:
        force += _avoidance(mesh, at, cells, moving, settings.ahead) * settings.avoidance
    new = shortened(moving + shortened(force, forces) * seconds, speeds)
    places, ends = _walked(mesh, at, cells, read_only(new * seconds), leap)
    gone = places - at[:, :2]
    off = np.abs(gone - new * seconds) > _TOUCHED * (1 + np.abs(at[:, :2]))
    slowed = off.any(axis=1, keepdims=True)
    return _lifted(mesh, places, ends), np.where(slowed, shortened(gone / seconds, speeds), new)


def _by_storey(at: Floats, separation_radius: float) -> Floats:
    """Return places in the ground plane, with storeys beside each other: agents far above each
    other do not keep apart.
    """
    if at.shape[1] == 2:
        return at
    storey = np.rint(at[:, 2] / (_STOREY * separation_radius))
    if len(at):
        beside = float(np.ptp(at[:, 0])) + 2 * separation_radius
    else:
        beside = 0.0
    plan = at[:, :2].copy()
    plan[:, 0] += (storey - storey.min(initial=np.inf)) * beside
    return plan
