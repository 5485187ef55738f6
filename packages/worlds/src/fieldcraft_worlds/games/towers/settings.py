"""Settings of the tower game: lengths in cells, times in seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.settings import one_of
from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Damage,
    Integer,
    Paced,
    Positive,
    Rate,
    Speed,
)

HUMAN = "human"
COMMANDERS = (HUMAN, "shortest", "influence", "planner", "easy", "fair", "hard")
_METRICS = ("straight", "connected", "path", "sight")
LAYOUTS = ("seeded", "placed")


@dataclass(frozen=True)
class TowerRules(CheckedSettings):
    """The rules of a tower.

    Parameters
    ----------
    size : int, optional
        Its side in cells, an odd number; it blocks paths.
    health : float, optional
        Damage until it is destroyed.
    influence : float, optional
        Its influence `B` at its own cell; it falls as `B - B d^2 / R^2`.
    reach : float, optional
        Its maximum range of influence `R`, in cells.
    sight : float, optional
        How far it sees units, in cells.
    least_range, range : float, optional
        Least and greatest distance at which it hits units, cells between centers.
    damage : tuple[float, float], optional
        Least and greatest damage of a hit, drawn evenly.
    interval : float, optional
        Seconds between hits.
    training : float, optional
        Seconds between two units that it sends.
    """

    size: Annotated[int, Integer(1, 99, odd=True)] = 3
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
        Damage until it is destroyed.
    influence, reach : float, optional
        Its influence and the range of that, in cells.
    sight : float, optional
        How far it sees enemy towers, in cells; it walks straight to a tower in sight.
    closeness : float, optional
        Greatest distance to the edge of a tower, or to a unit, that it can hit, in cells.
    damage : tuple[float, float], optional
        Least and greatest damage of a hit, drawn evenly.
    interval : float, optional
        Seconds between hits.
    speed : float, optional
        Cells a second.
    force : float, optional
        How fast its velocity can change, in cells a second, a second.
    room : float, optional
        Distance that it keeps to others, in cells.
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
    """The rules of the AI of teams.

    Parameters
    ----------
    wave : float, optional
        The share of `units` that makes a wave of `influence`.
    presence, quarrel : float, optional
        For `influence`, the relative increase of a tower's distance by the enemy's influence and
        by the vulnerability there, both as shares of a tower's influence.
    pressed : float, optional
        The influence of enemy units, as a share of a tower's own, at which it is under attack.
    margin : float, optional
        `planner` attacks with this factor of the units that an attack needs,
    hopeless : float, optional
        turns back below this factor,
    patience : float, optional
        and with this share of all units attacks the best target in any case.
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
        The AI of each team: "shortest", "influence" or "planner"; or a level: "easy" ("shortest"
        with small waves), "fair" ("influence") or "hard" ("planner"); or "human" for a player.
        One word is for all teams.
    layout : str, optional
        "seeded" places all towers by the seed; with "placed", human teams place their own by
        `Place` orders, until `Begin`.
    towers : int, optional
        Towers of each team.
    units : int, optional
        Most units of each team at a time.
    supply : float, optional
        Units to send at the start, for each team; `income` is the number a second for each tower.
    squads : int, optional
        Squads of a team.
    caution : float, optional
        `k` of safe paths, whose cost is `1 + k * threat`; the threat is the damage of enemy towers
        to a unit in a second, as a share of its health.
    think : float, optional
        Seconds between two decisions of the AI.
    metric : str, optional
        The metric of influence, see `Radial`.
    rate : int, optional
        Steps a second.
    limit : float, optional
        Seconds after which the score decides.
    tower, unit, commander
        Their rules.

    Raises
    ------
    InvalidValue
        For numbers out of range.
    """

    teams: tuple[str, ...] = ("blue", "orange")
    commanders: tuple[str, ...] | str = "influence"
    layout: Annotated[str, one_of(LAYOUTS)] = "seeded"
    towers: Annotated[int, Integer(1, 1_000)] = 7
    units: Annotated[int, Integer(1, 10_000)] = 80
    supply: Amount = 12.0
    income: Amount = 0.12
    squads: Annotated[int, Integer(2, 1_000)] = 6
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
                "A match has two or more teams with different names",
                got=repr(teams),
                remedy='Pass ("blue", "orange")',
            )
        object.__setattr__(self, "teams", tuple(teams))
        if not isinstance(self.commanders, str):
            object.__setattr__(self, "commanders", tuple(self.commanders))
        if len(self.ai_names) != len(teams):
            raise InvalidValue(
                "Each team has one AI",
                got=f"{len(self.ai_names)} for {len(teams)} teams",
                remedy="Pass one name, or one each",
            )
        for name in self.ai_names:
            checks.choice("commander", name, COMMANDERS)

    @property
    def ai_names(self) -> tuple[str, ...]:
        """The AI of each team."""
        if isinstance(self.commanders, str):
            return (self.commanders,) * len(self.teams)
        return self.commanders
