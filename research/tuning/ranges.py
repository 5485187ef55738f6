"""The ranges of a search: a setting, and where its best value may lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldcraft.errors import InvalidValue

__all__ = ["Range", "parse_range"]


@dataclass(frozen=True)
class Range:
    """A setting to search: numbers from `low` to `high`, by equal ratios if `log`."""

    name: str
    low: float
    high: float
    log: bool = False
    whole: bool = False

    def distribution(self, optuna: Any) -> Any:
        """Return the range as Optuna draws from it."""
        if self.whole:
            low, high = int(self.low), int(self.high)
            return optuna.distributions.IntDistribution(low, high, log=self.log)
        return optuna.distributions.FloatDistribution(self.low, self.high, log=self.log)

    def __str__(self) -> str:
        return f"{self.name}={self.low:g}:{self.high:g}{':log' if self.log else ''}"


def parse_range(text: str, usual: Mapping[str, Any]) -> Range:
    """Return the range of "name=low:high" or "name=low:high:log"; `usual` are the settings of the
    game by dotted name.

    Raises
    ------
    InvalidValue
        For an unknown name, and for any other text.
    """
    name, _, ends = text.partition("=")
    low, _, rest = ends.partition(":")
    high, _, scale = rest.partition(":")
    known = usual.get(name)
    try:
        found = Range(name, float(low), float(high), scale == "log", isinstance(known, int))
    except ValueError:
        found = None
    if (
        not isinstance(known, (int, float))
        or found is None
        or scale not in ("", "log")
        or not (0 if found.log else -1e12) < found.low < found.high < 1e12
        or (found.whole and not (found.low.is_integer() and found.high.is_integer()))
    ):
        numbers = [each for each, value in usual.items() if isinstance(value, (int, float))]
        raise InvalidValue(
            f"--search takes SETTING=LOW:HIGH with one of {', '.join(sorted(numbers))}"[:400],
            got=repr(text)[:80],
            remedy="Write caution=0:40, or caution=1:100:log for equal ratios",
            about="search",
        )
    return found
