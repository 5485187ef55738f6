"""Checks of cells, ids and masks, and of positions that may be off the map; opaque cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.base.interruption import atomic
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space.cached import cached_until_walls_change

if TYPE_CHECKING:
    from fieldcraft.space.space import Space

One = tuple[float, float] | tuple[float, float, float]
"""One position, for type checkers; an array of shape (2,) counts as one too."""
Many = NDArray[Any] | Sequence[tuple[float, float]] | Sequence[tuple[float, float, float]]
"""Many positions."""


def occupied_mask(space: Space, occupied: ArrayLike) -> NDArray[np.bool_]:
    """Return which cells are occupied, (N,) bool, from world positions, ids of cells or a mask.

    Whole numbers in one row are ids, other numbers positions.

    Raises
    ------
    OutsideMap
        For positions off the map, and ids that don't exist.
    InvalidValue
        For anything else.
    """
    mask = np.zeros(len(space), dtype=np.bool_)
    given = checks.array("occupied", unlabeled(space, condition(space, "occupied", occupied)))
    if not given.size:
        return mask
    if given.dtype == np.bool_ or (given.dtype.kind in "iu" and given.ndim <= 1):
        mask[space.cell_ids(occupied)] = True
    else:
        mask[space.cell_at(occupied)] = True
    return mask


def _are_ids(cells: object) -> TypeGuard[NDArray[np.int64]]:
    """Return whether cells are an array of ids, one or more, that needs no conversion."""
    return (
        type(cells) is np.ndarray and cells.dtype == np.int64 and cells.ndim == 1 and len(cells) > 0
    )


def checked_cells(space: Space, cells: ArrayLike) -> NDArray[np.int64]:
    """Return cells as int64, one or (N,): ids in their order, those of a mask ascending.

    Raises
    ------
    OutsideMap
        For ids that don't exist.
    InvalidValue
        For a tuple that looks like a position, a mask of another shape, and other values.
    """
    one: object = cells
    if type(one) is int and 0 <= one < len(space):
        return np.array(one)
    if _are_ids(one) and one.min() >= 0 and one.max() < len(space):
        return one.copy()
    if (
        isinstance(cells, tuple)
        and len(cells) == space.dimensions
        and all(isinstance(each, (int, np.integer)) for each in cells)
    ):
        raise InvalidValue(
            "Cells are whole numbers, one for each cell, and a tuple looks like a position",
            got=repr(cells),
            remedy=(
                f"Pass space.cell_at({cells!r}) for the cell there, or the list {list(cells)} for"
                " these cells"
            ),
        )
    ids = checks.array("Cells", unlabeled(space, condition(space, "A mask of cells", cells)))
    if ids.dtype == np.bool_ and ids.shape:
        checks.shaped("Masks of cells", ids, space.shape, "b")
        return np.flatnonzero(ids)
    if ids.size and (ids.dtype.kind not in "iu" or ids.ndim > 1):
        raise InvalidValue(
            "Cells are whole numbers",
            got=f"{ids.dtype} of shape {ids.shape}",
            remedy="Use cell_at() to turn positions into cells",
        )
    if ids.size:
        wrong = np.atleast_1d((ids < 0) | (ids >= len(space)))
    else:
        wrong = ids != ids
    if wrong.any():
        rule = "A cell is a vertex, and this graph has none"
        if len(space):
            rule = f"Cells lie in 0 to {len(space) - 1}"
        raise OutsideMap(
            rule,
            got=str(np.atleast_1d(ids)[wrong][0]),
            remedy="Use cell_at() to turn positions into cells",
        )
    return ids.astype(np.int64)


def cell_array(space: Space, what: str, values: ArrayLike, kinds: str = "iuf") -> NDArray[Any]:
    """Return values as an array in the shape of a space, of one of some kinds of dtype."""
    if kinds == "b":
        values = condition(space, what, values)
    return checks.shaped(what, unlabeled(space, values), space.shape, kinds)


def condition(space: Space, what: str, values: ArrayLike) -> ArrayLike:
    """Return a condition on maps, such as `threat > 2`, as bool in the shape of a space; anything
    but a map unchanged.
    """
    ground = getattr(values, "space", None)
    if ground is None:
        return values
    given: NDArray[Any] = np.asarray(getattr(values, "values", values))
    if given.dtype == np.bool_:
        return given
    if not np.isin(given, (0, 1)).all():
        raise InvalidValue(
            f"{what} is bool, or a condition on maps, which is 0 or 1 in each cell",
            got=f"values from {given.min():g} to {given.max():g}",
            remedy="Compare the map: `threat > 2`, say",
        )
    if getattr(ground, "y_up", False) != getattr(space, "y_up", False):
        raise InvalidValue(
            f"{what} has its rows in the order of the map that it is for",
            got=f"a map with y_up={not getattr(space, 'y_up', False)}",
            remedy="Pass (condition.values == 1)[::-1]",
        )
    mask: NDArray[np.bool_] = given == 1
    return mask


def unlabeled(space: Space, values: ArrayLike) -> ArrayLike:
    """Return the values of an `xarray.DataArray` in the order of a grid's cells; anything else
    unchanged.

    Dimensions are matched by name, and rows and columns by their coordinates, if there are any.
    Other dimensions, and coordinates that are not the centers of the grid's cells, raise
    `InvalidValue`; so do coordinates on hexagons, whose centers are not in straight columns.
    """
    labeled: Any = values
    dims = getattr(labeled, "dims", None)
    if not isinstance(dims, tuple) or not hasattr(labeled, "coords") or len(space.shape) != 2:
        return values
    if set(dims) != {"y", "x"}:
        raise InvalidValue(
            "A labeled array has the dims y and x",
            got=f"dims {dims}",
            remedy="Rename them, or pass array.values",
        )
    labeled = labeled.transpose("y", "x")
    centers = space.positions.reshape(*space.shape, 2)
    x, y = centers[:1, :, 0], centers[:, :1, 1]
    if (centers[..., 0] != x).any() or (centers[..., 1] != y).any():
        named = [name for name in ("y", "x") if name in labeled.coords]
        if named:
            raise InvalidValue(
                "A labeled array on hexagons has no coordinates, which no straight columns have",
                got=f"coordinates {', '.join(named)}",
                remedy="Pass array.values, with the rows and columns of the hexagons",
            )
        return np.asarray(labeled.values)
    cell_size = float(np.ptp(space.extent[:, 0])) / space.shape[1]
    for name, wanted in (("y", y[:, 0]), ("x", x[0])):
        if name not in labeled.coords:
            continue
        given = coordinates(labeled, name)
        tolerance = cell_size / 100 + rounding(labeled, name)
        if given.shape == wanted.shape and np.allclose(given, wanted, rtol=0, atol=tolerance):
            continue
        if given.shape != wanted.shape or not np.allclose(
            given[::-1], wanted, rtol=0, atol=tolerance
        ):
            raise InvalidValue(
                f"The {name} coordinates of a labeled array are the centers of the grid's cells",
                got=f"{len(given)} from {given[:1]} to {given[-1:]}, for {len(wanted)} from"
                f" {wanted[0]:g} to {wanted[-1]:g}",
                remedy="Interpolate it onto these centers with array.interp(x=..., y=...), or pass"
                " array.values",
            )
        labeled = labeled.isel({name: slice(None, None, -1)})
    return np.asarray(labeled.values)


def coordinates(labeled: Any, name: str) -> NDArray[np.float64]:
    """Return the coordinates of a dimension of a labeled array, (N,)."""
    given = np.asarray(labeled.coords[name].values)
    fits = given.dtype.kind in "iuf" and given.ndim == 1 and len(given) > 0
    if not fits or not np.isfinite(given).all():
        raise InvalidValue(
            f"The {name} coordinates of a labeled array are finite numbers, at least one",
            got=f"{given.dtype} of shape {given.shape}, {given.reshape(-1)[:3]}",
            remedy=f"Replace them with assign_coords({name}=...)",
        )
    return given.astype(np.float64)


def rounding(labeled: Any, name: str) -> float:
    """Return how far the type of the coordinates, float32 say, may move them."""
    given = np.asarray(labeled.coords[name].values)
    if given.dtype.kind != "f":
        return 0.0
    return float(np.spacing(np.abs(given).max()))


def on_map(space: Space, positions: ArrayLike, outside: IfOutside) -> ArrayLike:
    """Return positions, with `outside="clamp"` those off the map moved into the nearest cell."""
    if checks.choice("outside", outside, ("refuse", "clamp")) == "refuse":
        return positions
    points, single = checks.positions(positions, dimensions=space.dimensions)
    try:
        space.cell_at(points)
    except OutsideMap:
        _pull_in(space, points)
    return points[0] if single else points


def _pull_in(space: Space, points: NDArray[np.float64]) -> None:
    """Move points off the map to the center of the nearest cell."""
    cells = np.atleast_1d(space.cell_at(points, outside="clamp"))
    for index, cell in enumerate(cells.tolist()):
        try:
            space.cell_at(points[index])
        except OutsideMap:
            points[index] = space.position_of(cell)


def checked_vectors(space: Space, vectors: ArrayLike) -> NDArray[np.float64]:
    """Return vectors in world units, (..., 2) or (..., 3), as float64."""
    given = checks.array("Vectors", vectors)
    if given.shape[-1:] != (space.dimensions,) or given.dtype.kind not in "iuf":
        raise InvalidValue(
            f"Vectors are {'(x, y) pairs' if space.dimensions == 2 else '(x, y, z)'} of numbers",
            got=f"{given.dtype} of shape {given.shape}",
            remedy=f"Pass ends minus starts, an array of shape (N, {space.dimensions})",
        )
    return given.astype(np.float64, copy=False)


_AS_WALLS, _OPAQUE, _TRANSPARENT = range(3)
_PAIRS_PER_THREAD = 2_000


def set_opaque(space: Space, cells: ArrayLike, opaque: bool | None) -> None:
    """See `Space.set_opaque`."""
    space._check_hides()
    code = _AS_WALLS
    if opaque is not None:
        if checks.flag("opaque", opaque):
            code = _OPAQUE
        else:
            code = _TRANSPARENT
    codes = _codes(space).copy()
    codes[checked_cells(space, cells)] = code
    _set_codes(space, codes)


def _codes(space: Space) -> NDArray[np.uint8]:
    codes = space.opacity_codes
    if codes is None:
        return np.zeros(len(space), dtype=np.uint8)
    return codes


@atomic
def _set_codes(space: Space, codes: NDArray[np.uint8]) -> None:
    changed = np.flatnonzero(_codes(space) != codes)
    if len(changed):
        space._changes.add(changed)
        space.opacity_codes = codes


def match_opacity(space: Space, opaque: NDArray[np.bool_]) -> None:
    """Make exactly these cells opaque, bool in the space's shape."""
    codes = np.where(opaque == space.walls, _AS_WALLS, np.where(opaque, _OPAQUE, _TRANSPARENT))
    _set_codes(space, codes.astype(np.uint8).reshape(-1))


