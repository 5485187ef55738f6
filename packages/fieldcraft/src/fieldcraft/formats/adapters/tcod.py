"""Arrays for roguelikes on tcod, which indexes them [x, y] in Fortran order.

The tiles of a tcod map are the cells of a `Grid(tiles=True)`, and positions are (x, y) of tiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, needs
from fieldcraft.base.words import Corners
from fieldcraft.space import Grid, grid_of

if TYPE_CHECKING:
    from fieldcraft.values.operand import Operand

__all__ = ["field_of_view", "grid", "path_cost", "steps_to", "tiles_of"]

_MOST_STEPS = 2**30  # sums of two fit in int32


def grid(
    walkable: ArrayLike,
    *,
    neighbors: int | ArrayLike = 8,
    corners: Corners = "never",
    wrap: bool | Literal["x", "y"] = False,
) -> Grid:
    """Return the grid of a tcod map. The array is copied: use `set_walls` for doors.

    Parameters
    ----------
    walkable : array_like of shape (width, height)
        Bool, indexed [x, y], such as `tiles["walkable"]`.
    neighbors, corners, wrap
        See `Grid`; with `corners="cut"` diagonals pass walls as in tcod.

    Raises
    ------
    InvalidValue
        For other arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from fieldcraft.formats.adapters import tcod
    >>> walkable = np.ones((4, 2), dtype=bool, order="F")
    >>> walkable[2, 0] = False
    >>> tcod.grid(walkable).walls
    array([[False, False,  True, False],
           [False, False, False, False]])
    """
    open_ = _table("walkable", walkable)
    return Grid(walls=~open_.T, tiles=True, neighbors=neighbors, corners=corners, wrap=wrap)


def tiles_of(values: Operand | ArrayLike) -> NDArray[Any]:
    """Return a view of the values of a map, or of an array (height, width), indexed [x, y]: shape
    (width, height). The view of a layer is live and read-only.
    """
    array: NDArray[Any] = checks.array("Values", getattr(values, "values", values))
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InvalidValue(
            "Tiles are the cells of a grid",
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
    """Return the tiles seen from one by tcod's rules, a mask of shape (height, width) for `mark`,
    `observe` and `where`.

    `visible` draws lines between centers and sees a little more: use one of the two throughout a
    game.

    Parameters
    ----------
    transparent : array_like of shape (width, height)
        Bool, indexed [x, y].
    position : tuple of int
        Tile of the viewer.
    radius : int, optional
        In tiles; 0 is unlimited.
    light_walls : bool, optional
        Whether walls are seen.
    algorithm : int, optional
        One of `tcod.constants.FOV_*`; symmetric shadow casting if absent.

    Raises
    ------
    MissingLibrary
        Without tcod.
    InvalidValue
        If an argument has a wrong value, shape or type.
    """
    with needs("tcod", "roguelike", "field_of_view"):
        from tcod import constants
        from tcod.map import compute_fov
    table = _table("transparent", transparent)
    x, y = checks.pair("position", position)
    if not (x in range(table.shape[0]) and y in range(table.shape[1])):
        raise InvalidValue(
            "A viewer is on the map",
            got=f"{(x, y)} on {table.shape[0]} x {table.shape[1]} tiles",
            remedy="Pass (x, y) of a tile",
        )
    if algorithm is None:
        chosen = constants.FOV_SYMMETRIC_SHADOWCAST
    else:
        chosen = checks.integer("algorithm", algorithm)
    seen = compute_fov(
        np.asfortranarray(table),
        (int(x), int(y)),
        checks.integer("radius", radius, maximum=2**31 - 1),
        checks.flag("light_walls", light_walls),
        algorithm=chosen,
    )
    return np.asarray(seen.T)


def steps_to(
    distances: Operand, *, scale: float = 16.0, unreached: int = _MOST_STEPS
) -> NDArray[np.int32]:
    """Return distances times `scale`, rounded, for `tcod.path.hillclimb2d`: int32 of shape
    (width, height) in Fortran order, `unreached` where they are infinite.
    """
    scale = checks.positive("scale", scale)
    tiles = tiles_of(distances)
    with np.errstate(invalid="ignore", over="ignore"):
        rounded = np.rint(tiles.astype(np.float64) * scale)
    limit = checks.integer("unreached", unreached, maximum=2**31 - 1)
    return np.asfortranarray(np.where(rounded < limit, rounded, limit).astype(np.int32))


def path_cost(extra: Operand, *, base: float = 1.0, scale: float = 10.0) -> NDArray[np.int16]:
    """Return the cost of each tile for `tcod.path.SimpleGraph`: int16 of shape (width, height) in
    Fortran order, 0 on walls.

    It is `round(scale * (base + extra))`, from 1 to 32767: a tile with an influence of 2 costs
    three times as much as one without.
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
    """Return a checked table of tiles, [x, y]."""
    table = checks.array(name, value)
    if table.ndim != 2 or table.dtype != np.bool_:
        raise InvalidValue(
            f"{name} is an array of bool of shape (width, height), [x, y]",
            got=f"{table.dtype} of shape {table.shape}",
            remedy=f'Pass tiles["{name}"]',
        )
    return table
