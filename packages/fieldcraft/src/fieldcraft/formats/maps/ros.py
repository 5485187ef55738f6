"""Maps of ROS's map server: a .yaml and a picture beside it."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadMapFile, InvalidValue, needs
from fieldcraft.base.files import target_of
from fieldcraft.base.staging import Staging
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.image import BRIGHTEST, opacity, picture_cells, wide_gray
from fieldcraft.formats.maps.reading import map_file, parsing, read_bytes
from fieldcraft.space import Grid, grid_of

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["RosMap", "load_ros", "read_ros", "save_ros"]

_KIND = "map for ROS"
_MAX_BYTES = 2**16
# Defaults of the map server.
_OCCUPIED = 0.65
_FREE = 0.25
_DEFAULTS = {"occupied_thresh": _OCCUPIED, "free_thresh": _FREE, "negate": 0}
_BLACK = 0
_WHITE = 254
_FULL = 100


class _Settings(NamedTuple):
    """The settings of a .yaml."""

    image: Path
    resolution: float
    origin: tuple[float, float]
    negate: bool
    occupied: float
    free: float
    mode: str


class RosMap(NamedTuple):
    """A map of ROS's map server: a grid, and how occupied each cell is."""

    space: Grid
    """Its walls are the occupied cells, and unknown ones if they count as walls."""
    occupancy: NDArray[np.float32]
    """From 0 (free) to 1 (occupied), (height, width) float32: the percentages of an OccupancyGrid,
    in hundredths. Unknown cells are 1 if they count as walls, else 0.
    """
    unknown: NDArray[np.bool_]
    """The cells that are -1 in an OccupancyGrid, (height, width) bool."""


def load_ros(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 4,
    mobility: Mobility = "ground",
    unknown: str = "wall",
) -> Grid:
    """Return the grid of a map of ROS's map server (nav2): a .yaml that names a PGM, PNG or BMP
    picture beside it.

    Each pixel is a cell, `resolution` meters wide; positions are meters in the map's frame, y up,
    and `origin` is the lower left corner. `negate`, `occupied_thresh`, `free_thresh` and the modes
    trinary, scale and raw have the meaning of the map server: in scale and raw, a cell is a wall if
    its occupancy between free and occupied is at least `occupied_thresh`. Pictures may have gray
    levels of 1 to 16 bits or colors; a turn in their metadata (EXIF) is not applied.

    Parameters
    ----------
    path : path_like
        The .yaml.
    neighbors : int or array_like, optional
        As for `Grid`.
    mobility : {"ground", "air"}
        With "air" there are no walls.
    unknown : {"wall", "open"}
        Whether cells that are neither occupied nor free are walls.

    Raises
    ------
    BadMapFile
        For files that aren't such a map, or one that is turned (a yaw in `origin`).
    MissingLibrary
        Without PyYAML or Pillow.

    References
    ----------
    https://docs.nav2.org (map_server), https://wiki.ros.org/map_server.
    """
    map_file(path, mobility, ("ground", "air"))
    space = read_ros(path, neighbors=neighbors, unknown=unknown).space
    if mobility == "ground":
        return space
    return space.with_walls(None)


def read_ros(
    path: str | os.PathLike[str], *, neighbors: int | ArrayLike = 4, unknown: str = "wall"
) -> RosMap:
    """Return a map of ROS's map server with the occupancy of its cells, for costs and layers.

    In the mode scale cells between free and occupied have the values between; the other modes are
    those of the map server too.

    Parameters
    ----------
    path, neighbors, unknown
        As for `load_ros`.

    Raises
    ------
    BadMapFile, MissingLibrary
        As `load_ros` does.
    """
    file = map_file(path, "ground", ("ground", "air"))
    checks.choice("unknown", unknown, ("wall", "open"))
    settings = _settings(file)
    is_wall = unknown == "wall"

    def read(strip: Image) -> NDArray[np.float32]:
        return np.stack([_walls(strip, settings, is_wall), _percent(strip, settings)], axis=-1)

    cells: NDArray[np.float32] = picture_cells(settings.image, ("PPM", "PNG", "BMP"), read)
    percent = cells[:, :, 1]
    is_unknown = percent < 0
    occupancy = np.where(is_unknown, _FULL * is_wall, percent) / _FULL
    space = Grid(
        cell_size=settings.resolution,
        origin=settings.origin,
        y_up=True,
        walls=cells[:, :, 0] != 0,
        neighbors=neighbors,
    )
    return RosMap(space, occupancy.astype(np.float32), is_unknown)


