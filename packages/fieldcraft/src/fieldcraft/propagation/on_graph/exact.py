"""Exact sources on a graph."""

from __future__ import annotations

from fieldcraft.propagation.exact import ExactRadialField, Placements
from fieldcraft.propagation.on_graph.walks import GraphWalks

__all__ = ["ExactGraphRadialField"]


class ExactGraphRadialField(ExactRadialField[GraphWalks]):
    """See `ExactRadialField`."""

    def _no_footprints(self) -> Placements:
        return Placements(self.space)

    def _walks_now(self) -> GraphWalks:
        return GraphWalks.of(self.space)
