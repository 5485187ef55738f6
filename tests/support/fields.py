"""The least that a question can be put to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

import fieldcraft as fc

CROSS = ndimage.generate_binary_structure(2, 1)
SQUARE = ndimage.generate_binary_structure(2, 2)


@dataclass
class Field:
    """Values on a space, without sources or steps."""

    space: fc.Grid
    values: NDArray[np.float32]


def noise(space: fc.Grid, seed: int, levels: int | None = None) -> Field:
    """Random values from -1 to 1, with `levels` of only so many different ones."""
    values = np.random.default_rng(seed).uniform(-1, 1, space.shape)
    return Field(
        space, (values if levels is None else np.round(values * levels) / levels).astype(np.float32)
    )


def ramp(space: fc.Grid, slope: tuple[float, float], base: float = 0.0) -> Field:
    """Values that grow by `slope` per world unit along x and y, walls included."""
    centers = space.position_of(np.arange(len(space)))
    return Field(space, (base + centers @ np.array(slope)).reshape(space.shape).astype(np.float32))


def random_walls(shape: tuple[int, int], share: float, seed: int) -> NDArray[np.bool_]:
    """Walls in about that share of the cells."""
    return np.random.default_rng(seed).random(shape) < share


def inside(space: fc.Grid, count: int, seed: int) -> NDArray[np.float64]:
    """Random world positions on the map, (count, 2)."""
    return np.array(space.origin) + np.random.default_rng(seed).random((count, 2)) * space.size


def distances(space: fc.Grid, points: np.ndarray, place: np.ndarray) -> np.ndarray:
    """World distances from a place to points, the short way round on a torus."""
    away = np.abs(points - place)
    size = np.where([space.wraps_x, space.wraps_y], space.size, np.inf)
    away = np.minimum(away, size - away)
    return np.hypot(away[..., 0], away[..., 1])
