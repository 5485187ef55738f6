"""The numbers of the chase. Lengths are in units of the map (see `Settings.scale`), times in
seconds, so that one set serves any map.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.bounds import bounded
from fieldcraft_worlds.games.pace import Paced

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
"""Ways of searching that remember side by side, whichever is chosen."""

PARTY = "party"
SEARCHING = (*BESIDE, PARTY)
"""All ways of searching; the party remembers only while hunters search by it."""


@dataclass(frozen=True)
class HunterRules:
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

    view: float = 9.0
    angle: float = 100.0
    feel: float = 1.8
    walk: float = 1.7
    run: float = 2.8
    reach: float = 0.85
    hearing: float = 0.12
    grace: float = 0.6
    patience: float = 22.0
    call: float = 22.0
    party: int = 10
    stun: float = 2.5

    def __post_init__(self) -> None:
        bounded(self, walk=1_000, run=1_000)
        for name in (
            "view",
            "walk",
            "run",
            "reach",
            "hearing",
            "grace",
            "patience",
            "call",
            "stun",
        ):
            checks.positive(name, getattr(self, name))
        checks.not_negative("feel", self.feel)
        checks.whole("party", self.party, minimum=1)
        if checks.positive("angle", self.angle) > 360:
            raise InvalidValue(
                "angle is at most 360 degrees",
                got=f"angle={self.angle:g}",
                remedy="Pass 360 to see all round",
            )


@dataclass(frozen=True)
class PlayerRules:
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

    sneak: float = 1.6
    walk: float = 3.2
    run: float = 5.2
    noise_walking: float = 0.2
    noise_running: float = 1.0
    breath: float = 7.0
    rest: float = 1.0
    hearts: int = 3
    stones: int = 4
    stone: float = 1.5
    throw: float = 14.0
    view: float = 14.0
    caution: float = 12.0

    def __post_init__(self) -> None:
        bounded(self, sneak=1_000, walk=1_000, run=1_000)
        for name in ("sneak", "walk", "run", "breath", "stone", "throw", "view"):
            checks.positive(name, getattr(self, name))
        for name in ("noise_walking", "noise_running", "rest", "caution"):
            checks.not_negative(name, getattr(self, name))
        checks.whole("hearts", self.hearts, minimum=1)
        checks.whole("stones", self.stones)


@dataclass(frozen=True)
class CivilianRules:
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

    walk: float = 1.4
    run: float = 3.7
    fear: float = 0.04
    turning: float = 15.0
    feast: float = 10.0
    scream: float = 0.7

    def __post_init__(self) -> None:
        bounded(self, walk=1_000, run=1_000)
        for name in ("walk", "run", "fear", "turning", "feast"):
            checks.positive(name, getattr(self, name))
        checks.not_negative("scream", self.scream)


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

    kind: str = ZOMBIES
    hunters: int = 8
    civilians: int = 60
    items: int = 4
    search: str = "flood"
    scale: float = 0.0
    rate: int = 30
    think: float = 0.1
    limit: float = 240.0
    hunter: HunterRules = field(default_factory=HunterRules)
    player: PlayerRules = field(default_factory=PlayerRules)
    civilian: CivilianRules = field(default_factory=CivilianRules)

    def __post_init__(self) -> None:
        bounded(self)
        checks.choice("kind", self.kind, KINDS_OF_HUNTERS)
        checks.choice("search", self.search, SEARCHING)
        for name, least in (("hunters", 1), ("civilians", 0), ("items", 0), ("rate", 1)):
            if checks.whole(name, getattr(self, name), minimum=least) > _MOST:
                raise InvalidValue(
                    f"{name} is at most {_MOST:,}",
                    got=f"{name}={getattr(self, name)}",
                    remedy="Ask for fewer",
                )
        checks.not_negative("scale", self.scale)
        for name in ("think", "limit"):
            checks.positive(name, getattr(self, name))
        for name, kind in (
            ("hunter", HunterRules),
            ("player", PlayerRules),
            ("civilian", CivilianRules),
        ):
            if not isinstance(getattr(self, name), kind):
                raise InvalidValue(
                    f"{name} is {kind.__name__}",
                    got=type(getattr(self, name)).__name__,
                    remedy=f"Pass {kind.__name__}(...)",
                )

    @property
    def pace(self) -> float:
        """The factor of the hunters' speeds."""
        return _GUARDS_PACE if self.kind == GUARDS else 1.0

    @property
    def infects(self) -> bool:
        """Whether hunters bite civilians, who then become hunters."""
        return self.kind == ZOMBIES
