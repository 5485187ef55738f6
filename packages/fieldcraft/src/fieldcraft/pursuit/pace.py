"""How often a search goes on."""

from __future__ import annotations

from fieldcraft import clock
from fieldcraft.errors import InvalidValue

__all__ = ["interval_of"]


def interval_of(step: float, speed: float, every: float | None) -> float:
    """Seconds from step to step, a whole number of ticks: as given, or what somebody so fast takes
    for a typical step.
    """
    if every is not None:
        return clock.seconds(clock.ticks("every", every, minimum=1))
    try:
        return clock.seconds(clock.ticks("every", step / speed, minimum=1))
    except (InvalidValue, OverflowError):
        raise InvalidValue(
            "A target takes some time for a step, at most 1,000,000,000 seconds",
            got=f"a speed of {speed:g} for steps of {step:g}",
            remedy="Pass world units a second, or every=",
        ) from None
