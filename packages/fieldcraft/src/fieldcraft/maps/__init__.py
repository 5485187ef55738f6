"""A file that someone else made -> a map. One format, one file."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack, overload

from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps.counterstrike import load_counterstrike
from fieldcraft.maps.generate import HALLS, KINDS, generate_map
from fieldcraft.maps.geometry import load_geometry
from fieldcraft.maps.geotiff import (
    Raster,
    RasterFile,
    load_geotiff,
    open_geotiff,
    read_geotiff,
    save_geotiff,
)
from fieldcraft.maps.image import Color, load_image
from fieldcraft.maps.json_kinds import json_kind
from fieldcraft.maps.mazes import ALGORITHMS, maze_growth, maze_walls
from fieldcraft.maps.movingai import load_movingai
from fieldcraft.maps.polyanya import load_polyanya
from fieldcraft.maps.quake import load_quake
from fieldcraft.maps.recast import load_recast
from fieldcraft.maps.ros import load_ros, save_ros
from fieldcraft.maps.scenarios import load_scenarios
from fieldcraft.maps.starcraft import load_starcraft
from fieldcraft.maps.tiled import load_tiled
from fieldcraft.maps.waypoints import load_waypoints, save_waypoints
from fieldcraft.space import Graph, Grid

__all__ = [
    "ALGORITHMS",
    "FORMATS",
    "HALLS",
    "KINDS",
    "MapFormat",
    "MapOptions",
    "Raster",
    "RasterFile",
    "generate_map",
    "load_counterstrike",
    "load_geometry",
    "load_geotiff",
    "load_image",
    "load_map",
    "load_movingai",
    "load_polyanya",
    "load_quake",
    "load_recast",
    "load_ros",
    "load_scenarios",
    "load_starcraft",
    "load_tiled",
    "load_waypoints",
    "maze_growth",
    "maze_walls",
    "open_geotiff",
    "read_geotiff",
    "save_geotiff",
    "save_ros",
    "save_waypoints",
]


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
    grid: str
    resources: bool
    max_height: float | None
    link_types: Iterable[int] | None
    up: str
    max_slope: float
    step_height: float
    weld: float | None
    bake: bool
    unknown: str
    band: int
    window: tuple[int, int, int, int] | None
    agent_radius: float
    agent_height: float
    min_area: float


@dataclass(frozen=True)
class MapFormat:
    """A kind of map file: its name, the suffixes that say it, and the function that loads it."""

    name: str
    suffixes: tuple[str, ...]
    load: Callable[..., Grid | Graph]

    @property
    def is_grid(self) -> bool:
        """Whether it gives a grid, with neighbours of your choice; a graph has its own edges."""
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
    MapFormat("StarCraft II grid", (".npz",), load_starcraft),
    MapFormat("picture", (".png", ".bmp", ".gif", ".jpg", ".jpeg", ".webp"), load_image),
    MapFormat("ROS map", (".yaml", ".yml"), load_ros),
    MapFormat("GeoTIFF", (".tif", ".tiff"), load_geotiff),
    MapFormat("waypoint graph", (".json",), load_waypoints),
    MapFormat("Quake navigation file", (".navjson",), load_quake),
    MapFormat("Counter-Strike navigation file", (".json",), load_counterstrike),
    MapFormat("Recast mesh", (".json",), load_recast),
    MapFormat("Polyanya mesh", (".mesh",), load_polyanya),
    MapFormat("level", (".obj", ".glb"), load_geometry),
)


@overload
def load_map(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike,
    mobility: str = "ground",
    **options: Unpack[MapOptions],
) -> Grid: ...


@overload
def load_map(
    path: str | os.PathLike[str],
    *,
    neighbors: None = None,
    mobility: str = "ground",
    **options: Unpack[MapOptions],
) -> Grid | Graph: ...


def load_map(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike | None = None,
    mobility: str = "ground",
    **options: Unpack[MapOptions],
) -> Grid | Graph:
    """A grid or a graph from a map file; the suffix says which kind, and for .json what stands in
    it.

    ======================================  ====================================
    ================================================= file
    mobility                              options, explained there
    ======================================  ====================================
    ================================================= .map (MovingAI)
    ground, trees, water, amphibious,     none; see `load_movingai`
                                            any, air
    .tmx .tmj .json (Tiled)                 ground, air                           wall_layers,
    wall_properties, wall_objects; see
                                                                                  `load_tiled`
    .npz (StarCraft II)                     ground, air                           grid, resources;
    see `load_starcraft` .png .bmp .gif .jpg .jpeg .webp         ground, air
    threshold, wall_color, tolerance, transparent,
                                                                                  cell_size; see
                                                                                  `load_image`
    .yaml .yml (ROS, nav2)                  ground, air                           unknown; see
    `load_ros` .tif .tiff (GeoTIFF)                    ground, air                           band,
    window; see `load_geotiff` .json (waypoints, as fieldcraft has     ground, air
    max_height; see `load_waypoints` them)
    .navjson (Quake)                        ground                                max_height,
    link_types; see `load_quake` .json (Counter-Strike, Recast)          ground
    max_height; see `load_counterstrike`, `load_recast` .mesh (Polyanya)
    ground                                none; see `load_polyanya` .obj .glb (level geometry,
    navigation   ground                                up, max_slope, step_height, weld, max_height,
    bake, meshes)                                                                       cell_size,
    agent_radius, agent_height, min_area; see
                                                                                  `load_geometry`
    ======================================  ====================================
    =================================================

    `neighbors` is 4, 8 or a table of steps, as for `Grid`; 4 if nothing is said. The last five
    kinds give a `Graph`, which has its own edges and takes none. World units are those of the file:
    letters, pixels, game cells.

    Raises `BadMapFile` for a file that cannot be read or is not what it says, `InvalidValue` for a
    mobility that the map does not offer or an option that its kind does not take, `MissingLibrary`
    where the kind needs a library that is not installed.
    """
    file = checks.path("path", path)
    suffix = file.suffix.lower()
    fitting = [format_ for format_ in FORMATS if suffix in format_.suffixes]
    if not fitting:
        kinds = "; ".join(f"{format_.name}: {' '.join(format_.suffixes)}" for format_ in FORMATS)
        raise BadMapFile(
            "The suffix of a map file says its kind",
            got=f"{suffix or 'no suffix'!r} ({file.name})",
            remedy=f"What is read is {kinds}",
        )
    format_ = fitting[0]
    if len(fitting) > 1:
        kind = json_kind(file)
        format_ = next(each for each in fitting if each.name == kind)
    for name, value in options.items():
        if name not in format_.options:
            takers = [other.name for other in FORMATS if name in other.options]
            known = f"; a {takers[0]} does" if takers else ""
            raise InvalidValue(
                f"A {format_.name} takes no option {name!r}{known}",
                got=f"{name}={value!r} for {file.name}",
                remedy=f"It takes: {', '.join(format_.options)}",
            )
    if format_.is_grid:
        return format_.load(
            file, neighbors=4 if neighbors is None else neighbors, mobility=mobility, **options
        )
    if neighbors is not None:
        raise InvalidValue(
            f"A {format_.name} is a graph, with edges of its own",
            got=f"neighbors={neighbors!r} for {file.name}",
            remedy="Leave neighbors out",
        )
    return format_.load(file, mobility=mobility, **options)
