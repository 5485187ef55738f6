"""Crowds: everything that 10,000 agents do in one step, against NumPy and cKDTree (`crowd_numpy`),
on real maps where they are at hand.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from bench import crowd_numpy
from bench.race import race, repeats, say
from bench.table import Report, Table, at_least, milliseconds, target, times
from fieldcraft import steering
from fieldcraft.paths import distance_map, flow_field
from fieldcraft.space.grid.passages import passages

REQUIRED = 7.0
DT = 1 / 60
MAX_SPEED = 3.0
MAX_FORCE = 30.0
TOLERANCE = 1e-9
SEED = 20261121
HOME = (
    Path(os.environ.get("FIELDCRAFT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    / "gridmaps"
    / "maps"
)


@dataclass
class Scene:
    """A crowd on its way."""

    title: str
    crowd: steering.Crowd
    flow: Any
    at: NDArray[np.float64]
    moving: NDArray[np.float64]

    def own(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A step of fieldcraft's crowd."""
        return self.crowd.step(
            self.at, self.moving, self.flow, DT, max_speed=MAX_SPEED, max_force=MAX_FORCE
        )

    def verbs(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same step, one verb after the other."""
        crowd = self.crowd
        at = self.at
        moving = self.moving
        follow = steering.follow_flow(at, moving, self.flow, MAX_SPEED)
        near = steering.Neighbors(at, crowd.separation_radius)
        apart = steering.separation(near, strength=MAX_SPEED)
        avoid = steering.avoid_walls(crowd.space, at, moving, crowd.ahead)
        force = crowd.response * follow + crowd.separation * apart + crowd.avoidance * avoid
        velocities = steering.accelerate(
            moving, force, DT, max_speed=MAX_SPEED, max_force=MAX_FORCE
        )
        return steering.move(crowd.space, at, velocities * DT, radius=crowd.radius), velocities

    def other(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same step in NumPy, its field and ground ready made."""
        space = self.crowd.space
        return crowd_numpy.step(
            self.crowd,
            passages(space),
            self.flow.vectors,
            self.flow._gates,
            self.at,
            self.moving,
            DT,
            MAX_SPEED,
            MAX_FORCE,
        )


def scene(name: str, count: int, spread: float) -> Scene:
    """`count` agents within `spread` cells of way to a goal, after 100 steps."""
    path = HOME / f"{name}.map"
    if path.exists():
        ground = path.stem
        space = fc.load_map(path, neighbors=8)
    else:
        ground = "a cave"
        space = fc.generate_map("cave", 512, 512, seed=SEED, neighbors=8)
    rng = np.random.default_rng(SEED)
    goal = space.position_of(space.nearest_open(len(space) // 2 + space.width // 3))
    distances = distance_map(space, goal)
    near = np.flatnonzero(distances.values.reshape(-1) <= spread)
    at = space.position_of(rng.choice(near, count)) + rng.uniform(-0.4, 0.4, (count, 2))
    title = f"{count:,} agents on {ground}"
    found = Scene(
        title, steering.Crowd(space, radius=0.3), flow_field(distances), at, np.zeros((count, 2))
    )
    for _ in range(100):
        found.at, found.moving = found.own()
    found.title += (
        f", {steering.Neighbors(found.at, found.crowd.separation_radius).counts().mean():.1f} neighbors"
        " each"
    )
    return found


def run(quick: bool) -> Report:
    """The table of this suite."""
    report = Report()
    fc.warm_up()
    columns = (
        "one step",
        "best ms",
        "median ms",
        "verb by verb ms",
        "NumPy + cKDTree ms",
        "fieldcraft is, best",
        "median",
        "required",
        "verdict",
    )
    table = Table("Crowds: flow sample, separation, avoidance, swept move", columns)
    for name, count, spread in (
        ("dao/brc202d", 10_000, 1e9),
        ("sc1/AcrosstheCape", 10_000, 60.0),
        ("sc1/AcrosstheCape", 2_000, 60.0),
    ):
        say(f"bench steering: {count} agents on {name}")
        crowd = scene(name, count, spread)
        for what, one, other in zip(
            ("positions", "velocities"), crowd.own(), crowd.other(), strict=True
        ):
            if not np.allclose(one, other, rtol=0, atol=TOLERANCE):
                off = int((np.abs(one - other) > TOLERANCE).any(axis=1).sum())
                report.wrong.append(
                    f"{crowd.title}: {off} {what} differ from NumPy's by up to"
                    f" {np.abs(one - other).max()}, allowed {TOLERANCE}"
                )
        rounds = repeats(quick, 3, 40)
        took = race(
            {
                "own": (lambda: None, partial(repeat, crowd.own, 5)),
                "verbs": (lambda: None, partial(repeat, crowd.verbs, 5)),
                "other": (lambda: None, partial(repeat, crowd.other, 5)),
            },
            5,
            {"own": rounds, "verbs": rounds, "other": rounds},
        )
        ratio = took["other"].best / took["own"].best
        required = REQUIRED if count == 10_000 else None
        table.add(
            crowd.title,
            milliseconds(took["own"].best),
            milliseconds(took["own"].median),
            milliseconds(took["verbs"].best),
            milliseconds(took["other"].best),
            times(ratio),
            times(took["other"].median / took["own"].median),
            target(required),
            at_least(ratio, required),
        )
    table.notes.append(
        f"Positions and velocities agree with NumPy's to {TOLERANCE:g}. Both get the field's"
        " directions and the ground's bars ready made."
    )
    report.tables.append(table)
    return report


def repeat(ask: Any, calls: int) -> None:
    """Ask some times in a row."""
    for _ in range(calls):
        ask()
