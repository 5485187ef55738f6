"""The numbers of the duel. Lengths are in cells, times in seconds, so that one set serves any
map.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Damage,
    Number,
    Paced,
    Positive,
    Rate,
    Speed,
    Whole,
)

__all__ = ["BRAINS", "LONGEST", "SIDES", "FighterRules", "Settings"]

BRAINS = ("tether", "charge", "distance", "cover")
SIDES = ("long", "short")
LONGEST = 30.0
_MOST_FIGHTERS = 5


@dataclass(frozen=True)
class FighterRules(CheckedSettings):
    """The rules of a fighter.

    Parameters
    ----------
    range : float
        How far it hits, cells between centers, at most 30; no wall may lie between.
    damage : tuple[float, float]
        The least and the most that a hit takes, drawn evenly.
    interval : float, optional
        Seconds between hits.
    health : float, optional
        What it can take.
    speed : float, optional
        Cells a second.
    force : float, optional
        How fast its velocity can change, in cells a second, a second.
    """

    range: Annotated[float, Number(high=LONGEST, above=True)]
    damage: Damage
    interval: Positive = 0.8
    health: Positive = 100.0
    speed: Speed = 4.0
    force: Positive = 40.0

    @property
    def firepower(self) -> float:
        """Damage a second, on average."""
        return (self.damage[0] + self.damage[1]) / 2 / self.interval


@dataclass(frozen=True)
class Settings(Paced):
    """A duel.

    Parameters
    ----------
    fighters : int, optional
        How many each side has, 1 to 5.
    brains : tuple[str, str] or str, optional
        Who leads each side, the long-range one first: "tether", "charge", "distance" or "cover".
        One word stands for both.
    swapped : bool, optional
        Whether the sides start in each other's places.
    threat : float, optional
        How heavily a place that the enemy reaches weighs in the tether layer, times what it takes
        off the fighter there for each point that it takes off the enemy.
    caution : float, optional
        `k` of the way to a place, whose cost is `1 + k * enemies that reach there`.
    patience : float, optional
        How many cells of way one more enemy in the tether's ring is worth.
    foresight : float, optional
        Seconds that a tethered fighter looks ahead: the layer lies around where an enemy will be if
        it goes on as it walks, and takes it to reach as much farther as it can walk by then.
    think : float, optional
        Seconds between two decisions.
    rate : int, optional
        Steps a second.
    limit : float, optional
        Seconds after which the damage dealt decides.
    long, short : FighterRules, optional
        What the fighters of the two sides are; the long range is the longer one.

    Raises
    ------
    InvalidValue
        For numbers outside of their ranges.
    """

    fighters: Annotated[int, Whole(1, _MOST_FIGHTERS)] = 1
    brains: tuple[str, str] | str = ("tether", "charge")
    swapped: bool = False
    threat: Amount = 1.0
    caution: Amount = 1.0
    patience: Positive = 40.0
    foresight: Annotated[float, Number(high=60.0)] = 0.5
    think: Positive = 0.2
    rate: Rate = 30
    limit: Positive = 90.0
    long: FighterRules = field(default_factory=lambda: FighterRules(range=10.0, damage=(5.0, 9.0)))
    short: FighterRules = field(
        default_factory=lambda: FighterRules(range=5.0, damage=(9.0, 15.0), speed=4.2)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        led = (self.brains,) * 2 if isinstance(self.brains, str) else tuple(self.brains)
        if len(led) != 2:
            raise InvalidValue(
                "Each of the two sides has a brain",
                got=f"{len(led)} brains",
                remedy='Pass ("tether", "charge"), say',
            )
        for name in led:
            checks.choice("brain", name, BRAINS)
        if not isinstance(self.brains, str):
            object.__setattr__(self, "brains", led)
        if self.long.range <= self.short.range:
            raise InvalidValue(
                "The long range is longer than the short one",
                got=f"{self.long.range:g} and {self.short.range:g}",
                remedy="Change one of the two, or swap them",
            )

    @property
    def led_by(self) -> tuple[str, str]:
        """The brain of each side."""
        return (self.brains, self.brains) if isinstance(self.brains, str) else self.brains

    @property
    def rules(self) -> tuple[FighterRules, FighterRules]:
        """The rules of the fighters of each side."""
        return self.long, self.short
