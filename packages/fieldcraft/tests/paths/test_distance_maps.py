"""Distance maps: what they say, how far they search, and what they refuse."""

from __future__ import annotations

import copy
import math
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.paths import DistanceMap, distance_map
from support import grids

ROOM = np.array(
    [
        [c == "#" for c in row]
        for row in ("..........", ".########.", ".#......#.", ".#.####.#.", "...#..#...")
    ]
)


@pytest.fixture
def room() -> fc.Grid:
    return fc.Grid(10, 5, walls=ROOM, neighbors=8)


def _reloaded(field: DistanceMap) -> DistanceMap:
    return pickle.loads(pickle.dumps(field))


def test_a_small_map_by_hand() -> None:
    space = fc.Grid(
        4,
        3,
        walls=np.array([[0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]], dtype=bool),
        neighbors=8,
        cell_size=2,
    )
    field = distance_map(space, (1, 1))
    expected = 2 * np.array([[0, 1, 2, 3], [1, np.inf, np.inf, 4], [2, 3, 4, 5]])
    assert np.array_equal(field.values, expected)
    assert field.values.dtype == np.float32
    assert np.array_equal(field.exact, expected)
    assert not field.values.flags.writeable


def test_many_goals_with_weights() -> None:
    space = fc.Grid(7, 3)
    field = distance_map(space, [(0.5, 0.5), (6.5, 0.5), (3.5, 2.5)], start_costs=[0, 2, 100])
    assert np.array_equal(field.values[0], [0, 1, 2, 3, 4, 3, 2])
    assert field.goals.tolist() == [0, 6, 17]
    assert field.start_costs.tolist() == [0, 2, 100]
    assert np.array_equal(
        distance_map(space, [(0.5, 0.5), (0.5, 0.5)], start_costs=[3, 1]).values[0, :3], [1, 2, 3]
    )
    assert distance_map(space, [(0.5, 0.5), (6.5, 0.5)], start_costs=1).values[0, 1] == 2


def test_costs_count_half_of_each_cell() -> None:
    space = fc.Grid(3, 2, cell_size=2)
    field = distance_map(space, (1, 1), cost=np.array([[1.0, 3, 9], [1, 1, 1]]))
    assert np.array_equal(field.values, [[0, 4, 8 + 2], [2, 4, 6]]) or field.values[0, 2] == min(
        4 + 12, 6 + 10
    )
    assert np.array_equal(
        distance_map(space, (1, 1), cost=2.5).values, 2.5 * distance_map(space, (1, 1)).values
    )


def test_an_expression_is_a_cost(room: fc.Grid) -> None:
    imap = fc.InfluenceMap(room)
    threat = imap.add_layer("threat", fc.Spread(0.5, 1.0))
    threat.add_source((0.5, 0.5), 3.0)
    imap.advance(1.0)
    expected = distance_map(room, (9.5, 4.5), cost=np.where(ROOM, 1, 1 + 4 * threat.values)).values
    assert np.array_equal(distance_map(room, (9.5, 4.5), cost=1 + 4 * threat).values, expected)


def test_a_limit_is_included_and_nothing_lies_beyond() -> None:
    space = fc.Grid(9, 2, cell_size=0.1)
    values = distance_map(space, (0.05, 0.05), limit=0.3).values
    assert np.array_equal(np.isfinite(values[0]), np.arange(9) <= 3)
    assert np.array_equal(np.isfinite(values[1]), np.arange(9) <= 2)
    assert np.array_equal(
        distance_map(space, (0.05, 0.05), limit=0).values == 0, np.arange(18).reshape(2, 9) == 0
    )


def test_one_way_ground_is_walked_towards_the_goal() -> None:
    ledge = fc.Terrain(np.array([[0, 0, 1, 1]]), np.array([[True, True], [False, True]]))
    space = fc.Grid(4, 1, terrain=ledge)
    assert np.array_equal(distance_map(space, (3.5, 0.5)).values, [[3, 2, 1, 0]])
    assert np.array_equal(distance_map(space, (0.5, 0.5)).values, [[0, 1, np.inf, np.inf]])


@pytest.mark.parametrize("y_up", [False, True])
def test_positions_are_those_of_the_world(y_up: bool) -> None:
    space = fc.Grid(6, 4, y_up=y_up, cell_size=2, origin=(10, 20))
    field = distance_map(space, (11, 21))
    assert field.sample((21, 27)) == 16
    assert np.array_equal(field.sample([(11, 21), (13, 21), (11, 27)]), [0, 2, 6])
    assert field.values[3 if y_up else 0, 0] == 0


