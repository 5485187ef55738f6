"""The settings of the agent, all in one place for the tuner."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """Numbers that decide how the agent plays; `blank` empties all influence layers."""

    blank: bool = False
    harvesters: int = 3
    army: str = "Ranged"
    attack_ratio: float = 1.3
    presence_radius: float = 5.0
    caution: float = 0.3
    progress: float = 0.3
    gain: float = 1.0
    loss: float = 1.3
    spare: float = 1
    most_workers: int = 60
    short: float = 12
    calm: int = 120
    rich: int = 8
    rally: float = 3
