"""Numbers that may be changed while a game runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue

_NOTCHES = 100


@dataclass(frozen=True)
class Slider:
    """A number between two ends, in notches.

    Parameters
    ----------
    name, text : str
        Its name in the game, and a few words for the panel.
    low, high : float
        Its ends.
    step : float, optional
        From one notch to the next; a hundredth of the length if 0.

    Raises
    ------
    InvalidValue
        For ends and steps that do not fit together.
    """

    name: str
    text: str
    low: float
    high: float
    step: float = 0.0

    def __post_init__(self) -> None:
        if checks.finite("low", self.low) >= checks.finite("high", self.high):
            raise InvalidValue(
                "A slider has its low end below its high end",
                got=f"{self.low:g}, {self.high:g}",
                remedy="Swap them",
            )
        if checks.not_negative("step", self.step) > self.high - self.low:
            raise InvalidValue(
                "A step is no longer than the slider",
                got=f"step={self.step:g}",
                remedy="Pass a shorter one",
            )

    @property
    def notches(self) -> int:
        """The number of notches above the low end."""
        if self.step == 0:
            return _NOTCHES
        return math.ceil((self.high - self.low) / self.step - 1e-9)

    def at(self, share: float) -> float:
        """Return the value of the notch nearest to a share of the length, clipped to 0 to 1."""
        return self._value(round(min(max(share, 0.0), 1.0) * self._span))

    def share(self, value: float) -> float:
        """Return the share of the length at a value, 0 to 1."""
        return min(max(self._notch(value) / self._span, 0.0), 1.0)

    def moved(self, value: float, notches: int) -> float:
        """Return the value some notches after another, which may lie between notches."""
        here = self._notch(value)
        if notches > 0:
            first = math.floor(here + 1e-2)
        else:
            first = math.ceil(here - 1e-2)
        return self._value(first + notches)

    @property
    def _length_of_notch(self) -> float:
        """The difference of two notches."""
        return self.step or (self.high - self.low) / _NOTCHES

    @property
    def _span(self) -> float:
        """Notches from end to end; the last one may be shorter."""
        if self.step:
            return (self.high - self.low) / self.step
        return float(_NOTCHES)

    def _notch(self, value: float) -> float:
        """Return how many notches a value is above the low end."""
        value = min(max(value, self.low), self.high)
        return (value - self.low) / (self.high - self.low) * self._span

    def _value(self, notch: int) -> float:
        """Return the value of a notch."""
        if notch <= 0:
            return float(self.low)
        if notch >= self.notches:
            return float(self.high)
        return float(f"{self.low + notch * self._length_of_notch:.12g}")


@dataclass(frozen=True)
class Tune:
    """An order: set a number, by the name of its slider."""

    name: str
    value: float
