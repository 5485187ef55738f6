"""Fade: what was marked, and how long ago: memory."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.propagation.fade_field import FadeField
from fieldcraft.propagation.kinds import Remembering
from fieldcraft.propagation.settings import number
from fieldcraft.space import Space

__all__ = ["Fade"]

_MOST_BLEED = 0.95
_LONGEST = 1e9
_LEAST, _MOST = 1e-20, checks.LARGEST


@dataclass(frozen=True)
class Fade(Remembering):
    """Remember what was marked, and forget it slowly: what is marked fades to exactly 0.

    Marks come from `Layer.mark`; a mark never lowers a value, and no value exceeds `maximum`.
    Nothing is computed for a cell
    as time passes: a cell holds the moment at which it will be forgotten, and its value follows
    from that when it is read. So the values are the same however `advance` is sliced, and any
    number of updates costs as much as one. With `seep` each update takes its own time, for the
    cells that hold something.

    Parameters
    ----------
    amount : float, optional
        What a value loses in each `interval`, evenly over it, above 0.
    interval : float, optional
        Seconds, above 0.
    maximum : float, optional
        The most that a cell holds, and what a mark without an amount gives it.
    half_life : float, optional
        Seconds in which a value halves, in place of the even fall of `amount` in each `interval`.
    floor : float, optional
        With a `half_life`, what falls to this is forgotten: it is exactly 0 from then on.
    bleed : float, optional
        What part of a mark reaches the neighbouring cells, in [0, 0.95]: what lies beside a marked
        place feels known. Cells farther away take `bleed ** steps`, along walks round walls (a
        diagonal step counts 1.41, one of a graph its length in world units), while that is at least
        a hundredth of `maximum`. Where several marks arrive the strongest counts.
    seep : float, optional
        What part of the way to the mean of its neighbours each cell goes in a second while it
        fades, in [0, 0.95]: memory runs into what lies beside it, and its shapes grow soft instead
        of sharper. Neighbours are those from which a step leads into the cell, so nothing seeps
        through walls; a longer step counts less, by 1 / length.

    Raises
    ------
    InvalidValue
        For numbers outside of these ranges, and for a fade that takes longer than 10**9 seconds.

    References
    ----------
    The influence map of a maze game's monster, whose marks lose 0.25 of 100 every 5 seconds;
    bleeding as marks are made, and seeping as they decay, is what its author wished for.
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
    bleed: float = dataclasses.field(
        default=0.0,
        metadata=number("Part of a mark that neighboring cells take.", high=_MOST_BLEED),
    )
    seep: float = dataclasses.field(
        default=0.0,
        metadata=number(
            "Part of the way to the mean of its neighbors that a cell goes in a second.",
            high=_MOST_BLEED,
        ),
    )

    stands_in: ClassVar[Mapping[str, tuple[str, ...]]] = {"half_life": ("amount", "interval")}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _LEAST <= self.maximum <= _MOST:
            raise InvalidValue(
                f"maximum lies in {_LEAST:g} to {_MOST:g}",
                got=f"maximum={self.maximum:g}",
                remedy="Count in other units",
                about="maximum",
            )
        if self.half_life is not None and not _LEAST <= self.floor < self.maximum:
            raise InvalidValue(
                f"floor lies in {_LEAST:g} to maximum",
                got=f"floor={self.floor:g}, maximum={self.maximum:g}",
                remedy="Pass another floor",
                about="floor",
            )
        if not self.life(self.maximum) <= _LONGEST:
            raise InvalidValue(
                f"A mark is forgotten within {_LONGEST:,.0f} seconds",
                got=f"{self.maximum:g} at {self.amount:g} each {self.interval:g} s"
                if self.half_life is None
                else f"half_life={self.half_life:g}",
                remedy="Raise amount, or shorten interval or half_life",
                about="half_life" if self.half_life is not None else "amount",
            )

    @property
    def usual(self) -> float:
        """The strength of what doesn't name one: the maximum."""
        return self.maximum

    def span(self, low: float, high: float) -> tuple[float, float]:
        """From 0 to what marks give, at most the maximum; see `Propagation.span`."""
        return 0.0, min(high, self.maximum)

    def life(self, value: float) -> float:
        """The seconds until a value is forgotten."""
        if self.half_life is None:
            return value / self.amount * self.interval
        return self.half_life * math.log2(value / self.floor) if value > self.floor else 0.0

    def field(self, space: Space, every: float) -> FadeField:
        """Values of this kind on a space, all 0, that are updated `every` so many seconds."""
        return FadeField(self, space, every)
