"""The end of a command: errors that fieldcraft words are printed without a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable

from fieldcraft.base.errors import FieldcraftError


def exit_code(name: str, act: Callable[[], object]) -> int:
    """Run a command and return its exit code: what `act` returns if that is a number, or else 0; 2
    for anything that fieldcraft refuses, and 130 if the user stops it.
    """
    try:
        found = act()
    except FieldcraftError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stopped:
        print(f"{name}: {str(stopped) or 'stopped'}", file=sys.stderr)
        return 130
    if isinstance(found, int):
        return found
    return 0
