"""Kernels that were compiled before they came here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.kernels import prebuilt
from fieldcraft.kernels.signatures import parse


def test_the_version_that_fits_is_called() -> None:
    versions = [parse(text) for text in ("u1[::1], f8[::1], i8", "u8[::1], f8[::1], i8", "u8[::1], none, i8")]
    called = prebuilt._chooser(versions, [lambda *given, k=k: k for k in range(3)])
    small, large = np.zeros(2, np.uint8), np.zeros(2, np.uint64)
    assert [called(small, np.zeros(1), 3), called(large, np.zeros(1), 3), called(large, None, 3)] == [0, 1, 2]
    for wrong in (np.zeros(2, np.int64), np.zeros((2, 2), np.uint8), None):
        with pytest.raises(TypeError, match="no version"):
            called(wrong, None, 3)


def test_an_object_of_other_sources_is_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "fieldcraft_kernels.so"
    with caplog.at_level("INFO", "fieldcraft"):
        assert not prebuilt._is_of_these_sources(path)
    assert "fieldcraft compile" in caplog.text
    path.with_suffix(".txt").write_text(prebuilt.sources() + "\n")
    assert prebuilt._is_of_these_sources(path)
    path.with_suffix(".txt").write_text("0123456789abcdef\n")
    assert not prebuilt._is_of_these_sources(path)


def test_names_in_the_object_tell_families_apart() -> None:
    assert prebuilt.symbol(parse, 1) == "signatures__parse__1"
