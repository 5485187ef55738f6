"""Checks of cells, ids and masks, and of positions that may be off the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.base.words import OUTSIDE, IfOutside
from fieldcraft.space.labeled_arrays import unlabeled

if TYPE_CHECKING:
    from fieldcraft.space.space import Space

One = tuple[float, float] | tuple[float, float, float]
"""One position, for type checkers; an array of shape (2,) counts as one too."""
Many = (
    NDArray[Any]
    | Sequence[tuple[float, float]]
    | Sequence[tuple[float, float, float]]
    | Sequence[NDArray[Any]]
)
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
    wrong = np.atleast_1d(False)
    if ids.size:
        wrong = np.atleast_1d((ids < 0) | (ids >= len(space)))
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


def on_map(space: Space, positions: ArrayLike, outside: IfOutside) -> ArrayLike:
    """Return positions, with `outside="clamp"` those off the map moved into the nearest cell."""
    if checks.choice("outside", outside, OUTSIDE) == "refuse":
        return positions
    points, single = checks.positions(positions, dimensions=space.dimensions)
    try:
        space.cell_at(points)
    except OutsideMap:
        _pull_in(space, points)
    if single:
        return np.asarray(points[0])
    return points


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
        if space.dimensions == 2:
            form = "(x, y) pairs"
        else:
            form = "(x, y, z)"
        raise InvalidValue(
            f"Vectors are {form} of numbers",
            got=f"{given.dtype} of shape {given.shape}",
            remedy=f"Pass ends minus starts, an array of shape (N, {space.dimensions})",
        )
    return given.astype(np.float64, copy=False)


def points_and_cells(
    space: Space, positions: ArrayLike, outside: IfOutside
) -> tuple[NDArray[np.float64], int | NDArray[np.int64], bool]:
    """Return world positions (N, D), their cells, and whether it was one position: then the cell is
    an int.
    """
    if type(positions) is np.ndarray and positions.ndim == 2:
        quick = space._quick_cells(positions, outside)
        if quick is not None:
            return positions, quick, False
    points, single = checks.positions(positions, dimensions=space.dimensions)
    return points, space.cell_at(positions if single else points, outside=outside), single


def too_far(point: NDArray[np.float64]) -> InvalidValue:
    """Return the error of a position so far away that its cell is beyond float64."""
    return InvalidValue(
        "Positions are within 1e308 cells of the map",
        got=f"{tuple(point.tolist())}",
        remedy="Correct that position",
    )
