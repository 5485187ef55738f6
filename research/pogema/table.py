"""Our rows and the published ones: means with confidence intervals, and paired differences."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from research.experiments.statistics import Interval, mean, paired
from research.plots import IntervalPanel, plot_curves

PLANNER = "RHCR"
_FIELDS = ("set", "variant", "agents", "map", "seed", "throughput", "seconds")


@dataclass(frozen=True, order=True)
class Case:
    """One instance of the benchmark."""

    set: str
    agents: int
    map: str
    seed: int


@dataclass(frozen=True)
class Row:
    """One episode, ours or a published one; `variant` is the name of the algorithm."""

    case: Case
    variant: str
    throughput: float
    seconds: float


def published(path: Path) -> list[Row]:
    """Return the published episodes; seconds are per step."""
    with path.open() as file:
        return [
            Row(
                Case(row["set"], int(row["agents"]), row["map"], int(row["seed"])),
                row["algorithm"],
                float(row["throughput"]),
                float(row["runtime_s"]) / 256,
            )
            for row in csv.DictReader(file)
        ]


def read_rows(path: Path) -> list[Row]:
    """Return our episodes, possibly none."""
    if not path.exists():
        return []
    with path.open() as file:
        return [
            Row(
                Case(row["set"], int(row["agents"]), row["map"], int(row["seed"])),
                row["variant"],
                float(row["throughput"]),
                float(row["seconds"]),
            )
            for row in csv.DictReader(file)
        ]


def write_row(path: Path, row: Row) -> None:
    """Put an episode to the end of the file."""
    new = not path.exists()
    with path.open("a") as file:
        out = csv.writer(file)
        if new:
            out.writerow(_FIELDS)
        case = row.case
        place = case.set, row.variant, case.agents, case.map, case.seed
        out.writerow([*place, row.throughput, f"{row.seconds:.6f}"])


def _by_case(rows: Iterable[Row]) -> dict[tuple[str, int], dict[str, dict[Case, Row]]]:
    found: dict[tuple[str, int], dict[str, dict[Case, Row]]] = {}
    for row in rows:
        group = found.setdefault((row.case.set, row.case.agents), {})
        group.setdefault(row.variant, {})[row.case] = row
    return found


def _cell(interval: Interval, sign: str = "") -> str:
    return f"{interval.value:{sign}.2f} ({interval.low:{sign}.2f} to {interval.high:{sign}.2f})"


def table(ours: Sequence[Row], theirs: Sequence[Row], variants: Sequence[str]) -> list[str]:
    """Return a table in Markdown, one line for each set and number of agents."""
    others = _by_case(theirs)
    lines = [
        f"| set, agents (episodes) | {' | '.join(variants)} | ms a step | {PLANNER} | best learned"
        f" | full - {PLANNER} | full - learned |",
        "|" + "---|" * (len(variants) + 6),
    ]
    for (name, agents), found in sorted(_by_case(ours).items()):
        if "full" not in found:
            continue
        cases = sorted(found["full"])
        full = np.array([found["full"][case].throughput for case in cases])
        cells = [
            _cell(mean([each.throughput for each in found[variant].values()]))
            if variant in found
            else "-"
            for variant in variants
        ]
        rivals = {
            key: np.array([rows[case].throughput for case in cases])
            for key, rows in others[name, agents].items()
            if all(case in rows for case in cases)
        }
        learned = max((key for key in rivals if key != PLANNER), key=lambda key: rivals[key].mean())
        step = 1000 * np.mean([found["full"][case].seconds for case in cases])
        lines.append(
            f"| {name} {agents} ({len(cases)}) | {' | '.join(cells)} | {step:.1f}"
            f" | {rivals[PLANNER].mean():.2f} | {rivals[learned].mean():.2f} {learned}"
            f" | {_cell(paired(full, rivals[PLANNER]), '+')}"
            f" | {_cell(paired(full, rivals[learned]), '+')} |"
        )
    return lines


def picture(ours: Sequence[Row], theirs: Sequence[Row], name: str) -> np.ndarray:
    """Return curves of throughput over numbers of agents for one set."""
    both = _by_case([*ours, *theirs])
    counts = sorted(agents for place, agents in _by_case(ours) if place == name)
    series = ("full", "no traffic layer", "no look-ahead", PLANNER, "Follower")
    values = np.full((3, len(counts), len(series)), np.nan)
    for i, agents in enumerate(counts):
        for k, variant in enumerate(series):
            if found := both[name, agents].get(variant):
                interval = mean([row.throughput for row in found.values()])
                values[:, i, k] = interval.value, interval.low, interval.high
    panel = IntervalPanel("goals reached a step", *values)
    return plot_curves(counts, series, [panel], axis="agents", title=f"POGEMA, {name}")
