"""The numbers of the slime mould. Lengths are in cells, so that one set serves any map."""

from __future__ import annotations

from dataclasses import dataclass

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.bounds import bounded

__all__ = ["MOST_AGENTS", "Settings"]

MOST_AGENTS = 8_000_000


@dataclass(frozen=True)
class Settings:
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

    agents: int = 0
    cities: int = 12
    food: float = 200.0
    city: float = 3.0
    speed: float = 30.0
    distance: float = 12.0
    angle: float = 25.0
    turn: float = 30.0
    wander: float = 30.0
    keep: float = 0.9
    rate: int = 30

    def __post_init__(self) -> None:
        bounded(self, agents=MOST_AGENTS)
        if checks.whole("agents", self.agents) > MOST_AGENTS:
            raise InvalidValue(
                f"There are at most {MOST_AGENTS:,} agents",
                got=f"agents={self.agents}",
                remedy="Ask for fewer",
            )
        if checks.whole("cities", self.cities) > 64:
            raise InvalidValue(
                "There are at most 64 cities", got=f"cities={self.cities}", remedy="Ask for fewer"
            )
        for name in ("speed", "distance", "turn"):
            checks.positive(name, getattr(self, name))
        for name in ("food", "city", "wander"):
            checks.not_negative(name, getattr(self, name))
        checks.fraction("keep", self.keep)
        checks.finite("angle", self.angle)
        if self.wander >= 180:
            raise InvalidValue(
                "wander is below 180 degrees",
                got=f"wander={self.wander:g}",
                remedy="Pass degrees a step",
            )
        if self.food > 1e6:
            raise InvalidValue(
                "food is at most 1,000,000",
                got=f"food={self.food:g}",
                remedy="Count in fewer agents",
            )
        checks.whole("rate", self.rate, minimum=1)
