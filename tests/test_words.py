"""The words of the code: docstrings begin with the thing that they describe, agents are no "he",
identifiers are spelled as in the US.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
FILES = sorted((HOME / "src").rglob("*.py"))
NO_BEGINNING = re.compile(r"(What|Who|Whom|Whose|Those|That)\b")
NO_AGENT = re.compile(r"\b(he|him|his|himself|she|her)\b", re.IGNORECASE)
NOT_US = re.compile(
    r"cent[r]e|colo[u]r|neighbo[u]r|normali[s]e|behavio[u]r|gr[e]y|initiali[s]e|label[l]ed",
    re.IGNORECASE,
)


def documented(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names of a module, its classes and functions, and their docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "name", "the module"), text


def named(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The texts that stand under names that a module or a class gives."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for name, text in pairwise(body) if isinstance(body, list) else ():
            if (
                isinstance(name, (ast.Assign, ast.AnnAssign))
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
            ):
                yield f"line {name.lineno}", str(text.value.value)


def identifiers(tree: ast.Module) -> Iterator[str]:
    """All names that a module gives to things."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


@pytest.mark.parametrize("package", ["fieldcraft", "gpu", "lab", "cluster", "worlds"])
def test_the_words_of_a_package(package: str) -> None:
    wrong: list[str] = []
    for path in FILES:
        if path.relative_to(HOME / "packages").parts[0] != package:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        place = path.relative_to(HOME)
        texts = [*documented(tree), *(named(tree) if "kernels" not in place.parts else ())]
        for name, text in texts:
            first = text.split("\n", 1)[0]
            if NO_BEGINNING.match(first):
                wrong.append(
                    f"{place}, {name}: begin with the thing, not with {first.split()[0]!r}: {first}"
                )
            found = NO_AGENT.search(text)
            if found:
                wrong.append(f"{place}, {name}: {found[0]!r}: say the target, the agent, the unit")
        wrong += [
            f"{place}: {name} is spelled {NOT_US.search(name)[0]!r}"
            for name in identifiers(tree)
            if NOT_US.search(name)
        ]  # type: ignore[index]
    assert wrong == []
