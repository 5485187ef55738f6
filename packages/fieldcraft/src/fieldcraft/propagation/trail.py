"""Trail: what agents leave behind gathers, blurs and evaporates: pheromones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.propagation.field import Field
from fieldcraft.propagation.graph_trail_field import GraphTrailField
from fieldcraft.propagation.hex_trail_field import HexTrailField
from fieldcraft.propagation.kinds import Gathering
from fieldcraft.propagation.settings import (
    Setting,
    checked,
    choice,
    flag,
    number,
    one_evaporation,
    part_kept,
)
from fieldcraft.propagation.trail_field import TrailField
from fieldcraft.space import Grid, HexGrid, Space, checked_space

__all__ = ["Trail"]

EDGES = ("conserve", "lose")
_WIDEST = 63
_KEEP = 0.98


def _blur(name: str, value: Any) -> int | tuple[float, ...]:
    """A width, or weights that are the same from both ends."""
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


def _normal(blur: Any, edges: str) -> int | tuple[float, ...]:
    """Weights that sum to exactly 1 if they nearly do."""
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
    return tuple((weights / total if abs(total - 1) <= 1e-6 else weights).tolist())


@dataclass(frozen=True)
class Trail(Gathering):
    """Gather what is stamped or deposited: each update, `values = keep * blur(values) + what has
    come since the last`.

    Two pheromones are two layers. What has come shows from the next update on. Walls hold nothing,
    and nothing passes through
    them or past their corners: two cells exchange if every cell of the rectangle between them is
    open.

    Parameters
    ----------
    keep : float, optional
        What part stays at each update, in [0, 1]; 0.98 by default. Evaporation is a rate, not an
        amount: what is twice as strong loses twice as much. Above 1 a trail would grow without end.
    half_life : float, optional
        Seconds in which a trail halves, in place of `keep`; updates that `advance` drops do not
        count.
    blur : int or Sequence[float], optional
        The width of the blur in cells: 1 for none, 3 for the mean of 3 x 3 cells, any odd number up
        to 63. Or an odd number of weights, the same from both ends, which are applied along rows
        and along columns. On a graph or mesh there is none: pass 1.
    edges : str, optional
        What becomes of the part of a blur that would go into a wall or over the rim. "conserve": it
        stays where it is, so that a blur keeps the sum of all values; weights sum to 1. "lose": it
        is gone; weights sum to 1 or less.
    vector : bool, optional
        Whether values are vectors, (x, y) in world axes, on a 3D graph (x, y, z): `layer.vectors`
        are these, `layer.values` their lengths. All parts blur alike, so that a trail of one
        direction keeps it.
    accumulate : bool, optional
        Whether what was there stays. Without it each update begins with an empty map: `values =
        blur(what has come)`, for crowds and obstacles, and `keep` has no meaning.
    floor : float, optional
        Values smaller than this become exactly 0.

    Raises
    ------
    InvalidValue
        For numbers outside of these ranges.

    References
    ----------
    The accumulator of "Influence Maps, Ants, and Flocking", and its unbuilt second buffer for
    separation; vectors are kept as vectors, where that text had to encode them as colours.
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
    edges: str = dataclasses.field(
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

    _replaces: ClassVar[Mapping[str, tuple[str, ...]]] = {"half_life": ("keep",)}

    def __post_init__(self) -> None:
        super().__post_init__()
        one_evaporation("A trail evaporates", self.keep, self.half_life)
        object.__setattr__(self, "blur", _normal(self.blur, self.edges))

    def _weights(self) -> tuple[NDArray[np.floating[Any]], float]:
        """The weights of the blur along one axis, and what the blurred sums are multiplied by."""
        if isinstance(self.blur, int):
            return np.ones(self.blur, dtype=np.float32), 1 / self.blur**2
        return np.array(self.blur), 1.0

    def _kept(self, every: float) -> float:
        """The part that stays at an update, with so many seconds between two."""
        if not self.accumulate:
            return 1.0
        return part_kept(self.keep, self.half_life, every, usual=_KEEP)

    def _field(self, space: Space, every: float) -> Field:
        """Values of this kind on a space, all 0, that are updated `every` so many seconds."""
        if isinstance(space, HexGrid):
            return HexTrailField(self, space, every)
        if isinstance(space, Grid):
            return TrailField(self, space, every)
        return GraphTrailField(self, checked_space(space, "Trails lie on"), every)
