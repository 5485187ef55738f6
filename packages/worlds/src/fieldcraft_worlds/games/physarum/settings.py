"""The numbers of the slime mould. Lengths are in cells, so that one set serves any map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fieldcraft_worlds.games.settings import (
    Amount,
    CheckedSettings,
    Number,
    Positive,
    Rate,
    Share,
    Speed,
    Turn,
    Whole,
)

__all__ = ["MOST_AGENTS", "Settings"]

MOST_AGENTS = 8_000_000


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """A mould.

    Parameters
    ----------
    agents : int, optional
        How many, 1 to 8,000,000; 0 for one to every two open cells, at most 1,000,000.
    cities : int, optional
        How many places smell of food, 0 to 64.
    food : float, optional
        What a city adds to each of its cells at a step, as so many agents leave.
    city : float, optional
        The radius of a city.
    speed : float, optional
        Cells a second.
    distance, angle : float, optional
        To the three sensors, in cells and in degrees between them.
    turn, wander : float, optional
        How far agents turn at a step at most, and most of a random turn, in degrees.
    keep : float, optional
        What part of the trail stays at a step.
    rate : int, optional
        Steps a second.

    Raises
    ------
    InvalidValue
        For numbers outside of their ranges.
    """

    agents: Annotated[int, Whole(0, MOST_AGENTS)] = 0
    cities: Annotated[int, Whole(0, 64)] = 12
    food: Amount = 200.0
    city: Amount = 3.0
    speed: Speed = 30.0
    distance: Positive = 12.0
    angle: Annotated[float, Number(-1e6)] = 25.0
    turn: Positive = 30.0
    wander: Turn = 30.0
    keep: Share = 0.9
    rate: Rate = 30
