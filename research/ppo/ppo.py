"""Proximal policy optimization with and without planes of influence: steps until it catches 80 %.

`python -m research.ppo --seeds 5` trains all kinds with the same seeds, and prints the number of
agent steps until 80 % of the evaders are caught. It uses only NumPy, in the style of CleanRL.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import deque
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft_worlds.learning.pursuits import DIRECTIONS, Pursuits

WORLDS = 64
STEPS = 32
PURSUERS = 3
VIEW = 4
LIMIT = 80
SIZE = (28, 21)
GAMMA = 0.99
LAMBDA = 0.95
CLIP = 0.2
ENTROPY = 0.01
EPOCHS = 4
BATCHES = 4
RATE = 1e-3
HIDDEN = 64
KINDS = ("without planes", "with numbers", "with planes")
AIM = 0.8
EPISODES = 300
"""The share to reach, and of how many episodes in a row."""
SHOWN = 255.0
RECALLED = 30
"""For how many steps a sighting of the evader is remembered."""
Floats = NDArray[np.float64]
Windows = NDArray[np.float32]


class Planes:
    """Influence in all worlds at once, side by side on one grid: the last known place of the
    evader, the team, and the places that the team has just searched.
    """

    def __init__(self, env: Pursuits) -> None:
        self._env = env
        height, width = env.maps[0].shape
        walls = np.ones((WORLDS, height + 1, width), dtype=np.bool_)
        for number in range(WORLDS):
            walls[number, :-1] = env.maps[number % len(env.maps)].walls
        self._space = fc.Grid(walls=walls.reshape(-1, width), neighbors=8)
        imap = fc.InfluenceMap(self._space)
        self.prey = imap.add_layer("prey", fc.Spread(decay=0.15, momentum=1.0, floor=0.01))
        self.team = imap.add_layer("team", fc.Radial(8.0, "linear", metric="path"))
        self.searched = imap.add_layer("searched", fc.Trail(half_life=8.0, blur=1))
        self._imap = imap
        self._first = np.arange(WORLDS)[:, None] * (height + 1) * width
        self._ground = (self._first + np.arange((height + 1) * width)).astype(np.int64)

    def windows(self) -> Windows:
        """Return the planes around all pursuers, (worlds * pursuers, 3, side, side)."""
        env = self._env
        known = np.flatnonzero(env.age < RECALLED)
        begun = self._ground[env.steps == 0]
        begun = begun[~self._space.walls.reshape(-1)[begun]]
        self.searched.put(begun, np.zeros(len(begun)))
        places = self._space.position_of((self._first + env.cells[:, 1:]).reshape(-1))
        last = self._space.position_of(self._first[known, 0] + env.known[known])
        self.prey.sync(known, last, 0.9 ** env.age[known])
        self.team.sync(range(len(places)), places, 0.5)
        self.searched.deposit(places, 0.5)
        self._imap.step()
        self.prey.settle()
        return fc.observe([self.prey, self.team, self.searched], places, 2 * VIEW + 1)


def numbers(env: Pursuits) -> Floats:
    """Return the data of the planes, without the marks of the search, as plain numbers: the
    distance and the age of the last sighting of the evader, and the distances of the team.
    """
    places = np.stack(np.divmod(np.column_stack([env.known, env.cells[:, 1:]]), SIZE[0]), axis=2)
    away = (places[:, None, :] - places[:, 1:, None]).reshape(WORLDS * PURSUERS, -1) / SIZE[1]
    fresh = np.where(env.age < RECALLED, 0.9**env.age, 0.0)
    return np.column_stack([away, np.repeat(fresh, PURSUERS)])


class Policy:
    """A network from a pursuer's window to the probabilities of its nine actions and the value of
    the state.
    """

    def __init__(self, inputs: int, rng: np.random.Generator) -> None:
        sizes = (
            (inputs, HIDDEN, 2**0.5),
            (HIDDEN, HIDDEN, 2**0.5),
            (HIDDEN, len(DIRECTIONS) + 1, 0.01),
        )
        self.parts: list[Floats] = []
        for before, after, gain in sizes:
            square = rng.normal(size=(max(before, after), min(before, after)))
            turn = np.linalg.qr(square)[0]
            self.parts += [gain * (turn if before >= after else turn.T), np.zeros(after)]
        self._moments = [(np.zeros_like(part), np.zeros_like(part)) for part in self.parts]
        self._updates = 0

    def forward(self, seen: Floats) -> tuple[list[Floats], Floats, Floats]:
        """Return the values of all layers, the logarithms of the probabilities, and the values of
        the states.
        """
        values = [seen]
        for weights, bias in zip(self.parts[:4:2], self.parts[1:4:2], strict=True):
            values.append(np.tanh(values[-1] @ weights + bias))
        out = values[-1] @ self.parts[4] + self.parts[5]
        scores = out[:, :-1] - out[:, :-1].max(axis=1, keepdims=True)
        return values, scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)), out[:, -1]

    def improve(
        self,
        seen: Floats,
        actions: NDArray[np.int64],
        before: Floats,
        gains: Floats,
        returns: Floats,
    ) -> None:
        """Make one step of Adam down the clipped loss of PPO."""
        values, logs, worths = self.forward(seen)
        count = len(seen)
        rows = np.arange(len(seen))
        chances = np.exp(logs)
        gain = (gains - gains.mean()) / (gains.std() + 1e-8)
        ratio = np.exp(logs[rows, actions] - before)
        is_unclipped = np.where(gain > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        slope = ENTROPY * chances * (logs - (chances * logs).sum(axis=1, keepdims=True))
        pull = -(gain * ratio * is_unclipped)[:, None]
        slope -= pull * chances
        slope[rows, actions] += pull[:, 0]
        back = np.column_stack([slope, worths - returns]) / count
        slopes: list[Floats] = []
        for layer in (2, 1, 0):
            slopes[:0] = [values[layer].T @ back, back.sum(axis=0)]
            if layer:
                back = (back @ self.parts[2 * layer].T) * (1 - values[layer] ** 2)
        self._adam(slopes)

    def _adam(self, slopes: list[Floats]) -> None:
        self._updates += 1
        size = np.sqrt(sum(float((slope**2).sum()) for slope in slopes))
        for part, slope, (mean, square) in zip(self.parts, slopes, self._moments, strict=True):
            slope = slope * min(1.0, 0.5 / (size + 1e-12))
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            step = mean / (1 - 0.9**self._updates)
            part -= RATE * step / (np.sqrt(square / (1 - 0.999**self._updates)) + 1e-5)


def nearness(env: Pursuits) -> Floats:
    """Return how near each pursuer is to the evader; changes of it are the reward."""
    rows, columns = np.divmod(env.cells, env.maps[0].width)
    far = np.maximum(abs(rows[:, 1:] - rows[:, :1]), abs(columns[:, 1:] - columns[:, :1]))
    return np.asarray(-0.05 * far)


def learn(kind: str, seed: int, most: int) -> list[tuple[int, float]]:
    """Train until 80 % are caught, or for a number of agent steps; return rows of (agent steps,
    share).
    """
    rng = np.random.default_rng(seed)
    maps = [fc.generate_map("rooms", *SIZE, seed=number, neighbors=8) for number in range(16)]
    env = Pursuits(maps, WORLDS, pursuers=PURSUERS, view=VIEW, limit=LIMIT)
    agents = WORLDS * PURSUERS
    found = env.reset(seed=seed)[0]
    if kind == KINDS[2]:
        planes = Planes(env)
    else:
        planes = None

    def observed(found: NDArray[np.uint8]) -> Floats:
        seen = [found.reshape(agents, -1) / SHOWN]
        if planes is not None:
            seen.append(planes.windows().reshape(agents, -1).astype(np.float64))
        if kind == KINDS[1]:
            seen.append(numbers(env))
        return np.concatenate(seen, axis=1)

    seen = observed(found)
    policy = Policy(seen.shape[1], rng)
    ended: deque[bool] = deque(maxlen=EPISODES)
    rows: list[tuple[int, float]] = []
    while not rows or (rows[-1][0] < most and rows[-1][1] < AIM):
        batch = np.empty((STEPS, agents, seen.shape[1]))
        actions = np.empty((STEPS, agents), dtype=np.int64)
        chances, worths, rewards, going, real = (np.empty((STEPS, agents)) for _ in range(5))
        for step in range(STEPS):
            before = nearness(env)
            anew = env.over.copy()
            _, logs, worths[step] = policy.forward(seen)
            drawn = (np.exp(logs).cumsum(axis=1) < rng.random((agents, 1))).sum(axis=1)
            batch[step], actions[step] = seen, np.minimum(drawn, len(DIRECTIONS) - 1)
            chances[step] = logs[np.arange(agents), actions[step]]
            found, reward, caught, cut, _ = env.step(actions[step].reshape(WORLDS, -1))
            closer = np.where(anew[:, None], 0.0, GAMMA * nearness(env) - before)
            rewards[step] = (reward[:, None] + closer).reshape(-1)
            going[step] = np.repeat(~(caught | cut), PURSUERS)
            real[step] = np.repeat(~anew, PURSUERS)
            ended.extend(caught[caught | cut].tolist())
            seen = observed(found)
        after = policy.forward(seen)[2]
        gains = np.empty_like(worths)
        gain = np.zeros(agents)
        for step in reversed(range(STEPS)):
            error = rewards[step] + GAMMA * after * going[step] - worths[step]
            gain = error + GAMMA * LAMBDA * going[step] * gain
            gains[step], after = gain, worths[step]
        usable = np.flatnonzero(real.reshape(-1) > 0)
        flat = [each.reshape(-1) for each in (actions, chances, gains, gains + worths)]
        for _ in range(EPOCHS):
            for part in np.array_split(rng.permutation(usable), BATCHES):
                policy.improve(batch.reshape(-1, seen.shape[1])[part], *(x[part] for x in flat))
        share = 0.0
        if len(ended) == EPISODES:
            share = float(np.mean(ended))
        rows.append(((len(rows) + 1) * agents * STEPS, share))
    return rows


def main() -> None:
    """Train with and without planes, print the steps until 80 % are caught, and write the
    curves.
    """
    parser = argparse.ArgumentParser(prog="python -m research.ppo", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--most", type=int, default=4_000_000, help="agent steps of one training")
    parser.add_argument("--out", type=Path, default=Path("out/ppo.json"))
    chosen = parser.parse_args()
    curves: dict[str, list[list[tuple[int, float]]]] = {kind: [] for kind in KINDS}
    for seed in range(1, chosen.seeds + 1):
        for kind in KINDS:
            begun = time.process_time()
            curves[kind].append(learn(kind, seed, chosen.most))
            taken, share = curves[kind][-1][-1]
            took = time.process_time() - begun
            print(
                f"seed {seed}, {kind}: {share:.0%} after {taken:,} steps, {took:.0f} s", flush=True
            )
            chosen.out.parent.mkdir(parents=True, exist_ok=True)
            chosen.out.write_text(json.dumps(curves))


if __name__ == "__main__":
    main()
