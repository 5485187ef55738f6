"""The steps of a grid, and the numbers that distances over them are counted in."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import distance as reference
from fieldcraft.paths.on_grid.moves import moves_of
from fieldcraft.space import Grid
from fieldcraft.space.ways import kept

__all__ = ["Strides", "pruned", "strides_of"]


@dataclass(frozen=True, eq=False)
class Strides:
    """The steps of a grid: (columns, rows), their world lengths, and what `kernels.distance` wants
    to know of them.

    `around` are the offsets from a cell to those whose steps a change of it may bear on. `counted`
    says whether all steps are straight or diagonal, so that their sums can be whole numbers;
    `pruned` is then the number of steps, 4 or 8, that `kernels.distance.count` can serve, else 0.
    """

    steps: NDArray[np.int64]
    lengths: NDArray[np.float64]
    counts: NDArray[np.int64]
    around: NDArray[np.int64]
    counted: bool
    pruned: int
    measure: reference.Measure
    whole: NDArray[np.int64]


@kept
def strides_of(space: Grid) -> Strides:
    """The steps of a grid; looked up once."""
    neighborhood = space.neighborhood
    steps = np.array(neighborhood.steps, dtype=np.int64)
    counted = neighborhood.is_four or neighborhood.is_eight
    diagonal = (np.abs(steps) == 1).all(axis=1)
    measure = reference.measure(len(space))
    around = {(0, 0), *((-dx, -dy) for dx, dy in neighborhood.steps)}
    if diagonal.any():
        around |= {(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    return Strides(
        steps=steps,
        lengths=neighborhood.lengths(space.cell_size),
        counts=np.where(diagonal, measure.diagonal, 1 << measure.shift),
        around=np.array(sorted(around), dtype=np.int64),
        counted=counted,
        pruned=len(steps) if counted and not space.wrap and moves_of(space).plain else 0,
        measure=measure,
        whole=np.array([[0, len(space)]]),
    )


@functools.cache
def pruned(steps: int) -> NDArray[np.uint8]:
    """The table of `kernels.distance.count` for 4 or 8 steps."""
    return reference.canonical(steps)
