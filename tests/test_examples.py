"""Every example runs, without a display, and says nothing on standard error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
# How each example is told to come to an end; one that is missing here fails the test below.
ARGUMENTS: dict[str, list[str]] = {"army.py": [], "pygame_enemy.py": ["--frames", "5"]}


def test_each_example_says_how_it_is_run() -> None:
    assert {path.name for path in (HOME / "examples").glob("*.py")} == set(ARGUMENTS)


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_example_runs(name: str, tmp_path: Path) -> None:
    environment = os.environ | {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    done = subprocess.run(
        [sys.executable, str(HOME / "examples" / name), *ARGUMENTS[name]],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
