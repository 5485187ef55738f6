"""Which steps a grid allows, as one bit per step and cell."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.terrain import Terrain

__all__ = ["build", "masks", "patch"]

_Kind = TypeVar("_Kind", np.bool_, np.uint8)
Steps = tuple[tuple[int, int], ...]
Links = NDArray[np.unsignedinteger]


def masks(steps: Steps) -> Links:
    """The bit of each step: uint8 for up to 8 steps, else uint64."""
    return np.array([1 << k for k in range(len(steps))], dtype=_dtype(steps))


def build(
    walls: NDArray[np.bool_],
    terrain: Terrain | None,
    steps: Steps,
    wrap: bool,
    *,
    into_walls: bool = False,
) -> Links:
    """Bit `k` of a cell is set where `steps[k]`, (columns, rows), may end there; uint8 for up to 8
    steps, else uint64.

    Nothing enters a wall, or with `into_walls` each is entered as if it alone were open. Walls are
    left by any step that ends on open ground, since a source may stand on one.
    """
    return _built(
        walls, None if terrain is None else terrain.classes, terrain, steps, wrap, walls, into_walls
    )


def patch(
    links: Links,
    changed: NDArray[np.int64],
    walls: NDArray[np.bool_],
    terrain: Terrain | None,
    steps: Steps,
    wrap: bool,
    *,
    free: NDArray[np.bool_] | None = None,
) -> Links:
    """The links after the walls of these cells have changed: a copy of the old ones, mended around
    them.

    `free` are the cells that any step leaves whatever their terrain, the walls if they are not
    given.
    """
    leave = walls if free is None else free
    height, width = walls.shape
    reach = max(max(abs(dx), abs(dy)) for dx, dy in steps)
    rows, columns = np.divmod(changed, width)
    y0, y1 = int(rows.min()) - reach, int(rows.max()) + reach + 1
    x0, x1 = int(columns.min()) - reach, int(columns.max()) + reach + 1
    near_rim = y0 - reach < 0 or x0 - reach < 0 or y1 + reach > height or x1 + reach > width
    if (wrap and near_rim) or (y1 - y0) * (x1 - x0) > links.size // 2:
        return _built(
            walls, None if terrain is None else terrain.classes, terrain, steps, wrap, leave
        )
    y0, y1, x0, x1 = max(y0, 0), min(y1, height), max(x0, 0), min(x1, width)
    # What arrives in these cells comes from at most `reach` cells beyond them.
    top, left = max(y0 - reach, 0), max(x0 - reach, 0)
    window = np.s_[top : min(y1 + reach, height), left : min(x1 + reach, width)]
    around = _built(
        walls[window],
        None if terrain is None else terrain.classes[window],
        terrain,
        steps,
        False,
        leave[window],
    )
    mended = links.copy()
    mended[y0:y1, x0:x1] = around[y0 - top : y1 - top, x0 - left : x1 - left]
    return mended


def _dtype(steps: Steps) -> type[np.unsignedinteger]:
    return np.uint8 if len(steps) <= 8 else np.uint64


def _built(
    walls: NDArray[np.bool_],
    classes: NDArray[np.uint8] | None,
    terrain: Terrain | None,
    steps: Steps,
    wrap: bool,
    free: NDArray[np.bool_],
    into_walls: bool = False,
) -> Links:
    def before(array: NDArray[_Kind], dx: int, dy: int, outside: int | bool) -> NDArray[_Kind]:
        """For each cell, the value of `array` one step (dx, dy) earlier; `outside` where that lies
        off the map.
        """
        if wrap:
            return np.roll(array, (dy, dx), axis=(0, 1))
        moved: NDArray[_Kind] = np.full_like(array, outside)
        height, width = array.shape
        if abs(dy) < height and abs(dx) < width:
            moved[max(dy, 0) : height + min(dy, 0), max(dx, 0) : width + min(dx, 0)] = array[
                max(-dy, 0) : height + min(-dy, 0), max(-dx, 0) : width + min(-dx, 0)
            ]
        return moved

    def may_step(dx: int, dy: int) -> NDArray[np.bool_]:
        """For each cell, whether a step (dx, dy) may end there as far as the rim and the terrain
        go.
        """
        inside = before(np.ones(walls.shape, dtype=np.bool_), dx, dy, False)
        if terrain is None or classes is None:
            return inside
        return inside & (
            terrain.enter[before(classes, dx, dy, 0), classes] | before(free, dx, dy, False)
        )

    dtype = _dtype(steps)
    links = np.zeros(walls.shape, dtype=dtype)
    for bit, (dx, dy) in enumerate(steps):
        allowed = may_step(dx, dy) if into_walls else ~walls & may_step(dx, dy)
        if abs(dx) == 1 and abs(dy) == 1:
            for side_dx, side_dy in ((dx, 0), (0, dy)):
                # The side cell lies one straight step after the start, and one straight step before
                # the end.
                rest = (dx - side_dx, dy - side_dy)
                allowed &= before(~walls, *rest, False) & may_step(*rest)
                if terrain is not None:
                    allowed &= before(may_step(side_dx, side_dy), *rest, False)
        links |= allowed.astype(dtype) << dtype(bit)
    return links
