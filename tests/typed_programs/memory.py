"""Docs: memory.md. An explorer with a memory; marks of any shape; a patrol of a house."""

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc

maze = fc.generate_map("maze", 41, 27, seed=3, algorithm="growing", loops=0.4)
world = fc.InfluenceMap(maze)
memory = world.add_layer("memory", fc.Fade(amount=0.5, interval=1.0, maximum=100.0))
rng = np.random.default_rng(7)
monster = maze.open_near((0.5, 0.5))
for _ in range(40):
    memory.mark(monster)
    monster = fc.query.explore_step(memory, monster, rng=rng).positions
    world.advance(0.25)
pack = np.tile(monster, (3, 1))
pack = fc.query.explore_step(memory, pack, 2, rng=rng, one_per_cell=True).positions
memory.mark(monster, 60.0, radius=8.0, falloff="linear", metric="path")
memory.mark(fc.visible(maze, monster, 8.0, facing=(1, 0)))
soft = world.add_layer("soft", fc.Fade(half_life=30.0, mark_spread=0.5))
soft.mark([(10.5, 10.5), (20.5, 12.5)], radius=[2.0, 5.0], on_wall="nearest")
seen = fc.LastSeen(maze)
seen.observe(fc.visible(maze, monster, radius=7))
print(seen.never.any(), np.count_nonzero(memory.values))
last_seen: NDArray[np.float64] | None = None


def next_step(monster: NDArray[np.float64], player: NDArray[np.float64]) -> NDArray[np.float64]:
    global last_seen
    if fc.sees(maze, [monster], [player], 9.0)[0, 0]:
        last_seen = player
    if last_seen is not None:
        path = fc.shortest_path(maze, monster, last_seen)
        if len(path) > 1:
            step: NDArray[np.float64] = path.positions[1]
            return step
        last_seen = None
    return fc.query.explore_step(memory, monster, 3, rng=rng).positions


monster = next_step(monster, maze.open_near((25.5, 15.5)))
