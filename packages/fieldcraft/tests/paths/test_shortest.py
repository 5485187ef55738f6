from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.paths.distance_maps import distance_map
from fieldcraft.paths.shortest import shortest_path, shortest_paths
from support.drawings import drawn
from support.mazes import World, cheapest
from support.refusals import refused

DIAGONAL = math.sqrt(2)


@pytest.mark.reference
@given(st.integers(0, 2**32).map(World))
@settings(max_examples=25)
def test_paths_cost_what_dijkstra_says_and_go_by_steps(world: World) -> None:
    space, known = world.space, world.edges()
    cells = world.open_cells()
    if not cells:
        return
    start = int(world.rng.choice(cells))
    oracle = cheapest(space, known, start)
    for goal in world.rng.choice(cells, 6).tolist():
        path = shortest_path(
            space, space.position_of(start), space.position_of(goal), cost=world.costs
        )
        assert path.found == np.isfinite(oracle[goal])
        if not path.found:
            continue
        assert path.cost == pytest.approx(oracle[goal], rel=1e-12)
        assert (path.cells[0], path.cells[-1]) == (start, goal)
        assert len(set(path.cells.tolist())) == len(path)
        taken = [
            known[pair]
            for pair in zip(path.cells[:-1].tolist(), path.cells[1:].tolist(), strict=True)
        ]
        assert path.length == pytest.approx(sum(length for length, _ in taken), rel=1e-12)
        assert path.cost == pytest.approx(sum(cost for _, cost in taken), rel=1e-12)


@given(st.integers(0, 2**32).map(World))
@settings(max_examples=16)
def test_a_path_costs_what_the_distance_map_says(world: World) -> None:
    space, cells = world.space, world.open_cells()
    if not cells:
        return
    goal = space.position_of(int(world.rng.choice(cells)))
    distances = distance_map(space, goal, cost=world.costs)
    for start in space.position_of(world.rng.choice(cells, 5)):
        path = shortest_path(space, start, goal, cost=world.costs)
        assert path.cost == pytest.approx(float(distances.sample(start)), rel=1e-12)


def test_open_ground() -> None:
    path = shortest_path(fc.Grid(9, 5, neighbors=8), (0.5, 0.5), (8.5, 3.5))
    assert path.length == path.cost == 5 + 3 * DIAGONAL
    path = shortest_path(fc.Grid(9, 5), (0.5, 0.5), (8.5, 3.5))
    assert path.length == 11
    np.testing.assert_array_equal(path.positions[[0, -1]], [[0.5, 0.5], [8.5, 3.5]])


def test_world_units_and_y_up() -> None:
    space = fc.Grid(9, 5, neighbors=8, cell_size=2.5, origin=(-10, 3), y_up=True)
    path = shortest_path(space, space.position_of(0), space.position_of(44))
    assert path.length == 4 * 2.5 + 4 * (DIAGONAL * 2.5)
    assert path.positions[0].tolist() == [-8.75, 14.25]
    assert (np.diff(path.positions[:, 1]) <= 0).all()


def test_no_corner_is_cut() -> None:
    space = drawn("..#", "#..", neighbors=8)
    assert shortest_path(space, (0.5, 0.5), (2.5, 1.5)).length == 3
    assert not shortest_path(drawn(".#.", "#..", neighbors=8), (0.5, 0.5), (1.5, 1.5)).found


def test_infinite_cost_is_a_wall_whose_corners_are_not_cut() -> None:
    costs = np.ones((2, 3))
    costs[1, 1] = math.inf
    path = shortest_path(fc.Grid(3, 2, neighbors=8), (0.5, 1.5), (2.5, 1.5), cost=costs)
    assert path.cells.tolist() == [3, 0, 1, 2, 5]
    costs[0, 1] = math.inf
    assert not shortest_path(fc.Grid(3, 2, neighbors=8), (0.5, 1.5), (2.5, 1.5), cost=costs).found


def test_costs_lead_round_what_is_dear() -> None:
    costs = np.ones((3, 7))
    costs[1, 1:6] = 10
    path = shortest_path(fc.Grid(7, 3, neighbors=8), (0.5, 1.5), (6.5, 1.5), cost=costs)
    assert 1 + 7 not in path.cells
    assert path.length == path.cost == 4 + 2 * DIAGONAL
    assert (
        shortest_path(
            fc.Grid(7, 3, neighbors=8), (0.5, 1.5), (6.5, 1.5), cost=np.where(costs > 1, 1.1, 1)
        ).length
        == 6
    )


def test_a_number_scales_the_cost() -> None:
    space = fc.Grid(9, 5, neighbors=8)
    path = shortest_path(space, (0.5, 0.5), (8.5, 3.5), cost=2.5)
    assert path.cost == 2.5 * path.length
    even = shortest_path(space, (0.5, 0.5), (8.5, 3.5), cost=np.full((5, 9), 2.5))
    assert (even.cost, even.cells.tolist()) == (path.cost, path.cells.tolist())


