"""The numbers of the ants. Lengths are in cells, so that one set serves any map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft.errors import InvalidValue
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
    Turn,
    Whole,
    slider,
)

__all__ = ["MOST_ANTS", "NOWHERE", "SCALAR", "TRAILS", "VELOCITY", "Settings", "Tuning"]

SCALAR, VELOCITY = "scalar", "velocity"
TRAILS = (SCALAR, VELOCITY)
MOST_ANTS = 1_000_000
NOWHERE = 0.3
"""An ant that came less far than this share of its way, as the crow flies, went nowhere."""

_WIDEST_BLUR = 15
_LONGEST_SCENT = 100_000  # steps


@dataclass(frozen=True)
class Tuning(CheckedSettings):
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

    keep: Share = field(default=0.985, metadata=slider("trails keep", 0.9, 1.0, 0.001))
    blur: Annotated[int, Whole(1, _WIDEST_BLUR, odd=True)] = field(
        default=3, metadata=slider("blur, cells", 1, 9, 2)
    )
    distance: Positive = field(default=6.0, metadata=slider("sense ahead, cells", 1, 16, 0.5))
    turn: Amount = field(default=40.0, metadata=slider("turn, degrees", 2, 90, 2))
    wander: Turn = field(default=15.0, metadata=slider("wander, degrees", 0, 60, 1))
    separate: Amount = field(default=0.2, metadata=slider("keep apart", 0, 4, 0.1))
    brush: Amount = field(default=2.0, metadata=slider("brush, cells", 0, 12, 0.5))


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

    ants: Count = 3000
    trails: Annotated[str, one_of(TRAILS)] = SCALAR
    speed: Speed = 12.0
    follow: Amount = 1.0
    scent: Positive = 0.8
    smell: Amount = 4.0
    carriers: Amount = 3.0
    avoid: Amount = 1.0
    obstacle: Amount = 1.0
    crowd: Annotated[int, Whole(1, _WIDEST_BLUR, odd=True)] = 5
    nest: Positive = 3.5
    piles: Annotated[int, Whole(0, 10_000)] = 3
    pile: Positive = 4.0
    food: Annotated[int, Whole(1, 2**30)] = 400
    renew: bool = True
    window: Positive = 6.0
    rate: Rate = 30
    scalar: Tuning = field(default_factory=Tuning)
    velocity: Tuning = field(default_factory=lambda: Tuning(keep=0.98, distance=4.0, separate=2.0))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scent * self.rate > _LONGEST_SCENT:
            raise InvalidValue(
                f"What an ant leaves weakens by half within {_LONGEST_SCENT:,} steps",
                got=f"scent={self.scent:g} at rate={self.rate}",
                remedy="Pass seconds, such as 0.8",
            )

    def tuning(self, trails: str) -> Tuning:
        """The tuning at the start for a kind of trails."""
        return self.scalar if trails == SCALAR else self.velocity
