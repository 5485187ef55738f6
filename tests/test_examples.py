"""Every example runs as a script, without a display, and says nothing on standard error."""

from __future__ import annotations

import ast
import re
import runpy
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
# How each example is told to come to an end; one that is missing here fails the test below.
ARGUMENTS: dict[str, list[list[str]]] = {
    "army.py": [[], ["--picture", "army.png"]],
    "chase_sheet.py": [["--picture", "chase.png"]],
    "crowd.py": [["--frames", "5"]],
    "fire_front.py": [["--steps", "64", "--tiles", "2", "--picture", "fire.png"]],
    "explorer.py": [[], ["--picture", "explorer.png"]],
    "flanking.py": [["--frames", "5"], ["--picture", "flanking.png"]],
    "floors.py": [["--picture", "floors.png"]],
    "guards.py": [["--picture", "guards.png"]],
    "pheromones.py": [["--frames", "5"], ["--picture", "pheromones.png"]],
    "hex_war.py": [["--picture", "hex_war.png"]],
    "roguelike.py": [["--picture", "roguelike.png"]],
    "roguelike_tcod.py": [[], ["--picture", "dungeon.png"]],
    "stealth.py": [["--picture", "stealth.png"]],
    "tower_defence.py": [["--picture", "tower_defence.png"]],
    "utility.py": [["--picture", "utility.png"]],
    "pygame_enemy.py": [["--frames", "5"]],
}


def test_each_example_says_how_it_is_run() -> None:
    assert {path.name for path in (HOME / "examples").glob("*.py")} == set(ARGUMENTS)


@pytest.mark.parametrize(("name", "arguments"), [(name, arguments) for name in sorted(ARGUMENTS) for arguments in ARGUMENTS[name]])
def test_example_runs(
    name: str, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for variable in ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER"):
        monkeypatch.setenv(variable, "dummy")
    script = HOME / "examples" / name
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    monkeypatch.syspath_prepend(script.parent)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capfd.readouterr().err == ""
    assert [path.name for path in tmp_path.iterdir()] == [argument for argument in arguments if argument.endswith(".png")]


def test_the_guide_to_flanking_and_its_example_are_the_same_code() -> None:
    page = (HOME / "docs" / "flanking.md").read_text(encoding="utf-8")
    guide = "\n".join(re.findall(r"^```python\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE))
    example = (HOME / "examples" / "flanking.py").read_text(encoding="utf-8")
    told, finished = (
        {node.name: ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)} for text in (guide, example)
    )
    assert set(finished) <= set(told)
    assert {name: told[name] for name in finished} == finished


def test_the_twenty_lines_of_the_guide_to_pheromones_are_those_of_its_example() -> None:
    page = (HOME / "docs" / "pheromones.md").read_text(encoding="utf-8")
    block = next(text for text in re.findall(r"^```python\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE) if "def step" in text)
    lines = [line for line in block.splitlines() if line.strip()]
    assert len(lines) == 20
    example = (HOME / "examples" / "pheromones.py").read_text(encoding="utf-8")
    assert [line for line in lines if line.strip().removeprefix("state = ") not in example] == []