@cached_until_walls_change
def opaque_of(space: Space) -> NDArray[np.bool_]:
    """See `Space.opaque`; the walls themselves where both are the same."""
    walls = space.walls
    codes = space.opacity_codes
    if codes is None:
        return walls
    opaque = np.where(codes == _AS_WALLS, walls.reshape(-1), codes == _OPAQUE).reshape(space.shape)
    if (opaque == walls).all():
        return walls
    return read_only(opaque)


def sees_cells(
    opaque: NDArray[np.bool_],
    wrap: bool,
    viewers: NDArray[np.int64],
    cells: NDArray[np.int64],
    limits: NDArray[np.int64],
    cones: NDArray[np.float64],
    *,
    pairs: bool = False,
) -> NDArray[np.bool_]:
    """Return which cells (T,) of a grid the viewers in cells (V,) see, (V, T), or with `pairs` each
    its own, (V, 1). The two cells at the ends of a line never block it.
    """
    seen = np.zeros((len(viewers), 1 if pairs else len(cells)), dtype=np.bool_)
    common = (opaque.view(np.uint8), viewers, limits, cones, cells, wrap, pairs)
    parts = pool.bands(len(viewers), seen.size // _PAIRS_PER_THREAD)
    pool.run([(kernels.sight.sees.sees_cells, (*common, low, high, seen)) for low, high in parts])
    return seen
