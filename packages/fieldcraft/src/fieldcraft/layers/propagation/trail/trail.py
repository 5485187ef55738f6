"""Trails: what agents leave behind accumulates, blurs and evaporates, like pheromones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import Edges
from fieldcraft.layers.propagation.propagation import Field, Gathering
from fieldcraft.layers.propagation.settings import (
    Setting,
    checked,
    choice,
    flag,
    number,
    one_evaporation,
    retention,
)
from fieldcraft.space import Grid, Space, checked_space

EDGES = ("conserve", "lose")
_WIDEST = 63
_KEEP = 0.98


def _blur(name: str, value: Any) -> int | tuple[float, ...]:
    """Return a width, or weights that are the same from both ends."""
    remedy = f"Pass an odd number up to {_WIDEST}, or as many weights"
    if isinstance(value, (bool, np.bool_)):
        raise InvalidValue(f"{name} is a width or weights", got=repr(value), remedy=remedy)
    if isinstance(value, (int, np.integer)):
        if value < 1 or value % 2 == 0 or value > _WIDEST:
            raise InvalidValue(
                f"The width of a blur is odd, 1 to {_WIDEST}", got=f"{name}={value}", remedy=remedy
            )
        return int(value)
    array = checks.array("The weights of a blur", value)
    if (
        array.ndim != 1
        or array.dtype.kind not in "iuf"
        or len(array) % 2 == 0
        or len(array) > _WIDEST
    ):
        raise InvalidValue(
            f"A blur has an odd number of weights, up to {_WIDEST}",
            got=f"{array.dtype} of shape {array.shape}",
            remedy=remedy,
        )
    weights = array.astype(np.float64)
    if (
        not np.isfinite(weights).all()
        or (weights < 0).any()
        or not np.allclose(weights, weights[::-1], rtol=1e-9, atol=0)
    ):
        raise InvalidValue(
            "The weights of a blur are finite, at least 0, and the same from both ends",
            got=f"{weights.tolist()}",
            remedy=remedy,
        )
    return tuple(weights.tolist())


def _normal(blur: Any, edges: Edges) -> int | tuple[float, ...]:
    """Return weights that sum to 1, but for rounding, if they nearly do.

    Weights that it returned it returns again, as saves and copies of a trail need.
    """
    if isinstance(blur, int):
        return blur
    weights = np.array(blur)
    total = float(weights.sum())
    if edges == "conserve" and abs(total - 1) > 1e-6:
        raise InvalidValue(
            "The weights of a blur that conserves sum to 1",
            got=f"{total:g}",
            remedy="Divide them by their sum, or pass edges='lose'",
            about="blur",
        )
    if total > 1 + 1e-6:
        raise InvalidValue(
            "The weights of a blur sum to at most 1, or it grows without end",
            got=f"{total:g}",
            remedy="Divide them by it",
            about="blur",
        )
    weights = (weights + weights[::-1]) / 2
    rounding = len(weights) * np.finfo(np.float64).eps
    if rounding < abs(total - 1) <= 1e-6:
        weights /= total
    return tuple(weights.tolist())


@dataclass(frozen=True)
class Trail(Gathering):
    """Accumulate deposits and stamps: each update, `values = keep * blur(values) + inflow`.

    The inflow is what was stamped or deposited since the last update. Two pheromones are two
    layers. Walls hold nothing, and nothing passes walls or their corners: two cells exchange if
    every cell of the rectangle between them is open.

    Parameters
    ----------
    keep : float, optional
        Part that is left after each update, in [0, 1]; 0.98 by default.
    half_life : float, optional
        Seconds in which a trail halves. Replaces `keep`. Updates that `advance` drops do not count.
    blur : int or Sequence[float], optional
        Width of the blur in cells: 1 for none, 3 for the mean of 3 x 3 cells, any odd number up to
        63. Or an odd number of weights, the same from both ends, which are applied along rows and
        along columns. On hexagons a width: 3 is the mean of a cell and its six neighbors. On a
        graph or mesh there is none: pass 1.
    edges : str, optional
        What happens to the part of a blur that would go into a wall or over the rim. "conserve": it
        stays in its cell, so that a blur keeps the sum of all values; weights sum to 1. "lose": it
        is lost; weights sum to 1 or less.
    vector : bool, optional
        Whether values are vectors, (x, y) in world axes, on a 3D graph (x, y, z). `layer.vectors`
        are these, `layer.values` their lengths.
    accumulate : bool, optional
        With False each update starts from an empty map: `values = blur(inflow)`, for crowds and
        obstacles, and `keep` has no meaning.
    floor : float, optional
        Values smaller than this become exactly 0.

    Raises
    ------
    InvalidValue
        For values outside of these ranges.

    References
    ----------
    The accumulator of "Influence Maps, Ants, and Flocking" and its second buffer for separation.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> scent = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("scent", fc.Trail(keep=0.9))
    >>> scent.deposit((2.5, 1.5), 9.0)
    >>> scent.step(2)
    >>> scent.values
    array([[0. , 0.9, 0.9, 0.9, 0. ],
           [0. , 0.9, 0.9, 0.9, 0. ],
           [0. , 0.9, 0.9, 0.9, 0. ]], dtype=float32)
    """

    keep: float | None = dataclasses.field(
        default=None,
        metadata=number("Part of a value that is left after an update.", high=1.0, optional=True),
    )
    half_life: float | None = dataclasses.field(
        default=None,
        metadata=number("Time in which a trail halves.", above=True, unit="s", optional=True),
    )
    blur: int | Sequence[float] = dataclasses.field(
        default=3,
        metadata=checked(
            Setting("Width of the blur, or weights.", _blur, "weights", 1, _WIDEST, unit="cells")
        ),
    )
    edges: Edges = dataclasses.field(
        default="conserve",
        metadata=choice("What happens to the blur at walls and the rim.", EDGES),
    )
    vector: bool = dataclasses.field(
        default=False, metadata=flag("Whether values are vectors (x, y).")
    )
    accumulate: bool = dataclasses.field(
        default=True, metadata=flag("Whether values stay from one update to the next.")
    )
    floor: float = dataclasses.field(
        default=1e-6, metadata=number("Smaller values become 0.", unit="value")
    )

    replaces: ClassVar[Mapping[str, tuple[str, ...]]] = {"half_life": ("keep",)}

    def __post_init__(self) -> None:
        super().__post_init__()
        one_evaporation("A trail evaporates", self.keep, self.half_life)
        object.__setattr__(self, "blur", _normal(self.blur, self.edges))

    def weights(self) -> tuple[NDArray[np.floating[Any]], float]:
        """Return the weights of the blur along one axis, and the factor of the blurred sums."""
        if isinstance(self.blur, int):
            return np.ones(self.blur, dtype=np.float32), 1 / self.blur**2
        return np.array(self.blur), 1.0

    def retention(self, every: float) -> float:
        """Return the part that is left after an update, `every` seconds after the last one."""
        if not self.accumulate:
            return 1.0
        return retention(self.keep, self.half_life, every, usual=_KEEP)

    def field(self, space: Space, every: float) -> Field:
        """Return values of this kind on a space, all 0; `every` is the interval in seconds."""
        if isinstance(space, Grid):
            from fieldcraft.layers.propagation.trail.trail_field import TrailField

            return TrailField(self, space, every)
        from fieldcraft.layers.propagation.trail.graph_trail_field import GraphTrailField

        return GraphTrailField(self, checked_space(space, "Trails are on"), every)
