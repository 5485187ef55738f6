"""Level geometry and navigation meshes made of triangles: OBJ, and GLB through trimesh."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import BadMapFile, InvalidValue, MissingLibrary
from fieldcraft.maps import ears, glb
from fieldcraft.maps.baking import bake as bake_level
from fieldcraft.maps.baking import is_walkable
from fieldcraft.maps.json_document import built
from fieldcraft.maps.reading import read_bytes
from fieldcraft.maps.steps import steps_between
from fieldcraft.maps.welding import weld as join
from fieldcraft.space import Graph, Mesh

__all__ = ["load_geometry", "triangles_of"]

_MAX_BYTES = 2**27
_MAX_CORNERS = 2**22
_MAX_FACES = 2**22
_FARTHEST = 1e9
_FACE = re.compile(rb"-?\d{1,10}")


def load_geometry(
    path: str | os.PathLike[str],
    *,
    mobility: str = "ground",
    up: str = "y",
    max_slope: float = 45.0,
    step_height: float = 0.0,
    weld: float | None = None,
    max_height: float | None = None,
    bake: bool = False,
    cell_size: float = 0.3,
    agent_radius: float = 0.6,
    agent_height: float = 2.0,
    min_area: float = 2.0,
) -> Graph:
    """The walkable ground of a `.obj` or `.glb` file: a vertex in the middle of each triangle that
    one can stand on.

    Triangles face up by the order of their corners and are no steeper than `max_slope` degrees. An
    edge joins those that share a side, after corners at most `weld` apart (by default a
    hundred-thousandth of the level's size) have become one, and those whose sides
    lie above each other with at most `step_height` between: stairs. World units are those of the
    file, positions (x, y, z) with z up; `up` says what is up in the file, "y" or "z", and y-up
    geometry is turned: (x, -z, y).

    Level geometry whose floors are made of loose pieces, or that has walls to keep away from, is to
    be baked: with `bake=True` it is filled with voxels of `cell_size`, and vertices are the places
    where an agent of `agent_radius` and `agent_height` can stand, see
    `fieldcraft.maps.baking.bake`; `step_height` should then be above 0, say 0.9 for people, and
    parts below `min_area` are left out. All in world units of the file.

    `max_height` as for `Graph`; a baked level has `agent_height`, if nothing is said.

    Raises `InvalidValue` for options that are wrong, for sizes of voxels and agents without `bake`,
    and for `weld` with it; `BadMapFile` for a damaged file, corners that don't exist, nothing to
    stand on; `MissingLibrary` for a GLB without trimesh.
    """
    file = checks.path("path", path)
    checks.choice("mobility", mobility, ("ground",))
    checks.choice("up", up, ("y", "z"))
    if not isinstance(bake, (bool, np.bool_)):
        raise InvalidValue(
            "bake is True or False", got=f"bake={bake!r}", remedy="Pass bake=True and a cell_size"
        )
    sizes = {
        "cell_size": (cell_size, 0.3),
        "agent_radius": (agent_radius, 0.6),
        "agent_height": (agent_height, 2.0),
        "min_area": (min_area, 2.0),
    }
    for name, (size, usual) in sizes.items():
        checks.not_negative(name, size)
        if not bake and size != usual:
            raise InvalidValue(
                f"{name} is for levels that are baked",
                got=f"{name}={size!r}, bake=False",
                remedy="Pass bake=True, or leave it out",
            )
    if bake and weld is not None:
        raise InvalidValue(
            "weld is for levels that are not baked",
            got=f"weld={weld!r}, bake=True",
            remedy="Leave it out",
        )
    climb = checks.not_negative("step_height", step_height)
    corners, triangles = triangles_of(file)
    if up == "y":
        corners = np.stack([corners[:, 0], -corners[:, 2], corners[:, 1]], axis=1)
    if not len(triangles):
        raise BadMapFile(
            "A level has faces", got=f"none in {file.name}", remedy="Export the mesh with its faces"
        )
    if bake:
        graph = bake_level(
            corners[triangles],
            cell_size=cell_size,
            agent_radius=agent_radius,
            agent_height=agent_height,
            step_height=climb,
            max_slope=max_slope,
            min_area=min_area,
            name=file.name,
        )
        graph.max_height = (
            graph.max_height
            if max_height is None
            else checks.not_negative("max_height", max_height)
        )
        return graph
    extent = float(np.ptp(corners, axis=0).max())
    tolerance = extent * 1e-5 if weld is None else checks.not_negative("weld", weld)
    walkable = triangles[is_walkable(corners[triangles], max_slope)]
    used, numbers = np.unique(walkable, return_inverse=True)
    corners, walkable = join(corners[used], numbers.reshape(-1, 3), tolerance)
    if not len(walkable):
        raise BadMapFile(
            "A level has ground that one can stand on",
            got=f"no triangle up to {max_slope:g} degrees in {file.name}",
            remedy=f'Try up="{"z" if up == "y" else "y"}", or a larger max_slope',
        )
    mesh = Mesh(corners, walkable)
    pairs, lengths = mesh.neighbors()
    if climb > 0:
        more, far = steps_between(mesh, climb, tolerance)
        pairs, lengths = np.concatenate([pairs, more]), np.concatenate([lengths, far])
    return built(
        file.name,
        "level",
        mesh.centers,
        pairs,
        lengths,
        mesh=mesh,
        max_height=max_height,
        y_up=True,
    )


def triangles_of(file: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The corners (C, 3) and triangles (T, 3) of a `.obj` or `.glb` file as they stand there;
    polygons are cut.
    """
    raw = read_bytes(
        file, _MAX_BYTES, "Leave out what nobody walks on, or cut the level into several"
    )
    corners, triangles = (
        _glb(raw, file.name) if file.suffix.lower() == ".glb" else _obj(raw, file.name)
    )
    if np.abs(corners).max(initial=0) > _FARTHEST or not np.isfinite(corners).all():
        raise BadMapFile(
            "Corners are finite and at most 1e9 in size",
            got=f"others in {file.name}",
            remedy="Export it in other units",
        )
    return corners, triangles


def _obj(raw: bytes, name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    corners: list[list[bytes]] = []
    triangles: list[tuple[int, int, int]] = []
    wide: list[tuple[int, list[int]]] = []
    for number, line in enumerate(
        raw.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").splitlines(), start=1
    ):
        words = line.split()
        if not words or words[0] not in (b"v", b"f"):
            continue
        if words[0] == b"v":
            if not 4 <= len(words) <= 8 or len(corners) >= _MAX_CORNERS:
                raise _bad(
                    "A corner of an OBJ has three coordinates, and there are at most"
                    f" {_MAX_CORNERS:,}",
                    line,
                    number,
                    name,
                )
            corners.append(words[1:4])
            continue
        ring = []
        for word in words[1:]:
            found = _FACE.match(word)
            index = int(found.group()) if found else 0
            if (
                found is None
                or word[found.end() : found.end() + 1] not in (b"", b"/")
                or index == 0
            ):
                raise _bad("A face of an OBJ has numbers of corners, from 1 on", word, number, name)
            index = index - 1 if index > 0 else len(corners) + index
            if not 0 <= index < len(corners):
                raise _bad(
                    f"A face of an OBJ has corners that stand before it, here {len(corners):,}",
                    word,
                    number,
                    name,
                )
            ring.append(index)
        if len(ring) < 3 or len(triangles) + len(ring) > _MAX_FACES:
            raise _bad(
                f"A face of an OBJ has three corners or more, and there are at most {_MAX_FACES:,}",
                line,
                number,
                name,
            )
        if len(ring) > 3:
            wide.append((len(triangles), ring))
        triangles += [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
    try:
        places = np.array(corners, dtype="S64").reshape(-1, 3).astype(np.float64)
    except ValueError as error:
        raise BadMapFile(
            "The coordinates of an OBJ are numbers",
            got=f"{error} in {name}"[:200],
            remedy="Export it again",
        ) from None
    return places, _cut(places, np.array(triangles, dtype=np.int64).reshape(-1, 3), wide, name)


def _cut(
    places: NDArray[np.float64],
    triangles: NDArray[np.int64],
    wide: list[tuple[int, list[int]]],
    name: str,
) -> NDArray[np.int64]:
    """The triangles, with others in place of the fans of faces that a fan would reach out of:
    (first of its triangles, its corners).
    """
    starts = np.zeros(len(wide) + 1, dtype=np.int64)
    np.cumsum([len(ring) for _, ring in wide], out=starts[1:])
    if not wide or not (np.abs(places) <= _FARTHEST).all():  # what is farther off is refused later
        return triangles
    inwards = (
        ears.turns(places, np.array([corner for _, ring in wide for corner in ring]), starts) < 0
    )
    count = np.add.reduceat(inwards.astype(np.int64), starts[:-1])
    if (np.diff(starts)[count > 1] ** 2).sum() > ears.MOST_WORK:
        raise BadMapFile(
            "The faces of an OBJ are simple enough to cut into triangles",
            got=(
                f"{np.count_nonzero(count > 1):,} with several corners that point inwards in {name}"
            ),
            remedy="Triangulate the mesh before you export it",
        )
    for index in np.flatnonzero(count).tolist():
        first, ring = wide[index]
        if count[index] == 1:  # from this corner one sees all others
            turn = int(np.flatnonzero(inwards[starts[index] : starts[index + 1]])[0])
            ring = ring[turn:] + ring[:turn]
            made = [(0, k, k + 1) for k in range(1, len(ring) - 1)]
        else:
            made = ears.cut(places[ring])
        triangles[first : first + len(made)] = np.array(ring)[np.array(made)]
    return triangles


def _bad(rule: str, got: bytes, line: int, name: str) -> BadMapFile:
    return BadMapFile(rule, got=f"{got[:60]!r} in line {line} of {name}", remedy="Export it again")


def _glb(raw: bytes, name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    plain = glb.stripped(raw, name)
    try:
        import trimesh
    except ImportError:
        raise MissingLibrary("trimesh", "maps", "Loading a GLB file") from None
    try:
        mesh: Any = trimesh.load_scene(
            io.BytesIO(plain), file_type="glb", process=False
        ).to_geometry()
        corners = np.asarray(mesh.vertices, dtype=np.float64).reshape(-1, 3)
        triangles = np.asarray(mesh.faces, dtype=np.int64).reshape(-1, 3)
        if triangles.min(initial=0) < 0 or triangles.max(initial=-1) >= len(corners):
            raise ValueError(f"a face with corner {int(triangles.max())} of {len(corners):,}")
        return corners, triangles
    except Exception as error:  # a decoder of foreign bytes raises whatever it stumbles over
        raise BadMapFile(
            "A GLB is a whole glTF 2.0 binary file",
            got=f"{name}: {error}"[:200],
            remedy="Export it again",
        ) from None
