"""What questions on graphs ask of the thing that they are put to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Graph

__all__ = ["GraphGround", "is_on_graph"]


def is_on_graph(layer: object) -> bool:
    """Whether a thing says that it lies on a graph."""
    return isinstance(getattr(layer, "space", None), Graph)


class GraphGround:
    """The values and the graph of one thing that questions are put to."""

    def __init__(self, layer: Any) -> None:
        self.space: Graph = layer.space
        values = getattr(layer, "values", None)
        if not isinstance(values, np.ndarray) or values.shape != self.space.shape or values.dtype.kind not in "fiub":
            got = f"{values.dtype} of shape {values.shape}" if isinstance(values, np.ndarray) else type(values).__name__
            raise InvalidValue(
                "Values are numbers in the space's shape (N,)",
                got=f"{got} on a space of {self.space.shape}",
                remedy="Let `values` be an array with a value for each vertex",
            )
        self.values = np.ascontiguousarray(values, dtype=np.float32)
        self.walls = self.space.walls

    @property
    def flat(self) -> NDArray[np.float32]:
        """The values by vertex."""
        return self.values

    def points(self, positions: ArrayLike, outside: str) -> tuple[NDArray[np.float64], NDArray[np.int64], bool]:
        """World positions, their vertices, and whether it was one position."""
        points, single = checks.positions(positions, dimensions=self.space.dimensions)
        return points, np.asarray(self.space.cell_at(points, outside=outside), dtype=np.int64), single

    def closed(self, where: Any) -> NDArray[np.bool_]:
        """Which vertices can't be answers: blocked ones, and those where the mask says no."""
        if where is None:
            return np.array(self.walls)
        if getattr(where, "space", None) is not None:
            if not self.space.same_cells(where.space):
                raise InvalidValue(
                    "where lies on the ground of the layer that is asked",
                    got=f"{where.space!r} for {self.space!r}",
                    remedy="Use layers on one graph, or pass an array of bool",
                )
            off: NDArray[np.bool_] = GraphGround(where).values == 0
            return np.asarray(self.walls | off)
        mask = np.asarray(where)
        if mask.shape != self.space.shape or mask.dtype != np.bool_:
            raise InvalidValue(
                f"where is an array of bool of shape {self.space.shape}, or a layer that is not 0 where vertices may be taken",
                got=f"{mask.dtype} of shape {mask.shape}",
                remedy="Pass a comparison such as layer.values > 0.5",
            )
        return np.asarray(self.walls | ~mask)
