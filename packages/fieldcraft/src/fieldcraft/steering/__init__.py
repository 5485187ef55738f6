"""Movement of agents: behaviors, crowds, swarms, collisions with walls."""

from fieldcraft.steering.behaviors import (
    accelerate,
    arrive,
    evade,
    flee,
    follow_flow,
    pursue,
    seek,
    wander,
)
from fieldcraft.steering.forage import Deposit, Emitter, Forage, Reversed
from fieldcraft.steering.neighbors import Neighbors, alignment, cohesion, separation
from fieldcraft.steering.pibt import PIBT
from fieldcraft.steering.swarm import Swarm
from fieldcraft.steering.walk import Walk
from fieldcraft.steering.walls import Crowd, avoid_walls, move

__all__ = [
    "PIBT",
    "Crowd",
    "Deposit",
    "Emitter",
    "Forage",
    "Neighbors",
    "Reversed",
    "Swarm",
    "Walk",
    "accelerate",
    "alignment",
    "arrive",
    "avoid_walls",
    "cohesion",
    "evade",
    "flee",
    "follow_flow",
    "move",
    "pursue",
    "seek",
    "separation",
    "wander",
]
