"""Checked parts of a graph; invalid ones raise `InvalidValue`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.graph.topology import Topology
from fieldcraft.space.mesh.mesh import Mesh

MAX_VERTICES = 2**26
MAX_EDGES = 2**27


def checked_positions(positions: ArrayLike) -> NDArray[np.float64]:
    """Return a copy of the positions of vertices, (N, 2) or (N, 3)."""
    shape = np.shape(checks.array("Positions", positions))
    dimensions = 2
    if len(shape) == 2 and shape[1] == 3:
        dimensions = 3
    if shape and shape[0] > MAX_VERTICES:
        raise InvalidValue(
            f"A graph has at most {MAX_VERTICES:,} vertices",
            got=f"{shape[0]:,}",
            remedy="Divide it into several",
        )
    places, single = checks.positions(positions, dimensions=dimensions)
    if single:
        raise InvalidValue(
            "The positions of a graph are an (N, 2) or (N, 3) array",
            got=f"shape {shape}",
            remedy="Pass [(x, y)] for a graph of one vertex",
        )
    if np.abs(places).max(initial=0) > checks.LARGEST:
        raise InvalidValue(
            f"Positions are at most {checks.LARGEST:g} in size",
            got=f"{np.abs(places).max():g}",
            remedy="Use other units",
        )
    return places.copy()


def checked_edges(edges: ArrayLike, count: int, *, single: bool = False) -> NDArray[np.int64]:
    """Return edges between `count` vertices, (E, 2); with `single` one pair is accepted too."""
    array = checks.array("Edges", edges)
    if array.size == 0 and array.shape in ((0,), (0, 2)):
        return np.zeros((0, 2), dtype=np.int64)
    if single and array.shape == (2,):
        array = array[np.newaxis]
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise InvalidValue(
            "Edges are pairs of vertex numbers",
            got=f"{array.dtype} of shape {array.shape}",
            remedy="Pass whole numbers of shape (E, 2)",
        )
    if len(array) > MAX_EDGES:
        raise InvalidValue(
            f"A graph has at most {MAX_EDGES:,} edges",
            got=f"{len(array):,}",
            remedy="Divide it into several",
        )
    wrong = ((array < 0) | (array >= count)).any(axis=1)
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        rule = "A graph without vertices has no edges"
        if count:
            rule = f"Edges lie between vertices 0 to {count - 1}"
        raise InvalidValue(
            rule,
            got=f"{tuple(array[index].tolist())} at index {index}",
            remedy="Correct that edge, or add the vertex",
        )
    return array.astype(np.int64)


def edge_lengths(
    places: NDArray[np.float64], pairs: NDArray[np.int64], lengths: ArrayLike | None
) -> NDArray[np.float64]:
    """Return the lengths of edges, (E,), by default straight distances; 1 for loops."""
    if lengths is None:
        sizes = np.sqrt(((places[pairs[:, 0]] - places[pairs[:, 1]]) ** 2).sum(axis=1))
    else:
        rule = "lengths are numbers, one per edge"
        sizes = checks.array_of(lengths, (len(pairs),), "iuf", rule, "Pass shape (E,)")
    loops = pairs[:, 0] == pairs[:, 1]
    wrong = ~((sizes > 0) & (sizes <= checks.LARGEST)) & ~loops
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        raise InvalidValue(
            f"Edges have lengths above 0, at most {checks.LARGEST:g}",
            got=f"{sizes[index]:g} at index {index}, for edge {tuple(pairs[index].tolist())}",
            remedy="Join vertices in one place, or pass lengths; block edges that can't be used",
        )
    return np.where(loops, 1.0, sizes)


def checked_mesh(mesh: Mesh | None, topology: Topology) -> Mesh | None:
    """Return the polygons of the vertices, or None."""
    if mesh is not None and (
        not isinstance(mesh, Mesh)
        or len(mesh) != len(topology)
        or mesh.dimensions != topology.positions.shape[1]
    ):
        raise InvalidValue(
            "A mesh has one polygon per vertex, with corners in as many dimensions",
            got=f"{mesh!r} for {len(topology)} vertices",
            remedy="Pass fc.Mesh(corners, polygons), or use fc.Graph.from_polygons",
        )
    return mesh


def checked_labels(labels: Sequence[Hashable], count: int) -> tuple[Hashable, ...]:
    """Return the names of `count` vertices."""
    names = tuple(checks.key("A label", label) for label in checks.sequence("labels", labels))
    if not len(names) == len(set(names)) == count:
        raise InvalidValue(
            "Labels are different values, one per vertex",
            got=f"{len(names)}, {len(set(names))} of them different, for {count} vertices",
            remedy="Name each vertex once",
        )
    return names
