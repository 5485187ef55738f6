"""The formats of map files."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fieldcraft.base.errors import BadMapFile
from fieldcraft.formats.maps.geotiff import load_geotiff
from fieldcraft.formats.maps.gltf import load_gltf
from fieldcraft.formats.maps.image import load_image
from fieldcraft.formats.maps.ldtk import load_ldtk
from fieldcraft.formats.maps.movingai import load_movingai
from fieldcraft.formats.maps.navigation import load_counterstrike, load_quake, load_recast
from fieldcraft.formats.maps.obj import load_obj
from fieldcraft.formats.maps.polyanya import load_polyanya
from fieldcraft.formats.maps.reading import read_bytes
from fieldcraft.formats.maps.ros import load_ros
from fieldcraft.formats.maps.starcraft import load_starcraft
from fieldcraft.formats.maps.tiled import load_tiled
from fieldcraft.formats.maps.waypoints import load_waypoints
from fieldcraft.space import Graph, Grid

__all__ = ["FORMATS", "MapFormat", "format_of"]

_MAX_JSON_BYTES = 2**26


@dataclass(frozen=True)
class MapFormat:
    """A format of map files: its name, its suffixes, the function that loads it, and for `.json`
    keys, at least one of which is in such a file.
    """

    name: str
    suffixes: tuple[str, ...]
    load: Callable[..., Grid | Graph]
    keys: tuple[str, ...] = ()

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The names of the keyword arguments of `load`."""
        parameters = inspect.signature(self.load).parameters.values()
        return tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)


FORMATS = (
    MapFormat("MovingAI map", (".map",), load_movingai),
    MapFormat("Tiled map", (".tmx", ".tmj", ".json"), load_tiled, ("tilewidth", "tilesets")),
    MapFormat("LDtk project", (".ldtk", ".ldtkl"), load_ldtk),
    MapFormat("StarCraft II grid", (".npz",), load_starcraft),
    MapFormat("picture", (".png", ".bmp", ".gif", ".jpg", ".jpeg", ".webp"), load_image),
    MapFormat("ROS map", (".yaml", ".yml"), load_ros),
    MapFormat("GeoTIFF", (".tif", ".tiff"), load_geotiff),
    MapFormat("Quake navigation file", (".navjson",), load_quake),
    MapFormat("Recast mesh", (".json",), load_recast, ("polygons", "meshes")),
    MapFormat("Counter-Strike navigation file", (".json",), load_counterstrike, ("areas",)),
    MapFormat("waypoint graph", (".json",), load_waypoints, ("edges", "vertices")),
    MapFormat("Polyanya mesh", (".mesh",), load_polyanya),
    MapFormat("level", (".obj",), load_obj),
    MapFormat("glTF level", (".glb", ".gltf"), load_gltf),
)
"""A format with more telling keys stands before others of the same suffix."""


def format_of(file: Path) -> MapFormat:
    """Return the format of a map file, by its suffix, and for `.json` by the keys in it.

    Raises
    ------
    BadMapFile
        For files of no known format.
    """
    suffix = file.suffix.lower()
    fitting = [each for each in FORMATS if suffix in each.suffixes]
    if not fitting:
        kinds = "; ".join(f"{each.name}: {' '.join(each.suffixes)}" for each in FORMATS)
        raise BadMapFile(
            "The suffix of a map file tells its kind",
            got=f"{suffix or 'no suffix'!r} ({file.name})",
            remedy=f"The kinds are {kinds}",
        )
    if len(fitting) == 1:
        return fitting[0]
    raw = read_bytes(file, _MAX_JSON_BYTES, "Cut it into several, or save it compressed")
    for each in fitting:
        if any(f'"{key}"'.encode() in raw for key in each.keys):
            return each
    raise BadMapFile(
        "A JSON map has layers (Tiled), vertices and edges, vertices and polygons (Recast) or areas"
        " (Counter-Strike)",
        got=f"none of these keys in {file.name}",
        remedy="Rename its keys, or make a fieldcraft.Graph of its content",
    )
