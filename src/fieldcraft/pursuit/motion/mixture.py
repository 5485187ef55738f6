"""How somebody moves who was lost from sight: how likely each of several ways is."""

from __future__ import annotations

from dataclasses import dataclass

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

__all__ = ["Motion"]


@dataclass(frozen=True)
class Motion:
    """How a fugitive out of sight moves: how likely it is that it does each of five things. They are weighed against each other, and add
    up to 1 by themselves.

    Parameters
    ----------
    runs: on the way that it ran, to a far place, and from there to the next.
    hides: goes to a place near by that few others see, and stays.
    doubles_back: runs on for some seconds (`turn`, the shortest and the longest), then to a place behind those who chase it, and on.
    stands: stays where it is.
    wanders: goes to any place, near or far, and on.
    near: typical steps to a hiding place, the fewest and the most.
    far: typical steps to a far place, at least.

    Raises `InvalidValue`.
    """

    runs: float = 0.33
    hides: float = 0.35
    doubles_back: float = 0.17
    stands: float = 0.05
    wanders: float = 0.1
    turn: tuple[float, float] = (1.0, 6.0)
    near: tuple[float, float] = (2.0, 16.0)
    far: float = 30.0

    def __post_init__(self) -> None:
        for name in ("runs", "hides", "doubles_back", "stands", "wanders"):
            object.__setattr__(self, name, checks.not_negative(name, getattr(self, name)))
        if not sum(self.shares) > 0:
            raise InvalidValue("A fugitive does something", got="0 for all that it may do", remedy="Pass runs=1, say")
        for name in ("turn", "near"):
            low, high = (float(value) for value in checks.numbers(name, getattr(self, name), 2))
            if not 0 <= low <= high:
                raise InvalidValue(f"{name} is the least and the most, at least 0", got=f"{(low, high)}", remedy="Pass the lower one first")
            object.__setattr__(self, name, (low, high))
        object.__setattr__(self, "far", checks.not_negative("far", self.far))

    @property
    def shares(self) -> tuple[float, float, float, float, float]:
        """How likely each is, in the order of the parameters, not yet adding up to 1."""
        return self.runs, self.hides, self.doubles_back, self.stands, self.wanders
