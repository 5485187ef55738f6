"""Settings of the flock: lengths in cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft.base.settings import one_of
from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Count,
    Integer,
    Positive,
    Rate,
    Speed,
    Turn,
    slider,
)

LAYERS = "layers"
NEIGHBORS = "neighbors"
BOTH = "both"
RULES = (LAYERS, NEIGHBORS, BOTH)
MOST_BIRDS = 1_000_000

_WIDEST_BLUR = 63


@dataclass(frozen=True)
class Tuning(CheckedSettings):
    """The settings that may change while birds fly, by sliders or `Tune` orders. A bird's own
    heading has weight 1.

    Parameters
    ----------
    align : float, optional
        Weight of the mean heading of birds near by.
    separate : float, optional
        Weight of keeping away from crowds.
    cohere : float, optional
        Weight of the direction to most birds.
    turn : float, optional
        Greatest turn in a step, in degrees.
    wander : float, optional
        Greatest random turn in a step, below 180 degrees.
    brush : float, optional
        Radius of the player's brush, in cells.
    """

    align: Amount = field(default=0.8, metadata=slider("align", 0, 3, 0.05))
    separate: Amount = field(default=0.6, metadata=slider("keep apart", 0, 3, 0.05))
    cohere: Amount = field(default=0.2, metadata=slider("stay together", 0, 3, 0.05))
    turn: Amount = field(default=30.0, metadata=slider("turn, degrees", 2, 90, 2))
    wander: Turn = field(default=8.0, metadata=slider("wander, degrees", 0, 90, 1))
    brush: Amount = field(default=2.0, metadata=slider("brush, cells", 0, 12, 0.5))


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """A flock.

    Parameters
    ----------
    birds : int, optional
        Number of birds, 0 to 1,000,000.
    rule : str, optional
        "layers", exact "neighbors", or "both": half of the birds by each. The two kinds do not see
        each other.
    speed : float, optional
        Cells a second.
    near, heading, far : int, optional
        Widths of the blurs of the layers for separation, alignment and cohesion, odd numbers of
        cells up to 63. Exact neighbors have the same range.
    room : float, optional
        Birds in a cell that are no crowd yet, for birds by layers. Without it only the relative
        slope of a crowd would count, and a flock had no density of its own.
    avoid : float, optional
        Weight of turning away from obstacles ahead.
    obstacle : float, optional
        Birds that an obstacle counts as in the narrow layer.
    predator : float, optional
        Range of a predator, in cells.
    rate : int, optional
        Steps a second.
    tuning : Tuning, optional
        The tuning at the start.

    Raises
    ------
    InvalidValue
        For numbers out of range.
    """

    birds: Count = 1500
    rule: Annotated[str, one_of(RULES)] = LAYERS
    speed: Speed = 10.0
    near: Annotated[int, Integer(1, _WIDEST_BLUR, odd=True)] = 3
    heading: Annotated[int, Integer(1, _WIDEST_BLUR, odd=True)] = 5
    far: Annotated[int, Integer(1, _WIDEST_BLUR, odd=True)] = 11
    room: Amount = 0.3
    avoid: Amount = 1.0
    obstacle: Amount = 2.0
    predator: Positive = 10.0
    rate: Rate = 30
    tuning: Tuning = field(default_factory=Tuning)
