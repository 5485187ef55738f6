"""Maps of the Tiled editor, `.tmx` and `.tmj` or `.json`."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.errors import BadMapFile, InvalidValue, UnknownName
from fieldcraft.maps.objects import objects_by_name
from fieldcraft.maps.reading import map_file
from fieldcraft.maps.shapes import Points, ShapePainter, ellipse, rectangle
from fieldcraft.maps.tiled_reader import MAX_TILES, read_tiled
from fieldcraft.maps.tiled_records import TiledLayer, TiledMap, TiledObject, TiledTileset, tile_ids
from fieldcraft.space.grid import Grid

__all__ = ["MOBILITIES", "WALL_LAYERS", "WALL_PROPERTIES", "load_tiled"]

MOBILITIES = ("ground", "air")
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
    mobility: str = "ground",
    wall_layers: str | Sequence[str] | None = None,
    wall_properties: str | Sequence[str] = WALL_PROPERTIES,
    wall_objects: str | Sequence[str] = (),
) -> Grid:
    """The grid of an orthogonal Tiled map: one cell per tile, in the map's pixels, y downwards.

    `cell_size` is the width of a tile. `origin` is (0, 0); on an infinite map it is the corner of
    the leftmost and topmost chunk, in pixels, so that positions are those that Tiled shows.

    Three things make walls, and they add up:

    1. A wall layer: every tile and every shape on it. A layer is one if its name, or that of a
    group around it, is in
       `wall_layers`, hidden or not; or if it has one of the `wall_properties` and is not hidden.
    2. A tile that has one of the `wall_properties` in its tileset, on any tile layer that is not
    hidden.
    3. An object that has one of the `wall_properties`, or whose name or class is in `wall_objects`,
    on any layer, if neither it
       nor the layer is hidden.

    Shapes are rectangles, ellipses, polygons, polylines and pictures (by their rectangle); points
    and texts block nothing. A cell is a wall if its center lies in the shape. A shape too thin to
    hold a center still lets nothing through: where it crosses the line between the centers of two
    neighbours, the one that holds the middle of the crossing is a wall. A layer's offset moves its
    shapes, and its tiles by the nearest whole number of cells; what leaves the map thereby is gone.

    `objects` of the grid are the map's objects by name, or by class where they have none: the
    centers of their shapes, and their properties.

    If nothing makes walls, the whole map is open, and a warning on the logger
    `fieldcraft.maps.tiled` says so, unless `wall_layers=()` says that this is meant.

    - `mobility`: "ground" (walls as above) or "air" (no walls).
    - `wall_layers`: names of layers, upper or lower case; each must be on the map. If not given,
      the first of these groups that is
      on the map: collision(s), collide(s), collider(s); solid(s), blocked, blocking; wall(s);
      obstacle(s).
    - `wall_properties`: names of custom properties that make walls where they are true (or not 0).
    - `wall_objects`: names or classes of objects.

    Maps of Tiled 1.0 and later are read, finite or infinite, in every layer format, with the
    tilesets and templates that they name; pictures are never opened. Raises `BadMapFile` for a
    damaged map, one that is not orthogonal or has tiles that are not square, and beyond 2**24
    cells, 500,000 tags and points, 64 MB of XML or 16 MB of JSON; `UnknownName` for a layer that is
    not there; `MissingLibrary` for a layer compressed by zstd without that library.
    """
    file = map_file(path, mobility, MOBILITIES)
    named = None if wall_layers is None else _names("wall_layers", wall_layers)
    flags = frozenset(_names("wall_properties", wall_properties))
    objects = frozenset(_names("wall_objects", wall_objects))
    tiled = read_tiled(file)
    frame = _Frame.of(file, tiled)
    chosen = _wall_layers(tiled.layers, named)
    flagged = _flagged_tiles(tiled.tilesets, flags)
    painter = _Painter(file, frame)
    for layer in tiled.layers:
        is_wall = not chosen.isdisjoint(map(_key, layer.names)) or (
            layer.visible and _makes_walls(layer.properties, flags)
        )
        painter.add_tiles(layer, None if is_wall else flagged if layer.visible else flagged[:0])
        for item in layer.objects:
            marked = _makes_walls(item.properties, flags) or not objects.isdisjoint(
                (_key(item.name), _key(item.kind))
            )
            if is_wall or (marked and layer.visible and item.visible):
                painter.add_object(item, layer)
    walls = painter.walls()
    if not walls.any() and named != {}:
        listed = ", ".join(repr(layer.names[-1]) for layer in tiled.layers[:12]) or "none"
        _log.warning(
            "Nothing in %s makes walls, so all %d cells are open. Its layers: %s. "
            "Pass wall_layers=('name', ...), or wall_layers=() if that is meant.",
            file.name,
            walls.size,
            listed,
        )
    grid = Grid(
        frame.width,
        frame.height,
        cell_size=frame.tile,
        origin=frame.origin,
        walls=walls if mobility == "ground" else None,
        neighbors=neighbors,
    )
    grid.objects = objects_by_name(
        (item.name or item.kind, _center(item, layer, frame.tile), item.properties)
        for layer in tiled.layers
        for item in layer.objects
    )
    return grid


def _center(item: TiledObject, layer: TiledLayer, tile: int) -> tuple[float, float]:
    """The center of an object in pixels."""
    corners = _outline(item, tile)
    middle = np.zeros(2) if corners is None else (corners.min(axis=0) + corners.max(axis=0)) / 2
    turn = math.radians(item.rotation)
    x = middle[0] * math.cos(turn) - middle[1] * math.sin(turn)
    y = middle[0] * math.sin(turn) + middle[1] * math.cos(turn)
    return float(item.x + layer.offset[0] + x), float(item.y + layer.offset[1] + y)


def _outline(item: TiledObject, tile: int) -> Points | None:
    """The outline of an object before it is turned, from its (x, y); None for points and texts."""
    if item.shape == "picture":  # it stands on its lower left corner
        high = item.height or tile
        return rectangle(0, -high, item.width or tile, high)
    if item.shape == "rectangle" and (item.width or item.height):
        return rectangle(0, 0, item.width, item.height)
    if item.shape == "ellipse" and (item.width or item.height):
        return ellipse(0, 0, item.width, item.height, cell=tile)
    if item.shape in ("polygon", "polyline"):
        return np.array(item.points, dtype=np.float64).reshape(-1, 2)
    return None


@dataclass(frozen=True)
class _Frame:
    """Which tiles the map covers, and their size in pixels."""

    left: int
    top: int
    width: int
    height: int
    tile: int

    @classmethod
    def of(cls, file: Path, tiled: TiledMap) -> _Frame:
        if tiled.orientation != "orthogonal":
            raise BadMapFile(
                "Only orthogonal Tiled maps are read",
                got=f"{tiled.orientation[:40]!r} in {file.name}",
                remedy="Change it in Tiled, or export the walls as a picture",
            )
        width, height, tile = tiled.width, tiled.height, tiled.tile_width
        if tile != tiled.tile_height:
            raise BadMapFile(
                "The tiles of a map are square, as its cells are",
                got=f"{tile} x {tiled.tile_height} pixels in {file.name}",
                remedy="Load a map with square tiles, or build a fieldcraft.Grid",
            )
        chunks = [chunk for layer in tiled.layers for chunk in layer.chunks]
        left, top = 0, 0
        if tiled.infinite and chunks:
            left, top = min(chunk.x for chunk in chunks), min(chunk.y for chunk in chunks)
            width = max(chunk.x + chunk.width for chunk in chunks) - left
            height = max(chunk.y + chunk.height for chunk in chunks) - top
        if width * height > MAX_TILES:
            raise BadMapFile(
                f"A Tiled map has at most {MAX_TILES:,} cells",
                got=f"{width} x {height} in {file.name}",
                remedy="Cut it into several maps",
            )
        sizes = {(chunk.x, chunk.y, chunk.width, chunk.height) for chunk in chunks}
        if not tiled.infinite and not sizes <= {(0, 0, width, height)}:
            raise BadMapFile(
                "The layers of a finite map are as large as the map",
                got=f"others on {width} x {height} in {file.name}",
                remedy="Save it again in Tiled",
            )
        return cls(left, top, width, height, tile)

    @property
    def origin(self) -> tuple[float, float]:
        return (float(self.left * self.tile), float(self.top * self.tile))


def _wall_layers(layers: Sequence[TiledLayer], named: dict[str, str] | None) -> frozenset[str]:
    """The keys of the layers and groups that are walls by name."""
    present = {_key(name) for layer in layers for name in layer.names}
    if named is None:
        return next(
            (frozenset(group) for group in WALL_LAYERS if not present.isdisjoint(group)),
            frozenset(),
        )
    for key, name in named.items():
        if key not in present:
            raise UnknownName("layer", name, [layer.names[-1] for layer in layers])
    return frozenset(named)


def _makes_walls(properties: Mapping[str, Any], flags: Set[str]) -> bool:
    """Whether one of some properties is true; older versions of Tiled wrote words for it."""
    return any(
        value.strip().casefold() in ("true", "yes", "1") if isinstance(value, str) else bool(value)
        for name, value in properties.items()
        if _key(name) in flags
    )


def _flagged_tiles(tilesets: Sequence[TiledTileset], flags: Set[str]) -> NDArray[np.uint32]:
    """The global ids of the tiles that a property makes walls, sorted; an id belongs to the last
    tileset that begins before it.
    """
    ordered = sorted(tilesets, key=lambda tileset: tileset.first)
    pasts = [*(tileset.first for tileset in ordered[1:]), 2**28]
    found = [
        tileset.first + number
        for tileset, past in zip(ordered, pasts, strict=False)
        for number, properties in tileset.properties.items()
        if 0 <= number < past - tileset.first and _makes_walls(properties, flags)
    ]
    return np.array(sorted(found), dtype=np.uint32)


class _Painter:
    """The walls of one map, as its layers are added."""

    def __init__(self, file: Path, frame: _Frame) -> None:
        self._file = file
        self._frame = frame
        self._walls = np.zeros((frame.height, frame.width), dtype=np.bool_)
        self._shapes: ShapePainter | None = None

    def add_tiles(self, layer: TiledLayer, flagged: NDArray[np.uint32] | None) -> None:
        """Add the tiles of a layer: those `flagged`, or all if that is None. Unpacks, and so
        checks, them in any case.
        """
        frame = self._frame
        right, down = (round(offset / frame.tile) for offset in layer.offset)
        for chunk in layer.chunks:
            ids = tile_ids(chunk, f"layer {layer.names[-1][:80]!r} of {self._file.name}")
            row, column = chunk.y - frame.top + down, chunk.x - frame.left + right
            above, before = max(-row, 0), max(-column, 0)
            ids = ids[above : max(frame.height - row, 0), before : max(frame.width - column, 0)]
            if not ids.size or (flagged is not None and not flagged.size):
                continue
            target = self._walls[row + above :, column + before :][: len(ids), : ids.shape[1]]
            target |= ids != 0 if flagged is None else np.isin(ids, flagged)

    def add_object(self, item: TiledObject, layer: TiledLayer) -> None:
        """Add the shape of an object, in pixels of the map."""
        tile = self._frame.tile
        points = _outline(item, tile)
        if points is None or not len(points):
            return
        turn = math.radians(item.rotation)
        turned = (
            points @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
            if turn
            else points
        )
        corner = np.array(
            [
                item.x + layer.offset[0] - self._frame.origin[0],
                item.y + layer.offset[1] - self._frame.origin[1],
            ]
        )
        if self._shapes is None:
            self._shapes = ShapePainter(*self._walls.shape)
        self._shapes.add((turned + corner) / tile, closed=item.shape != "polyline")

    def walls(self) -> NDArray[np.bool_]:
        """The walls so far, bool of shape (height, width)."""
        return self._walls if self._shapes is None else self._walls | self._shapes.blocked()


def _names(option: str, value: object) -> dict[str, str]:
    """Names by key; one str counts as one name."""
    names = (
        [value]
        if isinstance(value, str)
        else list(value)
        if isinstance(value, (Sequence, Set))
        else [None]
    )
    if not all(isinstance(name, str) for name in names):
        raise InvalidValue(
            f"{option} is a list of names",
            got=f"{option}={value!r}",
            remedy='Pass ("walls", "doors"), say',
        )
    return {_key(name): str(name) for name in names}


def _key(name: object) -> str:
    return str(name).strip().casefold()
