"""A policy for pursuers, learned in minutes on a laptop, against the searches of
`python -m research experiment chase`.

    python examples/ppo_pursuit.py --minutes 6 --out out/ppo

Proximal policy optimization in the style of CleanRL: one file, one network for all pursuers,
`Pursuits` for the worlds. It trains on rooms of some seeds and is judged on rooms that it never
saw. It needs PyTorch (`pip install torch`; the build for CPUs is enough).
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import fieldcraft as fc
from fieldcraft_worlds.games.chase.searches import SEARCHES
from fieldcraft_worlds.learning.pursuits import DIRECTIONS, Pursuits

WORLDS, STEPS, PURSUERS, VIEW, LIMIT = 128, 32, 4, 5, 200
GAMMA, LAMBDA, CLIP, ENTROPY, EPOCHS, BATCHES, RATE = 0.99, 0.95, 0.2, 0.01, 4, 4, 1e-3
SIZE = (32, 24)
SEARCHING = ("last", "random", "flood", "belief", "party")


def rooms(seeds: range) -> list[fc.Grid]:
    return [fc.generate_map("rooms", *SIZE, seed=seed, neighbors=8) for seed in seeds]


class Policy(nn.Module):
    """From a pursuer's window to its nine ways, and to what the moment is worth."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(3 * (2 * VIEW + 1) ** 2, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh()
        )
        self.ways, self.worth = nn.Linear(128, len(DIRECTIONS)), nn.Linear(128, 1)
        for layer, gain in (
            (self.body[0], 2**0.5),
            (self.body[2], 2**0.5),
            (self.ways, 0.01),
            (self.worth, 1.0),
        ):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)

    def forward(self, windows: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        seen = self.body(windows.reshape(-1, self.body[0].in_features).float() / 255)
        return Categorical(logits=self.ways(seen)), self.worth(seen).squeeze(-1)


def nearness(env: Pursuits) -> torch.Tensor:
    """How near each pursuer is to the evader, (worlds, pursuers): only its changes are rewarded, so
    that the best policy stays the best.
    """
    rows, columns = np.divmod(env.cells, env.maps[0].width)
    far = np.maximum(abs(rows[:, 1:] - rows[:, :1]), abs(columns[:, 1:] - columns[:, :1]))
    return torch.from_numpy(-0.05 * far).float()


def learn(policy: Policy, minutes: float, seed: int) -> list[tuple[float, int, float, float]]:
    """Train for so long; rows of (seconds, agent steps, share caught, steps an episode) of what
    ended since the last row.
    """
    env = Pursuits(rooms(range(16)), WORLDS, pursuers=PURSUERS, view=VIEW, limit=LIMIT)
    windows = torch.from_numpy(env.reset(seed=seed)[0])
    optimizer = torch.optim.Adam(policy.parameters(), lr=RATE, eps=1e-5)
    rows, ended = [], []
    begun, told = time.process_time(), 0
    while (passed := time.process_time() - begun) < 60 * minutes:
        optimizer.param_groups[0]["lr"] = RATE * (1 - passed / (60 * minutes))
        seen = torch.empty((STEPS, *windows.shape), dtype=torch.uint8)
        ways, chances, worths, rewards, overs, real = (
            torch.empty((STEPS, WORLDS, PURSUERS)) for _ in range(6)
        )
        for step in range(STEPS):
            seen[step] = windows
            before = nearness(env)
            anew = env.over.copy()  # a world that begins anew takes no orders in this step
            with torch.no_grad():
                choice, worth = policy(windows)
                way = choice.sample()
            ways[step], chances[step] = (
                way.reshape(WORLDS, -1),
                choice.log_prob(way).reshape(WORLDS, -1),
            )
            worths[step] = worth.reshape(WORLDS, -1)
            found, reward, caught, cut, infos = env.step(way.reshape(WORLDS, -1).numpy())
            closer = torch.where(
                torch.as_tensor(anew)[:, None], 0.0, GAMMA * nearness(env) - before
            )
            windows = torch.from_numpy(found)
            rewards[step], overs[step], real[step] = (
                torch.as_tensor(each, dtype=torch.float32)[:, None]
                for each in (reward, caught | cut, ~anew)
            )
            ended += [
                (bool(caught[n]), int(infos["steps"][n])) for n in np.flatnonzero(caught | cut)
            ]
            rewards[step] += closer
        told += WORLDS * PURSUERS * STEPS
        with torch.no_grad():
            after = policy(windows)[1].reshape(WORLDS, -1)
        gains, gain = torch.zeros_like(rewards), torch.zeros(WORLDS, PURSUERS)
        for step in reversed(range(STEPS)):
            going = 1 - overs[step]
            gain = (
                rewards[step] + GAMMA * after * going - worths[step] + GAMMA * LAMBDA * going * gain
            )
            gains[step], after = gain, worths[step]
        improve(
            policy,
            optimizer,
            seen.flatten(0, 2),
            ways.flatten(),
            chances.flatten(),
            gains.flatten(),
            (gains + worths).flatten(),
            real.flatten(),
        )
        if len(ended) >= 200:
            share, mean = (float(np.mean([row[n] for row in ended])) for n in (0, 1))
            rows.append((passed, told, share, mean))
            print(
                f"{passed:5.0f} s  {told / 1e6:5.2f} million agent steps  {share:4.0%} caught,"
                f" {mean:5.1f} steps",
                flush=True,
            )
            ended = []
    return rows


def improve(
    policy: Policy, optimizer: torch.optim.Optimizer, seen, ways, chances, gains, returns, real
) -> None:
    """A few passes over what was gathered, in mini-batches."""
    usable = real.nonzero().squeeze(-1)
    for _ in range(EPOCHS):
        for rows in usable[torch.randperm(len(usable))].chunk(BATCHES):
            choice, worth = policy(seen[rows])
            ratio = (choice.log_prob(ways[rows]) - chances[rows]).exp()
            gain = (gains[rows] - gains[rows].mean()) / (gains[rows].std() + 1e-8)
            loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            loss = (
                loss
                + 0.5 * (worth - returns[rows]).square().mean()
                - ENTROPY * choice.entropy().mean()
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()


def judge_policy(policy: Policy | None, worlds: int, seed: int) -> list[tuple[bool, int]]:
    """How worlds ended that the policy never saw: caught or not, and steps; without a policy by
    chance.
    """
    env = Pursuits(
        rooms(range(1000, 1000 + worlds)), worlds, pursuers=PURSUERS, view=VIEW, limit=LIMIT
    )
    windows, _ = env.reset(seed=seed)
    env.action_space.seed(seed)
    torch.manual_seed(seed)
    results: dict[int, tuple[bool, int]] = {}
    while len(results) < worlds:
        told = env.action_space.sample()
        if policy is not None:
            with torch.no_grad():
                told = policy(torch.from_numpy(windows))[0].sample().reshape(worlds, -1).numpy()
        windows, _, caught, cut, infos = env.step(told)
        for number in np.flatnonzero(caught | cut):
            results.setdefault(int(number), (bool(caught[number]), int(infos["steps"][number])))
    return list(results.values())


def judge_search(way: str, worlds: int, seed: int) -> list[tuple[bool, int]]:
    """The same for a search of fieldcraft: who sees the evader runs there, all share what is known,
    and search when it is lost.
    """
    maps = rooms(range(1000, 1000 + worlds))
    env = Pursuits(maps, worlds, pursuers=PURSUERS, view=VIEW, limit=LIMIT)
    env.reset(seed=seed)
    speed, rng = 1.2, np.random.default_rng(seed)
    hunts = [
        fc.SearchParty(space, speed, sight=VIEW) if way == "party" else SEARCHES[way](space, speed)
        for space in maps
    ]
    seen_at: list[np.ndarray | None] = [None] * worlds
    results: dict[int, tuple[bool, int]] = {}
    while len(results) < worlds:
        told = np.zeros((worlds, PURSUERS), dtype=np.int64)
        for number, (space, search) in enumerate(zip(maps, hunts, strict=True)):
            if number not in results:
                places = places_of(env, number)
                seen_at[number], goals = thought(
                    env, number, space, search, places, seen_at[number], rng
                )
                told[number] = [
                    toward(space, at, goal) for at, goal in zip(places[1:], goals, strict=True)
                ]
        _, _, caught, cut, infos = env.step(told)
        for number in np.flatnonzero(caught | cut):
            results.setdefault(int(number), (bool(caught[number]), int(infos["steps"][number])))
    return list(results.values())


def places_of(env: Pursuits, number: int) -> np.ndarray:
    """Where a world's evader and pursuers stand, (1 + pursuers, 2)."""
    rows, columns = np.divmod(env.cells[number], env.maps[0].width)
    return np.stack([columns, rows], axis=1) + 0.5


def thought(
    env, number, space, search, places, before, rng
) -> tuple[np.ndarray | None, np.ndarray]:
    """Where the evader was last seen, and where each pursuer goes."""
    at, viewers = places[0], places[1:]
    if env.age[number] == 0:  # somebody sees it
        search.found(at)
        return at, np.repeat(at[None], len(viewers), axis=0)
    if before is not None:
        search.lost(before, at - before)
    search.advance(1.0)
    looks = [fc.visible(space, viewer, 1.5 * VIEW) for viewer in viewers]
    near = [
        (np.abs(space.positions - viewer).max(axis=-1) <= VIEW).reshape(space.shape)
        for viewer in viewers
    ]
    search.observe(np.any([look & close for look, close in zip(looks, near, strict=True)], axis=0))
    return None, search.places(viewers, rng)


def toward(space: fc.Grid, at: np.ndarray, goal: np.ndarray) -> int:
    """The way of the first step to a goal."""
    step = np.rint(fc.distance_map(space, goal).step(at[None]).positions[0] - at).astype(int)
    return int(np.flatnonzero((step == DIRECTIONS).all(axis=1))[0])


def told_of(results: list[tuple[bool, int]]) -> tuple[float, float]:
    return float(np.mean([caught for caught, _ in results])), float(
        np.mean([steps for _, steps in results])
    )


def draw(
    rows: list[tuple[float, int, float, float]], table: dict[str, tuple[float, float]], path: Path
) -> None:
    """The learning curve, and what searches and chance do on the same worlds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 1, figsize=(5.5, 8), layout="constrained")
    told = [row[1] / 1e6 for row in rows]
    axes[0].plot(told, [100 * row[2] for row in rows], color="#2f7fd0")
    axes[0].set(
        xlabel="million agent steps",
        ylabel="caught, %",
        ylim=(0, 102),
        title="While it learns: rooms of 16 seeds",
    )
    axes[0].grid(alpha=0.3)
    names = list(table)
    colors = ["#2f7fd0" if name == "policy" else "#9aa0aa" for name in names]
    bars = axes[1].barh(names, [100 * table[name][0] for name in names], color=colors)
    axes[1].bar_label(
        bars, [f"{share:.0%}, {steps:.0f} steps" for share, steps in table.values()], padding=4
    )
    axes[1].set(
        xlim=(0, 130),
        xticks=range(0, 101, 20),
        xlabel=f"caught within {LIMIT} steps, %",
        title="Rooms that it never saw",
    )
    axes[1].invert_yaxis()
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=6.0, help="of training, CPU time")
    parser.add_argument("--worlds", type=int, default=100, help="that the policy is judged on")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/ppo"))
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(chosen.seed)
    policy = Policy()
    rows = learn(policy, chosen.minutes, chosen.seed)
    table = {
        "policy": told_of(judge_policy(policy, chosen.worlds, 7)),
        "by chance": told_of(judge_policy(None, chosen.worlds, 7)),
    }
    table |= {way: told_of(judge_search(way, chosen.worlds, 7)) for way in SEARCHING}
    for name, (share, steps) in table.items():
        print(f"{name:10s} {share:4.0%} caught, {steps:5.1f} steps")
    chosen.out.mkdir(parents=True, exist_ok=True)
    torch.save(policy.state_dict(), chosen.out / "policy.pt")
    with (chosen.out / "curve.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("seconds", "agent steps", "caught", "steps"), *rows])
    if rows:
        draw(rows, table, chosen.out / "curve.png")


if __name__ == "__main__":
    main()
