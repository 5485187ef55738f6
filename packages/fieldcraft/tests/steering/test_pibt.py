"""Agents that step together: laws on all spaces, an oracle, scenarios and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.kernels.agents.joint_plans import GoalDistances, Planners, StepCosts
from fieldcraft.space.wrapping import Wrap
from oracles.pibt import next_cells
from support.agents import aheads, arrive, check, open_cells, seeds, space_of, spaces
from support.tiers import told_twice
from support.worlds import WRAPS


@settings(max_examples=25, deadline=None)
@given(spaces, seeds, aheads, st.floats(0.05, 0.95))
def test_nobody_shares_a_cell_swaps_or_walks_through_walls(
    space: fc.Space, seed: int, ahead: int, share: float
) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.permutation(open_cells(space))
    cells = cells[: max(1, int(share * len(cells)))]
    goals = rng.choice(open_cells(space), len(cells))
    goals[rng.random(len(cells)) < 0.2] = -1
    pinned = rng.random(len(cells)) < 0.1
    crowd = fc.steering.PIBT(space, look_ahead=ahead, effort=5, on_unreachable="wait", seed=seed)
    again = fc.steering.PIBT(space, look_ahead=ahead, effort=5, on_unreachable="wait", seed=seed)
    for turn in range(8):
        after = crowd.step(cells, goals, pinned=pinned)
        check(space, cells, after)
        assert (after == again.step(cells, goals, pinned=pinned)).all()
        assert (after[pinned] == cells[pinned]).all()
        cells = after
        if turn % 3 == 0:
            goals = np.where(cells == goals, rng.choice(open_cells(space), len(cells)), goals)


@settings(max_examples=25, deadline=None)
@given(spaces, seeds, aheads, st.floats(0.1, 0.9))
def test_cells_that_others_hold_are_agents_who_stay(
    space: fc.Space, seed: int, ahead: int, share: float
) -> None:
    rng = np.random.default_rng(seed)
    free = rng.permutation(open_cells(space))
    count = max(1, int(share * len(free)))
    cells, others = free[:count], free[count:]
    goals = rng.choice(free, len(cells))
    crowd = fc.steering.PIBT(space, look_ahead=ahead, effort=5, on_unreachable="wait", seed=seed)
    for turn in range(6):
        held = rng.permutation(np.setdiff1d(others, cells))[: 5 if turn % 3 else 2]
        after = crowd.step(cells, goals, occupied=space.position_of(held) if turn % 2 else held)
        check(space, np.concatenate([cells, held]), np.concatenate([after, held]))
        cells = after


def test_an_agent_walks_as_near_as_it_can_to_a_goal_that_others_hold() -> None:
    grid = fc.Grid(6, 1)
    for ahead in (0, 3):
        crowd = fc.steering.PIBT(grid, look_ahead=ahead)
        cells = [0]
        for _ in range(8):
            cells = crowd.step(cells, [5], occupied=[(5.5, 0.5)])
        assert cells.tolist() == [4]
        free = grid.nearest_open([5], occupied=[5])
        assert crowd.step(cells, free, occupied=[5]).tolist() == [4]


def test_agents_in_cells_of_others_are_refused() -> None:
    crowd = fc.steering.PIBT(fc.Grid(4, 1))
    with pytest.raises(InvalidValue, match="agent 1 at"):
        crowd.step([0, 2], [1, 3], occupied=[2])
    assert crowd.step([0, 2], [1, 3], occupied=[]).tolist() == [1, 3]


@settings(max_examples=16, deadline=None)
@given(seeds, st.sampled_from(["four", "eight", "hex", "graph"]), st.floats(0.05, 0.9))
def test_the_agent_that_goes_first_always_comes_nearer_on_open_ground(
    seed: int, kind: str, share: float
) -> None:
    space = space_of(kind, seed, walls=0.0)
    rng = np.random.default_rng(seed)
    cells = rng.permutation(len(space))[: int(share * len(space)) + 1]
    goals = rng.choice(len(space), len(cells))
    first = int(rng.integers(len(cells)))
    priorities = np.zeros(len(cells))
    priorities[first] = 1.0
    left = fc.distance_map(space, space.position_of(int(goals[first]))).values.reshape(-1)
    crowd = fc.steering.PIBT(space, seed=seed)
    while cells[first] != goals[first]:
        after = crowd.step(cells, goals, priorities=priorities)
        assert left[after[first]] < left[cells[first]]
        cells = after


@settings(max_examples=16, deadline=None)
@given(seeds, st.sampled_from(["four", "eight", "hex", "graph", "mesh"]), st.integers(1, 32))
def test_steps_equal_the_recursive_oracle(seed: int, kind: str, count: int) -> None:
    space = space_of(kind, seed)
    rng = np.random.default_rng(seed)
    cells = rng.permutation(open_cells(space))[:count]
    # Distances that differ everywhere leave no choice to random numbers.
    left = rng.permutation(count * len(space)).reshape(count, -1).astype(np.float32)
    order = rng.permutation(len(cells))
    then = one_step(space, left, np.arange(len(cells)), cells, order)
    beside = {
        cell: [
            b
            for a, b in zip(space.adjacency.origins, space.adjacency.ends, strict=True)
            if a == cell
        ]
        for cell in open_cells(space).tolist()
    }
    centers = space.positions if isinstance(space, fc.Grid) else None
    if centers is not None:
        centers = centers.reshape(-1, 2)
    expected = next_cells(beside, left[: len(cells)], cells.tolist(), order.tolist(), centers)
    assert then.tolist() == expected


def one_step(space: fc.Space, left: Any, rows: Any, cells: Any, order: Any) -> Any:
    from fieldcraft.steering.together.pibt import _NO_SPANS
    from fieldcraft.steering.together.plans import Plans

    ways = space.adjacency
    width = space.width if isinstance(space, fc.Grid) else 0
    ground = StepCosts(ways.starts, ways.ends, ways.lengths.astype(np.float32), width)
    pinned = np.zeros(len(cells), dtype=np.bool_)
    nowhere = np.full(len(cells), -1)
    agents = Planners(GoalDistances(left, *_NO_SPANS), rows, nowhere, pinned)
    return Plans(0, 0).step(ground, agents, cells, order, 1, False, np.empty(0, dtype=np.int64))


POCKET = [[1, 0, 1, 1, 1], [1, 0, 1, 1, 1], [0, 0, 0, 0, 0]]
"""A corridor with a dead end of two cells, 1 and 6, whose mouth is cell 11."""


@pytest.mark.parametrize("ahead", [0, 6])
@pytest.mark.parametrize(
    ("cells", "goals"),
    [
        ([6, 11], [14, 6]),  # one wants out, the other in
        ([11, 6], [6, 14]),
        ([1, 11], [14, 1]),
        ([6, 11], [-1, 6]),  # an agent without a goal makes room
        ([1, 6, 11], [14, 10, 1]),
    ],
)
def test_agents_get_past_each_other_at_a_dead_end(
    cells: list[int], goals: list[int], ahead: int
) -> None:
    grid = fc.Grid(walls=POCKET, neighbors=4)
    crowd = fc.steering.PIBT(grid, look_ahead=ahead)
    now, wanted = np.array(cells), np.array(goals)
    for _ in range(30):
        after = crowd.step(now, goals)
        check(grid, now, after)
        now = after
    assert (now[wanted >= 0] == wanted[wanted >= 0]).all()


def test_an_agent_makes_room_beside_the_way_of_the_other() -> None:
    grid = fc.Grid(walls=[[0, 0, 0, 0], [1, 0, 1, 1]], neighbors=4)
    for seed in range(8):
        crowd = fc.steering.PIBT(grid, seed=seed)
        # Cells 5 and 2 are as far from the goal of agent 1; the other agent goes to cell 5.
        assert crowd.step([2, 1], [5, 0], priorities=[1, 0]).tolist() == [1, 0]
        assert crowd.step([0, 1], [5, 0], priorities=[1, 0]).tolist() == [1, 2]


@pytest.mark.parametrize("ahead", [0, 8])
def test_crowds_do_not_jam_at_dead_ends(ahead: int) -> None:
    rng = np.random.default_rng(4)
    walls = rng.random((14, 17)) < 0.2
    grid = fc.Grid(walls=walls, neighbors=4)
    left = fc.distance_map(grid, grid.position_of(int(np.flatnonzero(~walls)[60]))).values
    free = np.flatnonzero(np.isfinite(left))
    crowd = fc.steering.PIBT(grid, look_ahead=ahead, seed=1)
    cells = rng.permutation(free)[: len(free) // 2]
    goals = rng.choice(free, len(cells))
    since = np.zeros(len(cells), dtype=int)
    for _ in range(400):
        cells = crowd.step(cells, goals)
        done = cells == goals
        since = np.where(done, 0, since + 1)
        goals[done] = rng.choice(free, int(done.sum()))
    assert since.max() < 200


@pytest.mark.parametrize("ahead", [0, 12])
def test_agents_alone_take_the_shortest_path(ahead: int) -> None:
    grid = fc.Grid(9, 7, walls=[[0] * 9] * 3 + [[1] * 8 + [0]] + [[0] * 9] * 3, neighbors=4)
    start, goal = grid.cell_at((0.5, 0.5)), grid.cell_at((0.5, 6.5))
    steps = fc.distance_map(grid, (0.5, 6.5)).sample((0.5, 0.5))
    assert arrive(grid, [start], [goal], 40, ahead) == steps


def test_agents_come_and_go() -> None:
    grid = fc.Grid(6, 5, neighbors=4)
    crowd = fc.steering.PIBT(grid, look_ahead=5)
    rng = np.random.default_rng(2)
    ids, cells = np.arange(4), np.array([0, 1, 2, 3])
    goals = np.array([29, 28, 27, 26])
    for turn in range(12):
        if turn == 4:
            ids, cells, goals = ids[1:], cells[1:], goals[1:]
        if turn == 6:
            free = np.setdiff1d(np.arange(30), cells)
            ids = np.append(ids, 99)
            cells, goals = np.append(cells, rng.choice(free)), np.append(goals, 0)
        after = crowd.step(cells, goals, agents=ids)
        check(grid, cells, after)
        cells = after


def test_an_agent_keeps_its_turn_whatever_its_place_in_the_list() -> None:
    grid = fc.Grid(9, 7, neighbors=4)
    rng = np.random.default_rng(1)
    cells, goals = rng.permutation(63)[:30], rng.permutation(63)[:30]
    one, other = fc.steering.PIBT(grid, seed=4), fc.steering.PIBT(grid, seed=4)
    order = rng.permutation(30)
    for _ in range(6):
        now = one.step(cells, goals, agents=np.arange(30))
        then = other.step(cells[order], goals[order], agents=np.arange(30)[order])
        assert np.array_equal(now[order], then)
        cells = now


def test_goals_may_be_distance_maps() -> None:
    grid = fc.Grid(9, 7, neighbors=4)
    exits = fc.distance_map(grid, [(0.5, 0.5), (8.5, 6.5)])
    cells = np.array([30, 31, 32, 40])
    crowd = fc.steering.PIBT(grid)
    for _ in range(12):
        cells = crowd.step(cells, exits)
    assert {0, 62} <= set(cells.tolist())
    alone = fc.steering.PIBT(grid).step([30, 31], [exits, None])
    assert alone[1] == 31


def test_walls_that_change_between_steps() -> None:
    grid = fc.Grid(9, 7, neighbors=4)
    crowd = fc.steering.PIBT(grid, look_ahead=6)
    cells = crowd.step([0, 1], [8, 7])
    grid.set_walls([4, 13, 22])
    for _ in range(30):
        after = crowd.step(cells, [8, 7])
        check(grid, cells, after)
        cells = after
    assert cells.tolist() == [8, 7]


def test_plans_do_not_lead_into_walls_that_a_refused_call_has_read() -> None:
    lane = fc.Grid(5, 2, neighbors=4)
    crowd = fc.steering.PIBT(lane, look_ahead=4)
    cells = crowd.step([0], [4])
    lane.set_walls([2])
    with pytest.raises(OnWall, match="A goal is an open cell"):
        crowd.step(cells, [2])
    for _ in range(6):
        after = crowd.step(cells, [4])
        check(lane, cells, after)
        cells = after
    assert cells.tolist() == [4]


def test_messages_name_what_agents_stand_on() -> None:
    ways = fc.Graph([(0.0, 0.0), (1.0, 0.0)], [(0, 1)], blocked=[1])
    with pytest.raises(OnWall, match="An agent is on an open vertex"):
        fc.steering.PIBT(ways).step([1], [0])


def test_an_unreachable_goal_does_not_stop_the_others() -> None:
    grid = fc.Grid(5, 3, walls=[[0, 0, 0, 1, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0]], neighbors=4)
    with pytest.raises(InvalidValue, match="agent 1"):
        fc.steering.PIBT(grid).step([0, 5, 9], [2, 4, 14])
    crowd = fc.steering.PIBT(grid, on_unreachable="wait")
    cells = np.array([0, 5, 9])
    for _ in range(3):
        cells = crowd.step(cells, [2, 4, 14])
    assert cells[[0, 2]].tolist() == [2, 14]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([3, 3], [1, 1]), InvalidValue, "agents 0 and 1 at row 0, column 3"),
        (([5, 0], [1, 1]), OnWall, "agent 0 in a wall"),
        (([0, 1], [1, 5]), OnWall, "goal of agent 1"),
        (([0, 1], [1]), InvalidValue, "1 goals for 2 agents"),
        (([0, 99], [1, 1]), InvalidValue, "99 at index 1"),
        (([0.0, 1.0], [1, 1]), InvalidValue, "whole numbers"),
    ],
)
def test_bad_input_names_the_agents(arguments: Any, error: Any, message: str) -> None:
    grid = fc.Grid(5, 3, walls=[[0] * 5, [1, 0, 0, 0, 0], [0] * 5], neighbors=4)
    with pytest.raises(error, match=message):
        fc.steering.PIBT(grid).step(*arguments)


@pytest.mark.parametrize("ahead", [0, 6])
@pytest.mark.parametrize("wrap", WRAPS)
def test_diagonal_steps_of_two_agents_never_cross(ahead: int, wrap: Wrap) -> None:
    grid = fc.Grid(5, 4, neighbors=8, wrap=wrap)
    last = grid.width * (grid.height - 1)
    for first, second in (((0, 6), (1, 5)), ((5, 1), (6, 0)), ((4, last), (0, last + 4))):
        crowd = fc.steering.PIBT(grid, look_ahead=ahead)
        cells = np.array([first[0], second[0]])
        goals = [first[1], second[1]]
        for _ in range(12):
            after = crowd.step(cells, goals)
            assert sorted(zip(cells.tolist(), after.tolist(), strict=True)) != sorted(
                [first, second]
            )
            cells = after
        assert cells.tolist() == goals


def test_all_arrive_where_each_step_is_on_a_loop() -> None:
    joined = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]
    places = [(0, 0), (0, 2), (1, 1), (3, 1), (4, 0), (4, 2)]
    for edges, all_arrive in ((joined, False), ([*joined, (0, 4)], True)):
        graph = fc.Graph(places, edges)
        missing = 0
        for seed in range(6):
            rng = np.random.default_rng(seed)
            cells, goals = rng.permutation(6)[:5], rng.permutation(6)[:5]
            crowd = fc.steering.PIBT(graph, seed=seed)
            seen = cells == goals
            for _ in range(200):
                cells = crowd.step(cells, goals)
                seen |= cells == goals
            missing += not seen.all()
        assert (missing == 0) == all_arrive


@pytest.mark.parametrize("argument", ["cells", "goals", "agents"])
def test_unsigned_numbers_are_not_taken_as_negative_ones(argument: str) -> None:
    crowd = fc.steering.PIBT(fc.Grid(4, 3))
    given = {"cells": [0, 1], "goals": [2, 3], "agents": [5, 7]}
    given[argument] = np.array([1, 2**64 - 1], dtype=np.uint64)
    with pytest.raises(InvalidValue, match="18446744073709551615"):
        crowd.step(given.pop("cells"), given.pop("goals"), **given)


def test_more_bad_input() -> None:
    crowd = fc.steering.PIBT(fc.Grid(5, 3))
    for word, call in (
        (
            "NaN or infinity for agent 8",
            lambda: crowd.step([0, 1], [3, 4], agents=[5, 8], priorities=[0.0, np.nan]),
        ),
        ("3 priorities for 2", lambda: crowd.step([0, 1], [3, 4], priorities=[0.0, 1.0, 2.0])),
        ("priorities are numbers", lambda: crowd.step([0, 1], [3, 4], priorities=["a", "b"])),
        ("3 agents for 2 agents", lambda: crowd.step([0, 1], [3, 4], agents=[5, 6, 7])),
        (
            "1 goals for 2 agents",
            lambda: crowd.step([0, 1], [fc.distance_map(crowd.space, (0.5, 0.5))]),
        ),
        ("agents 0 and 1 for number 7", lambda: crowd.step([0, 1], [3, 4], agents=[7, 7])),
        ("memory is at least 0", lambda: fc.steering.PIBT(crowd.space, memory=-1)),
        ("pinned", lambda: crowd.step([0, 1], [3, 4], pinned=[True])),
        ("mask", lambda: crowd.step([0, 1], [3, 4], pinned=[1, 0])),
        ("same space", lambda: crowd.step([0], fc.distance_map(fc.Grid(5, 3), (0.5, 0.5)))),
    ):
        with pytest.raises(InvalidValue, match=word):
            call()
    assert crowd.step([], []).tolist() == []


# Many goals on large maps


def test_threads_change_nothing() -> None:
    before, seen = fc.set_threads(1), set()
    for count in (1, 2, 8):
        fc.set_threads(count)
        rng = np.random.default_rng(5)
        grid = fc.Grid(48, 40, neighbors=4)
        crowd = fc.steering.PIBT(grid, look_ahead=6, effort=10, memory=0, seed=2)
        cells, goals = rng.permutation(len(grid))[:500], rng.permutation(len(grid))[:500]
        for _ in range(12):
            cells = crowd.step(cells, goals)
        seen.add(cells.tobytes())
    fc.set_threads(before)
    assert len(seen) == 1


RUN = """
import hashlib, numpy as np, fieldcraft as fc
from fieldcraft import kernels
digest, rng = hashlib.sha256(), np.random.default_rng(5)
for ahead in (0, 6):
    for kind in (0, 1):
        walls = rng.random((9, 11)) < 0.15
        space = fc.HexGrid(11, 9, walls=walls) if kind else fc.Grid(walls=walls, neighbors=8)
        imap = fc.InfluenceMap(space)
        layer = imap.add_layer("traffic", fc.Trail(vector=True, blur=1, keep=0.9))
        crowd = fc.steering.PIBT(space, look_ahead=ahead, effort=6, traffic=layer, on_unreachable="wait")
        cells = rng.permutation(np.flatnonzero(~walls))[:25]
        goals = rng.choice(np.flatnonzero(~walls), 25)
        for _ in range(10):
            cells = crowd.step(cells, goals)
            imap.step()
            digest.update(cells.tobytes())
print(kernels.compiled(), digest.hexdigest())
"""


def test_uncompiled_kernels_take_the_same_steps() -> None:
    (_, *fast), (_, *slow) = told_twice(RUN)
    assert fast == slow


@pytest.mark.parametrize("look_ahead", [0, 4])
@pytest.mark.parametrize("space", [fc.Grid(4, 3), fc.Graph(np.empty((0, 2)), [])], ids=repr)
def test_no_agents_are_no_error(space: fc.Space, look_ahead: int) -> None:
    crowd = fc.steering.PIBT(space, look_ahead=look_ahead)
    cells = np.empty(0, dtype=np.int64)
    for _ in range(2):
        assert crowd.step(cells, cells).tolist() == []


def test_uneven_rows_of_pinned_agents_are_refused() -> None:
    with pytest.raises(InvalidValue, match="even array"):
        fc.steering.PIBT(fc.Grid(3, 1)).step([0], [1], pinned=[[True, False], [True]])