def test_coarser_cells() -> None:
    fine = fc.Grid(8, 6)
    coarse = fine.coarser(2)
    field = distance_map(coarse, (1, 1))
    assert field.sample((7, 5)) == 10
    fine.set_walls(np.flatnonzero((np.arange(48) % 8 // 2 == 1) & (np.arange(48) // 8 < 4)))
    assert field.outdated
    field.repair()
    assert field.sample((7, 1)) == 6 + 8
    assert not field.outdated


def test_what_is_not_connected_is_infinitely_far() -> None:
    walls = np.zeros((3, 7), dtype=bool)
    walls[:, 3] = True
    field = distance_map(fc.Grid(7, 3, walls=walls), (0.5, 0.5))
    assert np.array_equal(np.isfinite(field.values), np.broadcast_to(np.arange(7) < 3, (3, 7)))
    assert field.sample((6.5, 0.5)) == math.inf
    assert field.sample((3.5, 0.5)) == math.inf
    path = field.descend((6.5, 0.5))
    assert not path.found
    assert path.cost == math.inf


@pytest.mark.skipif(not fc.kernels.compiled(), reason="the reference searches everything at once")
def test_one_answer_searches_no_further_than_it_needs() -> None:
    space = fc.Grid(300, 200, neighbors=8)
    field = distance_map(space, (0.5, 0.5))
    assert field.sample((3.5, 0.5)) == 3
    assert not field.search.finished
    reached = np.count_nonzero(field.search.dist < field.search.far)
    assert reached < 60
    assert field.sample((290.5, 0.5)) == 290
    assert field.sample((3.5, 0.5)) == 3
    assert np.array_equal(field.exact, distance_map(space, (0.5, 0.5)).exact)


def test_walls_that_change_meanwhile_wait_for_repair() -> None:
    for asked in (False, True):
        space = fc.Grid(9, 3)
        field = distance_map(space, (0.5, 0.5))
        if asked:
            field.sample((2.5, 0.5))
        before = distance_map(space, (0.5, 0.5)).exact
        space.set_walls([1, 10, 19])
        assert field.outdated
        assert np.array_equal(field.exact, before)
        assert np.array_equal(
            field.repair(), np.flatnonzero(before != distance_map(space, (0.5, 0.5)).exact)
        )
        assert not field.outdated


@settings(max_examples=25, deadline=None)
@given(world=grids.worlds(15))
def test_descending_walks_to_a_goal_at_the_price_that_was_named(world: grids.World) -> None:
    space = world.grid()
    arguments = world.arguments(space)
    if arguments is None:
        return
    field = distance_map(space, arguments[0], **arguments[1])
    cost = np.broadcast_to(
        np.asarray(arguments[1].get("cost", 1.0), dtype=np.float64), space.shape
    ).reshape(-1)
    lengths = dict(
        zip(
            space.neighborhood.steps,
            space.neighborhood.lengths(space.cell_size).tolist(),
            strict=True,
        )
    )
    links = field.search.ground.links
    for cell in np.flatnonzero(~field.walls)[::7].tolist():
        path = field.descend(space.position_of(cell))
        total = field.sample(space.position_of(cell))
        assert path.found == (total < math.inf)
        if not path.found:
            continue
        assert path.cells[0] == cell
        end = int(path.cells[-1])
        start = field.start_costs[np.searchsorted(field.goals, end)]
        assert end in field.goals
        assert path.cost == pytest.approx(total - start, rel=1e-9, abs=1e-9)
        walked = price = 0.0
        for here, there in zip(path.cells.tolist(), path.cells[1:].tolist(), strict=False):
            dx, dy = (
                there % space.width - here % space.width,
                there // space.width - here // space.width,
            )
            ways = [
                (x, y)
                for k, (x, y) in enumerate(space.neighborhood.steps)
                if (x - dx) % (space.width if space.wraps_x else 10**9) == 0
                and (y - dy) % (space.height if space.wraps_y else 10**9) == 0
                and int(links[there]) >> k & 1
            ]
            assert ways
            length = min(lengths[way] for way in ways)
            walked += length
            price += length * (cost[here] + cost[there]) / 2
        if not space.wrap:
            assert path.length == pytest.approx(walked)
        assert price == pytest.approx(path.cost, rel=1e-9, abs=1e-9)


def test_descending_goes_straight_where_it_can() -> None:
    path = distance_map(fc.Grid(9, 5, neighbors=8), (0.5, 0.5)).descend((8.5, 4.5))
    turns = np.count_nonzero(np.any(np.diff(np.diff(path.positions, axis=0), axis=0) != 0, axis=1))
    assert turns == 1
    assert path.length == 4 + 4 * math.sqrt(2)
    assert not path.cells.flags.writeable


def test_goals_are_refused_by_name_and_place(room: fc.Grid) -> None:
    with pytest.raises(OnWall, match=r"\(1.5, 1.5\) at index 1, a wall.*nearest open cell is 1,"):
        distance_map(room, [(0.5, 0.5), (1.5, 1.5)])
    with pytest.raises(
        OutsideMap, match=r"\(10.5, 4.5\).*nearest open cell is 49, around \(9.5, 4.5\)"
    ):
        distance_map(room, (10.5, 4.5))
    cost = np.ones((5, 10))
    cost[0, 0] = math.inf
    with pytest.raises(OnWall, match=r"infinite cost.*nearest open cell is 1"):
        distance_map(room, (0.5, 0.5), cost=cost)
    with pytest.raises(OnWall, match="no open cell"):
        distance_map(fc.Grid(3, 2, walls=np.ones((2, 3), dtype=bool)), (0.5, 0.5))
    with pytest.raises(InvalidValue, match="has goals"):
        distance_map(room, [])
    for bad in ((math.nan, 0), (math.inf, 0), "here", (1, 2, 3), None):
        with pytest.raises(InvalidValue):
            distance_map(room, bad)  # type: ignore[arg-type]


def test_positions_asked_about_are_refused_by_place(room: fc.Grid) -> None:
    field = distance_map(room, (0.5, 0.5))
    with pytest.raises(OnWall, match="start"):
        field.descend((1.5, 1.5))
    with pytest.raises(OutsideMap):
        field.descend((-1, 0))
    with pytest.raises(OutsideMap):
        field.sample((-1, 0))
    assert field.sample((-1, 0.5), outside="clamp") == 0
    with pytest.raises(InvalidValue, match="one"):
        field.descend([(0.5, 0.5), (1.5, 0.5)])


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": -1},
        {"limit": math.nan},
        {"start_costs": -1},
        {"start_costs": [1, 2]},
        {"start_costs": math.inf},
        {"cost": 0},
        {"cost": math.nan},
        {"cost": np.ones((10, 5))},
        {"cost": True},
    ],
)
def test_other_arguments_are_refused(room: fc.Grid, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        distance_map(room, (0.5, 0.5), **arguments)


def test_something_other_than_a_grid_is_refused() -> None:
    with pytest.raises(InvalidValue, match="Grid"):
        distance_map("map", (0, 0))  # type: ignore[arg-type]


def test_maps_can_be_told_apart(room: fc.Grid) -> None:
    assert repr(distance_map(room, (0.5, 0.5))) == "<DistanceMap to 1 goal on 10 x 5>"
    field = distance_map(room, [(0.5, 0.5), (2.5, 0.5)])
    room.set_walls([5])
    assert repr(field) == "<DistanceMap to 2 goals on 10 x 5, outdated>"


def test_many_threads_each_with_its_own_map(room: fc.Grid) -> None:
    expected = distance_map(room, (0.5, 0.5)).exact
    wrong: list[DistanceMap] = []

    def work() -> None:
        for _ in range(50):
            field = distance_map(room, (0.5, 0.5))
            field.sample((9.5, 4.5))
            if not np.array_equal(field.exact, expected):
                wrong.append(field)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, _reloaded])
