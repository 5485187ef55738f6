"""Plans of agents for the next steps."""

from __future__ import annotations

import copy
import pickle
import signal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from support.agents import aheads, arrive, check, open_cells, seeds, spaces


def test_effort_is_bounded_and_ctrl_c_is_heard_between_its_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from fieldcraft.steering.together import plans

    grid = fc.Grid(
        9, 7, walls=[[1, 1, 1, 1, 0, 1, 1, 1, 1] if y == 3 else [0] * 9 for y in range(7)]
    )
    cells, goals = np.arange(9), np.arange(54, 63)
    with pytest.raises(InvalidValue, match=r"at most 10,000"):
        fc.steering.PIBT(grid, effort=10**7)

    def steps(crowd: Any, now: Any) -> list[list[int]]:
        seen = []
        for _ in range(6):
            now = crowd.step(now, goals)
            seen.append(now.tolist())
        return seen

    interrupted = fc.steering.PIBT(grid, look_ahead=8, effort=200)
    moved = interrupted.step(cells, goals)
    twin = fc.steering.PIBT(grid, look_ahead=8, effort=200)
    twin.step(cells, goals)
    improve, calls = kernels.agents.look_ahead.improve, []

    def with_interrupt(*arguments: Any) -> Any:
        calls.append(arguments[3])
        signal.raise_signal(signal.SIGINT)
        return improve(*arguments)

    monkeypatch.setattr(kernels.agents.look_ahead, "improve", with_interrupt)
    with pytest.raises(KeyboardInterrupt):
        interrupted.step(moved, goals)
    assert len(calls) == 1
    assert calls[0] <= 32
    monkeypatch.undo()
    assert steps(interrupted, moved) == steps(twin, moved)
    in_parts = steps(fc.steering.PIBT(grid, look_ahead=8, effort=200), cells)
    monkeypatch.setattr(plans, "_ROUNDS", 1000)
    assert steps(fc.steering.PIBT(grid, look_ahead=8, effort=200), cells) == in_parts


@settings(max_examples=14, deadline=None)
@given(spaces, seeds, aheads)
def test_agents_led_along_paths_keep_the_laws(space: fc.Space, seed: int, ahead: int) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.permutation(open_cells(space))[:12]
    goals = rng.choice(open_cells(space), len(cells))
    crowd = fc.steering.PIBT(space, look_ahead=ahead, effort=5, on_unreachable="wait", memory=0)
    for turn in range(12):
        after = crowd.step(cells, goals)
        check(space, cells, after)
        cells = after
        if turn == 6:
            goals = rng.choice(open_cells(space), len(cells))


@pytest.mark.parametrize("ahead", [0, 8])
def test_agents_led_along_paths_arrive(ahead: int) -> None:
    grid = fc.Grid(24, 18, neighbors=4)
    rng = np.random.default_rng(3)
    cells, goals = rng.permutation(len(grid))[:60], rng.permutation(len(grid))[:60]
    arrive(grid, cells.tolist(), goals.tolist(), 400, ahead, memory=0)
    walls = fc.Grid(5, 3, walls=[[0, 0, 0, 1, 0]] * 3, neighbors=4)
    with pytest.raises(InvalidValue, match="agent 1"):
        fc.steering.PIBT(walls, memory=0).step([0, 5], [2, 4])


def test_an_agent_that_arrives_in_a_plan_makes_room_from_then_on() -> None:
    grid = fc.Grid(9, 1)
    crowd = fc.steering.PIBT(grid, look_ahead=8, effort=0)
    cells, goals = [1, 0], [3, 6]
    for _ in range(2):
        cells = crowd.step(cells, goals, priorities=[1, 0])
    assert cells.tolist() == [3, 2]
    for _ in range(4):
        cells = crowd.step(cells, goals)
    assert cells.tolist() == [7, 6]


@pytest.mark.parametrize("effort", [0, 3])
def test_an_agent_sets_off_for_a_new_goal_at_once(effort: int) -> None:
    grid = fc.Grid(12, 5, neighbors=4)
    crowd = fc.steering.PIBT(grid, look_ahead=10, effort=effort)
    # Most agents stand in the last row without a goal; improvements alone rarely reach the other.
    others = np.arange(48, 60)
    cells = np.append(others, 0)
    for goal, distance in ((3, 3), (11, 8), (37, 13), (0, 4)):
        goals = np.append(np.full(12, -1), goal)
        for _ in range(distance):
            cells = crowd.step(cells, goals)
        assert cells.tolist() == [*others.tolist(), goal]


