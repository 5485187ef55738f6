"""What kernels of movement on grids take: ground, the agents of a crowd, and their limits."""

from __future__ import annotations

from typing import NamedTuple

from fieldcraft.kernels.shared.arrays import Bytes, Floats, Ints

__all__ = [
    "CROWD_AGENTS",
    "CROWD_LIMITS",
    "OPEN_GROUND",
    "CrowdAgents",
    "CrowdLimits",
    "OpenGround",
]

OPEN_GROUND = "OpenGround(u1[:,::1], u1[:,::1])"
CROWD_AGENTS = "CrowdAgents(f8[:,::1], i8[::1], f8[:,::1], f8[:,::1], f8[:,::1])"
CROWD_LIMITS = "CrowdLimits(f8[::1], f8[::1], f8[::1])"
"""The types of the classes in declarations of kernels."""


class OpenGround(NamedTuple):
    """What is blocked in and around each cell, (height, width)."""

    blocked: Bytes
    """`space.passages`."""
    clear: Bytes
    """Cells with nothing blocked as far as agents look ahead."""


class CrowdAgents(NamedTuple):
    """Agents of a crowd: all but `velocities` sorted, so that neighbors are close in memory."""

    points: Floats
    order: Ints
    """The index of each sorted agent in `velocities`, and in what is written."""
    velocities: Floats
    desired: Floats
    """Velocities; directions if the crowd follows a flow field."""
    pushes: Floats


class CrowdLimits(NamedTuple):
    """`gains` are whether the crowd follows a flow field (1 or 0), the response, the separation and
    the avoidance of walls; the rest has a number for each agent.
    """

    gains: Floats
    forces: Floats
    speeds: Floats
