"""Which vertices of a graph a radial source acts on, and with what weight."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.falloff import Falloff
from fieldcraft.kernels.reference import graph_radial as reference
from fieldcraft.kernels.reference.radial import LENGTH_SCALE, TILE_COLUMNS, TILE_ROWS
from fieldcraft.propagation.footprints import UNIT_SEARCHED, Found
from fieldcraft.space import Graph
from fieldcraft.space.graph_sight import Outlook
from fieldcraft.space.ways import Ways, ways_out_of_walls

__all__ = ["GraphFootprints", "GraphGround"]

_MOST_KEPT = 4_000_000  # vertices in footprints that are kept: 64 MB
_LONGEST = 2.0**38  # lengths are counted so finely that no walk passes this many units


@dataclass(frozen=True, eq=False)
class GraphGround:
    """The steps of a graph at one moment, as `Ground` is for grids.

    Vertices are laid out in rows of tiles: `walls` (rows, 16) is True for blocked ones and those that fill up the last tile.
    `lengths` are whole numbers of 1 / LENGTH_SCALE of a `unit`, the shortest step.
    """

    walls: NDArray[np.bool_]
    positions: NDArray[np.float64]
    ways: Ways
    lengths: NDArray[np.int64]
    unit: float
    graph: Graph
    closed: NDArray[np.bool_]
    found: dict[tuple[int, int], Found] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: Graph) -> GraphGround:
        """The ground of a graph as it is now."""
        tile = TILE_ROWS * TILE_COLUMNS
        walls = np.ones(max(1, -(-len(graph) // tile)) * tile, dtype=np.bool_)
        walls[: len(graph)] = graph.walls
        ways = ways_out_of_walls(graph)
        sizes = graph.topology.lengths  # of all steps, so that the unit stays what it is when walls change
        unit = max(float(sizes.min()), float(sizes.sum()) / _LONGEST) if len(sizes) else 1.0
        lengths = np.rint(ways.lengths / unit * LENGTH_SCALE).astype(np.int64)
        return cls(walls.reshape(-1, TILE_COLUMNS), graph.positions, ways, lengths, unit, graph, graph.closed)

    def renewal(self, graph: Graph, changed: NDArray[np.int64]) -> Generator[int, None, GraphGround]:
        """The ground as it is now, after changes; one unit of work."""
        ground = GraphGround.of(graph)
        yield 1
        return ground

    @cached_property
    def outlook(self) -> Outlook:
        """Lines of sight as they were then."""
        return Outlook(self.graph, self.walls.reshape(-1)[: len(self.positions)], self.closed)

    def is_open(self, cells: NDArray[np.int64], reaches: NDArray[np.int64]) -> NDArray[np.bool_]:
        """No footprint is known without a search."""
        return np.zeros(len(cells), dtype=np.bool_)


class GraphFootprints:
    """Footprints of one metric on a graph, searched for and kept until walls change. A *shape* is a falloff and a radius."""

    def __init__(self, metric: str) -> None:
        self._metric = metric
        self._numbers: dict[tuple[Falloff, float], int] = {}
        self.shapes: list[tuple[Falloff, float]] = []
        self.size = 0
        self._scratch: dict[bool, _Scratch] = {}

    @property
    def reaches(self) -> NDArray[np.int64]:
        """Nothing is stamped from tables here."""
        return np.zeros(len(self.shapes), dtype=np.int64)

    def number(self, falloff: Falloff, radius: float, ground: GraphGround) -> int:
        """The number of the shape with this falloff and this radius in world units."""
        if (falloff, radius) not in self._numbers:
            self._numbers[falloff, radius] = len(self.shapes)
            self.shapes.append((falloff, radius))
        return self._numbers[falloff, radius]

    def without_others(self, shapes: NDArray[np.int64], used: NDArray[np.bool_]) -> tuple[GraphFootprints, NDArray[np.int64]]:
        """There are no tables to be dropped."""
        return self, shapes

    def search(self, ground: GraphGround, cell: int, number: int, *, aside: bool = False) -> Generator[int, None, Found]:
        """The footprint of a shape around a vertex: yields after each unit of work, returns vertices and weights."""
        if (cell, number) not in ground.found:
            cells, shares = yield from self._searched(ground, cell, self.shapes[number][1], aside)
            if sum(len(kept) for kept, _ in ground.found.values()) > _MOST_KEPT:
                ground.found.clear()
            ground.found[cell, number] = cells, self.shapes[number][0](shares)
        yield 1
        return ground.found[cell, number]

    def _searched(self, ground: GraphGround, cell: int, radius: float, aside: bool) -> Generator[int, None, Found]:
        """Vertices, and how far away each is as a share of the radius."""
        if self._metric == "straight":
            return self._straight(ground, cell, radius)
        if self._metric == "sight":
            yield 1
            seen = ground.outlook.seen_from(cell, radius)
            return seen, np.minimum(np.sqrt(((ground.positions[seen] - ground.positions[cell]) ** 2).sum(axis=1)) / radius, 1.0)
        if not kernels.compiled():
            yield 1
            return self._searched_slowly(ground, cell, radius)
        if aside not in self._scratch or len(self._scratch[aside].seen) != len(ground.positions):
            self._scratch[aside] = _Scratch(len(ground.positions), len(ground.lengths))
        kernel = self._walk if self._metric == "path" else self._connect
        return (yield from kernel(ground, cell, radius, self._scratch[aside]))

    @staticmethod
    def _straight(ground: GraphGround, cell: int, radius: float) -> Found:
        near = ground.graph.topology.tree.query_ball_point(ground.positions[cell], radius * (1 + 1e-9), return_sorted=True)
        cells = np.asarray(near, dtype=np.int64)
        squares = ((ground.positions[cells] - ground.positions[cell]) ** 2).sum(axis=1)
        inside = squares <= radius * radius
        return cells[inside], np.sqrt(squares[inside]) / radius

    @staticmethod
    def _connect(ground: GraphGround, cell: int, radius: float, scratch: _Scratch) -> Generator[int, None, Found]:
        from fieldcraft.kernels import graph_radial

        scratch.mark += 2
        head = tail = 0
        while tail == 0 or head < tail:
            before = head
            head, tail = graph_radial.connected(
                ground.ways.starts, ground.ways.ends, ground.positions, cell, radius, scratch.seen, scratch.mark, scratch.cells,
                scratch.squares, head, tail, UNIT_SEARCHED,
            )  # fmt: skip
            yield head - before
        return scratch.cells[:tail].astype(np.int64), np.sqrt(scratch.squares[:tail]) / radius

    @staticmethod
    def _walk(ground: GraphGround, cell: int, radius: float, scratch: _Scratch) -> Generator[int, None, Found]:
        from fieldcraft.kernels import graph_radial

        scratch.mark += 2
        scratch.state[:] = 0
        limit, scale = _limit(radius, ground)
        while scratch.state[2] == 0 or scratch.state[0] > 0:
            graph_radial.path(
                ground.ways.starts, ground.ways.ends, ground.lengths, cell, limit, scratch.best, scratch.seen, scratch.mark,
                scratch.keys, scratch.nodes, scratch.state, scratch.cells, scratch.gone, UNIT_SEARCHED,
            )  # fmt: skip
            yield 1
        found = int(scratch.state[1])
        return scratch.cells[:found].astype(np.int64), scratch.gone[:found] / scale

    def _searched_slowly(self, ground: GraphGround, cell: int, radius: float) -> Found:
        if self._metric == "path":
            limit, scale = _limit(radius, ground)
            walks = reference.path(ground.ways.starts, ground.ways.ends, ground.lengths, cell, limit)
            return np.array(list(walks), dtype=np.int64), np.array(list(walks.values()), dtype=np.int64) / scale
        squares = reference.connected(ground.ways.starts, ground.ways.ends, ground.positions, cell, radius)
        return np.array(list(squares), dtype=np.int64), np.sqrt(np.array(list(squares.values()))) / radius


def _limit(radius: float, ground: GraphGround) -> tuple[int, float]:
    """A radius as a whole number of lengths, and what a length is divided by to become a share of it."""
    scale = LENGTH_SCALE * (radius / ground.unit)
    return int(min(scale * (1 + 1e-12), 2.0**62)), scale


class _Scratch:
    """What a search needs."""

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
