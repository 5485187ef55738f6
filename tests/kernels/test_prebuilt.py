"""Kernels that were compiled before they came here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.kernels import prebuilt
from fieldcraft.kernels.signatures import parse
from fieldcraft.kernels.versions import chooser


def test_a_call_that_no_version_fits_is_refused() -> None:
    called = prebuilt._chosen("add", chooser([parse("u1[::1]"), parse("u8[::1]")], [len, sum]))
    assert called(np.ones(3, np.uint64)) == 3
    with pytest.raises(TypeError, match="add has no version"):
        called(np.ones(3))


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
