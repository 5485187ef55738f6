"""Damage on ways through patrols and artillery, with danger that changes with time and without.

`python -m research.threats` prints a table: on ten maps the damage of ways that know how the danger
will change, beside ways that take it as it is now, or its mean over time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.layer.forecast import values_at
from fieldcraft.paths import TimedPath
from research.experiments.statistics import ratio

SEED = 20261123
KINDS = ("rooms", "pillars", "cave", "open", "rooms", "pillars", "cave", "open", "rooms", "cave")
SIZE = 64, 48
PATROLS, GUNS, WAYS = 8, 6, 30
STEP, STEPS = 0.5, 256
KNOWN = {"as it will be": 1.0, "as it will be, counted at a fifth": 0.2}
"""How much damage counts beside walking on ways that know how the danger will change."""
FINE = 4
"""Damage is added up this many times in each time step, where the agent is then."""
Frames = NDArray[np.float32]
Rows = dict[str, tuple[float, float]]


def world(number: int, rng: np.random.Generator) -> tuple[fc.Grid, fc.Layer]:
    """Return a map and the danger on it: patrols that walk there and back, and guns that fire."""
    space = fc.generate_map(KINDS[number], *SIZE, seed=SEED + number, neighbors=8)
    danger = fc.InfluenceMap(space).add_layer("danger", fc.Radial(6.0, falloff="linear"))
    for _ in range(PATROLS):
        beat = path_between(space, rng)
        patrol = danger.add_source(beat.positions[0], 4.0)
        there_and_back = np.concatenate([beat.positions[1:], beat.positions[::-1]])
        patrol.follow(there_and_back, speed=float(rng.uniform(0.5, 1.5)), repeat=True)
    for _ in range(GUNS):
        target = path_between(space, rng).positions[0]
        gun = danger.add_source(target, 0.0, radius=5.0)
        quiet, fires = rng.uniform(6, 12), rng.uniform(3, 6)
        gun.schedule([0, quiet], [0.0, 8.0], period=quiet + fires)
    danger.step()
    return space, danger


def path_between(space: fc.Grid, rng: np.random.Generator) -> fc.Path:
    """Return a path of at least 20 between two open cells."""
    open_cells = np.flatnonzero(~space.walls.reshape(-1))
    while True:
        start, goal = space.position_of(rng.choice(open_cells, 2))
        path = fc.shortest_path(space, start, goal)
        if path and path.length >= 20:
            return path


def suffered(space: fc.Grid, fine: Frames, places: NDArray[np.float64]) -> float:
    """Return the damage of an agent that is in these places at all times that are looked at."""
    times = np.minimum(np.arange(len(places)), len(fine) - 1)
    return float(fine[times, space.cell_at(places)].sum()) * STEP / FINE


def measured(number: int) -> Rows:
    """Return the damage and the length of the ways of each kind on one map, summed."""
    rng = np.random.default_rng(SEED + number)
    space, layer = world(number, rng)
    times = (STEP / FINE * np.arange(STEPS * FINE)).tolist()
    fine = np.stack([frame.reshape(-1).copy() for frame in values_at(layer, times)])
    frames = np.ascontiguousarray(fine[::FINE])
    ends = [path_between(space, rng) for _ in range(WAYS)]
    starts, goals = (np.array([path.positions[at] for path in ends]) for at in (0, -1))
    kinds = {
        "as it is now": 1 + frames[0].reshape(space.shape).astype(float),
        "its mean over time": 1 + frames.mean(axis=0).reshape(space.shape).astype(float),
    }
    found = {
        kind: fc.shortest_paths(space, starts, goals, cost=cost) for kind, cost in kinds.items()
    }
    danger = frames.reshape(-1, *space.shape)
    for kind, weight in KNOWN.items():
        found[kind] = fc.shortest_paths(
            space, starts, goals, danger=weight * danger, time_step=STEP
        )
    rows = {}
    for kind, paths in found.items():
        damage = 0.0
        for path in paths:
            lasts = path.times[-1] if isinstance(path, TimedPath) else path.length
            moments = np.arange(0, lasts, STEP / FINE)
            at = path.position_at if isinstance(path, TimedPath) else path.at
            damage += suffered(space, fine, at(moments))
        rows[kind] = damage, sum(path.length for path in paths)
    return rows


def main() -> None:
    """Print the table."""
    maps = [measured(number) for number in range(len(KINDS))]
    print(f"{len(maps)} maps, {WAYS} ways each; damage and length of ways that know the danger")
    for kind in KNOWN:
        for other in ("as it is now", "its mean over time"):
            print(f"danger {kind} / {other}:", end="")
            for column, what in enumerate(("damage", "length")):
                pairs = np.array([[each[kind][column], each[other][column]] for each in maps])
                found = ratio(*pairs.T)
                print(f"  {what} {found.value:.3f} [{found.low:.3f}, {found.high:.3f}]", end="")
            print()


if __name__ == "__main__":
    main()
