"""Studies: many small jobs, and a summary of their results."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from research.shared.statistics import Interval

Options = Mapping[str, Mapping[str, Any]]
"""Arguments of `argparse.add_argument` by flag."""


@dataclass(frozen=True)
class Experiment:
    """A study on the command line; its options are the keyword arguments of `study`."""

    name: str
    help: str
    description: str
    options: Options
    study: Callable[..., Study]

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options to a parser."""
        for flag, keywords in self.options.items():
            parser.add_argument(flag, **keywords)

    def made(self, chosen: argparse.Namespace) -> Study:
        """Return the study of parsed arguments."""
        names = [
            keywords.get("dest", flag.lstrip("-").replace("-", "_"))
            for flag, keywords in self.options.items()
        ]
        return self.study(**{name: getattr(chosen, name) for name in names})


def words(text: str) -> list[str]:
    """Return the words of a list with commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def integers(text: str) -> list[int]:
    """Return the whole numbers of a list with commas."""
    return [int(word) for word in words(text)]


def floats(text: str) -> list[float]:
    """Return the numbers of a list with commas."""
    return [float(word) for word in words(text)]


def map_options(size: str = "80x56") -> Options:
    """Return --maps, --map and --size; `worlds_of` takes their values."""
    kinds = "kinds of generated maps, made anew from every seed: open, cave, rooms, pillars, maze"
    return {
        "--maps": {
            "dest": "kinds",
            "type": words,
            "metavar": "KIND,...",
            "help": f"{kinds} (default: the first three, or none with --map)",
        },
        "--map": {
            "dest": "files",
            "type": Path,
            "action": "append",
            "default": [],
            "metavar": "FILE",
            "help": "a map file; may be given several times",
        },
        "--size": {
            "default": size,
            "metavar": "WxH",
            "help": f"cells of generated maps (default: {size})",
        },
    }


def seed_options(seeds: int, what: str) -> Options:
    """Return --seeds and --first-seed; `what` is the name of a run in the help, one for each
    seed.
    """
    return {
        "--seeds": {
            "type": int,
            "default": seeds,
            "metavar": "N",
            "help": f"{what} (default: {seeds})",
        },
        "--first-seed": {
            "type": int,
            "default": 0,
            "metavar": "S",
            "help": "the first of the seeds (default: 0)",
        },
    }


Value = str | int | float | bool | None
Row = Mapping[str, Value]
Job = Row


@dataclass(frozen=True)
class Measure:
    """A number of a summary: a column of its table and a panel of its plot.

    `percent` writes 1 as 100 %. `limits` are the limits of its axis, by default 0 and the largest
    value; `mark` is the value of an extra line, such as where both sides are equal.
    """

    name: str
    percent: bool = False
    limits: tuple[float, float] | None = None
    mark: float | None = None


@dataclass(frozen=True)
class Summary:
    """The summary of a study: `Interval`s by group, series and measure.

    `groups` are the rows of the table, such as maps, and `series` the compared sides in each.
    `found` has the keys (group, series, name of the measure). `notes` are sentences below the
    table.

    If the groups are rising numbers, `axis` is their name, such as "searchers", and the plot shows
    curves over them, with a logarithmic axis if `log`; `columns` is the number of panels in a row.
    `more` are further summaries of the same rows, each with a `name` that ends the name of its plot
    and a `title` over its table. `unit` is the unit of its counts, by default the study's.

    Raises
    ------
    InvalidValue
        If there is an axis and a group is no number.
    """

    groups: tuple[str, ...]
    series: tuple[str, ...]
    measures: tuple[Measure, ...]
    found: Mapping[tuple[str, str, str], Interval]
    notes: tuple[str, ...] = ()
    axis: str = ""
    log: bool = False
    columns: int = 3
    name: str = ""
    title: str = ""
    unit: str = ""
    more: tuple[Summary, ...] = ()

    def __post_init__(self) -> None:
        if self.axis:
            self.places()

    def places(self) -> list[float]:
        """The groups as numbers."""
        try:
            return [float(group) for group in self.groups]
        except ValueError:
            raise InvalidValue(
                "The groups of a summary with an axis are numbers",
                got=", ".join(self.groups)[:80],
                remedy="Leave the axis out, or name them so",
            ) from None


@dataclass(frozen=True)
class Study:
    """An experiment: independent jobs, the function for each, and the function that summarizes the
    results.

    Parameters
    ----------
    name : str
        The name of the files.
    title : str
        The title of the table and the plot.
    unit : str
        The name of jobs in the plural: "matches".
    jobs : tuple[Job, ...]
        The arguments of each job: plain values by name, the same names in the same order for all;
        no two jobs are equal.
    run : Callable[[Job], Row]
        Returns the results of a job from its arguments, also plain values by name. The same job has
        the same results. It is a function at the top level of a module, so that other processes can
        import it; with one worker any function works.
    summarise : Callable[[Sequence[Row]], Summary]
        Returns the `Summary` of the rows (a job's arguments and results, in the order of the jobs).
    settings : Row, optional
        Other settings of the results, such as the digest of a file; an unfinished run continues
        only with the same settings.

    Raises
    ------
    InvalidValue
        Without jobs, and for jobs that are equal or not plain.
    """

    name: str
    title: str
    unit: str
    jobs: tuple[Job, ...]
    run: Callable[[Job], Row]
    summarise: Callable[[Sequence[Row]], Summary]
    settings: Row = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.jobs:
            raise InvalidValue(
                f"An experiment has {self.unit} to run",
                got="none",
                remedy="Pass at least one seed and one map",
            )
        names = list(self.jobs[0])
        for job in self.jobs:
            if list(job) != names:
                raise InvalidValue(
                    "All jobs have the same arguments",
                    got=f"{list(job)} after {names}",
                    remedy="Give each the same names",
                )
            plain(job, "The arguments of a job")
        seen: set[str] = set()
        for job in self.jobs:
            if (key := identity(job)) in seen:
                raise InvalidValue(
                    "No two jobs are alike",
                    got=f"{key} twice",
                    remedy="Leave one out, or tell them apart by a seed",
                )
            seen.add(key)
        plain(self.settings, "The settings of a study")


def identity(job: Job) -> str:
    """Return a text that identifies a job."""
    return json.dumps(dict(job), ensure_ascii=False)


def plain(values: Any, what: str) -> dict[str, Value]:
    """Return `values` as plain values by name; NumPy's numbers become Python's. Raises
    `InvalidValue` for anything else.
    """
    if not isinstance(values, Mapping):
        raise InvalidValue(
            f"{what} are values by name", got=type(values).__name__, remedy="Pass a dict"
        )
    filtered: dict[str, Value] = {}
    for name, value in values.items():
        if isinstance(value, np.generic):
            value = value.item()
        if not isinstance(name, str) or not name:
            raise InvalidValue(f"{what} have names", got=repr(name), remedy="Name each by a text")
        if not isinstance(value, (str, int, float, bool, type(None))) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            raise InvalidValue(
                f"{what} are texts, finite numbers, True, False or None",
                got=f"{name}={value!r}"[:80],
                remedy="Leave it out, or pass None",
            )
        filtered[name] = value
    return filtered


def integer(row: Row, name: str) -> int:
    """Return a whole number, 0 or more, of a job or a row; raises `InvalidValue` for others."""
    return checks.integer(name, row[name])


def number(row: Row, name: str) -> float:
    """Return a number of a job or a row, 1 for True; raises `InvalidValue` for others."""
    value = row[name]
    if isinstance(value, bool):
        return float(value)
    return checks.finite(name, value)