def test_a_layer_and_an_expression_are_costs() -> None:
    imap = fc.InfluenceMap(fc.Grid(15, 7, neighbors=8))
    threat = imap.add_layer("threat", fc.Spread(decay=0.4, momentum=1.0))
    threat.add_source((7.5, 3.5), strength=9.0)
    imap.step(12)
    straight = shortest_path(imap.space, (0.5, 3.5), (14.5, 3.5))
    safe = shortest_path(imap.space, (0.5, 3.5), (14.5, 3.5), cost=1 + 4 * threat)
    by_hand = shortest_path(
        imap.space, (0.5, 3.5), (14.5, 3.5), cost=(1 + 4 * threat).values.astype(np.float64)
    )
    assert (
        fc.query.along(threat, safe.positions).sum < fc.query.along(threat, straight.positions).sum
    )
    assert safe.cost == by_hand.cost
    exact = fc.query.along(1 + 4 * threat, safe.positions).sum
    assert safe.cost == pytest.approx(exact, rel=1e-6)


def test_a_torus_is_crossed_over_the_seam() -> None:
    space = fc.Grid(20, 10, neighbors=8, wrap=True)
    path = shortest_path(space, (1.5, 1.5), (18.5, 8.5))
    assert path.length == pytest.approx(3 * DIAGONAL)
    assert shortest_path(space, (-18.5, 1.5), (18.5, 8.5)).cells.tolist() == path.cells.tolist()


def test_a_path_inside_the_cell_of_its_goal_begins_at_the_agent() -> None:
    square = [(0, 0), (10, 0), (10, 10), (0, 10), (20, 0), (20, 10)]
    mesh = fc.Graph.from_polygons(square, [(0, 1, 2, 3), (1, 4, 5, 2)])
    spaces = fc.Grid(6, 5, neighbors=8), fc.Grid(6, 5, wrap=True), fc.HexGrid(6, 5, size=10), mesh
    for space in spaces:
        center = space.position_of(1)
        start = center + np.array([-0.3, 0.2])
        for options in (
            {},
            {"cost": np.full(space.shape, 3.0)},
            {"danger": np.ones((2, *space.shape))},
        ):
            path = shortest_path(space, start, center, **options)
            assert path.cells.tolist() == [1, 1]
            assert path.positions.tolist() == [start.tolist(), center.tolist()]
            assert path.length == pytest.approx(np.hypot(0.3, 0.2))
            price = 3.0 if "cost" in options else 1.0
            damage = space.typical_step if "danger" in options else 0.0
            assert path.cost == pytest.approx(price * path.length + damage)
            assert path.at(0).tolist() == start.tolist()
            assert path.at(1).tolist() == center.tolist()
        assert fc.distance_map(space, center).descend(start).at(0).tolist() == start.tolist()
        if not isinstance(space, fc.HexGrid):
            smooth = shortest_path(space, start, center, smooth=True)
            assert smooth.positions[0].tolist() == start.tolist()
        assert shortest_path(space, center, start).cells.tolist() == [1]


def test_an_agent_that_plans_anew_in_each_frame_never_jumps() -> None:
    for space in (fc.Grid(10, 10, neighbors=8), fc.HexGrid(8, 8, size=10.0)):
        agent = space.position_of(9) + 0.3 * space.typical_step
        goal = space.position_of(44)
        pace = space.typical_step / 10
        for _ in range(120):
            before = agent
            agent = shortest_path(space, agent, goal).at(pace)
            assert np.hypot(*(agent - before)) <= pace * (1 + 1e-9)
        assert agent.tolist() == goal.tolist()


def test_answers_of_a_batch_are_in_order_and_one_goal_serves_all() -> None:
    space = drawn("..#.", "..#.", neighbors=8)
    paths = shortest_paths(space, [(0.5, 0.5), (3.5, 0.5), (1.5, 1.5)], (0.5, 1.5))
    assert [path.length for path in paths] == [1, math.inf, 1]
    assert shortest_paths(space, [], []) == []
    assert [
        path.length for path in shortest_paths(space, (0.5, 0.5), [(0.5, 1.5), (1.5, 1.5)])
    ] == [1, DIAGONAL]


SPACE = drawn("..#", "...", "###", neighbors=8, cell_size=2.0)