def test_with_more_goals_than_the_memory_holds_agents_are_led_along_paths() -> None:
    grid = fc.Grid(20, 9, neighbors=4)
    cells = np.arange(0, 40, 2)
    goals = np.arange(140, 180, 2)
    sizes = {}
    for rows in (19, 20):
        crowd = fc.steering.PIBT(grid, memory=4 * len(grid) * rows)
        now = cells
        for _ in range(7):
            now = crowd.step(now, goals)
        assert now.tolist() == goals.tolist()
        sizes[rows] = len(crowd._distances.rows)
    assert sizes == {19: 0, 20: 20}


def test_the_table_of_distances_is_never_larger_than_the_memory() -> None:
    grid = fc.Grid(20, 9, neighbors=4)
    crowd = fc.steering.PIBT(grid, memory=4 * len(grid) * 100)
    crowd.step(np.arange(60), np.arange(100, 160))
    assert len(crowd._distances.rows) == 60
    crowd.step(np.arange(100), np.arange(79, 179))
    assert len(crowd._distances.rows) == 100


def a_crowd(ahead: int, rows: int, traffic: bool) -> tuple[fc.InfluenceMap, fc.steering.PIBT]:
    """Agents on a map whose last column cannot be reached."""
    walls = np.zeros((9, 14), dtype=bool)
    walls[:, 12] = True
    imap = fc.InfluenceMap(fc.Grid(walls=walls, neighbors=4))
    layer = None
    if traffic:
        layer = imap.add_layer("traffic", fc.Trail(vector=True, blur=1))
    memory = 4 * len(imap.space) * rows
    crowd = fc.steering.PIBT(
        imap.space, look_ahead=ahead, effort=4, traffic=layer, memory=memory, seed=3
    )
    return imap, crowd


@pytest.mark.parametrize("traffic", [False, True])
@pytest.mark.parametrize("rows", [0, 45, 1000])
@pytest.mark.parametrize("ahead", [0, 4])
def test_a_refused_call_changes_no_later_step(ahead: int, rows: int, traffic: bool) -> None:
    worlds = [a_crowd(ahead, rows, traffic) for _ in range(2)]
    rng = np.random.default_rng(2)
    free = np.flatnonzero(np.arange(9 * 14) % 14 < 12)
    cells = rng.permutation(free)[:40]
    goals = rng.permutation(free)[:40]
    for turn in range(15):
        other = rng.permutation(free)[:40]
        other[7] = 13
        if turn % 3 == 1:
            with pytest.raises(InvalidValue, match="no path for agent 7"):
                worlds[1][1].step(cells, other)
        one, two = (crowd.step(cells, goals) for _, crowd in worlds)
        assert one.tolist() == two.tolist()
        for imap, _ in worlds:
            imap.step()
        cells = one
        goals = np.where(rng.random(40) < 0.2, rng.permutation(free)[:40], goals)


@settings(max_examples=14, deadline=None)
@given(spaces, seeds, aheads, st.sampled_from([0, 3, 1000]))
def test_copies_take_the_same_steps(space: fc.Space, seed: int, ahead: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.permutation(open_cells(space))[:12]
    goals = rng.choice(open_cells(space), len(cells))
    crowd = fc.steering.PIBT(
        space,
        look_ahead=ahead,
        effort=4,
        on_unreachable="wait",
        memory=4 * len(space) * rows,
        seed=seed,
    )
    for turn in range(9):
        others = [copy.deepcopy(crowd), pickle.loads(pickle.dumps(crowd))]
        pinned = rng.random(len(cells)) < 0.1
        held = rng.permutation(np.setdiff1d(open_cells(space), cells))[:3]
        if turn == 4:
            space.set_walls(held[:1])
            goals[goals == held[0]] = -1
            for other in others:
                other.space.set_walls(held[:1])
        after = crowd.step(cells, goals, pinned=pinned, occupied=held[1:])
        for other in others:
            again = other.step(cells, goals, pinned=pinned, occupied=held[1:])
            assert again.tolist() == after.tolist()
        check(space, cells, after)
        cells = after
        goals = np.where(rng.random(len(cells)) < 0.3, rng.choice(open_cells(space), 12), goals)
