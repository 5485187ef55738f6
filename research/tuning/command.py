"""`python -m research tune`: its arguments, files and output."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from fieldcraft.base.staging import Staging
from research.shared.jobs import code_digest, cores
from research.shared.statistics import Interval
from research.shared.study import map_options
from research.shared.worlds import worlds_of
from research.tuning.search import Found, Tuning, parse_range, tune
from research.tuning.tunables import Tunable, find_tunable

_OPTIONS = {
    "--search": {
        "action": "append",
        "default": [],
        "metavar": "SETTING=LOW:HIGH",
        "help": "a setting and its range, such as caution=1:100:log (by equal ratios); repeatable",
    },
    "--objective": {"metavar": "NAME", "help": "what is optimized (default: the first)"},
    "--fix": {
        "action": "append",
        "default": [],
        "metavar": "SETTING=VALUE",
        "help": "a setting that all play with, the usual settings too; repeatable",
    },
    "--list": {"action": "store_true", "help": "print settings and objectives, search nothing"},
    "--trials": {"type": int, "default": 60, "metavar": "N", "help": "trials (default: 60)"},
    "--seeds": {
        "type": int,
        "default": 8,
        "metavar": "N",
        "help": "worlds per map that trials play (default: 8)",
    },
    "--first-seed": {"type": int, "default": 0, "metavar": "S", "help": "the first of these seeds"},
    "--judge": {
        "type": int,
        "default": 20,
        "metavar": "N",
        "help": "worlds per map that no trial plays (default: 20)",
    },
    "--seed": {"type": int, "default": 0, "metavar": "S", "help": "of the search (default: 0)"},
    "--workers": {"type": int, "metavar": "N", "help": "processes (default: all cores)"},
    "--out": {"type": Path, "default": Path("out"), "metavar": "DIR", "help": "for the files"},
    "--quiet": {"action": "store_true", "help": "no progress bar and no report"},
}


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `tune` to the commands of a parser."""
    parser = commands.add_parser(
        "tune",
        help="search for settings that play better, and judge them in unseen worlds",
        description="Searches for settings of a game, then plays the best and the usual settings in"
        " worlds that no trial played.",
        epilog="Example: python -m research tune towers --search caution=1:100:log --trials 40",
    )
    parser.add_argument("name", metavar="NAME", help="a game, or module:object for your own")
    for flag, keywords in {**_OPTIONS, **map_options()}.items():
        parser.add_argument(flag, **keywords)  # type: ignore[arg-type]
    parser.set_defaults(act=_act)


def _act(chosen: argparse.Namespace) -> None:
    tunable, objective = find_tunable(chosen.name, chosen.objective)
    if chosen.list:
        print("\n".join(listed(tunable)))
        return
    worlds, _ = worlds_of(chosen.kinds, chosen.files, chosen.size)
    tuning = Tuning(
        tunable,
        objective,
        tuple(parse_range(text, tunable.settings) for text in chosen.search),
        tuple(worlds),
        chosen.trials,
        chosen.seeds,
        chosen.first_seed,
        chosen.judge,
        chosen.seed,
        tuple(chosen.fix),
    )
    progress = None if chosen.quiet else sys.stderr
    found = tune(tuning, chosen.out, workers=chosen.workers or cores(), progress=progress)
    files = write_found(found, chosen.out)
    if not chosen.quiet:
        print("\n".join(report_lines(found)))
        print("", *(f"wrote {file}" for file in files), sep="\n")


def write_found(found: Found, folder: Path) -> tuple[Path, ...]:
    """Write the outcome with all trials as JSON and the settings as TOML into a folder: both files,
    or none.
    """
    tuning = found.tuning
    files = [f"tune-{tuning.tunable.name}.{end}" for end in ("json", "toml")]
    document = {
        "tuned": tuning.tunable.name,
        "objective": tuning.objective,
        "code": code_digest(),
        "search": [str(each) for each in tuning.ranges],
        "seed": tuning.seed,
        "fixed": list(tuning.fixed),
        "searched": [dict(each) for each in tuning.searched()],
        "judged": [dict(each) for each in tuning.unseen()],
        **{name: asdict(getattr(found, name)) for name in ("best", "got", "usual", "ahead")},
        "trials": [asdict(each) for each in found.trials],
    }
    lines = [*(f"# {line}" for line in _conclusions(found)), *tuning.texts(found.best.values)]
    with Staging(folder, files) as staging:
        text, settings = (staging.part(file) for file in files)
        text.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        settings.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return staging.commit()


def listed(tunable: Tunable) -> list[str]:
    """Return the settings with their defaults, and the objectives, as lines."""
    lines = [f"{tunable.name}: {tunable.title}", "", "settings:"]
    lines += [f"  {name} = {value}" for name, value in tunable.settings.items()]
    lines += ["", "objectives:"]
    return lines + [
        f"  {name} ({'more' if sign > 0 else 'less'} is better)"
        for name, sign in tunable.objectives.items()
    ]


def report_lines(found: Found) -> list[str]:
    """Return the report: the settings found, and the interval in unseen worlds."""
    tuning = found.tuning
    states = [trial.state for trial in found.trials]
    return [
        f"Tuned {tuning.tunable.name}: {tuning.tunable.title}",
        f"{len(states)} trials in {len(tuning.searched())} worlds: {states.count('complete')}"
        f" complete, {states.count('pruned')} pruned, {states.count('fail')} failed",
        f"{tuning.objective}, usual settings: {_text(found.usual)}, found: {_text(found.got)}",
        *(f"{line}." for line in _conclusions(found)),
    ]


def _conclusions(found: Found) -> list[str]:
    """Return two sentences: the result, and whether it is better in unseen worlds."""
    lead = found.ahead
    verdict = "not surely better in unseen worlds: the interval holds 0"
    if lead.low > 0:
        verdict = "better in unseen worlds"
    elif lead.high < 0:
        verdict = "worse in unseen worlds: keep the usual settings"
    values = ", ".join(f"{name} = {value:.4g}" for name, value in found.best.values.items())
    return [
        f"Found: {values} (trial {found.best.number})",
        f"In {lead.count} worlds that no trial played it is ahead by {_text(lead)}: {verdict}",
    ]


def _text(interval: Interval) -> str:
    return f"{interval.value:.3g} [{interval.low:.3g}, {interval.high:.3g}]"
