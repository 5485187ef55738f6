"""Kernels that were compiled before they came here."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from fieldcraft import kernels
from fieldcraft.kernels import prebuilt
from fieldcraft.kernels.signatures import parse
from fieldcraft.kernels.versions import chooser


def test_a_call_that_no_version_fits_is_refused() -> None:
    called = prebuilt._chosen("add", chooser([parse("u1[::1]"), parse("u8[::1]")], [len, sum]))
    assert called(np.ones(3, np.uint64)) == 3
    with pytest.raises(TypeError, match="add has no version"):
        called(np.ones(3))


def test_an_object_of_other_sources_is_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
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


MAKE = """
import sys
from pathlib import Path
from fieldcraft.kernels import ahead, uphill
ahead.warming.entries = lambda: [uphill.uphill]
ahead.work(*sys.argv[1:])
"""


@pytest.mark.skipif(
    not kernels.compiled() or prebuilt.serves() or not shutil.which("cc"),
    reason="nothing can be compiled here",
)
def test_a_kernel_from_an_object_answers_as_one_compiled_on_the_spot(tmp_path: Path) -> None:
    from fieldcraft.kernels import uphill, warming

    level = prebuilt.LEVELS[-1]
    process = warming.start(MAKE, [str(tmp_path), level])
    assert process.communicate()[0] == "ready\n"
    path = prebuilt.place(tmp_path, level)
    assert path.with_suffix(".txt").read_text().strip() == prebuilt.sources()
    from_object = prebuilt.compiled(
        uphill.uphill.py_func, uphill.uphill.declared, prebuilt.loaded(path)
    )
    starts, ends = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], np.int32)
    answers = []
    for kernel in (from_object, uphill.uphill):
        answers.append(np.zeros(3, np.int64))
        kernel(starts, ends, np.array([3, 1, 2], np.float32), np.arange(3), answers[-1])
    assert [each.tolist() for each in answers] == [[0, 0, 2], [0, 0, 2]]
