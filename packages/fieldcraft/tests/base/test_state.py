"""States as dicts of plain values and arrays."""

from __future__ import annotations

import numpy as np

from fieldcraft.base.state import copied, not_a_state


def test_a_copied_state_has_arrays_of_its_own_at_any_depth() -> None:
    state = {"a": np.arange(3), "parts": {"b": np.zeros(2)}, "time": 3, "words": ("x", None)}
    other = copied(state)
    state["a"][:] = 7
    state["parts"]["b"][:] = 7
    assert other["a"].tolist() == [0, 1, 2]
    assert other["parts"]["b"].tolist() == [0, 0]
    assert (other["time"], other["words"]) == (3, ("x", None))


def test_the_error_names_what_was_wrong() -> None:
    error = not_a_state(KeyError("ticks"))
    assert error.got == "KeyError: 'ticks'"
