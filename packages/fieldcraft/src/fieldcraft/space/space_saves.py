"""Spaces as plain data and arrays, as saves and pickles keep them."""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.grid.grid import MAX_CELLS, Grid
from fieldcraft.space.grid.neighborhood import Terrain
from fieldcraft.space.hexagons.hex_grid import HexGrid
from fieldcraft.space.mesh.mesh import Mesh
from fieldcraft.space.space import Space

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
"""The names of the parts that are arrays, at any depth."""

NAMES: dict[type, str] = {Grid: "grid", Graph: "graph", HexGrid: "hexes"}
"""The name of each kind of space."""

_GRAPH = ("positions", "edges", "lengths", "directed", "max_height", "y_up", "labels")
_HEXES = ("columns", "rows", "orientation", "size", "origin", "y_up", "wrap")

Keys: TypeAlias = "Mapping[str, Keys | None]"
"""Known keys of a dict, each with the known keys of the dicts within, or None for any."""

_TERRAIN: Keys = dict.fromkeys(("classes", "enter", "names"))
_GRID: Keys = {
    **dict.fromkeys(("width", "height", "cell_size", "origin", "y_up", "wrap", "neighbors", "cut")),
    "walls": None,
    "terrain": _TERRAIN,
}
KEYS: dict[str, Keys] = {
    "grid": _GRID,
    "hexes": {
        **dict.fromkeys((*_HEXES, "closed", "walls")),
        "terrain": _TERRAIN,
    },
    "graph": {
        **dict.fromkeys((*_GRAPH, "walls", "closed")),
        "mesh": dict.fromkeys(("corners", "starts", "rings")),
        "squares": _GRID,
    },
}
"""The keys of the parts of each kind of space, and `hides`, the opacity of cells, of all."""
KEYS = {kind: {**keys, "hides": None} for kind, keys in KEYS.items()}


def state_of(space: Space) -> tuple[str, dict[str, Any]]:
    """Return the name of the kind of space, and its parts: None, numbers, strings, tuples, arrays
    and dicts of these.
    """
    if isinstance(space, Grid):
        parts = _grid_parts(space)
    elif isinstance(space, HexGrid):
        parts = {name: getattr(space, name) for name in _HEXES}
        parts |= {"closed": space.graph.blocked_arcs, **_ground_parts(space)}
    else:
        assert isinstance(space, Graph)
        parts = _graph_parts(space)
    codes = _with_opacity(space).opacity_codes
    if codes is not None:
        parts |= {"hides": codes}
    return NAMES[type(space)], parts


def restored(kind: str, parts: dict[str, Any]) -> Space:
    """Return the space of that kind with these parts.

    Raises
    ------
    ValueError, TypeError, LookupError, FieldcraftError
        If the parts are not those of such a space.
    """
    space: Space = {"grid": _grid, "graph": _graph, "hexes": _hexes}[kind](parts)
    if "hides" in parts:
        codes = _array(parts["hides"], np.uint8)
        if codes.shape != (len(space),):
            raise ValueError(f"opacity of shape {codes.shape}")
        _with_opacity(space).opacity_codes = codes
    return space


def _with_opacity(space: Space) -> Space:
    """Return the space that has the opacity of cells: of hexagons their graph."""
    if isinstance(space, HexGrid):
        return space.graph
    return space


def with_more_walls(grid: Grid, walls: NDArray[np.bool_]) -> Grid:
    """Return the same grid, its terrain too, with walls that hold its own."""
    return _grid(_grid_parts(grid) | {"walls": np.packbits(walls)})


def _ground_parts(space: Grid | HexGrid) -> dict[str, Any]:
    terrain = space.terrain
    ground = None
    if terrain is not None:
        ground = {"classes": terrain.classes, "enter": terrain.enter, "names": terrain.names}
    return {"walls": np.packbits(space.walls), "terrain": ground}


def _ground(parts: dict[str, Any], width: Any, height: Any) -> dict[str, Any]:
    """Return the walls and terrain of a grid of a size as arguments."""
    for side in (width, height):
        if type(side) is not int or not 0 <= side <= MAX_CELLS:
            raise ValueError(f"{side!r} where a whole number up to {MAX_CELLS} belongs")
    bits = parts["walls"]
    ground = parts["terrain"]
    if bits.size != -(-width * height // 8):
        raise ValueError(f"{bits.size} bytes of walls for {width} x {height} cells")
    walls = np.unpackbits(bits, count=width * height).reshape(height, width).astype(np.bool_)
    if ground is not None:
        ground = Terrain(ground["classes"], ground["enter"], ground["names"])
    return {"walls": walls, "terrain": ground}


def _grid_parts(grid: Grid) -> dict[str, Any]:
    names = ("width", "height", "cell_size", "origin", "y_up", "wrap")
    parts = {name: getattr(grid, name) for name in names}
    parts |= {"neighbors": tuple(grid.world_steps), **_ground_parts(grid)}
    if grid.corners == "never":
        return parts
    return parts | {"cut": grid.corners}


def _grid(parts: dict[str, Any]) -> Grid:
    width = parts["width"]
    height = parts["height"]
    names = ("cell_size", "origin", "y_up", "wrap", "neighbors")
    options = {name: parts[name] for name in names} | {"corners": parts.get("cut", "never")}
    return Grid(width, height, **_ground(parts, width, height), **options)


def _graph_parts(graph: Graph) -> dict[str, Any]:
    mesh = graph.mesh
    grid = graph.sight_grid
    parts = {name: getattr(graph, name) for name in _GRAPH}
    parts |= {"walls": graph.walls, "closed": graph.blocked_arcs}
    polygons = None
    if mesh is not None:
        polygons = {"corners": mesh.corners, "starts": mesh.starts, "rings": mesh.rings}
    parts["mesh"] = polygons
    if grid is None:
        return parts
    return parts | {"squares": _grid_parts(grid)}


def _graph(parts: dict[str, Any]) -> Graph:
    mesh = None
    squares = None
    if parts["mesh"] is not None:
        corners, starts, rings = (parts["mesh"][name] for name in ("corners", "starts", "rings"))
        if 3 * (len(starts) - 1) > len(rings):
            raise ValueError(f"{len(starts) - 1} polygons of {len(rings)} corners in all")
        polygons = []
        if len(starts) > 1:
            polygons = np.split(rings, starts[1:-1])
        mesh = Mesh(corners, polygons)
    if "squares" in parts:
        squares = _grid(parts["squares"])
    options = {name: parts[name] for name in _GRAPH}
    walls = _array(parts["walls"], np.bool_)
    graph = Graph(**options, blocked=walls, mesh=mesh, squares=squares)
    graph._block_arcs(_array(parts["closed"], np.bool_))
    return graph


def _hexes(parts: dict[str, Any]) -> HexGrid:
    options = {name: parts[name] for name in _HEXES}
    hexes = HexGrid(**options, **_ground(parts, parts["columns"], parts["rows"]))
    hexes.graph._block_arcs(_array(parts["closed"], np.bool_))
    return hexes


def _array(array: NDArray[Any], dtype: type) -> NDArray[Any]:
    if array.dtype != dtype:
        raise ValueError(f"{array.dtype} in place of {np.dtype(dtype)}")
    return array


def _reduced(space: Space) -> tuple[Any, ...]:
    return restored, state_of(space), space._history()


for _kind in NAMES:
    copyreg.pickle(_kind, _reduced)
