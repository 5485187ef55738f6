"""Cells chosen by their values: the best around a position, peaks, regions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.query.backend import queries
from fieldcraft.query.ground import Ground, Readable
from fieldcraft.space import Space
from fieldcraft.space.answers import Regions, Spots, checked_none, chosen, regions_above

__all__ = ["best", "peaks", "pick", "regions", "worst"]


def best(
    layer: Readable,
    positions: ArrayLike,
    radius: float,
    *,
    count: int | None = None,
    spacing: float = 0.0,
    where: Readable | ArrayLike | None = None,
    walk: float | None = None,
    outside: str = "refuse",
    none: str = "nan",
) -> Spots:
    """Return the open cells with the highest values around each position.

    Of equal values the nearest cell comes first, of equally near ones the lowest.

    Parameters
    ----------
    layer : layer or expression
        A map of values on any space.
    positions : array_like of shape (2,) or (N, 2)
        World positions; walls are allowed.
    radius : float
        Cells count whose center lies within this straight distance, in world units.
    count : int, optional
        Number of cells for each position, in an axis of their own. By default the best one, without
        that axis.
    spacing : float
        Least distance between the choices of one position, from center to center.
    where : ndarray of bool, layer or expression, optional
        Cells that may be chosen: where it is not 0.
    walk : float, optional
        Only cells that can be walked to within this distance; from a wall, from the open cells
        beside it.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.
    none : {"nan", "stay", "refuse"}
        Where there is no such cell: NaN, the agent's own cell, or `InvalidValue`. In the first two
        cases it is not `found`: `if spot:` for one, `spots.found` for many.

    Returns
    -------
    Spots
        Positions, values and cells.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> distances = fc.distance_map(fc.Grid(5, 1), (0.5, 0.5))
    >>> fc.best(distances, (1.5, 0.5), 2).position
    array([3.5, 0.5])
    """
    return _choose(
        layer, positions, radius, count, spacing, where, walk, outside, none, np.float32(1)
    )


def worst(
    layer: Readable,
    positions: ArrayLike,
    radius: float,
    *,
    count: int | None = None,
    spacing: float = 0.0,
    where: Readable | ArrayLike | None = None,
    walk: float | None = None,
    outside: str = "refuse",
    none: str = "nan",
) -> Spots:
    """The open cells with the lowest values around each position; everything else is as in
    `best`.
    """
    return _choose(
        layer, positions, radius, count, spacing, where, walk, outside, none, np.float32(-1)
    )


def _choose(
    layer: Readable,
    positions: ArrayLike,
    radius: float,
    count: int | None,
    spacing: float,
    where: Readable | ArrayLike | None,
    walk: float | None,
    outside: str,
    none: str,
    sign: np.float32,
) -> Spots:
    ground, otherwise = queries(layer), checked_none(none)
    far, apart = checks.positive("radius", radius), checks.not_negative("spacing", spacing)
    wanted = _wanted(count, ground.space)
    cells, single = ground.best(positions, far, wanted, apart, where, walk, outside, sign)

    def own() -> NDArray[np.int64]:
        return np.atleast_1d(ground.space.cell_at(positions, outside=outside))

    return chosen(cells, own, single, count, otherwise, ground.space, ground.flat)


def _wanted(count: int | None, space: Space) -> int:
    """Return how many cells are asked for, at most as many as there are."""
    return 1 if count is None else checks.integer("count", count, minimum=1, maximum=len(space))


def pick(
    layer: Readable,
    positions: ArrayLike,
    radius: float,
    *,
    rng: np.random.Generator,
    above: float | None = None,
    count: int | None = None,
    spacing: float = 0.0,
    where: Readable | ArrayLike | None = None,
    walk: float | None = None,
    outside: str = "refuse",
    none: str = "nan",
) -> Spots:
    """A random open cell around each position, of those whose value is above a number: each as
    likely as the other.

    For patrols, spawns and monsters that should not all stand in the one best place. Positions draw
    for themselves: two may get the same cell. The same generator, in the same state, draws the same
    cells.

    Parameters
    ----------
    layer : Readable
        A layer or an expression.
    positions : array_like
        One (x, y) pair or an (N, 2) array of world positions; walls are allowed.
    radius : float
        World units, above 0; cells count whose center lies within.
    rng : Generator
        Where the dice come from, `np.random.default_rng(seed)`: one number is drawn for each cell
        of the map and each position.
    above : float, optional
        The number that the value of a cell must pass; without it all open cells count.
    count, spacing, where, walk, outside, none
        As in `best`; with `count` no cell comes twice for one position.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If an argument has a wrong value, shape or type.
    """
    ground, otherwise = Ground(layer), checked_none(none)
    space = ground.space
    far, apart = checks.positive("radius", radius), checks.not_negative("spacing", spacing)
    wanted = _wanted(count, space)
    dice, good = checks.generator(rng), ~ground.closed(where)
    if above is not None:
        good &= ground.values > checks.finite("above", above)
    points, single = checks.positions(positions, dimensions=space.dimensions)
    cells = np.full((len(points), wanted), -1, dtype=np.int64)
    own = np.asarray(
        space.cell_at(points, outside=outside), dtype=np.int64
    )  # refuses before a die is thrown
    for number, point in enumerate(points):
        draws = queries(_Draws(space, dice.random(space.shape, dtype=np.float32)))
        cells[number] = draws.best(point, far, wanted, apart, good, walk, outside, np.float32(1))[
            0
        ][0]
    return chosen(cells, lambda: own, single, count, otherwise, space, ground.flat)


class _Draws(NamedTuple):
    """The random number of each cell of a space; the highest wins."""

    space: Space
    values: NDArray[np.float32]


def peaks(
    layer: Readable, count: int | None = None, *, spacing: float = 0.0, threshold: float = 0.0
) -> Spots:
    """The local maxima, strongest first: open cells beside which, one step of the space's
    neighbourhood away, nothing is higher.

    A plateau of equal values counts once, by its cell nearest to its middle. Of equal peaks the
    lowest cell comes first.

    Returns `Spots` with as many entries as were found: positions (K, 2), values (K,), cells (K,).
    Raises `InvalidValue`.

    Parameters
    ----------
    layer : Readable
        A layer or an expression.
    count : int, optional
        How many at most; None for all.
    spacing : float, optional
        The least distance to the stronger peaks before it, world units from center to center.
    threshold : float, optional
        Only values above this count.
    """
    ground = queries(layer)
    most = (
        len(ground.space)
        if count is None
        else min(checks.integer("count", count, minimum=1), len(ground.space))
    )
    apart, above = checks.not_negative("spacing", spacing), checks.finite("threshold", threshold)
    return Spots.at(ground.peaks(most, apart, above), ground.space, ground.flat, ranked=True)


def regions(layer: Readable, threshold: float = 0.0) -> Regions:
    """The connected regions whose values are above `threshold`, the one with the largest total
    first.

    Open cells belong together when a step of the space's neighbourhood leads from one to the other,
    in either direction. Of equal totals the region with the lowest cell comes first, of equally
    high peaks the lowest cell counts. Raises `InvalidValue` for a threshold that is not a finite
    number.
    """
    ground = Ground(layer)
    return regions_above(ground.space, ground.values, checks.finite("threshold", threshold))
