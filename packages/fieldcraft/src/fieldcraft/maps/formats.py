"""The formats of map files."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from fieldcraft.maps.counterstrike import load_counterstrike
from fieldcraft.maps.geotiff import load_geotiff
from fieldcraft.maps.image import Color, load_image
from fieldcraft.maps.ldtk import load_ldtk
from fieldcraft.maps.movingai import load_movingai
from fieldcraft.maps.obj import load_obj
from fieldcraft.maps.polyanya import load_polyanya
from fieldcraft.maps.quake import load_quake
from fieldcraft.maps.recast import load_recast
from fieldcraft.maps.ros import load_ros
from fieldcraft.maps.starcraft import load_starcraft
from fieldcraft.maps.tiled import load_tiled
from fieldcraft.maps.waypoints import load_waypoints
from fieldcraft.space import Graph, Grid

__all__ = ["FORMATS", "MapFormat", "MapOptions"]


class MapOptions(TypedDict, total=False):
    """The options that the loaders take besides `neighbors` and `mobility`; each format takes its
    own.
    """

    threshold: int
    wall_color: Color | Sequence[Color]
    tolerance: int
    transparent: str
    cell_size: float
    wall_layers: str | Sequence[str]
    wall_properties: str | Sequence[str]
    wall_objects: str | Sequence[str]
    level: str | None
    wall_values: Iterable[int] | None
    grid: str
    resources: bool
    max_height: float | None
    link_types: Iterable[int] | None
    up: str
    max_slope: float
    unknown: str
    band: int
    window: tuple[int, int, int, int] | None


@dataclass(frozen=True)
class MapFormat:
    """A kind of map file: its name, its suffixes, and the function that loads it."""

    name: str
    suffixes: tuple[str, ...]
    load: Callable[..., Grid | Graph]

    @property
    def is_grid(self) -> bool:
        """Whether it gives a grid, with neighbors of your choice; a graph has its own edges."""
        return "neighbors" in self.options

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the keyword arguments of `load`."""
        return tuple(
            name
            for name, kind in inspect.signature(self.load).parameters.items()
            if kind.kind is inspect.Parameter.KEYWORD_ONLY
        )


FORMATS = (
    MapFormat("MovingAI map", (".map",), load_movingai),
    MapFormat("Tiled map", (".tmx", ".tmj", ".json"), load_tiled),
    MapFormat("LDtk project", (".ldtk",), load_ldtk),
    MapFormat("StarCraft II grid", (".npz",), load_starcraft),
    MapFormat("picture", (".png", ".bmp", ".gif", ".jpg", ".jpeg", ".webp"), load_image),
    MapFormat("ROS map", (".yaml", ".yml"), load_ros),
    MapFormat("GeoTIFF", (".tif", ".tiff"), load_geotiff),
    MapFormat("waypoint graph", (".json",), load_waypoints),
    MapFormat("Quake navigation file", (".navjson",), load_quake),
    MapFormat("Counter-Strike navigation file", (".json",), load_counterstrike),
    MapFormat("Recast mesh", (".json",), load_recast),
    MapFormat("Polyanya mesh", (".mesh",), load_polyanya),
    MapFormat("level", (".obj",), load_obj),
)
