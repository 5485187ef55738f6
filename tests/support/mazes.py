"""Random maps for tests of ways, and the ways on them spelled out edge by edge."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

import fieldcraft as fc
from support import roads
from support.worlds import KNIGHT, WRAPS

HEX = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]
ONE_WAY = [(1, 0), (0, 1), (1, 1), (-3, -2)]
FAR = [
    (dx, dy)
    for dx in range(-4, 5)
    for dy in range(-4, 5)
    if math.gcd(dx, dy) == 1 and dx * dx + dy * dy < 18
]
SHUFFLED = [(-1, -1), (1, 0), (0, 1), (1, 1), (0, -1), (-1, 1), (-1, 0), (1, -1)]
TABLES: list[int | list[tuple[int, int]]] = [4, 8, KNIGHT, HEX, ONE_WAY, FAR, SHUFFLED]


class World:
    """A random map: walls or none, terrain or none, any table of steps, flat or a torus; and costs
    for it, or None.
    """

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        width, height = (int(n) for n in rng.integers(1, 24, 2))
        terrain = None
        if rng.random() < 0.4:
            worlds = np.zeros((3, 3), dtype=bool)
            worlds[:2, :2] = worlds[2, 2] = True  # two kinds that mix, and a third apart
            classes = rng.integers(0, 3, (height, width)) // rng.integers(1, 3)
            terrain = fc.Terrain(
                classes, worlds if rng.random() < 0.5 else rng.random((3, 3)) < 0.7
            )
        self.space = fc.Grid(
            width,
            height,
            cell_size=float(rng.choice([1.0, 0.5, 0.3, 7.1])),
            origin=(float(rng.normal()), float(rng.normal())),
            y_up=bool(rng.random() < 0.5),
            walls=rng.random((height, width)) < rng.choice([0.0, 0.1, 0.3, 0.45]),
            terrain=terrain,
            neighbors=TABLES[rng.integers(len(TABLES))],
            wrap=WRAPS[int(rng.integers(4))],
        )
        self.costs: NDArray[np.float64] | None = None
        if rng.random() < 0.6:
            even, wide = (
                rng.choice([1.0, 1.25, 2.0, 5.0], self.space.shape),
                0.001 + rng.random(self.space.shape) ** 6 * 1e3,
            )
            self.costs = even if rng.random() < 0.5 else wide
            self.costs[rng.random(self.space.shape) < rng.choice([0.0, 0.2])] = math.inf

    def open_cells(self) -> list[int]:
        """The cells that can be stood on."""
        shut = self.space.walls if self.costs is None else self.space.walls | np.isinf(self.costs)
        return np.flatnonzero(~shut.reshape(-1)).tolist()

    def edges(self) -> dict[tuple[int, int], tuple[float, float]]:
        """The length and the cost of the cheapest step from cell to cell."""
        return edges(self.space, self.costs)


def edges(
    space: fc.Grid, costs: NDArray[np.float64] | None
) -> dict[tuple[int, int], tuple[float, float]]:
    """The length and the cost of the cheapest step from cell to cell; infinite costs are walls like
    any other.
    """
    shut = space.walls if costs is None else space.walls | np.isinf(costs)
    ground = np.ones(len(space)) if costs is None else costs.reshape(-1)
    steps = list(space.neighborhood.steps)
    blocked = fc.Grid(
        space.width,
        space.height,
        cell_size=space.cell_size,
        walls=shut,
        terrain=space.terrain,
        neighbors=steps,
        wrap=space.wrap,
    )
    best: dict[tuple[int, int], tuple[float, float]] = {}
    for start in roads.open_cells(blocked):
        for step in blocked.neighborhood.steps:
            end = roads.end_of(blocked, start, step)
            if end is None or end == start:
                continue
            length = float(np.hypot(*step)) * space.cell_size
            best[start, end] = min(
                (length, (length * 0.5) * (ground[start] + ground[end])),
                best.get((start, end), (math.inf, math.inf)),
            )
    return best


def cheapest(
    space: fc.Grid, known: dict[tuple[int, int], tuple[float, float]], start: int
) -> NDArray[np.float64]:
    """What the cheapest way from a cell to each cell costs, by SciPy's Dijkstra."""
    ends = np.array(list(known), dtype=np.int64).reshape(-1, 2)
    weights = np.array([cost for _, cost in known.values()])
    graph = sparse.csr_matrix((weights, (ends[:, 0], ends[:, 1])), shape=(len(space), len(space)))
    return np.asarray(csgraph.dijkstra(graph, indices=start))
