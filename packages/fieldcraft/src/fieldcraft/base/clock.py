"""Time as a whole number of ticks, so that sums of frame times are exact."""

from __future__ import annotations

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue

__all__ = ["MOST_TICKS", "TICKS_PER_SECOND", "seconds", "ticks"]

# The smallest count that 24, 25, 30, 48, 50, 60, 90, 100, 120 and 144 frames a second all divide,
# and audio rates too.
TICKS_PER_SECOND = 705_600_000
_LONGEST = 10**9
MOST_TICKS = _LONGEST * TICKS_PER_SECOND  # of one interval


def ticks(name: str, value: float, *, minimum: int = 0) -> int:
    """Return `value` seconds in ticks, rounded to the nearest; `InvalidValue` below `minimum` ticks
    or above 10**9 seconds.
    """
    number = checks.not_negative(name, value)
    if number > _LONGEST:
        raise InvalidValue(
            f"{name} is at most {_LONGEST:,} seconds",
            got=f"{name}={value!r}",
            remedy="Pass seconds, not milliseconds or ticks",
        )
    count = round(number * TICKS_PER_SECOND)
    if count < minimum:
        raise InvalidValue(
            f"{name} is at least {minimum / TICKS_PER_SECOND:.2g} seconds",
            got=f"{name}={value!r}",
            remedy=f"Pass a longer {name}, in seconds",
        )
    return count


def seconds(count: int) -> float:
    """Return ticks as seconds."""
    return count / TICKS_PER_SECOND
