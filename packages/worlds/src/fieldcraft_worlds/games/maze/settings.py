"""Settings of the maze: lengths in cells, times in seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft import Fade
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.settings import one_of
from fieldcraft.base.words import MazeAlgorithm
from fieldcraft.formats.maps import MAZE_ALGORITHMS
from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Count,
    Integer,
    Paced,
    Positive,
    Rate,
    Share,
    Speed,
)

MARKS = ("cell", "view")


@dataclass(frozen=True)
class MazeRules(CheckedSettings):
    """The maze that is generated if no map is given; see `generate_map`.

    Parameters
    ----------
    width, height : int, optional
        Cells.
    algorithm : str, optional
        The algorithm, see `generate_map`.
    loops : float, optional
        Share of dead ends with a second exit, 0 to 1.
    corridor : int, optional
        Width of corridors, in cells.
    seed : int, optional
        Of the maze alone; the seed of the match places player, exit, monsters and treasures.
    """

    width: Annotated[int, Integer(3, 2_001)] = 41
    height: Annotated[int, Integer(3, 2_001)] = 27
    algorithm: Annotated[MazeAlgorithm, one_of(MAZE_ALGORITHMS)] = "growing"
    loops: Share = 0.6
    corridor: Annotated[int, Integer(1, 20)] = 1
    seed: Annotated[int, Integer(0, 2**63 - 1)] = 0


@dataclass(frozen=True)
class MemoryRules(CheckedSettings):
    """The rules of the memory that all monsters share, see `Fade`.

    Parameters
    ----------
    amount, interval : float, optional
        The part of `maximum` that is forgotten in each interval, in seconds.
    maximum : float, optional
        The value of a cell with a monster.
    mark_spread : float, optional
        Share of a mark that neighboring cells get, 0 to 0.95.
    marks : str, optional
        What a monster marks when it reaches a cell: that "cell", or its "view", less with distance.
    half_life : float, optional
        Seconds in which values halve, in place of `amount` and `interval`; they are forgotten after
        about 17 of them.
    """

    amount: Positive = 0.8
    interval: Positive = 1.0
    maximum: Positive = 100.0
    mark_spread: Amount = 0.0
    marks: Annotated[str, one_of(MARKS)] = "cell"
    half_life: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.fade()

    def fade(self) -> Fade:
        """Return the propagation of the memory layer."""
        return Fade(
            self.amount, self.interval, self.maximum, self.half_life, mark_spread=self.mark_spread
        )


@dataclass(frozen=True)
class MonsterRules(CheckedSettings):
    """The rules of a monster.

    Parameters
    ----------
    count : int, optional
        Number of monsters.
    sight : int, optional
        Steps that it looks ahead while exploring.
    beyond : bool, optional
        Whether it goes to the nearest unknown cell when it knows all within sight; else to the
        least known cell there.
    view : float, optional
        How far it sees the player, without walls between.
    speed, chase : float, optional
        Speeds while exploring, and while hunting or searching.
    """

    count: Annotated[int, Integer(0, 1_000)] = 3
    sight: Annotated[int, Integer(1, 1_000)] = 2
    beyond: bool = True
    view: Positive = 9.0
    speed: Speed = 3.6
    chase: Speed = 4.8


@dataclass(frozen=True)
class PlayerRules(CheckedSettings):
    """The rules of the player.

    Parameters
    ----------
    speed : float, optional
        Speed.
    view : float, optional
        How far the player sees, without walls between.
    caution : float, optional
        Cost of a monster seen lately in the script's paths, in steps.
    alarm : float, optional
        Seconds for which the script remembers a monster that it saw.
    """

    speed: Speed = 5.0
    view: Positive = 12.0
    caution: Amount = 40.0
    alarm: Positive = 3.0


@dataclass(frozen=True)
class Settings(Paced):
    """A match in the maze.

    Parameters
    ----------
    treasures : int, optional
        Number of treasures; the exit opens when all are taken.
    reach : float, optional
        Distance of a catch.
    limit : float, optional
        Seconds after which the match is over.
    rate : int, optional
        Steps a second.
    maze, memory, monster, player
        Their rules.

    Raises
    ------
    InvalidValue
        For numbers out of range, and for speeds of a cell or more in one step.
    """

    treasures: Count = 6
    reach: Positive = 0.7
    limit: Positive = 600.0
    rate: Rate = 30
    maze: MazeRules = field(default_factory=MazeRules)
    memory: MemoryRules = field(default_factory=MemoryRules)
    monster: MonsterRules = field(default_factory=MonsterRules)
    player: PlayerRules = field(default_factory=PlayerRules)

    def __post_init__(self) -> None:
        super().__post_init__()
        fastest = max(self.monster.speed, self.monster.chase, self.player.speed)
        if fastest >= self.rate:
            raise InvalidValue(
                "Speeds are below a cell in one step",
                got=f"{fastest:g} cells a second at rate={self.rate}",
                remedy="Raise rate",
            )
