"""Which cells of a grid lie beside each other, whichever way a step between them leads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.grid import Grid

__all__ = ["moves_beside"]


def moves_beside(
    space: Grid,
) -> tuple[
    NDArray[np.unsignedinteger], NDArray[np.int64], NDArray[np.unsignedinteger], NDArray[np.bool_]
]:
    """A grid's links, and how to get from a cell to all those beside it, as `kernels.peaks.peaks`
    takes them.

    One looks for where steps come from; where a step may be open one way only, also for where they
    lead.
    """
    links = space.links().view()
    links.flags.writeable = False
    steps = np.array(space.neighborhood.steps, dtype=np.int64)
    masks = space.link_masks
    ends = np.zeros(len(steps), dtype=np.bool_)
    known = set(space.neighborhood.steps)
    if not all((-dx, -dy) in known for dx, dy in known) or not (
        space.terrain is None or space.terrain.is_plain
    ):
        return (
            links,
            np.concatenate([-steps, steps]),
            np.tile(masks, 2),
            np.repeat([False, True], len(steps)),
        )
    return links, -steps, masks, ends
