"""Memory of marks: what was marked, and how long ago."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation.propagation import Field, Remembering
from fieldcraft.layers.propagation.settings import number
from fieldcraft.space import Space

_MOST_SPREAD = 0.95
_LONGEST = 1e9
_LEAST = 1e-20
_MOST = checks.LARGEST


@dataclass(frozen=True)
class Fade(Remembering):
    """Remember marks and forget them slowly: each marked cell falls to exactly 0.

    `Layer.mark` marks cells. A mark never lowers a value, and no value exceeds `maximum`. Each cell
    stores the moment at which it reaches 0, and its value is computed when it is read. So the
    values do not depend on the step size, and any number of updates costs as much as one. With
    `diffusion` each update takes time for the cells that are above 0.

    Parameters
    ----------
    amount : float, optional
        Loss in each `interval`, spread evenly over it; above 0.
    interval : float, optional
        Seconds, above 0.
    maximum : float, optional
        Largest value of a cell, and the value of a mark without an amount.
    half_life : float, optional
        Seconds in which a value halves. Replaces `amount` and `interval`.
    floor : float, optional
        With a `half_life`, values that fall to this become exactly 0.
    mark_spread : float, optional
        Part of a mark that neighboring cells take, in [0, 0.95]. Cells farther away take
        `mark_spread ** steps` along walks around walls, down to a hundredth of `maximum`; a
        diagonal step counts 1.41, a step on a graph its length in world units. The strongest of
        several marks counts.
    diffusion : float, optional
        Part of the way to the mean of its neighbors that each cell goes in a second, in [0, 0.95],
        so that edges get vague. Neighbors are the cells from which a step leads into the cell, so
        nothing passes walls; longer steps count less, by 1 / length.

    Raises
    ------
    InvalidValue
        For numbers outside of these ranges, and for a fade that takes longer than 10**9 seconds.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(5, 1))
    >>> fade = fc.Fade(amount=1, interval=2, maximum=10, mark_spread=0.5)
    >>> memory = imap.add_layer("memory", fade)
    >>> memory.mark((1.5, 0.5))
    >>> memory.values
    array([[ 5.  , 10.  ,  5.  ,  2.5 ,  1.25]], dtype=float32)
    >>> _ = imap.advance(8.0)
    >>> memory.values
    array([[1., 6., 1., 0., 0.]], dtype=float32)

    References
    ----------
    The influence map of a maze game's monster, with marks that lose 0.25 of 100 every 5 seconds.
    Its author wished for marks that spread and diffuse.
    """

    amount: float = dataclasses.field(
        default=0.25, metadata=number("Loss in each interval.", above=True, unit="value")
    )
    interval: float = dataclasses.field(
        default=5.0,
        metadata=number("Time in which the amount is lost.", above=True, unit="s"),
    )
    maximum: float = dataclasses.field(
        default=100.0, metadata=number("Largest value of a cell.", above=True, unit="value")
    )
    half_life: float | None = dataclasses.field(
        default=None,
        metadata=number("Time in which a value halves.", above=True, unit="s", optional=True),
    )
    floor: float = dataclasses.field(
        default=1e-3,
        metadata=number("With a half-life, smaller values become 0.", above=True, unit="value"),
    )
    mark_spread: float = dataclasses.field(
        default=0.0,
        metadata=number("Part of a mark that neighboring cells take.", high=_MOST_SPREAD),
    )
    diffusion: float = dataclasses.field(
        default=0.0,
        metadata=number(
            "Part of the way to the mean of its neighbors that a cell goes in a second.",
            high=_MOST_SPREAD,
        ),
    )

    replaces: ClassVar[Mapping[str, tuple[str, ...]]] = {"half_life": ("amount", "interval")}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _LEAST <= self.maximum <= _MOST:
            raise InvalidValue(
                f"maximum is between {_LEAST:g} and {_MOST:g}",
                got=f"maximum={self.maximum:g}",
                remedy="Count in other units",
                about="maximum",
            )
        if self.half_life is not None and not _LEAST <= self.floor < self.maximum:
            raise InvalidValue(
                f"floor is between {_LEAST:g} and maximum",
                got=f"floor={self.floor:g}, maximum={self.maximum:g}",
                remedy="Pass another floor",
                about="floor",
            )
        if not self._life(self.maximum) <= _LONGEST:
            if self.half_life is None:
                about = "amount"
                got = f"{self.maximum:g} at {self.amount:g} each {self.interval:g} s"
            else:
                about = "half_life"
                got = f"half_life={self.half_life:g}"
            raise InvalidValue(
                f"A mark falls to 0 within {_LONGEST:,.0f} seconds",
                got=got,
                remedy="Raise amount, or shorten interval or half_life",
                about=about,
            )

    @property
    def _default_strength(self) -> float:
        """The amount of a mark without one: the maximum."""
        return self.maximum

    def _value_range(self, low: float, high: float) -> tuple[float, float]:
        """Return 0 and the largest value of marks; see `Propagation._value_range`."""
        return 0.0, min(high, self.maximum)

    def _life(self, value: float) -> float:
        """Return the seconds until a value is 0."""
        if self.half_life is None:
            return value / self.amount * self.interval
        if value > self.floor:
            return self.half_life * math.log2(value / self.floor)
        return 0.0

    def field(self, space: Space, every: float) -> Field:
        """Return values of this kind on a space, all 0; `every` is the interval in seconds."""
        from fieldcraft.layers.propagation.fade.fade_field import FadeField

        return FadeField(self, space, every)
