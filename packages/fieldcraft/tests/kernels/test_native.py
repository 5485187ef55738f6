"""The native library: which file is loaded, and how its kernels take arguments."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import platform
import re
import runpy
import shutil
import stat
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fieldcraft import kernels
from fieldcraft.kernels.compiling import native, tier
from support.waiting import eventually

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
        (lambda path: path.chmod(0o666), "every user"),
        (lambda path: path.with_suffix(".json").chmod(0o666), "every user"),
        (lambda path: path.parent.chmod(0o777), "every user"),
        (lambda path: path.with_suffix(".json").write_text("[" * 60_000), "note"),
        (lambda path: path.with_suffix(".json").write_text("[]"), "note"),
        (lambda path: path.with_suffix(".json").write_text(" " * 70_000), "more than 65536"),
    ],
)
def test_a_file_that_is_not_sound_is_not_loaded(file: Path, spoil: Any, reason: str) -> None:
    assert native.fault(file) == ""
    if reason == "every user" and sys.platform == "win32":
        pytest.skip("folders of a user's profile are private there")
    spoil(file)
    assert reason in native.fault(file)


on_posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and groups are those of POSIX")


@on_posix
@pytest.mark.parametrize("suffix", [".so", ".json"])
def test_a_pipe_and_a_folder_are_not_read(file: Path, suffix: str) -> None:
    other = file.with_suffix(suffix)
    other.unlink()
    os.mkfifo(other)
    assert "no regular file" in native.fault(file)
    other.unlink()
    other.mkdir()
    assert "no regular file" in native.fault(file)


@on_posix
@pytest.mark.parametrize("suffix", [".so", ".json"])
def test_a_link_that_leaves_the_folder_is_not_followed(file: Path, suffix: str) -> None:
    other = file.with_suffix(suffix)
    away = file.parent / "away" / other.name
    away.parent.mkdir()
    other.rename(away)
    other.symlink_to(away)
    assert "link to another folder" in native.fault(file)
    beside = file.parent / f"beside{suffix}"
    away.rename(beside)
    other.unlink()
    other.symlink_to(beside)
    assert native.fault(file) == ""


class Accounts:
    """Users and groups of a machine: each user's id, name and main group, each group's members."""

    def __init__(self, users: list[tuple[int, str, int]], groups: dict[int, tuple[str, list[str]]]):
        self._users = users
        self._groups = groups

    def getpwall(self) -> list[Any]:
        return [SimpleNamespace(pw_uid=u, pw_name=name, pw_gid=g) for u, name, g in self._users]

    def getgrgid(self, group: int) -> Any:
        name, members = self._groups[group]
        return SimpleNamespace(gr_name=name, gr_mem=members)


@on_posix
@pytest.mark.parametrize(
    ("owner", "group", "mode", "accepted"),
    [
        (1000, 1000, 0o775, True),  # this user, umask 002
        (0, 0, 0o755, True),  # an installation of the system
        (0, 0, 0o555, True),  # read-only site-packages
        (1001, 1001, 0o755, True),  # conda of an administrator
        (1001, 1001, 0o775, True),  # the same, umask 002
        (0, 50, 0o2775, True),  # /usr/local of Debian: a group without members
        (1001, 10, 0o775, True),  # wheel
        (1000, 4242, 0o775, False),  # a group that has no name here
        (4243, 4243, 0o775, True),  # a container without accounts
        (1000, 200, 0o775, False),  # a project's group with another member
        (1000, 201, 0o775, True),  # a project's group of this user alone
        (1000, 100, 0o775, False),  # the main group of several users
        (1000, 100, 0o755, True),
        (1000, 1000, 0o777, False),
        (0, 0, 0o1777, True),  # others cannot replace files there
    ],
)
def test_only_another_user_who_can_write_is_a_reason(
    file: Path, monkeypatch: pytest.MonkeyPatch, owner: int, group: int, mode: int, accepted: bool
) -> None:
    accounts = Accounts(
        [
            (0, "root", 0),
            (1000, "me", 1000),
            (1001, "admin", 1001),
            (1002, "other", 100),
            (1003, "guest", 100),
        ],
        {
            0: ("root", []),
            10: ("wheel", ["admin", "other"]),
            50: ("staff", []),
            100: ("users", []),
            200: ("project", ["me", "other"]),
            201: ("alone", ["me"]),
            1000: ("me", []),
            1001: ("admin", ["root"]),
        },
    )
    monkeypatch.setitem(sys.modules, "pwd", accounts)
    monkeypatch.setitem(sys.modules, "grp", accounts)
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    plain = Path.stat

    def status(path: Path, *, follow_symlinks: bool = True) -> Any:
        found = plain(path, follow_symlinks=follow_symlinks)
        kind = stat.S_IFMT(found.st_mode)
        bits = mode if path == file.parent else mode & 0o775
        return SimpleNamespace(
            st_mode=kind | bits, st_uid=owner, st_gid=group, st_size=found.st_size
        )

    monkeypatch.setattr(Path, "stat", status)
    assert (native.fault(file) == "") == accepted


@on_posix
def test_a_file_of_another_user_than_the_folder_is_not_loaded(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.parent.chmod(0o1777)
    assert native.fault(file) == ""
    plain = Path.stat

    def status(path: Path, *, follow_symlinks: bool = True) -> Any:
        found = plain(path, follow_symlinks=follow_symlinks)
        owner = 4321 if path == file else 1000
        return SimpleNamespace(
            st_mode=found.st_mode, st_uid=owner, st_gid=found.st_gid, st_size=found.st_size
        )

    monkeypatch.setattr(Path, "stat", status)
    assert "another user" in native.fault(file)


@on_posix
def test_an_installation_under_umask_002_runs_compiled(tmp_path: Path) -> None:
    if tier.library() is None:
        pytest.skip("no native library serves here")
    package = Path(native.__file__).parents[2]
    code = (
        "import os, shutil, sys; os.umask(0o002);"
        f" shutil.copytree({str(package)!r}, 'fieldcraft', copy_function=shutil.copyfile);"
        " os.chmod('fieldcraft/kernels', 0o775); sys.path.insert(0, os.getcwd());"
        " from fieldcraft.kernels.compiling import native; print(native.__file__, bool(native.load()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(tmp_path / "fieldcraft/kernels/compiling/native.py"), "True"]


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "damaged"), (b"machine code", "of another system")]
)
def test_a_refusal_says_what_to_do(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    content: bytes,
    reason: str,
) -> None:
    file.write_bytes(content)
    monkeypatch.setattr(native, "FOLDER", file.parent)
    monkeypatch.delenv("FIELDCRAFT_LEVEL", raising=False)
    monkeypatch.setattr(native, "LEVELS", {"v2": ()})
    monkeypatch.setattr(native, "place", lambda level: file)
    with caplog.at_level("WARNING", "fieldcraft"):
        assert native.load.__wrapped__() is None
    assert reason in caplog.text and "make setup" in caplog.text


@pytest.mark.parametrize(
    ("level", "features", "loaded"),
    [
        ("", {"AVX512_SKX", "AVX2", "FMA3", "SSE42"}, "v4"),
        ("", {"AVX2", "FMA3", "SSE42"}, "v3"),
        ("", {"AVX2", "SSE42"}, "v2"),
        ("", set(), ""),
        ("v3", {"AVX512_SKX", "AVX2", "FMA3", "SSE42"}, "v3"),
        ("v4", {"AVX2", "FMA3", "SSE42"}, ""),
        ("v9", {"AVX2", "FMA3", "SSE42"}, ""),
    ],
)
def test_the_best_level_of_the_processor_or_the_chosen_one_is_loaded(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    level: str,
    features: set[str],
    loaded: str,
) -> None:
    place = native.place
    for name in ("v3", "v4"):
        for each in (file, file.with_suffix(".json")):
            shutil.copy(each, place(name, file.parent).with_suffix(each.suffix))
    needed = {"v4": ("AVX512_SKX",), "v3": ("AVX2", "FMA3"), "v2": ("SSE42",)}
    monkeypatch.setattr(native, "LEVELS", needed)
    monkeypatch.setattr(native, "place", lambda level: place(level, file.parent))
    monkeypatch.setattr(native, "runs_here", features.issuperset)
    monkeypatch.setattr(native, "_opened", lambda path: path.stem)
    monkeypatch.setenv("FIELDCRAFT_LEVEL", level)
    with caplog.at_level("WARNING", "fieldcraft"):
        assert native.load.__wrapped__() == (f"_native_{loaded}" if loaded else None)
    assert ("v4, v3, v2" in caplog.text) == (level != "" and loaded == "")


@pytest.mark.parametrize("machine", ["aarch64", "arm64"])
def test_arm_has_one_level(monkeypatch: pytest.MonkeyPatch, machine: str) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert list(runpy.run_path(native.__file__)["LEVELS"]) == ["aarch64"]


@served
def test_the_loaded_library_is_of_a_level_of_this_processor() -> None:
    level = os.environ.get("FIELDCRAFT_LEVEL") or next(
        name
        for name, needed in native.LEVELS.items()
        if native.runs_here(needed) and native.place(name).exists()
    )
    if not Path("/proc/self/maps").exists():
        pytest.skip("/proc is missing")
    code = "from fieldcraft.kernels.compiling import tier; tier.library(); print(*open('/proc/self/maps'))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(re.findall(r"_native_\w+", run.stdout)) == {f"_native_{level}"}


@served
class TestCalls:
    def test_other_threads_run_during_a_call(self) -> None:
        most = 500_000
        arguments = (
            np.array([0, most]),
            np.zeros(most, np.int32),
            np.zeros(1, np.float32),
            np.zeros(1_000, np.int64),
            np.zeros(1_000, np.int64),
        )
        times, done = [0.0], threading.Event()

        def count() -> None:
            while not done.wait(0.001):
                times.append(time.perf_counter())

        def runs_meanwhile() -> bool:
            start = time.perf_counter()
            kernels.values.uphill.uphill(*arguments)
            end = time.perf_counter()
            quarter = (end - start) / 4
            return sum(start + quarter < each < end - quarter for each in times) > 3

        thread = threading.Thread(target=count)
        thread.start()
        try:
            # On a machine where much else is done the other thread may get no turn in some calls.
            assert any(runs_meanwhile() for _ in range(100))
        finally:
            done.set()
            thread.join()

    def test_numbers_and_arrays_of_other_types_are_refused(self) -> None:
        sound = (
            np.array([0, 1, 3, 4]),
            np.array([1, 0, 2, 1], np.int32),
            np.array([3, 1, 2], np.float32),
            np.arange(3),
        )
        answer = np.zeros(3, np.int64)
        kernels.values.uphill.uphill(*sound, answer)
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
                kernels.values.uphill.uphill(*arguments)

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
        kernels.values.uphill.uphill(*arrays, answer)
        assert answer.tolist() == [0, 0, 2]


def _printed_by_numba(code: str, cache: Path) -> str:
    """Return what a process prints in which Numba compiles all kernels."""
    environment = {**os.environ, "FIELDCRAFT_NUMBA": "1", "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_numba_compiles_the_same_where_the_library_does_not_serve(tmp_path: Path) -> None:
    code = (
        "import numpy as np\nfrom fieldcraft import kernels\nfrom fieldcraft.kernels.compiling import tier\n"
        "answer = np.zeros(3, np.int64)\n"
        "kernels.values.uphill.uphill(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], np.int32),"
        " np.array([3, 1, 2], np.float32), np.arange(3), answer)\n"
        "print(tier.library(), answer.tolist())\n"
        "try:\n    kernels.values.uphill.uphill(1.5)\nexcept TypeError:\n    print('refused')\n"
    )
    lines = _printed_by_numba(code, tmp_path).split("\n")
    assert lines[:2] == ["None [0, 0, 2]", "refused"]
    assert list(tmp_path.glob("fieldcraft/*/*/*.nbc"))


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_numba_takes_records_of_writable_arrays(tmp_path: Path) -> None:
    code = (
        "import numpy as np\nfrom fieldcraft import kernels\n"
        "sees = kernels.sight.sees\n"
        "portals = sees.SightPortals(np.array([0, 0, 0]), np.zeros(0, np.int32),"
        " np.zeros((0, 4), np.int64), np.zeros(0, np.uint8))\n"
        "stack = np.empty(sees.STACK, np.int64)\n"
        "print(sees.between(portals, 1, 0, 0, 1, 5, 5, stack))\n"
        "print(sees.between(portals, 0, 0, 0, 1, 5, 5, stack))\n"
    )
    assert _printed_by_numba(code, tmp_path).split() == ["True", "False"]


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_damaged_files_of_numba_are_named_and_compiled_again(tmp_path: Path) -> None:
    code = (
        "import logging, numpy as np\nlogging.basicConfig()\nfrom fieldcraft import kernels\n"
        "answer = np.zeros(3, np.int64)\n"
        "kernels.values.uphill.uphill(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], np.int32),"
        " np.array([3, 1, 2], np.float32), np.arange(3), answer)\nprint(answer.tolist())\n"
    )
    environment = {**os.environ, "FIELDCRAFT_NUMBA": "1", "XDG_CACHE_HOME": str(tmp_path)}

    def run() -> tuple[str, str]:
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        lines = done.stderr.splitlines(keepends=True)
        log = [line for line in lines if not line.startswith("fieldcraft compiles uphill")]
        return done.stdout.strip(), "".join(log)

    assert run() == ("[0, 0, 2]", "")
    assert run() == ("[0, 0, 2]", "")
    for suffix in (".nbi", ".nbc"):
        for damage in (lambda data: data[: len(data) // 2], lambda data: b"", _turned):
            stored = next(tmp_path.glob(f"fieldcraft/**/*uphill*{suffix}"))
            before = stored.stat().st_mtime_ns
            stored.write_bytes(damage(stored.read_bytes()))
            answer, log = run()
            assert answer == "[0, 0, 2]"
            assert f"{stored}. It is deleted and compiled again" in log
            assert stored.stat().st_mtime_ns != before
            assert run() == ("[0, 0, 2]", "")
    for path in tmp_path.glob("fieldcraft/**/*.sums"):
        path.write_bytes(b"\xff\xff")
    assert run() == ("[0, 0, 2]", "")


def _turned(data: bytes) -> bytes:
    """Data with one byte in its middle changed."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_compiling_shows_a_line_and_wipes_it_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    jit = pytest.importorskip("fieldcraft.kernels.compiling.jit", reason="needs Numba")
    for patience, terminal, written in (
        (0.0, Terminal(), "fieldcraft compiles x ...\r\x1b[K"),
        (900.0, Terminal(), ""),
        (0.0, io.StringIO(), "fieldcraft compiles x ...\n"),
        (900.0, io.StringIO(), ""),
    ):
        monkeypatch.setattr(jit, "_PATIENCE", patience)
        with jit._shown("fieldcraft compiles x", terminal):
            if written:
                eventually(terminal.getvalue)
        assert terminal.getvalue() == written


@pytest.mark.skipif(sys.platform == "win32", reason="folders of a user's profile are private there")
def test_numba_stores_kernels_in_a_private_folder_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jit = pytest.importorskip("fieldcraft.kernels.compiling.jit", reason="needs Numba")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = jit._folder.__wrapped__()
    assert folder == str(tmp_path / "fieldcraft" / native.sources())
    assert Path(folder).stat().st_mode & 0o077 == 0
    for mode in (0o720, 0o702):
        Path(folder).chmod(mode)
        assert jit._folder.__wrapped__() == ""
    Path(folder).chmod(0o755)
    assert jit._folder.__wrapped__() == folder
    monkeypatch.setattr(os, "getuid", lambda: Path(folder).stat().st_uid + 1)
    assert jit._folder.__wrapped__() == ""
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    assert jit._folder.__wrapped__() == ""
