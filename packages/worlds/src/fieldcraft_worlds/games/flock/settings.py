"""The numbers of the flock. Lengths are in cells, so that one set serves any map."""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.bounds import bounded
from fieldcraft_worlds.games.world import MOST_AMOUNT

__all__ = ["BOTH", "LAYERS", "MOST_BIRDS", "NEIGHBORS", "RULES", "Settings", "Tuning"]

LAYERS, NEIGHBORS, BOTH = "layers", "neighbors", "both"
RULES = (LAYERS, NEIGHBORS, BOTH)
MOST_BIRDS = 1_000_000

_WIDEST_BLUR = 63


@dataclass(frozen=True)
class Tuning:
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

    align: float = 0.8
    separate: float = 0.6
    cohere: float = 0.2
    turn: float = 30.0
    wander: float = 8.0
    brush: float = 2.0

    def __post_init__(self) -> None:
        bounded(self)
        for name in ("align", "separate", "cohere", "turn", "wander", "brush"):
            checks.not_negative(name, getattr(self, name))
        if self.wander >= 180:
            raise InvalidValue(
                "wander is below 180 degrees",
                got=f"wander={self.wander:g}",
                remedy="Pass degrees a step",
            )


@dataclass(frozen=True)
class Settings:
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

    birds: int = 1500
    rule: str = LAYERS
    speed: float = 10.0
    near: int = 3
    heading: int = 5
    far: int = 11
    room: float = 0.3
    avoid: float = 1.0
    obstacle: float = 2.0
    predator: float = 10.0
    rate: int = 30
    tuning: Tuning = field(default_factory=Tuning)

    def __post_init__(self) -> None:
        bounded(self)
        if checks.whole("birds", self.birds) > MOST_BIRDS:
            raise InvalidValue(
                f"There are at most {MOST_BIRDS:,} birds",
                got=f"birds={self.birds}",
                remedy="Ask for fewer",
            )
        checks.choice("rule", self.rule, RULES)
        for name in ("speed", "predator"):
            checks.positive(name, getattr(self, name))
        for name in ("room", "avoid", "obstacle"):
            checks.not_negative(name, getattr(self, name))
        if self.obstacle > MOST_AMOUNT:
            raise InvalidValue(
                f"obstacle is at most {MOST_AMOUNT:,.0f}",
                got=f"obstacle={self.obstacle:g}",
                remedy="Count in fewer birds",
            )
        for name in ("near", "heading", "far"):
            width = checks.whole(name, getattr(self, name), minimum=1)
            if width % 2 == 0 or width > _WIDEST_BLUR:
                raise InvalidValue(
                    f"{name} is odd, 1 to {_WIDEST_BLUR}",
                    got=f"{name}={width}",
                    remedy="Pass 5, say",
                )
        checks.whole("rate", self.rate, minimum=1)
        if not isinstance(self.tuning, Tuning):
            raise InvalidValue(
                "tuning is a Tuning", got=type(self.tuning).__name__, remedy="Pass Tuning(...)"
            )
