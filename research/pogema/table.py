"""Our rows and the published ones: means with confidence intervals, and paired differences."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from research.shared.plots import IntervalPanel, plot_curves
from research.shared.statistics import Interval, mean, paired

PLANNER = "RHCR"
PEER = "EPIBT"
"""A planner with equal information that plays the same instances here."""
PLANNING = ("full", "more effort")
"""The variants that are compared with these."""
_SHORT = {"02-mazes": 128}  # sets whose published episodes have other than 256 steps
_FIELDS = ("set", "variant", "agents", "map", "seed", "throughput", "seconds")


@dataclass(frozen=True, order=True)
class Case:
    """One instance of the benchmark."""

    set: str
    agents: int
    map: str
    seed: int

    @property
    def steps(self) -> int:
        """How many steps the published episodes of the set have."""
        return _SHORT.get(self.set, 256)


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
        return [_published_row(row) for row in csv.DictReader(file)]


def _published_row(row: dict[str, str]) -> Row:
    case = _case(row)
    seconds = float(row["runtime_s"]) / case.steps
    return Row(case, row["algorithm"], float(row["throughput"]), seconds)


def _case(row: dict[str, str]) -> Case:
    return Case(row["set"], int(row["agents"]), row["map"], int(row["seed"]))


def read_rows(path: Path) -> list[Row]:
    """Return our episodes, possibly none."""
    if not path.exists():
        return []
    with path.open() as file:
        return [
            Row(_case(row), row["variant"], float(row["throughput"]), float(row["seconds"]))
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
    if not math.isfinite(interval.low):
        return f"{interval.value:{sign}.2f}"  # one episode has no interval
    return f"{interval.value:{sign}.2f} ({interval.low:{sign}.2f} to {interval.high:{sign}.2f})"


def _mean_of(rows: dict[Case, Row]) -> str:
    if not rows:
        return "-"
    return _cell(mean([row.throughput for row in rows.values()]))


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
        full = _throughput(found["full"], cases)
        cells = [_mean_of(found.get(variant, {})) for variant in variants]
        rivals = {
            key: _throughput(rows, cases)
            for key, rows in others[name, agents].items()
            if all(case in rows for case in cases)
        }
        learned = max((key for key in rivals if key != PLANNER), key=lambda key: rivals[key].mean())
        step = _milliseconds(found["full"], cases)
        lines.append(
            f"| {name} {agents} ({len(cases)}) | {' | '.join(cells)} | {step:.1f}"
            f" | {rivals[PLANNER].mean():.2f} | {rivals[learned].mean():.2f} {learned}"
            f" | {_cell(paired(full, rivals[PLANNER]), '+')}"
            f" | {_cell(paired(full, rivals[learned]), '+')} |"
        )
    return lines


def against_planner(ours: Sequence[Row], theirs: Sequence[Row]) -> list[str]:
    """Return a table in Markdown of the published planner that knows as much, and of ours with
    plans.
    """
    others = _by_case(theirs)
    lines = [
        f"| set, agents (episodes) | variant | ours | {PLANNER} | ours - {PLANNER}"
        f" | above {PLANNER} | median | ms a step |",
        "|" + "---|" * 8,
    ]
    for (name, agents), found in sorted(_by_case(ours).items()):
        for variant in PLANNING:
            if variant not in found:
                continue
            cases = sorted(found[variant])
            here = _throughput(found[variant], cases)
            there = _throughput(others[name, agents][PLANNER], cases)
            lines.append(
                f"| {name} {agents} ({len(cases)}) | {variant} | {here.mean():.2f}"
                f" | {there.mean():.2f} | {_against(here, there)}"
                f" | {_milliseconds(found[variant], cases):.1f} |"
            )
    return lines


def peers(ours: Sequence[Row], theirs: Sequence[Row]) -> list[str]:
    """Return a table in Markdown of the planners that have equal information."""
    others = _by_case(theirs)
    lines = [
        f"| set, agents (episodes) | ours | {PEER} | {PLANNER} | ours - {PEER} | above {PEER}"
        f" | median | ours - {PLANNER} | above {PLANNER} | median | ms a step, ours"
        f" | ms a step, {PEER} |",
        "|" + "---|" * 12,
    ]
    for (name, agents), found in sorted(_by_case(ours).items()):
        if "full" not in found or PEER not in found:
            continue
        cases = sorted(found["full"].keys() & found[PEER].keys())
        full = _throughput(found["full"], cases)
        peer = _throughput(found[PEER], cases)
        planner = _throughput(others[name, agents][PLANNER], cases)
        lines.append(
            f"| {name} {agents} ({len(cases)}) | {full.mean():.2f} | {peer.mean():.2f}"
            f" | {planner.mean():.2f} | {_against(full, peer)} | {_against(full, planner)}"
            f" | {_milliseconds(found['full'], cases):.1f}"
            f" | {_milliseconds(found[PEER], cases):.1f} |"
        )
    return lines


def _throughput(rows: dict[Case, Row], cases: Sequence[Case]) -> np.ndarray:
    return np.array([rows[case].throughput for case in cases])


def _milliseconds(rows: dict[Case, Row], cases: Sequence[Case]) -> float:
    return float(1000 * np.mean([rows[case].seconds for case in cases]))


def _against(full: np.ndarray, peer: np.ndarray) -> str:
    """Return the difference in pairs, the number of episodes won, and the median difference as a
    part of the other.
    """
    median = 100 * np.median(full / peer - 1)
    won = int((full > peer).sum())
    return f"{_cell(paired(full, peer), '+')} | {won} of {len(full)} | {median:+.1f} %"


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
