"""Sources of kernels: forms that Numba makes slow code of."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from fieldcraft import kernels

SOURCES = sorted(Path(kernels.__file__).parent.glob("*/*.py"))


def branching_updates(text: str) -> list[int]:
    """The lines that update an element by a value with a branch in it, as `a[k] += b if c else
    d` does.
    """
    return [
        found.lineno
        for found in ast.walk(ast.parse(text))
        if isinstance(found, ast.AugAssign)
        and isinstance(found.target, ast.Subscript)
        and any(isinstance(part, ast.IfExp | ast.BoolOp) for part in ast.walk(found.value))
    ]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_element_is_updated_by_a_value_with_a_branch(path: Path) -> None:
    """Numba would count references to the array at each element."""
    assert branching_updates(path.read_text(encoding="utf-8")) == []


def test_an_update_with_a_branch_is_found() -> None:
    assert branching_updates("a[k] += 1\na[k] ^= b if c else d\na[k] |= b and c\n") == [2, 3]
