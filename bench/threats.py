"""Layers foreseen, and ways through danger that changes with time."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

import fieldcraft as fc
from bench.table import Report, Table, milliseconds
from fieldcraft.layers.forecast import values_at

SEED = 20261123
SIDE = 256
STEPS = 64
PATROLS = 24
REQUIRED = 2.0  # ms a way


def patrolled(kind: str, rng: np.random.Generator) -> fc.Layer:
    """Return the danger of patrols that walk there and back."""
    space = fc.generate_map(kind, SIDE, SIDE, seed=3, neighbors=8)
    layer = fc.InfluenceMap(space).add_layer("danger", fc.Radial(12, falloff="linear"))
    open_cells = np.flatnonzero(~space.walls.reshape(-1))
    while len(layer.sources) < PATROLS:
        start, goal = space.position_of(rng.choice(open_cells, 2))
        beat = fc.shortest_path(space, start, goal)
        if beat:
            places = np.concatenate([beat.positions[1:], beat.positions[::-1]])
            layer.add_source(start, 5.0).follow(places, 1.0, repeat=True)
    layer.step()
    return layer


def fastest(space: fc.Space, start: Any, goal: Any, danger: Any) -> float:
    """Return the least CPU time of five searches, in seconds."""
    took = []
    for _ in range(5):
        begin = time.process_time()
        fc.shortest_path(space, start, goal, danger=danger)
        took.append(time.process_time() - begin)
    return min(took)


def run(quick: bool) -> Report:
    """Every table of this suite."""
    report = Report()
    table = Table(
        f"Paths through {PATROLS} patrols on {SIDE} x {SIDE} with {STEPS} time steps, in milliseconds",
        ["map", "foreseeing all steps", "a way, mean", "median", "longest", "required"],
    )
    for kind in ("pillars",) if quick else ("pillars", "open", "rooms", "cave"):
        rng = np.random.default_rng(SEED)
        layer = patrolled(kind, rng)
        space = layer.space
        start = time.perf_counter()
        danger = np.stack([frame.copy() for frame in values_at(layer, range(STEPS))])
        foreseen = time.perf_counter() - start
        cells = rng.choice(np.flatnonzero(~space.walls.reshape(-1)), 80)
        ends = space.position_of(cells).reshape(40, 2, 2)
        pairs = [pair for pair in ends if fc.shortest_path(space, *pair)]
        fc.shortest_path(space, *pairs[0], danger=danger)
        fixed = fastest(space, pairs[0][0], pairs[0][0], danger)
        took = [max(fastest(space, *pair, danger) - fixed, 0.0) for pair in pairs]
        mean = statistics.mean(took)
        median = statistics.median(took)
        table.add(kind, *map(milliseconds, (foreseen, mean, median, max(took))), f"{REQUIRED:g}")
    table.notes.append(
        "Times of a way are the least of five CPU times, beyond those of a call that goes nowhere, which copies and"
        " checks the danger: many ways share that."
    )
    report.tables.append(table)
    return report
