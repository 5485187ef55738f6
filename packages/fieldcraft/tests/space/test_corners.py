"""Diagonal steps past closed cells: never, where one of the two beside them is open, or always."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.adapters import tcod
from fieldcraft.space import Neighborhood
from fieldcraft.space.grid.neighborhood import build_links

HOW = ("never", "if-one-open", "cut")
EIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]
NEEDED = {"never": 2, "if-one-open": 1, "cut": 0}
ENTER = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0]], dtype=np.bool_)
every_rule = pytest.mark.parametrize("corners", HOW)


def grid_of(seed: int, corners: str, **options: Any) -> fc.Grid:
    walls = np.random.default_rng(seed).random((9, 14)) < 0.35
    walls[0, 0] = False
    return fc.Grid(walls=walls, neighbors=8, corners=corners, **options)


def ways(grid: fc.Grid, closed: NDArray[np.bool_], costs: NDArray[np.float64]) -> Any:
    """The steps between open cells, tried one by one, as a matrix of costs."""
    height, width = grid.shape
    terrain = grid.terrain

    def passes(here: tuple[int, int], dx: int, dy: int) -> tuple[int, int] | None:
        y, x = here[0] + dy, here[1] + dx
        if grid.wrap:
            y, x = y % height, x % width
        if not (0 <= y < height and 0 <= x < width) or closed[y, x]:
            return None
        if terrain is not None:
            kinds = terrain.classes
            if not terrain.enter[kinds[here], kinds[y, x]]:
                return None
        return y, x

    found = []
    for y, x in zip(*np.nonzero(~closed), strict=True):
        here = (int(y), int(x))
        for dx, dy in EIGHT:
            there = passes(here, dx, dy)
            if there is None:
                continue
            if dx and dy:
                around = 0
                for first, second in (((dx, 0), (0, dy)), ((0, dy), (dx, 0))):
                    side = passes(here, *first)
                    around += side is not None and passes(side, *second) == there
                if around < NEEDED[grid.corners]:
                    continue
            cost = np.hypot(dx, dy) * grid.cell_size * (costs[here] + costs[there]) / 2
            found.append((y * width + x, there[0] * width + there[1], cost))
    origins, ends, sizes = np.array(found).T
    size = len(grid)
    return coo_array((sizes, (origins.astype(int), ends.astype(int))), shape=(size, size)).tocsr()


@every_rule
@pytest.mark.parametrize("options", [{}, {"wrap": True}, {"y_up": True, "cell_size": 0.5}])
@pytest.mark.parametrize("ground", ["even", "dear", "shut"])
def test_searches_take_just_the_steps_that_are_allowed(
    corners: str, options: dict[str, Any], ground: str
) -> None:
    for seed in range(4):
        grid = grid_of(seed, corners, **options)
        dice = np.random.default_rng(seed)
        costs = np.ones(grid.shape) if ground == "even" else dice.uniform(1, 4, grid.shape)
        if ground == "shut":
            costs[(dice.random(grid.shape) < 0.15) & ~grid.walls] = np.inf
            costs[0, 0] = 1.0
        cost = None if ground == "even" else costs
        closed = grid.walls | np.isinf(costs)
        expected = dijkstra(ways(grid, closed, costs), indices=0)
        start = grid.position_of(0)
        goals = np.flatnonzero(~closed.reshape(-1))
        goal = int(goals[dice.integers(len(goals))])
        for extra in ({}, {"outward": True}):
            found = fc.distance_map(grid, start, cost=cost, **extra)
            np.testing.assert_allclose(found.exact.reshape(-1), expected, rtol=1e-5)
        path = fc.shortest_path(grid, start, grid.position_of(goal), cost=cost)
        assert path.found == bool(np.isfinite(expected[goal]))
        if path.found:
            assert path.cost == pytest.approx(expected[goal])
            smooth = fc.shortest_path(grid, start, grid.position_of(goal), cost=cost, smooth=True)
            assert smooth.cost <= path.cost + 1e-9
        units = fc.reach(grid, (float(start[0]), float(start[1])), 6.0, cost=cost)
        assert sorted(units.cells.tolist()) == np.flatnonzero(expected <= 6.0 + 1e-6).tolist()


@every_rule
def test_maps_follow_new_walls(corners: str) -> None:
    grid = grid_of(7, corners)
    distances = fc.distance_map(grid, grid.position_of(0))
    layer = fc.InfluenceMap(grid).add_layer("s", fc.Spread(decay=0.3, momentum=1.0, floor=0.0))
    layer.add_source(grid.position_of(0), 2.0)
    _ = distances.values, layer.settle()
    fc.shortest_path(grid, grid.position_of(0), grid.position_of(0))
    dice = np.random.default_rng(1)
    for _ in range(5):
        cells = dice.choice(np.arange(1, len(grid)), 4, replace=False)
        grid.set_walls(cells, bool(dice.integers(2)))
        distances.repair()
        expected = dijkstra(ways(grid, grid.walls, np.ones(grid.shape)), indices=0)
        np.testing.assert_allclose(distances.exact.reshape(-1), expected, rtol=1e-5)
        layer.settle()
        left = 2 * np.exp(-0.3 * expected)
        np.testing.assert_allclose(layer.values.reshape(-1), left, rtol=1e-4)
        goal = int(dice.choice(np.flatnonzero(~grid.walls)))
        path = fc.shortest_path(grid, grid.position_of(0), grid.position_of(goal))
        assert path.length == pytest.approx(expected[goal]) or not np.isfinite(expected[goal])


@every_rule
def test_terrain_counts_as_walls_do(corners: str) -> None:
    dice = np.random.default_rng(4)
    classes = dice.choice(3, (7, 11), p=(0.5, 0.3, 0.2))
    classes[0, 0] = 0
    grid = fc.Grid(
        terrain=fc.Terrain(classes, ENTER), width=11, height=7, neighbors=8, corners=corners
    )
    expected = dijkstra(ways(grid, grid.walls, np.ones(grid.shape)).T, indices=0)
    found = fc.distance_map(grid, grid.position_of(0)).exact
    np.testing.assert_allclose(found.reshape(-1), expected, rtol=1e-5)
    path = fc.shortest_path(
        grid,
        grid.position_of(int(np.nanargmax(np.where(np.isinf(expected), -1, expected)))),
        grid.position_of(0),
    )
    assert path.length == pytest.approx(expected[np.isfinite(expected)].max())


@every_rule
def test_everything_that_steps_goes_the_same_ways(corners: str) -> None:
    """What spreads, diffuses, floods and steps on a grid comes to the same on its graph."""
    grid = grid_of(3, corners)
    for propagation in (
        fc.Spread(0.2, 0.6),
        fc.Flood(),
        fc.Radial(4.0, metric="path"),
    ):
        values = []
        for space in (grid, grid.to_graph()):
            layer: Any = fc.InfluenceMap(space).add_layer("a", propagation)
            layer.add_source((0.5, 0.5), 5.0)
            layer.step(6)
            values.append(np.asarray(layer.values).reshape(-1))
        np.testing.assert_allclose(*values, rtol=1e-4, atol=1e-6)
    gas = fc.InfluenceMap(fc.Grid(walls=[[0, 1], [1, 0], [1, 1]], neighbors=8, corners=corners))
    layer = gas.add_layer("gas", fc.Diffuse(0.6))
    layer.deposit((0.5, 0.5), 8.0)
    layer.step()
    passed = 0.6 if corners == "cut" else 0.0
    assert layer.sample((1.5, 1.5)) == pytest.approx(passed) and layer.values.sum() == 8.0
    beliefs = []
    for space in (grid, grid.to_graph()):
        belief = fc.Belief(space, speed=2.0)
        belief.see((0.5, 0.5))
        belief.advance(2.0)
        beliefs.append(belief.probability().reshape(-1))
    np.testing.assert_allclose(*beliefs, atol=2e-3)


def test_a_gap_between_two_corners() -> None:
    walls = [[0, 1, 0], [1, 0, 0]]
    lengths = [
        fc.shortest_path(
            fc.Grid(walls=walls, neighbors=8, corners=how), (0.5, 0.5), (1.5, 1.5)
        ).length
        for how in HOW
    ]
    assert lengths == [np.inf, np.inf, pytest.approx(np.sqrt(2))]
    walls[1][0] = 0
    lengths = [
        fc.shortest_path(
            fc.Grid(walls=walls, neighbors=8, corners=how), (0.5, 0.5), (1.5, 1.5)
        ).length
        for how in HOW
    ]
    assert lengths == [2.0, pytest.approx(np.sqrt(2)), pytest.approx(np.sqrt(2))]


@every_rule
def test_copies_and_saves_keep_the_setting(corners: str, tmp_path: Any) -> None:
    grid = grid_of(2, corners)
    imap = fc.InfluenceMap(grid)
    imap.add_layer("a", fc.Spread(0.1))
    imap.save(tmp_path / "a.fieldcraft")
    loaded = fc.InfluenceMap.load(tmp_path / "a.fieldcraft").space
    twins = [
        pickle.loads(pickle.dumps(grid)),
        loaded,
        grid.with_walls(grid.walls),
        grid.coarser(2.0),
    ]
    assert [twin.corners for twin in twins] == [corners] * 4
    np.testing.assert_array_equal(loaded.links(), grid.links())


def test_without_the_setting_no_corner_is_cut() -> None:
    plain, never = grid_of(5, "never").with_walls(None), fc.Grid(14, 9, neighbors=8)
    assert never.corners == "never" and plain.neighborhood == never.neighborhood
    walls = grid_of(5, "never").walls
    cut = build_links(walls, None, Neighborhood.of(8, corners="cut"), False)
    assert (cut != build_links(walls, None, Neighborhood.of(8), False)).any()


def test_what_cannot_cut_corners_says_so() -> None:
    with pytest.raises(InvalidValue, match="'never', 'if-one-open'"):
        fc.Grid(3, 2, corners="always")
    with pytest.raises(TypeError, match="corners"):
        fc.HexGrid(3, 2, corners="cut")  # type: ignore[call-arg]
    grid = grid_of(2, "cut")
    with pytest.raises(InvalidValue, match="flow field"):
        fc.flow_field(fc.distance_map(grid, (0.5, 0.5)))
    with pytest.raises(InvalidValue, match="cut no corners"):
        steering.move(grid, (0.5, 0.5), (0.1, 0.0))
    assert steering.move(grid_of(2, "if-one-open"), (0.5, 0.5), (0.1, 0.0)).shape == (2,)


@pytest.mark.parametrize("corners", HOW[:2])
@pytest.mark.parametrize("options", [{}, {"wrap": True}, {"y_up": True}])
def test_agents_on_a_flow_field_arrive_without_touching_walls(
    corners: str, options: dict[str, Any]
) -> None:
    passed = 0
    for seed in range(8):
        grid, rng = grid_of(seed, corners, **options), np.random.default_rng(seed)
        cost = None if seed % 2 else 1 + 20.0 * (rng.random(grid.shape) < 0.5)
        distances = fc.distance_map(grid, grid.position_of(0), cost=cost)
        field = fc.flow_field(distances)
        starts = np.flatnonzero(np.isfinite(distances.values))
        places = grid.position_of(starts) + rng.uniform(-0.45, 0.45, (len(starts), 2))
        for _ in range(400):
            goals = places + 0.3 * field.sample(places)
            places = steering.move(grid, places, goals - places)
            np.testing.assert_allclose(places, grid.wrapped(goals), atol=1e-9)
        assert (grid.cell_at(places) == 0).all()
        passed += int((field._pinched > 0).sum())
    assert passed


def test_steps_of_tcod_are_steps_of_a_grid_that_cuts() -> None:
    library = pytest.importorskip("tcod")
    walkable = np.asfortranarray(~grid_of(8, "cut").walls.T)
    grid = tcod.grid(walkable, corners="cut")
    distances = fc.distance_map(grid, (0, 0))
    for start in np.argwhere(walkable & np.isfinite(np.asarray(distances.exact).T)).tolist():
        path = library.path.hillclimb2d(tcod.steps_to(distances), tuple(start), True, True)
        cells = np.asarray(grid.cell_at(path.astype(float))).tolist()
        assert all(b in grid.neighbors_of(a) for a, b in itertools.pairwise(cells))
        assert cells[-1] == 0
