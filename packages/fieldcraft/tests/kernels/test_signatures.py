"""Argument types as they are written above kernels, and kernels that keep to them."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldcraft import kernels
from fieldcraft.kernels.compiling.signatures import Argument, parse


def test_what_a_declaration_says() -> None:
    assert parse("u1[:,::1], f8, out f4[::1], (i8, f4[:,:]), none, Frame(f8, (i8, b1))") == (
        Argument("u1", 2),
        Argument("f8"),
        Argument("f4", 1, written=True),
        Argument("", items=(Argument("i8"), Argument("f4", 2, dense=False))),
        Argument(""),
        Argument(
            "",
            items=(Argument("f8"), Argument("", items=(Argument("i8"), Argument("b1")))),
            name="Frame",
        ),
    )


@pytest.mark.parametrize(
    "text", ["f3", "f4[", "float", "out", "f4[:,::1] f4", "frame(f8)", "Frame"]
)
def test_what_declares_nothing(text: str) -> None:
    with pytest.raises(ValueError, match="Got"):
        parse(text)


READ, NUMBER, WRITTEN = range(3)
_FOLDER = Path(kernels.__file__).parent
_SOURCES = sorted(_FOLDER.rglob("*.py"))


def declarations() -> Iterator[tuple[str, ast.FunctionDef, list[str]]]:
    """Every kernel that declares types: its name, its text and its declarations."""
    for path in _SOURCES:
        name = ".".join(path.relative_to(_FOLDER).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            for mark in node.decorator_list if isinstance(node, ast.FunctionDef) else []:
                if isinstance(mark, ast.Call) and mark.args and ast.unparse(mark.func) == "kernel":
                    assert isinstance(node, ast.FunctionDef)
                    known = vars(importlib.import_module(f"{kernels.__name__}.{name}"))
                    texts = [eval(ast.unparse(text), known) for text in mark.args]
                    yield f"{path.stem}.{node.name}", node, texts


def part(argument: Argument) -> int | None:
    """Where an argument belongs; None could be anything."""
    if argument.items:
        parts = [part(item) for item in argument.items]
        return WRITTEN if WRITTEN in parts else READ if READ in parts else NUMBER
    if not argument.dtype:
        return None
    return WRITTEN if argument.written else READ if argument.axes else NUMBER


@pytest.mark.parametrize(
    ("name", "node", "texts"), [pytest.param(*each, id=each[0]) for each in declarations()]
)
def test_arguments_come_in_one_order(name: str, node: ast.FunctionDef, texts: list[str]) -> None:
    """See `fieldcraft.kernels`: what is read, then numbers, then what is written."""
    versions = [parse(text) for text in texts]
    names = [argument.arg for argument in node.args.args]
    assert {len(version) for version in versions} == {len(names)}
    parts = [
        max((found for version in versions if (found := part(version[i])) is not None), default=0)
        for i in range(len(names))
    ]
    assert parts == sorted(parts), dict(zip(names, parts, strict=True))


def test_there_are_kernels_to_look_at() -> None:
    assert len(list(declarations())) > 100
