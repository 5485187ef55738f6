"""Settings of the chase: lengths in units of the map (see `Settings.scale`), times in seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft.base.settings import one_of
from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Count,
    Integer,
    Number,
    Paced,
    Positive,
    Rate,
    Size,
    Speed,
)

ZOMBIES = "zombies"
GUARDS = "guards"
KINDS_OF_HUNTERS = (ZOMBIES, GUARDS)
_GUARDS_PACE = 1.15
_MOST = 100_000
BESIDE = ("flood", "belief", "last", "random")
"""Methods of searching that all update their memories, whichever is chosen."""

PARTY = "party"
SEARCHING = (*BESIDE, PARTY)
"""All methods of searching; the party has a memory only while it is chosen."""


@dataclass(frozen=True)
class HunterRules(CheckedSettings):
    """The rules of a hunter.

    Parameters
    ----------
    view : float, optional
        How far it sees, in units; `angle` is its angle of view, in degrees.
    feel : float, optional
        Distance at which it notices agents from any side, in units, with a line of sight.
    walk, run : float, optional
        Speeds on patrol and in a chase, units a second; guards are 15 % faster.
    reach : float, optional
        Distance of a catch or bite, in units.
    hearing : float, optional
        The value of the noise layer from which it hears.
    grace : float, optional
        Seconds out of sight after which a target is lost.
    patience : float, optional
        Seconds of a search, or of an investigation of a noise.
    call : float, optional
        Distance from which a hunter that loses the player calls others to search, in units.
    party : int, optional
        Most hunters that search together.
    stun : float, optional
        Seconds that it stays in place after a catch.
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
        Loudness of a step, in values of the noise layer; sneaking is silent.
    breath : float, optional
        Seconds of running; `rest` are the seconds that return in each second of not running.
    hearts : int, optional
        Catches until the end.
    stones : int, optional
        Stones to throw; each makes a noise `stone` loud where it falls, at most `throw` units away.
    view : float, optional
        Distance at which the script sees danger, in units.
    caution : float, optional
        Cost of danger in the script's paths: `1 + caution * danger`.
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
        The value of the infection layer from which it flees downhill.
    turning : float, optional
        Seconds from a bite to a new zombie.
    feast : float, optional
        Seconds that a zombie stays with a victim.
    scream : float, optional
        Loudness of a bitten civilian, in values of the noise layer.
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
        "zombies", which bite and infect civilians too, or "guards", which are faster and leave them
        alone.
    hunters, civilians, items : int, optional
        Their numbers; the exit opens when all items are collected.
    search : str, optional
        The hunters' method of searching for a lost player: "flood" (`fc.Pursuit`), "belief"
        (`fc.Belief`), "last" (the last sighting), "random" or "party" (`fc.SearchParty`).
    scale : float, optional
        World units in a unit of length; 0 is a cell of a grid, half a typical edge of waypoints,
        and of a mesh the side of a square with a two-thousandth of its area.
    rate : int, optional
        Steps a second.
    think : float, optional
        Seconds between two looks of hunters.
    limit : float, optional
        Seconds after which the player has survived.
    hunter, player, civilian
        Their rules.

    Raises
    ------
    InvalidValue
        For numbers out of range.
    """

    kind: Annotated[str, one_of(KINDS_OF_HUNTERS)] = ZOMBIES
    hunters: Annotated[int, Integer(1, _MOST)] = 8
    civilians: Annotated[int, Integer(0, _MOST)] = 60
    items: Annotated[int, Integer(0, _MOST)] = 4
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
