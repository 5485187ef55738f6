"""The value, and the slope, at a position."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.kernels import pool
from fieldcraft.query import graph_samples
from fieldcraft.query.graph_ground import is_on_graph
from fieldcraft.query.ground import Ground, Readable, crowd, frozen, too_far

__all__ = ["gradient", "sample"]

_HOW = ("nearest", "bilinear")
_OUTSIDE = ("refuse", "clamp")
_SAMPLES, _SLOPES = 10_000, 1_000  # as many pay for waking a thread


def sample(layer: Readable, positions: ArrayLike, *, how: str = "nearest", outside: str = "refuse") -> float | NDArray[np.float32]:
    """The values at world positions: a float for one (x, y) pair, (N,) float32 for an (N, 2) array.

    Parameters
    ----------
    layer: a layer or an expression.
    how: "nearest" reads the cell that holds the position. "bilinear" mixes the 2 x 2 cells whose centres surround it. Of
        these, only those take part that can be reached from the position's own cell by straight open steps among the four,
        so that nothing leaks through a wall or past its corner; their weights are divided by their sum. At the rim of the
        map, cells that are not there don't take part either. A position on a wall reads its cell.
    outside: "refuse" a position off the map, or "clamp" it to the rim. On a torus no position is off the map.

    On a graph "nearest" reads the vertex that the position belongs to. "bilinear" lies between: on a mesh inside the triangle
    that holds the position, whose corners take the mean of the open polygons that one can walk between round the corner; else on
    the nearest of the open edges at the vertex, in shares of the straight line.

    Raises `OutsideMap` or `InvalidValue`.
    """
    if is_on_graph(layer):
        values, one = graph_samples.sample(layer, positions, checks.choice("how", how, _HOW) == "bilinear", outside)
        return float(values[0]) if one else values
    ground = Ground(layer)
    if checks.choice("how", how, _HOW) == "nearest":
        cells = ground.space.cell_at(positions, outside=outside)
        return float(ground.flat[cells]) if isinstance(cells, int) else ground.flat[cells]
    points, single = _points(positions)
    found = np.empty(len(points), dtype=np.float32)
    _serve(ground, "bilinear", points, outside, (), _SAMPLES, found)
    return float(found[0]) if single else found


def gradient(layer: Readable, positions: ArrayLike, *, how: str = "nearest", outside: str = "refuse") -> NDArray[np.float64]:
    """The direction in which the values grow, and how fast: (N, 2), or (2,) for one (x, y) pair, along the world's x and y.

    In value per world unit: a step of `d` adds about `gradient @ d`. Follow it to climb, its negative to flee.

    Parameters
    ----------
    layer: a layer or an expression.
    how: "nearest" takes the slope of the cell that holds the position: between its neighbours on both sides. Where a wall
        or the rim takes one of them away it is the slope towards the other, and 0 where both are gone. "bilinear" mixes the
        slopes of the cells around, with the weights of `sample`, so that a walker turns smoothly.
    outside: "refuse" a position off the map, or "clamp" it to the rim.

    A position on a wall has no slope: (0, 0). On a graph, with three components if it is 3D, the slope is the one that fits the
    differences to the neighbours best, by least squares; and the smallest of them, where these lie on a line. Raises
    `OutsideMap` or `InvalidValue`.
    """
    if is_on_graph(layer):
        slopes, one = graph_samples.gradient(layer, positions, checks.choice("how", how, _HOW) == "bilinear", outside)
        return slopes[0] if one else slopes
    ground = Ground(layer)
    smooth = checks.choice("how", how, _HOW) == "bilinear"
    points, single = _points(positions)
    found = np.empty((len(points), 2))
    _serve(ground, "gradient", points, outside, (smooth,), _SLOPES, found)
    return found[0] if single else found


def _points(positions: ArrayLike) -> tuple[NDArray[np.float64], bool]:
    """Positions as an (N, 2) array, and whether it was one pair; the kernels find those that are not finite."""
    if isinstance(positions, np.ndarray) and positions.dtype == np.float64 and positions.shape[1:] == (2,):
        return np.ascontiguousarray(positions), False
    return checks.positions(positions)


def _serve(
    ground: Ground, name: str, points: NDArray[np.float64], outside: str, extra: tuple[bool, ...], least: int, found: NDArray[np.floating]
) -> None:
    checks.choice("outside", outside, _OUTSIDE)
    space = ground.space
    function = getattr(kernels.sample, name)
    off_map = np.full(1, -1, dtype=np.int64)
    common = (
        ground.values, *ground.obstacles(), frozen(points), *space.origin, space.cell_size, space.y_up, space.wrap,
        outside == "clamp", *extra,
    )  # fmt: skip

    def call(first: int, last: int) -> pool.Call:
        return function, (*common, first, last, off_map, found)

    crowd(call, len(points), least)
    if off_map[0] >= 0:
        with np.errstate(over="ignore", invalid="ignore"):
            space.cell_at(points, outside=outside)  # raises, and says which position and why
        raise too_far(points[off_map[0]])
