"""States: what `state()` returns and `restore()` takes, dicts of plain values and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from fieldcraft.base.errors import InvalidValue

NOT_A_STATE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a `restore` may meet in a dict that is no state, or that of something else."""


def copied(state: dict[str, Any]) -> dict[str, Any]:
    """Return a state with arrays of its own."""
    found: dict[str, Any] = {}
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            found[name] = value.copy()
        elif isinstance(value, dict):
            found[name] = copied(value)
        else:
            found[name] = value
    return found


def not_a_state(error: Exception) -> InvalidValue:
    """Return the error for a dict that is no state, or that of something else."""
    return InvalidValue(
        "restore() takes the result of state()",
        got=f"{type(error).__name__}: {error}"[:120],
        remedy="Pass that of the same kind of object, made with the same arguments on this map",
    )
