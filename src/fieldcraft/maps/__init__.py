"""A file that someone else made -> a map. One format, one file."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

from numpy.typing import ArrayLike

from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps.image import Color, load_image
from fieldcraft.maps.movingai import load_movingai
from fieldcraft.maps.reading import as_path
from fieldcraft.maps.starcraft import load_starcraft
from fieldcraft.maps.tiled import load_tiled
from fieldcraft.space.grid import Grid

__all__ = ["FORMATS", "MapFormat", "MapOptions", "load_image", "load_map", "load_movingai", "load_starcraft", "load_tiled"]


class MapOptions(TypedDict, total=False):
    """What the loaders take besides `neighbors` and `mobility`; each format takes its own."""

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


@dataclass(frozen=True)
class MapFormat:
    """A kind of map file: its name, the suffixes that say it, and the function that loads it."""

    name: str
    suffixes: tuple[str, ...]
    load: Callable[..., Grid]

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the keyword arguments of `load`."""
        return tuple(name for name, kind in inspect.signature(self.load).parameters.items() if kind.kind is inspect.Parameter.KEYWORD_ONLY)


FORMATS = (
    MapFormat("MovingAI map", (".map",), load_movingai),
    MapFormat("Tiled map", (".tmx", ".tmj", ".json"), load_tiled),
    MapFormat("StarCraft II grid", (".npz",), load_starcraft),
    MapFormat("picture", (".png", ".bmp", ".gif", ".jpg", ".jpeg", ".webp"), load_image),
)


def load_map(
    path: str | os.PathLike[str], *, neighbors: int | ArrayLike = 4, mobility: str = "ground", **options: Unpack[MapOptions]
) -> Grid:
    """A grid from a map file; the suffix says which kind.

    ======================================  ====================================  =================================================
    file                                    mobility                              options, explained there
    ======================================  ====================================  =================================================
    .map (MovingAI)                         ground, trees, water, amphibious,     none; see `load_movingai`
                                            any, air
    .tmx .tmj .json (Tiled)                 ground, air                           wall_layers, wall_properties, wall_objects; see
                                                                                  `load_tiled`
    .npz (StarCraft II)                     ground, air                           grid, resources; see `load_starcraft`
    .png .bmp .gif .jpg .jpeg .webp         ground, air                           threshold, wall_color, tolerance, transparent,
                                                                                  cell_size; see `load_image`
    ======================================  ====================================  =================================================

    `neighbors` is 4, 8 or a table of steps, as for `Grid`. World units are those of the file: letters, pixels, game cells.

    Raises `BadMapFile` for a file that cannot be read or is not what it says, `InvalidValue` for a mobility that the map does not
    offer or an option that its kind does not take, `MissingLibrary` where the kind needs a library that is not installed.
    """
    file = as_path(path)
    suffix = file.suffix.lower()
    for format_ in FORMATS:
        if suffix in format_.suffixes:
            break
    else:
        kinds = "; ".join(f"{format_.name}: {' '.join(format_.suffixes)}" for format_ in FORMATS)
        raise BadMapFile(
            "The suffix of a map file says its kind", got=f"{suffix or 'no suffix'!r} ({file.name})", remedy=f"What is read is {kinds}"
        )
    for name, value in options.items():
        if name not in format_.options:
            takers = [other.name for other in FORMATS if name in other.options]
            known = f"; a {takers[0]} does" if takers else ""
            raise InvalidValue(
                f"A {format_.name} takes no option {name!r}{known}",
                got=f"{name}={value!r} for {file.name}",
                remedy=f"It takes: {', '.join(format_.options)}",
            )
    return format_.load(file, neighbors=neighbors, mobility=mobility, **options)
