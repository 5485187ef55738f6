"""The files of a search, and its report as text."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

from fieldcraft.files import Staging
from research.experiments.journal import code_digest
from research.experiments.outputs import table_lines
from research.experiments.statistics import Interval
from research.experiments.study import Measure, Summary
from research.tuning.ranges import toml_of
from research.tuning.search import Found
from research.tuning.tunable import Tunable

__all__ = ["listed", "report_lines", "write_found"]

_AHEAD = "ahead of usual"  # no objective has this name


def write_found(found: Found, folder: Path) -> tuple[Path, ...]:
    """Write the trials as CSV, the outcome as JSON, plots, and the settings as TOML into a folder:
    all of them, or none.
    """
    from fieldcraft.view import save_png

    tuning = found.tuning
    name = f"tune-{tuning.tunable.name}"
    pictures = {f"{name}.png": _judgement(found), f"{name}-trials.png": _history(found)}
    if found.importances:
        pictures[f"{name}-importance.png"] = _importance(found)
    with Staging(folder, [f"{name}.csv", f"{name}.json", f"{name}.toml", *pictures]) as staging:
        _write_trials(staging.part(f"{name}.csv"), found)
        staging.part(f"{name}.json").write_text(
            json.dumps(_document(found), indent=2) + "\n", encoding="utf-8"
        )
        staging.part(f"{name}.toml").write_text(
            toml_of({**tuning.fixed, **found.best.trial.values}, _told(found)), encoding="utf-8"
        )
        for file, picture in pictures.items():
            save_png(staging.part(file), picture)
        return staging.commit()


def listed(tunable: Tunable) -> list[str]:
    """The lines of what may be searched and sought: settings with their usual values, and
    objectives.
    """
    lines = [f"{tunable.name}: {tunable.told}", "", "settings:"]
    lines += [f"  {name} = {_value(value)}" for name, value in tunable.settings.items()]
    lines += ["", "objectives:"]
    return lines + [
        f"  {name} ({'more' if sign > 0 else 'less'} is better)"
        for name, sign in tunable.objectives.items()
    ]


def report_lines(found: Found) -> list[str]:
    """The report: settings found, how sure it is on unseen worlds, and which settings matter."""
    tuning = found.tuning
    states = [trial.state for trial in found.trials]
    lines = [
        f"Tuned {tuning.tunable.name}: {tuning.tunable.told}",
        (
            f"{len(states)} trials on {tuning.seeds * len(tuning.worlds)} worlds:"
            f" {states.count('complete')} complete, {states.count('pruned')} given up early,"
            f" {states.count('failed')} failed"
        ),
        "",
        *table_lines(_summary(found), unit="worlds"),
        "",
        "In brackets: 95 % confidence intervals"
        + (f", of {len(found.judged)} finalists at once." if len(found.judged) > 1 else "."),
        *(f"{line}." for line in _told(found)),
    ]
    if found.importances:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in found.importances.items())
        lines.append(f"Of what differed among trials (fANOVA, on the worlds searched): {shares}.")
    return [*lines, *(f"{note}." for note in found.notes)]


def _told(found: Found) -> list[str]:
    """The honest sentences."""
    tuning, best = found.tuning, found.best
    value = best.trial.value
    assert value is not None
    searched = tuning.sign * (value - found.usual_searched)
    said = best.ahead["all maps"]
    verdict = (
        "better on unseen worlds"
        if said.low > 0
        else (
            "worse on unseen worlds: keep the usual settings"
            if said.high < 0
            else "not surely better on unseen worlds: the interval holds 0"
        )
    )
    least = "" if math.isnan(said.low) else f" [{said.low:.3g}, {said.high:.3g}]"
    values = ", ".join(f"{name} = {_value(value)}" for name, value in best.trial.values.items())
    return [
        f"Found: {values} (trial {best.trial.number})",
        (
            f"On the worlds searched it was ahead of the usual settings by {searched:.3g} in"
            f" {tuning.objective}: the best of {len(found.trials)} trials is lucky, too, so this"
            " says nothing"
        ),
        (
            f"On {said.count} worlds that no trial saw it is ahead by {said.value:.3g}{least}:"
            f" {verdict}"
        ),
    ]


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _summary(found: Found) -> Summary:
    objective = found.tuning.objective
    table: dict[tuple[str, str, str], Interval] = {}
    names = ["usual", *(_name(found, k) for k in range(len(found.judged)))]
    for group, interval in found.usual.items():
        table[group, "usual", objective] = interval
    for name, judged in zip(names[1:], found.judged, strict=True):
        for group in found.usual:
            table[group, name, objective] = judged.got[group]
            table[group, name, _AHEAD] = judged.ahead[group]
    return Summary(
        tuple(found.usual), tuple(names), (Measure(objective), Measure(_AHEAD, mark=0.0)), table
    )


def _name(found: Found, k: int) -> str:
    return "found" if len(found.judged) == 1 else f"trial {found.judged[k].trial.number}"


def _write_trials(path: Path, found: Found) -> None:
    names = [each.name for each in found.tuning.ranges]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["trial", "state", found.tuning.objective, "worlds", *names, "error"])
        for trial in found.trials:
            value = "" if trial.value is None else trial.value
            writer.writerow(
                [
                    trial.number,
                    trial.state,
                    value,
                    trial.worlds,
                    *(trial.values[name] for name in names),
                    trial.error,
                ]
            )


def _document(found: Found) -> dict[str, Any]:
    from fieldcraft import __version__

    tuning = found.tuning

    def interval(one: Interval) -> dict[str, Any]:
        low, high = (None if math.isnan(end) else end for end in (one.low, one.high))
        return {
            "value": one.value,
            "low": low,
            "high": high,
            "count": one.count,
            "method": one.method,
        }

    return {
        "tuned": tuning.tunable.name,
        "objective": tuning.objective,
        "fieldcraft": __version__,
        "code": code_digest(),
        "search": [str(each) for each in tuning.ranges],
        "trials": len(found.trials),
        "sampler": tuning.sampler,
        "pruner": tuning.pruner,
        "seed": tuning.seed,
        "fixed": dict(tuning.fixed),
        "worlds": [dict(world) for world in tuning.worlds],
        "seeds searched": [tuning.first_seed, tuning.first_seed + tuning.seeds - 1],
        "seeds judged": [
            tuning.first_seed + tuning.seeds,
            tuning.first_seed + tuning.seeds + tuning.judge - 1,
        ],
        "usual on worlds searched": found.usual_searched,
        "usual": {name: interval(one) for name, one in found.usual.items()},
        "finalists": [
            {
                "trial": judged.trial.number,
                "settings": dict(judged.trial.values),
                "on worlds searched": judged.trial.value,
                "got": {name: interval(one) for name, one in judged.got.items()},
                "ahead": {name: interval(one) for name, one in judged.ahead.items()},
            }
            for judged in found.judged
        ],
        "comparisons": len(found.judged),
        "importances": dict(found.importances),
        "notes": [*_told(found), *found.notes],
    }


def _judgement(found: Found) -> Any:
    from research.plots import IntervalPanel, plot_intervals

    summary = _summary(found)

    def column(measure: str, part: str) -> list[list[float]]:
        return [
            [
                (
                    float(getattr(one, part))
                    if (one := summary.found.get((group, name, measure)))
                    else math.nan
                )
                for name in summary.series
            ]
            for group in summary.groups
        ]

    panels = [
        IntervalPanel(
            measure.name,
            column(measure.name, "value"),
            column(measure.name, "low"),
            column(measure.name, "high"),
            mark=measure.mark,
        )
        for measure in summary.measures
    ]
    return plot_intervals(
        summary.groups,
        summary.series,
        panels,
        title=f"Tuned {found.tuning.tunable.name}, on worlds that no trial saw",
        caption=". ".join(_told(found)) + ".",
    )


def _importance(found: Found) -> Any:
    from research.plots import IntervalPanel, plot_intervals

    shares = [[share] for share in found.importances.values()]
    nothing = [[math.nan] for _ in shares]
    panel = IntervalPanel(
        "share of what differed", shares, nothing, nothing, limits=(0.0, 1.0), percent=True
    )
    return plot_intervals(
        list(found.importances),
        ["fANOVA"],
        [panel],
        title="Which settings matter, on the worlds searched",
    )


def _history(found: Found) -> Any:
    from research.plots import IntervalPanel, plot_curves

    sign, best = found.tuning.sign, -math.inf
    rows = []
    for trial in found.trials:
        value = math.nan if trial.value is None or trial.state != "complete" else trial.value
        best = best if math.isnan(value) else max(best, sign * value)
        rows.append([value, sign * best if best > -math.inf else math.nan])
    nothing = [[math.nan, math.nan] for _ in rows]
    panel = IntervalPanel(found.tuning.objective, rows, nothing, nothing, mark=found.usual_searched)
    places = list(range(1, len(rows) + 1))
    return plot_curves(
        places,
        ["complete trials", "best so far"],
        [panel],
        axis="trial",
        columns=1,
        title=f"Tuned {found.tuning.tunable.name}, on the worlds searched",
        caption="The line across: the usual settings.",
    )
