"""Steps from cell to cell as lists (CSR)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Ints
from fieldcraft.space.csr import runs, starts_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Adjacency:
    """Steps between open cells. The steps out of cell `v` are `starts[v]` up to `starts[v + 1]`, in
    the order of `ends`.

    `starts` (N + 1,) int64, `ends` (A,) int32, `lengths` (A,) float64 in world units.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int32]
    lengths: NDArray[np.float64]

    @cached_property
    def most_steps(self) -> int:
        """The largest number of steps out of one cell."""
        return int(np.diff(self.starts).max(initial=0))

    @cached_property
    def typical(self) -> float:
        """The median length of a step; 0 where there is none."""
        if len(self.lengths):
            return float(np.median(self.lengths))
        return 0.0

    def to_sparse(self) -> csr_array:
        """Return the lengths of steps as a sparse matrix, (N, N): `lengths[i, j]` from cell i to
        j. NetworkX, scikit-network, PyTorch Geometric and `scipy.sparse.csgraph` take it.

        The matrix is canonical: each row is sorted and has each cell once. Of several steps to the
        same cell, as on a torus two cells wide, the shortest counts; steps of a cell to itself, as
        on a torus one cell wide, are left out.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> grid = fc.Grid(walls=[[0, 0, 1], [1, 0, 0]], cell_size=2)
        >>> grid.adjacency.to_sparse()[1, 4].item()
        2.0
        """
        from scipy.sparse import csr_array

        count = len(self.starts) - 1
        origins = self.origins
        starts = self.starts
        ends = self.ends
        lengths = self.lengths
        ascending = (ends[1:] > ends[:-1]) | (origins[1:] != origins[:-1])
        if not ascending.all() or (origins == ends).any():
            order = np.lexsort((lengths, ends, origins))
            origins = origins[order]
            ends = ends[order]
            lengths = lengths[order]
            first = np.ones(len(order), dtype=np.bool_)
            first[1:] = (origins[1:] != origins[:-1]) | (ends[1:] != ends[:-1])
            first &= origins != ends
            ends = ends[first]
            lengths = lengths[first]
            starts = starts_of(origins[first], count)
        return csr_array((lengths, ends, starts), shape=(count, count))

    def has_steps(self, origins: Ints, ends: Ints) -> NDArray[np.bool_]:
        """Return which of some pairs of cells, (K,) each, a step joins."""
        found = np.zeros(len(origins), dtype=np.bool_)
        degrees = (self.starts[1:] - self.starts[:-1])[origins]
        for k in range(int(degrees.max(initial=0))):
            more = np.flatnonzero(degrees > k)
            steps = self.starts[origins[more]] + k
            found[more] |= self.ends[steps] == ends[more]
        return found

    def join(self, origins: Ints, ends: Ints, most: int) -> NDArray[np.bool_]:
        """Return which of some pairs of cells, (K,) each, at most `most` steps join."""
        found = self.has_steps(origins, ends)
        pairs = np.flatnonzero(~found)
        cells = origins[pairs]
        for _ in range(most - 1):
            firsts = self.starts[cells]
            counts = self.starts[cells + 1] - firsts
            pairs = np.repeat(pairs, counts)
            cells = self.ends[runs(firsts, counts)].astype(np.int64)
            found[pairs[self.has_steps(cells, ends[pairs])]] = True
            left = ~found[pairs]
            pairs = pairs[left]
            cells = cells[left]
        return found

    @property
    def origins(self) -> NDArray[np.int64]:
        """The cell that each step leaves, (A,)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
