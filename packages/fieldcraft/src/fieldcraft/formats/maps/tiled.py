"""Maps of the Tiled editor, `.tmx` and `.tmj` or `.json`."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Sequence, Set
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadMapFile, InvalidValue, UnknownName
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.outlines import Outline, blocked_cells, ellipse, rectangle
from fieldcraft.formats.maps.reading import Listed, map_file, objects_by_name, parsing
from fieldcraft.formats.maps.tiled_file import (
    KIND,
    MAX_TILES,
    Json,
    Layer,
    Level,
    flag,
    number,
    properties,
    tile_ids,
)
from fieldcraft.kernels.shared.arrays import Floats
from fieldcraft.space import Grid

__all__ = ["WALL_LAYERS", "WALL_PROPERTIES", "load_tiled"]

# In order of preference: words made for collisions come before those that may also name a layer of
# pictures.
WALL_LAYERS = (
    ("collisions", "collision", "collides", "collide", "colliders", "collider"),
    ("solids", "solid", "blocked", "blocking"),
    ("walls", "wall"),
    ("obstacles", "obstacle"),
)
WALL_PROPERTIES = ("collides", "collidable", "solid", "blocked", "wall")

_log = logging.getLogger(__name__)


def load_tiled(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 4,
    mobility: Mobility = "ground",
    wall_layers: str | Sequence[str] | None = None,
    wall_properties: str | Sequence[str] = WALL_PROPERTIES,
    wall_objects: str | Sequence[str] = (),
) -> Grid:
    """Return the grid of an orthogonal Tiled map: one cell per tile, in the map's pixels, y
    downwards.

    `cell_size` is the width of a tile. `origin` is (0, 0); on an infinite map it is the corner of
    the leftmost and topmost chunk where its layer's offset moves it, in pixels, so that positions
    are equal to coordinates in Tiled. An infinite map covers all its chunks.

    Three things make walls, together:

    1. A wall layer: every tile and every shape on it. A layer is a wall layer if its name, or the
       name of a group around it, is in `wall_layers`, hidden or not; or if it has one of the
       `wall_properties` and is not hidden.
    2. A tile that has one of the `wall_properties` in its tileset, on any tile layer that is not
       hidden.
    3. An object that has one of the `wall_properties`, or whose name or class is in `wall_objects`,
       on any layer, if neither it nor the layer is hidden.

    Shapes are rectangles, ellipses, polygons, polylines and pictures (by their rectangle, aligned
    as their tileset says); points and texts block nothing. A cell is a wall if its center is in the
    shape. A shape too thin to contain a center still blocks steps: where it crosses the line
    between the centers of two neighbors, the cell that contains the middle of the crossing is a
    wall. The offsets of a layer and of its groups move its shapes and its tiles. A moved tile
    blocks the cell whose center it covers. Tiles moved off a finite map, and shapes off any map,
    are dropped.

    `objects` of the grid are the map's objects by name, or by class where they have none: the
    centers of their shapes, and their properties.

    If nothing makes walls, the whole map is open, and a warning on the logger
    `fieldcraft.formats.maps.tiled` says so, unless `wall_layers=()` says that this is intended.

    Parameters
    ----------
    path : path_like
        A map of Tiled 1.0 or later, finite or infinite, in any layer format. Tilesets and templates
        that it names are read too, pictures are not.
    neighbors : int or array_like, optional
        As for `Grid`.
    mobility : {"ground", "air"}
        With "air" there are no walls.
    wall_layers : str or list of str, optional
        Names of layers, upper or lower case; each must be on the map. By default the first of these
        groups that is on the map: collision(s), collide(s), collider(s); solid(s), blocked,
        blocking; wall(s); obstacle(s).
    wall_properties : str or list of str, optional
        Names of custom properties that make walls where they are true (or not 0).
    wall_objects : str or list of str, optional
        Names or classes of objects.

    Raises
    ------
    BadMapFile
        For a damaged map, one that is not orthogonal or has tiles that are not square, and beyond
        2**24 cells, a million tags and attributes, 64 MB of XML or 32 MB of JSON.
    UnknownName
        For a layer that is not on the map.
    MissingLibrary
        For a layer compressed by zstd without the library zstandard.
    """
    file = map_file(path, mobility, ("ground", "air"))
    named = checks.optional(_names)("wall_layers", wall_layers)
    flags = _names("wall_properties", wall_properties).keys()
    wanted = _names("wall_objects", wall_objects).keys()
    with parsing(file.name, KIND):
        level = Level(file)
        frame = _frame(level, file.name)
        chosen = _wall_layers(level.layers, named)
        is_wall = [
            not chosen.isdisjoint(map(_key, layer.names))
            or (layer.visible and _makes_walls(layer.entries, flags))
            for layer in level.layers
        ]
        walls = _tile_walls(level, frame, is_wall, flags)
        outlines, objects = _shapes(level, frame, is_wall, flags, wanted)
        if outlines:
            walls |= blocked_cells(walls.shape, outlines)
    if not walls.any() and named != {}:
        listed = ", ".join(repr(layer.names[-1]) for layer in level.layers[:12]) or "none"
        _log.warning(
            "Nothing in %s makes walls, so all %d cells are open. Its layers: %s. "
            "Pass wall_layers=('name', ...), or wall_layers=() if that is intended.",
            file.name,
            walls.size,
            listed,
        )
    grid = Grid(
        cell_size=frame.tile,
        origin=frame.origin,
        walls=walls & (mobility == "ground"),
        neighbors=neighbors,
    )
    grid.objects = objects_by_name(objects)
    return grid


class _Frame(NamedTuple):
    """The tiles that a map covers, (height, width) of them, and their size in pixels."""

    left: int
    top: int
    shape: tuple[int, int]
    tile: int

    @property
    def origin(self) -> tuple[float, float]:
        return float(self.left * self.tile), float(self.top * self.tile)


def _frame(level: Level, name: str) -> _Frame:
    """Return the frame of a map; refuse maps that are too large or not orthogonal."""
    width = int(level.entries["width"])
    height = int(level.entries["height"])
    tile = int(level.entries["tilewidth"])
    tile_height = int(level.entries["tileheight"])
    orientation = level.entries.get("orientation", "orthogonal")
    if orientation != "orthogonal" or tile != tile_height:
        raise BadMapFile(
            "Only orthogonal Tiled maps of square tiles are read",
            got=f"{orientation!r:.40} and tiles of {tile} x {tile_height} pixels in {name}",
            remedy="Change it in Tiled, or export the walls as a picture",
        )
    if tile < 1:
        raise ValueError("a map, a layer or a tile without size")
    chunks = list[Json]()
    moved = list[tuple[int, int]]()
    for layer in level.layers:
        right, down = _cells_moved(layer, tile)
        for chunk in level.chunks(layer):
            chunks.append(chunk)
            moved.append((chunk["x"] + right, chunk["y"] + down))
    left = 0
    top = 0
    if level.is_infinite and chunks:
        left = min(x for x, _ in moved)
        top = min(y for _, y in moved)
        ends = list(zip(moved, chunks, strict=True))
        width = max(x + chunk["width"] for (x, _), chunk in ends) - left
        height = max(y + chunk["height"] for (_, y), chunk in ends) - top
    tiles = sum(chunk["width"] * chunk["height"] for chunk in chunks)
    if width * height > MAX_TILES or tiles > 4 * MAX_TILES:
        raise BadMapFile(
            f"A Tiled map has at most {MAX_TILES:,} cells, and 4 times as many tiles on all layers",
            got=f"{width} x {height} cells and {tiles:,} tiles in {name}",
            remedy="Cut it into several maps",
        )
    sides = [(width, height), *((chunk["width"], chunk["height"]) for chunk in chunks)]
    if min(min(each) for each in sides) < 1:
        raise ValueError("a map, a layer or a tile without size")
    if not level.is_infinite and any(side != (width, height) for side in sides):
        raise ValueError(f"layers of another size than the map, {width} x {height}")
    return _Frame(left, top, (height, width), tile)


def _cells_moved(layer: Layer, tile: int) -> tuple[int, int]:
    """Return by how many columns and rows the offset of a layer moves its tiles.

    A moved tile blocks the cell whose center it covers, as the same square among the shapes does.
    """
    right, down = layer.offset
    return math.ceil(right / tile - 0.5), math.ceil(down / tile - 0.5)


def _wall_layers(layers: Sequence[Layer], named: dict[str, str] | None) -> frozenset[str]:
    """Return the keys of the layers and groups that are walls by name."""
    present = {_key(name) for layer in layers for name in layer.names}
    if named is None:
        for group in WALL_LAYERS:
            if not present.isdisjoint(group):
                return frozenset(group)
        return frozenset()
    for key, name in named.items():
        if key not in present:
            raise UnknownName("layer", name, [layer.names[-1] for layer in layers])
    return frozenset(named)


def _makes_walls(owner: Json, flags: Set[str]) -> bool:
    """Return whether one of some properties is true."""
    return any(_is_true(value) for name, value in properties(owner).items() if _key(name) in flags)


def _is_true(value: str | float) -> bool:
    """Return whether a property is true; older versions of Tiled wrote texts."""
    if isinstance(value, str):
        return value.strip().casefold() in ("true", "yes", "1")
    return bool(value)


def _flagged_tiles(level: Level, flags: Set[str]) -> NDArray[np.uint32]:
    """Return the global ids of the tiles that a property makes walls; an id belongs to the last
    tileset that begins before it.
    """
    tilesets = sorted(level.tilesets(), key=lambda tileset: tileset[0])
    ends = [*(first for first, _ in tilesets[1:]), 2**28]
    found = [
        first + int(tile["id"])
        for (first, tiles), end in zip(tilesets, ends, strict=False)
        for tile in tiles
        if 0 <= int(tile["id"]) < end - first and _makes_walls(tile, flags)
    ]
    return np.array(found, dtype=np.uint32)


def _tile_walls(
    level: Level, frame: _Frame, is_wall: Sequence[bool], flags: Set[str]
) -> NDArray[np.bool_]:
    """Return the walls that tiles make. The tiles of all layers are decoded, and so checked."""
    height, width = frame.shape
    walls = np.zeros(frame.shape, dtype=np.bool_)
    flagged = _flagged_tiles(level, flags)
    for layer, all_tiles in zip(level.layers, is_wall, strict=True):
        right, down = _cells_moved(layer, frame.tile)
        for chunk in level.chunks(layer):
            ids = tile_ids(layer, chunk)
            # Rows and columns off the map are cut from the tiles and from the walls.
            row = chunk["y"] - frame.top + down
            column = chunk["x"] - frame.left + right
            ids = ids[max(-row, 0) : max(height - row, 0), max(-column, 0) : max(width - column, 0)]
            target = walls[max(row, 0) :, max(column, 0) :][: len(ids), : ids.shape[1]]
            if all_tiles:
                target |= ids != 0
            elif layer.visible and len(flagged):
                target |= np.isin(ids, flagged)
    return walls


def _shapes(
    level: Level, frame: _Frame, is_wall: Sequence[bool], flags: Set[str], wanted: Set[str]
) -> tuple[list[Outline], list[Listed]]:
    """Return the outlines, in cells, of objects that are walls, and all objects."""
    outlines = list[Outline]()
    objects = list[Listed]()
    for layer, all_objects in zip(level.layers, is_wall, strict=True):
        for item in level.objects(layer):
            name = str(item.get("name") or "")
            kind = _class_of(item)
            shape = _shape(item, layer.offset, frame.tile)
            objects.append((name or kind, shape.center, properties(item)))
            is_visible = layer.visible and flag(item.get("visible", 1))
            is_marked = {_key(name), _key(kind)} & wanted or _makes_walls(item, flags)
            if all_objects or (is_visible and is_marked):
                corner = np.subtract(shape.place, frame.origin)
                points = (shape.points + corner) / frame.tile
                outlines.append((points, not item.get("polyline")))
    return outlines, objects


class _Shape(NamedTuple):
    """The shape of an object: its place in pixels, its outline from there, and its center."""

    place: tuple[float, float]
    points: Floats
    center: tuple[float, float]


def _shape(item: Json, offset: tuple[float, float], tile: int) -> _Shape:
    """Return the shape of an object of a layer with an offset."""
    x = number(item.get("x", 0)) + offset[0]
    y = number(item.get("y", 0)) + offset[1]
    points = _outline(item, tile)
    angle = math.radians(number(item.get("rotation", 0)))
    cos = math.cos(angle)
    sin = math.sin(angle)
    if len(points):
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
    else:
        middle = np.zeros(2)
    center = (
        x + (middle[0] * cos - middle[1] * sin).item(),
        y + (middle[0] * sin + middle[1] * cos).item(),
    )
    if angle:
        points = points @ np.array([[cos, sin], [-sin, cos]])
    return _Shape((x, y), points, center)


def _outline(item: Json, tile: int) -> Floats:
    """Return the outline of an object before it is turned, from its (x, y); points and texts have
    none.
    """
    width = number(item.get("width", 0))
    height = number(item.get("height", 0))
    if "anchor" in item:  # a picture
        wide = width or tile
        high = height or tile
        right, down = item["anchor"]
        return rectangle(-right * wide, -down * high, wide, high)
    given: Any = item.get("polygon") or item.get("polyline")
    if given:
        if isinstance(given, str):  # of XML: "0,0 16,0 16,16"
            pairs: list[Sequence[Any]] = [pair.split(",") for pair in given.split()]
        else:
            pairs = [(pair["x"], pair["y"]) for pair in given]
        return np.array([(number(x), number(y)) for x, y in pairs])
    if not (width or height) or item.get("point") or item.get("text"):
        return np.empty((0, 2))
    if item.get("ellipse"):
        return ellipse(width, height, cell=tile)
    return rectangle(0, 0, width, height)


def _class_of(item: Json) -> str:
    """Return the class of an object, which versions of Tiled before 1.9 call its type."""
    found = item.get("class")
    if found is None:
        found = item.get("type")
    return str(found or "")


def _names(option: str, value: object) -> dict[str, str]:
    """Return names by key; one str counts as one name."""
    if isinstance(value, str):
        names: object = [value]
    else:
        names = value
    if not isinstance(names, Sequence | Set) or not all(isinstance(name, str) for name in names):
        raise InvalidValue(
            f"{option} is a list of names",
            got=f"{option}={value!r}",
            remedy='Pass ("walls", "doors"), say',
        )
    return {_key(name): str(name) for name in names}


def _key(name: object) -> str:
    """Return a name in lower case, by which names are compared."""
    return str(name).strip().casefold()
