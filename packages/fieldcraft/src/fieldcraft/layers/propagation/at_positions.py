"""Influence without a layer: at positions, and of shots in flight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.ranges import farthest_within
from fieldcraft.base.words import Combined
from fieldcraft.layers.sources.falloff import Falloff, FalloffLike
from fieldcraft.space import Shot, Space, checked_space

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]

_FARTHEST = 1e150  # a k-d tree squares distances
_MOST_PAIRS = 1 << 20  # in memory at once
_FEW = 16  # sources for which a tree does not pay


def influence_at(
    positions: ArrayLike,
    sources: ArrayLike,
    strengths: ArrayLike,
    radius: ArrayLike,
    *,
    falloff: FalloffLike = "parabolic",
    blend: Combined = "sum",
) -> Any:
    """Return the influence of sources at positions, without a map: `strength * falloff(distance /
    radius)` of each source, blended.

    Distances are straight and exact, so a value changes smoothly while a source moves within a
    cell. For walls, attribution and repeated queries use a layer with `Radial`, which measures
    between centers of cells, or with `exact=True` from where sources are.

    Parameters
    ----------
    positions : array_like of shape (2,), (N, 2), (3,) or (N, 3)
        World positions.
    sources : array_like of shape (M, 2) or (M, 3)
        Where the sources are; M may be 0.
    strengths : float or array_like of shape (M,)
        May be negative.
    radius : float or array_like of shape (M,)
        World units, above 0; beyond it a source has no influence.
    falloff : str, Ring, Falloff, sequence of float or callable, optional
        "constant", "linear", "parabolic", "cubic", "exponential", "gaussian", "smoothstep", a
        `Ring`, a table or a callable, see `Falloff.of`.
    blend : str, optional
        "sum", or "max": the strongest magnitude wins, the positive one of equals.

    Returns
    -------
    float or ndarray of shape (N,)
        One number for one position.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    Examples
    --------
    >>> sources = [(0, 0), (3, 0)]
    >>> fc.propagation.influence_at([(0, 0), (3, 4)], sources, [2, 1], radius=5, falloff="linear")
    array([2.4, 0.2])
    """
    if np.shape(checks.array("Positions", positions))[-1:] == (3,):
        dimensions = 3
    else:
        dimensions = 2
    points, single = checks.positions(positions, dimensions=dimensions)
    places, _ = checks.positions(sources, dimensions=dimensions, what="Sources")
    checks.amounts("Strengths", strengths, len(places))
    powers = checks.numbers("Strengths", strengths, len(places))
    radii = checks.positives("Radii", radius, len(places))
    curve = Falloff.of(falloff)
    blended = _BLENDS[checks.choice("blend", blend, tuple(_BLENDS))]
    for name, given in (("Positions", points), ("Sources", places), ("Radii", radii)):
        if np.abs(given).max(initial=0) > _FARTHEST:
            raise InvalidValue(
                f"{name} are within {_FARTHEST:g}",
                got=f"{np.abs(given).max():g}",
                remedy="Drop or correct that one",
            )
    largest = max(float(np.abs(given).max(initial=0)) for given in (points, places))
    limits = farthest_within(radii, largest)
    result = np.zeros(len(points))
    for first, last, rows, near in _pairs(points, places, limits):
        away = _distances(points[first + rows] - places[near])
        shares = np.minimum(away / radii[near], 1.0)
        amounts = powers[near] * np.where(away <= limits[near], curve(shares), 0.0)
        result[first:last] = blended(rows, amounts, last - first)
    return result[0] if single else result


def _pairs(
    points: Floats, places: Floats, limits: Floats
) -> Iterator[tuple[int, int, Cells, Cells]]:
    """Yield parts of the points, `first` to `last`, and all pairs of a point of the part, counted
    from `first`, and a source that may reach it, in order. `limits` are the distances that sources
    reach.
    """
    if not len(places) or not len(points):
        return
    if len(places) <= _FEW:
        step = _MOST_PAIRS // len(places)
        for first in range(0, len(points), step):
            last = min(first + step, len(points))
            rows, near = np.divmod(np.arange((last - first) * len(places)), len(places))
            yield first, last, rows, near
        return
    from scipy.spatial import cKDTree  # loading it takes longer than all of `import fieldcraft`

    # the limits decide
    tree = cKDTree(places)
    farthest = farthest_within(float(limits.max()))
    ends = np.cumsum(tree.query_ball_point(points, farthest, return_length=True))
    first = 0
    while first < len(points):
        if first:
            before = int(ends[first - 1])
        else:
            before = 0
        last = max(int(np.searchsorted(ends, before + _MOST_PAIRS, side="right")), first + 1)
        found = tree.query_ball_point(points[first:last], farthest, return_sorted=True)
        counts = np.array([len(sources) for sources in found])
        near = np.array([source for sources in found for source in sources], dtype=np.int64)
        yield first, last, np.repeat(np.arange(last - first), counts), near
        first = last


def _sum(rows: Cells, amounts: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(rows, weights=amounts, minlength=count), dtype=np.float64)


def _strongest(rows: Cells, amounts: Floats, count: int) -> Floats:
    high = np.zeros(count)
    low = np.zeros(count)
    np.maximum.at(high, rows, amounts)
    np.minimum.at(low, rows, amounts)
    return np.where(high >= -low, high, low)


_BLENDS: dict[str, Callable[[Cells, Floats, int], Floats]] = {"sum": _sum, "max": _strongest}


def _distances(offsets: Floats) -> Floats:
    flat = np.hypot(offsets[:, 0], offsets[:, 1])
    return np.asarray(flat if offsets.shape[1] == 2 else np.hypot(flat, offsets[:, 2]))


def shot_danger(
    space: Space,
    shots: Sequence[Shot],
    horizon: float,
    *,
    strengths: ArrayLike = 1.0,
    falloff: FalloffLike = "linear",
    elapsed: ArrayLike = 0.0,
) -> NDArray[np.float32]:
    """Return the danger of each cell from shots in flight.

    A shot adds `strength * falloff(time to impact / horizon)` to each cell that it has yet to
    cross. The array goes into an ordinary layer: `imap.add_layer("danger", values=...)`, then
    `layer.write(...)` each frame.

    Parameters
    ----------
    space : Space
        The grid or graph that the shots of `fc.incoming` were made on.
    shots : sequence of Shot
        Any number of them.
    horizon : float
        Seconds, above 0: later impacts count nothing.
    strengths : float or array_like, optional
        One number for all, or one per shot.
    falloff : object, optional
        A name, a table or a callable, as for `Radial`.
    elapsed : float or array_like, optional
        Seconds since each shot was fired: one number for all, or one per shot.

    Returns
    -------
    ndarray of float32
        In the shape of the space, (height, width) on a grid.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    """
    checked_space(space, "Shots are on")
    within = checks.positive("horizon", horizon)
    shots = checks.sequence("shots", shots)
    curve = Falloff.of(falloff)
    amounts = checks.amounts("strengths", strengths, len(shots)).astype(np.float64)
    flown = checks.numbers("elapsed", elapsed, len(shots))
    total = np.zeros(len(space))
    for shot, amount, gone in zip(shots, amounts.tolist(), flown.tolist(), strict=True):
        if not isinstance(shot, Shot):
            raise InvalidValue(
                "Shots come from fc.incoming()", got=repr(shot), remedy="Pass what it returned"
            )
        if len(shot.cells) and int(shot.cells.max()) >= len(space):
            raise InvalidValue(
                "A shot is on the space that it was made on",
                got="cells beyond this one",
                remedy="Pass that space",
            )
        left = shot.seconds - gone
        ahead = left >= 0
        total[shot.cells[ahead]] += amount * curve(left[ahead] / within)
    return total.reshape(space.shape).astype(np.float32)
