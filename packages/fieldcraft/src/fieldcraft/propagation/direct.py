"""Influence that needs no layer: at positions, and of shots in flight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff, Ring
from fieldcraft.space import Shot, Space, checked_space

__all__ = ["influence_at", "shot_danger"]

Floats = NDArray[np.float64]

_FARTHEST = 1e150  # distances are squared
_MOST_PAIRS = 1 << 20  # in memory at once


def influence_at(
    positions: ArrayLike,
    sources: ArrayLike,
    strengths: ArrayLike,
    radius: ArrayLike,
    *,
    falloff: str | Ring | Falloff | Sequence[float] | Callable[[Floats], Any] = "parabolic",
    blend: str = "sum",
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
    dimensions = 3 if np.shape(checks.array("Positions", positions))[-1:] == (3,) else 2
    points, single = checks.positions(positions, dimensions=dimensions)
    places, _ = checks.positions(sources, dimensions=dimensions, what="Sources")
    checks.amounts("Strengths", strengths, len(places))
    powers = checks.numbers("Strengths", strengths, len(places))
    radii = checks.positives("Radii", radius, len(places))
    curve = Falloff.of(falloff)
    adds = checks.choice("blend", blend, ("sum", "max")) == "sum"
    for name, given in (("Positions", points), ("Sources", places), ("Radii", radii)):
        if np.abs(given).max(initial=0) > _FARTHEST:
            raise InvalidValue(
                f"{name} lie within {_FARTHEST:g}",
                got=f"{np.abs(given).max():g}",
                remedy="Drop or correct that one",
            )
    result = np.zeros(len(points))
    step = max(_MOST_PAIRS // max(len(places), 1), 1)
    for first in range(0, len(points), step):
        offsets = points[first : first + step, np.newaxis] - places
        away = np.hypot(offsets[..., 0], offsets[..., 1])
        if dimensions == 3:
            away = np.hypot(away, offsets[..., 2])
        amounts = powers * curve(away / radii)
        high, low = amounts.max(axis=1, initial=0), amounts.min(axis=1, initial=0)
        strongest = np.where(high >= -low, high, low)
        result[first : first + step] = amounts.sum(axis=1) if adds else strongest
    return result[0] if single else result


def shot_danger(
    space: Space,
    shots: Sequence[Shot],
    horizon: float,
    *,
    strengths: ArrayLike = 1.0,
    falloff: Any = "linear",
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
