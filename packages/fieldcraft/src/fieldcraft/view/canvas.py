"""The canvas of a frame: the ground, the values over it, and the rims of the walls on top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import HIDDEN, Color, ColorScale, parse_color

if TYPE_CHECKING:
    from fieldcraft.view.placement import GridLike, Placement

__all__ = [
    "FOG",
    "GROUND",
    "ON_WALL",
    "RIM",
    "WALL",
    "beside",
    "blocks",
    "checked_picture",
    "compose",
    "compose_indexed",
    "ground_kinds",
    "strongest",
]

RGBA = NDArray[np.uint8]

GROUND = (30, 33, 41)
WALL = (13, 14, 18)
RIM = (96, 105, 124)
FOG = (86, 82, 104)
# How much of a value's colour a wall lets through.
ON_WALL = 0.45
_KINDS = {
    "ground": GROUND,
    "swamp": (45, 50, 36),
    "shallow": (30, 48, 62),
    "water": (20, 38, 60),
    "tree": (20, 40, 33),
    "forest": (20, 40, 33),
    "sand": (60, 54, 42),
    "road": (52, 54, 60),
    "grass": (32, 46, 36),
    "mountain": (44, 42, 44),
    "rock": (44, 42, 44),
    "snow": (70, 74, 82),
    "ice": (58, 70, 80),
}
_known_rims: WeakKeyDictionary[Any, tuple[int, tuple[Any, ...], NDArray[np.int64]]] = (
    WeakKeyDictionary()
)


def checked_picture(picture: ArrayLike) -> RGBA:
    """A picture, or `InvalidValue` for anything else."""
    array = checks.array("A frame", picture)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 4 or array.size == 0:
        raise InvalidValue(
            "A frame is uint8 of shape (H, W, 4)",
            got=f"shape {array.shape}, dtype {array.dtype}",
            remedy="Pass what frame(layer) gives",
        )
    return array


def strongest(values: NDArray[np.float32], shrink: int) -> NDArray[np.float32]:
    """The value of largest magnitude in each block of `shrink` by `shrink` cells, the positive one
    on a tie.
    """
    if shrink == 1:
        return values
    parts = blocks(values, shrink)
    high, low = parts.max(axis=(1, 3)), parts.min(axis=(1, 3))
    strongest: NDArray[np.float32] = np.where(high >= -low, high, low)
    return strongest


def blocks(cells: NDArray[Any], shrink: int) -> NDArray[Any]:
    """Cells as blocks, shape (rows, shrink, columns, shrink, ...); the last ones repeat the rim of
    the map.
    """
    height, width = cells.shape[:2]
    pad = [(0, -height % shrink), (0, -width % shrink)] + [(0, 0)] * (cells.ndim - 2)
    full = np.pad(cells, pad, mode="edge")
    return full.reshape(
        full.shape[0] // shrink, shrink, full.shape[1] // shrink, shrink, *cells.shape[2:]
    )


def compose(
    place: Placement,
    rgb: NDArray[np.uint8],
    drawn: NDArray[np.bool_],
    ground: Color | ArrayLike | None,
    opacity: float,
) -> RGBA:
    """The canvas in pixels: the ground, the values over it, the rims of the walls on top."""
    walls = place.space.walls[place.rows, place.columns]
    wall_share = (
        walls.astype(np.float32)
        if place.shrink == 1
        else blocks(walls, place.shrink).mean(axis=(1, 3), dtype=np.float32)
    )
    cover = (checks.fraction("opacity", opacity) * drawn * (1 - (1 - ON_WALL) * wall_share))[
        ..., np.newaxis
    ]
    if ground is None:
        cells = np.concatenate([rgb, np.rint(cover * 255)], axis=-1)
        return _enlarged(cells.astype(np.uint8), place.scale)
    under = _ground(place.space, ground)[place.rows, place.columns]
    below = (
        under
        if place.shrink == 1
        else blocks(under, place.shrink).mean(axis=(1, 3), dtype=np.float32)
    )
    cells = np.rint(below * (1 - cover) + rgb * cover)
    if place.shrink > 1:
        rim = np.where(
            wall_share < 1, np.minimum(1, 2 * wall_share), beside(wall_share == 1, wall_share == 0)
        )[..., np.newaxis]
        cells = np.rint(cells * (1 - rim) + np.array(RIM) * rim)
    opaque = np.full((*cells.shape[:2], 1), 255)
    canvas = _enlarged(np.concatenate([cells, opaque], axis=-1).astype(np.uint8), place.scale)
    if place.shrink == 1:
        _outline(canvas, walls, place.scale)
    return canvas


def compose_indexed(
    place: Placement,
    colors: ColorScale,
    index: NDArray[np.uint8],
    ground: Color | tuple[int, int, int] | None,
    opacity: float,
) -> RGBA:
    """The same canvas for the rows of one colour scale on a map that is not shrunk: each pair of
    ground and colour is mixed once.
    """
    if (
        isinstance(ground, str)
        and ground == "terrain"
        and getattr(place.space, "terrain", None) is not None
    ):
        kinds, tones = ground_kinds(place.space)
        walled = np.append(~place.space.terrain.enter.diagonal(), True)
    else:
        plain = (
            GROUND
            if ground is None or (isinstance(ground, str) and ground == "terrain")
            else parse_color(ground)
        )
        kinds, tones = (
            np.asarray(place.space.walls).view(np.uint8),
            np.array([plain, WALL], dtype=np.uint8),
        )
        walled = np.array([False, True])
    rgb = np.zeros((HIDDEN + 1, 3), dtype=np.uint8)
    rgb[: len(colors.table)] = colors.table
    rgb[HIDDEN] = colors.rgb(np.zeros((1, 1), dtype=np.float32))[
        0, 0
    ]  # under alpha 0, for whoever blurs a texture
    drawn = np.arange(HIDDEN + 1) < len(colors.table)
    cover = (
        checks.fraction("opacity", opacity)
        * drawn
        * (1 - (1 - ON_WALL) * walled.astype(np.float32)[:, np.newaxis])
    )[..., np.newaxis]
    table = np.full((len(tones), HIDDEN + 1, 4), 255, dtype=np.uint8)
    if ground is None:
        table[..., :3], table[..., 3:] = rgb, np.rint(cover * 255)
    else:
        table[..., :3] = np.rint(tones[:, np.newaxis] * (1 - cover) + rgb * cover)
    mixed = table.view(np.uint32)[..., 0].reshape(-1)
    cells = mixed.take((kinds[place.rows, place.columns].astype(np.uint32) << 8) | index)
    canvas = (
        np.repeat(np.repeat(cells, place.scale, axis=1), place.scale, axis=0)
        if place.scale > 1
        else cells
    )
    if ground is not None:
        canvas.reshape(-1)[_rims(place)] = np.array([*RIM, 255], dtype=np.uint8).view(np.uint32)[0]
    return canvas.view(np.uint8).reshape(*canvas.shape, 4)


def _rims(place: Placement) -> NDArray[np.int64]:
    """The pixels of the lines along the edges of walls; kept until walls change."""
    version = getattr(place.space, "walls_version", None)
    what = (place.rows.start, place.columns.start, place.shape, place.scale)
    known = _known_rims.get(place.space) if version is not None else None
    if known is not None and known[:2] == (version, what):
        return known[2]
    marks = np.zeros((*place.shape, 4), dtype=np.uint8)
    _outline(marks, np.asarray(place.space.walls[place.rows, place.columns]), place.scale)
    found = np.flatnonzero(marks[..., 0])
    if version is not None:
        _known_rims[place.space] = (version, what, found)
    return found


def _enlarged(cells: RGBA, scale: int) -> RGBA:
    return np.repeat(np.repeat(cells, scale, axis=1), scale, axis=0) if scale > 1 else cells


def _ground(space: GridLike, ground: Color | ArrayLike) -> NDArray[np.uint8]:
    """The colour of each cell before anything is drawn, shape (height, width, 3)."""
    if not isinstance(ground, str) and checks.array("ground", ground).ndim == 3:
        picture: NDArray[Any] = checks.array("ground", ground)
        if picture.shape != (*space.shape, 3) or picture.dtype != np.uint8:
            raise InvalidValue(
                "The colours of the ground are uint8 of the map's shape (height, width, 3)",
                got=(
                    f"shape {picture.shape}, dtype {picture.dtype} on a map of {tuple(space.shape)}"
                ),
                remedy="Pass one colour per cell, [row, column]",
            )
        return picture
    if (
        isinstance(ground, str)
        and ground == "terrain"
        and getattr(space, "terrain", None) is not None
    ):
        kinds, colors = ground_kinds(space)
        return colors[kinds]
    plain = GROUND if isinstance(ground, str) and ground == "terrain" else parse_color(ground)  # type: ignore[arg-type]
    return np.where(
        np.asarray(space.walls)[..., np.newaxis],
        np.array(WALL, dtype=np.uint8),
        np.array(plain, dtype=np.uint8),
    )


def ground_kinds(space: GridLike) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """The kind of ground of each cell, shape (height, width), and the colours of the kinds, shape
    (K, 3); the last kind is a plain wall.
    """
    walls = getattr(space, "walls", None)
    if not isinstance(walls, np.ndarray) or walls.ndim != 2:
        raise InvalidValue(
            "Kinds of ground are those of a grid",
            got=type(space).__name__,
            remedy="Pass a fieldcraft.Grid",
        )
    terrain = getattr(space, "terrain", None)
    if terrain is None:
        return walls.astype(np.uint16), np.array([GROUND, WALL], dtype=np.uint8)
    is_open = terrain.enter.diagonal()
    colors = [_kind(name, bool(open_)) for name, open_ in zip(terrain.names, is_open, strict=True)]
    kinds = terrain.classes.astype(np.uint16)
    kinds[walls & is_open[terrain.classes]] = len(colors)
    return kinds, np.array([*colors, WALL], dtype=np.uint8)


def _kind(name: str, is_open: bool) -> tuple[int, int, int]:
    """The colour of a class of terrain, by a word in its name."""
    for word, color in _KINDS.items():
        if word in name.lower():
            return color
    return GROUND if is_open else WALL


def beside(cells: NDArray[np.bool_], others: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of `cells` touch one of `others`, corners included: bool of one shape (height,
    width).
    """
    for given in (cells, others):
        if (
            not isinstance(given, np.ndarray)
            or given.dtype != np.bool_
            or given.ndim != 2
            or given.shape != np.shape(cells)
        ):
            raise InvalidValue(
                "cells and others are bool of one shape (height, width)",
                got=type(given).__name__,
                remedy="Pass two masks",
            )
    near = np.zeros_like(cells)
    for across in (-1, 0, 1):
        for down in (-1, 0, 1):
            near |= _seen(others, across, down)
    return cells & near


def _seen(cells: NDArray[np.bool_], across: int, down: int) -> NDArray[np.bool_]:
    """For each cell, whether the one `across` to the right and `down` below it is set; nothing lies
    outside of the map.
    """
    padded = np.pad(cells, 1)
    height, width = cells.shape
    return padded[1 + down : 1 + down + height, 1 + across : 1 + across + width]


def _outline(canvas: RGBA, walls: NDArray[np.bool_], scale: int) -> None:
    """Draw a line along the edges of walls, inside of the wall."""
    thick = min(max(1, round(scale / 4)), 3)
    height, width = walls.shape
    cells = canvas.reshape(height, scale, width, scale, 4).transpose(0, 2, 1, 3, 4)
    part = {-1: slice(0, thick), 0: slice(None), 1: slice(max(scale - thick, 0), None)}
    for across in (-1, 0, 1):
        for down in (-1, 0, 1):
            if across or down:
                cells[walls & _seen(~walls, across, down), part[down], part[across], :3] = RIM
