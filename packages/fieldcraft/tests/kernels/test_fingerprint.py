"""What a compiled kernel is found by: its code, the code of all it calls, and their constants."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from fieldcraft.kernels.fingerprint import fingerprint

_TEXT = '''
LIMIT = 3
TABLE = np.arange(3)


def callee(x):
    """A docstring."""
    return x + LIMIT


def caller(x):
    return callee(x) * len([callee(y) for y in TABLE])
'''


def _of(text: str, is_kernel: bool = False) -> str:
    scope: dict[str, Any] = {"__name__": "fieldcraft.kernels.made_up"}
    exec("import numpy as np\n" + text, scope)
    if is_kernel:  # a dispatcher's function is its `py_func`
        scope["callee"] = SimpleNamespace(py_func=scope["callee"], targetoptions={"nogil": True})
    return fingerprint(scope["caller"])


@pytest.mark.parametrize("is_kernel", [False, True])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x + LIMIT", "x - LIMIT"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("LIMIT = 3", "LIMIT = 3.0"),
        ("arange(3)", "arange(4)"),
        ("callee(y)", "callee(-y)"),
    ],
)
def test_an_edit_of_what_it_reads_or_calls_changes_it(old: str, new: str, is_kernel: bool) -> None:
    assert old in _TEXT
    assert _of(_TEXT, is_kernel) != _of(_TEXT.replace(old, new), is_kernel)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A docstring.", "Other words."),
        ("LIMIT = 3", "# a comment\n\nLIMIT = 3"),
        ("def callee", "OTHER = 1\ndef callee"),
    ],
)
def test_words_and_lines_are_no_part_of_it(old: str, new: str) -> None:
    assert _of(_TEXT) == _of(_TEXT.replace(old, new))


def test_functions_that_call_each_other_have_one() -> None:
    ring = (
        "def caller(x):\n    return other(x)\n\ndef other(x):\n    return caller(x - 1) if x else"
        " {}\n"
    )
    assert _of(ring.format(0)) != _of(ring.format(1))
