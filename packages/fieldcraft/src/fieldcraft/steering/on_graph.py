"""Moving on navigation meshes without ever leaving them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.arrays import read_only
from fieldcraft.paths.flow import FlowField
from fieldcraft.paths.flow_fields import GraphFlow
from fieldcraft.query.ground import crowd
from fieldcraft.space import Graph, Space
from fieldcraft.space.floors import floors_of
from fieldcraft.steering.arguments import limits, vectors
from fieldcraft.steering.neighbors import Neighbors

if TYPE_CHECKING:
    from fieldcraft.steering.walls import Crowd

__all__ = ["avoid_walls", "check_crowd", "crowd_step", "feelers", "move"]

_NOWHERE = read_only(np.empty(0, dtype=np.int64))
_STOREY = 3.0  # how high a storey is for those who keep apart, beside how far they do
_TOUCHED = 3e-6  # who is so far off, in shares of the coordinates, has met a rim
_AGENTS = 500  # as many pay for waking a thread

Wide = NDArray[np.float64]


def _mesh_of(space: Space, radius: float = 0.0) -> Graph:
    """The graph of a space, if it has a mesh that agents of this radius can walk on from spot to
    spot; else `InvalidValue`.
    """
    graph = space.graph
    if graph.mesh is None:
        raise InvalidValue(
            "One walks freely on a grid or a mesh",
            got="a graph of waypoints without a mesh",
            remedy="Along the edges of waypoints go steering.Travellers",
        )
    if checks.not_negative("radius", radius) > 0:
        raise InvalidValue(
            "On a mesh agents are points: their radius is left out of it when it is made",
            got=f"radius={radius!r}",
            remedy="Leave radius out, and load a mesh that was made for agents of that radius",
        )
    return graph


def check_crowd(settings: Crowd, space: Space) -> None:
    """Refuse settings of a crowd that don't fit a mesh."""
    _mesh_of(space, settings.radius)


def _on_open_ground(mesh: Graph, points: Wide) -> NDArray[np.int64]:
    """The open polygons that agents stand in; of who is in a blocked one, that with the nearest
    middle. Raises `OutsideMap`.
    """
    if not len(points):
        return np.empty(0, dtype=np.int64)
    return np.atleast_1d(mesh.nearest_open(np.atleast_1d(mesh.cell_at(points))))


def move(
    space: Space,
    positions: ArrayLike,
    displacements: ArrayLike,
    radius: float,
    leap: bool | FlowField,
) -> Wide:
    """See `walls.move`."""
    mesh = _mesh_of(space, radius)
    at, single = checks.positions(positions, dimensions=mesh.dimensions)
    shifts = _shifts_of(displacements, len(at), mesh.dimensions)
    places, cells = _walked(mesh, at, _on_open_ground(mesh, at), shifts, leap)
    moved = _lifted(mesh, places, cells)
    return moved[0] if single else moved


def _shifts_of(displacements: ArrayLike, count: int, dimensions: int) -> Wide:
    """Displacements in the ground plane, (N, 2); of (x, y, z) the z is left out."""
    shape = np.shape(checks.array("Displacements", displacements))
    if dimensions == 3 and shape and shape[-1] == 3:
        flat: Wide = checks.positions(displacements, dimensions=3)[0][:, :2]
        return vectors("Displacements", flat if len(shape) == 2 else flat[0], count)
    return vectors("Displacements", displacements, count)


def _walked(
    mesh: Graph, at: Wide, cells: NDArray[np.int64], shifts: Wide, leap: bool | FlowField
) -> tuple[Wide, NDArray[np.int64]]:
    """Where agents in polygons get to in the ground plane, (N, 2), and which polygons that is."""
    floors = floors_of(mesh)
    doors, wanted = floors.mesh, _NOWHERE
    if isinstance(leap, GraphFlow):
        if leap.graph is not mesh:
            raise InvalidValue(
                "Agents leap after a flow field on their own mesh",
                got=repr(leap.space),
                remedy="Build the field on it",
            )
        wanted = leap.next
    elif not isinstance(leap, (bool, np.bool_)):
        raise InvalidValue(
            "leap is True, False or a flow field on the mesh",
            got=repr(leap),
            remedy="Pass the field that agents follow",
        )
    elif not leap:
        doors = floors.on_foot
    plan, shifts = (
        read_only(np.clip(each[:, :2], -checks.LARGEST, checks.LARGEST)) for each in (at, shifts)
    )  # farther is no farther
    places, ends = np.empty((len(at), 2)), np.empty(len(at), dtype=np.int64)
    inputs = doors, floors.doors.middles, wanted, read_only(cells), plan, shifts
    crowd(kernels.mesh_moving.move, inputs, (places, ends), len(at), _AGENTS)
    return places, ends


