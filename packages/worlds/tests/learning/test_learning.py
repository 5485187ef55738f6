from __future__ import annotations

import importlib
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft.serialization import digest

pytest.importorskip("gymnasium", minversion="1.0", reason="needs Gymnasium")
pytest.importorskip("pettingzoo", reason="needs PettingZoo")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PettingZoo's own tests load what it calls outdated
    import gymnasium
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import parallel_api_test, parallel_seed_test

from fieldcraft_worlds.games.chase.state import HUNTER
from fieldcraft_worlds.learning import LESSONS, Lesson, TeamEnv, parallel, single
from fieldcraft_worlds.learning.chase import ChaseLesson
from fieldcraft_worlds.learning.lesson import WAYS
from fieldcraft_worlds.learning.tether import TetherLesson
from fieldcraft_worlds.learning.towers import TowersLesson
from fieldcraft_worlds.learning.windows import blocks, spots, windows
from fieldcraft_worlds.library import find_game

HERE = "fieldcraft_worlds.learning"
pytestmark = pytest.mark.filterwarnings(
    "ignore::UserWarning"
)  # of the checkers: windows are not pictures


def lesson(name: str, **options: Any) -> Lesson:
    return importlib.import_module(f"{HERE}.{name}").LESSON(**options)


@pytest.mark.parametrize("name", LESSONS)
def test_pettingzoo_and_gymnasium_find_what_they_expect(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parallel_api_test(parallel(name, limit=6, every=5), num_cycles=15)
    parallel_seed_test(lambda: parallel(name, limit=6, every=5), num_cycles=5)
    check_env(single(name, limit=6, every=5), skip_render_check=True)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("name", LESSONS)
def test_where_nobody_is_led_a_lesson_is_the_game(name: str) -> None:
    taught = lesson(name)
    kinds = importlib.import_module(f"fieldcraft_worlds.games.{name}.plugin").KINDS
    world, rng = taught.world, np.random.default_rng(5)
    state = taught.start(rng)
    other, dice = state, np.random.default_rng(5)
    taught.start(dice)
    for _ in range(3):
        state = taught.step(state, {}, rng)
        for _ in range(taught.every):
            other = world.step(other, (), dice)
    assert type(world) is type(find_game(name).open(world.space, taught.world.derived.settings))
    assert digest(state, kinds) == digest(other, kinds)


@pytest.mark.parametrize("name", ["chase", "tether"])
def test_an_environment_is_pickled_in_mid_run(name: str) -> None:
    env = parallel(name)
    env.reset(seed=3)
    told = {agent: env.action_space(agent).sample() * 0 + 1 for agent in env.agents}
    env.step(told)
    other = pickle.loads(pickle.dumps(env))
    for _ in range(3):
        ours, theirs = env.step(told), other.step(told)
        assert all(np.array_equal(ours[0][agent], theirs[0][agent]) for agent in ours[0])
        assert ours[1:] == theirs[1:]


def test_hunters_go_where_they_are_told_and_catch() -> None:
    env = parallel("chase", agents=("hunter_0", "hunter_1", "hunter_2"))
    assert isinstance(env.lesson, ChaseLesson)
    env.reset(seed=1)
    rows = env.state_.people.rows(HUNTER)
    space = env.lesson.world.space
    before = env.state_.hearts
    worth = 0.0
    for _ in range(120):
        to_runner = fc.distance_map(space, env.state_.people.positions[0])
        cells = env.state_.people.cells[rows]
        ahead = to_runner.step(space.position_of(cells)).positions - space.position_of(cells)
        told = {
            f"hunter_{n}": np.int64(np.argmax(WAYS[1:] @ step) + 1) for n, step in enumerate(ahead)
        }
        _, rewards, *_ = env.step(told)
        worth += rewards["hunter_0"] + 0.01
        if env.state_.hearts < before:
            break
    assert worth == pytest.approx(1)
    assert env.state_.hearts == before - 1
    assert (env.state_.people.targets[rows] == 0).all()


def test_a_runner_walks_and_throws() -> None:
    env = single("chase", agent="runner")
    env.reset(seed=4)
    at, stones = env.state_.people.positions[0].copy(), env.state_.stones
    for _ in range(4):
        env.step(np.array([1, 2, 3]))
    moved = env.state_.people.positions[0] - at
    assert env.state_.by_hand and env.state_.stones < stones
    assert moved[0] > 0.5 or np.allclose(moved, 0, atol=0.6)  # east, or a wall is there


def test_both_sides_of_a_duel_are_led() -> None:
    env = parallel("tether")
    env.reset(seed=2)
    for way, sign in ((1, 1), (5, -1)):
        at = env.state_.fighters.positions.copy()
        for _ in range(2):
            env.step({agent: np.int64(way) for agent in env.agents})
        went = (env.state_.fighters.positions - at)[:, 0] * sign
        assert (went > -0.3).all() and went.max() > 0.5
    assert isinstance(env.lesson, TetherLesson)
    at = env.state_.fighters.positions.copy()
    for _ in range(3):
        env.step(dict.fromkeys(env.agents, np.int64(0)))
    assert np.abs(env.state_.fighters.positions - at).max() < 1.0


def test_commanders_send_march_and_strike() -> None:
    taught = TowersLesson()
    rng = np.random.default_rng(0)
    state = taught.start(rng)
    state = taught.step(state, {"blue": np.array([1, 2, 0, 0, 0])}, rng)
    assert state.by_hand.tolist() == [True, False]
    assert state.sent[0] + state.towers.queues[state.towers.teams == 0].sum() == 5
    state = taught.step(state, {"blue": np.array([3, 2, 7, 7, 1])}, rng)
    assert state.towers.teams[state.towers.ids == state.squads.towers[0, 2]].tolist() == [1]
    state = taught.step(state, {"blue": np.array([2, 2, 4, 4, 1])}, rng)
    assert state.squads.cells[0, 2] >= 0
    state = taught.step(state, {}, rng)
    assert not state.by_hand.any()


@pytest.mark.parametrize("wrap", [False, True])
def test_windows_are_cut_as_the_plain_loop_cuts_them(wrap: bool) -> None:
    rng = np.random.default_rng(1)
    space = fc.Grid(9, 6, wrap=wrap)
    planes = rng.random((2, 6, 9)).astype(np.float32)
    cells = rng.integers(len(space), size=5)
    found = windows(space, planes, cells, 2, (7.0, -1.0))
    for each, cell in zip(found, cells.tolist(), strict=True):
        for plane in range(2):
            for i in range(5):
                for j in range(5):
                    y, x = cell // 9 + i - 2, cell % 9 + j - 2
                    inside = wrap or (0 <= y < 6 and 0 <= x < 9)
                    assert each[plane, i, j] == (
                        planes[plane, y % 6, x % 9] if inside else (7.0, -1.0)[plane]
                    )
        rows, columns = spots(space, cell, [cell], 2)
        assert (rows.tolist(), columns.tolist()) == ([2], [2])
    whole = blocks(planes, 4)
    assert whole.shape == (2, 2, 3)
    np.testing.assert_allclose(whole[:, 1, 2], planes[:, 4:, 8:].mean(axis=(1, 2)), rtol=1e-6)


def test_odd_arguments_are_refused() -> None:
    for name, options in (
        ("chess", {}),
        ("chase", {"agents": ("runner", "ghost")}),
    ):
        with pytest.raises(UnknownName):
            parallel(name, **options)
    for call in (
        lambda: parallel("chase", limit=0),
        lambda: parallel("chase", agents=()),
        lambda: parallel("chase", agents=("runner", "runner")),
        lambda: parallel("chase", render_mode="human"),
        lambda: parallel("chase", space=fc.Grid(6, 5).to_graph()),
        lambda: parallel("tether", every=0),
        lambda: parallel("tether").step({"long_0": 1}),
    ):
        with pytest.raises(InvalidValue):
            call()
    env: TeamEnv = parallel("tether", agents=("long_0",))
    env.reset(seed=1)
    before = env.state_
    for told in ({}, {"long_0": 9}, {"long_0": "north"}, {"long_0": None}):
        with pytest.raises(InvalidValue):
            env.step(told)
    assert env.state_ is before


@pytest.mark.parametrize("name", LESSONS)
def test_a_state_is_what_all_agents_see_also_at_the_end(name: str) -> None:
    env = parallel(name, limit=40, every=20)
    first = env.possible_agents[0]
    with pytest.raises(InvalidValue, match="reset"):
        env.state()
    seen, _ = env.reset(seed=4)
    assert env.state_space.contains(env.state())
    while env.agents:
        assert first not in seen or np.array_equal(
            env.state()[: seen[first].size], seen[first].reshape(-1)
        )
        seen = env.step({agent: env.action_space(agent).sample() for agent in env.agents})[0]
    assert env.state_space.contains(env.state())


@pytest.mark.parametrize("name", LESSONS)
def test_gymnasium_makes_environments_by_their_names(name: str) -> None:
    env = gymnasium.make(f"fieldcraft_worlds.learning:fieldcraft/{name}-v0", limit=6, every=5)
    assert env.spec.id == f"fieldcraft/{name}-v0" == env.unwrapped.spec.id
    seen, _ = env.reset(seed=2)
    assert np.array_equal(seen, single(name, limit=6, every=5).reset(seed=2)[0])
