"""The files of a search, and its report as text."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict
from pathlib import Path

from fieldcraft.files import Staging
from research.experiments.jobs import code_digest
from research.experiments.statistics import Interval
from research.tuning.ranges import toml_of
from research.tuning.search import Found
from research.tuning.tunables import Tunable

__all__ = ["listed", "report_lines", "write_found"]


def write_found(found: Found, folder: Path) -> tuple[Path, ...]:
    """Write the trials as CSV, the outcome as JSON and the settings as TOML into a folder: all of
    them, or none.
    """
    tuning = found.tuning
    files = [f"tune-{tuning.tunable.name}.{end}" for end in ("csv", "json", "toml")]
    with Staging(folder, files) as staging:
        table, text, settings = (staging.part(file) for file in files)
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
            "seed": tuning.seed,
            "fixed": dict(tuning.fixed),
            "searched": [dict(each) for each in tuning.searched()],
            "judged": [dict(each) for each in tuning.unseen()],
            "best": asdict(found.best),
            "found": asdict(found.got),
            "usual": asdict(found.usual),
            "ahead": asdict(found.ahead),
            "importances": dict(found.importances),
        }
        text.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        values = {**tuning.fixed, **found.best.values}
        settings.write_text(toml_of(values, _conclusions(found)), encoding="utf-8")
        return staging.commit()


def listed(tunable: Tunable) -> list[str]:
    """Return the lines of what may be searched: settings with their defaults, objectives."""
    lines = [f"{tunable.name}: {tunable.title}", "", "settings:"]
    lines += [f"  {name} = {_value(value)}" for name, value in tunable.settings.items()]
    lines += ["", "objectives:"]
    return lines + [
        f"  {name} ({'more' if sign > 0 else 'less'} is better)"
        for name, sign in tunable.objectives.items()
    ]


def report_lines(found: Found) -> list[str]:
    """Return the report: settings found, the interval on unseen worlds, what matters."""
    tuning, states = found.tuning, [trial.state for trial in found.trials]
    lines = [
        f"Tuned {tuning.tunable.name}: {tuning.tunable.title}",
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
    """Return two sentences: what was found, and whether it is better on unseen worlds."""
    lead = found.ahead
    verdict = "not surely better on unseen worlds: the interval holds 0"
    if lead.low > 0:
        verdict = "better on unseen worlds"
    elif lead.high < 0:
        verdict = "worse on unseen worlds: keep the usual settings"
    values = ", ".join(f"{name} = {_value(value)}" for name, value in found.best.values.items())
    return [
        f"Found: {values} (trial {found.best.number})",
        f"On {lead.count} worlds that no trial saw it is ahead by {_text(lead)}: {verdict}",
    ]


def _text(interval: Interval) -> str:
    return f"{interval.value:.3g} [{interval.low:.3g}, {interval.high:.3g}]"


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
