from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue

gymnasium = pytest.importorskip("gymnasium", minversion="1.0", reason="needs Gymnasium")

from fieldcraft_worlds.learning.pursuits import DIRECTIONS, Pursuits  # noqa: E402

MAPS = [fc.generate_map("rooms", 24, 17, seed=seed, neighbors=8) for seed in range(3)]


def world(env: Pursuits, number: int) -> tuple[fc.Grid, NDArray[np.int64]]:
    """The map of a world, and (x, y) of its evader and pursuers on it."""
    rows, columns = np.divmod(env.cells[number], MAPS[0].width)
    return MAPS[number % 3], np.stack([columns, rows], axis=1)


def sees(space: fc.Grid, one: NDArray[np.int64], other: NDArray[np.int64], view: int) -> bool:
    near = bool((np.abs(one - other) <= view).all())
    return near and bool(fc.sees(space, one + 0.5, other + 0.5, view + 0.49)[0, 0])


def may(space: fc.Grid, here: NDArray[np.int64], way: int) -> bool:
    there = here + DIRECTIONS[way]
    if not ((there >= 0).all() and there[0] < space.width and there[1] < space.height):
        return False
    cells = (
        np.ravel_multi_index((here[1], here[0]), space.shape),
        np.ravel_multi_index((there[1], there[0]), space.shape),
    )
    return way == 0 or int(cells[1]) in np.asarray(space.neighbors_of(int(cells[0]))).tolist()


def caught(space: fc.Grid, places: NDArray[np.int64]) -> bool:
    return any(
        (places[0] + DIRECTIONS[way] == each).all() and may(space, places[0], way)
        for each in places[1:]
        for way in range(9)
    )


@pytest.mark.parametrize("evader", ["flees", "wanders"])
def test_worlds_follow_the_rules(evader: str) -> None:
    env = Pursuits(MAPS, 7, pursuers=3, view=4, limit=12, evader=evader)
    env.reset(seed=3)
    env.action_space.seed(4)
    fled = 0
    for _ in range(40):
        before = [world(env, number)[1] for number in range(7)]
        anew, steps = env.over.copy(), env.steps.copy()
        actions = env.action_space.sample()
        _, rewards, ended, cut, infos = env.step(actions)
        for number in range(7):
            space, places = world(env, number)
            assert not space.walls[places[:, 1], places[:, 0]].any()
            if anew[number]:
                assert (rewards[number], ended[number], infos["steps"][number]) == (0, False, 0)
                continue
            told = before[number].copy()
            for p, way in enumerate(actions[number]):
                if may(space, told[1 + p], way):
                    told[1 + p] += DIRECTIONS[way]
            assert (places[1:] == told[1:]).all()
            if caught(space, told):
                assert (places[0] == told[0]).all()
            elif evader == "flees" and (
                near := [each for each in told[1:] if sees(space, each, told[0], 4)]
            ):
                fled += 1
                open_ = [way for way in range(9) if may(space, told[0], way)]
                away = [
                    min(((told[0] + DIRECTIONS[way] - each) ** 2).sum() for each in near)
                    for way in open_
                ]
                assert (places[0] == told[0] + DIRECTIONS[open_[int(np.argmax(away))]]).all()
            else:
                assert any(
                    (places[0] == told[0] + DIRECTIONS[way]).all()
                    for way in range(9)
                    if may(space, told[0], way)
                )
            assert ended[number] == caught(space, places)
            assert cut[number] == (not ended[number] and steps[number] + 1 >= 12)
            assert rewards[number] == (1 if ended[number] else -0.01)
    assert fled > 5 or evader == "wanders"


@pytest.mark.parametrize("view", [1, 4, 8])
def test_windows_show_what_is_known(view: int) -> None:
    env = Pursuits(MAPS, 6, pursuers=3, view=view)
    windows, _ = env.reset(seed=5)
    env.action_space.seed(6)
    last: dict[int, tuple[NDArray[np.int64], int]] = {}
    seen_once = 0
    for _ in range(25):
        for number in range(6):
            space, places = world(env, number)
            padded = np.pad(space.walls, view, constant_values=True)
            if env.steps[number] == 0:
                last.pop(number, None)
            if any(sees(space, each, places[0], view) for each in places[1:]):
                last[number] = places[0], 0
                seen_once += 1
            for p, (x, y) in enumerate(places[1:]):
                shown = windows[number, p]
                np.testing.assert_array_equal(
                    shown[0] > 0, padded[y : y + 2 * view + 1, x : x + 2 * view + 1]
                )
                friends = {
                    (int(b - y), int(a - x))
                    for q, (a, b) in enumerate(places[1:])
                    if q != p and max(abs(b - y), abs(a - x)) <= view
                }
                assert {(int(i) - view, int(j) - view) for i, j in np.argwhere(shown[1])} == friends
                if number in last:
                    (a, b), age = last[number]
                    i, j = np.clip((b - y, a - x), -view, view) + view
                    assert shown[2, i, j] == round(255 * 0.9**age)
                assert (shown[2] > 0).sum() == (number in last)
        windows = env.step(env.action_space.sample())[0]
        last = {number: (place, age + 1) for number, (place, age) in last.items()}
    assert seen_once > (5 if view > 1 else 0)


