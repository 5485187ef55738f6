"""The points of all matches as a table and as a plot."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from research.microrts.runner import VARIANTS, Row
from research.shared.plots import IntervalPanel, plot_intervals


def score(points: Sequence[float]) -> tuple[float, float, float]:
    """Return the share of points and its 95 % interval (Wilson's, draws count half)."""
    n = len(points)
    share = sum(points) / len(points)
    z = 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return share, middle - half, middle + half


def table(rows: Sequence[Row]) -> list[str]:
    """Return the table of points by map, bot and variant, in Markdown."""
    lines = [
        "| map | bot | variant | games | points | 95 % | ms a cycle | largest ms |",
        "|---" * 8 + "|",
    ]
    for (name, bot, variant), group in sorted(_groups(rows).items()):
        share, low, high = score([row.points for row in group])
        mean = sum(row.mean_ms * row.cycles for row in group) / sum(row.cycles for row in group)
        lines.append(
            f"| {name} | {bot} | {variant} | {len(group)} | {share:.1%} | {low:.1%} to {high:.1%} "
            f"| {mean:.1f} | {max(row.max_ms for row in group):.0f} |"
        )
    return lines


def picture(rows: Sequence[Row]) -> np.ndarray:
    """Return a plot of the points against each bot on each map, for all variants."""
    groups = _groups(rows)
    places = sorted({(name, bot) for name, bot, _ in groups})
    variants = sorted({variant for _, _, variant in groups}, reverse=True)
    values = np.full((3, len(places), len(variants)), np.nan)
    for i, place in enumerate(places):
        for k, variant in enumerate(variants):
            if group := groups.get((*place, variant)):
                values[:, i, k] = score([row.points for row in group])
    panel = IntervalPanel("points", values[0], values[1], values[2], (0, 1), True, 0.5)
    names = [f"{bot}, {name}" for name, bot in places]
    return plot_intervals(names, variants, [panel], title="microRTS: points against each bot")


def _groups(rows: Sequence[Row]) -> dict[tuple[str, str, str], list[Row]]:
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        name = Path(row.map).stem
        groups[name, row.bot, row.variant].append(row)
        if row.bot not in VARIANTS:
            groups[name, "(all bots)", row.variant].append(row)
    return groups