def test_outside_and_walls_are_refused_with_the_nearest_open_cell() -> None:
    for words, call in (
        (
            (OutsideMap, "start", "(9.0, 1.0)", "nearest open cell is 1, around (3, 1)"),
            lambda: shortest_path(SPACE, (9.0, 1.0), (1.0, 1.0)),
        ),
        (
            (OutsideMap, "goal", "nearest open cell is 4"),
            lambda: shortest_path(SPACE, (1.0, 1.0), (3.0, 99.0)),
        ),
        (
            (OnWall, "start", "(5.0, 1.0)", "nearest open cell is 1"),
            lambda: shortest_path(SPACE, (5.0, 1.0), (1.0, 1.0)),
        ),
        (
            (OnWall, "goal", "(5.0, 5.0)", "nearest open cell is 5, around (5, 3)"),
            lambda: shortest_path(SPACE, (1.0, 1.0), (5.0, 5.0)),
        ),
        (
            (OnWall, "goal", "index 1"),
            lambda: shortest_paths(SPACE, [(1.0, 1.0), (3.0, 1.0)], [(3.0, 1.0), (5.0, 5.0)]),
        ),
        (
            (OutsideMap, "start", "index 1"),
            lambda: shortest_paths(SPACE, [(1.0, 1.0), (-3.0, 1.0)], (3.0, 1.0)),
        ),
    ):
        with refused(*words):
            call()
    costs = np.ones((3, 3))
    costs[0, 0] = math.inf
    with refused(OnWall, "start", "infinite cost", "nearest open cell is 1"):
        shortest_path(SPACE, (1.0, 1.0), (3.0, 1.0), cost=costs)
    with refused(OnWall, "no open cell: open some with space.set_walls"):
        shortest_path(fc.Grid(2, 1, walls=np.ones((1, 2), dtype=bool)), (0.5, 0.5), (1.5, 0.5))
    nowhere = np.full((3, 3), math.inf)
    with refused(OnWall, r"No cell has a finite cost: pass"):
        shortest_path(SPACE, (1.0, 1.0), (3.0, 1.0), cost=nowhere)
    with pytest.raises(OnWall, match=r"or a smaller size\.$"):
        shortest_path(SPACE, (1.0, 1.0), (3.0, 1.0), size=9)


@pytest.mark.parametrize(
    "position",
    [
        None,
        "here",
        (1.0,),
        (1.0, math.nan),
        (math.inf, 1.0),
        [(1.0, 1.0)],
        np.zeros((2, 2)),
        {"x": 1},
    ],
)
def test_what_is_no_position_is_refused(position: object) -> None:
    with refused(InvalidValue):
        shortest_path(SPACE, position, (1.0, 1.0))  # type: ignore[arg-type]


def test_positions_come_in_many_types() -> None:
    expected = shortest_path(SPACE, (1.0, 1.0), (5.0, 3.0)).cells.tolist()
    for start in (
        [1, 1],
        (1, 1),
        np.array([1.0, 1.0]),
        np.array([1, 1], dtype=np.float32),
        (np.float64(1), 1.0),
    ):
        assert shortest_path(SPACE, start, (5.0, 3.0)).cells.tolist() == expected


@pytest.mark.parametrize(
    "cost",
    [
        0,
        -1,
        math.nan,
        1e-9,
        "dear",
        True,
        np.zeros((3, 3)),
        np.ones((2, 3)),
        np.full((3, 3), math.nan),
        1e31,
    ],
)
def test_bad_costs_are_refused(cost: object) -> None:
    with refused(InvalidValue):
        shortest_path(SPACE, (1.0, 1.0), (3.0, 1.0), cost=cost)  # type: ignore[arg-type]


def test_other_arguments_are_refused() -> None:
    with refused(InvalidValue, "Paths lie on a space"):
        shortest_path("map", (1.0, 1.0), (3.0, 1.0))  # type: ignore[arg-type]
    with refused(InvalidValue, "2 starts and 3 goals"):
        shortest_paths(SPACE, np.ones((2, 2)), np.ones((3, 2)))
    with refused(InvalidValue, "smooth"):
        shortest_path(SPACE, (1.0, 1.0), (3.0, 1.0), smooth="yes")  # type: ignore[arg-type]
    other = fc.InfluenceMap(fc.Grid(9, 9)).add_layer("threat", fc.Spread(0.1, 1.0))
    with refused(InvalidValue):
        shortest_path(SPACE, (1.0, 1.0), (3.0, 1.0), cost=1 + other)


def test_the_nearest_of_what_can_be_reached_is_the_end_of_a_partial_path() -> None:
    grid = fc.Grid(walls=[[0, 0, 1, 0, 0], [0, 0, 1, 0, 1], [0, 0, 1, 0, 0]])
    start, island, wall = (0.5, 2.5), (3.5, 1.5), (4.5, 1.5)
    for goal in (island, wall):
        path = fc.shortest_path(grid, start, goal, unreachable="nearest")
        assert path.partial and path.cells[-1] == 1 * 5 + 1 and path.length == 2
    whole = fc.shortest_path(grid, start, (1.5, 0.5), unreachable="nearest")
    assert not whole.partial and whole.length == 3
    danger = np.zeros((3, *grid.shape))
    timed = fc.shortest_path(grid, start, island, unreachable="nearest", danger=danger)
    assert timed.partial and timed.damage == 0 and timed.times[-1] == 2
    assert not fc.shortest_path(grid, start, island)
    with pytest.raises(fc.errors.OnWall):
        fc.shortest_path(grid, (2.5, 0.5), island, unreachable="nearest")
    with pytest.raises(fc.errors.InvalidValue, match="unreachable"):
        fc.shortest_path(grid, start, island, unreachable="partial")  # type: ignore[call-overload]
