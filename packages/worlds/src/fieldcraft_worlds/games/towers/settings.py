"""The numbers of the tower game. Lengths are in cells, times in seconds, so that one set serves any
map.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.settings import one_of
from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Damage,
    Paced,
    Positive,
    Rate,
    Speed,
    Whole,
)

__all__ = [
    "COMMANDERS",
    "HUMAN",
    "LAYOUTS",
    "CommanderRules",
    "Settings",
    "TowerRules",
    "UnitRules",
]

HUMAN = "human"
COMMANDERS = (HUMAN, "influence", "shortest", "planner", "easy", "hardest")
_METRICS = ("straight", "connected", "path", "sight")
LAYOUTS = ("seeded", "placed")


@dataclass(frozen=True)
class TowerRules(CheckedSettings):
    """The rules of a tower.

    Parameters
    ----------
    size : int, optional
        Its side in cells, an odd number; it blocks the way.
    health : float, optional
        What it can take.
    influence : float, optional
        Its base influence `B`, what its own cell reads: it falls as `B - B d^2 / R^2`.
    reach : float, optional
        Its maximum range of influence `R`, in cells.
    sight : float, optional
        How far it sees units, in cells.
    least_range, range : float, optional
        It hits units no nearer than one and no farther than the other, cells between centers.
    damage : tuple[float, float], optional
        The least and the most that a hit takes, drawn evenly.
    interval : float, optional
        Seconds between hits.
    training : float, optional
        Seconds from one unit that it sends to the next.
    """

    size: Annotated[int, Whole(1, 99, odd=True)] = 3
    health: Positive = 800.0
    influence: Positive = 10.0
    reach: Positive = 22.0
    sight: Positive = 12.0
    least_range: Amount = 2.6
    range: Positive = 10.0
    damage: Damage = (6.0, 14.0)
    interval: Positive = 0.5
    training: Positive = 0.4

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.least_range >= self.range:
            raise InvalidValue(
                "The least range is below the range",
                got=f"least_range={self.least_range:g}, range={self.range:g}",
                remedy="Change one of the two",
            )


@dataclass(frozen=True)
class UnitRules(CheckedSettings):
    """The rules of a unit.

    Parameters
    ----------
    health : float, optional
        What it can take.
    influence, reach : float, optional
        Its own influence and how far it goes, in cells.
    sight : float, optional
        How far it sees enemy towers, in cells; then it leaves the flow and seeks the tower.
    closeness : float, optional
        How near the edge of a tower, or another unit, it must be to hit it, in cells.
    damage : tuple[float, float], optional
        The least and the most that a hit takes, drawn evenly.
    interval : float, optional
        Seconds between hits.
    speed : float, optional
        Cells a second.
    force : float, optional
        How fast its velocity can change, in cells a second, a second.
    room : float, optional
        How far it keeps from others, in cells.
    """

    health: Positive = 80.0
    influence: Positive = 2.0
    reach: Positive = 4.0
    sight: Positive = 7.0
    closeness: Positive = 1.3
    damage: Damage = (6.0, 14.0)
    interval: Positive = 0.8
    speed: Speed = 5.0
    force: Positive = 40.0
    room: Positive = 0.9


@dataclass(frozen=True)
class CommanderRules(CheckedSettings):
    """The rules of thumb of commanders that read the maps; `shortest` and `easy` have none.

    Parameters
    ----------
    wave : float, optional
        The share of `units` that makes a wave of `influence`.
    presence, quarrel : float, optional
        By how much a tower's way counts longer for `influence` where the enemy is strong, and where
        both are: for as much influence as a tower has.
    pressed : float, optional
        So much influence of enemy units, as a share of a tower's own, presses it.
    margin : float, optional
        Planners go with so many times the units that a strike needs,
    hopeless : float, optional
        Turn back below so many times,
    patience : float, optional
        And with this share of all units go for the best, whatever that needs.
    """

    wave: Positive = 0.2
    presence: Amount = 1.0
    quarrel: Amount = 1.0
    pressed: Positive = 0.25
    margin: Positive = 1.25
    hopeless: Amount = 0.7
    patience: Positive = 0.6


@dataclass(frozen=True)
class Settings(Paced):
    """A match of the tower game.

    Parameters
    ----------
    teams : tuple[str, ...], optional
        The names of two teams or more.
    commanders : tuple[str, ...] or str, optional
        The AI of each team: "shortest", "influence" or "planner", "easy" (weaker than "shortest"),
        "hardest", or "human" for orders from outside. One word stands for all.
    layout : str, optional
        "seeded" places all towers by the seed. "placed" leaves those of human teams to `Place`
        orders, until `Begin`.
    towers : int, optional
        How many each team has, or may place.
    units : int, optional
        How many each team may have at once.
    supply : float, optional
        Units that each team may send at the start; `income` more a second for each of its towers.
    squads : int, optional
        Into how many squads a team divides its units.
    caution : float, optional
        `k` of the safe route, whose cost is `1 + k * threat`; the threat is what enemy towers would
        take off a unit in a second, as a share of its health.
    think : float, optional
        Seconds between two decisions of a commander.
    metric : str, optional
        How influence goes round walls, see `Radial`.
    rate : int, optional
        Steps a second.
    limit : float, optional
        Seconds after which the score decides.
    tower, unit, commander
        Their rules.

    Raises
    ------
    InvalidValue
        For numbers outside of their ranges.
    """

    teams: tuple[str, ...] = ("blue", "orange")
    commanders: tuple[str, ...] | str = "influence"
    layout: Annotated[str, one_of(LAYOUTS)] = "seeded"
    towers: Annotated[int, Whole(1, 1_000)] = 7
    units: Annotated[int, Whole(1, 10_000)] = 80
    supply: Amount = 12.0
    income: Amount = 0.12
    squads: Annotated[int, Whole(2, 1_000)] = 6
    caution: Amount = 24.0
    think: Positive = 1.0
    metric: Annotated[str, one_of(_METRICS)] = "connected"
    rate: Rate = 30
    limit: Positive = 300.0
    tower: TowerRules = field(default_factory=TowerRules)
    unit: UnitRules = field(default_factory=UnitRules)
    commander: CommanderRules = field(default_factory=CommanderRules)

    def __post_init__(self) -> None:
        super().__post_init__()
        teams = self.teams
        if (
            not isinstance(teams, (tuple, list))
            or len(teams) < 2
            or len({*teams, ""}) <= len(teams)
            or not all(isinstance(name, str) for name in teams)
        ):
            raise InvalidValue(
                "A match has two teams or more, of different names",
                got=repr(teams),
                remedy='Pass ("blue", "orange")',
            )
        object.__setattr__(self, "teams", tuple(teams))
        if not isinstance(self.commanders, str):
            object.__setattr__(self, "commanders", tuple(self.commanders))
        if len(self.led_by) != len(teams):
            raise InvalidValue(
                "Each team has one commander",
                got=f"{len(self.led_by)} for {len(teams)} teams",
                remedy="Pass one name, or one each",
            )
        for name in self.led_by:
            checks.choice("commander", name, COMMANDERS)

    @property
    def led_by(self) -> tuple[str, ...]:
        """The commander of each team."""
        return (
            (self.commanders,) * len(self.teams)
            if isinstance(self.commanders, str)
            else self.commanders
        )
