"""The files of an experiment: all rows as CSV, the summary as JSON and as a plot; and the summary
as text.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.staging import Staging
from research.shared.jobs import Failure, code_digest
from research.shared.statistics import LEVEL, Interval
from research.shared.study import Measure, Row, Study, Summary, Value

_DIGITS = 3

WIDTH = 940  # pixels, so that text is readable where a page shows 736 of them


def write_outputs(
    study: Study, rows: Sequence[Row], summary: Summary, failures: Sequence[Failure], folder: Path
) -> tuple[Path, ...]:
    """Write `NAME.csv`, `NAME.json`, `NAME.png` and a PNG for each further summary into a folder,
    all of them or none.

    Returns their paths.
    """
    from fieldcraft.view import save_png

    summaries = (summary, *summary.more)
    names = [f"{study.name}.{suffix}" for suffix in ("csv", "json", "png")]
    names += [f"{study.name}-{each.name}.png" for each in summary.more]
    with Staging(folder, names) as staging:
        table, text, *pictures = (staging.part(name) for name in names)
        _write_rows(table, rows)
        text.write_text(
            json.dumps(_document(study, rows, summary, failures), indent=2, ensure_ascii=False)
            + "\n",
            encoding="utf-8",
        )
        for picture, each in zip(pictures, summaries, strict=True):
            save_png(picture, _plot(study.title, _caption(study, each, len(rows)), each))
        return staging.commit()


def redraw(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw the plots of the `NAME.json` of an experiment into a folder, all of them or none.

    Returns their paths. Raises `InvalidValue` for another file.
    """
    from fieldcraft.view import save_png

    source = checks.path("path", path)
    try:
        document = json.loads(source.read_text(encoding="utf-8"))
        plots = {
            f"{source.stem}-{each['name']}.png" if each["name"] else f"{source.stem}.png": (
                str(each["caption"]),
                _summary_of(each, found),
            )
            for each in document["plots"]
            for found in [document["more"][each["name"]] if each["name"] else document["found"]]
        }
        title = str(document["title"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidValue(
            "Plots are drawn of the JSON file that an experiment wrote",
            got=f"{source}: {error}",
            remedy="Run the experiment, or another copy",
        ) from None
    with Staging(Path(folder), list(plots)) as staging:
        for name, (caption, summary) in plots.items():
            save_png(staging.part(name), _plot(title, caption, summary))
        return staging.commit()


def _summary_of(plot: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> Summary:
    """Return the summary from a plot and its results."""
    measures = tuple(
        Measure(
            each["name"],
            each["percent"],
            None if each["limits"] is None else tuple(each["limits"]),
            each["mark"],
        )
        for each in plot["measures"]
    )
    intervals = {
        (each["group"], each["series"], each["measure"]): Interval(
            each["value"],
            math.nan if each["low"] is None else each["low"],
            math.nan if each["high"] is None else each["high"],
            each["count"],
            each["method"],
        )
        for each in found
    }
    return Summary(
        tuple(plot["groups"]),
        tuple(plot["series"]),
        measures,
        intervals,
        axis=plot["axis"],
        log=plot["log"],
        columns=plot["columns"],
        name=plot["name"],
        title=plot["title"],
    )


def table_lines(summary: Summary, *, unit: str) -> list[str]:
    """Return the summary as lines of text: a row for each group and series, a column for each
    measure, with its 95 % interval in brackets.
    """
    head = ["", "", summary.unit or unit, *(measure.name for measure in summary.measures)]
    lines = [head]
    for group in summary.groups:
        name = group
        for series in summary.series:
            found = [
                summary.found.get((group, series, measure.name)) for measure in summary.measures
            ]
            if not any(found):
                continue
            count = next(interval.count for interval in found if interval is not None)
            texts = [
                "" if each is None else _text_of(each, measure)
                for each, measure in zip(found, summary.measures, strict=True)
            ]
            lines.append([name, series, f"{count:,}", *texts])
            name = ""
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return [
        "  ".join(
            cell.rjust(width) if column == 2 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _text_of(interval: Interval, measure: Measure) -> str:
    factor = 100.0 if measure.percent else 1.0
    value, low, high = (number * factor for number in (interval.value, interval.low, interval.high))
    known = [abs(number) for number in (value, low, high) if not math.isnan(number)]
    largest = max(known)
    if measure.percent:
        digits = 0
    else:
        digits = min(
            max(_DIGITS - 1 - (math.floor(math.log10(largest)) if largest > 0 else 0), 0), 4
        )
    unit = " %" if measure.percent else ""
    text = f"{value:.{digits}f}{unit}"
    if not math.isnan(low):
        text += f" [{low:.{digits}f}, {high:.{digits}f}]"
    return text


def _write_rows(path: Path, rows: Sequence[Row]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_cell(row.get(name)) for name in names] for row in rows)


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _document(
    study: Study, rows: Sequence[Row], summary: Summary, failures: Sequence[Failure]
) -> dict[str, object]:
    from fieldcraft import __version__

    return {
        "study": study.name,
        "title": study.title,
        "fieldcraft": __version__,
        "code": code_digest(),
        "numpy": np.__version__,
        "settings": dict(study.settings),
        "unit": study.unit,
        "jobs": len(study.jobs),
        "finished": len(rows),
        "failures": [
            {"arguments": dict(failure.job), "error": failure.error, "trace": failure.trace}
            for failure in failures
        ],
        "confidence": LEVEL,
        "plots": [
            _plotted(each, _caption(study, each, len(rows))) for each in (summary, *summary.more)
        ],
        "found": _found(summary),
        "more": {each.name: _found(each) for each in summary.more},
        "notes": list(summary.notes),
    }


def _found(summary: Summary) -> list[dict[str, object]]:
    return [
        {
            "group": group,
            "series": series,
            "measure": measure,
            "value": interval.value,
            "low": None if math.isnan(interval.low) else interval.low,
            "high": None if math.isnan(interval.high) else interval.high,
            "count": interval.count,
            "method": interval.method,
        }
        for (group, series, measure), interval in summary.found.items()
    ]


def _plotted(summary: Summary, caption: str) -> dict[str, object]:
    """Return the settings of the plot of a summary."""
    return {
        "name": summary.name,
        "title": summary.title,
        "caption": caption,
        "groups": list(summary.groups),
        "series": list(summary.series),
        "axis": summary.axis,
        "log": summary.log,
        "columns": summary.columns,
        "measures": [
            {
                "name": each.name,
                "percent": each.percent,
                "limits": None if each.limits is None else list(each.limits),
                "mark": each.mark,
            }
            for each in summary.measures
        ],
    }


def _caption(study: Study, summary: Summary, finished: int) -> str:
    missing = len(study.jobs) - finished
    counted = f"{finished:,} {study.unit}" + (
        f"; {missing:,} failed and are missing" if missing else ""
    )
    sure = "bands" if summary.axis else "whiskers"
    return (
        ". ".join(
            [f"{counted}. Dots are estimates, {sure} 95 % confidence intervals", *summary.notes]
        )
        + "."
    )


def _plot(
    name: str, caption: str, summary: Summary
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return the plot of a summary of the study of this name."""
    from research.shared.plots import IntervalPanel, plot_curves, plot_intervals

    def column(measure: Measure, part: str) -> list[list[float]]:
        return [
            [
                math.nan
                if (interval := summary.found.get((group, series, measure.name))) is None
                else float(getattr(interval, part))
                for series in summary.series
            ]
            for group in summary.groups
        ]

    panels = [
        IntervalPanel(
            measure.name,
            column(measure, "value"),
            column(measure, "low"),
            column(measure, "high"),
            limits=measure.limits,
            percent=measure.percent,
            mark=measure.mark,
        )
        for measure in summary.measures
    ]
    title = f"{name}: {summary.title}" if summary.title else name
    if summary.axis:
        return plot_curves(
            summary.places(),
            summary.series,
            panels,
            axis=summary.axis,
            log=summary.log,
            columns=summary.columns,
            title=title,
            caption=caption,
            width=WIDTH,
        )
    return plot_intervals(
        summary.groups, summary.series, panels, title=title, caption=caption, width=WIDTH
    )
