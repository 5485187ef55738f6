"""Time as a whole number of ticks, so that sums of frame times are exact."""

from __future__ import annotations

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue

__all__ = [
    "LATEST",
    "MOST_TICKS",
    "TICKS_PER_SECOND",
    "check_steps",
    "check_time",
    "seconds",
    "ticks",
]

# The smallest count that 24, 25, 30, 48, 50, 60, 90, 100, 120 and 144 frames a second all divide,
# and audio rates too.
TICKS_PER_SECOND = 705_600_000
_LONGEST = 10**9
MOST_TICKS = _LONGEST * TICKS_PER_SECOND  # of one interval
LATEST = 1 << 60
"""The ticks that a clock counts, 51 years: seven times as many are left until 64 bits end."""
_MOST_STEPS = 1_000_000
"""The most steps of one call with a time, where none are dropped."""


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


def check_time(time: int, passed: int) -> None:
    """Raise `InvalidValue` if a clock does not count as far as `passed` ticks after a time."""
    if time + passed > LATEST:
        raise InvalidValue(
            f"A clock counts at most {seconds(LATEST):,.0f} seconds, 51 years",
            got=f"{seconds(passed):,.0f} seconds after {seconds(time):,.0f}",
            remedy="Pass seconds, not milliseconds or ticks, and a shorter every",
        )


def check_steps(due: int, every: int, of: str) -> None:
    """Raise `InvalidValue` if one call takes more than a million steps of something, `every` ticks
    each.
    """
    if due > _MOST_STEPS:
        raise InvalidValue(
            f"One call takes at most {_MOST_STEPS:,} steps of {of}",
            got=f"{due:,} steps, one every {seconds(every):g} s",
            remedy="Pass seconds, not milliseconds or ticks; or call it several times",
        )


def seconds(count: int) -> float:
    """Return ticks as seconds."""
    return count / TICKS_PER_SECOND
