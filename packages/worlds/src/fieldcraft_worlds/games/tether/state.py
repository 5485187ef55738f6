"""State of a duel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.settings import Amount, CheckedSettings, Number, slider
from fieldcraft_worlds.games.states import Contents, ReadOnly
from fieldcraft_worlds.games.tether.settings import BRAINS, LONGEST

NOBODY = -1

_Range = Annotated[float, Number(high=LONGEST, above=True)]


@dataclass(frozen=True, eq=False)
class Fighters(ReadOnly):
    """All fighters, F of them, the long range first; fallen ones keep their place.

    `sides` (F,) is 0 for the long range and 1 for the short. `positions`, `velocities` and `aims`
    (F, 2) are in world units; an aim is the point that a fighter walks to, in a straight line.
    `ready` (F,) is the step from which each may hit again.
    """

    sides: Annotated[Ints, Contents("fighters", low=0, high=1)]
    positions: Annotated[Floats, Contents("fighters", 2, is_on_map=True)]
    velocities: Annotated[Floats, Contents("fighters", 2, low=-1e9, high=1e9)]
    aims: Annotated[Floats, Contents("fighters", 2, is_on_map=True)]
    health: Annotated[Floats, Contents("fighters", low=-1e9, high=1e9)]
    ready: Annotated[Ints, Contents("fighters")]

    def __len__(self) -> int:
        return len(self.sides)

    @property
    def alive(self) -> NDArray[np.bool_]:
        """The fighters that are alive, (F,)."""
        return np.asarray(self.health > 0)

    def of(self, side: int) -> Ints:
        """Return the numbers of the fighters of a side that are alive, ascending."""
        return np.flatnonzero(self.alive & (self.sides == side))


@dataclass(frozen=True, eq=False)
class Shots(ReadOnly):
    """The hits of the last step, for drawing: the sides, and both ends, (S, 2) world units."""

    sides: Annotated[Ints, Contents("shots", low=0, high=1)]
    starts: Annotated[Floats, Contents("shots", 2)]
    ends: Annotated[Floats, Contents("shots", 2)]

    @classmethod
    def none(cls) -> Shots:
        """Return no hits."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros((0, 2)), np.zeros((0, 2)))


@dataclass(frozen=True)
class Tuning(CheckedSettings):
    """The settings that a player may change during the fight: both ranges in cells, and `threat`
    and `caution` of `Settings`.
    """

    long_range: _Range = field(metadata=slider("the long range", 2.0, 20.0, 0.5))
    short_range: _Range = field(metadata=slider("the short range", 2.0, 20.0, 0.5))
    threat: Amount = field(metadata=slider("weight of threat", 0.0, 4.0, 0.1))
    caution: Amount = field(metadata=slider("cost of enemies in reach", 0.0, 10.0, 0.25))

    @property
    def ranges(self) -> tuple[float, float]:
        """The range of each side."""
        return self.long_range, self.short_range


def _brains(name: str, value: object) -> None:
    """Raise `InvalidValue` for anything but two names of brains."""
    pair = value if isinstance(value, tuple) else ()
    checks.integer(f"the number of {name}", len(pair), minimum=2, maximum=2)
    for brain in pair:
        checks.choice("brain", brain, BRAINS)


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A duel at one moment. It never changes: a step returns another one.

    `dealt` (2,) is the damage that each side has dealt, `hits` (2,) the number of its hits.
    `brains` are the AI of the sides, but `player` is the number of a fighter that a person plays,
    or `NOBODY`: by `steer`, a direction up to 1 long, or towards `walk`, a world position. `over`
    is True at the end, and then `winner` is a side, or `NOBODY` for a tie.
    """

    step: int
    over: bool
    winner: Annotated[int, Contents(low=NOBODY, high=1)]
    fighters: Fighters
    shots: Shots
    dealt: Annotated[Floats, Contents(2, low=0)]
    hits: Annotated[Ints, Contents(2, low=0)]
    brains: Annotated[tuple[str, str], _brains]
    tuning: Tuning
    player: Annotated[int, Contents(low=NOBODY, below="fighters")]
    steer: Annotated[tuple[float, float], Contents(low=-1.001, high=1.001)]
    walk: Annotated[tuple[float, float] | None, Contents(low=-1e12, high=1e12, is_on_map=True)]
