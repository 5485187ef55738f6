"""`python -m research tune`: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from research.experiments.worlds import add_map_arguments

__all__ = ["add"]

_EXAMPLE = "python -m research tune towers --search caution=1:100:log --trials 40 --out out/tune"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `tune` to the commands of a parser."""
    parser = commands.add_parser(
        "tune",
        help="search for settings that play better, and say how sure that is on unseen worlds",
        description=(
            "Searches for settings of a game, then plays the best on worlds that the search never"
            " saw, against the usual settings."
        ),
        epilog=f"Example: {_EXAMPLE}",
    )
    parser.add_argument(
        "name",
        metavar="NAME",
        help=(
            "towers, towers-planner, chase, maze, tether, ants, flock, physarum, or a game of your"
            " own, module:object"
        ),
    )
    parser.add_argument(
        "--search",
        action="append",
        default=[],
        metavar="SETTING=LOW:HIGH",
        help=(
            "a setting and its range, such as caution=1:100:log (log: by equal ratios) or"
            " metric=straight,path; repeatable"
        ),
    )
    parser.add_argument(
        "--objective",
        metavar="NAME",
        help="what is sought (default: the first of what the game counts)",
    )
    parser.add_argument(
        "--fix",
        action="append",
        default=[],
        metavar="SETTING=VALUE",
        help="a setting that all play with, the usual settings too, such as limit=120; repeatable",
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="say which settings and objectives there are, and search nothing",
    )
    parser.add_argument(
        "--trials",
        type=int,
        default=60,
        metavar="N",
        help="how many settings are tried (default: 60)",
    )
    parser.add_argument(
        "--seeds",
        type=int,
        default=8,
        metavar="N",
        help="worlds per map that trials play (default: 8)",
    )
    parser.add_argument(
        "--first-seed",
        type=int,
        default=0,
        metavar="S",
        help="the first of their seeds (default: 0)",
    )
    parser.add_argument(
        "--judge",
        type=int,
        default=20,
        metavar="N",
        help="worlds per map that no trial sees (default: 20)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="of the search (default: 0)"
    )
    add_map_arguments(parser)
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes side by side (default: all cores); results don't depend on it",
    )
    parser.add_argument(
        "--scheduler",
        metavar="URL",
        help="run on the workers of a Dask scheduler, tcp://..., in place of this machine's",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out"),
        metavar="DIR",
        help="folder for the files, made if absent (default: out)",
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="begin anew where an unfinished search lies in the folder",
    )
    parser.add_argument(
        "--quiet", action="store_true", help="no progress bar, and no report at the end"
    )
    parser.set_defaults(act=_act)


def _act(chosen: argparse.Namespace) -> None:
    from research.experiments.experiment import words
    from research.experiments.jobs import cores
    from research.experiments.worlds import worlds_of
    from research.tuning.ranges import parse_fixed, parse_range
    from research.tuning.report import listed, report_lines, write_found
    from research.tuning.search import Tuning, tune
    from research.tuning.tunables import find_tunable

    tunable, objective = find_tunable(chosen.name, chosen.objective)
    if chosen.list:
        print("\n".join(listed(tunable)))
        return
    ranges = tuple(parse_range(text, tunable.settings) for text in chosen.search)
    kinds = None if chosen.maps is None else words(chosen.maps)
    worlds, _ = worlds_of(kinds, chosen.map, chosen.size)
    tuning = Tuning(
        tunable,
        objective,
        ranges,
        tuple(worlds),
        chosen.trials,
        chosen.seeds,
        chosen.first_seed,
        chosen.judge,
        chosen.seed,
        parse_fixed(chosen.fix, tunable.settings),
    )
    stream = None if chosen.quiet else sys.stderr
    found = tune(
        tuning,
        chosen.out,
        workers=chosen.workers or cores(),
        fresh=chosen.fresh,
        progress=stream,
        scheduler=chosen.scheduler,
    )
    files = write_found(found, chosen.out)
    if not chosen.quiet:
        print("\n".join(report_lines(found)))
        print("", *(f"wrote {file}" for file in files), sep="\n")
