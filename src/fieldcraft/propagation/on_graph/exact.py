"""Exact sources on a graph."""

from __future__ import annotations

from fieldcraft.propagation.exact import ExactRadialField, Placements
from fieldcraft.propagation.on_graph.footprints import GraphGround

__all__ = ["ExactGraphRadialField"]


class ExactGraphRadialField(ExactRadialField):
    """See `ExactRadialField`."""

    def _no_footprints(self) -> Placements:
        return Placements(self.space)

    def _ground_now(self) -> GraphGround:
        return GraphGround.of(self.space)
