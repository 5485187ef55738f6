"""The native library: which file is loaded, and how its kernels take arguments."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft import kernels
from fieldcraft.kernels import native, tier

served = pytest.mark.skipif(tier.library() is None, reason="no native library serves here")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a sound note beside it."""
    path = native.place("v2", tmp_path)
    path.write_bytes(b"machine code")
    note = {"sources": native.sources(), "size": 12, "crc32": zlib.crc32(b"machine code")}
    path.with_suffix(".json").write_text(json.dumps(note))
    return path


def _note(path: Path, **changes: Any) -> None:
    beside = path.with_suffix(".json")
    beside.write_text(json.dumps(json.loads(beside.read_text()) | changes))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.write_bytes(b"machine"), "damaged"),
        (lambda path: path.write_bytes(b"machine Code"), "damaged"),
        (lambda path: _note(path, sources="0123"), "other sources"),
        (lambda path: path.with_suffix(".json").write_text("{"), "note"),
        (lambda path: path.with_suffix(".json").unlink(), "note"),
        (lambda path: path.chmod(0o666), "other users"),
        (lambda path: path.parent.chmod(0o777), "other users"),
    ],
)
def test_a_file_that_is_not_sound_is_not_loaded(file: Path, spoil: Any, reason: str) -> None:
    assert native.fault(file) == ""
    if reason == "other users" and sys.platform == "win32":
        pytest.skip("folders of a user's profile are private there")
    spoil(file)
    assert reason in native.fault(file)


def test_a_refusal_says_what_to_do(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_bytes(b"")
    monkeypatch.setattr(native, "FOLDER", file.parent)
    monkeypatch.setattr(native, "LEVELS", {"v2": ()})
    monkeypatch.setattr(native, "place", lambda level: file)
    with caplog.at_level("WARNING", "fieldcraft"):
        assert native.load.__wrapped__() is None
    assert "damaged" in caplog.text and "make setup" in caplog.text


@served
class TestCalls:
    def test_numbers_and_arrays_of_other_types_are_refused(self) -> None:
        sound = (
            np.array([0, 1, 3, 4]),
            np.array([1, 0, 2, 1], np.int32),
            np.array([3, 1, 2], np.float32),
            np.arange(3),
        )
        answer = np.zeros(3, np.int64)
        kernels.uphill.uphill(*sound, answer)
        assert answer.tolist() == [0, 0, 2]
        fixed = answer.copy()
        fixed.flags.writeable = False
        wrong: list[tuple[Any, ...]] = [
            (*sound, fixed),
            (*sound, answer[::-1]),
            (*sound, answer[:, np.newaxis]),
            (*sound, answer.astype(np.int32)),
            (*sound, answer.astype(">i8")),
            (*sound, answer.tolist()),
            (*sound, None),
            sound,
            (*sound, answer, answer),
        ]
        for arguments in wrong:
            with pytest.raises(TypeError, match="uphill_uphill has no version"):
                kernels.uphill.uphill(*arguments)

    def test_read_only_arrays_are_read(self) -> None:
        arrays = [
            np.array([0, 1, 3, 4]),
            np.array([1, 0, 2, 1], np.int32),
            np.array([3, 1, 2], np.float32),
            np.arange(3),
        ]
        for array in arrays:
            array.flags.writeable = False
        answer = np.zeros(3, np.int64)
        kernels.uphill.uphill(*arrays, answer)
        assert answer.tolist() == [0, 0, 2]


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_numba_compiles_the_same_where_the_library_does_not_serve(tmp_path: Path) -> None:
    code = (
        "import numpy as np\nfrom fieldcraft import kernels\nfrom fieldcraft.kernels import tier\n"
        "answer = np.zeros(3, np.int64)\n"
        "kernels.uphill.uphill(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], np.int32),"
        " np.array([3, 1, 2], np.float32), np.arange(3), answer)\n"
        "print(tier.library(), answer.tolist())\n"
        "try:\n    kernels.uphill.uphill(1.5)\nexcept TypeError:\n    print('refused')\n"
    )
    environment = {**os.environ, "FIELDCRAFT_NUMBA": "1", "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["None [0, 0, 2]", "refused"]
    assert list(tmp_path.glob("fieldcraft/*/*/*.nbc"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_compiling_shows_a_line_on_a_terminal_and_wipes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    jit = pytest.importorskip("fieldcraft.kernels.jit", reason="needs Numba")
    for patience, terminal, written in (
        (0.0, Terminal(), "fieldcraft compiles x ...\r\x1b[K"),
        (9.0, Terminal(), ""),
        (0.0, io.StringIO(), ""),
    ):
        monkeypatch.setattr(jit, "_PATIENCE", patience)
        with jit._shown("fieldcraft compiles x", terminal):
            time.sleep(0.1)
        assert terminal.getvalue() == written
