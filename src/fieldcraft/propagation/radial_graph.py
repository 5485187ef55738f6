"""Radiating sources on a graph, where every footprint is searched for."""

from __future__ import annotations

from fieldcraft.propagation.graph_footprints import GraphFootprints, GraphGround
from fieldcraft.propagation.radial_field import RadialField

__all__ = ["GraphRadialField"]


class GraphRadialField(RadialField):
    """See `RadialField`. Edges may be shorter than the straight way, so that nothing is known to be out of reach."""

    def _no_footprints(self) -> GraphFootprints:
        return GraphFootprints(self.radial.metric)

    def _ground_now(self) -> GraphGround:
        return GraphGround.of(self.space)
