"""The chase as an environment of PettingZoo and Gymnasium."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.space.encoding import digest

pytest.importorskip("gymnasium", minversion="1.0", reason="needs Gymnasium")
pytest.importorskip("pettingzoo", reason="needs PettingZoo")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PettingZoo's tests import deprecated modules
    import gymnasium
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import parallel_api_test, parallel_seed_test

from fieldcraft_worlds.games.chase.plugin import GAME
from fieldcraft_worlds.games.chase.state import HUNTER
from fieldcraft_worlds.learning import ChasePlayer, ChaseTeam
from fieldcraft_worlds.learning.chase import DIRECTIONS, ChaseLesson, places_in, windows

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # the checkers expect pictures


def some_team() -> ChaseTeam:
    return ChaseTeam(limit=6, every=5)


def test_the_checkers_of_pettingzoo_and_gymnasium_pass(capsys: pytest.CaptureFixture[str]) -> None:
    parallel_api_test(some_team(), num_cycles=15)
    parallel_seed_test(some_team, num_cycles=5)
    check_env(ChasePlayer(limit=6, every=5), skip_render_check=True)
    assert "Passed" in capsys.readouterr().out


def test_without_actions_it_is_the_game() -> None:
    lesson, rng = ChaseLesson(), np.random.default_rng(5)
    state = lesson.start(rng)
    other, other_rng = state, np.random.default_rng(5)
    lesson.start(other_rng)
    world = GAME.open(lesson.world.space, lesson.derived.settings)
    for _ in range(3):
        state = lesson.step(state, {}, rng)
        for _ in range(lesson.every):
            other = world.step(other, (), other_rng)
    assert digest(state, GAME.kinds) == digest(other, GAME.kinds)


def test_a_copy_of_an_environment_goes_on_bit_for_bit() -> None:
    env = ChaseTeam()
    env.reset(seed=3)
    actions = {agent: env.action_space(agent).sample() * 0 + 1 for agent in env.agents}
    env.step(actions)
    other = pickle.loads(pickle.dumps(env))
    for _ in range(3):
        ours, theirs = env.step(actions), other.step(actions)
        assert all(np.array_equal(ours[0][agent], theirs[0][agent]) for agent in ours[0])
        assert ours[1:] == theirs[1:]


def test_hunters_run_along_their_directions_and_catch() -> None:
    env = ChaseTeam(agents=("hunter_0", "hunter_1", "hunter_2"))
    env.reset(seed=1)
    rows = env.state_.people.rows(HUNTER)
    space = env.lesson.world.space
    before = env.state_.hearts
    reward = 0.0
    for _ in range(120):
        to_runner = fc.distance_map(space, env.state_.people.positions[0])
        cells = env.state_.people.cells[rows]
        ahead = to_runner.step(space.position_of(cells)).positions - space.position_of(cells)
        actions = {
            f"hunter_{n}": np.int64(np.argmax(DIRECTIONS[1:] @ step) + 1)
            for n, step in enumerate(ahead)
        }
        _, rewards, *_ = env.step(actions)
        reward += rewards["hunter_0"] + 0.01
        if env.state_.hearts < before:
            break
    assert reward == pytest.approx(1)
    assert env.state_.hearts == before - 1
    assert (env.state_.people.targets[rows] == 0).all()


def test_a_runner_walks_and_throws() -> None:
    env = ChasePlayer(agent="runner")
    env.reset(seed=4)
    start, stones = env.state_.people.positions[0].copy(), env.state_.stones
    for _ in range(4):
        env.step(np.array([1, 2, 3]))
    moved = env.state_.people.positions[0] - start
    assert env.state_.by_hand and env.state_.stones < stones
    assert moved[0] > 0.5 or np.allclose(moved, 0, atol=0.6)  # east, or a wall is there


@pytest.mark.parametrize("wrap", [False, True, "x", "y"])
def test_windows_equal_a_plain_loop(wrap: Any) -> None:
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
                    inside = (space.wraps_y or 0 <= y < 6) and (space.wraps_x or 0 <= x < 9)
                    assert each[plane, i, j] == (
                        planes[plane, y % 6, x % 9] if inside else (7.0, -1.0)[plane]
                    )
        rows, columns = places_in(space, cell, [cell], 2)
        assert (rows.tolist(), columns.tolist()) == ([2], [2])


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"agents": ("runner", "ghost")}, UnknownName),
        ({"limit": 0}, InvalidValue),
        ({"agents": ()}, InvalidValue),
        ({"agents": ("runner", "runner")}, InvalidValue),
        ({"render_mode": "human"}, InvalidValue),
        ({"space": fc.Grid(6, 5).to_graph()}, InvalidValue),
        ({"every": 0}, InvalidValue),
    ],
)
def test_wrong_options_raise(options: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        ChaseTeam(**options)


def test_wrong_actions_raise_and_change_nothing() -> None:
    env = ChaseTeam(agents=("hunter_0",))
    with pytest.raises(InvalidValue, match="reset"):
        env.step({"hunter_0": 1})
    env.reset(seed=1)
    before = env.state_
    for actions in ({}, {"hunter_0": 9}, {"hunter_0": "north"}, {"hunter_0": None}):
        with pytest.raises(InvalidValue):
            env.step(actions)
    assert env.state_ is before


def test_the_state_is_all_observations_also_at_the_end() -> None:
    env = ChaseTeam(limit=40, every=20)
    first = env.possible_agents[0]
    with pytest.raises(InvalidValue, match="reset"):
        env.state()
    seen, _ = env.reset(seed=4)
    assert env.state_space.contains(env.state())
    while env.agents:
        assert np.array_equal(env.state()[: seen[first].size], seen[first].reshape(-1))
        seen = env.step({agent: env.action_space(agent).sample() for agent in env.agents})[0]
    assert env.state_space.contains(env.state())


def test_gymnasium_makes_it_by_name() -> None:
    name = "fieldcraft/chase-v0"
    env = gymnasium.make(f"fieldcraft_worlds.learning:{name}", limit=6, every=5)
    assert env.spec.id == name == env.unwrapped.spec.id
    seen, _ = env.reset(seed=2)
    assert np.array_equal(seen, ChasePlayer(limit=6, every=5).reset(seed=2)[0])


def test_a_picture_is_drawn_where_one_is_wanted() -> None:
    env = ChaseTeam(render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.shape == (440, 640, 3) and picture.std() > 10
    assert ChaseTeam().render() is None
