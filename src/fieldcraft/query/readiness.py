"""Compiling before the first question."""

from __future__ import annotations

import numpy as np

from fieldcraft.query.ahead import sense
from fieldcraft.query.exploring import explore_step
from fieldcraft.query.maxima import peaks
from fieldcraft.query.regions import regions
from fieldcraft.query.reservations import Reservations
from fieldcraft.query.route import along
from fieldcraft.query.samples import gradient, sample
from fieldcraft.query.spots import best
from fieldcraft.space import Grid

__all__ = ["compile_all"]


class _Small:
    """A map to put questions to."""

    def __init__(self, neighbors: int | list[tuple[int, int]]) -> None:
        self.space = Grid(5, 4, neighbors=neighbors)
        self.values = np.arange(20, dtype=np.float32).reshape(4, 5)


def compile_all() -> None:
    """Put every question once."""
    small = _Small(4)
    middle = np.array([[2.5, 1.5]])
    sample(small, middle, how="bilinear")
    gradient(small, middle)
    sense(small, middle, (1.0, 0.0), 1.0)
    best(small, np.repeat(middle, 9, axis=0), 9.0)
    best(small, middle, 9.0, walk=3.0)
    Reservations(small.space).best(small, middle, 9.0, agents=[0])
    along(small, middle)
    knight_and_king = [(dx, dy) for dx in range(-2, 3) for dy in range(-2, 3) if 0 < dx * dx + dy * dy <= 5]
    for each in (small, _Small(knight_and_king)):
        peaks(each, spacing=1.0)
        regions(each)
        explore_step(each, middle)
