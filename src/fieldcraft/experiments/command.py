"""`fieldcraft experiment`: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fieldcraft.errors import FieldcraftError

if TYPE_CHECKING:
    from fieldcraft.experiments.runner import Report
    from fieldcraft.experiments.study import Study

__all__ = ["EXPERIMENTS", "Experiment", "add"]

_SHOWN = 5


@dataclass(frozen=True)
class Experiment:
    """A study that has a name on the command line: what it asks, what it takes, and how the study is made from that."""

    name: str
    help: str
    description: str
    example: str
    arguments: Callable[[argparse.ArgumentParser], None]
    study: Callable[[argparse.Namespace], Study]


def _towers_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--maps",
        metavar="KIND,...",
        help="kinds of generated maps, each made anew from every seed: open, cave, rooms (default: all three, or none with --map)",
    )
    parser.add_argument("--map", type=Path, action="append", default=[], metavar="FILE", help="a map file; may be given several times")
    parser.add_argument("--size", default="80x56", metavar="WxH", help="cells of generated maps (default: 80x56)")
    parser.add_argument(
        "--seeds", type=int, default=20, metavar="N", help="worlds per map, each played twice with the sides swapped (default: 20)"
    )
    parser.add_argument("--first-seed", type=int, default=0, metavar="S", help="the first of the seeds (default: 0)")
    parser.add_argument(
        "--commanders",
        default="influence,shortest",
        metavar="A,B",
        help="who is compared: influence (aims and routes by it), routed (only routes by it), shortest (default: influence,shortest)",
    )
    parser.add_argument("--towers", type=int, metavar="N", help="towers of each team, in place of the game's")
    parser.add_argument("--units", type=int, metavar="N", help="units that each team may have at once, in place of the game's")
    parser.add_argument("--limit", type=float, metavar="S", help="seconds after which the score decides, in place of the game's")


def _towers_study(chosen: argparse.Namespace) -> Study:
    from fieldcraft.experiments.towers import towers_study

    return towers_study(
        None if chosen.maps is None else _words(chosen.maps),
        chosen.map,
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        commanders=_words(chosen.commanders),
        towers=chosen.towers,
        units=chosen.units,
        limit=chosen.limit,
    )


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


EXPERIMENTS = (
    Experiment(
        "towers",
        "influence-routed against shortest-path commander in the tower game",
        "Plays the tower game: a commander who routes units by influence against one who sends them the shortest way, on the same worlds"
        " with both sides swapped.",
        "fieldcraft experiment towers --maps open,cave --seeds 40 --out out/towers",
        _towers_arguments,
        _towers_study,
    ),
)


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `experiment` and all experiments below it to the commands of a parser."""
    parser = commands.add_parser(
        "experiment",
        help="play a game many times and say who wins how often, and how sure that is",
        description="Runs an experiment: many games side by side, then a table with 95 % confidence intervals, a plot and a CSV.",
        epilog=f"Example: {EXPERIMENTS[0].example}",
    )
    names = parser.add_subparsers(title="experiments", metavar="EXPERIMENT", required=True)
    for experiment in EXPERIMENTS:
        one = names.add_parser(
            experiment.name, help=experiment.help, description=experiment.description, epilog=f"Example: {experiment.example}"
        )
        experiment.arguments(one)
        one.add_argument("--workers", type=int, metavar="N", help="processes side by side (default: all cores); results don't depend on it")
        one.add_argument(
            "--out", type=Path, default=Path("out"), metavar="DIR", help="folder for the CSV, JSON and PNG, made if absent (default: out)"
        )
        one.add_argument("--fresh", action="store_true", help="begin anew where an unfinished run lies in the folder")
        one.add_argument("--quiet", action="store_true", help="no progress bar, and no table at the end")
        one.set_defaults(act=_act(experiment))


def _act(experiment: Experiment) -> Callable[[argparse.Namespace], None]:
    def act(chosen: argparse.Namespace) -> None:
        from fieldcraft.experiments.runner import run_study

        report = run_study(
            experiment.study(chosen),
            chosen.out,
            workers=chosen.workers,
            fresh=chosen.fresh,
            progress=None if chosen.quiet else sys.stderr,
        )
        if not chosen.quiet:
            print("\n".join(_lines(report)))
        if report.failures:
            sys.stdout.flush()
            for failure in report.failures[:_SHOWN]:
                print(f"failed: {failure}", file=sys.stderr)
            raise FieldcraftError(
                f"All {report.study.unit} of an experiment go well",
                got=f"{len(report.failures):,} of {len(report.study.jobs):,} that failed",
                remedy="They are missing from the results, and are in the JSON file; the same command tries them again",
            )

    return act


def _lines(report: Report) -> list[str]:
    from fieldcraft.experiments.outputs import table_lines

    study = report.study
    workers = "1 worker" if report.workers == 1 else f"{report.workers} workers"
    ran = len(report.rows) + len(report.failures) - report.resumed
    lines = [study.title, f"{ran:,} {study.unit} in {report.took:.1f} s on {workers}"]
    if report.resumed:
        lines[-1] += f", and {report.resumed:,} from the run that was interrupted"
    lines += ["", *table_lines(report.summary, unit=study.unit), "", "In brackets: 95 % confidence intervals."]
    lines += [f"{note}." for note in report.summary.notes]
    lines.append("")
    lines += [f"wrote {file} ({max(1, round(file.stat().st_size / 1024)):,} KiB)" for file in report.files]
    return lines
