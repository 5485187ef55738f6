"""The extent of a space in the world, and the camera that shows all of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.view.camera import Camera

_MARGIN = 0.04


def extent_of(space: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least x and y of a space and its size: (2,) each, in world units; graphs have a
    margin.
    """
    if hasattr(space, "cell_size"):
        low = np.array(space.origin, dtype=np.float64)
        return low, np.array([space.width, space.height]) * space.cell_size
    if space.mesh is None:
        places = space.positions[:, :2]
    else:
        places = space.mesh.corners[:, :2]
    if not len(places):
        return np.zeros(2), np.ones(2)
    low = places.min(axis=0)
    high = places.max(axis=0)
    margin = _MARGIN * float((high - low).max()) or 1.0
    return np.asarray(low - margin), np.asarray(high - low + 2 * margin)


def step_of(space: Any) -> float:
    """Return the side of a cell, or the median length of a graph's edges, in world units."""
    if hasattr(space, "cell_size"):
        return float(space.cell_size)
    lengths = space.lengths
    if len(lengths):
        return float(np.median(lengths))
    return 1.0


def full_view(space: Any, screen: tuple[int, int]) -> Camera:
    """Return the camera that shows a whole space as large as possible."""
    low, size = extent_of(space)
    zoom = min(screen[0] / size[0], screen[1] / size[1])
    return Camera(
        (float(low[0] + size[0] / 2), float(low[1] + size[1] / 2)), float(zoom), y_up=space.y_up
    )
