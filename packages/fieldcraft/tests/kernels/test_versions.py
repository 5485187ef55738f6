"""Versions of a kernel, told by the arguments of a call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft import kernels
from fieldcraft.kernels import warming
from fieldcraft.kernels.signatures import parse
from fieldcraft.kernels.store import Store
from fieldcraft.kernels.versions import chooser

compiling = pytest.mark.skipif(
    not kernels.compiled() or kernels.prebuilt.serves(),
    reason="nothing is compiled in this process",
)
BYTES, WORDS, FLOATS = np.zeros(2, np.uint8), np.zeros(2, np.uint64), np.zeros(2)


@pytest.mark.parametrize(
    ("declared", "calls"),
    [
        (("u1[::1], i8", "u8[::1], i8"), [(BYTES, 3), (WORDS, 3)]),
        (
            ("f4, f4, i8", "f4, none, i8", "f4, f4, none"),
            [(1.0, 2.0, 3), (1.0, None, 3), (1.0, 2.0, None)],
        ),
        (
            ("u1[::1], f8[::1], i8", "u8[::1], f8[::1], i8", "u8[::1], none, i8"),
            [(BYTES, FLOATS, 3), (WORDS, FLOATS, 3), (WORDS, None, 3)],
        ),
    ],
)
def test_the_version_that_fits_is_chosen(
    declared: tuple[str, ...], calls: list[tuple[Any, ...]]
) -> None:
    choose = chooser([parse(text) for text in declared], range(len(declared)))
    assert [choose(call) for call in calls] == list(range(len(declared)))


def test_a_call_that_fits_no_version() -> None:
    choose = chooser([parse("u1[::1], f8[::1]"), parse("u8[::1], f8[::1]")], range(2))
    assert [choose((wrong, FLOATS)) for wrong in (FLOATS, np.zeros((2, 2), np.uint8), None, 3)] == [
        None
    ] * 4


def test_versions_that_nothing_tells_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="versions of a kernel differ"):
        chooser([parse("f8, i8"), parse("f4, i8")], range(2))


@compiling
def test_a_call_compiles_its_own_version_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from fieldcraft.kernels import jit

    monkeypatch.setattr(jit, "store", lambda: Store(tmp_path))

    def total(values):  # type: ignore[no-untyped-def]
        found = 0
        for value in values:
            found += value
        return found

    kernel = jit.compiled(total, ("u1[::1]", "u8[::1]"), {})
    assert kernel(np.arange(4, dtype=np.uint64)) == 6
    assert [part.is_stored() for part in kernel.parts] == [False, True]
    assert len(list(tmp_path.iterdir())) == 1
    kernel.prepare()
    assert kernel.is_stored()
    assert kernel(np.arange(5, dtype=np.uint8)) == 10
    with pytest.raises(TypeError, match="total has no version"):
        kernel(FLOATS)


@compiling
def test_all_versions_of_all_kernels_are_named() -> None:
    assert len(warming.versions()) == sum(len(kernel.declared) for kernel in warming.entries())
    assert [
        part.number for part in warming.versions(["spread_tiles.tiles_near:2", "trail.update"])
    ] == [2, 0, 1]


@compiling
def test_two_rules_of_division_are_two_kernels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from fieldcraft.kernels import jit

    monkeypatch.setattr(jit, "store", lambda: Store(tmp_path))

    def shares(values, count):  # type: ignore[no-untyped-def]
        found = 0.0
        for i in range(count):
            found = found + values[i] / (i - 1) + values[i] // 3
        return found

    values = np.arange(5.0) + 0.7
    careful = jit.compiled(shares, ("f8[::1], i8",), {})
    assert careful(values, 1) == shares(values, 1)
    with pytest.raises(ZeroDivisionError):
        careful(
            values, 3
        )  # neither the store nor what is remembered of calls takes one for the other
    assert jit.compiled(shares, ("f8[::1], i8",), {"error_model": "numpy"})(values, 3) == np.inf
