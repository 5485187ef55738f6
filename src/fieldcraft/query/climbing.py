"""One step towards what is best: how a crowd follows an influence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.query.ground import Readable, frozen
from fieldcraft.space.kinds import checked_space

__all__ = ["uphill"]


def uphill(layer: Readable, where: ArrayLike, *, outside: str = "refuse") -> NDArray[Any]:
    """Where each agent would go if it took the one step after which the value is highest; it stays where no step is better.

    Parameters
    ----------
    layer: a layer, an expression or anything else with values, on a grid or a graph. Negate it (`-danger`) to go downhill.
    where: world positions, one or (N, 2) ((N, 3) on 3D graphs); or cells, one or (N,) whole numbers. The answer is of the same
        kind: positions of the centres of cells, or cells.
    outside: "refuse" a position off the map, or "clamp" it to the nearest cell.

    Of equally good steps the one to the lowest cell is taken. Raises `OutsideMap` or `InvalidValue`.
    """
    space = checked_space(getattr(layer, "space", None))
    values = np.asarray(layer.values)
    if values.shape != space.shape:
        raise InvalidValue("Values have the space's shape", got=f"shape {values.shape} on {space!r}", remedy=f"Pass shape {space.shape}")
    given = checks.array("Positions or cells", where)
    as_cells = given.dtype.kind in "iu" and given.ndim < 2 and not (given.ndim == 1 and len(given) == space.dimensions and _is_point(where))
    if as_cells:
        if given.size and (int(given.min()) < 0 or int(given.max()) >= len(space)):
            space.position_of(given)  # says which is no cell
        cells = np.atleast_1d(given).astype(np.int64)
    else:
        cells = np.atleast_1d(space.cell_at(given, outside=outside))
    ways = space.ways
    best = np.empty(len(cells), dtype=np.int64)
    kernels.load("climb").uphill(ways.starts, ways.ends, frozen(np.ascontiguousarray(values, dtype=np.float32).reshape(-1)), cells, best)
    if as_cells:
        return best[0] if given.ndim == 0 else best
    return space.position_of(best[0] if given.ndim == 1 and len(given) else best)


def _is_point(where: ArrayLike) -> bool:
    """Whether whole numbers were meant as one position: a pair or triple that is a tuple, not an array."""
    return isinstance(where, tuple)
