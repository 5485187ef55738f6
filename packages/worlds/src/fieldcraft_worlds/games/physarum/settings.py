"""Settings of the slime mold: lengths in cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Integer,
    Number,
    Positive,
    Rate,
    Share,
    Speed,
    Turn,
)

MOST_AGENTS = 8_000_000


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """A slime mold.

    Parameters
    ----------
    agents : int, optional
        Number of agents, 1 to 8,000,000; 0 for one to every two open cells, at most 1,000,000.
    cities : int, optional
        Number of cities, which smell of food, 0 to 64.
    food : float, optional
        The amount that a city adds to each of its cells in a step; an agent adds 1.
    city : float, optional
        Radius of a city.
    speed : float, optional
        Cells a second.
    distance, angle : float, optional
        Distance of the three sensors, in cells, and the angle between them, in degrees.
    turn, wander : float, optional
        Greatest turn and greatest random turn in a step, in degrees.
    keep : float, optional
        Share of the trail that is left after a step.
    rate : int, optional
        Steps a second.

    Raises
    ------
    InvalidValue
        For numbers out of range.
    """

    agents: Annotated[int, Integer(0, MOST_AGENTS)] = 0
    cities: Annotated[int, Integer(0, 64)] = 12
    food: Amount = 30.0
    city: Amount = 5.0
    speed: Speed = 20.0
    distance: Positive = 16.0
    angle: Annotated[float, Number(-1e6)] = 35.0
    turn: Positive = 20.0
    wander: Turn = 45.0
    keep: Share = 0.9
    rate: Rate = 30
