"""The build's cache of objects: private to the user, and checked when it is read."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = """
import sys
sys.path.insert(0, "tools/native")
import build
entries, objects = build.compiled(["uphill", "peaks"], ["linux-x86-64-v2"])
print(build.table(entries))
print(*objects["linux-x86-64-v2"])
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    module = importlib.import_module("tools.native.cache")
    monkeypatch.setattr(module, "FOLDER", tmp_path / "objects")
    return module


def test_a_damaged_file_is_deleted_and_an_old_one_too(cache):
    cache.prepare()
    path = cache.store("spread-01-linux", ".o", b"machine code")
    assert cache.find("spread-01-linux", ".o") == path
    assert cache.find("spread-01", ".o") is None
    assert cache.find("spread-01-linux", ".json") is None
    path.write_bytes(b"machine Code")
    assert cache.find("spread-01-linux", ".o") is None
    assert not path.exists()
    old, new = cache.store("a", ".o", b"old"), cache.store("b", ".o", b"new")
    os.utime(old, (0, 0))
    cache.prepare()
    assert list(cache.FOLDER.iterdir()) == [new]


@pytest.mark.skipif(sys.platform == "win32", reason="folders of a user's profile are private there")
def test_the_folder_is_private_or_not_used(cache):
    before = os.umask(0)
    try:
        cache.prepare()
    finally:
        os.umask(before)
    assert cache.FOLDER.stat().st_mode & 0o777 == 0o700
    cache.FOLDER.chmod(0o770)
    with pytest.raises(PermissionError, match="chmod go-w"):
        cache.prepare()


def test_a_build_takes_what_is_sound_and_makes_the_rest_again(tmp_path):
    pytest.importorskip("llvmlite", reason="llvmlite compiles the kernels")
    pytest.importorskip("numba", reason="Numba translates the kernels")

    def built():
        done = subprocess.run(
            [sys.executable, "-c", BUILD],
            cwd=ROOT,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    first = built()
    sound, damaged = map(Path, first.splitlines()[-1].split())
    content = damaged.read_bytes()
    damaged.write_bytes(content[:-1] + b"?")
    file = sound.stat().st_ino
    assert built() == first
    assert damaged.read_bytes() == content
    assert sound.stat().st_ino == file
    assert len(list((tmp_path / "fieldcraft" / "objects").iterdir())) == 4
