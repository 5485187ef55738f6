"""Roguelikes on tcod: its arrays are [x, y] in Fortran order, fieldcraft's [row, column]; nothing
here copies but what must be rounded.

The tiles of a tcod map are the tiles of a `Grid(tiles=True)`: positions are (x, y) of tiles
everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft.space import Grid, grid_of

if TYPE_CHECKING:
    from fieldcraft.layer.operand import Operand

__all__ = ["field_of_view", "grid", "path_cost", "steps_to", "tiles_of"]

_MOST_STEPS = 2**30  # what int32 can hold, and be added to


def grid(
    walkable: ArrayLike,
    *,
    neighbors: int | ArrayLike = 8,
    corners: str = "never",
    wrap: bool = False,
) -> Grid:
    """The grid of tiles of a tcod map: `walkable` is bool of shape (width, height), indexed [x, y],
    as in `tiles["walkable"]`. With `corners="cut"` diagonals pass walls as they do in tcod.

    A copy is taken: open and shut doors with `set_walls`. Raises `InvalidValue` for anything but
    bool of two dimensions.
    """
    open_ = _table("walkable", walkable)
    return Grid(walls=~open_.T, tiles=True, neighbors=neighbors, corners=corners, wrap=wrap)


def tiles_of(values: Operand | ArrayLike) -> NDArray[Any]:
    """A map's values, or an array of shape (height, width), as tcod indexes them: a view of shape
    (width, height), [x, y].

    The view of a layer is live: it shows what the layer holds after each step. It is read-only, as
    `values` is.
    """
    array: NDArray[Any] = checks.array("Values", getattr(values, "values", values))
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InvalidValue(
            "Tiles lie on a grid",
            got=f"{array.dtype} of shape {array.shape}",
            remedy="Pass a layer on a grid",
        )
    return array.T


def field_of_view(
    transparent: ArrayLike,
    position: tuple[int, int],
    *,
    radius: int = 0,
    light_walls: bool = True,
    algorithm: int | None = None,
) -> NDArray[np.bool_]:
    """The tiles seen from one by tcod's own rules, as a mask for `mark`, `observe` and `where`:
    bool of shape (height, width).

    `transparent` is bool of shape (width, height), [x, y]; `radius` is in tiles, 0 for no end;
    `algorithm` one of `tcod.constants.FOV_*`, its symmetric shadow casting if none is given.
    fieldcraft's own `visible` draws lines
    between centers and sees a little more: use one of the two throughout a game. Raises
    `MissingLibrary` without tcod.
    """
    try:
        from tcod import constants
        from tcod.map import compute_fov
    except ImportError:
        raise MissingLibrary("tcod", "roguelike", "field_of_view") from None
    table = _table("transparent", transparent)
    x, y = checks.pair("position", position)
    if not (x in range(table.shape[0]) and y in range(table.shape[1])):
        raise InvalidValue(
            "A viewer stands on the map",
            got=f"{(x, y)} on {table.shape[0]} x {table.shape[1]} tiles",
            remedy="Pass (x, y) of a tile",
        )
    seen = compute_fov(
        np.asfortranarray(table),
        (int(x), int(y)),
        checks.integer("radius", radius, maximum=2**31 - 1),
        checks.flag("light_walls", light_walls),
        algorithm=(
            constants.FOV_SYMMETRIC_SHADOWCAST
            if algorithm is None
            else checks.integer("algorithm", algorithm)
        ),
    )
    return np.asarray(seen.T)


def steps_to(
    distances: Operand, *, scale: float = 16.0, unreached: int = _MOST_STEPS
) -> NDArray[np.int32]:
    """A distance map in whole numbers for `tcod.path.hillclimb2d`: int32 of shape (width, height)
    in Fortran order.

    Distances times `scale`, rounded; `unreached` on walls and where no goal can be reached. tcod
    takes no floats, and no infinity.
    """
    scale = checks.positive("scale", scale)
    tiles = tiles_of(distances)
    with np.errstate(invalid="ignore", over="ignore"):
        rounded = np.rint(tiles.astype(np.float64) * scale)
    limit = checks.integer("unreached", unreached, maximum=2**31 - 1)
    return np.asfortranarray(np.where(rounded < limit, rounded, limit).astype(np.int32))


def path_cost(extra: Operand, *, base: float = 1.0, scale: float = 10.0) -> NDArray[np.int16]:
    """The cost of each tile for `tcod.path.SimpleGraph`: int16 of shape (width, height) in Fortran
    order, 0 where nobody walks.

    `round(scale * (base + extra))`, at least 1 and at most 32767: a tile with an influence of 2
    costs three times a free one.
    """
    space = grid_of(
        getattr(extra, "space", None),
        "A cost of tiles",
        remedy="Pass a layer or an expression on a grid",
    )
    cost = np.rint(
        checks.positive("scale", scale)
        * (checks.finite("base", base) + tiles_of(extra).astype(np.float64))
    )
    return np.asfortranarray(np.where(space.walls.T, 0, np.clip(cost, 1, 32767)).astype(np.int16))


def _table(name: str, value: ArrayLike) -> NDArray[np.bool_]:
    table = checks.array(name, value)
    if table.ndim != 2 or table.dtype != np.bool_:
        raise InvalidValue(
            f"{name} is an array of bool of shape (width, height), [x, y]",
            got=f"{table.dtype} of shape {table.shape}",
            remedy=f'Pass tiles["{name}"]',
        )
    return table
