"""The numbers of the flock. Lengths are in cells, so that one set serves any map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fieldcraft.settings import one_of
from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Count,
    Positive,
    Rate,
    Speed,
    Turn,
    Whole,
    slider,
)

__all__ = ["BOTH", "LAYERS", "MOST_BIRDS", "NEIGHBORS", "RULES", "Settings", "Tuning"]

LAYERS, NEIGHBORS, BOTH = "layers", "neighbors", "both"
RULES = (LAYERS, NEIGHBORS, BOTH)
MOST_BIRDS = 1_000_000

_WIDEST_BLUR = 63


@dataclass(frozen=True)
class Tuning(CheckedSettings):
    """The settings that may be changed while birds fly: by sliders, keys, or `Tune` orders. A
    bird's own heading weighs 1.

    Parameters
    ----------
    align : float, optional
        Towards the mean heading of those near.
    separate : float, optional
        Away from where it is crowded.
    cohere : float, optional
        Towards where most are.
    turn : float, optional
        How far birds turn at a step at most, in degrees.
    wander : float, optional
        Up to how far random numbers turn them at each step, in degrees, below 180.
    brush : float, optional
        The radius of the player's brush, in cells.
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
        How many, 0 to 1,000,000.
    rule : str, optional
        By what they fly: "layers", exact "neighbors", or "both": every second bird by each. The two
        kinds don't see each other.
    speed : float, optional
        Cells a second.
    near, heading, far : int, optional
        The widths of the blurs of the layers for separation, alignment and cohesion, odd numbers of
        cells up to 63. The exact flock sees as far as such a layer reaches.
    room : float, optional
        How many birds to a cell are no crowd yet, for those who fly by layers. Without it only the
        relative slope of a crowd would count, and a flock had no density of its own.
    avoid : float, optional
        How much birds turn from obstacles ahead.
    obstacle : float, optional
        As how many birds an obstacle counts for those beside it, in the layer by which they keep
        apart.
    predator : float, optional
        How far a predator is feared, in cells.
    rate : int, optional
        Steps a second.
    tuning : Tuning, optional
        What is tuned at the start.

    Raises
    ------
    InvalidValue
        For numbers outside of their ranges.
    """

    birds: Count = 1500
    rule: Annotated[str, one_of(RULES)] = LAYERS
    speed: Speed = 10.0
    near: Annotated[int, Whole(1, _WIDEST_BLUR, odd=True)] = 3
    heading: Annotated[int, Whole(1, _WIDEST_BLUR, odd=True)] = 5
    far: Annotated[int, Whole(1, _WIDEST_BLUR, odd=True)] = 11
    room: Amount = 0.3
    avoid: Amount = 1.0
    obstacle: Amount = 2.0
    predator: Positive = 10.0
    rate: Rate = 30
    tuning: Tuning = field(default_factory=Tuning)
