"""Small grids of every kind, for tests of ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft.space.wrapping import Wrap
from support.worlds import KNIGHT_AND_CORNER, WRAPS, random_ground

ONE_SIDED = [(0, 1), (3, 0), (-1, 0), (1, 1)]
TURNED = [(-1, -1), (1, 0), (0, 1), (-1, 0), (1, 1), (0, -1), (1, -1), (-1, 1)]
NEIGHBORS = [4, 8, 8, KNIGHT_AND_CORNER, ONE_SIDED, TURNED]


@dataclass(frozen=True)
class World:
    """A grid, what its ground costs, and where its goals are."""

    width: int
    height: int
    neighbors: Any
    wrap: Wrap
    y_up: bool
    walls: float
    has_terrain: bool
    costs: str
    goals: int
    has_starts: bool
    limit: float | None
    seed: int

    def grid(self) -> fc.Grid:
        rng = np.random.default_rng(self.seed)
        walls, terrain = random_ground(
            rng,
            (self.height, self.width),
            walls=self.walls,
            has_terrain=self.has_terrain,
            shares=(0.5, 0.45, 0.05),
        )
        walls[rng.integers(self.height), rng.integers(self.width)] = False
        return fc.Grid(
            self.width,
            self.height,
            cell_size=0.7,
            walls=walls,
            terrain=terrain,
            neighbors=self.neighbors,
            wrap=self.wrap,
            y_up=self.y_up,
        )

    def arguments(self, space: fc.Grid) -> tuple[NDArray[np.float64], dict[str, Any]] | None:
        """Goals and keywords for a distance map; None where nothing is open."""
        rng = np.random.default_rng(self.seed + 1)
        open_ = np.flatnonzero(~space.walls.reshape(-1))
        if not len(open_):
            return None
        goals = rng.choice(open_, self.goals)
        arguments: dict[str, Any] = {"limit": self.limit}
        if self.costs == "even":
            arguments["cost"] = 2.5
        elif self.costs != "none":
            cost = self.cost(rng, space.shape)
            cost.reshape(-1)[goals] = 1.0
            arguments["cost"] = cost
        if self.has_starts:
            arguments["start_costs"] = rng.choice([0.0, 0.7, 1.4, 3.3], self.goals)
        return space.position_of(goals), arguments

    def cost(self, rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
        """Some costs of this world's kind."""
        if self.costs == "few":
            return rng.choice([1.0, 2.0, 5.0], shape)
        if self.costs == "walls":
            return np.where(rng.random(shape) < 0.15, np.inf, rng.choice([1.0, 1.5], shape))
        if self.costs == "wide":
            return 10.0 ** rng.uniform(-5, 6, shape)
        return rng.uniform(1, 5, shape)


def worlds(most: int = 24) -> st.SearchStrategy[World]:
    return st.builds(
        World,
        width=st.integers(1, most),
        height=st.integers(1, most),
        neighbors=st.sampled_from(NEIGHBORS),
        wrap=st.sampled_from(WRAPS),
        y_up=st.booleans(),
        walls=st.sampled_from([0.0, 0.2, 0.4]),
        has_terrain=st.booleans(),
        costs=st.sampled_from(["none", "none", "even", "few", "walls", "wide", "any"]),
        goals=st.integers(1, 4),
        has_starts=st.booleans(),
        limit=st.sampled_from([None, None, 2.1, 5.0]),
        seed=st.integers(0, 10_000),
    )


def by_scipy(
    space: fc.Grid, goals: NDArray[np.int64], starts: NDArray[np.float64], cost: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Distances of walking to the nearest goal, by SciPy, over steps that are checked cell by cell
    here; shape (height, width).
    """
    width = space.width
    shut = space.walls | np.isinf(cost)
    froms, tos, weights = [], [], []
    for cell in np.flatnonzero(~shut).tolist():
        y, x = divmod(cell, width)
        for dx, dy in space.neighborhood.steps:
            there = _allowed(space, shut, x, y, dx, dy)
            if there is None or there == cell:
                continue
            froms.append(there)
            tos.append(cell)
            weights.append(
                np.hypot(dx, dy) * space.cell_size * (cost.flat[cell] + cost.flat[there]) / 2
            )
    many = len(space)
    for goal, start in zip(goals.tolist(), starts.tolist(), strict=True):
        froms.append(many)
        tos.append(goal)
        weights.append(start + 1.0)  # SciPy takes no edges of length 0
    best: dict[tuple[int, int], float] = {}
    for a, b, weight in zip(froms, tos, weights, strict=True):
        best[a, b] = min(weight, best.get((a, b), np.inf))
    rows, columns = zip(*best, strict=True)
    graph = coo_array((list(best.values()), (rows, columns)), shape=(many + 1, many + 1)).tocsr()
    return (dijkstra(graph, indices=many)[:many] - 1.0).reshape(space.shape)


def _allowed(
    space: fc.Grid, shut: NDArray[np.bool_], x: int, y: int, dx: int, dy: int
) -> int | None:
    height, width = space.shape

    def cell(x: int, y: int) -> tuple[int, int] | None:
        if space.wraps_y:
            y %= height
        if space.wraps_x:
            x %= width
        return (y, x) if 0 <= y < height and 0 <= x < width else None

    def may(a: tuple[int, int] | None, b: tuple[int, int] | None) -> bool:
        if a is None or b is None or shut[a] or shut[b]:
            return False
        return space.terrain is None or bool(
            space.terrain.enter[space.terrain.classes[a], space.terrain.classes[b]]
        )

    here, there = cell(x, y), cell(x + dx, y + dy)
    if not may(here, there):
        return None
    if abs(dx) == abs(dy) == 1:
        for side in (cell(x + dx, y), cell(x, y + dy)):
            if not may(here, side) or not may(side, there):
                return None
    assert there is not None
    return there[0] * width + there[1]