def run(env: Pursuits, steps: int = 30) -> list[Any]:
    rng = np.random.default_rng(1)
    return [
        part
        for _ in range(steps)
        for part in env.step(rng.integers(0, 9, (env.num_envs, env.pursuers)))[:4]
    ]


def test_each_world_can_begin_by_a_seed_of_its_own() -> None:
    env = Pursuits(MAPS[0], 4, pursuers=2)
    env.reset(seed=[5, 6, 5, 7])
    cells = env.cells.copy()
    assert (cells[0] == cells[2]).all() and (cells[0] != cells[1]).any()
    first, again = run(env), (env.reset(seed=[5, 6, 5, 7]), run(env))[1]
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))
    env.reset(seed=(8, 6, 8, 8))
    assert (env.cells[1] == cells[1]).all() and (env.cells[0] == env.cells[3]).all()
    for wrong in ([1, 2, 3], [1, 2, 3, -1], [1, 2, 3, 0.5], ["a"] * 4):
        with pytest.raises(InvalidValue):
            env.reset(seed=wrong)  # type: ignore[arg-type]


def test_one_seed_makes_one_run() -> None:
    env = Pursuits(MAPS, 300, limit=10)
    first = (env.reset(seed=9)[0], *run(env))
    again = (env.reset(seed=9)[0], *run(env))
    other = (env.reset(seed=10)[0], *run(env))
    assert all(np.array_equal(one, two) for one, two in zip(first, again, strict=True))
    assert not all(np.array_equal(one, two) for one, two in zip(first, other, strict=True))


def test_it_is_pickled_in_mid_run() -> None:
    env = Pursuits(MAPS, 5, limit=8)
    env.reset(seed=2)
    run(env, 5)
    other = pickle.loads(pickle.dumps(env))
    assert all(np.array_equal(one, two) for one, two in zip(run(env), run(other), strict=True))


def test_gymnasium_finds_what_it_expects() -> None:
    env = Pursuits(MAPS[0], 3, render_mode="rgb_array")
    windows, infos = env.reset(seed=1)
    assert env.observation_space.contains(windows)
    assert env.single_observation_space.contains(windows[0])
    assert env.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    assert set(infos) == {"caught", "steps"}
    assert [picture.shape for picture in env.render()] == [(17 * 8, 24 * 8, 3)] * 3
    before = env.cells.copy()
    env.reset(options={"reset_mask": np.array([False, True, False])})
    assert (env.cells[[0, 2]] == before[[0, 2]]).all()
    recorded = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    recorded.reset(seed=1)
    recorded.step(recorded.action_space.sample())


def test_odd_arguments_are_refused() -> None:
    room = fc.Grid(5, 4, walls=np.arange(20).reshape(4, 5) > 2)
    for maps, options in (
        ([], {}),
        (3, {}),
        ([MAPS[0], fc.Grid(5, 4)], {}),
        (fc.Grid(9, 9, wrap=True), {}),
        (room, {}),
        (MAPS, {"worlds": 0}),
        (MAPS, {"worlds": 10**9}),
        (MAPS, {"view": 51}),
        (MAPS, {"pursuers": 0}),
        (MAPS, {"limit": 0}),
        (MAPS, {"evader": "flies"}),
        (MAPS, {"render_mode": "human"}),
    ):
        with pytest.raises(InvalidValue):
            Pursuits(maps, **options)  # type: ignore[arg-type]
    env = Pursuits(MAPS, 3)
    env.reset(seed=1)
    before = env.cells.copy()
    for actions in (
        None,
        np.zeros((3, 3), int),
        np.full((3, 4), 9),
        np.full((3, 4), -1),
        np.zeros((3, 4)),
        [[1], [1, 2]],
    ):
        with pytest.raises(InvalidValue):
            env.step(actions)
    with pytest.raises(InvalidValue):
        env.reset(options={"reset_mask": [1, 0]})
    assert (env.cells == before).all()
