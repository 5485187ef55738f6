"""The ground of a question: what it asks of the thing it is put to, and how its kernel is
called.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import read_only
from fieldcraft.space import Space

__all__ = [
    "Cells",
    "Floats",
    "Ground",
    "Queries",
    "Readable",
    "Stepping",
    "run_in_bands",
    "too_far",
]

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]

Stepping = tuple[
    NDArray[np.unsignedinteger],
    NDArray[np.unsignedinteger],
    Cells,
    bool,
    tuple[Cells, NDArray[np.int32]],
]
"""How to step from cell to cell, as `kernels.explore` takes it: links, masks, steps and whether
they wrap around on a grid; the starts and ends of edges on a graph.
"""


class Readable(Protocol):
    """Anything that has values on a space: a layer, an expression, what a game keeps itself."""

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now, in the space's shape: (height, width), [row, column], on a grid; (N,) on
        a graph.
        """
        ...

    @property
    def space(self) -> Space:
        """The space that they lie on."""
        ...


class Ground:
    """The values and the space of one thing that questions are put to, whatever the kind of
    space.
    """

    space: Space
    values: NDArray[np.float32]

    def __init__(self, layer: Readable) -> None:
        if isinstance(layer, Ground):
            self.space, self.values = layer.space, layer.values
            return
        space: Any = getattr(layer, "space", None)
        is_one = isinstance(space, Space)
        values: Any = getattr(layer, "values", None) if is_one else None
        if not is_one or not isinstance(values, np.ndarray):
            raise InvalidValue(
                "A question is put to a layer or an expression on a space",
                got=type(layer).__name__,
                remedy=(
                    "Pass imap[name], or add your array as a layer: imap.add_layer(name,"
                    " values=array)"
                ),
            )
        if values.shape != space.shape or values.dtype.kind not in "fiub":
            raise InvalidValue(
                f"Values are numbers in the space's shape {space.axes}",
                got=f"{values.dtype} of shape {values.shape} on a space of {space.shape}",
                remedy=f"Let `values` be an array with a value for each {space.cell_name}",
            )
        self.space = space
        self.values = read_only(np.ascontiguousarray(values, dtype=np.float32))

    @property
    def flat(self) -> NDArray[np.float32]:
        """The values by cell, (N,)."""
        return self.values.reshape(-1)

    def points(
        self, positions: ArrayLike, outside: str
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], bool]:
        """World positions, their cells, and whether it was one position."""
        points, single = checks.positions(positions, dimensions=self.space.dimensions)
        return (
            points,
            np.asarray(self.space.cell_at(points, outside=outside), dtype=np.int64),
            single,
        )

    def closed(self, where: Readable | ArrayLike | None) -> NDArray[np.bool_]:
        """Which cells can't be answers, in the space's shape: walls, and those where the mask says
        no. Free to be changed.
        """
        if where is None:
            return np.array(self.space.walls)
        return np.asarray(self.space.walls | ~self._mask(where))

    def _mask(self, where: Readable | ArrayLike) -> NDArray[np.bool_]:
        if isinstance(getattr(where, "space", None), Space):
            other = Ground(where)  # type: ignore[arg-type]
            if not other.space.same_cells(self.space):
                raise InvalidValue(
                    "where lies on the ground of the layer that is asked",
                    got=f"{other.space!r} for {self.space!r}",
                    remedy="Use layers on one map with one cell size, or pass an array of bool",
                )
            return np.asarray(other.values != 0)
        return checks.shaped("where", where, self.space.shape, "b")  # type: ignore[arg-type]


class Queries(Ground, ABC):
    """Answers to questions about one map, on one kind of space."""

    @abstractmethod
    def gradient(self, positions: ArrayLike, smooth: bool, outside: str) -> tuple[Floats, bool]:
        """Return the slopes at positions, (N, D), and whether it was one position."""

    @abstractmethod
    def along(
        self, paths: list[Floats], outside: str
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return of each path the sum, length, mean, maximum, (N,), and where that is, (N, D)."""

    @abstractmethod
    def best(
        self,
        near: ArrayLike,
        radius: float,
        wanted: int,
        spacing: float,
        where: Readable | ArrayLike | None,
        walk: float | None,
        outside: str,
        sign: np.float32,
    ) -> tuple[Cells, bool]:
        """Return the `wanted` best cells around each position, (N, k), -1 where there are no more;
        and whether it was one position. The lowest values are best with a `sign` of -1.
        """

    @abstractmethod
    def best_in_turn(
        self,
        near: ArrayLike,
        radius: float,
        spacing: float,
        where: Readable | ArrayLike | None,
        taken: Cells,
        outside: str,
        sign: np.float32,
    ) -> Cells:
        """Return one cell for each position, (N, 1), chosen one after the other: none less than
        `spacing` from another or from those `taken`.
        """

    @abstractmethod
    def peaks(self, most: int, spacing: float, above: float) -> Cells:
        """Return the cells of at most so many peaks, the highest first."""

    @abstractmethod
    def steps(self) -> Stepping:
        """Return how to step from cell to cell."""


def run_in_bands(
    kernel: Callable[..., object],
    inputs: tuple[Any, ...],
    outputs: tuple[Any, ...],
    count: int,
    least: int,
) -> None:
    """Call `kernel(*inputs, first, last, *outputs)` for `count` agents, on several threads with at
    least `least` agents each.
    """
    if count < 2 * least:
        kernel(*inputs, 0, count, *outputs)
    else:
        bands = pool.bands(count, count // least)
        pool.run([(kernel, (*inputs, *band, *outputs)) for band in bands])


def too_far(point: NDArray[np.float64]) -> InvalidValue:
    """The refusal of a position so far away that its cell is beyond float64."""
    return InvalidValue(
        "Positions lie within 1e308 cells of the map",
        got=f"{tuple(point.tolist())}",
        remedy="Mend that position",
    )
