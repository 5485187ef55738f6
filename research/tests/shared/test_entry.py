"""Errors of commands are printed without a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fieldcraft.base.errors import InvalidValue
from research.shared.entry import exit_code


def test_what_fieldcraft_refuses_is_printed_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> None:
        raise InvalidValue("A rule", got="a thing", remedy="Do another")

    assert exit_code("research.some", refuse) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("research.some: A rule") and printed.count("\n") == 1


def test_a_stopped_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    assert exit_code("research.some", stop) == 130
    assert capsys.readouterr().err == "research.some: stopped\n"
    assert exit_code("research.some", lambda: 3) == 3
    assert exit_code("research.some", lambda: None) == 0


def test_a_missing_recording_is_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "research.recordings.convert", "starcraft"]
    ran = subprocess.run(
        [*command, str(tmp_path / "none.csv"), str(tmp_path / "out.csv")],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    assert "No such file" in ran.stderr
