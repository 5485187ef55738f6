"""The settings of the agent, all in one place for the tuner."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Numbers that decide how the agent plays; `blank` empties all influence layers."""

    blank: bool = False
    harvesters: int = 3
    army: str = "Light"
    counter: str = "Ranged"  # trained against heavy fighters
    attack_ratio: float = 1.3  # own power to the enemy's from which all fighters attack
    engage: float = 1.5  # own presence to the enemy's from which one fighter attacks
    retreat: float = 0.6  # and below which it falls back to its own
    gather: float = 1.0  # worth of a unit of presence while it falls back
    patience: int = 400  # cycles without a change in the number of units
    presence_radius: float = 5.0
    caution: float = 0.3  # cost of a step for each unit of the enemy's presence
    progress: float = 0.3  # worth of a step towards the goal
    gain: float = 1.0
    loss: float = 1.3
    spare: float = 1
    most_workers: int = 60
    short: float = 12  # cells between the bases
    calm: int = 120  # cycles without raiders
    rich: int = 5  # resources
    rally: float = 3  # cells from own buildings
