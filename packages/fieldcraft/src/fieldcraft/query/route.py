"""The influence along a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.query import door
from fieldcraft.query.ground import Ground, Readable
from fieldcraft.space.ways import line_of

__all__ = ["Along", "along"]

_OUTSIDE = ("refuse", "clamp")


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

    Parameters
    ----------
    layer: a layer or an expression.
    path: (M, 2) world positions, straight lines in between, on a torus the short way round; or
        whatever has `positions`, as a `Path`, or `points`, as a `FrontLine`. Or many paths: a list
        of these, of any lengths, or an (N, M, 2) array.
    outside: "refuse" positions off the map, or "clamp" each to the rim.

    On a graph a path is taken by the vertices that its positions belong to: each stretch counts
    with the mean of its two ends, and the highest value is that of a position.

    Raises `OutsideMap`, or `InvalidValue` for a path without positions.
    """
    checks.choice("outside", outside, _OUTSIDE)
    ground = Ground(layer)
    paths, single = _paths(path, ground.space.dimensions)
    sums, lengths, means, highest, where = door.along(layer)(layer, paths, outside)
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
    while isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str):
        depth += 1
        if not len(value):
            return 2  # a path without positions
        value = value[0]
    return depth
