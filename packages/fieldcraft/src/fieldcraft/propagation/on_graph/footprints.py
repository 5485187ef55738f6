"""Which vertices of a graph a radial source acts on, and with what weight."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.falloff import Falloff
from fieldcraft.propagation.footprints import UNIT_SEARCHED, Found, whole_radius
from fieldcraft.propagation.looks import Looks
from fieldcraft.propagation.on_graph.walks import GraphWalks
from fieldcraft.space import needs_plane

__all__ = ["GraphFootprints"]


class GraphFootprints:
    """Footprints of one metric on a graph, searched for and kept until walls change. A *shape* is a
    falloff and a radius.

    `thickness` is how far, in world units, the walls around a vertex that is one are open to its
    footprint.
    """

    def __init__(self, metric: str, thickness: float = 0.0) -> None:
        self._metric = metric
        self._thickness = thickness
        self._numbers: dict[tuple[Falloff, float], int] = {}
        self.shapes: list[tuple[Falloff, float]] = []
        self.size = 0
        self._scratch: dict[bool, _Scratch] = {}
        self._looks = Looks()

    @property
    def reaches(self) -> NDArray[np.int64]:
        """Nothing is stamped from tables here."""
        return np.zeros(len(self.shapes), dtype=np.int64)

    def number(self, falloff: Falloff, radius: float, walks: GraphWalks) -> int:
        """The number of the shape with this falloff and this radius in world units."""
        if (falloff, radius) not in self._numbers:
            self._numbers[falloff, radius] = len(self.shapes)
            self.shapes.append((falloff, radius))
        return self._numbers[falloff, radius]

    def number_as(self, others: GraphFootprints, walks: GraphWalks) -> None:
        """Number the shapes that `others` have beyond these as they do."""
        for falloff, radius in others.shapes[len(self.shapes) :]:
            self.number(falloff, radius, walks)

    def without_others(
        self, shapes: NDArray[np.int64], used: NDArray[np.bool_]
    ) -> tuple[GraphFootprints, NDArray[np.int64]]:
        """There are no tables to be dropped."""
        return self, shapes

    def search(
        self, walks: GraphWalks, cell: int, number: int, *, aside: bool = False
    ) -> Generator[int, None, Found]:
        """The footprint of a shape around a vertex: yields after each unit of work, returns
        vertices and weights.
        """
        found = walks.found.get(cell, number)
        if found is None:
            falloff, radius = self.shapes[number]
            around = (
                walks.opened(cell, min(self._thickness, radius))
                if self._thickness > 0 and walks.blocked[cell]
                else walks
            )
            cells, shares = yield from self._searched(around, cell, radius, aside)
            found = walks.found.keep(cell, number, (cells, falloff(shares)))
        yield 1
        return found

    def _searched(
        self, walks: GraphWalks, cell: int, radius: float, aside: bool
    ) -> Generator[int, None, Found]:
        """Vertices, and how far away each is as a share of the radius."""
        if self._metric == "straight":
            return self._straight(walks, cell, radius)
        if self._metric == "sight" and walks.squares is not None:
            walls = walks.blocked.reshape(walks.squares.shape)
            size = whole_radius(radius / walks.squares.cell_size)
            return (
                yield from self._looks.round(
                    walls, walks.squares.wrap, cell, size, aside, UNIT_SEARCHED
                )
            )
        if self._metric == "sight":
            needs_plane(walks.space, "Sight")
            yield 1
            seen = walks.outlook.seen_from(cell, radius)
            return seen, np.minimum(
                np.sqrt(((walks.positions[seen] - walks.positions[cell]) ** 2).sum(axis=1))
                / radius,
                1.0,
            )
        if aside not in self._scratch or len(self._scratch[aside].seen) != len(walks.positions):
            self._scratch[aside] = _Scratch(len(walks.positions), len(walks.lengths))
        kernel = self._walk if self._metric == "path" else self._connect
        return (yield from kernel(walks, cell, radius, self._scratch[aside]))

    @staticmethod
    def _straight(walks: GraphWalks, cell: int, radius: float) -> Found:
        places = walks.around(cell)
        if places is walks.positions:
            near = walks.graph.topology.tree.query_ball_point(
                walks.positions[cell], radius * (1 + 1e-9), return_sorted=True
            )
            cells = np.asarray(near, dtype=np.int64)
        else:
            cells = np.arange(len(places))
        squares = ((places[cells] - places[cell]) ** 2).sum(axis=1)
        inside = squares <= radius * radius
        return cells[inside], np.sqrt(squares[inside]) / radius

    @staticmethod
    def _connect(
        walks: GraphWalks, cell: int, radius: float, scratch: _Scratch
    ) -> Generator[int, None, Found]:
        places = walks.around(cell)
        scratch.mark += 2
        head = tail = 0
        while tail == 0 or head < tail:
            before = head
            head, tail = kernels.graph_radial.connected(
                walks.ways.starts,
                walks.ways.ends,
                places,
                cell,
                radius,
                scratch.seen,
                scratch.mark,
                scratch.cells,
                scratch.squares,
                head,
                tail,
                UNIT_SEARCHED,
            )
            yield head - before
        return scratch.cells[:tail].astype(np.int64), np.sqrt(scratch.squares[:tail]) / radius

    @staticmethod
    def _walk(
        walks: GraphWalks, cell: int, radius: float, scratch: _Scratch
    ) -> Generator[int, None, Found]:
        scratch.mark += 2
        scratch.state[:] = 0
        limit, scale = _limit(radius, walks)
        while scratch.state[2] == 0 or scratch.state[0] > 0:
            kernels.graph_radial.path(
                walks.ways.starts,
                walks.ways.ends,
                walks.lengths,
                cell,
                limit,
                scratch.best,
                scratch.seen,
                scratch.mark,
                scratch.keys,
                scratch.nodes,
                scratch.state,
                scratch.cells,
                scratch.gone,
                UNIT_SEARCHED,
            )
            yield 1
        found = int(scratch.state[1])
        return scratch.cells[:found].astype(np.int64), scratch.gone[:found] / scale


def _limit(radius: float, walks: GraphWalks) -> tuple[int, float]:
    """A radius as a whole number of lengths, and what a length is divided by to become a share of
    it.
    """
    scale = kernels.radial.LENGTH_SCALE * (radius / walks.unit)
    return int(min(scale * (1 + 1e-12), 2.0**62)), scale


class _Scratch:
    """The scratch of a search."""

    def __init__(self, vertices: int, steps: int) -> None:
        self.mark = 0
        self.seen = np.zeros(vertices, dtype=np.int64)
        self.best = np.zeros(vertices, dtype=np.int64)
        self.cells = np.zeros(vertices, dtype=np.int32)
        self.gone = np.zeros(vertices, dtype=np.int64)
        self.squares = np.zeros(vertices)
        self.keys = np.zeros(steps + 1, dtype=np.int64)
        self.nodes = np.zeros(steps + 1, dtype=np.int32)
        self.state: NDArray[Any] = np.zeros(3, dtype=np.int64)
