"""Damage on paths through patrols and artillery, with and without danger that changes with time.

`python -m research.threats` prints tables: the damage and the length of paths with the future
danger, by the weight of damage against walking, in comparison with paths with the danger of now, or
its mean over time. The first table is for ten maps to choose that weight, the second for ten
others. `--picture FILE` draws the second one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import fieldcraft as fc
from fieldcraft.base.words import MapKind
from fieldcraft.layers.forecast import values_at
from fieldcraft.paths import TimedPath
from research.shared.plots import RGBA, IntervalPanel, plot_curves
from research.shared.statistics import Interval, ratio

SEED = 20261123
CHOOSING_SEED = 777000
_FOUR: tuple[MapKind, ...] = ("rooms", "pillars", "cave", "open")
KINDS: tuple[MapKind, ...] = (*_FOUR, *_FOUR, "rooms", "cave")
SIZE = 64, 48
PATROLS = 8
GUNS = 6
WAYS = 30
STEP = 0.5
STEPS = 256
WEIGHTS = 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0
"""How much damage counts beside walking on ways that know how the danger will change."""
LONGER = 1.05
"""How long those ways may be beside ways by the danger of now."""
STATIC = "as it is now", "as it is in the mean"
FINE = 4
"""Damage is added up this many times in each time step, where the agent is then."""
Rows = dict[str | float, tuple[float, float]]


def world(kind: MapKind, seed: int, rng: np.random.Generator) -> tuple[fc.Grid, fc.Layer]:
    """Return a map and its danger: patrols that walk back and forth, and guns that fire."""
    space = fc.generate_map(kind, *SIZE, seed=seed, neighbors=8)
    danger = fc.InfluenceMap(space).add_layer("danger", fc.Radial(6.0, falloff="linear"))
    for _ in range(PATROLS):
        beat = path_between(space, rng)
        patrol = danger.add_source(beat.positions[0], 4.0)
        there_and_back = np.concatenate([beat.positions[1:], beat.positions[::-1]])
        patrol.follow(there_and_back, speed=float(rng.uniform(0.5, 1.5)), repeat=True)
    for _ in range(GUNS):
        target = path_between(space, rng).positions[0]
        gun = danger.add_source(target, 0.0, radius=5.0)
        quiet = rng.uniform(6, 12)
        fires = rng.uniform(3, 6)
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


def measured(kind: MapKind, seed: int) -> Rows:
    """Return the sums of damage and length of the paths of each kind on one map."""
    rng = np.random.default_rng(seed)
    space, layer = world(kind, seed, rng)
    times = (STEP / FINE * np.arange(STEPS * FINE)).tolist()
    fine = np.stack([frame.reshape(-1).copy() for frame in values_at(layer, times)])
    frames = np.ascontiguousarray(fine[::FINE])
    ends = [path_between(space, rng) for _ in range(WAYS)]
    starts, goals = (np.array([path.positions[at] for path in ends]) for at in (0, -1))
    danger = frames.reshape(-1, *space.shape)
    found: dict[str | float, list[fc.Path]] = {
        known: fc.shortest_paths(space, starts, goals, cost=1 + values.astype(float))
        for known, values in zip(STATIC, (danger[0], danger.mean(axis=0)), strict=True)
    }
    for weight in WEIGHTS:
        found[weight] = fc.shortest_paths(
            space, starts, goals, danger=weight * danger, time_step=STEP
        )
    rows: Rows = {}
    for known, paths in found.items():
        damage = 0.0
        for path in paths:
            if isinstance(path, TimedPath):
                lasts = path.times[-1]
            else:
                lasts = path.length
            moments = np.arange(0, lasts, STEP / FINE)
            at = path.position_at if isinstance(path, TimedPath) else path.at
            then = np.minimum(np.arange(len(moments)), len(fine) - 1)
            damage += float(fine[then, space.cell_at(at(moments))].sum())
        rows[known] = damage * STEP / FINE, sum(path.length for path in paths)
    return rows


def ratios(maps: list[Rows], weight: float, other: str) -> list[Interval]:
    """Return what ways by a weight suffer and how long they are beside those of another kind."""
    sums = np.array([[each[weight], each[other]] for each in maps])
    return [ratio(*column) for column in sums.T]


def show(maps: list[Rows]) -> None:
    """Print the table of some maps."""
    for other in STATIC:
        print(f"beside ways by danger {other}:")
        for weight in WEIGHTS:
            found = zip(("damage", "length"), ratios(maps, weight, other), strict=True)
            texts = (f"{what} {e.value:.2f} [{e.low:.2f}, {e.high:.2f}]" for what, e in found)
            print(f"  damage counts {weight:<4g}", *texts, sep="  ")


def picture(maps: list[Rows]) -> RGBA:
    """Return damage and length by the weight of damage, beside ways by static danger."""
    found = [[ratios(maps, weight, other) for other in STATIC] for weight in WEIGHTS]
    table = np.array([[[(e.value, e.low, e.high) for e in pair] for pair in row] for row in found])
    panels = [
        IntervalPanel(title, middle, low, high, limits, percent=True, mark=1.0)
        for title, limits, (middle, low, high) in zip(
            ("damage", "length"), ((0, 1.5), (0.9, 1.2)), table.transpose(2, 3, 0, 1), strict=True
        )
    ]
    series = [f"against danger {other}" for other in STATIC]
    return plot_curves(WEIGHTS, series, panels, axis="how much damage counts", columns=2)


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(prog="python -m research.threats", description=__doc__)
    options.add_argument("--picture", type=Path)
    file = options.parse_args().picture
    choosing, judged = (
        [measured(kind, seed + number) for number, kind in enumerate(KINDS)]
        for seed in (CHOOSING_SEED, SEED)
    )
    print(f"{len(KINDS)} maps for choosing, {WAYS} ways each")
    show(choosing)
    fits = [k for k in WEIGHTS if ratios(choosing, k, STATIC[0])[1].value <= LONGER]
    print(f"chosen: {max(fits):g}, the largest with ways at most {LONGER - 1:.0%} longer\n")
    print(f"{len(KINDS)} other maps, {WAYS} ways each")
    show(judged)
    if file is not None:
        fc.view.save_png(file, picture(judged))


if __name__ == "__main__":
    main()