def save_ros(path: str | os.PathLike[str], grid: Grid) -> None:
    """Write a grid as a map for ROS's map server: a .yaml, and the picture beside it (.pgm, of the
    same name).

    Walls are occupied, all other cells free. Both files are written, or neither.

    Raises
    ------
    InvalidValue
        For another suffix than .yaml, a map that wraps, or another space than a grid.
    BadMapFile
        If the path can't be written.
    """
    file = target_of("path", path)
    if file.suffix.lower() not in (".yaml", ".yml"):
        remedy = 'Name it "rooms.yaml", say'
        raise InvalidValue("A map for ROS is a .yaml file", got=repr(str(path)), remedy=remedy)
    if grid_of(grid, "A map for ROS", remedy="Pass a fieldcraft.Grid").wrap:
        remedy = "Pass a grid with wrap=False"
        raise InvalidValue("A map for ROS has borders", got=repr(grid), remedy=remedy)
    picture = file.with_suffix(".pgm")
    shades = np.where(grid.walls if grid.y_up else grid.walls[::-1], _BLACK, _WHITE)
    header = f"P5\n{grid.width} {grid.height}\n255\n".encode()
    x, y = grid.origin
    about = (
        f"image: {picture.name}\nmode: trinary\nresolution: {grid.cell_size!r}\norigin:"
        f" [{float(x)!r}, {float(y)!r}, 0.0]\nnegate: 0\noccupied_thresh: {_OCCUPIED}\nfree_thresh:"
        f" {_FREE}\n"
    )
    try:
        with Staging(file.parent, [picture.name, file.name]) as staging:
            staging.part(picture.name).write_bytes(header + shades.astype(np.uint8).tobytes())
            staging.part(file.name).write_text(about, encoding="utf-8")
            staging.commit()
    except OSError as error:
        raise BadMapFile(
            "A map needs a path that can be written",
            got=f"{path}: {error.strerror}",
            remedy="Choose another path",
        ) from None


def _settings(file: Path) -> _Settings:
    """Return the checked settings of a .yaml."""
    with needs("PyYAML", "robots", "Loading a map of ROS"):
        import yaml
    data = read_bytes(file, _MAX_BYTES, "The .yaml of a map has a dozen lines")
    with parsing(file.name, _KIND):
        # Aliases that refer to lists of aliases would stand for lists of any length.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(data, yaml.SafeLoader)):
            raise ValueError("an alias (*name) in place of a value")
        content: Any = yaml.safe_load(data)
        origin = [checks.finite("origin", _number(part)) for part in content["origin"]]
        if len(origin) not in (2, 3):
            raise ValueError(f"an origin of {len(origin)} numbers in place of [x, y, 0]")
        if len(origin) == 3 and abs(math.remainder(origin[2], math.tau)) > 1e-6:
            raise ValueError("an origin that is not [x, y, 0]: the picture is turned")
        given = {key: _number(content.get(key, value)) for key, value in _DEFAULTS.items()}
        occupied = checks.fraction("occupied_thresh", given["occupied_thresh"])
        free = checks.fraction("free_thresh", given["free_thresh"])
        if free >= occupied:
            raise ValueError(f"free_thresh {free} that is not below occupied_thresh {occupied}")
        mode = checks.text("mode", content.get("mode", "trinary")).lower()
        return _Settings(
            image=file.parent / checks.text("image", content["image"]),
            resolution=checks.positive("resolution", _number(content["resolution"])),
            origin=(origin[0], origin[1]),
            negate=checks.integer("negate", int(given["negate"]), maximum=1) == 1,
            occupied=occupied,
            free=free,
            mode=checks.choice("mode", mode, ("trinary", "scale", "raw")),
        )


def _number(value: object) -> Any:
    """Return a number that PyYAML reads as text: `5e-2`, which the map server takes, has no dot."""
    if isinstance(value, str):
        return float(value)
    return value


def _walls(strip: Image, settings: _Settings, unknown_is_wall: bool) -> NDArray[np.bool_]:
    """Return the walls of some rows, by the map server's rules."""
    alpha = opacity(strip)
    shade = _shades(strip)
    if settings.mode == "raw":
        percent = np.rint(shade * 255)
        occupied = percent >= settings.occupied * _FULL
        return np.where(percent <= _FULL, occupied, unknown_is_wall).astype(np.bool_)
    dark = _darkness(shade, settings)
    wall = dark > settings.occupied
    free = dark < settings.free
    if settings.mode == "scale":
        part = (dark - settings.free) / (settings.occupied - settings.free)
        wall = wall | (part >= settings.occupied)
        free = free | (part < settings.occupied)
    if alpha is not None:
        is_opaque = alpha == 255
        wall = wall & is_opaque
        free = free & is_opaque
    if unknown_is_wall:
        return ~free
    return wall


def _darkness(shade: NDArray[np.float64], settings: _Settings) -> NDArray[np.float64]:
    """Return how occupied shades say that pixels are, 0 to 1: dark ones, or bright ones."""
    if settings.negate:
        return shade
    return 1 - shade


def _percent(strip: Image, settings: _Settings) -> NDArray[np.float32]:
    """Return the values of some rows in an OccupancyGrid: 0 to 100, -1 for unknown cells."""
    alpha = opacity(strip)
    shade = _shades(strip)
    if settings.mode == "raw":
        percent = np.rint(shade * 255)
        return np.where(percent <= _FULL, percent, -1).astype(np.float32)
    dark = _darkness(shade, settings)
    if settings.mode == "scale":
        between = np.rint((dark - settings.free) / (settings.occupied - settings.free) * _FULL)
    else:
        between = np.full_like(dark, -1)
    found = np.where(dark > settings.occupied, _FULL, np.where(dark < settings.free, 0, between))
    if alpha is not None:
        found = np.where(alpha == 255, found, -1)
    return found.astype(np.float32)


def _shades(strip: Image) -> NDArray[np.float64]:
    """Return the mean of the colors of each pixel, 0 black to 1 white, (height, width)."""
    gray = wide_gray(strip)
    if gray is not None:
        return gray / BRIGHTEST
    if strip.mode in ("1", "L"):
        return np.asarray(strip.convert("L"), dtype=np.float64) / 255
    if strip.has_transparency_data:
        strip = strip.convert("RGBA")
    colors = np.asarray(strip.convert("RGB"), dtype=np.float64)
    return np.asarray(colors.mean(axis=2) / 255)
