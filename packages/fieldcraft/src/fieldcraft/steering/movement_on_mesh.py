"""Movement on navigation meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Floats, Ints, read_only
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.paths.flow.flow_on_graph import GraphFlow
from fieldcraft.space import Graph, Space
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.mesh.floors import floors_of
from fieldcraft.steering.behaviors import shortened
from fieldcraft.steering.neighbors import Neighbors, separation
from fieldcraft.steering.steering_checks import (
    max_forces,
    per_agent,
    vectors,
)
from fieldcraft.values.bands import run_in_bands

if TYPE_CHECKING:
    from fieldcraft.steering.crowd import Crowd

_NOWHERE = read_only(np.empty(0, dtype=np.int64))
_STOREY = 3.0  # A storey is so many times as high as agents keep apart.
# An agent that ends so far from where it wanted to, relative to its coordinates, has met a rim.
_TOUCHED = 3e-6
_AGENTS = 500  # Each thread gets at least so many agents.


def _mesh_of(space: Space, radius: float = 0.0) -> Graph:
    """Return the graph of a space, if it has a mesh on which agents of this radius can move."""
    graph = graph_of(space)
    if graph.mesh is None:
        raise InvalidValue(
            "Agents move freely on a grid, on a mesh, and on hexagons that do not wrap",
            got=repr(space),
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
    """See `steering.move`."""
    mesh = _mesh_of(space, radius)
    at, single = checks.positions(positions, dimensions=mesh.dimensions)
    flat = checks.array("Displacements", displacements)
    if mesh.dimensions == 3 and flat.shape[-1:] == (3,):
        flat = flat[..., :2]
    shifts = vectors("Displacements", flat, len(at))
    places, cells = _walked(mesh, at, _polygons_at(mesh, at), shifts, leap)
    moved = _lifted(mesh, places, cells)
    if single:
        return np.asarray(moved[0])
    return moved


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
    inputs = (portals, floors.portals.middles, wanted, read_only(cells), plan, shifts)
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
    triangles = (floors_of(mesh).portals.fans, mesh.mesh.triangles, mesh.mesh.corners)
    kernels.agents.mesh_moving.heights(*triangles, read_only(cells), places, heights)
    return np.column_stack([places, heights])


def avoid_walls_on_mesh(
    space: Space, positions: ArrayLike, velocities: ArrayLike, ahead: float
) -> Floats:
    """See `steering.avoid_walls`."""
    mesh = _mesh_of(space)
    at, single = checks.positions(positions, dimensions=mesh.dimensions)
    heading = vectors("Velocities", velocities, len(at))
    reach = checks.positive("ahead", ahead)
    forces = _avoidance(mesh, at, _polygons_at(mesh, at), heading, reach)
    if single:
        return np.asarray(forces[0])
    return forces


def _avoidance(mesh: Graph, at: Floats, cells: Ints, heading: Floats, ahead: float) -> Floats:
    """Return the change of velocity away from rims ahead, for agents in these polygons; gaps that
    edges leap over are rims.
    """
    plan = read_only(np.ascontiguousarray(at[:, :2]))
    forces = np.empty((len(at), 2))
    inputs = (floors_of(mesh).on_foot, read_only(cells), plan, read_only(heading), ahead)
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
