"""A Gymnasium environment with walls, a fugitive and an influence map as its observation.

    python main.py             # plays chance against a rule, and writes main.png

The agent sees a window of the layer around itself. Train it with any library for Gymnasium, such as
stable-baselines3; for thousands of worlds in one call see fieldcraft_worlds.learning.Pursuits.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env

import fieldcraft as fc

STEPS = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)])
VIEW = 4


class Chase(gym.Env[np.ndarray, np.int64]):
    """Catch a fugitive among walls: +1 for the catch, -0.01 for each step."""

    def __init__(self, width: int = 32, height: int = 20, limit: int = 200) -> None:
        self.space = fc.generate_map("rooms", width, height, seed=3)
        self.limit = limit
        side = 2 * VIEW + 1
        self.action_space = gym.spaces.Discrete(len(STEPS))
        self.observation_space = gym.spaces.Box(0.0, 1.0, (2, side, side), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        open_cells = np.flatnonzero(~self.space.walls)
        cells = self.np_random.choice(open_cells, 2, replace=False)
        self.agent, self.fugitive = self.space.positions[cells]
        self.path = [self.agent]
        self.imap = fc.InfluenceMap(self.space)
        self.scent = self.imap.add_layer("scent", fc.Spread(decay=0.15, momentum=0.9), every=1.0)
        self.scent.sync(["fugitive"], [self.fugitive], 1.0)
        self.imap.step(40)
        return self.observe(), {}

    def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.agent = self.moved(self.agent, STEPS[action])
        is_caught = bool((self.agent == self.fugitive).all())
        if not is_caught and self.np_random.random() < 0.5:
            away = fc.flee_map(fc.distance_map(self.space, self.agent))
            self.fugitive = away.step(self.fugitive).positions
        self.path.append(self.agent)
        self.scent.sync(["fugitive"], [self.fugitive], 1.0)
        self.imap.step(2)
        is_cut = not is_caught and len(self.path) > self.limit
        return self.observe(), float(is_caught) - 0.01, is_caught, is_cut, {}

    def moved(self, place: np.ndarray, step: np.ndarray) -> np.ndarray:
        goal = place + step
        if self.space.walls[int(goal[1]), int(goal[0])]:
            return place
        return goal

    def observe(self) -> np.ndarray:
        maps = np.stack([self.scent.values, ~self.space.walls]).astype(np.float32)
        around = np.pad(maps, ((0, 0), (VIEW, VIEW), (VIEW, VIEW)))
        column, row = self.agent.astype(int)
        return around[:, row : row + 2 * VIEW + 1, column : column + 2 * VIEW + 1].clip(0, 1)


def by_chance(env: Chase, seen: np.ndarray) -> int:
    return int(env.action_space.sample())


def by_scent(env: Chase, seen: np.ndarray) -> int:
    """Step to where the window smells strongest: what a trained policy should beat."""
    values = [seen[0, VIEW + y, VIEW + x] for x, y in STEPS]
    return int(np.argmax(values))


def play(env: Chase, policy: Any, matches: int) -> float:
    caught = 0
    for seed in range(matches):
        seen, _ = env.reset(seed=seed)
        env.action_space.seed(seed)
        is_over = False
        while not is_over:
            seen, _, is_caught, is_cut, _ = env.step(np.int64(policy(env, seen)))
            is_over = is_caught or is_cut
        caught += is_caught
    return caught / matches


if __name__ == "__main__":
    env = Chase()
    check_env(env, skip_render_check=True)
    chance = play(env, by_chance, 10)
    scent = play(env, by_scent, 10)
    print(f"caught within {env.limit} steps: {chance:.0%} by chance, {scent:.0%} by scent")
    picture = fc.view.frame(env.scent, scale=24, limits=(0, 1))
    place = fc.view.Placement(env.space, scale=24)
    fc.view.draw_lines(picture, place, [env.path], color="#6db6ff", width=3)
    fc.view.draw_dots(picture, place, env.path[0], color="#6db6ff", width=12)
    fc.view.draw_dots(picture, place, env.fugitive, color="#ffffff", width=12)
    fc.view.save_png("main.png", picture)
    print("main.png: the agent's path (blue) in the last match, the fugitive (white), the scent")
