"""Curves by which influence falls with distance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

__all__ = ["CURVES", "Falloff", "Ring", "footprint"]

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
    """A donut: 0 up to `inner`, best half way to `outer`, 0 from there on; both as shares of the
    radius.

    Raises
    ------
    InvalidValue
        Unless 0 <= inner < outer <= 1.
    """

    inner: float
    outer: float = 1.0

    def __post_init__(self) -> None:
        inner, outer = checks.finite("inner", self.inner), checks.finite("outer", self.outer)
        if not 0 <= inner < outer <= 1:
            raise InvalidValue(
                "A ring has 0 <= inner < outer <= 1, shares of the radius",
                got=f"inner={inner:g}, outer={outer:g}",
                remedy="Mend the two edges",
            )

    def __call__(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weight at shares of the radius: a parabola between the edges that is 1 in the
        middle.
        """
        across = (2 * share - self.inner - self.outer) / (self.outer - self.inner)
        return np.maximum(1 - across * across, 0.0)


@dataclass(frozen=True)
class Falloff:
    """How a weight falls with distance, from the center (share 0) to the radius (share 1), and is 0
    beyond.

    `of` makes one from a name in `CURVES`, from a `Ring` or `{"inner": 0.4, "outer": 1}`, from a
    table of weights at equal steps from 0 to 1 (at least two, joined by straight lines), or from a
    callable that takes an array of shares and gives one of weights. Exponential and gaussian curves
    are shifted and stretched so that they start at 1 and reach 0 at the radius.
    """

    name: str
    _points: tuple[float, ...] | None = None
    _ring: Ring | None = None

    def __post_init__(self) -> None:
        points, ring = self._points, self._ring
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
    def of(
        cls,
        falloff: (
            str
            | Ring
            | Falloff
            | Mapping[str, float]
            | Sequence[float]
            | NDArray[Any]
            | Callable[[NDArray[np.float64]], ArrayLike]
        ),
    ) -> Falloff:
        """The falloff that an argument names; raises `InvalidValue` for weights that are not finite
        or beyond 1 in size.
        """
        if isinstance(falloff, Falloff):
            return falloff
        if isinstance(falloff, str):
            return cls(checks.choice("falloff", falloff, tuple(CURVES)))
        if isinstance(falloff, Mapping):
            if not {"inner"} <= {*falloff} <= {"inner", "outer"}:
                raise InvalidValue(
                    "A ring has inner and outer, shares of the radius",
                    got=repr(falloff)[:60],
                    remedy='Pass {"inner": 0.4, "outer": 1}, say',
                )
            falloff = Ring(**falloff)
        if isinstance(falloff, Ring):
            return cls("ring", _ring=falloff)
        shares = np.linspace(0, 1, _TABLE_POINTS)
        kind = "A callable falloff" if callable(falloff) else "A table of weights"
        if isinstance(falloff, type):
            raise InvalidValue(
                "falloff is a name, a table, a Ring or a callable",
                got=repr(falloff),
                remedy='Pass "linear", say',
            )
        points = checks.array(
            kind + "'s weights", falloff(shares) if callable(falloff) else falloff
        )
        if points.dtype.kind not in "iufb" and points.size:
            raise InvalidValue(
                f"{kind} has weights that are numbers",
                got=f"dtype {points.dtype}",
                remedy="Use floats",
            )
        points = points.astype(np.float64)
        if (
            points.ndim != 1
            or len(points) < 2
            or (callable(falloff) and len(points) != _TABLE_POINTS)
        ):
            raise InvalidValue(
                f"{kind} gives one weight per share of the radius",
                got=f"shape {points.shape}",
                remedy="Return an array as long as the one that came",
            )
        if not np.isfinite(points).all() or np.abs(points).max() > _MOST_WEIGHT:
            bad = points[~(np.abs(points) <= _MOST_WEIGHT)][0]
            raise InvalidValue(
                f"{kind} stays finite and within +-{_MOST_WEIGHT:g}",
                got=f"{bad}",
                remedy="Mend it, and put size into strengths",
            )
        return cls("custom", _points=tuple(points.tolist()))

    def state(self) -> dict[str, Any]:
        """The numbers and words that `restored` needs."""
        ring = None if self._ring is None else (self._ring.inner, self._ring.outer)
        return {"name": self.name, "points": self._points, "ring": ring}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Falloff:
        """The falloff of a `state`."""
        if state["ring"] is not None:
            return cls.of(Ring(*state["ring"]))
        return cls.of(state["name"] if state["points"] is None else state["points"])

    def __call__(self, shares: ArrayLike) -> NDArray[np.float64]:
        """The weights at distances given as shares of the radius, in their shape; 0 beyond 1."""
        share = np.asarray(shares, dtype=np.float64)
        inside = np.minimum(share, 1.0)
        if self._ring is not None:
            weights = self._ring(inside)
        elif self._points is not None:
            weights = np.interp(inside, np.linspace(0, 1, len(self._points)), self._points)
        else:
            weights = CURVES[self.name](inside)
        return np.where(share <= 1, weights, 0.0)


def footprint(falloff: Falloff, radius: float, reach: int) -> NDArray[np.float64]:
    """The weights around a source on open ground, up to `reach` cells each way: shape (2 reach + 1,
    2 reach + 1).

    `radius` in cells. Read-only.
    """
    away = np.arange(-reach, reach + 1)
    distance = np.sqrt((away * away)[:, None] + away * away)
    weights = falloff(distance / radius)
    weights.flags.writeable = False
    return weights
