"""The numbers of the maze game. Lengths are in cells, times in seconds, so that one set serves any
map.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft import Fade
from fieldcraft.errors import InvalidValue
from fieldcraft.maps import MAZE_ALGORITHMS
from fieldcraft.settings import one_of
from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Count,
    Paced,
    Positive,
    Rate,
    Share,
    Speed,
    Whole,
)

__all__ = ["MARKS", "MazeRules", "MemoryRules", "MonsterRules", "PlayerRules", "Settings"]

MARKS = ("cell", "view")


@dataclass(frozen=True)
class MazeRules(CheckedSettings):
    """The maze that is made where no map is given, see `derived.generate_map`.

    Parameters
    ----------
    width, height : int, optional
        Cells.
    algorithm : str, optional
        How it is carved, see `generate_map`.
    loops : float, optional
        How many dead ends get a second door, 0 to 1.
    corridor : int, optional
        Cells across.
    seed : int, optional
        Of the maze alone; the seed of the match decides who starts where.
    """

    width: Annotated[int, Whole(3, 2_001)] = 41
    height: Annotated[int, Whole(3, 2_001)] = 27
    algorithm: Annotated[str, one_of(MAZE_ALGORITHMS)] = "growing"
    loops: Share = 0.6
    corridor: Annotated[int, Whole(1, 20)] = 1
    seed: Annotated[int, Whole(0, 2**63 - 1)] = 0


@dataclass(frozen=True)
class MemoryRules(CheckedSettings):
    """The rules of the memory that all monsters share: `Fade` says how it is forgotten.

    Parameters
    ----------
    amount, interval : float, optional
        How much of `maximum` is forgotten in how many seconds.
    maximum : float, optional
        What a place that a monster is at reads.
    mark_spread : float, optional
        Part of a mark that neighboring cells take, 0 to 0.95.
    marks : str, optional
        What is marked when a monster comes to a cell: that "cell", or all of its "view", less with
        distance.
    half_life : float, optional
        Seconds in which what is remembered halves, in place of `amount` and `interval`; it is
        forgotten after about 17 of them.
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
        """The same as a kind of layer."""
        return Fade(
            self.amount, self.interval, self.maximum, self.half_life, mark_spread=self.mark_spread
        )


@dataclass(frozen=True)
class MonsterRules(CheckedSettings):
    """The rules of a monster.

    Parameters
    ----------
    count : int, optional
        How many there are.
    sight : int, optional
        How many steps it looks ahead when it explores.
    beyond : bool, optional
        Whether it goes to the nearest unknown cell anywhere when it knows all within sight; else to
        the least known there.
    view : float, optional
        How far it sees the player, where no wall is between.
    speed, chase : float, optional
        How fast it explores, and how fast it hunts or searches.
    """

    count: Annotated[int, Whole(0, 1_000)] = 3
    sight: Annotated[int, Whole(1, 1_000)] = 2
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
        How fast the player walks.
    view : float, optional
        How far the player sees, where no wall is between.
    caution : float, optional
        What a monster seen of late costs the scripted player who goes there, in steps of the way.
    alarm : float, optional
        Seconds for which the scripted player thinks of a monster that it has seen.
    """

    speed: Speed = 5.0
    view: Positive = 12.0
    caution: Amount = 40.0
    alarm: Positive = 3.0


@dataclass(frozen=True)
class Settings(Paced):
    """A match of the maze game.

    Parameters
    ----------
    treasures : int, optional
        How many lie about; the exit opens when all are taken.
    reach : float, optional
        How near a monster must come to catch the player.
    limit : float, optional
        Seconds after which it is over.
    rate : int, optional
        Steps a second.
    maze, memory, monster, player
        Their rules.

    Raises
    ------
    InvalidValue
        For numbers outside of their ranges, and for who would walk a cell or more in one step.
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
                "Nobody walks a cell or more in one step",
                got=f"{fastest:g} cells a second at rate={self.rate}",
                remedy="Raise rate",
            )
