"""Slopes of values at positions, and values along paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import OUTSIDE, Between, IfOutside
from fieldcraft.query.queries_on_space import queries_of
from fieldcraft.space import Space
from fieldcraft.space.lines import line_of
from fieldcraft.values.readable import Readable
from fieldcraft.values.sampling import HOW


def gradient(
    layer: Readable | ArrayLike,
    positions: ArrayLike,
    *,
    how: Between = "nearest",
    outside: IfOutside = "refuse",
    space: Space | None = None,
) -> NDArray[np.float64]:
    """Return the direction in which values grow, and how fast, in value per world unit.

    A step of `d` adds about `gradient @ d`. Follow it to climb, its negative to flee.

    Parameters
    ----------
    layer, positions, outside, space
        As in `sample`.
    how : {"nearest", "bilinear"}
        "nearest" reads the slope of the cell that holds the position, between its neighbors on both
        sides. If a wall or the rim replaces one of them, it is the slope to the other, and 0 if
        both are missing. "bilinear" mixes the slopes of the cells around on a grid, with the
        weights of `sample`. On a graph the slope fits the differences to the neighbors best, by
        least squares, and is the smallest of these.

    Returns
    -------
    ndarray of float64
        (N, 2), or (2,) for one position; (3,) or (N, 3) in 3D. In a wall it is 0.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.query.gradient([[0, 1, 3]], (1.5, 0.5), space=fc.Grid(3, 1))
    array([1.5, 0. ])
    """
    smooth = checks.choice("how", how, HOW) == "bilinear"
    slopes, single = queries_of(layer, space).gradient(positions, smooth, outside)
    if single:
        return np.asarray(slopes[0])
    return np.asarray(slopes)


@dataclass(frozen=True, eq=False)
class Along:
    """The values along N paths, float64 arrays of shape (N,), or along one, floats.

    Attributes
    ----------
    sum : float or ndarray
        Value times world length, added up over the cells that a path crosses.
    length : float or ndarray
        World units.
    mean : float or ndarray
        `sum / length`; the value of the cell for a path without length.
    maximum : float or ndarray
        The highest value that a path crosses.
    where : ndarray, (2,) or (N, 2)
        The middle of the stretch in the first cell with the maximum.
    """

    sum: float | NDArray[np.float64]
    length: float | NDArray[np.float64]
    mean: float | NDArray[np.float64]
    maximum: float | NDArray[np.float64]
    where: NDArray[np.float64]


def along(
    layer: Readable | ArrayLike,
    path: ArrayLike | Sequence[ArrayLike],
    *,
    outside: IfOutside = "refuse",
    space: Space | None = None,
) -> Along:
    """Return the sum, mean and maximum of values along a path.

    Each cell counts with the exact length of the path inside it; walls count as they are. A stretch
    along the line between two cells belongs to the cell that owns its edge, as `Grid.cell_at` has
    it. On a graph each stretch counts with the mean of the vertices of its two ends.

    Parameters
    ----------
    layer, outside, space
        As in `sample`.
    path : array_like, Path or FrontLine, or a sequence of them
        (M, 2) world positions with straight lines in between, the short way round axes that wrap;
        or an object with `positions` or `points`. Many paths may have different lengths.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If a path has no positions.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> danger = fc.query.along([[0, 1, 3]], [(0.5, 0.5), (2.5, 0.5)], space=fc.Grid(3, 1))
    >>> danger.sum, danger.maximum
    (2.5, 3.0)
    """
    checks.choice("outside", outside, OUTSIDE)
    values = queries_of(layer, space)
    paths, single = _paths(path, values.space.dimensions)
    sums, lengths, means, highest, where = values.along(paths, outside)
    if not single:
        return Along(sums, lengths, means, highest, where)
    return Along(float(sums[0]), float(lengths[0]), float(means[0]), float(highest[0]), where[0])


def _paths(
    path: ArrayLike | Sequence[ArrayLike], dimensions: int
) -> tuple[list[NDArray[np.float64]], bool]:
    """Return each path as an (M, 2) array, and whether there was just one."""
    path = line_of(path)
    if isinstance(path, np.ndarray):
        single = path.ndim < 3
        many = [path] if single else list(path)
    else:
        if not isinstance(path, Sequence):
            raise InvalidValue(
                "A path is an (M, 2) array of world positions",
                got=type(path).__name__,
                remedy="Pass a list or an array",
            )
        lines = [line_of(each) for each in path]
        single = len(lines) > 0 and _depth(lines[0]) < 2
        many = [lines] if single else lines
    checked = [checks.positions(each, dimensions=dimensions) for each in many]
    for index, (points, pair) in enumerate(checked):
        if pair or not len(points):
            got = "one pair" if pair else "no position"
            if not single:
                got += f" as path {index}"
            raise InvalidValue(
                "A path is an (M, 2) array of at least one world position",
                got=got,
                remedy="Pass [(x, y)] for a path without length",
            )
    return [points for points, _ in checked], single


def _depth(value: object) -> int:
    depth = 0
    while depth < 4 and isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str):
        depth += 1
        if not len(value):
            return 2  # a path without positions
        value = value[0]
    return depth
