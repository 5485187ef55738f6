"""The command line of the studies: `python -m research` lists them, `python -m research experiment
NAME` and `python -m research tune NAME` run those that are made of many games.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from research.commands import experiment, listing
from research.shared.entry import exit_code
from research.tuning import command as tuning


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0, or 2 for anything that fieldcraft
    refuses.
    """
    parser = argparse.ArgumentParser(
        prog="python -m research",
        description="List the studies; or run one, and write its table and plots.",
    )
    commands = parser.add_subparsers(metavar="COMMAND")
    experiment.add(commands)
    tuning.add(commands)
    parser.set_defaults(act=_list)
    chosen = parser.parse_args(arguments)

    def act() -> int:
        chosen.act(chosen)
        return int(getattr(chosen, "code", 0))

    return exit_code("research", act)


def _list(chosen: argparse.Namespace) -> None:
    print("\n".join(listing.lines()))


if __name__ == "__main__":
    sys.exit(main())
