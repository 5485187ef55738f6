"""The packages beside the library use its public names only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[1] / "packages"
EXTENSIONS = sorted(
    {path.name for path in PACKAGES.iterdir() if path.is_dir()} - {"fieldcraft", "worlds"}
)
OF_OTHERS = {"_SubParsersAction", "_replace", "_asdict", "_fields"}
"""Names of the standard library: of argparse, and of named tuples."""
LOOKUPS = ("getattr", "hasattr", "setattr")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _own_names(trees: list[ast.Module]) -> set[str]:
    """Return the names that a package defines itself."""
    own = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                own.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                own.add(node.attr)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
    return own


def _private_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the lines and private names of other objects, and of the library's modules. A class
    may use those that it inherits.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            owner = ast.unparse(node.value)
            if owner not in ("self", "cls", "super()"):
                yield node.lineno, node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in LOOKUPS:
            name = node.args[1]
            if isinstance(name, ast.Constant) and _is_private(str(name.value)):
                yield node.lineno, str(name.value)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "fieldcraft":
            for each in node.names:
                if _is_private(each.name):
                    yield node.lineno, f"import of {each.name}"


def _reaches(sources: dict[str, str]) -> list[str]:
    """Return where these sources use private names that they don't define."""
    trees = {name: ast.parse(text) for name, text in sources.items()}
    known = _own_names(list(trees.values())) | OF_OTHERS
    return [
        f"{name}:{line} {private}"
        for name, tree in trees.items()
        for line, private in _private_names(tree)
        if private not in known
    ]


@pytest.mark.parametrize("package", EXTENSIONS)
def test_an_extension_uses_no_private_name_of_the_library(package: str) -> None:
    files = (PACKAGES / package / "src").rglob("*.py")
    assert _reaches({file.name: file.read_text(encoding="utf-8") for file in files}) == []


@pytest.mark.parametrize(
    "text",
    [
        "layer._field",
        "imap['a']._sources",
        "getattr(layer, '_field', None)",
        "from fieldcraft.layers.new_layer import _made",
    ],
)
def test_private_names_are_found(text: str) -> None:
    assert len(_reaches({"a.py": text})) == 1
