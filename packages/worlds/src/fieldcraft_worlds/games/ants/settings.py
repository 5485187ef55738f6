"""The numbers of the ants. Lengths are in cells, so that one set serves any map."""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.bounds import bounded
from fieldcraft_worlds.games.pace import Paced
from fieldcraft_worlds.games.world import MOST_AMOUNT

__all__ = ["MOST_ANTS", "NOWHERE", "SCALAR", "TRAILS", "VELOCITY", "Settings", "Tuning"]

SCALAR, VELOCITY = "scalar", "velocity"
TRAILS = (SCALAR, VELOCITY)
MOST_ANTS = 1_000_000
NOWHERE = 0.3
"""An ant that came less far than this share of its way, as the crow flies, went nowhere."""

_WIDEST_BLUR = 15
_MOST_FOOD = 2**30
_LONGEST_SCENT = 100_000  # steps


@dataclass(frozen=True)
class Tuning:
    """The settings that may be changed while ants run: by sliders, keys, or `Tune` orders.

    Parameters
    ----------
    keep : float, optional
        What part of a trail stays at each step, in [0, 1].
    blur : int, optional
        The width over which trails blur at each step, an odd number of cells from 1 to 15.
    distance : float, optional
        How far ahead ants sense, in cells.
    turn : float, optional
        How far they turn at a step at most, in degrees.
    wander : float, optional
        Most degrees of a random turn at each step, below 180: it forks trails, and smooths them.
    separate : float, optional
        How much they shun crowds and obstacles; 0 for not at all.
    brush : float, optional
        The radius of the player's brush, in cells.
    """

    keep: float = 0.985
    blur: int = 3
    distance: float = 6.0
    turn: float = 40.0
    wander: float = 15.0
    separate: float = 0.2
    brush: float = 2.0

    def __post_init__(self) -> None:
        bounded(self)
        if checks.not_negative("keep", self.keep) > 1:
            raise InvalidValue(
                "keep is at most 1, or a trail grows without end",
                got=f"keep={self.keep:g}",
                remedy="Pass 0.98, say",
            )
        if checks.whole("blur", self.blur, minimum=1) % 2 == 0 or self.blur > _WIDEST_BLUR:
            raise InvalidValue(
                f"blur is odd, 1 to {_WIDEST_BLUR}", got=f"blur={self.blur}", remedy="Pass 3, say"
            )
        checks.positive("distance", self.distance)
        for name in ("turn", "wander", "separate", "brush"):
            checks.not_negative(name, getattr(self, name))
        if self.wander >= 180:
            raise InvalidValue(
                "wander is below 180 degrees",
                got=f"wander={self.wander:g}",
                remedy="Pass degrees a step",
            )


@dataclass(frozen=True)
class Settings(Paced):
    """A colony.

    Parameters
    ----------
    ants : int, optional
        How many, 0 to 1,000,000.
    trails : str, optional
        "scalar" for two pheromones, one that leads to food and one that leads home; "velocity" for
        one trail of directions.
    speed : float, optional
        Cells a second.
    follow : float, optional
        How much ants heed trails, beside their own heading, which weighs 1; 0 for random walks.
    scent : float, optional
        Seconds in which what an ant leaves weakens by half, since it left nest or food; so trails
        grow towards where they lead.
    smell : float, optional
        As many ants as a cell of the nest or of food counts for, on the trails that lead there; for
        two pheromones.
    carriers : float, optional
        How many times more an ant leaves that carries food, on a velocity trail.
    avoid : float, optional
        How much ants turn from obstacles ahead.
    obstacle : float, optional
        As how many ants an obstacle counts for those beside it, in the layer by which they keep
        apart.
    crowd : int, optional
        The width of that layer's blur, an odd number of cells.
    nest : float, optional
        The radius of the nest, in cells.
    piles, pile, food : int, optional / float, optional
        How many piles of food there are, their radius in cells, and how much food is in each of
        their cells.
    renew : bool, optional
        Whether another pile grows somewhere when less than one is left.
    window : float, optional
        Seconds over which ants are watched for going nowhere.
    rate : int, optional
        Steps a second.
    scalar, velocity : Tuning, optional
        What is tuned at the start, for each kind of trails.

    Raises
    ------
    InvalidValue
        For numbers outside of their ranges.
    """

    ants: int = 3000
    trails: str = SCALAR
    speed: float = 12.0
    follow: float = 1.0
    scent: float = 0.8
    smell: float = 4.0
    carriers: float = 3.0
    avoid: float = 1.0
    obstacle: float = 1.0
    crowd: int = 5
    nest: float = 3.5
    piles: int = 3
    pile: float = 4.0
    food: int = 400
    renew: bool = True
    window: float = 6.0
    rate: int = 30
    scalar: Tuning = field(default_factory=Tuning)
    velocity: Tuning = field(default_factory=lambda: Tuning(keep=0.98, distance=4.0, separate=2.0))

    def __post_init__(self) -> None:
        bounded(self, food=_MOST_FOOD, piles=10_000)
        if checks.whole("ants", self.ants) > MOST_ANTS:
            raise InvalidValue(
                f"There are at most {MOST_ANTS:,} ants",
                got=f"ants={self.ants}",
                remedy="Ask for fewer",
            )
        checks.choice("trails", self.trails, TRAILS)
        for name in ("speed", "scent", "nest", "pile", "window"):
            checks.positive(name, getattr(self, name))
        for name in ("follow", "smell", "carriers", "avoid", "obstacle"):
            checks.not_negative(name, getattr(self, name))
        for name in ("smell", "carriers", "obstacle"):
            if getattr(self, name) > MOST_AMOUNT:
                raise InvalidValue(
                    f"{name} is at most {MOST_AMOUNT:,.0f}",
                    got=f"{name}={getattr(self, name):g}",
                    remedy="Count in fewer ants",
                )
        if checks.whole("crowd", self.crowd, minimum=1) % 2 == 0 or self.crowd > _WIDEST_BLUR:
            raise InvalidValue(
                f"crowd is odd, 1 to {_WIDEST_BLUR}",
                got=f"crowd={self.crowd}",
                remedy="Pass 5, say",
            )
        for name, least in (("piles", 0), ("food", 1), ("rate", 1)):
            checks.whole(name, getattr(self, name), minimum=least)
        if self.food > _MOST_FOOD:
            raise InvalidValue(
                f"food is at most {_MOST_FOOD:,}", got=f"food={self.food}", remedy="Ask for less"
            )
        if self.scent * self.rate > _LONGEST_SCENT:
            raise InvalidValue(
                f"What an ant leaves weakens by half within {_LONGEST_SCENT:,} steps",
                got=f"scent={self.scent:g} at rate={self.rate}",
                remedy="Pass seconds, such as 0.8",
            )
        if not isinstance(self.renew, bool):
            raise InvalidValue(
                "renew is True or False", got=repr(self.renew), remedy="Pass one of the two"
            )
        if not isinstance(self.scalar, Tuning) or not isinstance(self.velocity, Tuning):
            raise InvalidValue(
                "scalar and velocity are tunings",
                got=f"{type(self.scalar).__name__}, {type(self.velocity).__name__}",
                remedy="Pass Tuning(...)",
            )

    def tuning(self, trails: str) -> Tuning:
        """The tuning at the start for a kind of trails."""
        return self.scalar if trails == SCALAR else self.velocity