def test_a_copy_goes_on_where_its_original_is(
    copied: Callable[[DistanceMap], DistanceMap],
) -> None:
    space = fc.Grid(20, 11, neighbors=8)
    goals = [(0.5, 0.5), (19.5, 4.5)]
    options: dict[str, Any] = {
        "cost": 1 + np.random.default_rng(0).random(space.shape),
        "start_costs": [2, 0],
    }
    field = distance_map(space, goals, **options)
    field.values
    space.set_walls([45, 65])
    changed = field.repair()
    assert changed is not None
    assert len(changed)
    other = copied(field)
    assert type(other) is DistanceMap
    np.testing.assert_array_equal(other.values, field.values)
    assert (other.version, other.outdated) == (1, False)
    np.testing.assert_array_equal(other.changed_since(0), changed)
    np.testing.assert_array_equal(other.steps_changed_since(0), field.steps_changed_since(0))
    for each in (field, other):
        each.space.set_walls([85])
        assert each.outdated
        each.repair()
        expected = distance_map(each.space, goals, **options)
        np.testing.assert_array_equal(each.values, expected.values)


@pytest.mark.parametrize("copied", [copy.deepcopy, _reloaded])
def test_a_copy_shows_the_walls_that_its_original_shows(
    room: fc.Grid, copied: Callable[[DistanceMap], DistanceMap]
) -> None:
    field = distance_map(room, (0.5, 0.5), limit=12, charge="enter", outward=True)
    before = field.values.copy()
    room.set_walls([5])
    other = copied(field)
    assert (other.limit, other.charge, other.outward) == (12, "enter", True)
    assert other.outdated
    np.testing.assert_array_equal(other.values, before)
    other.repair()
    expected = distance_map(other.space, (0.5, 0.5), limit=12, charge="enter", outward=True)
    np.testing.assert_array_equal(other.values, expected.values)
    assert (other.values != before).any()
    assert field.outdated
    np.testing.assert_array_equal(field.values, before)
