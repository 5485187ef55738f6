"""Maps from files: the suffix determines the format."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, overload

from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import Mobility
from fieldcraft.space import Graph, Grid
from fieldcraft.space.grid.map_objects import MapObjects


@overload
def load_map(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike,
    mobility: Mobility = "ground",
    tiles: bool = False,
    **options: Any,
) -> Grid: ...


@overload
def load_map(
    path: str | os.PathLike[str],
    *,
    neighbors: None = None,
    mobility: Mobility = "ground",
    tiles: bool = False,
    **options: Any,
) -> Any: ...


def load_map(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike | None = None,
    mobility: Mobility = "ground",
    tiles: bool = False,
    **options: Any,
) -> Grid | Graph:
    r"""Return a grid or a graph from a map file.

    The suffix determines the format, and for `.json` the keys at the top of the file:

    - `.map` (MovingAI): mobility "ground", "trees", "water", "amphibious", "any" or "air"
    - `.tmx`, `.tmj`, `.json` (Tiled): `wall_layers`, `wall_properties`, `wall_objects`
    - `.ldtk`, `.ldtkl` (LDtk): `level`, `layer`, `wall_values`
    - `.npz` (StarCraft II): `grid`, `resources`
    - `.png`, `.bmp`, `.gif`, `.jpg`, `.webp`: `threshold`, `wall_color`, `tolerance`,
      `transparent`, `cell_size`
    - `.yaml`, `.yml` (ROS, nav2): `unknown`
    - `.tif`, `.tiff` (GeoTIFF): `band`, `window`, `degrees`
    - `.json` (waypoints, Counter-Strike, Recast): `max_height`
    - `.navjson` (Quake): `max_height`, `link_types`
    - `.mesh` (Polyanya): no options
    - `.obj`, `.glb`, `.gltf` (navigation mesh, level): `up`, `max_slope`, `max_height`

    World units are the units of the file: letters, pixels, game cells.

    Parameters
    ----------
    path : path_like
        The file.
    neighbors : int or array_like, optional
        4 (the default), 8 or a table of steps, as for `Grid`. Not for graphs, which have their own
        edges.
    mobility : str
        The kind of movement: "ground", "air", and others of the format.
    tiles : bool
        Count positions in tiles, as `Grid(tiles=True)` does: (3, 2) is the center of column 3 from
        the left, row 2 from the top. For grids only.
    **options
        Options of the format, see above; the loaders in `fieldcraft.formats.maps` explain them.

    Returns
    -------
    Grid or Graph
        A graph from waypoints and navigation meshes, a grid from all others. `objects` of a grid
        from Tiled or LDtk are the file's objects by name: `level.objects["guard"].positions`.

    Raises
    ------
    BadMapFile
        For a file that cannot be read or is damaged.
    InvalidValue
        For a mobility or an option that the format does not have.
    MissingLibrary
        If the format needs a library that is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> import fieldcraft as fc
    >>> rows = ["type octile", "height 2", "width 3", "map", "..@", "..."]
    >>> _ = Path("tiny.map").write_text("\n".join(rows))
    >>> fc.load_map("tiny.map", neighbors=8).walls
    array([[False, False,  True],
           [False, False, False]])
    """
    from fieldcraft.formats.maps.formats import FORMATS, format_of

    file = checks.path("path", path)
    format_ = format_of(file)
    for name, value in options.items():
        if name not in format_.options:
            rule = f"The format {format_.name} has no option {name!r}"
            others = [other.name for other in FORMATS if name in other.options]
            if others:
                rule += f", only {others[0]}"
            raise InvalidValue(
                rule,
                got=f"{name}={value!r} for {file.name}",
                remedy=f"It takes: {', '.join(format_.options)}",
            )
    if "neighbors" in format_.options:  # a grid; a graph has edges of its own
        if neighbors is None:
            steps: int | ArrayLike = 4
        else:
            steps = neighbors
        loaded = format_.load(file, neighbors=steps, mobility=mobility, **options)
        if checks.flag("tiles", tiles) and isinstance(loaded, Grid):
            return _in_tiles(loaded, steps)
        return loaded
    if tiles or neighbors is not None:
        raise InvalidValue(
            f"A {format_.name} is a graph, with edges of its own and without tiles",
            got=f"neighbors={neighbors!r}, tiles={tiles!r} for {file.name}",
            remedy="Leave neighbors and tiles out",
        )
    return format_.load(file, mobility=mobility, **options)


def _in_tiles(grid: Grid, neighbors: int | ArrayLike) -> Grid:
    """Return the same map with tiles as world units."""
    tiles = Grid(walls=grid.walls, terrain=grid.terrain, neighbors=neighbors, tiles=True)

    def to_tiles(objects: MapObjects) -> MapObjects:
        corners = (objects.positions - grid.origin) / grid.cell_size
        if grid.y_up:
            corners[:, 1] = grid.height - corners[:, 1]
        return replace(objects, positions=corners - 0.5)

    tiles.objects = {name: to_tiles(objects) for name, objects in grid.objects.items()}
    return tiles
