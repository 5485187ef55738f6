"""What a distance map walks on, on a grid: walls, links, and the numbers that steps on them have."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import distance as reference
from fieldcraft.paths.moves import moves_of
from fieldcraft.space import Grid, links
from fieldcraft.space.keeping import kept

__all__ = ["Ground", "Strides", "pruned", "strides_of"]

_BLOCK = 16
"""Cells that are cleared and published together."""


@dataclass(frozen=True, eq=False)
class Strides:
    """The steps of a grid: (columns, rows), their world lengths, and what `kernels.distance` wants to know of them.

    `around` are the offsets from a cell to those whose steps a change of it may bear on. `counted` says whether all steps are
    straight or diagonal, so that their sums can be whole numbers; `pruned` is then the number of steps, 4 or 8, that
    `kernels.distance.count` can serve, else 0.
    """

    steps: NDArray[np.int64]
    lengths: NDArray[np.float64]
    counts: NDArray[np.int64]
    around: NDArray[np.int64]
    counted: bool
    pruned: int
    measure: reference.Measure
    whole: NDArray[np.int64]


class Ground:
    """Walls and links as they were at one moment, flat; none of these arrays ever changes."""

    def __init__(
        self, space: Grid, walls: NDArray[np.bool_], into: NDArray[np.unsignedinteger], version: int, before: Ground | None = None
    ) -> None:
        self.version = version
        for array in (walls, into):
            if array.flags.writeable:  # never: kernels are compiled anew for arrays that can be written to
                array.flags.writeable = False
        self.walls = walls.reshape(-1)
        self.links = into.reshape(-1)
        self._open: NDArray[np.bool_] | None = None
        self._spans: NDArray[np.int64] | None = None
        # An older ground of the same space that knows which blocks have open cells.
        self._before: Ground | None = before if before is None or before._open is not None else before._before

    @classmethod
    def of(cls, space: Grid, costs: NDArray[np.float64] | None = None) -> Ground:
        """The ground of a space as it is now; where `costs`, one per cell, are infinite, there are walls as well."""
        version = space.walls_version
        if costs is None:
            known = _known.get(space)
            if known is None or known.version != version:
                known = _known[space] = cls(space, space.walls, space.links(), version, known)
            return known
        walls = space.walls | np.isinf(costs).reshape(space.shape)
        return cls(space, walls, links.build(walls, space.terrain, space.neighborhood.steps, space.wrap), version)

    def mended(self, space: Grid, version: int, costs: NDArray[np.float64] | None, changed: NDArray[np.int64]) -> Ground:
        """The ground at this `walls_version`, after the walls or costs of these cells have changed. Without `costs` none is infinite."""
        if costs is None:
            return Ground(space, space.walls, space.links(), version, self)
        walls = self.walls.copy()
        walls[changed] = space.walls.reshape(-1)[changed] | np.isinf(costs[changed])
        return self._rebuilt(space, walls, changed[walls[changed] != self.walls[changed]], version)

    def walled(self, space: Grid, cells: NDArray[np.int64]) -> Ground:
        """The ground if there were walls in these cells."""
        walls = self.walls.copy()
        walls[cells] = True
        return self._rebuilt(space, walls, cells, self.version)

    def _rebuilt(self, space: Grid, walls: NDArray[np.bool_], flipped: NDArray[np.int64], version: int) -> Ground:
        into = self.links.reshape(space.shape)
        if len(flipped):
            into = links.patch(into, flipped, walls.reshape(space.shape), space.terrain, space.neighborhood.steps, space.wrap)
        return Ground(space, walls, into, version)

    def spans(self, space: Grid) -> NDArray[np.int64]:
        """[start, end) of stretches of cells, (N, 2), that hold all that is open."""
        if self._spans is None:
            if self._before is not None and self._before._open is not None:
                # A block that lost its last open cell may stay among them.
                self._open = self._before._open.copy()
                self._open[space.walls_changed(self._before.version) // _BLOCK] = True
                self._before = None
            else:
                cells = np.zeros(-(-len(self.walls) // _BLOCK) * _BLOCK, dtype=np.bool_)
                cells[: len(self.walls)] = ~self.walls
                self._open = np.logical_or.reduce(cells.reshape(-1, _BLOCK), axis=1)
            edged = np.zeros(len(self._open) + 2, dtype=np.bool_)
            edged[1:-1] = self._open
            edges = np.flatnonzero(edged[1:] != edged[:-1]).reshape(-1, 2) * _BLOCK
            self._spans = np.minimum(edges, len(self.walls))
        return self._spans


_known: WeakKeyDictionary[Grid, Ground] = WeakKeyDictionary()


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
