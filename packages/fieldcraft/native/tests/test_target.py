"""The compiler, and what is said where it is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).parents[1] / "build.py"


def test_a_build_without_zig_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = (\n"
        "    lambda name, *rest: None if name == 'ziglang' else found(name, *rest)\n"
        ")\n"
    )
    command = [sys.executable, BUILD, "linux-x86-64-v3", "--out", tmp_path]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "pip install 'ziglang>=0.17'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("_native_*"))
