"""The walls that a Tiled map tells of, checked: small records that know nothing of files and
formats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fieldcraft.maps.tiled_data import TileData

__all__ = ["TiledLayer", "TiledMap", "TiledObject", "TiledTileset"]

Shape = Literal["rectangle", "ellipse", "polygon", "polyline", "picture", "nothing"]


@dataclass(frozen=True)
class TiledObject:
    """An object: its shape in pixels, turned by `rotation` degrees round (x, y), and whether a
    property makes it a wall.

    `points` are those of a polygon or polyline, from (x, y). Points and texts have the shape
    "nothing".
    """

    name: str
    kind: str
    shape: Shape
    x: float
    y: float
    width: float
    height: float
    rotation: float
    visible: bool
    points: tuple[tuple[float, float], ...]
    is_wall: bool
    properties: dict[str, str | float | bool]


@dataclass(frozen=True)
class TiledLayer:
    """A layer that is no group, with what its groups say of it: `names` are its own and those of
    the groups around it, the last its own.

    `tiles` is None if it is no tile layer. `visible` is whether it and all its groups are, `offset`
    the sum of theirs, in pixels.
    """

    names: tuple[str, ...]
    visible: bool
    offset: tuple[float, float]
    is_wall: bool
    tiles: TileData | None
    objects: tuple[TiledObject, ...]

    @property
    def name(self) -> str:
        """The layer's own name."""
        return self.names[-1]


@dataclass(frozen=True)
class TiledTileset:
    """A tileset: the global id of its first tile, and the numbers of the tiles that a property
    makes walls.
    """

    first: int
    walls: tuple[int, ...]


@dataclass(frozen=True)
class TiledMap:
    """A map: its size in tiles, that of a tile in pixels, and its layers from the bottom up."""

    orientation: str
    width: int
    height: int
    tile_width: int
    tile_height: int
    infinite: bool
    tilesets: tuple[TiledTileset, ...]
    layers: tuple[TiledLayer, ...]
