"""One step towards what is best: how a crowd follows an influence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.arrays import frozen
from fieldcraft.query.ground import Readable
from fieldcraft.space import Space
from fieldcraft.space.answers import Spots
from fieldcraft.space.kinds import checked_space

__all__ = ["uphill"]


def uphill(
    layer: Readable,
    positions: ArrayLike | None = None,
    *,
    cells: ArrayLike | None = None,
    outside: str = "refuse",
) -> Spots:
    """The one step of each agent after which the value is highest; it stays where no step is
    better.

    Parameters
    ----------
    layer: a layer, an expression or anything else with values, on any space. Negate it (`-danger`)
        to go downhill.
    positions: where the agents are: one world position or (N, 2) ((N, 3) on 3D graphs).
    cells: or the cells that they stand in, one or (N,) whole numbers.
    outside: "refuse" a position off the map, or "clamp" it to the nearest cell.

    Of equally good steps the one to the lowest cell is taken. Returns `Spots`: the cells to step
    to, their positions and values; where an agent stays `found` is False. Raises `OutsideMap` or
    `InvalidValue`.
    """
    space = checked_space(getattr(layer, "space", None))
    values = np.asarray(layer.values)
    if values.shape != space.shape:
        raise InvalidValue(
            "Values have the space's shape",
            got=f"shape {values.shape} on {space!r}",
            remedy=f"Pass shape {space.shape}",
        )
    starts = _starts(space, positions, cells, outside)
    here = np.atleast_1d(starts)
    ways = space.ways
    best = np.empty(len(here), dtype=np.int64)
    flat = frozen(np.ascontiguousarray(values, dtype=np.float32).reshape(-1))
    kernels.uphill.uphill(ways.starts, ways.ends, flat, here, best)
    return Spots.steps(best if starts.ndim else best[0], starts, space, flat)


def _starts(
    space: Space, positions: ArrayLike | None, cells: ArrayLike | None, outside: str
) -> NDArray[np.int64]:
    if (positions is None) == (cells is None):
        raise InvalidValue(
            "Agents are where `positions` say, or in `cells`",
            got="neither" if cells is None else "both",
            remedy="Pass uphill(layer, positions) or uphill(layer, cells=...)",
        )
    if cells is None:
        points, single = checks.positions(positions, dimensions=space.dimensions)  # type: ignore[arg-type]
        found = np.asarray(space.cell_at(points, outside=outside), dtype=np.int64)
        return found[0] if single else found
    space.position_of(cells)  # says which is no cell
    found = np.asarray(cells, dtype=np.int64)
    if found.ndim > 1:
        raise InvalidValue(
            "Cells are one, or (N,) of them",
            got=f"shape {found.shape}",
            remedy="Pass cells.ravel()",
        )
    return found
