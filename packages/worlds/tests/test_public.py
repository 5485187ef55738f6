"""The worlds use only what fieldcraft shows to everybody."""

from __future__ import annotations

import ast
import importlib
import re
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import fieldcraft_worlds
from fieldcraft.commands.names import public_names

HOME = Path(__file__).resolve().parents[3]
WORLDS = sorted(Path(str(fieldcraft_worlds.__file__)).parent.rglob("*.py"))
PUBLIC = re.findall(
    r"^\| `(fieldcraft[\w.]*)` \|",
    (HOME / "docs" / "public.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)


def hidden(code: str) -> Iterator[str]:
    """What code takes from fieldcraft that is not public."""
    tree = ast.parse(code)
    modules = {}  # what a name stands for, where it stands for a module of fieldcraft
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "fieldcraft":
                    modules[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else "fieldcraft"
                    )
                    if alias.name not in PUBLIC:
                        yield alias.name
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.split(".")[0] == "fieldcraft"
        ):
            for alias in node.names:
                if f"{node.module}.{alias.name}" in PUBLIC:
                    modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                elif not is_public(node.module, alias.name):
                    yield f"{node.module}.{alias.name}"
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    own = {
        node.attr
        for node in attributes
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    }
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in attributes:
        if isinstance(node.value, ast.Name) and node.value.id in modules:
            module = modules[node.value.id]
            if f"{module}.{node.attr}" not in PUBLIC and not is_public(module, node.attr):
                yield f"{module}.{node.attr}"
        if re.match(r"_[a-z]", node.attr) and node.attr not in own:
            yield f"the private {ast.unparse(node)}"


def is_public(module: str, name: str) -> bool:
    return module in PUBLIC and (
        name in public_names(importlib.import_module(module)) or name in ("__version__", "__file__")
    )


@pytest.mark.parametrize(
    "path", WORLDS, ids=lambda path: path.relative_to(WORLDS[0].parent).as_posix()
)
def test_a_world_uses_only_public_names(path):
    assert sorted(set(hidden(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from fieldcraft.kernels.compiling import pool", "fieldcraft.kernels.compiling.pool"),
        ("from fieldcraft.base.checks import _refused", "fieldcraft.base.checks._refused"),
        ("import fieldcraft.kernels", "fieldcraft.kernels"),
        ("import fieldcraft as fc\nfc.native", "fieldcraft.native"),
        (
            "def f(layer):\n    from fieldcraft import steering\n    steering.walls",
            "fieldcraft.steering.walls",
        ),
        ("def f(layer):\n    return layer._field", "the private layer._field"),
    ],
)
def test_the_contract_finds_what_is_not(code, found):
    assert list(hidden(code)) == [found]


def test_what_is_listed_as_public_is_there_and_documented():
    assert "fieldcraft" in PUBLIC and len(PUBLIC) == len(set(PUBLIC))
    for module in map(importlib.import_module, PUBLIC):
        for name in public_names(module):
            assert hasattr(module, name), f"{module.__name__}.{name}"
            thing = getattr(module, name)
            if isinstance(thing, (type, types.FunctionType)):
                assert thing.__doc__, f"{module.__name__}.{name}"


FILES = ("settings", "state", "derived", "orders", "ai", "script", "rules", "scene", "plugin")
"""The files of a game, in the order of the table in the README."""


def test_each_file_of_a_game_imports_only_from_those_above_it_in_the_readme() -> None:
    page = (HOME / "packages" / "worlds" / "README.md").read_text(encoding="utf-8")
    table = page.partition("## What a game is")[2].partition("\n\nLarger games")[0]
    rows = re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE)
    assert tuple(name for row in rows for name in re.findall(r"`(\w+)\.py`", row)) == FILES
    games = Path(str(fieldcraft_worlds.__file__)).parent / "games"
    for file in sorted(games.glob("*/*.py")):
        if file.stem in FILES:
            below = FILES[FILES.index(file.stem) :]
            own = rf"^from fieldcraft_worlds\.games\.{file.parent.name}\.(\w+) import"
            imported = re.findall(own, file.read_text(encoding="utf-8"), re.MULTILINE)
            assert [name for name in imported if name in below] == [], file
