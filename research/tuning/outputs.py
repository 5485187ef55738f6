"""The files of a search, and its report as text."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft.files import Staging
from research.experiments.jobs import code_digest
from research.experiments.statistics import Interval
from research.plots import IntervalPanel, plot_intervals
from research.tuning.ranges import toml_of
from research.tuning.search import Found
from research.tuning.tunable import Tunable

__all__ = ["listed", "report_lines", "write_found"]


def write_found(found: Found, folder: Path) -> tuple[Path, ...]:
    """Write the trials as CSV, the outcome as JSON and PNG, and the settings as TOML into a folder:
    all of them, or none.
    """
    from fieldcraft.view import save_png

    tuning = found.tuning
    name = f"tune-{tuning.tunable.name}"
    with Staging(folder, [f"{name}.{end}" for end in ("csv", "json", "toml", "png")]) as staging:
        table, text, settings, picture = (
            staging.part(f"{name}.{end}") for end in ("csv", "json", "toml", "png")
        )
        names = [each.name for each in tuning.ranges]
        with table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["trial", "state", tuning.objective, *names, "error"])
            for each in found.trials:
                played = (each.values[name] for name in names)
                writer.writerow([each.number, each.state, each.value, *played, each.error])
        document = {
            "tuned": tuning.tunable.name,
            "objective": tuning.objective,
            "code": code_digest(),
            "search": [str(each) for each in tuning.ranges],
            "sampler": tuning.sampler,
            "seed": tuning.seed,
            "fixed": dict(tuning.fixed),
            "searched": [dict(each) for each in tuning.searched()],
            "judged": [dict(each) for each in tuning.unseen()],
            "best": asdict(found.best),
            "got": _plain(found.got),
            "usual": _plain(found.usual),
            "ahead": _plain(found.ahead),
            "importances": dict(found.importances),
        }
        text.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        values = {**tuning.fixed, **found.best.values}
        settings.write_text(toml_of(values, _conclusions(found)), encoding="utf-8")
        save_png(picture, _picture(found))
        return staging.commit()


def _plain(interval: Interval) -> dict[str, object]:
    ends = {name: getattr(interval, name) for name in ("low", "high")}
    return asdict(interval) | {name: None if math.isnan(end) else end for name, end in ends.items()}


def _picture(found: Found) -> NDArray[np.uint8]:
    both = found.usual, found.got
    values, lows, highs = (
        [[getattr(each, part) for each in both]] for part in ("value", "low", "high")
    )
    return plot_intervals(
        ("unseen worlds",),
        ("usual", "found"),
        [IntervalPanel(found.tuning.objective, values, lows, highs)],
        title=f"Tuned {found.tuning.tunable.name}, on worlds that no trial saw",
        caption=". ".join(_conclusions(found)) + ".",
    )


def listed(tunable: Tunable) -> list[str]:
    """Return the lines of what may be searched: settings with their usual values, objectives."""
    lines = [f"{tunable.name}: {tunable.told}", "", "settings:"]
    lines += [f"  {name} = {_value(value)}" for name, value in tunable.settings.items()]
    lines += ["", "objectives:"]
    return lines + [
        f"  {name} ({'more' if sign > 0 else 'less'} is better)"
        for name, sign in tunable.objectives.items()
    ]


def report_lines(found: Found) -> list[str]:
    """Return the report: settings found, how sure that is on unseen worlds, what matters."""
    tuning, states = found.tuning, [trial.state for trial in found.trials]
    lines = [
        f"Tuned {tuning.tunable.name}: {tuning.tunable.told}",
        (
            f"{len(states)} trials on {len(tuning.searched())} worlds:"
            f" {states.count('complete')} complete, {states.count('pruned')} given up early,"
            f" {states.count('failed')} failed"
        ),
        f"{tuning.objective}, usual settings: {_text(found.usual)}, found: {_text(found.got)}",
        *(f"{line}." for line in _conclusions(found)),
    ]
    if found.importances:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in found.importances.items())
        lines.append(f"Of what differed among trials (fANOVA, on the worlds searched): {shares}.")
    return lines


def _conclusions(found: Found) -> list[str]:
    """The sentences that say what was found, and how sure that is."""
    said = found.ahead
    verdict = (
        "better on unseen worlds"
        if said.low > 0
        else "worse on unseen worlds: keep the usual settings"
        if said.high < 0
        else "not surely better on unseen worlds: the interval holds 0"
    )
    values = ", ".join(f"{name} = {_value(value)}" for name, value in found.best.values.items())
    return [
        f"Found: {values} (trial {found.best.number})",
        f"On {said.count} worlds that no trial saw it is ahead by {_text(said)}: {verdict}",
    ]


def _text(interval: Interval) -> str:
    return f"{interval.value:.3g} [{interval.low:.3g}, {interval.high:.3g}]"


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
