"""A library for Python is linked for each system on one machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
BUILD = """
import sys
from pathlib import Path
sys.path.insert(0, "packages/fieldcraft/native")
import build
build.families = lambda: ["uphill", "look_ahead"]
build.build([(sys.argv[1], Path(sys.argv[2]))])
"""


@pytest.mark.parametrize(
    ("target", "library", "magic"),
    [
        ("windows-x86-64-v2", "_native_v2.pyd", "4d5a"),
        ("linux-aarch64", "_native_aarch64.so", "7f454c46"),
        ("macos-aarch64", "_native_aarch64.so", "cffaedfe"),
    ],
)
def test_a_library_and_its_note_are_all_that_is_made(tmp_path, target, library, magic):
    if not os.environ.get("FIELDCRAFT_EMULATED"):
        pytest.skip("libraries of other machines are linked by: make machines")
    pytest.importorskip("ziglang", reason="ziglang links the libraries")
    subprocess.run([sys.executable, "-c", BUILD, target, tmp_path], cwd=ROOT, check=True)
    note = Path(library).with_suffix(".json").name
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([library, note])
    assert (tmp_path / library).read_bytes().startswith(bytes.fromhex(magic))
