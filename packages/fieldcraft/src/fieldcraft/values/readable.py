"""Values on a space: of layers, expressions, arrays, and objects of a game."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space import Space
from fieldcraft.space.cells import cell_array, occupied_mask, points_and_cells
from fieldcraft.space.labeled_arrays import unlabeled

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]


class Readable(Protocol):
    """Anything that has values on a space: a layer, an expression, an object of a game."""

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now, in the space's shape: (height, width), [row, column], on a grid; (N,) on
        a graph.
        """
        ...

    @property
    def space(self) -> Space:
        """The space of the values."""
        ...


class Values:
    """The values of a layer, an expression or an array, on any space."""

    def __init__(self, layer: Readable | ArrayLike, space: Space | None = None) -> None:
        values: Any = layer
        if space is None:
            space = getattr(layer, "space", None)
            values = getattr(layer, "values", None)
        if not isinstance(space, Space) or values is None:
            raise InvalidValue(
                "A query takes a layer, an expression, or an array with its space",
                got=type(layer).__name__,
                remedy="Pass imap[name], or values and space=imap.space",
            )
        if not isinstance(values, np.ndarray):
            values = checks.array("Values", unlabeled(space, values))
        if values.shape != space.shape or values.dtype.kind not in "fiub":
            raise InvalidValue(
                f"Values are numbers in the space's shape {space.axes}",
                got=f"{values.dtype} of shape {values.shape} on a space of {space.shape}",
                remedy=f"Pass an array with a value for each {space.cell_name}",
            )
        self.space: Space = space
        flags = values.flags
        if values.dtype != np.float32 or not flags.c_contiguous or flags.writeable:
            values = read_only(np.ascontiguousarray(values, dtype=np.float32))
        self.values: NDArray[np.float32] = values

    @property
    def flat(self) -> NDArray[np.float32]:
        """The values by cell, (N,)."""
        return self.values.reshape(-1)

    def cells(self, positions: ArrayLike, outside: IfOutside) -> tuple[Floats, int | Cells, bool]:
        """See `points_and_cells`."""
        return points_and_cells(self.space, positions, outside)

    def closed(
        self, where: Readable | ArrayLike | None, occupied: ArrayLike | None = None
    ) -> NDArray[np.bool_]:
        """Return a new mask of the cells that are no answers, in the space's shape: walls, occupied
        cells, and those where `where` is 0.
        """
        if occupied is not None:
            taken = occupied_mask(self.space, occupied).reshape(self.space.shape)
            return self.closed(where) | taken
        if where is None:
            return np.array(self.space.walls)
        space = getattr(where, "space", None)
        if not isinstance(space, Space):
            return self.space.walls | ~cell_array(self.space, "where", where, "b")  # type: ignore[arg-type]
        if not space.same_cells(self.space):
            raise InvalidValue(
                "where has the cells of the layer",
                got=f"{space!r} for {self.space!r}",
                remedy="Use layers on one map with one cell size, or pass an array of bool",
            )
        return np.asarray(self.space.walls | (Values(where).values == 0))
