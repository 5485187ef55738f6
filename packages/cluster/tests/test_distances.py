"""Distances over blocks have the bits of distances over one array, and are searched no further than
is asked.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
import fieldcraft_cluster as cluster
from fieldcraft.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft_cluster.plan import Box
from support.refusals import refused

KNIGHT = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]


def ways(world: cluster.World, far: Any, one: fc.DistanceMap, starts: np.ndarray) -> None:
    """Each way down is as long as the map says, by steps that the grid has, and ends at a goal."""
    grid = one.space
    for start in starts:
        way, total = far.descend(start), one.sample(start)
        assert (len(way) == 0) == (total == math.inf)
        if len(way):
            cells = grid.cell_at(way)
            along = [one.sample(center) for center in way]
            assert np.array_equal(way, grid.position_of(cells)) and np.array_equal(
                way[0], grid.position_of(grid.cell_at(start))
            )
            assert all(a > b for a, b in itertools.pairwise(along)) and cells[-1] in one.goals


@settings(max_examples=25)
@given(
    size=st.tuples(st.integers(3, 45), st.integers(3, 45)).filter(lambda both: both[0] != both[1]),
    block=st.integers(2, 46),
    wrap=st.booleans(),
    neighbors=st.sampled_from([4, 8, "knight"]),
    y_up=st.booleans(),
    share=st.sampled_from([0.0, 0.2, 0.4]),
    price=st.sampled_from(["even", "number", "each cell", "some infinite"]),
    begin=st.booleans(),
    limit=st.sampled_from([None, 7.5]),
    memory=st.sampled_from([1e9, 1e3]),
    seed=st.integers(0, 2**32),
)
def test_blocks_find_the_bits_of_one_array(
    size: tuple[int, int],
    block: int,
    wrap: bool,
    neighbors: Any,
    y_up: bool,
    share: float,
    price: str,
    begin: bool,
    limit: float | None,
    memory: float,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    steps = KNIGHT if neighbors == "knight" else neighbors
    wrap = wrap and min(size) > 4
    walls = rng.random(size[::-1]) < share
    ground: dict[str, Any] = {
        "walls": walls,
        "neighbors": steps,
        "wrap": wrap,
        "y_up": y_up,
        "cell_size": 1.5,
        "origin": (-3.0, 2.0),
    }
    grid = fc.Grid(*size, **ground)
    prices = rng.uniform(0.3, 4.0, size[::-1])
    if price == "some infinite":
        prices[rng.random(size[::-1]) < 0.1] = math.inf
    cost = {"even": None, "number": 0.7}.get(price, prices)
    free = np.flatnonzero(~walls.reshape(-1) & np.isfinite(prices.reshape(-1)))
    if not len(free):
        return
    goals = grid.position_of(rng.choice(free, 3))
    asked: dict[str, Any] = {
        "cost": cost,
        "limit": limit,
        "start_costs": rng.uniform(0, 5, 3) if begin else None,
    }
    one = fc.distance_map(grid, goals, **asked)
    with tempfile.TemporaryDirectory() as folder:
        world = cluster.World(folder, size, block=block, memory=memory, **ground)
        far = world.distance_map(goals, **asked)
        some = grid.position_of(rng.choice(free, 4))
        assert np.array_equal(far.sample(some), one.sample(some))  # before all is searched
        ways(world, far, one, some)
        assert far.exact_in(Box(0, size[1], 0, size[0])).tobytes() == one.exact.tobytes()
        far = None


def test_a_question_about_ground_near_by_looks_at_few_blocks(tmp_path: Path) -> None:
    world = cluster.World(tmp_path, (40_000, 30_000), block=100, neighbors=8)
    far = world.distance_map([(20_050.5, 15_050.5), (50.5, 50.5)])
    assert far.sample((20_070.5, 15_030.5)) == pytest.approx(20 * math.sqrt(2))
    assert far.sample((20_150.5, 15_050.5)) == 100.0
    assert far.blocks_searched < 20
    piece = far.window((20_040.5, 15_040.5), (20_060.5, 15_050.5))
    assert piece.sample((20_052.5, 15_050.5)) == 2.0
    assert (far.descend((20_053.5, 15_050.5)) == [(20_053.5 - k, 15_050.5) for k in range(4)]).all()


def test_walls_are_those_of_the_moment(tmp_path: Path) -> None:
    world = cluster.World(tmp_path, (60, 40), block=16)
    before = world.distance_map((2.5, 2.5))
    world.set_walls([(10.5, y + 0.5) for y in range(39)])
    after = world.distance_map((2.5, 2.5))
    assert before.outdated and not after.outdated
    assert before.sample((12.5, 2.5)) == 10.0
    assert after.sample((12.5, 2.5)) == 10.0 + 2 * 37
    assert after.sample((10.5, 2.5)) == math.inf
    assert after.window((9.5, 2.5), (11.5, 2.5)).values.tolist() == [[7.0, 0.0, 83.0]]


def test_refusals(tmp_path: Path) -> None:
    walls = np.zeros((30, 50), dtype=bool)
    walls[:, 20] = True
    walls[3, 3] = True
    world = cluster.World(tmp_path, (50, 30), block=16, walls=walls)
    with refused(OnWall, "goal", "open"):
        world.distance_map((3.5, 3.5))
    with refused(OutsideMap):
        world.distance_map((50.5, 3.5))
    with refused(InvalidValue, "goals"):
        world.distance_map(np.zeros((0, 2)))
    with refused(InvalidValue, "costs", "shape"):
        world.distance_map((1.5, 1.5), cost=np.ones((3, 4)))
    far = world.distance_map((1.5, 1.5))
    assert far.sample((30.5, 3.5)) == math.inf
    assert len(far.descend((30.5, 3.5))) == 0
    with refused(OnWall, "start"):
        far.descend((3.5, 3.5))
