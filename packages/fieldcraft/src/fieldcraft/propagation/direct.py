"""Influence that needs no layer: at positions, and of shots under way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff, Ring
from fieldcraft.space import Shot, Space, checked_space

__all__ = ["influence_at", "shot_danger"]

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]

_FARTHEST = 1e150  # a k-d tree squares what it compares
_MOST_PAIRS = 1 << 20  # held at once
_FEW = 16  # sources, up to which a tree does not pay
_HAIR = 1 + 1e-9  # the tree looks a hair farther: the falloff has the last word


def influence_at(
    positions: ArrayLike,
    sources: ArrayLike,
    strengths: ArrayLike,
    radius: ArrayLike,
    *,
    falloff: str | Ring | Falloff | Sequence[float] | Callable[[Floats], Any] = "parabolic",
    blend: str = "sum",
) -> Any:
    """The influence of sources at positions, without a map: `strength * falloff(distance / radius)`
    of each source, blended.

    Distances are straight and exact, from where the source is to where one asks, so that a value
    changes smoothly while a source moves within a cell. Nothing is kept: for walls, explanations
    and many questions about the same sources take a layer with `Radial`, which measures from center
    to center of cells, or with `exact=True` from where sources are.

    Gives (N,) float64, or one number for one position. Raises `InvalidValue`.

    Parameters
    ----------
    positions : array_like
        One position, or an (N, 2) array of them, world units; or triples in space.
    sources : array_like
        Where the sources are, (M, 2), with as many parts; M may be 0.
    strengths : array_like
        One number for all sources or one for each, (M,); negative ones are allowed.
    radius : array_like
        One for all sources or one for each, (M,), world units, above 0; beyond it a source does
        nothing.
    falloff : str, Ring, Falloff, Sequence[float] or Callable[[Floats], Any], optional
        "constant", "linear", "parabolic", "cubic", "exponential", "gaussian", "smoothstep", a
        `Ring`, a table or a callable, see `Falloff.of`.
    blend : str, optional
        "sum", or "max": the strongest magnitude wins, the positive one of equals.

    Examples
    --------
    >>> sources = [(0, 0), (3, 0)]
    >>> fc.propagation.influence_at([(0, 0), (3, 4)], sources, [2, 1], radius=5, falloff="linear")
    array([2.4, 0.2])
    """
    dimensions = 3 if np.shape(checks.array("Positions", positions))[-1:] == (3,) else 2
    points, single = checks.positions(positions, dimensions=dimensions)
    places, _ = checks.positions(sources, dimensions=dimensions, what="Sources")
    checks.amounts("Strengths", strengths, len(places))
    powers = checks.numbers("Strengths", strengths, len(places))
    radii = checks.positives("Radii", radius, len(places))
    curve = Falloff.of(falloff)
    mix = _MIX[checks.choice("blend", blend, tuple(_MIX))]
    for name, given in (("Positions", points), ("Sources", places), ("Radii", radii)):
        if np.abs(given).max(initial=0) > _FARTHEST:
            raise InvalidValue(
                f"{name} lie within {_FARTHEST:g}",
                got=f"{np.abs(given).max():g}",
                remedy="Drop or mend that one",
            )
    result = np.zeros(len(points))
    for first, last, asked, acting in _pairs(points, places, radii):
        away = _distances(points[first + asked] - places[acting])
        result[first:last] = mix(asked, powers[acting] * curve(away / radii[acting]), last - first)
    return result[0] if single else result


def _pairs(
    points: Floats, places: Floats, radii: Floats
) -> Iterator[tuple[int, int, Cells, Cells]]:
    """Positions `first` to `last`, and all pairs of one of them, counted from `first`, and a source
    that may reach it, in order.
    """
    if not len(places) or not len(points):
        return
    if len(places) <= _FEW:
        step = _MOST_PAIRS // len(places)
        for first in range(0, len(points), step):
            last = min(first + step, len(points))
            asked, acting = np.divmod(np.arange((last - first) * len(places)), len(places))
            yield first, last, asked, acting
        return
    from scipy.spatial import cKDTree  # loading it takes longer than all of `import fieldcraft`

    tree, far = cKDTree(places), float(radii.max()) * _HAIR
    ends = np.cumsum(tree.query_ball_point(points, far, return_length=True))
    first = 0
    while first < len(points):
        before = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, before + _MOST_PAIRS, side="right")), first + 1)
        near = tree.query_ball_point(points[first:last], far, return_sorted=True)
        counts = np.array([len(each) for each in near])
        acting = np.array([source for each in near for source in each], dtype=np.int64)
        yield first, last, np.repeat(np.arange(last - first), counts), acting
        first = last


def _summed(asked: Cells, amounts: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(asked, weights=amounts, minlength=count), dtype=np.float64)


def _strongest(asked: Cells, amounts: Floats, count: int) -> Floats:
    high, low = np.zeros(count), np.zeros(count)
    np.maximum.at(high, asked, amounts)
    np.minimum.at(low, asked, amounts)
    return np.where(high >= -low, high, low)


_MIX: dict[str, Callable[[Cells, Floats, int], Floats]] = {"sum": _summed, "max": _strongest}


def _distances(offsets: Floats) -> Floats:
    flat = np.hypot(offsets[:, 0], offsets[:, 1])
    return np.asarray(flat if offsets.shape[1] == 2 else np.hypot(flat, offsets[:, 2]))


def shot_danger(
    space: Space,
    shots: Sequence[Shot],
    horizon: float,
    *,
    strengths: ArrayLike = 1.0,
    falloff: Any = "linear",
    elapsed: ArrayLike = 0.0,
) -> NDArray[np.float32]:
    """How much each cell is threatened by shots under way: float32 in the space's shape, (height,
    width) on a grid.

    A shot adds `strength * falloff(time to impact / horizon)` to each cell that it has yet to
    sweep; what it has passed is safe from it. The array goes into an ordinary layer:
    `imap.add_layer("danger", values=...)`, then `layer.write(...)` each frame.

    Parameters
    ----------
    space : Space
        The grid or graph that the shots of `fc.incoming` were made on.
    shots : Sequence[Shot]
        Any number of them.
    horizon : float
        Seconds from which on an impact does not matter yet, above 0.
    strengths : array_like, optional
        One number for all, or one per shot.
    falloff : object, optional
        A name, a table or a callable, as for `Radial`.
    elapsed : array_like, optional
        Seconds since each shot was fired: one number for all, or one per shot.

    Raises
    ------
    InvalidValue
        For arguments outside of these ranges.
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
