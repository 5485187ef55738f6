"""One table of kernels, and one place that decides whether they are compiled."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from fieldcraft import kernels
from support.tiers import plain

_FOLDER = Path(kernels.__file__).parent
_MACHINERY = {
    "arrays",
    "declare",
    "jit",
    "low_level",
    "native",
    "pool",
    "signatures",
    "table",
    "tier",
    "warm_up",
}


def test_the_stub_lists_the_families() -> None:
    stub = (_FOLDER / "__init__.pyi").read_text()
    lines = [
        f"from fieldcraft.kernels import {name} as {name}" for name in sorted(kernels.FAMILIES)
    ]
    assert [
        line for line in stub.splitlines() if line.startswith("from fieldcraft.kernels import")
    ] == lines


def test_an_editor_finds_a_kernel(tmp_path: Path) -> None:
    jedi = pytest.importorskip("jedi")
    text = "from fieldcraft import kernels\nkernels.diffuse.exchange\n"
    (found,) = jedi.Script(text, path=tmp_path / "a.py").goto(2, 18, follow_imports=True)
    assert (found.module_name, found.name) == ("fieldcraft.kernels.diffuse", "exchange")


def test_a_family_that_does_not_exist() -> None:
    with pytest.raises(AttributeError, match="FAMILIES"):
        _ = kernels.nothing


def test_what_kernels_share_is_no_family() -> None:
    files = {path.stem for path in _FOLDER.glob("*.py")} - _MACHINERY - {"__init__"}
    assert set(kernels.FAMILIES) <= files
    shared = {
        "operations",
        "swarm_layout",
        "counting",
        "distance_steps",
        "heap",
        "spread_cells",
        "spread_rows",
        "vectors",
    }
    assert files - set(kernels.FAMILIES) == shared | {
        "swarm_marks",
        "swarm_pulls",
        "swarm_senses",
    }


@functools.cache
def outside() -> tuple[tuple[Path, ast.Attribute | ast.ImportFrom], ...]:
    """Every attribute and import in the source files that are not the kernels' own."""
    return tuple(_outside())


def _outside() -> Iterator[tuple[Path, ast.Attribute | ast.ImportFrom]]:
    for package in ("fieldcraft", "fieldcraft_worlds"):
        for path in sorted((_FOLDER.parents[1] / package).rglob("*.py")):
            if _FOLDER not in path.parents:
                for node in ast.walk(ast.parse(path.read_text())):
                    if isinstance(node, ast.Attribute | ast.ImportFrom):
                        yield path, node


def test_nobody_outside_asks_which_tier_answers() -> None:
    for path, node in outside():
        if isinstance(node, ast.Attribute):
            assert ast.unparse(node) not in (
                "kernels.compiled",
                "fc.kernels.compiled",
                "tier.library",
            ), (path, node.lineno)
        elif (node.module or "").startswith("fieldcraft.kernels"):
            assert not {"compiled", "tier", "library"} & {alias.name for alias in node.names}, (
                path,
                node.lineno,
            )


def test_kernels_that_are_called_exist() -> None:
    called = {
        (node.value.attr, node.attr)
        for _, node in outside()
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and ast.unparse(node.value.value) == "kernels"
    }
    called = {(family, name) for family, name in called if family in kernels.FAMILIES}
    assert len(called) > 50
    for tier in (nullcontext, plain):
        with tier():
            assert [
                pair for pair in sorted(called) if not hasattr(getattr(kernels, pair[0]), pair[1])
            ] == []
