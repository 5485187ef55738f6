"""A number that may be changed while a game runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

__all__ = ["Slider", "Tune"]

_NOTCHES = 100


@dataclass(frozen=True)
class Slider:
    """A number between two ends, in notches.

    Parameters
    ----------
    name, text : str
        What the game calls it, and what it is, in a few words for the panel.
    low, high : float
        Its ends.
    step : float, optional
        From one notch to the next; a hundredth of the way if 0.
    log : bool, optional
        Whether notches are equal factors, a hundred of them from end to end, in place of equal
        steps.
    keys : tuple[str, ...], optional
        Inputs that move it by a notch, such as ("key j", "key k"), less and more; none if empty.

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
    log: bool = False
    keys: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if checks.finite("low", self.low) >= checks.finite("high", self.high):
            raise InvalidValue(
                "A slider has its low end below its high end",
                got=f"{self.low:g}, {self.high:g}",
                remedy="Swap them",
            )
        if self.log and (self.low <= 0 or self.step):
            raise InvalidValue(
                "A slider of equal factors starts above 0 and has no step",
                got=f"low={self.low:g}, step={self.step:g}",
                remedy="Raise its low end and leave step out, or use log=False",
            )
        if checks.not_negative("step", self.step) > self.high - self.low:
            raise InvalidValue(
                "A step is no longer than the slider",
                got=f"step={self.step:g}",
                remedy="Pass a shorter one",
            )
        if len(self.keys) not in (0, 2) or not all(isinstance(key, str) for key in self.keys):
            raise InvalidValue(
                "A slider has two keys, less and more, or none",
                got=repr(self.keys),
                remedy='Pass ("key j", "key k")',
            )

    @property
    def notches(self) -> int:
        """How many notches there are above the low end."""
        if self.step == 0:
            return _NOTCHES
        return math.ceil((self.high - self.low) / self.step - 1e-9)

    def at(self, share: float) -> float:
        """The value of the notch nearest to a share of the way, 0 to 1; shares outside mean the
        ends.
        """
        return self._value(round(min(max(share, 0.0), 1.0) * self._span))

    def share(self, value: float) -> float:
        """How far along a value is, 0 to 1."""
        return min(max(self._notch(value) / self._span, 0.0), 1.0)

    def moved(self, value: float, notches: int) -> float:
        """The value so many notches on from another, which may lie between notches."""
        here = self._notch(value)
        first = math.floor(here + 1e-2) if notches > 0 else math.ceil(here - 1e-2)
        return self._value(first + notches)

    @property
    def _span(self) -> float:
        """Notches from end to end; the last one may be a shorter one."""
        return (self.high - self.low) / self.step if self.step else float(_NOTCHES)

    def _notch(self, value: float) -> float:
        value = min(max(value, self.low), self.high)
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low) * _NOTCHES
        return (value - self.low) / (self.high - self.low) * self._span

    def _value(self, notch: int) -> float:
        if notch <= 0:
            return float(self.low)
        if notch >= self.notches:
            return float(self.high)
        if self.log:
            return float(f"{self.low * (self.high / self.low) ** (notch / _NOTCHES):.6g}")
        return float(f"{self.low + notch * (self.step or (self.high - self.low) / _NOTCHES):.12g}")


@dataclass(frozen=True)
class Tune:
    """An order: set a number, by the name of its slider."""

    name: str
    value: float
