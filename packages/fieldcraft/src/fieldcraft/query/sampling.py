"""Values at positions, along paths, and ahead of agents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.kernels.arrays import read_only
from fieldcraft.query.backend import queries
from fieldcraft.query.ground import Ground, Readable, run_in_bands
from fieldcraft.query.on_graph import GraphGround
from fieldcraft.query.on_grid import GridGround, Obstacles, grid_points
from fieldcraft.space import Grid
from fieldcraft.space.adjacency import line_of
from fieldcraft.space.cells import Many, One

__all__ = ["Along", "along", "gradient", "sample", "sense", "unit_headings"]

_OUTSIDE = ("refuse", "clamp")
_SAMPLES = 10_000  # positions that pay for waking a thread
_HOW = ("nearest", "bilinear")


@overload
def sample(layer: Readable, positions: One, *, how: str = ..., outside: str = ...) -> float: ...
@overload
def sample(
    layer: Readable, positions: Many, *, how: str = ..., outside: str = ...
) -> NDArray[np.float32]: ...
@overload
def sample(
    layer: Readable, positions: ArrayLike, *, how: str = ..., outside: str = ...
) -> float | NDArray[np.float32]: ...
def sample(
    layer: Readable, positions: ArrayLike, *, how: str = "nearest", outside: str = "refuse"
) -> float | NDArray[np.float32]:
    """Return the values at world positions.

    Parameters
    ----------
    layer : layer or expression
        A map of values on any space.
    positions : array_like of shape (2,) or (N, 2)
        World positions; on a 3D graph of shape (3,) or (N, 3).
    how : {"nearest", "bilinear"}
        "nearest" reads the cell that holds the position. "bilinear" mixes the 2 x 2 cells whose
        centers surround it, as far as straight open steps lead to them from the position's own
        cell, so that nothing leaks through walls or past their corners. On a mesh it reads between
        the corners of the triangle that holds the position, on another graph along the nearest
        edge.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.

    Returns
    -------
    float or ndarray of float32
        One number for one position, (N,) for many.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> distances = fc.distance_map(fc.Grid(3, 1), (0.5, 0.5))
    >>> fc.sample(distances, [(1.5, 0.5), (2.2, 0.5)])
    array([1., 2.], dtype=float32)
    >>> fc.sample(distances, (2.0, 0.5), how="bilinear")
    1.5
    """
    if not isinstance(how, str) or how not in _HOW:
        checks.choice("how", how, _HOW)
    if how == "bilinear":
        space = getattr(layer, "space", None)
        if isinstance(space, Grid):
            values, single = _bilinear(layer, space, positions, outside)
        else:
            values, single = GraphGround(layer).between(positions, outside)
        return float(values[0]) if single else values
    found = Ground(layer)
    cells = found.space.cell_at(positions, outside=outside)
    return float(found.flat[cells]) if isinstance(cells, int) else found.flat[cells]


_obstacles: WeakKeyDictionary[Grid, tuple[int, Obstacles]] = WeakKeyDictionary()


def _bilinear(
    layer: Readable, space: Grid, positions: ArrayLike, outside: str
) -> tuple[NDArray[np.float32], bool]:
    """Return the values between the cells of a grid, and whether it was one position."""
    values = layer.values
    usual = type(values) is np.ndarray and values.dtype == np.float32 and values.flags.c_contiguous
    if not usual or values.flags.writeable or values.shape != (space.height, space.width):
        values = GridGround(layer).values
    plain = isinstance(positions, np.ndarray) and positions.dtype == np.float64
    if plain and isinstance(positions, np.ndarray) and positions.shape[1:] == (2,):
        points: NDArray[np.float64] = np.ascontiguousarray(positions).view()
        points.flags.writeable = single = False
    else:
        points, single = grid_points(positions)
    known = _obstacles.get(space)
    if known is None or known[0] != space.walls_version:
        known = _obstacles[space] = space.walls_version, GridGround(layer).obstacles()
    if outside not in _OUTSIDE:
        checks.choice("outside", outside, _OUTSIDE)
    found, off_map = np.empty(len(points), dtype=np.float32), np.full(1, -1, dtype=np.int64)
    frame = (*space.origin, space.cell_size, space.y_up, space.wrap)
    common = values, known[1], points, frame, outside == "clamp"
    if len(points) < 2 * _SAMPLES:
        kernels.sample.bilinear(*common, 0, len(points), off_map, found)
    else:
        run_in_bands(kernels.sample.bilinear, common, (off_map, found), len(points), _SAMPLES)
    if off_map[0] >= 0:
        GridGround(layer).refuse_off_map(points, off_map, outside)
    return found, single


def gradient(
    layer: Readable, positions: ArrayLike, *, how: str = "nearest", outside: str = "refuse"
) -> NDArray[np.float64]:
    """The direction in which the values grow, and how fast: (N, 2), or (2,) for one (x, y) pair,
    along the world's x and y.

    In value per world unit: a step of `d` adds about `gradient @ d`. Follow it to climb, its
    negative to flee.

    A position on a wall has no slope: (0, 0). On a graph, with three components if it is 3D, the
    slope is the one that fits the differences to the neighbours best, by least squares; and the
    smallest of them, where these lie on a line. Raises `OutsideMap` or `InvalidValue`.

    Parameters
    ----------
    layer : Readable
        A layer or an expression.
    how : str, optional
        "nearest" takes the slope of the cell that holds the position: between its neighbours on
        both sides. Where a wall or the rim takes one of them away it is the slope towards the
        other, and 0 where both are gone. "bilinear" mixes the slopes of the cells around, with the
        weights of `sample`, so that a walker turns smoothly.
    outside : str, optional
        "refuse" a position off the map, or "clamp" it to the rim.
    """
    smooth = checks.choice("how", how, _HOW) == "bilinear"
    slopes, single = queries(layer).gradient(positions, smooth, outside)
    return np.asarray(slopes[0] if single else slopes)


@dataclass(frozen=True, eq=False)
class Along:
    """The influence along N paths, float64 arrays of shape (N,), or along one, floats.

    `sum` is value times world length, added up over the cells that the path crosses; `length` is in
    world units; `mean` is `sum / length`; `maximum` is the highest value that the path crosses, and
    `where` (N, 2), or (2,), the middle of the stretch in the first cell that has it. A path without
    length has sum 0 and the mean of its cell.
    """

    sum: float | NDArray[np.float64]
    length: float | NDArray[np.float64]
    mean: float | NDArray[np.float64]
    maximum: float | NDArray[np.float64]
    where: NDArray[np.float64]


def along(
    layer: Readable, path: ArrayLike | Sequence[ArrayLike], *, outside: str = "refuse"
) -> Along:
    """Add up the values along a path and find the highest.

    Each cell counts with the exact length of the path inside it; walls read as they are. A stretch
    along the line between two cells belongs to the cell that owns its edge, as `Grid.cell_at` has
    it.

    On a graph a path is taken by the vertices that its positions belong to: each stretch counts
    with the mean of its two ends, and the highest value is that of a position.

    Parameters
    ----------
    layer : Readable
        A layer or an expression.
    path : array_like or Sequence[array_like]
        (M, 2) world positions, straight lines in between, on a torus the short way round; or
        whatever has `positions`, as a `Path`, or `points`, as a `FrontLine`. Or many paths: a list
        of these, of any lengths, or an (N, M, 2) array.
    outside : str, optional
        "refuse" positions off the map, or "clamp" each to the rim.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        For a path without positions.
    """
    checks.choice("outside", outside, _OUTSIDE)
    ground = queries(layer)
    paths, single = _paths(path, ground.space.dimensions)
    sums, lengths, means, highest, where = ground.along(paths, outside)
    if single:
        return Along(
            float(sums[0]), float(lengths[0]), float(means[0]), float(highest[0]), where[0]
        )
    return Along(sums, lengths, means, highest, where)


def _paths(
    path: ArrayLike | Sequence[ArrayLike], dimensions: int = 2
) -> tuple[list[NDArray[np.float64]], bool]:
    """Each path as an (M, 2) array, and whether there was just one."""
    path = line_of(path)
    if isinstance(path, np.ndarray):
        single = path.ndim < 3
        many = [path] if single else list(path)
    else:
        if not isinstance(path, Sequence):
            raise InvalidValue(
                "A path is an (M, 2) array of world positions",
                got=type(path).__name__,
                remedy="Pass a list or an array",
            )
        lines = [line_of(each) for each in path]
        single = len(lines) > 0 and _depth(lines[0]) < 2
        many = [lines] if single else lines
    checked = [checks.positions(each, dimensions=dimensions) for each in many]
    for index, (points, pair) in enumerate(checked):
        if pair or not len(points):
            raise InvalidValue(
                "A path is an (M, 2) array of at least one world position",
                got=("one pair" if pair else "no position")
                + ("" if single else f" as path {index}"),
                remedy="Pass [(x, y)] for a path that stands still",
            )
    return [points for points, _ in checked], single


def _depth(value: object) -> int:
    depth = 0
    while depth < 4 and isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str):
        depth += 1
        if not len(value):
            return 2  # a path without positions
        value = value[0]
    return depth


_AGENTS = 5_000  # as many pay for waking a thread
_SLACK = 1e-9


def sense(
    layer: Readable,
    positions: ArrayLike,
    headings: ArrayLike,
    distance: float,
    *,
    angle: float = 45.0,
    blocked: float = 0.0,
    vectors: bool = False,
) -> NDArray[np.float32]:
    """The values a distance ahead of agents: (N, 3), or (3,) for one: left, middle, right.

    Middle is on the heading; left is `angle` degrees from it towards the y axis as seen from the x
    axis, right as far to the other side. Each sensor reads the cell that it is in.

    Parameters
    ----------
    layer : Readable
        A layer or an expression; with `vectors=True` a layer with `Trail(vector=True)`.
    positions : array_like
        One (x, y) pair or an (N, 2) array of world positions.
    headings : array_like
        (x, y) directions, one or N, of any length but 0.
    distance : float
        World units, above 0.
    blocked : float, optional
        What a sensor reads in a wall or off the map.
    vectors : bool, optional
        Read the vectors of a layer, in world axes: (N, 3, 2), or (3, 2) for one.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If an argument has a wrong value, shape or type.
    """
    ground = GridGround(layer, "sense()")
    space = ground.space
    far = checks.positive("distance", distance) / space.cell_size
    try:
        places, single = ground.places(positions, "refuse")
    except OutsideMap as error:
        raise OutsideMap(
            error.rule, got=error.got, remedy="Mend the position, or clip it to the map"
        ) from None
    directions = unit_headings(headings, len(places))
    turn = math.radians(checks.finite("angle", angle))
    fallback = checks.finite("blocked", blocked)
    planes = [ground.values]
    if vectors:
        parts: Any = getattr(layer, "vectors", None)
        if not isinstance(parts, np.ndarray):
            raise InvalidValue(
                "vectors=True is for a layer of vectors",
                got=repr(layer),
                remedy="Add it with fc.Trail(vector=True)",
            )
        planes = [read_only(np.ascontiguousarray(parts[..., k])) for k in (0, 1)]
    found = np.zeros((len(planes), len(places), 3), dtype=np.float32)
    where = ground.walls, places, directions, (space.y_up, space.wrap)
    ahead = far, (math.cos(turn), math.sin(turn)), fallback
    for plane, out in zip(planes, found, strict=True):
        run_in_bands(kernels.sense.sense, (plane, *where, *ahead), (out,), len(places), _AGENTS)
    shaped = np.moveaxis(found, 0, -1) if vectors else found[0]
    return np.asarray(shaped[0] if single else shaped)


def unit_headings(headings: ArrayLike, count: int) -> NDArray[np.float64]:
    """Directions as `count` unit vectors; raises `InvalidValue` for (0, 0), NaN and infinity."""
    pairs, single = checks.positions(headings, what="Headings")
    if single:
        pairs = np.repeat(pairs, count, axis=0)
    if len(pairs) != count:
        raise InvalidValue(
            "headings are one (x, y), or one per position",
            got=f"{len(pairs)} for {count} positions",
            remedy=f"Pass shape ({count}, 2)",
        )
    squares = pairs[:, 0] * pairs[:, 0] + pairs[:, 1] * pairs[:, 1]
    if (np.abs(squares - 1) <= _SLACK).all():
        return np.ascontiguousarray(pairs)
    largest = np.abs(pairs).max(axis=1, keepdims=True)
    if (largest == 0).any():
        index = int(np.flatnonzero(largest[:, 0] == 0)[0])
        raise InvalidValue(
            "A heading is not (0, 0)",
            got=f"(0, 0) at index {index}",
            remedy="Pass the last direction that the agent had",
        )
    shrunk = pairs / largest
    return np.asarray(shrunk / np.sqrt(shrunk[:, 0] ** 2 + shrunk[:, 1] ** 2)[:, None])
