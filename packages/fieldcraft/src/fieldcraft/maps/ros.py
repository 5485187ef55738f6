"""Maps of robots: the .yaml and the picture beside it that ROS's map server reads and writes."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import BadMapFile, InvalidValue, MissingLibrary
from fieldcraft.files import Staging
from fieldcraft.maps.image import MOBILITIES, picture_cells
from fieldcraft.maps.reading import map_file, read_bytes
from fieldcraft.space import Grid, grid_of

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["load_ros", "save_ros"]

_MAX_BYTES = 2**16
_MODES = ("trinary", "scale", "raw")
_OCCUPIED, _FREE = 0.65, 0.25  # as the map server has them
_FORMATS = ("PPM", "PNG", "BMP")
_BLACK, _GRAY, _WHITE = 0, 205, 254
_FULL = 100


class _About(NamedTuple):
    """The settings of a .yaml."""

    image: Path
    resolution: float
    origin: tuple[float, float]
    negate: bool
    occupied: float
    free: float
    mode: str


def load_ros(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 4,
    mobility: str = "ground",
    unknown: str = "wall",
) -> Grid:
    """The grid of a map of ROS's map server (nav2): a .yaml that names a PGM, PNG or BMP picture
    beside it.

    One cell per pixel, `resolution` meters wide; positions are meters in the map's frame, y up, and
    `origin` is the lower left corner.

    - `mobility`: "ground" (walls where the map is occupied) or "air" (none).
    - `unknown`: what a cell is that is neither occupied nor free: "wall" or "open".

    `negate`, `occupied_thresh`, `free_thresh` and the modes trinary, scale and raw are those of the
    map server: in scale and raw, a cell is a wall from `occupied_thresh` of the way from free to
    occupied on. Raises `BadMapFile` for files that aren't such a map, or one that is turned (a yaw
    in `origin`), and `MissingLibrary` without PyYAML or Pillow.
    Source of the format: https://docs.nav2.org (map_server), https://wiki.ros.org/map_server.
    """
    file = map_file(path, mobility, MOBILITIES)
    checks.choice("unknown", unknown, ("wall", "open"))
    about = _read(file)
    walls: NDArray[np.bool_] = picture_cells(
        about.image,
        _FORMATS,
        "a whole PGM, PNG or BMP file",
        lambda strip: _walls(strip, about, unknown == "wall"),
    )
    height, width = walls.shape
    return Grid(
        width,
        height,
        cell_size=about.resolution,
        origin=about.origin,
        y_up=True,
        walls=walls if mobility == "ground" else None,
        neighbors=neighbors,
    )


def save_ros(path: str | os.PathLike[str], grid: Grid) -> None:
    """Write a grid as a map for ROS's map server: a .yaml, and the picture beside it (.pgm, of the
    same name).

    Walls are occupied, all else is free. Both files are whole or not written. Raises `InvalidValue`
    for another suffix than .yaml, a torus, or anything but a grid.
    """
    file = checks.path("path", path)
    if file.suffix.lower() not in (".yaml", ".yml"):
        raise InvalidValue(
            "A map for ROS is a .yaml file", got=repr(str(path)), remedy='Name it "rooms.yaml", say'
        )
    grid_of(grid, "A map for ROS", remedy="Pass a fieldcraft.Grid")
    if grid.wrap:
        raise InvalidValue(
            "A map for ROS has rims", got="a torus", remedy="Pass a grid with wrap=False"
        )
    picture = file.with_suffix(".pgm")
    shades = np.where(grid.walls if grid.y_up else grid.walls[::-1], _BLACK, _WHITE).astype(
        np.uint8
    )
    x, y = grid.origin
    about = (
        f"image: {picture.name}\nmode: trinary\nresolution: {grid.cell_size!r}\norigin:"
        f" [{float(x)!r}, {float(y)!r}, 0.0]\nnegate: 0\noccupied_thresh: {_OCCUPIED}\nfree_thresh:"
        f" {_FREE}\n"
    )
    try:
        with Staging(file.parent, [picture.name, file.name]) as staging:
            staging.part(picture.name).write_bytes(
                f"P5\n{grid.width} {grid.height}\n255\n".encode() + shades.tobytes()
            )
            staging.part(file.name).write_text(about, encoding="utf-8")
            staging.commit()
    except OSError as error:
        raise BadMapFile(
            "A map goes to a path that can be written",
            got=f"{path}: {error.strerror}",
            remedy="Choose another path",
        ) from None


def _read(file: Path) -> _About:
    try:
        import yaml
    except ImportError:
        raise MissingLibrary("PyYAML", "robots", "Loading a map of ROS") from None
    data = read_bytes(file, _MAX_BYTES, "A map's .yaml has a dozen lines")
    try:
        told: Any = yaml.safe_load(data)
    except Exception as error:  # PyYAML raises more than its own errors for odd bytes
        raise BadMapFile(
            "The .yaml of a map is YAML",
            got=f"{file.name}: {str(error)[:200]}",
            remedy="Export the map again",
        ) from None
    if not isinstance(told, dict) or not {"image", "resolution", "origin"} <= told.keys():
        missing = (
            "no mapping"
            if not isinstance(told, dict)
            else "no " + ", ".join(sorted({"image", "resolution", "origin"} - told.keys()))
        )
        raise BadMapFile(
            "The .yaml of a map has image, resolution and origin",
            got=f"{file.name}: {missing}",
            remedy="Add them",
        )
    origin = told["origin"]
    if not isinstance(origin, list) or len(origin) not in (2, 3):
        raise _bad(file, "origin is [x, y, yaw]", origin)
    x, y, yaw = (_number(file, "origin", part) for part in (*origin, 0.0)[:3])
    if abs(math.remainder(yaw, math.tau)) > 1e-6:
        raise BadMapFile(
            "The rows of a map run along the axes",
            got=f"{file.name}: a yaw of {yaw:g}",
            remedy="Turn the picture and write yaw 0",
        )
    resolution = _number(file, "resolution", told["resolution"])
    occupied, free = (
        _number(file, key, told.get(key, usual))
        for key, usual in (("occupied_thresh", _OCCUPIED), ("free_thresh", _FREE))
    )
    mode = told.get("mode", "trinary")
    negate = told.get("negate", 0)
    for fine, rule, got in (
        (resolution > 0, "resolution is more than 0 meters", resolution),
        (
            0 <= free < occupied <= 1,
            "free_thresh lies below occupied_thresh, both from 0 to 1",
            (free, occupied),
        ),
        (mode in _MODES, f"mode is one of {', '.join(_MODES)}", mode),
        (negate in (0, 1), "negate is 0 or 1", negate),
        (
            isinstance(told["image"], str) and "\0" not in told["image"],
            "image is the name of a picture",
            told["image"],
        ),
    ):
        if not fine:
            raise _bad(file, rule, got)
    return _About(
        file.parent / told["image"], resolution, (x, y), bool(negate), occupied, free, mode
    )


def _bad(file: Path, rule: str, got: object) -> BadMapFile:
    return BadMapFile(
        f"In the .yaml of a map {rule}",
        got=f"{repr(got)[:80]} in {file.name}",
        remedy="Mend that line",
    )


def _number(file: Path, key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e12:
        raise _bad(file, f"{key} is made of numbers", value)
    return float(value)


def _walls(strip: Image, about: _About, unknown_is_wall: bool) -> NDArray[np.bool_]:
    """The walls of some rows, by the map server's rules."""
    clear: NDArray[np.bool_] | None = None
    if strip.has_transparency_data:
        strip = strip.convert("RGBA")
        clear = np.asarray(strip.getchannel("A")) < 255
    bands = strip.convert("RGB") if strip.mode not in ("1", "L") else strip.convert("L")
    shade = np.asarray(bands, dtype=np.float64)
    shade = (shade.mean(axis=2) if shade.ndim == 3 else shade) / 255
    if about.mode == "raw":
        percent = np.rint(shade * 255)
        known = percent <= _FULL
        return np.where(known, percent >= about.occupied * _FULL, unknown_is_wall).astype(np.bool_)
    occupied = shade if about.negate else 1 - shade
    wall, free = occupied > about.occupied, occupied < about.free
    if about.mode == "scale":
        part = (occupied - about.free) / (about.occupied - about.free)
        wall, free = wall | (part >= about.occupied), free | (part < about.occupied)
    if clear is not None:
        wall, free = wall & ~clear, free & ~clear
    return ~free if unknown_is_wall else wall
