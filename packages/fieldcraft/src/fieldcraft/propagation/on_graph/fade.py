"""The ground round marks on a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.falloff import Falloff
from fieldcraft.propagation.footprints import Found, finished
from fieldcraft.propagation.on_graph.footprints import GraphFootprints
from fieldcraft.propagation.on_graph.walks import GraphWalks
from fieldcraft.space import Space

__all__ = ["Surroundings"]

_COLUMNS = 16  # of the rows in which vertices are laid out: a tile's width


class Surroundings:
    """The surroundings of the vertices of a graph, as it is at one moment; each footprint is
    searched for.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.layout: tuple[int, int] = (max(1, -(-len(space) // _COLUMNS)), _COLUMNS)
        self._footprints: dict[str, GraphFootprints] = {}
        self._grounds: dict[str, GraphWalks] = {}

    def forget(self) -> None:
        """Look at the walls anew when something is next asked."""
        self._grounds.clear()

    def most_around(self, radius: float) -> int:
        """At least as many vertices as lie within a radius."""
        return max(1, len(self.space))

    def around(
        self,
        cells: NDArray[np.int64],
        strengths: NDArray[np.float64],
        radius: float,
        falloff: Falloff,
        metric: str,
    ) -> Found:
        """The open vertices within a radius of each vertex, by a metric, and the share of its
        strength that each takes.
        """
        ground = self._ground(metric)
        footprints = self._footprints.setdefault(metric, GraphFootprints(metric))
        number = footprints.number(falloff, radius, ground)
        found, given = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for cell, strength in zip(cells.tolist(), strengths.tolist(), strict=True):
            reached, weights = finished(footprints.search(ground, cell, number))
            found.append(reached)
            given.append(weights * strength)
        every, amounts = np.concatenate(found), np.concatenate(given)
        free = ~self.space.graph.walls[every]
        return every[free], amounts[free]

    def _ground(self, metric: str) -> GraphWalks:
        """The ground as it is now; one for each metric, as it keeps the footprints that were found
        on it.
        """
        if metric not in self._grounds:
            self._grounds[metric] = GraphWalks.of(self.space)
        return self._grounds[metric]

    def bleeding(
        self, bleed: float, cells: NDArray[np.int64], strengths: NDArray[np.float64], least: float
    ) -> tuple[str, tuple[Any, ...]]:
        """The kernel of `kernels.fade` by which marks bleed, and its arguments."""
        ways = self._ground("path").ways
        return "bleed_along", (ways.starts, ways.ends, bleed**ways.lengths, cells, strengths, least)
