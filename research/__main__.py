"""The command line of the studies: `python -m research experiment NAME` and `python -m research
tune NAME`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from fieldcraft.base.errors import FieldcraftError
from research.experiments import command as experiments
from research.tuning import command as tuning


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0, or 2 for anything that fieldcraft
    refuses.
    """
    parser = argparse.ArgumentParser(
        prog="python -m research", description="Run a study and write its table and plots."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    experiments.add(commands)
    tuning.add(commands)
    chosen = parser.parse_args(arguments)
    try:
        chosen.act(chosen)
    except FieldcraftError as error:
        print(f"research: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stopped:
        print(f"research: {str(stopped) or 'stopped'}", file=sys.stderr)
        return 130
    return int(getattr(chosen, "code", 0))


if __name__ == "__main__":
    sys.exit(main())
