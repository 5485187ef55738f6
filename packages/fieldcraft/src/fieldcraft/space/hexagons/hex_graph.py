"""The graph of a grid of hexagons."""

from __future__ import annotations

import copy
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.hexagons.hex_layout import STEPS
from fieldcraft.space.mesh.mesh import Mesh

if TYPE_CHECKING:
    from fieldcraft.space.hexagons.hex_grid import HexGrid


class HexGraph(Graph):
    """The steps of a grid of hexagons; its mesh is built on first use."""

    def __init__(self, hexes: HexGrid, blocked: NDArray[np.bool_]) -> None:
        self._layout = hexes.layout
        self._axial = hexes.to_axial(np.arange(len(hexes)))
        self._hexes = hexes
        self._polygons: Mesh | None = None
        places = hexes.layout.places(self._axial)
        edges, directed = _edges(hexes, self._axial)
        super().__init__(
            places,
            edges,
            np.full(len(edges), hexes.layout.step),
            directed,
            blocked=blocked,
            y_up=hexes.y_up,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return attrgetter("graph"), (self._hexes,)  # one graph with the copy of its hexagons

    def __copy__(self) -> Graph:
        return copy.copy(self._hexes).graph

    @property
    def mesh(self) -> Mesh | None:
        """The hexagons as polygons; None where they wrap, because lines would leave the plane."""
        if self._polygons is None and not self._hexes.wrap:
            self._polygons = Mesh(*self._layout.corners(self._axial))
            # sqrt(3) is no finite fraction: lines are compared in units that all corners share.
            self._polygons.units = self._layout.units
        return self._polygons

    @property
    def areas(self) -> NDArray[np.float64]:
        """The area of each cell, (N,), in square world units; read-only."""
        return np.broadcast_to(np.float64(self._layout.area), len(self))

    @property
    def period(self) -> NDArray[np.float64] | None:
        """The period of the grid of hexagons."""
        return self._hexes.period

    def wrapped(self, positions: NDArray[Any]) -> NDArray[np.float64]:
        """See `Space.wrapped`."""
        return self._hexes.wrapped(positions)

    def _find(self, points: NDArray[np.float64], max_height: float | None) -> NDArray[np.int64]:
        return self._hexes._locate(points, "clamp")


def _edges(hexes: HexGrid, axial: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
    """Return the steps between hexagons, (E, 2), and whether the terrain makes some one-way."""
    pairs = []
    for step in STEPS[:3]:
        ends, inside = hexes.reached(axial + step)
        starts = np.flatnonzero(inside)
        pairs.append(np.stack([starts, ends[starts]], axis=1))
    edges = np.concatenate(pairs)
    edges = edges[edges[:, 0] != edges[:, 1]]
    if hexes.terrain is None or hexes.terrain.is_plain:
        return edges, False
    both = np.concatenate([edges, edges[:, ::-1]])
    classes = hexes.terrain.classes.reshape(-1)
    walls = hexes.terrain.walls.reshape(-1)
    # Walls keep their outgoing steps, as on grids, because a source may be on one.
    starts, ends = both.T
    allowed = hexes.terrain.enter[classes[starts], classes[ends]] | walls[starts]
    return both[allowed], True
