"""A check that our instances are the published ones: throughput of shortest paths without
collisions against the published planner, episode by episode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import fieldcraft as fc
from research.pogema.table import Row


def unhindered(instance: dict[str, Any]) -> float:
    """Return the throughput of agents that walk through each other."""
    grid = fc.Grid(walls=np.array(instance["walls"], dtype=bool), neighbors=4)
    width = np.array([grid.width, 1])
    maps: dict[int, fc.DistanceMap] = {}
    reached = 0
    for start, goals in zip(instance["starts"], instance["goals"], strict=True):
        here = int(np.array(start) @ width)
        gone = 0.0
        for goal in (np.array(goals) @ width).tolist():
            if goal not in maps:
                maps[goal] = fc.distance_map(grid, grid.position_of(goal))
            gone += float(maps[goal].measured(np.array([here]))[0])
            if gone > instance["steps"]:
                break
            here = goal
            reached = reached + 1
    return float(reached / instance["steps"])


def calibration(
    rows: list[Row], ask: Callable[[Row, bool], dict[str, Any]], both: bool
) -> list[str]:
    """Return a Markdown table of the instances of published episodes, with the markers of the map
    as given, and also exchanged if `both`.
    """
    published = np.array([row.throughput for row in rows])
    lines = []
    markings = [(False, "as given")]
    if both:
        markings.append((True, "exchanged"))
    for exchanged, markers in markings:
        alone = np.array([unhindered(ask(row, exchanged)) for row in rows])
        agreed = np.corrcoef(alone, published)[0, 1]
        lines.append(
            f"| {rows[0].case.set} {rows[0].case.agents} ({len(rows)})"
            f" | {markers} | {alone.mean():.3f}"
            f" | {published.mean():.3f} | {(published <= alone).sum()} of {len(rows)}"
            f" | {agreed:.2f} |"
        )
    return lines
