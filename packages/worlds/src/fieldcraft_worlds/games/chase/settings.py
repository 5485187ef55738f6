"""The numbers of the chase. Lengths are in units of the map (see `Settings.scale`), times in
seconds, so that one set serves any map.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft.settings import one_of
from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Count,
    Number,
    Paced,
    Positive,
    Rate,
    Size,
    Speed,
    Whole,
)

__all__ = [
    "BESIDE",
    "GUARDS",
    "KINDS_OF_HUNTERS",
    "PARTY",
    "SEARCHING",
    "ZOMBIES",
    "CivilianRules",
    "HunterRules",
    "PlayerRules",
    "Settings",
]

ZOMBIES, GUARDS = "zombies", "guards"
KINDS_OF_HUNTERS = (ZOMBIES, GUARDS)
_GUARDS_PACE = 1.15
_MOST = 100_000
BESIDE = ("flood", "belief", "last", "random")
"""Methods of searching that remember side by side, whichever is chosen."""

PARTY = "party"
SEARCHING = (*BESIDE, PARTY)
"""All ways of searching; the party remembers only while hunters search by it."""


@dataclass(frozen=True)
class HunterRules(CheckedSettings):
    """The rules of a hunter.

    Parameters
    ----------
    view : float, optional
        How far it sees, in units; `angle` the opening of what it sees, in degrees.
    feel : float, optional
        How near somebody is noticed from any side, in units, if there is sight.
    walk, run : float, optional
        Its speeds on patrol and in a chase, units a second; guards are faster by 15 %.
    reach : float, optional
        How near it must be to catch or bite, in units.
    hearing : float, optional
        The value of the noise layer from which it hears something.
    grace : float, optional
        Seconds out of sight after which somebody is lost.
    patience : float, optional
        Seconds that it searches, or looks into a noise, before it gives up.
    call : float, optional
        How far one who loses the player calls others to search with it, in units.
    party : int, optional
        How many search together at most.
    stun : float, optional
        Seconds that it stands still after it has caught the player.
    """

    view: Positive = 9.0
    angle: Annotated[float, Number(high=360.0, above=True)] = 100.0
    feel: Amount = 1.8
    walk: Speed = 1.7
    run: Speed = 2.8
    reach: Positive = 0.85
    hearing: Positive = 0.12
    grace: Positive = 0.6
    patience: Positive = 22.0
    call: Positive = 22.0
    party: Size = 10
    stun: Positive = 2.5


@dataclass(frozen=True)
class PlayerRules(CheckedSettings):
    """The rules of the player.

    Parameters
    ----------
    sneak, walk, run : float, optional
        Speeds, units a second.
    noise_walking, noise_running : float, optional
        How loud a step is, in values of the noise layer; sneaking is silent.
    breath : float, optional
        Seconds that one can run; `rest` how many of these come back in a second of not running.
    hearts : int, optional
        How often one may be caught; the last time ends it.
    stones : int, optional
        How many there are to throw; each makes a noise `stone` loud where it falls, at most `throw`
        units away.
    view : float, optional
        How far a player led by the program sees danger, in units.
    caution : float, optional
        How the player weighs ground: `1 + caution * danger`.
    """

    sneak: Speed = 1.6
    walk: Speed = 3.2
    run: Speed = 5.2
    noise_walking: Amount = 0.2
    noise_running: Amount = 1.0
    breath: Positive = 7.0
    rest: Amount = 1.0
    hearts: Size = 3
    stones: Count = 4
    stone: Positive = 1.5
    throw: Positive = 14.0
    view: Positive = 14.0
    caution: Amount = 12.0


@dataclass(frozen=True)
class CivilianRules(CheckedSettings):
    """The rules of a civilian.

    Parameters
    ----------
    walk, run : float, optional
        Speeds at ease and in flight, units a second.
    fear : float, optional
        The value of the infection layer from which one flees down its slope.
    turning : float, optional
        Seconds from a bite to a new zombie.
    feast : float, optional
        Seconds that a zombie is busy with one whom it has bitten.
    scream : float, optional
        How loud one screams who is bitten, in values of the noise layer.
    """

    walk: Speed = 1.4
    run: Speed = 3.7
    fear: Positive = 0.04
    turning: Positive = 15.0
    feast: Positive = 10.0
    scream: Amount = 0.7


@dataclass(frozen=True)
class Settings(Paced):
    """A chase.

    Parameters
    ----------
    kind : str, optional
        "zombies", who bite civilians too, and infect them, or "guards", who are faster and leave
        them alone.
    hunters, civilians, items : int, optional
        How many there are; the exit opens when all items are found.
    search : str, optional
        How hunters search for the player whom they have lost: "flood" (`fc.Pursuit`), "belief"
        (`fc.Belief`), "last" (where it was last seen), "random" or "party" (`fc.SearchParty`).
    scale : float, optional
        World units in a unit of length; 0 lets the map decide: a cell of a grid, half a typical
        edge of waypoints, and of a mesh a two-thousandth of its area, as a square.
    rate : int, optional
        Steps a second.
    think : float, optional
        Seconds from one look around to the next.
    limit : float, optional
        Seconds after which the player has survived.
    hunter, player, civilian
        Their rules.

    Raises
    ------
    InvalidValue
        For numbers outside of their ranges.
    """

    kind: Annotated[str, one_of(KINDS_OF_HUNTERS)] = ZOMBIES
    hunters: Annotated[int, Whole(1, _MOST)] = 8
    civilians: Annotated[int, Whole(0, _MOST)] = 60
    items: Annotated[int, Whole(0, _MOST)] = 4
    search: Annotated[str, one_of(SEARCHING)] = "flood"
    scale: Amount = 0.0
    rate: Rate = 30
    think: Positive = 0.1
    limit: Positive = 240.0
    hunter: HunterRules = field(default_factory=HunterRules)
    player: PlayerRules = field(default_factory=PlayerRules)
    civilian: CivilianRules = field(default_factory=CivilianRules)

    @property
    def pace(self) -> float:
        """The factor of the hunters' speeds."""
        return _GUARDS_PACE if self.kind == GUARDS else 1.0

    @property
    def infects(self) -> bool:
        """Whether hunters bite civilians, who then become hunters."""
        return self.kind == ZOMBIES
