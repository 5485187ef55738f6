"""One table of kernels, and one place that decides whether they are compiled."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from fieldcraft import kernels
from fieldcraft.kernels.compiling.kernel_table import FAMILIES, FOLDERS
from support.tiers import plain

_FOLDER = Path(kernels.__file__).parent


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_stub_of_a_folder_lists_its_families(folder: str) -> None:
    stub = (_FOLDER / folder / "__init__.pyi").read_text()
    lines = [
        f"from fieldcraft.kernels.{folder} import {name} as {name}"
        for name in sorted(FOLDERS[folder])
    ]
    assert [line for line in stub.splitlines() if line.startswith("from")] == lines


def test_an_editor_finds_a_kernel(tmp_path: Path) -> None:
    jedi = pytest.importorskip("jedi")
    text = "from fieldcraft import kernels\nkernels.spread.diffuse_steps.exchange\n"
    (found,) = jedi.Script(text, path=tmp_path / "a.py").goto(2, 31, follow_imports=True)
    assert (found.module_name, found.name) == (
        "fieldcraft.kernels.spread.diffuse_steps",
        "exchange",
    )


def test_a_family_that_does_not_exist() -> None:
    with pytest.raises(AttributeError, match="FAMILIES"):
        _ = kernels.trail.nothing


def test_each_family_has_a_file() -> None:
    for name in kernels.FAMILIES:
        assert (_FOLDER / f"{name.replace('.', '/')}.py").exists(), name


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
    called = set()
    for _, node in outside():
        if isinstance(node, ast.Attribute):
            parts = ast.unparse(node).split(".")
            if len(parts) == 4 and parts[0] == "kernels" and ".".join(parts[1:3]) in FAMILIES:
                called.add((parts[1], parts[2], parts[3]))
    assert len(called) > 50
    for tier in (nullcontext, plain):
        with tier():
            for folder, family, name in sorted(called):
                assert hasattr(getattr(getattr(kernels, folder), family), name)
