"""Small graphs and meshes of every kind, for tests of ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc


@dataclass(frozen=True)
class Web:
    """A graph, what its ground costs, and where its goals are."""

    vertices: int
    edges: int
    dimensions: int
    directed: bool
    lengths: str
    costs: str
    goals: int
    has_starts: bool
    limit: float | None
    seed: int

    def graph(self) -> fc.Graph:
        rng = np.random.default_rng(self.seed)
        pairs = rng.integers(0, self.vertices, (self.edges, 2))
        lengths: NDArray[np.float64] | None = None
        if self.lengths == "any":
            lengths = rng.uniform(0.2, 5, self.edges)
        elif self.lengths == "few":
            lengths = rng.choice([1.0, 1.5, 2.0], self.edges)
        elif self.lengths == "wide":
            lengths = 10 ** rng.uniform(-9, 4, self.edges)
        elif self.lengths == "lost":
            lengths = 10 ** rng.uniform(-25, 4, self.edges)
        blocked = rng.random(self.vertices) < 0.1
        places = rng.uniform(0, 10, (self.vertices, self.dimensions))
        return fc.Graph(places, pairs, lengths, self.directed, blocked=blocked)

    def arguments(self, graph: fc.Graph) -> tuple[NDArray[np.int64], dict[str, Any]] | None:
        """Goals (vertices) and keywords for a distance map; None where nothing is open."""
        rng = np.random.default_rng(self.seed + 1)
        free = np.flatnonzero(~graph.walls)
        if not len(free):
            return None
        goals = rng.choice(free, self.goals)
        keywords: dict[str, Any] = {"limit": self.limit}
        if self.costs == "even":
            keywords["cost"] = 2.5
        elif self.costs != "none":
            cost = (
                rng.choice([1.0, 2.0, 5.0], len(graph))
                if self.costs == "few"
                else rng.uniform(1, 5, len(graph))
            )
            if self.costs == "walls":
                cost[rng.random(len(graph)) < 0.15] = np.inf
                cost[goals] = 1.0
            keywords["cost"] = cost
        if self.has_starts:
            keywords["start_costs"] = rng.choice([0.0, 0.7, 1.4, 3.3], self.goals)
        return goals, keywords


def webs(most: int = 40) -> st.SearchStrategy[Web]:
    return st.builds(
        Web,
        vertices=st.integers(1, most),
        edges=st.integers(0, 4 * most),
        dimensions=st.sampled_from([2, 3]),
        directed=st.booleans(),
        lengths=st.sampled_from(["straight", "any", "few", "wide", "lost"]),
        costs=st.sampled_from(["none", "none", "even", "few", "walls", "any"]),
        goals=st.integers(1, 4),
        has_starts=st.booleans(),
        limit=st.sampled_from([None, None, 2.1, 9.0]),
        seed=st.integers(0, 10_000),
    )


def by_scipy(
    graph: fc.Graph,
    goals: NDArray[np.int64],
    starts: NDArray[np.float64],
    cost: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Distances of walking to the nearest goal, by SciPy, edge by edge."""
    count = len(graph)
    shut = graph.walls | np.isinf(cost)
    pairs, lengths = graph.edges, graph.lengths
    closed = {tuple(pair) for pair in graph.blocked_edges.tolist()}
    best: dict[tuple[int, int], float] = {}
    for (a, b), length in zip(pairs.tolist(), lengths.tolist(), strict=True):
        if shut[a] or shut[b] or (a, b) in closed:
            continue
        weight = length * (cost[a] + cost[b]) / 2
        best[b, a] = weight  # from the goal on
        if not graph.directed:
            best[a, b] = weight
    least: dict[int, float] = {}
    for goal, start in zip(goals.tolist(), starts.tolist(), strict=True):
        if not shut[goal]:
            least[goal] = min(start, least.get(goal, np.inf))
    found = np.full(count, np.inf)
    if least and best:
        rows, columns = zip(*best, strict=True)
        matrix = coo_array((list(best.values()), (rows, columns)), shape=(count, count)).tocsr()
        some = list(least)
        found = (
            dijkstra(matrix, indices=some) + np.array([least[goal] for goal in some])[:, np.newaxis]
        ).min(axis=0)
    elif least:
        found[list(least)] = list(least.values())
    return found


def squares(grid: fc.Grid) -> tuple[fc.Graph, NDArray[np.int64]]:
    """A mesh of the open cells of a grid as squares, joined at their sides, and which cells they
    are.
    """
    height, width = grid.shape
    ys, xs = np.meshgrid(np.arange(height + 1), np.arange(width + 1), indexing="ij")
    corners = np.stack([xs.ravel(), ys.ravel()], axis=1) * grid.cell_size
    rows, columns = np.nonzero(~grid.walls)
    first = rows * (width + 1) + columns
    mesh = fc.Graph.from_polygons(
        corners, np.stack([first, first + 1, first + width + 2, first + width + 1], axis=1)
    )
    return mesh, np.flatnonzero(~grid.walls.reshape(-1))


def two_floors() -> fc.Graph:
    """A hall of 4 x 4 at height 0, one above it at height 3, and a way round from one to the other:
    a ramp, a landing, a ramp.

    The lower hall is vertex 0, the upper 1, then come the ramp out of the lower, that into the
    upper, and the landing.
    """
    corners = [
        (0, 0, 0),
        (4, 0, 0),
        (4, 2, 0),
        (4, 4, 0),
        (0, 4, 0),
        (0, 0, 3),
        (4, 0, 3),
        (4, 2, 3),
        (4, 4, 3),
        (0, 4, 3),
        (8, 0, 1.5),
        (8, 2, 1.5),
        (8, 4, 1.5),
        (10, 0, 1.5),
        (10, 4, 1.5),
    ]
    polygons = [
        (0, 1, 2, 3, 4),
        (5, 6, 7, 8, 9),
        (1, 10, 11, 2),
        (11, 12, 8, 7),
        (10, 13, 14, 12, 11),
    ]
    return fc.Graph.from_polygons(corners, polygons, max_height=1.0)
