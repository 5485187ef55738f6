"""Compiled kernels on disk."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fieldcraft import kernels
from fieldcraft.kernels.store import Store, home
from support.forks import forked


def test_what_is_written_is_read_and_nothing_else(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "folder")
    one, other = store.path("peaks.climb", (1, "f4")), store.path("peaks.climb", (1, "f8"))
    assert one != other
    assert store.read(one) is None
    store.write(one, b"code")
    assert store.read(one) == b"code"
    assert store.read(other) is None
    assert [path.name for path in store.folder.iterdir()] == [one.name]


def test_a_folder_that_cannot_be_written_to_warns_once(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("no folder")
    store = Store(blocker / "kernels")
    path = store.path("a", 1)
    with pytest.warns(RuntimeWarning, match="FIELDCRAFT_KERNELS"):
        store.write(path, b"code")
    store.write(path, b"code")
    assert store.read(path) is None


def test_only_what_nobody_reads_is_swept_away(tmp_path: Path) -> None:
    store = Store(tmp_path)
    old, used = store.path("old", 1), store.path("used", 1)
    for path in (old, used):
        store.write(path, b"code")
        os.utime(path, (0, time.time() - 61 * 24 * 3600))
    assert store.read(used) == b"code"
    assert store.sweep() == 1
    assert used.exists()
    assert not old.exists()


@pytest.mark.parametrize("accident", ["cut", "zero", "turn", "foreign"])
def test_a_damaged_file_is_deleted(tmp_path: Path, accident: str) -> None:
    store = Store(tmp_path / "kernels")
    path = store.path("a", 1)
    store.write(path, b"code" * 2000)
    data = path.read_bytes()
    path.write_bytes(
        {
            "cut": data[:-1],
            "zero": data[:3000] + bytes(1000) + data[4000:],
            "turn": data[:500] + bytes([data[500] ^ 1]) + data[501:],
            "foreign": b"code" * 2000,
        }[accident]
    )
    assert store.read(path) is None and not path.exists()
    store.write(path, b"code")
    assert store.read(path) == b"code"


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize("which", ["file", "folder"])
def test_what_others_can_write_to_is_not_used(tmp_path: Path, which: str) -> None:
    store = Store(tmp_path / "kernels")
    path = store.path("a", 1)
    store.write(path, b"code")
    assert store.folder.stat().st_mode & 0o777 == 0o700
    (path if which == "file" else store.folder).chmod(0o777)
    with pytest.warns(RuntimeWarning, match="chmod"):
        assert store.read(path) is None
    store.write(store.path("b", 1), b"code")
    assert not store.path("b", 1).exists()


def test_the_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FIELDCRAFT_KERNELS", str(tmp_path))
    assert home() == tmp_path
    monkeypatch.delenv("FIELDCRAFT_KERNELS")
    assert home().parts[-2:] == ("fieldcraft", "kernels")


@pytest.mark.skipif(not kernels.compiled(), reason="nothing is compiled in this process")
def test_a_kernel_is_compiled_once_for_all_processes_and_a_damaged_file_is_written_anew(
    tmp_path: Path,
) -> None:
    code = (
        "import numpy as np; from numba.core import event; from fieldcraft.kernels import uphill as"
        " climb\nwith event.install_recorder('numba:compile') as heard:\n    one = np.zeros(1,"
        " np.int64)\n    climb.uphill(np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(1,"
        " np.float32), one, np.zeros(1, np.int64))\nprint(len(heard.buffer) > 0)"
    )

    def run() -> str:
        done = forked(code, FIELDCRAFT_KERNELS=str(tmp_path))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert run() == "True"
    (file,) = tmp_path.iterdir()
    assert run() == "False"
    for damaged in (file.read_bytes()[:100], bytes(8271) + file.read_bytes()[8271:]):
        file.write_bytes(damaged)
        assert run() == "True"
        assert run() == "False"


@pytest.mark.skipif(not kernels.compiled(), reason="nothing is compiled in this process")
def test_a_kernel_that_was_compiled_for_another_one_answers_python_as_well(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from fieldcraft.kernels import jit
    from fieldcraft.kernels.declare import kernel

    monkeypatch.setattr(jit, "store", lambda: Store(tmp_path))

    @kernel("i8")
    def inner(number):
        return number + 1

    @kernel("i8")
    def outer(number):
        return 2 * inner(number)

    assert (outer(3), inner(3)) == (8, 4)


READ_ONLY = "mount -o remount,ro,bind / && ! touch here 2>/dev/null"
UPHILL = """
import numpy as np
from fieldcraft.kernels import uphill
found = np.zeros(3, np.int64)
uphill.uphill(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], np.int32), np.array([3, 1, 2], np.float32), np.arange(3), found)
print(found.tolist())
"""


def test_nothing_can_be_written_to_and_there_is_no_home() -> None:
    inside = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    try:
        subprocess.run([*inside, READ_ONLY], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no read-only view of the disk can be had here")
    bare = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("FIELDCRAFT", "XDG", "NUMBA"))
    }
    done = subprocess.run(
        [*inside, f'{READ_ONLY} && exec "$0" "$@"', sys.executable, "-W", "always", "-c", UPHILL],
        env={**bare, "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[0, 0, 2]\n", done.stderr
    warns = kernels.compiled() and not kernels.prebuilt.serves()
    assert done.stderr.count("can't be written to") == (1 if warns else 0)
