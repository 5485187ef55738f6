"""The numbers of the maze game. Lengths are in cells, times in seconds, so that one set serves any
map.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldcraft import Fade, checks
from fieldcraft.errors import InvalidValue
from fieldcraft.maps.mazes import ALGORITHMS
from fieldcraft_worlds.games.bounds import bounded
from fieldcraft_worlds.games.pace import Paced

__all__ = ["MARKS", "MazeRules", "MemoryRules", "MonsterRules", "PlayerRules", "Settings"]

MARKS = ("cell", "view")


@dataclass(frozen=True)
class MazeRules:
    """The maze that is made where no map is given, see `derived.generate_map`.

    Parameters
    ----------
    width, height : int, optional
        Cells.
    algorithm : str, optional
        How it is carved, see `derived.mazes.maze_doors`.
    loops : float, optional
        How many dead ends get a second door, 0 to 1.
    corridor : int, optional
        Cells across.
    seed : int, optional
        Of the maze alone; the seed of the match decides who starts where.
    """

    width: int = 41
    height: int = 27
    algorithm: str = "growing"
    loops: float = 0.6
    corridor: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        bounded(self, width=2_001, height=2_001, corridor=20, seed=2**63 - 1)
        checks.choice("algorithm", self.algorithm, ALGORITHMS)
        checks.fraction("loops", self.loops)
        checks.whole("corridor", self.corridor, minimum=1)
        for name in ("width", "height"):
            checks.whole(name, getattr(self, name), minimum=3)
        checks.whole("seed", self.seed)


@dataclass(frozen=True)
class MemoryRules:
    """The rules of the memory that all monsters share: `Fade` says how it is forgotten.

    Parameters
    ----------
    amount, interval : float, optional
        How much of `maximum` is forgotten in how many seconds.
    maximum : float, optional
        What a place that a monster is at reads.
    bleed : float, optional
        How much of a mark its neighbours take, 0 to 0.95.
    marks : str, optional
        What is marked when a monster comes to a cell: that "cell", or all of its "view", less with
        distance.
    half_life : float, optional
        Seconds in which what is remembered halves, in place of `amount` and `interval`; it is
        forgotten after about 17 of them.
    """

    amount: float = 0.8
    interval: float = 1.0
    maximum: float = 100.0
    bleed: float = 0.0
    marks: str = "cell"
    half_life: float | None = None

    def __post_init__(self) -> None:
        bounded(self)
        checks.choice("marks", self.marks, MARKS)
        self.fade()

    def fade(self) -> Fade:
        """The same as a kind of layer."""
        return Fade(self.amount, self.interval, self.maximum, self.half_life, bleed=self.bleed)


@dataclass(frozen=True)
class MonsterRules:
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

    count: int = 3
    sight: int = 2
    beyond: bool = True
    view: float = 9.0
    speed: float = 3.6
    chase: float = 4.8

    def __post_init__(self) -> None:
        bounded(self, count=1_000, sight=1_000, chase=1_000)
        checks.whole("count", self.count)
        checks.whole("sight", self.sight, minimum=1)
        if not isinstance(self.beyond, bool):
            raise InvalidValue(
                "beyond is True or False", got=f"beyond={self.beyond!r}", remedy="Pass one of these"
            )
        for name in ("view", "speed", "chase"):
            checks.positive(name, getattr(self, name))


@dataclass(frozen=True)
class PlayerRules:
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

    speed: float = 5.0
    view: float = 12.0
    caution: float = 40.0
    alarm: float = 3.0

    def __post_init__(self) -> None:
        bounded(self)
        for name in ("speed", "view", "alarm"):
            checks.positive(name, getattr(self, name))
        checks.not_negative("caution", self.caution)


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

    treasures: int = 6
    reach: float = 0.7
    limit: float = 600.0
    rate: int = 30
    maze: MazeRules = field(default_factory=MazeRules)
    memory: MemoryRules = field(default_factory=MemoryRules)
    monster: MonsterRules = field(default_factory=MonsterRules)
    player: PlayerRules = field(default_factory=PlayerRules)

    def __post_init__(self) -> None:
        bounded(self)
        checks.whole("treasures", self.treasures)
        checks.whole("rate", self.rate, minimum=1)
        for name in ("reach", "limit"):
            checks.positive(name, getattr(self, name))
        for name, kind in (
            ("maze", MazeRules),
            ("memory", MemoryRules),
            ("monster", MonsterRules),
            ("player", PlayerRules),
        ):
            if not isinstance(getattr(self, name), kind):
                raise InvalidValue(
                    f"{name} are rules",
                    got=f"{name}={type(getattr(self, name)).__name__}",
                    remedy=f"Pass {kind.__name__}(...)",
                )
        fastest = max(self.monster.speed, self.monster.chase, self.player.speed)
        if fastest >= self.rate:
            raise InvalidValue(
                "Nobody walks a cell or more in one step",
                got=f"{fastest:g} cells a second at rate={self.rate}",
                remedy="Raise rate",
            )
