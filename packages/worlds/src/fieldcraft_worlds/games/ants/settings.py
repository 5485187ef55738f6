"""Settings of the ants: lengths in cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.settings import one_of
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
    Turn,
    slider,
)

SCALAR = "scalar"
VELOCITY = "velocity"
TRAILS = (SCALAR, VELOCITY)
MOST_ANTS = 1_000_000
NOWHERE = 0.3
"""Ants that moved less than this share of their path in a window went nowhere."""

_WIDEST_BLUR = 15
_LONGEST_SCENT = 100_000  # steps


@dataclass(frozen=True)
class Tuning(CheckedSettings):
    """The settings that may change during a match, by sliders or `Tune` orders.

    Parameters
    ----------
    keep : float, optional
        Share of a trail that is left after each step, in [0, 1].
    blur : int, optional
        Width of the blur of trails at each step, an odd number of cells from 1 to 15.
    distance : float, optional
        Distance of the sensors, in cells.
    turn : float, optional
        Greatest turn in a step, in degrees.
    wander : float, optional
        Greatest random turn in a step, below 180 degrees: it forks trails, and smooths them.
    separate : float, optional
        Weight of keeping away from crowds and obstacles.
    brush : float, optional
        Radius of the player's brush, in cells.
    """

    keep: Share = field(default=0.985, metadata=slider("trails keep", 0.9, 1.0, 0.001))
    blur: Annotated[int, Integer(1, _WIDEST_BLUR, odd=True)] = field(
        default=3, metadata=slider("blur, cells", 1, 9, 2)
    )
    distance: Positive = field(default=6.0, metadata=slider("sense ahead, cells", 1, 16, 0.5))
    turn: Amount = field(default=40.0, metadata=slider("turn, degrees", 2, 90, 2))
    wander: Turn = field(default=15.0, metadata=slider("wander, degrees", 0, 60, 1))
    separate: Amount = field(default=1.0, metadata=slider("keep apart", 0, 4, 0.1))
    brush: Amount = field(default=2.0, metadata=slider("brush, cells", 0, 12, 0.5))


@dataclass(frozen=True)
class Settings(Paced):
    """A colony.

    Parameters
    ----------
    ants : int, optional
        Number of ants, 0 to 1,000,000.
    trails : str, optional
        "scalar" for two pheromones, one to food and one home; "velocity" for one trail of
        directions.
    speed : float, optional
        Cells a second.
    follow : float, optional
        Weight of trails against the ant's own heading, which has weight 1; 0 for random walks.
    scent : float, optional
        Seconds in which the amount that an ant leaves halves, since it left nest or food; so trails
        increase towards their goals.
    smell : float, optional
        Ants that a cell of the nest or of food counts as on the trails to it.
    searchers : float, optional
        Amount that searching ants leave on a velocity trail; carrying ants leave 1. Searchers that
        follow each other's trails end in vortices.
    homing : float, optional
        Cells within which ants on a velocity trail know the direction of the nest.
    avoid : float, optional
        Weight of turning away from obstacles ahead.
    obstacle : float, optional
        Ants that an obstacle counts as in the crowd layer.
    crowd : int, optional
        Width of that layer's blur, an odd number of cells.
    nest : float, optional
        Radius of the nest, in cells.
    piles, pile, food : int, optional / float, optional
        Number of piles of food, their radius in cells, and the food in each of their cells.
    renew : bool, optional
        Whether another pile grows when less than one is left.
    window : float, optional
        Seconds of the window in which ants that go nowhere are counted.
    rate : int, optional
        Steps a second.
    scalar, velocity : Tuning, optional
        The tuning at the start, for each kind of trails.

    Raises
    ------
    InvalidValue
        For numbers out of range.
    """

    ants: Count = 3000
    trails: Annotated[str, one_of(TRAILS)] = SCALAR
    speed: Speed = 12.0
    follow: Amount = 1.0
    scent: Positive = 0.8
    smell: Amount = 4.0
    searchers: Amount = 0.0
    homing: Positive = 40.0
    avoid: Amount = 1.0
    obstacle: Amount = 1.0
    crowd: Annotated[int, Integer(1, _WIDEST_BLUR, odd=True)] = 5
    nest: Positive = 3.5
    piles: Annotated[int, Integer(0, 10_000)] = 3
    pile: Positive = 4.0
    food: Annotated[int, Integer(1, 2**30)] = 400
    renew: bool = True
    window: Positive = 6.0
    rate: Rate = 30
    scalar: Tuning = field(default_factory=Tuning)
    velocity: Tuning = field(default_factory=lambda: Tuning(keep=0.98, distance=4.0))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scent * self.rate > _LONGEST_SCENT:
            raise InvalidValue(
                f"The amount that an ant leaves halves within {_LONGEST_SCENT:,} steps",
                got=f"scent={self.scent:g} at rate={self.rate}",
                remedy="Pass seconds, such as 0.8",
            )

    def tuning(self, trails: str) -> Tuning:
        """Return the tuning at the start for a kind of trails."""
        return self.scalar if trails == SCALAR else self.velocity
