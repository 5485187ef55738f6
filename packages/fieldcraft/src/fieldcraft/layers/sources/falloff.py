"""Curves by which influence falls with distance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.ranges import farthest_within
from fieldcraft.base.words import Curve

_MOST_WEIGHT = 1.0
_TABLE_POINTS = 1025

# Each takes u = distance / radius in [0, 1].
CURVES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "constant": lambda u: np.ones_like(u),
    "linear": lambda u: 1 - u,
    "parabolic": lambda u: 1 - u * u,
    "cubic": lambda u: (1 - u) ** 3,
    "exponential": lambda u: (np.exp(-5 * u) - np.exp(-5.0)) / (1 - np.exp(-5.0)),
    "gaussian": lambda u: (np.exp(-4.5 * u * u) - np.exp(-4.5)) / (1 - np.exp(-4.5)),
    "smoothstep": lambda u: 1 - u * u * (3 - 2 * u),
}


@dataclass(frozen=True)
class Ring:
    """A ring-shaped falloff: a parabola that is 1 half way between two radii and 0 at both.

    Parameters
    ----------
    inner, outer : float
        Parts of the radius, 0 <= inner < outer <= 1.

    Raises
    ------
    InvalidValue
        For numbers outside of these ranges.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.Falloff.of(fc.Ring(0.5))([0.25, 0.5, 0.75, 1.0])
    array([0., 0., 1., 0.])
    """

    inner: float
    outer: float = 1.0

    def __post_init__(self) -> None:
        inner = checks.finite("inner", self.inner)
        outer = checks.finite("outer", self.outer)
        if not 0 <= inner < outer <= 1:
            raise InvalidValue(
                "A ring has 0 <= inner < outer <= 1, parts of the radius",
                got=f"inner={inner:g}, outer={outer:g}",
                remedy="Correct the two edges",
            )

    def __call__(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights at distances given as parts of the radius."""
        across = (2 * share - self.inner - self.outer) / (self.outer - self.inner)
        return np.maximum(1 - across * across, 0.0)


@dataclass(frozen=True)
class Falloff:
    """How a weight falls with distance, from the center (0) to the radius (1); 0 beyond.

    The radius itself is within, also where rounding makes it slightly more than 1.

    Made by `Falloff.of`. Called with distances as parts of the radius, it returns weights.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.Falloff.of("parabolic")([0.0, 0.5, 1.0, 2.0])
    array([1.  , 0.75, 0.  , 0.  ])
    >>> fc.Falloff.of([1, 0.5, 0])([0.25, 0.75])
    array([0.75, 0.25])
    """

    name: str
    _points: tuple[float, ...] | None = field(default=None, repr=False)
    _ring: Ring | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        points = self._points
        ring = self._ring
        if points is not None:
            fits = isinstance(points, tuple) and len(points) >= 2
            fits = fits and all(
                type(part) is float and abs(part) <= _MOST_WEIGHT for part in points
            )
        else:
            is_curve = isinstance(self.name, str) and self.name in CURVES
            fits = isinstance(ring, Ring) or (ring is None and is_curve)
        if not fits:
            raise InvalidValue(
                "A falloff is made by Falloff.of",
                got=f"name {self.name!r:.40}, with other weights or another ring than that makes",
                remedy='Pass Falloff.of("linear"), say',
            )

    @classmethod
    def of(cls, falloff: FalloffLike) -> Falloff:
        """Return the falloff that an argument names.

        Parameters
        ----------
        falloff : str, Ring, Falloff, Mapping, Sequence[float], ndarray or Callable
            A name: "constant", "linear", "parabolic", "cubic", "exponential", "gaussian" or
            "smoothstep"; exponential and gaussian are shifted and stretched to be 1 at the
            center and 0 at the radius. A `Ring` or `{"inner": 0.4, "outer": 1}`. A table of weights
            at equal steps from 0 to 1, at least two, joined by straight lines. Or a callable that
            takes an array of parts of the radius and returns one of weights.

        Returns
        -------
        Falloff

        Raises
        ------
        InvalidValue
            For weights that are not finite or beyond 1 in size, and for other arguments.
        """
        if isinstance(falloff, Falloff):
            return falloff
        if isinstance(falloff, str):
            return cls(checks.choice("falloff", falloff, tuple(CURVES)))
        if isinstance(falloff, Mapping):
            if not {"inner"} <= {*falloff} <= {"inner", "outer"}:
                raise InvalidValue(
                    "A ring has inner and outer, parts of the radius",
                    got=repr(falloff)[:60],
                    remedy='Pass {"inner": 0.4, "outer": 1}, say',
                )
            falloff = Ring(**falloff)
        if isinstance(falloff, Ring):
            return cls("ring", _ring=falloff)
        if isinstance(falloff, type):
            raise InvalidValue(
                "falloff is a name, a table, a Ring or a callable",
                got=repr(falloff),
                remedy='Pass "linear", say',
            )
        return cls("custom", _points=_table(falloff))

    def state(self) -> dict[str, Any]:
        """Return the numbers and words that `restored` needs."""
        if self._ring is None:
            ring = None
        else:
            ring = (self._ring.inner, self._ring.outer)
        return {"name": self.name, "points": self._points, "ring": ring}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Falloff:
        """Return the falloff of a `state`."""
        if state["ring"] is not None:
            return cls.of(Ring(*state["ring"]))
        return cls.of(state["name"] if state["points"] is None else state["points"])

    def __call__(self, shares: ArrayLike) -> NDArray[np.float64]:
        """Return the weights at distances given as parts of the radius, in their shape."""
        share = np.asarray(shares, dtype=np.float64)
        inside = np.minimum(share, 1.0)
        if self._ring is not None:
            weights = self._ring(inside)
        elif self._points is not None:
            weights = np.interp(inside, np.linspace(0, 1, len(self._points)), self._points)
        else:
            weights = CURVES[self.name](inside)
        return np.where(share <= farthest_within(1.0), weights, 0.0)


FalloffLike = (
    Curve
    | Ring
    | Falloff
    | Mapping[str, float]
    | Sequence[float]
    | NDArray[Any]
    | Callable[[NDArray[np.float64]], ArrayLike]
)
"""What `Falloff.of` takes."""


def _table(falloff: Any) -> tuple[float, ...]:
    """Return the weights of a table, or of a callable at equal steps."""
    is_callable = callable(falloff)
    if is_callable:
        kind = "A callable falloff"
    else:
        kind = "A table of weights"
    if is_callable:
        given = falloff(np.linspace(0, 1, _TABLE_POINTS))
    else:
        given = falloff
    points = checks.array(kind + "'s weights", given)
    if points.dtype.kind not in "iufb" and points.size:
        raise InvalidValue(
            f"{kind} has weights that are numbers", got=f"dtype {points.dtype}", remedy="Use floats"
        )
    points = points.astype(np.float64)
    if points.ndim != 1 or len(points) < 2 or (is_callable and len(points) != _TABLE_POINTS):
        raise InvalidValue(
            f"{kind} gives one weight per part of the radius",
            got=f"shape {points.shape}",
            remedy="Return an array of the length of the argument",
        )
    wrong = points[~(np.abs(points) <= _MOST_WEIGHT)]
    if len(wrong):
        raise InvalidValue(
            f"{kind} stays finite and within +-{_MOST_WEIGHT:g}",
            got=f"{wrong[0]}",
            remedy="Correct it, and put size into strengths",
        )
    return tuple(points.tolist())
