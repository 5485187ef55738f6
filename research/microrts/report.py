"""The points of all matches as tables and as a plot."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from research.microrts.runner import VARIANTS, Row
from research.shared.plots import IntervalPanel, plot_intervals

TUNED = {
    "basesWorkers8x8A",
    "basesWorkers8x8",
    "TwoBasesWorkers8x8",
    "ThreeBasesWorkers8x8",
    "FourBasesWorkers8x8",
    "basesWorkers16x16A",
    "basesWorkers16x16",
    "TwoBasesBarracks16x16",
}
"""Maps on which versions of the agent were compared, and those that equal one of them."""
_UNKNOWN = 10**6  # cells of a map whose name does not tell its size


def score(points: Sequence[float]) -> tuple[float, float, float]:
    """Return the share of points and its 95 % interval (Wilson's, draws count half)."""
    n = len(points)
    share = sum(points) / len(points)
    z = 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return share, middle - half, middle + half


def table(rows: Sequence[Row]) -> list[str]:
    """Return the points on each map and against each bot, in Markdown."""
    rows = [row for row in rows if row.bot not in VARIANTS]
    names = sorted({name(row) for row in rows}, key=_size_and_name)
    bots = sorted({row.bot for row in rows})
    lines = _head("map")
    lines += _line("all maps", rows)
    lines += _line("maps not used for tuning", [row for row in rows if name(row) not in TUNED])
    for each in names:
        if each in TUNED:
            label = f"{each} (tuned)"
        else:
            label = each
        lines += _line(label, [row for row in rows if name(row) == each])
    lines += ["", *_head("bot")]
    for bot in bots:
        lines += _line(bot, [row for row in rows if row.bot == bot])
    return lines


def picture(rows: Sequence[Row]) -> np.ndarray:
    """Return a plot of the points against each bot on all maps, for all variants."""
    groups = _groups(rows, lambda row: row.bot)
    bots = sorted({bot for bot, _ in groups})
    variants = sorted({variant for _, variant in groups}, reverse=True)
    values = np.full((3, len(bots), len(variants)), np.nan)
    for i, bot in enumerate(bots):
        for k, variant in enumerate(variants):
            if group := groups.get((bot, variant)):
                values[:, i, k] = score([row.points for row in group])
    panel = IntervalPanel("points", values[0], values[1], values[2], (0, 1), True, 0.5)
    return plot_intervals(bots, variants, [panel], title="microRTS: points against each bot")


def name(row: Row) -> str:
    """Return the name of the map of a match."""
    return Path(row.map).stem


def _size_and_name(map_name: str) -> tuple[int, str]:
    """Return the number of cells that a map's name tells, or a large number, and the name."""
    size = re.search(r"(\d+)x(\d+)", map_name)
    if size is None:
        return _UNKNOWN, map_name
    return int(size[1]) * int(size[2]), map_name


def _head(first: str) -> list[str]:
    return [
        f"| {first} | games | points | 95 % | without influence: games | points | 95 % |",
        "|---" * 7 + "|",
    ]


def _line(label: str, rows: Sequence[Row]) -> list[str]:
    groups = _groups(rows, lambda row: "")
    cells = [label]
    for variant in ("full", "blank"):
        group = groups.get(("", variant))
        if group is None:
            cells += ["0", "", ""]
            continue
        share, low, high = score([row.points for row in group])
        cells += [str(len(group)), f"{share:.0%}", f"{low:.0%} to {high:.0%}"]
    return ["| " + " | ".join(cells) + " |"]


def _groups(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[tuple[str, str], list[Row]]:
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row), row.variant].append(row)
    return groups
