"""The numbers of the duel. Lengths are in cells, times in seconds, so that one set serves any
map.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.bounds import bounded
from fieldcraft_worlds.games.pace import Paced

__all__ = ["BRAINS", "LONGEST", "SIDES", "FighterRules", "Settings"]

BRAINS = ("tether", "charge", "distance", "cover")
SIDES = ("long", "short")
LONGEST = 30.0
_MOST_FIGHTERS = 5


@dataclass(frozen=True)
class FighterRules:
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

    range: float
    damage: tuple[float, float]
    interval: float = 0.8
    health: float = 100.0
    speed: float = 4.0
    force: float = 40.0

    def __post_init__(self) -> None:
        bounded(self)
        for name in ("range", "interval", "health", "speed", "force"):
            checks.positive(name, getattr(self, name))
        if self.range > LONGEST:
            raise InvalidValue(
                f"A fighter reaches at most {LONGEST:g} cells",
                got=f"range={self.range:g}",
                remedy="Pass less",
            )
        if not isinstance(self.damage, tuple) or len(self.damage) != 2:
            raise InvalidValue(
                "damage is (least, most)",
                got=repr(self.damage),
                remedy="Pass a pair such as (5.0, 9.0)",
            )
        least, most = (
            checks.not_negative("the least damage", self.damage[0]),
            checks.positive("the most damage", self.damage[1]),
        )
        if least > most:
            raise InvalidValue(
                "The least damage is at most the most", got=repr(self.damage), remedy="Swap them"
            )

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

    fighters: int = 1
    brains: tuple[str, str] | str = ("tether", "charge")
    swapped: bool = False
    threat: float = 1.0
    caution: float = 1.0
    patience: float = 40.0
    foresight: float = 0.5
    think: float = 0.2
    rate: int = 30
    limit: float = 90.0
    long: FighterRules = field(default_factory=lambda: FighterRules(range=10.0, damage=(5.0, 9.0)))
    short: FighterRules = field(
        default_factory=lambda: FighterRules(range=5.0, damage=(9.0, 15.0), speed=4.2)
    )

    def __post_init__(self) -> None:
        bounded(self, foresight=60)
        if checks.whole("fighters", self.fighters, minimum=1) > _MOST_FIGHTERS:
            raise InvalidValue(
                f"A side has at most {_MOST_FIGHTERS} fighters",
                got=f"fighters={self.fighters}",
                remedy="Pass fewer",
            )
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
        if not isinstance(self.swapped, bool):
            raise InvalidValue(
                "swapped is True or False", got=repr(self.swapped), remedy="Pass one of the two"
            )
        for name in ("threat", "caution", "foresight"):
            checks.not_negative(name, getattr(self, name))
        for name in ("patience", "think", "limit"):
            checks.positive(name, getattr(self, name))
        checks.whole("rate", self.rate, minimum=1)
        if not isinstance(self.long, FighterRules) or not isinstance(self.short, FighterRules):
            raise InvalidValue(
                "long and short are rules",
                got=f"{type(self.long).__name__}, {type(self.short).__name__}",
                remedy="Pass FighterRules(...)",
            )
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
