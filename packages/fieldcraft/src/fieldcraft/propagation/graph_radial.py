"""Radiating sources on a graph, where every footprint is searched for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.propagation.footprints import Emission
from fieldcraft.propagation.graph_footprints import GraphFootprints, GraphWalks
from fieldcraft.propagation.radial_field import RadialField
from fieldcraft.space import check_lines_of_sight

__all__ = ["GraphRadialField"]


class GraphRadialField(RadialField[GraphWalks]):
    """See `RadialField`. Edges may be shorter than the straight way: nothing is known to be out of
    reach, but for sight over squares.
    """

    def _no_footprints(self) -> GraphFootprints:
        if self.radial.metric == "sight":
            check_lines_of_sight(self.space, "Sight")
        return GraphFootprints(self.radial.metric, self.radial.thickness)

    def _walks_now(self) -> GraphWalks:
        return GraphWalks.of(self.space, self.resistance)

    def _reaches_dirty(self, sources: Emission) -> NDArray[np.bool_]:
        squares = self.walks.squares
        if squares is None or squares.wrap or self.radial.metric != "sight":
            return super()._reaches_dirty(sources)
        tile = kernels.radial.TILE_ROWS * kernels.radial.TILE_COLUMNS
        dirty = np.flatnonzero(self.sums.dirty)
        top, bottom = dirty * tile // squares.width, ((dirty + 1) * tile - 1) // squares.width
        reaches = np.array(
            [radius / squares.cell_size + 1 for _, radius in self.footprints.shapes]
        )[sources.shapes]
        rows = sources.cells // squares.width
        first, last = (rows - reaches)[:, np.newaxis], (rows + reaches)[:, np.newaxis]
        return np.asarray(((first <= bottom) & (last >= top)).any(axis=1))
