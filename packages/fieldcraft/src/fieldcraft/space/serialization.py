"""Spaces taken apart into plain data and arrays, and put together again: all that a save has to
know of them.
"""

from __future__ import annotations

import copyreg
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.graph import Graph
from fieldcraft.space.grid import MAX_CELLS, Grid
from fieldcraft.space.hex_grid import HexGrid
from fieldcraft.space.mesh import Mesh
from fieldcraft.space.neighborhood import Terrain
from fieldcraft.space.protocol import Space

__all__ = ["ARRAYS", "NAMES", "from_parts", "to_parts", "with_more_walls"]

ARRAYS = frozenset(
    [
        "walls",
        "classes",
        "enter",
        "positions",
        "edges",
        "lengths",
        "closed",
        "corners",
        "starts",
        "rings",
        "hides",
    ],
)
"""The names under which arrays stand, however deep."""


def to_parts(space: Space) -> tuple[str, dict[str, Any]]:
    """The name of the kind of space, and its parts: None, numbers, strings, tuples, arrays and
    dicts of these.
    """
    name = NAMES[type(space)]
    parts = _KINDS[name][1](space)
    hides = space.graph.hides if isinstance(space, HexGrid) else space.hides
    return name, parts if hides is None else parts | {"hides": hides}


def from_parts(kind: str, parts: dict[str, Any]) -> Space:
    """The space of that kind with these parts.

    Raises
    ------
    ValueError
        If it fails.
    TypeError
        `LookupError` or a.
    FieldcraftError
        If they are none.
    """
    made: Space = _KINDS[kind][2](parts)
    if "hides" in parts:
        (made.graph if isinstance(made, HexGrid) else made).hides = _checked(parts["hides"], made)
    return made


def _checked(hides: NDArray[np.uint8], space: Space) -> NDArray[np.uint8]:
    if hides.dtype != np.uint8 or hides.shape != (len(space),):
        raise ValueError(f"opacity of {hides.dtype} and shape {hides.shape}")
    return hides


def with_more_walls(grid: Grid, walls: NDArray[np.bool_]) -> Grid:
    """Return the same grid, its terrain too, with walls that hold its own."""
    return _grid_together(_grid_apart(grid) | {"walls": np.packbits(walls)})


def _grid_apart(grid: Grid) -> dict[str, Any]:
    grid.walls_version  # noqa: B018 - takes over what has changed in a finer grid
    terrain = grid.terrain
    parts = {
        "width": grid.width,
        "height": grid.height,
        "cell_size": grid.cell_size,
        "origin": grid.origin,
        "y_up": grid.y_up,
        "wrap": grid.wrap,
        "neighbors": tuple(grid.world_steps),
        "walls": np.packbits(grid.walls),
        "terrain": None
        if terrain is None
        else {"classes": terrain.classes, "enter": terrain.enter, "names": tuple(terrain.names)},
    }
    return parts if grid.corners == "never" else parts | {"cut": grid.corners}


def _grid_together(parts: dict[str, Any]) -> Grid:
    width, height = (_side(parts[name]) for name in ("width", "height"))
    walls = _bits(parts["walls"], width, height)
    ground = parts["terrain"]
    terrain = (
        None if ground is None else Terrain(ground["classes"], ground["enter"], ground["names"])
    )
    options = {name: parts[name] for name in ("cell_size", "y_up", "wrap", "neighbors")}
    if "cut" in parts:
        options["corners"] = parts["cut"]
    return Grid(
        width, height, walls=walls, terrain=terrain, origin=tuple(parts["origin"]), **options
    )


def _graph_apart(graph: Graph) -> dict[str, Any]:
    mesh = graph.mesh
    parts = {
        "walls": graph.walls,
        "closed": graph.closed,
        "positions": graph.positions,
        "edges": graph.edges,
        "lengths": graph.lengths,
        "directed": graph.directed,
        "max_height": graph.max_height,
        "y_up": graph.y_up,
        "labels": None if graph.labels is None else tuple(graph.labels),
        "mesh": None
        if mesh is None
        else {"corners": mesh.corners, "starts": mesh.starts, "rings": mesh.rings},
    }
    return parts if graph.sight_grid is None else parts | {"squares": _grid_apart(graph.sight_grid)}


def _graph_together(parts: dict[str, Any]) -> Graph:
    blocked, closed = parts["walls"], parts["closed"]
    if blocked.dtype != np.bool_ or closed.dtype != np.bool_:
        raise ValueError(f"blocked vertices of {blocked.dtype} and closed edges of {closed.dtype}")
    mesh = None
    if parts["mesh"] is not None:
        starts = parts["mesh"]["starts"]
        mesh = Mesh(
            parts["mesh"]["corners"],
            np.split(parts["mesh"]["rings"], starts[1:-1]) if len(starts) > 1 else [],
        )
    names = ("positions", "edges", "lengths", "directed", "max_height", "y_up", "labels")
    squares = _grid_together(parts["squares"]) if "squares" in parts else None
    graph = Graph(
        **{name: parts[name] for name in names}, blocked=blocked, mesh=mesh, squares=squares
    )
    graph._close(closed)
    return graph


def _hexes_apart(hexes: HexGrid) -> dict[str, Any]:
    terrain = hexes.terrain
    return {
        "columns": hexes.columns,
        "rows": hexes.rows,
        "orientation": hexes.orientation,
        "size": hexes.size,
        "origin": hexes.origin,
        "y_up": hexes.y_up,
        "wrap": hexes.wrap,
        "walls": np.packbits(hexes.walls),
        "closed": hexes.graph.closed,
        "terrain": None
        if terrain is None
        else {"classes": terrain.classes, "enter": terrain.enter, "names": tuple(terrain.names)},
    }


def _hexes_together(parts: dict[str, Any]) -> HexGrid:
    columns, rows = (_side(parts[name]) for name in ("columns", "rows"))
    walls, closed, ground = _bits(parts["walls"], columns, rows), parts["closed"], parts["terrain"]
    if closed.dtype != np.bool_:
        raise ValueError(f"closed edges of {closed.dtype}")
    terrain = (
        None if ground is None else Terrain(ground["classes"], ground["enter"], ground["names"])
    )
    options = {name: parts[name] for name in ("orientation", "size", "y_up", "wrap")}
    hexes = HexGrid(
        columns, rows, walls=walls, terrain=terrain, origin=tuple(parts["origin"]), **options
    )
    hexes.graph._close(closed)
    return hexes


def _side(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MAX_CELLS:
        raise ValueError(f"{value!r} where a whole number up to {MAX_CELLS} belongs")
    return value


def _bits(bits: NDArray[np.uint8], width: int, height: int) -> NDArray[np.bool_]:
    if bits.size != -(-width * height // 8):
        raise ValueError(f"{bits.size} bytes of walls for {width} x {height} cells")
    return np.unpackbits(bits, count=width * height).reshape(height, width).astype(np.bool_)


_KINDS: dict[str, tuple[type, Any, Any]] = {
    "grid": (Grid, _grid_apart, _grid_together),
    "graph": (Graph, _graph_apart, _graph_together),
    "hexes": (HexGrid, _hexes_apart, _hexes_together),
}
"""A row for each kind of space: its class, how it is taken apart and how it is put together."""

NAMES = {kind: name for name, (kind, _, _) in _KINDS.items()}
"""The name of each kind of space."""


def _reduced(space: Space) -> tuple[Any, ...]:
    return from_parts, to_parts(space), space._history()


for _kind in NAMES:
    copyreg.pickle(_kind, _reduced)