def _lifted(mesh: Graph, places: Wide, cells: NDArray[np.int64]) -> Wide:
    """Places in the ground plane as positions on their polygons: with a z on a 3D mesh."""
    if mesh.dimensions == 2:
        return places
    assert mesh.mesh is not None
    positions = np.empty((len(places), 3))
    positions[:, :2] = places
    found = np.empty(len(places))
    kernels.mesh_moving.heights(
        floors_of(mesh).doors.fans,
        mesh.mesh.triangles,
        mesh.mesh.corners,
        read_only(cells),
        places,
        found,
    )
    positions[:, 2] = found
    return positions


def avoid_walls(space: Space, positions: ArrayLike, velocities: ArrayLike, ahead: float) -> Wide:
    """See `walls.avoid_walls`."""
    mesh = _mesh_of(space)
    at, single = checks.positions(positions, dimensions=mesh.dimensions)
    heading = vectors("Velocities", velocities, len(at))
    forces = feelers(mesh, at, _on_open_ground(mesh, at), heading, checks.positive("ahead", ahead))
    return forces[0] if single else forces


def feelers(mesh: Graph, at: Wide, cells: NDArray[np.int64], heading: Wide, ahead: float) -> Wide:
    """The change of velocity away from rims ahead, of agents in these polygons; gaps that edges
    leap over are rims.
    """
    doors = floors_of(mesh).on_foot
    plan, forces = read_only(np.ascontiguousarray(at[:, :2])), np.empty((len(at), 2))
    inputs = doors, read_only(cells), plan, read_only(heading), ahead
    crowd(kernels.mesh_moving.avoid, inputs, (forces,), len(at), _AGENTS)
    return forces


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
    """See `Crowd.step`: on a mesh. Agents far above each other don't keep apart."""
    mesh = _mesh_of(space)
    at, single = checks.positions(positions, dimensions=mesh.dimensions)
    if single:
        raise InvalidValue(
            "A crowd has many positions",
            got="one position",
            remedy=f"Pass an array of shape (N, {mesh.dimensions})",
        )
    seconds, count = checks.positive("dt", dt), len(at)
    moving = vectors("Velocities", velocities, count)
    speeds, forces = (
        limits("max_speed", top, count)[:, np.newaxis],
        np.asarray(most, dtype=np.float64),
    )
    if not np.isposinf(forces).all():
        forces = limits("max_force", most, count)[:, np.newaxis]
    cells = _on_open_ground(mesh, at)
    if isinstance(wish, GraphFlow):
        if wish.graph is not mesh:
            raise InvalidValue(
                "A crowd follows a flow field on its own mesh",
                got=repr(wish.space),
                remedy="Build the field on it",
            )
        wanted = wish.sample(at, cells=cells)[:, :2] * speeds
    else:
        wanted = vectors("Wishes", wish, count)  # type: ignore[arg-type]
    force = (wanted - moving) * settings.response
    if settings.keep_apart > 0 and count:
        force += (
            Neighbors(_by_storey(at, settings.keep_apart), settings.keep_apart).pushes()
            * speeds
            * settings.separation
        )
    if settings.ahead > 0:
        force += feelers(mesh, at, cells, moving, settings.ahead) * settings.avoidance
    new = _shortened(moving + _shortened(force, forces) * seconds, speeds)
    places, ends = _walked(
        mesh, at, cells, read_only(new * seconds), wish if isinstance(wish, GraphFlow) else True
    )
    gone = places - at[:, :2]
    slowed = (np.abs(gone - new * seconds) > _TOUCHED * (1 + np.abs(at[:, :2]))).any(
        axis=1, keepdims=True
    )
    return _lifted(mesh, places, ends), np.where(slowed, _shortened(gone / seconds, speeds), new)


def _by_storey(at: Wide, keep_apart: float) -> Wide:
    """Places in the ground plane, storeys laid beside each other."""
    if at.shape[1] == 2:
        return at
    storey = np.rint(at[:, 2] / (_STOREY * keep_apart))
    beside = float(np.ptp(at[:, 0])) + 2 * keep_apart
    plan = at[:, :2].copy()
    plan[:, 0] += (storey - storey.min(initial=np.inf)) * beside
    return plan


def _shortened(vectors_: Wide, most: Wide) -> Wide:
    lengths = np.hypot(vectors_[:, :1], vectors_[:, 1:])
    return vectors_ * np.where(lengths > most, most / np.where(lengths > 0, lengths, 1.0), 1.0)
