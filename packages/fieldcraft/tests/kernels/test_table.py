"""One table of kernels, and one place that decides which tier answers."""

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
    "ahead",
    "arrays",
    "calls",
    "declare",
    "fingerprint",
    "jit",
    "llvm",
    "pieces",
    "pool",
    "prebuilt",
    "signatures",
    "store",
    "table",
    "tier",
    "versions",
    "warming",
}


def test_the_plain_tier_answers_where_the_compiled_one_is_not_in_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    serving = kernels.compiled()
    for compiled, name in (
        (False, "fieldcraft.kernels.plain.moves"),
        (serving, kernels.moves.__name__),
    ):
        monkeypatch.setattr(kernels, "compiled", lambda compiled=compiled: compiled)
        assert kernels.moves.__name__ == name
        assert kernels.moves is kernels.moves
    assert (kernels.moves.__name__ == "fieldcraft.kernels.moves") == serving


def test_a_family_that_does_not_exist() -> None:
    with pytest.raises(AttributeError, match="FAMILIES"):
        _ = kernels.nothing


def test_what_kernels_share_is_no_family() -> None:
    files = {path.stem for path in _FOLDER.glob("*.py")} - _MACHINERY - {"__init__"}
    assert set(kernels.FAMILIES) <= files
    shared = {
        "buckets",
        "chance",
        "goals",
        "heap",
        "lanes",
        "spread_block",
        "spread_cells",
        "spread_rows",
    }
    assert files - set(kernels.FAMILIES) == shared | {
        "turns",
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
                "prebuilt.serves",
            ), (path, node.lineno)
        elif (node.module or "").startswith("fieldcraft.kernels"):
            assert not {"compiled", "tier", "serves"} & {alias.name for alias in node.names}, (
                path,
                node.lineno,
            )


def test_both_tiers_answer_to_the_names_that_are_called() -> None:
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
                pair for pair in sorted(called) if not hasattr(kernels.load(pair[0]), pair[1])
            ] == []
