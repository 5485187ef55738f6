"""The value, and the slope, at a position."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.query import door
from fieldcraft.query.ground import Readable

__all__ = ["gradient", "sample"]

_HOW = ("nearest", "bilinear")


def sample(
    layer: Readable, positions: ArrayLike, *, how: str = "nearest", outside: str = "refuse"
) -> float | NDArray[np.float32]:
    """The values at world positions: a float for one (x, y) pair, (N,) float32 for an (N, 2) array.

    Parameters
    ----------
    layer: a layer or an expression.
    how: "nearest" reads the cell that holds the position. "bilinear" mixes the 2 x 2 cells whose
        centers surround it. Of these, only those take part that can be reached from the position's
        own cell by straight open steps among the four, so that nothing leaks through a wall or past
        its corner; their weights are divided by their sum. At the rim of the map, cells that are
        not there don't take part either. A position on a wall reads its cell.
    outside: "refuse" a position off the map, or "clamp" it to the rim. On a torus no position is
        off the map.

    On a graph "nearest" reads the vertex that the position belongs to. "bilinear" lies between: on
    a mesh inside the triangle that holds the position, whose corners take the mean of the open
    polygons that one can walk between round the corner; else on the nearest of the open edges at
    the vertex, in shares of the straight line.

    Raises `OutsideMap` or `InvalidValue`.
    """
    values, single = door.sample(layer)(
        layer, positions, checks.choice("how", how, _HOW) == "bilinear", outside
    )
    return float(values[0]) if single else values


def gradient(
    layer: Readable, positions: ArrayLike, *, how: str = "nearest", outside: str = "refuse"
) -> NDArray[np.float64]:
    """The direction in which the values grow, and how fast: (N, 2), or (2,) for one (x, y) pair,
    along the world's x and y.

    In value per world unit: a step of `d` adds about `gradient @ d`. Follow it to climb, its
    negative to flee.

    Parameters
    ----------
    layer: a layer or an expression.
    how: "nearest" takes the slope of the cell that holds the position: between its neighbours on
        both sides. Where a wall or the rim takes one of them away it is the slope towards the
        other, and 0 where both are gone. "bilinear" mixes the slopes of the cells around, with the
        weights of `sample`, so that a walker turns smoothly.
    outside: "refuse" a position off the map, or "clamp" it to the rim.

    A position on a wall has no slope: (0, 0). On a graph, with three components if it is 3D, the
    slope is the one that fits the differences to the neighbours best, by least squares; and the
    smallest of them, where these lie on a line. Raises `OutsideMap` or `InvalidValue`.
    """
    slopes, single = door.gradient(layer)(
        layer, positions, checks.choice("how", how, _HOW) == "bilinear", outside
    )
    return np.asarray(slopes[0] if single else slopes)
