"""Settings of the duel: lengths in cells, times in seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Damage,
    Integer,
    Number,
    Paced,
    Positive,
    Rate,
    Speed,
)

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
        Range of its hits, cells between centers, at most 30, without walls between.
    damage : tuple[float, float]
        Least and greatest damage of a hit, drawn evenly.
    interval : float, optional
        Seconds between hits.
    health : float, optional
        Damage until it falls.
    speed : float, optional
        Cells a second.
    force : float, optional
        Greatest change of its velocity, in cells a second, a second.
    """

    range: Annotated[float, Number(high=LONGEST, above=True)]
    damage: Damage
    interval: Positive = 0.8
    health: Positive = 100.0
    speed: Speed = 4.0
    force: Positive = 40.0

    @property
    def firepower(self) -> float:
        """Mean damage a second."""
        return (self.damage[0] + self.damage[1]) / 2 / self.interval


@dataclass(frozen=True)
class Settings(Paced):
    """A duel.

    Parameters
    ----------
    fighters : int, optional
        Fighters of each side, 1 to 5.
    brains : tuple[str, str] or str, optional
        The AI of each side, the long range first: "tether", "charge", "distance" or "cover". One
        word is for both.
    swapped : bool, optional
        Whether the sides start in each other's places.
    threat : float, optional
        Weight of cells in reach of the enemy in the tether layer, times the enemy's damage per
        damage of the fighter.
    caution : float, optional
        `k` of the cost of paths, `1 + k * enemies in reach`.
    patience : float, optional
        Cells of path that one more enemy in the tether's ring is worth.
    foresight : float, optional
        Seconds that the tether looks ahead: the layer is around the place of an enemy by then, and
        its reach grows by the distance that it can walk until then.
    think : float, optional
        Seconds between two decisions.
    rate : int, optional
        Steps a second.
    limit : float, optional
        Seconds after which the damage decides.
    long, short : FighterRules, optional
        The rules of the fighters of both sides; the long range is the longer one.

    Raises
    ------
    InvalidValue
        For numbers out of range.
    """

    fighters: Annotated[int, Integer(1, _MOST_FIGHTERS)] = 1
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
        brains = (self.brains,) * 2 if isinstance(self.brains, str) else tuple(self.brains)
        if len(brains) != 2:
            raise InvalidValue(
                "Each of the two sides has an AI",
                got=f"{len(brains)} names",
                remedy='Pass ("tether", "charge"), say',
            )
        for name in brains:
            checks.choice("brain", name, BRAINS)
        if not isinstance(self.brains, str):
            object.__setattr__(self, "brains", brains)
        if self.long.range <= self.short.range:
            raise InvalidValue(
                "The long range is longer than the short one",
                got=f"{self.long.range:g} and {self.short.range:g}",
                remedy="Change one of the two, or swap them",
            )

    @property
    def brain_names(self) -> tuple[str, str]:
        """The AI of each side."""
        if isinstance(self.brains, str):
            return (self.brains, self.brains)
        return self.brains

    @property
    def rules(self) -> tuple[FighterRules, FighterRules]:
        """The rules of the fighters of each side."""
        return self.long, self.short
