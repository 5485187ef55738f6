"""Compiling before the first mark, stamp and trail."""

from __future__ import annotations

import numpy as np

from fieldcraft.falloff import Falloff
from fieldcraft.propagation.canvas import Canvas, GridBlots
from fieldcraft.propagation.fade import Fade
from fieldcraft.propagation.flood import Flood
from fieldcraft.propagation.stamps import Stamp
from fieldcraft.propagation.trail import Trail
from fieldcraft.sources import Sources
from fieldcraft.space import Grid

__all__ = ["compile_all"]


def compile_all() -> None:
    """Leave everything once."""
    space = Grid(9, 8, neighbors=8, walls=np.arange(72).reshape(8, 9) == 40)
    cells, points = np.array([12]), np.array([[3.5, 1.5]])
    for fade in (Fade(bleed=0.5), Fade(half_life=1.0)):
        memory = fade.field(space, 0.1)
        memory.mark(cells, None, 1.0, Falloff.of("constant"), "connected")
        memory._show()
    flood = Flood().field(space, 0.1)
    flood.put(cells, np.ones(1, dtype=np.float32))
    flood.run(1)
    canvas = Canvas(space)
    canvas.blit(GridBlots(space, Stamp.disc(1), points, rotations=np.zeros(1), scales=np.ones(1), between=False), np.ones(1), "add")
    canvas.publish(np.zeros(space.shape, dtype=np.float32))
    for trail in (Trail(), Trail(blur=(0.25, 0.5, 0.25)), Trail(accumulate=False)):
        field = trail.field(space, 0.1)
        field.feed(Sources(space))
        field.add(cells, np.ones(1))
        field.run(1)
