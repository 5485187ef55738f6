"""`python -m research experiment`: its arguments and output."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fieldcraft.base.errors import FieldcraftError
from research.chase import chase
from research.duel import duel
from research.fights import fights
from research.hunt import hunt
from research.knowledge import knowledge
from research.shared.study import Experiment
from research.towers import towers
from research.trails import pedestrians, real_ants

if TYPE_CHECKING:
    from research.shared.runner import Report

_SHOWN = 5


EXPERIMENTS = (
    towers.EXPERIMENT,
    duel.EXPERIMENT,
    hunt.EXPERIMENT,
    knowledge.EXPERIMENT,
    chase.EXPERIMENT,
    real_ants.EXPERIMENT,
    pedestrians.EXPERIMENT,
    fights.EXPERIMENT,
)


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `experiment` and all experiments below it to the commands of a parser."""
    parser = commands.add_parser(
        "experiment",
        help="play a game many times and report the results with confidence intervals",
        description=(
            "Runs many games side by side, then writes a table with 95 % confidence intervals, a"
            " plot and a CSV."
        ),
        epilog="Example: python -m research experiment towers --seeds 40 --out out/towers",
    )
    names = parser.add_subparsers(title="experiments", metavar="EXPERIMENT", required=True)
    for experiment in EXPERIMENTS:
        one = names.add_parser(
            experiment.name,
            help=experiment.help,
            description=experiment.description,
            epilog=f"Example: python -m research experiment {experiment.name} --out out",
        )
        experiment.add_options(one)
        one.add_argument(
            "--workers",
            type=int,
            metavar="N",
            help="processes side by side (default: all cores); does not change results",
        )
        one.add_argument(
            "--scheduler",
            metavar="URL",
            help="run on the workers of a Dask scheduler, tcp://...",
        )
        one.add_argument(
            "--out",
            type=Path,
            default=Path("out"),
            metavar="DIR",
            help="folder for the CSV, JSON and PNG, made if absent (default: out)",
        )
        one.add_argument(
            "--fresh",
            action="store_true",
            help="start over if the folder holds an unfinished run",
        )
        one.add_argument(
            "--quiet", action="store_true", help="no progress bar, and no table at the end"
        )
        one.set_defaults(act=_act(experiment))
    draw = names.add_parser(
        "draw",
        help="draw the plots of an experiment again, from the JSON file that it wrote",
        description="Draws the plots of finished experiments from their JSON files.",
        epilog="Example: python -m research experiment draw out/towers.json --out out",
    )
    draw.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="NAME.json, as an experiment wrote it"
    )
    draw.add_argument(
        "--out",
        type=Path,
        default=Path("out"),
        metavar="DIR",
        help="folder for the PNGs, made if absent (default: out)",
    )
    draw.set_defaults(act=_draw)


def _draw(chosen: argparse.Namespace) -> None:
    from fieldcraft.view.picture_parts import need_plots
    from research.shared.outputs import redraw

    need_plots()
    for path in chosen.files:
        for file in redraw(path, chosen.out):
            print(f"wrote {file} ({max(1, round(file.stat().st_size / 1024)):,} KiB)")


def _act(experiment: Experiment) -> Callable[[argparse.Namespace], None]:
    def act(chosen: argparse.Namespace) -> None:
        from fieldcraft.view.picture_parts import need_plots
        from research.shared.runner import run_study

        need_plots()
        study = experiment.made(chosen)
        report = run_study(
            study,
            chosen.out,
            workers=chosen.workers,
            scheduler=chosen.scheduler,
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
                f"All {report.study.unit} of an experiment must succeed",
                got=f"{len(report.failures):,} of {len(report.study.jobs):,} that failed",
                remedy=(
                    "They are missing from the results, and are in the JSON file; the same command"
                    " tries them again"
                ),
            )

    return act


def _lines(report: Report) -> list[str]:
    from research.shared.outputs import table_lines

    study = report.study
    if report.workers == 1:
        workers = "1 worker"
    else:
        workers = f"{report.workers} workers"
    ran = len(report.rows) + len(report.failures) - report.resumed
    lines = [study.title, f"{ran:,} {study.unit} in {report.took:.1f} s on {workers}"]
    if report.resumed:
        lines[-1] += f", and {report.resumed:,} from the run that was interrupted"
    for summary in (report.summary, *report.summary.more):
        lines += [
            "",
            *([summary.title, ""] if summary.title else []),
            *table_lines(summary, unit=study.unit),
        ]
    lines += ["", "In brackets: 95 % confidence intervals."]
    lines += [f"{note}." for note in report.summary.notes]
    lines.append("")
    lines += [
        f"wrote {file} ({max(1, round(file.stat().st_size / 1024)):,} KiB)" for file in report.files
    ]
    return lines
