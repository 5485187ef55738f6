"""Breaks are one change of code that runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

PLACE = Path(__file__).parents[1] / "breaks.py"
specification = importlib.util.spec_from_file_location("breaks", PLACE)
assert specification is not None and specification.loader is not None
breaks = importlib.util.module_from_spec(specification)

SOURCE = b'''"""A docstring with 3 numbers."""

def least(values: list[int], most: int = 4) -> int:
    """Return the least value."""
    if len(values) > most:
        raise ValueError(5)
    values.sort()
    values[0] += 6
    return min(values)
'''


@pytest.fixture(autouse=True)
def _loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "breaks", breaks)
    specification.loader.exec_module(breaks)


def test_code_that_runs_is_broken_in_one_place() -> None:
    found = list(breaks.breaks_of(Path("a.py"), SOURCE))
    assert sorted(each.about for each in found) == [
        "0 becomes 1",
        "4 becomes 5",
        "6 becomes 7",
        "drop values.sort()",
        "drop values[0] += 6",
        "min becomes max",
        "negate len(values) > most",
        "return before if len(values) > most:",
    ]
    for each in found:
        changed = each.applied(SOURCE)
        compile(changed, "a.py", "exec")
        differing = zip(SOURCE.splitlines(), changed.splitlines(), strict=False)
        first = next(number for number, (a, b) in enumerate(differing, 1) if a != b)
        assert first == each.line


def test_the_same_seed_chooses_the_same_breaks() -> None:
    first = breaks.chosen(["space"], 5, 3)
    assert first == breaks.chosen(["space"], 5, 3) != breaks.chosen(["space"], 5, 4)
    assert {folder for folder, _ in first} == {"space"} and len(first) == 5


def test_the_name_of_a_failed_test_may_have_spaces() -> None:
    assert breaks.test_of("FAILED a.py::test_b[only waves] - assert 3 == 4") == (
        "a.py::test_b[only waves]"
    )
    assert breaks.test_of("FAILED a.py::test_b") == "a.py::test_b"
    assert breaks.test_of("ERROR b/a.py - ImportError: no c") == "b/a.py"


def test_a_negative_number_grows_by_one() -> None:
    source = b"flat = values.reshape(-1)[-3:] - 1\n"
    found = {each.about: each.applied(source) for each in breaks.breaks_of(Path("a.py"), source)}
    assert found == {
        "-1 becomes 0": b"flat = values.reshape(0)[-3:] - 1\n",
        "-3 becomes -2": b"flat = values.reshape(-1)[-2:] - 1\n",
        "1 becomes 2": b"flat = values.reshape(-1)[-3:] - 2\n",
    }
