"""The parts of a graph, checked before it is made: positions, edges, lengths, squares. A part that
does not fit raises `InvalidValue`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space.grid import Grid
from fieldcraft.space.mesh import Mesh

__all__ = [
    "MAX_EDGES",
    "MAX_VERTICES",
    "are_cells",
    "check_squares",
    "checked_edges",
    "checked_lengths",
    "checked_positions",
    "flag",
    "straight_lengths",
]

MAX_VERTICES = 2**26
MAX_EDGES = 2**27


def checked_positions(positions: ArrayLike) -> NDArray[np.float64]:
    """Positions of vertices, (N, 2) or (N, 3), a copy."""
    shape = np.shape(checks.array("Positions", positions))
    dimensions = 3 if len(shape) == 2 and shape[1] == 3 else 2
    places, single = checks.positions(positions, dimensions=dimensions)
    if single:
        raise InvalidValue(
            "The positions of a graph are an (N, 2) or (N, 3) array",
            got=f"shape {shape}",
            remedy="Pass [(x, y)] for a graph of one vertex",
        )
    if len(places) > MAX_VERTICES:
        raise InvalidValue(
            f"A graph has at most {MAX_VERTICES:,} vertices",
            got=f"{len(places):,}",
            remedy="Divide it into several",
        )
    if np.abs(places).max(initial=0) > checks.LARGEST:
        raise InvalidValue(
            f"Positions are at most {checks.LARGEST:g} in size",
            got=f"{np.abs(places).max():g}",
            remedy="Use other units",
        )
    return places.copy()


def checked_edges(edges: ArrayLike, count: int, *, single: bool = False) -> NDArray[np.int64]:
    """Edges between so many vertices, (E, 2); with `single` one pair will do."""
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
        raise InvalidValue(
            (
                f"Edges lie between vertices 0 to {count - 1}"
                if count
                else "A graph without vertices has no edges"
            ),
            got=f"{tuple(array[index].tolist())} at index {index}",
            remedy="Mend that edge, or add the vertex",
        )
    return array.astype(np.int64)


def straight_lengths(
    places: NDArray[np.float64], pairs: NDArray[np.int64], loops: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The straight distances between the ends of edges, (E,), above 0 but for loops."""
    sizes = np.sqrt(((places[pairs[:, 0]] - places[pairs[:, 1]]) ** 2).sum(axis=1))
    wrong = (sizes == 0) & ~loops
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        raise InvalidValue(
            "Edges have a length above 0",
            got=(
                f"edge {tuple(pairs[index].tolist())} at index {index} between vertices in one"
                " place"
            ),
            remedy="Join the two vertices, or pass lengths",
        )
    return np.asarray(sizes)


def checked_lengths(
    lengths: ArrayLike, pairs: NDArray[np.int64], loops: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The lengths of edges, (E,); 1 for loops."""
    array = checks.array("Lengths", lengths)
    if array.shape != (len(pairs),) or (array.size and array.dtype.kind not in "iuf"):
        raise InvalidValue(
            "lengths are numbers, one per edge",
            got=f"{array.dtype} of shape {array.shape} for {len(pairs)} edges",
            remedy="Pass shape (E,)",
        )
    sizes = array.astype(np.float64)
    wrong = ~((sizes > 0) & (sizes <= checks.LARGEST)) & ~loops
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        raise InvalidValue(
            f"Lengths are above 0 and at most {checks.LARGEST:g}",
            got=f"{sizes[index]} at index {index}, for edge {tuple(pairs[index].tolist())}",
            remedy="Leave out an edge that can't be used, or block it",
        )
    return np.where(loops, 1.0, sizes)


def are_cells(squares: object, places: ArrayLike) -> bool:
    """Whether something is a grid whose cells lie in these places, in their order."""
    return isinstance(squares, Grid) and np.array_equal(
        squares.position_of(np.arange(len(squares))), places
    )


def check_squares(squares: object, places: NDArray[np.float64], mesh: Mesh | None) -> None:
    """Refuse squares that the vertices are not."""
    if not are_cells(squares, places) or mesh is not None:
        raise InvalidValue(
            "squares are a grid whose cells the vertices are, in their order, where there is no"
            " mesh",
            got=f"{squares!r} for {len(places)} vertices{'' if mesh is None else ' and a mesh'}"[
                :160
            ],
            remedy="Pass grid.position_of(range(len(grid))) as positions, or use grid.to_graph()",
        )


def flag(blocked: object) -> bool:
    """Whether to block or to open."""
    if not isinstance(blocked, (bool, np.bool_)):
        raise InvalidValue(
            "blocked is True or False",
            got=repr(blocked),
            remedy="Call it once to block and once to open",
        )
    return bool(blocked)
