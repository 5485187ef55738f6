"""Arguments of sight: radii, heights of the ground, directions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.space.grid import Grid
from fieldcraft.space.protocol import Space

__all__ = ["checked_facings", "checked_heights", "finite_radii", "limits", "squares"]


def finite_radii(space: Space, radius: ArrayLike) -> ArrayLike:
    """Radii of which infinite ones reach over the whole space."""
    one: object = radius
    if isinstance(one, float) and one < math.inf:
        return radius
    radii = checks.array("radius", radius)
    if radii.dtype.kind != "f" or not np.isposinf(radii).any():
        return radius
    low, high = space.extent
    return np.where(np.isposinf(radii), 2 * float(np.sqrt(((high - low) ** 2).sum())) + 1, radii)[
        ()
    ]


def limits(space: Grid, radius: ArrayLike, count: int) -> NDArray[np.int64]:
    """The largest squared distances, in cells."""
    if np.ndim(radius) == 0:
        return np.full(
            count,
            kernels.visible.squared_reach(checks.positive("radius", radius) / space.cell_size),
            dtype=np.int64,
        )
    different, which = np.unique(checks.positives("radius", radius, count), return_inverse=True)
    return np.array(
        [kernels.visible.squared_reach(float(r) / space.cell_size) for r in different],
        dtype=np.int64,
    )[which]


def squares(radius: ArrayLike, count: int) -> NDArray[np.float64]:
    """The largest squared distances, in world units; a billionth is forgiven."""
    return np.minimum(checks.positives("radius", radius, count), checks.LARGEST) ** 2 * (1 + 1e-9)


def checked_heights(space: Space, heights: ArrayLike) -> NDArray[np.float32]:
    """The heights of the ground, one for each cell."""
    array = checks.shaped("heights", heights, space.shape)
    with np.errstate(over="ignore"):
        narrow = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(narrow).all():
        index, place = checks.first(~np.isfinite(narrow))
        raise InvalidValue(
            "heights are finite float32 numbers",
            got=f"{array[index]} at {place}",
            remedy="Replace NaN and infinity",
        )
    return narrow


def checked_facings(space: Space, facing: ArrayLike, count: int) -> NDArray[np.float64]:
    """Directions, one for all or (count, 2), as unit vectors in the order of rows."""
    kind = "(x, y)" if space.dimensions == 2 else "(x, y) or (x, y, z)"
    remedy = f"Pass one {kind} or an array of shape ({count}, 2), none of them (0, 0)"
    array = checks.array("facing", facing)
    lengths = range(2, space.dimensions + 1)
    if array.dtype.kind not in "iuf" or array.shape not in [
        shape for length in lengths for shape in ((length,), (count, length))
    ]:
        raise InvalidValue(
            f"facing is one direction {kind}, or one per position",
            got=f"{array.dtype} of shape {array.shape} for {count} positions",
            remedy=remedy,
        )
    wide = np.broadcast_to(array[..., :2], (count, 2)).astype(np.float64, order="C")
    largest = np.abs(wide).max(axis=1, keepdims=True)
    bad = np.flatnonzero(~(np.isfinite(largest) & (largest > 0)))
    if len(bad):
        raise InvalidValue(
            "A direction is finite and not (0, 0)",
            got=f"{tuple(wide[bad[0]].tolist())}",
            remedy=remedy,
        )
    wide /= largest
    wide /= np.hypot(wide[:, 0], wide[:, 1])[:, np.newaxis]
    grid = space.sight_grid
    if grid is not None and grid.y_up:
        wide[:, 1] *= -1
    return wide
