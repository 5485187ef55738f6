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
from fieldcraft.steering.crowd import Crowd, avoid_walls, move
from fieldcraft.steering.neighbors import Neighbors, alignment, cohesion, separation
from fieldcraft.steering.swarm.forage import Deposit, Emitter, Forage, Reversed
from fieldcraft.steering.swarm.swarm import Swarm
from fieldcraft.steering.swarm.walk import Walk
from fieldcraft.steering.together.pibt import PIBT

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
