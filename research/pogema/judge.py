"""Instances and replays of the package `pogema`. This runs in a Python environment with `pogema`
1.4.0, which needs an older NumPy than fieldcraft; it imports nothing of this folder.

usage: python judge.py < requests.jsonl > answers.jsonl
"""

from __future__ import annotations

import json
import sys
from typing import Any

MOVES = {(0, 0): 0, (-1, 0): 1, (1, 0): 2, (0, -1): 3, (0, 1): 4}


def environment(rows: list[str], agents: int, seed: int, steps: int) -> Any:
    """Return an episode of so many steps at its start."""
    import numpy as np
    from pogema import GridConfig, pogema_v0

    episode = pogema_v0(
        GridConfig(
            map="\n".join(rows),
            num_agents=agents,
            seed=seed,
            on_target="restart",
            max_episode_steps=steps,
            collision_system="soft",
            observation_type="MAPF",
        )
    )
    episode.reset(seed=seed)
    grid = episode.unwrapped.grid
    # As arrays, which draws need anyway: else each of them converts thousands of pairs.
    grid.component_to_points = {k: np.array(v) for k, v in grid.component_to_points.items()}
    return episode


def instance(rows: list[str], agents: int, seed: int, steps: int) -> dict[str, Any]:
    """Return walls, starts, more goals of each agent than it can reach, and how many steps are
    played.
    """
    world = environment(rows, agents, seed, steps).unwrapped
    return {
        "walls": [list(map(int, row)) for row in world.grid.get_obstacles(ignore_borders=True)],
        "starts": [list(map(int, xy)) for xy in world.get_agents_xy(ignore_borders=True)],
        "goals": [
            [list(map(int, xy)) for xy in each]
            for each in world.get_lifelong_targets_xy(ignore_borders=True)
        ],
        "steps": steps,
    }


def replay(
    rows: list[str], agents: int, seed: int, steps: int, moves: list[list[list[int]]]
) -> float:
    """Return the throughput of moves (steps, agents, 2): goals reached per step."""
    episode = environment(rows, agents, seed, steps)
    reached = 0
    for turn in moves:
        reached += int(sum(episode.step([MOVES[dx, dy] for dx, dy in turn])[1]))
    return reached / steps


def main() -> None:
    """Read requests and write results, one per line."""
    for line in sys.stdin:
        request = json.loads(line)
        moves = request.pop("moves", None)
        if moves is None:
            answer: Any = instance(**request)
        else:
            answer = replay(**request, moves=moves)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
