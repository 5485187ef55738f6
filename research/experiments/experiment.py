"""Studies that have a name on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from research.experiments.study import Study

Options = Mapping[str, Mapping[str, Any]]
"""Arguments of `argparse.add_argument` by flag."""


@dataclass(frozen=True)
class Experiment:
    """A study on the command line: its options become the keyword arguments of `study`."""

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
    """Return --seeds and --first-seed; `what` names what is run once for each seed."""
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
