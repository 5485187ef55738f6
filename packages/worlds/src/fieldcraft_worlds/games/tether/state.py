"""All that changes in a duel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft_worlds.games import bounds
from fieldcraft_worlds.games.columns import ReadOnly
from fieldcraft_worlds.games.settings import Amount, CheckedSettings, Number, slider
from fieldcraft_worlds.games.tether.settings import BRAINS, LONGEST, Settings

__all__ = ["NOBODY", "Fighters", "Shots", "State", "Tuning", "checked"]

NOBODY = -1

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_Range = Annotated[float, Number(high=LONGEST, above=True)]


@dataclass(frozen=True, eq=False)
class Fighters(ReadOnly):
    """All fighters, F of them, the long-range ones first; those without health stay where they
    fell.

    `sides` (F,) is 0 for the long range and 1 for the short. `positions`, `velocities` and `aims`
    (F, 2) are world units; an aim is where a fighter walks to, in a straight line. `ready` (F,) is
    the step from which each may hit again.
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
    """The hits of the last step, for the eye: who hit, and from where to where, (S, 2) world
    units.
    """

    sides: Ints
    starts: Floats
    ends: Floats

    @classmethod
    def none(cls) -> Shots:
        """No hits."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros((0, 2)), np.zeros((0, 2)))


@dataclass(frozen=True)
class Tuning(CheckedSettings):
    """The settings that the player may change during the fight: both ranges in cells, and `threat`
    and `caution` of `Settings`.
    """

    long_range: _Range = field(metadata=slider("the long range", 2.0, 20.0, 0.5))
    short_range: _Range = field(metadata=slider("the short range", 2.0, 20.0, 0.5))
    threat: Amount = field(metadata=slider("weight of threat", 0.0, 4.0, 0.1))
    caution: Amount = field(metadata=slider("cost of being reached", 0.0, 10.0, 0.25))

    @property
    def ranges(self) -> tuple[float, float]:
        """The range of each side."""
        return self.long_range, self.short_range


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A duel at one moment. Never changed: a step makes another.

    `dealt` (2,) is the damage that each side has dealt, `hits` (2,) how often it hit. `brains` lead
    the sides, but `player` is the number
    of a fighter who is led by hand, or `NOBODY`: by `steer`, a direction no longer than 1, or
    towards `walk`, a world position. `over` says that it has ended, and then `winner` is a side, or
    `NOBODY` for a tie.
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


def checked(state: State, space: Grid, settings: Settings) -> State:
    """The state, if it can be one of a duel on this map by these settings; else `InvalidValue`."""
    fighters, shots, count = state.fighters, state.shots, 2 * settings.fighters
    bounds.integer("step", state.step)
    bounds.flag("over", state.over)
    bounds.integer("winner", state.winner, NOBODY, 1)
    bounds.array("sides", fighters.sides, np.int64, (count,), 0, 1)
    bounds.places("positions", fighters.positions, count, space)
    bounds.places("aims", fighters.aims, count, space)
    bounds.array("velocities", fighters.velocities, np.float64, (count, 2), -1e9, 1e9)
    bounds.array("health", fighters.health, np.float64, (count,), -1e9, 1e9)
    bounds.array("ready", fighters.ready, np.int64, (count,))
    hits = len(bounds.array("sides of shots", shots.sides, np.int64, (None,), 0, 1))
    for name in ("starts", "ends"):
        bounds.array(name, getattr(shots, name), np.float64, (hits, 2))
    bounds.array("dealt", state.dealt, np.float64, (2,), 0)
    bounds.array("hits", state.hits, np.int64, (2,), 0)
    bounds.kind("brains", state.brains, tuple)
    bounds.integer("the number of brains", len(state.brains), 2, 2)
    bounds.kind("tuning", state.tuning, Tuning)
    for brain in state.brains:
        bounds.one_of("a brain", brain, BRAINS)
    bounds.integer("player", state.player, NOBODY, count - 1)
    bounds.vector("steer", state.steer, 1.001)
    if state.walk is not None:
        bounds.vector("walk", state.walk, 1e12)
        bounds.places("walk", np.array([state.walk], dtype=np.float64), 1, space)
    return state
