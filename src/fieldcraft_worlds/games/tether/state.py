"""All that changes in a duel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.games.columns import ReadOnly

__all__ = ["NOBODY", "Fighters", "Shots", "State", "Tuning"]

NOBODY = -1

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Fighters(ReadOnly):
    """All fighters, F of them, the long-range ones first; those without health stay where they fell.

    `sides` (F,) is 0 for the long range and 1 for the short. `positions`, `velocities` and `aims` (F, 2) are world units; an aim is where
    a fighter walks to, in a straight line. `ready` (F,) is the step from which each may hit again.
    """

    sides: Ints
    positions: Floats
    velocities: Floats
    aims: Floats
    health: Floats
    ready: Ints

    def __len__(self) -> int:
        return len(self.sides)

    @property
    def alive(self) -> NDArray[np.bool_]:
        """The fighters that stand, (F,)."""
        return np.asarray(self.health > 0)

    def of(self, side: int) -> Ints:
        """The numbers of those of a side who stand, ascending."""
        return np.flatnonzero(self.alive & (self.sides == side))


@dataclass(frozen=True, eq=False)
class Shots(ReadOnly):
    """The hits of the last step, for the eye: who hit, and from where to where, (S, 2) world units."""

    sides: Ints
    starts: Floats
    ends: Floats

    @classmethod
    def none(cls) -> Shots:
        """No hits."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros((0, 2)), np.zeros((0, 2)))


@dataclass(frozen=True)
class Tuning:
    """The settings that the player may change during the fight: both ranges in cells, and `threat` and `caution` of `Settings`."""

    long_range: float
    short_range: float
    threat: float
    caution: float

    @property
    def ranges(self) -> tuple[float, float]:
        """The range of each side."""
        return self.long_range, self.short_range


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A duel at one moment. Never changed: a step makes another.

    `dealt` (2,) is the damage that each side has dealt, `hits` (2,) how often it hit. `brains` lead the sides, but `player` is the number
    of a fighter who is led by hand, or `NOBODY`: by `steer`, a direction no longer than 1, or towards `walk`, a world position.
    `over` says that it has ended, and then `winner` is a side, or `NOBODY` for a tie.
    """

    step: int
    over: bool
    winner: int
    fighters: Fighters
    shots: Shots
    dealt: Floats
    hits: Ints
    brains: tuple[str, str]
    tuning: Tuning
    player: int
    steer: tuple[float, float]
    walk: tuple[float, float] | None
