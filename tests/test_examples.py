"""Every example runs as a script, without a display, and says nothing on standard error."""

from __future__ import annotations

import importlib.util
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import fieldcraft as fc
from support.displays import display

HOME = Path(__file__).resolve().parents[1]
# How each example is told to come to an end; one that is missing here fails the test below.
ARGUMENTS: dict[str, list[list[str]]] = {
    "army.py": [["--picture", "army.png"]],
    "chase_sheet.py": [["--picture", "chase.png"]],
    "crowd.py": [["--frames", "5"]],
    "fire_front.py": [["--steps", "64", "--tiles", "2", "--picture", "fire.png"]],
    "explorer.py": [["--picture", "explorer.png"]],
    "flanking.py": [["--frames", "5"], ["--picture", "flanking.png"]],
    "floors.py": [["--picture", "floors.png"]],
    "guards.py": [["--picture", "guards.png"]],
    "questions.py": [["cover"], ["--picture", "questions.png"]],
    "pheromones.py": [["--frames", "5"], ["--picture", "pheromones.png"]],
    "hex_war.py": [["--picture", "hex_war.png"]],
    "roguelike.py": [["--picture", "roguelike.png"]],
    "roguelike_tcod.py": [["--picture", "dungeon.png"]],
    "stealth.py": [["--picture", "stealth.png"]],
    "tower_defence.py": [["--picture", "tower_defence.png"]],
    "utility.py": [["--picture", "utility.png"]],
    "warehouse.py": [["--frames", "5"], ["--picture", "warehouse.png"]],
    "pygame_enemy.py": [["--frames", "5"]],
}


def test_the_bot_rehearses_without_the_game(tmp_path: Path) -> None:
    script = HOME / "examples" / "sc2_bot" / "run.py"
    answer = subprocess.run(
        [sys.executable, str(script), "--rehearse"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "64 steps" in answer
    assert "orders, 195 of them to soldiers in danger" in answer


# Examples that draw into a window of another library, and that library.
WINDOWS = {
    "arcade": "arcade",
    "panda3d": "panda3d",
    "pygame": "pygame",
    "pyglet": "pyglet",
    "raylib": "pyray",
}


def test_each_example_says_how_it_is_run() -> None:
    assert {path.name for path in (HOME / "examples").glob("*.py")} == {
        *ARGUMENTS,
        *(f"texture_{name}.py" for name in WINDOWS),
        "ppo_pursuit.py",
    }


def test_windows_of_pygame_blend_no_frames() -> None:
    programs = [*(HOME / "docs").glob("*.md"), *(HOME / "examples").glob("*.py")]
    programs += (HOME / "packages/fieldcraft/src/fieldcraft/commands/templates").glob("*/*.py")
    blits = [
        (path.name, line)
        for path in programs
        for line in path.read_text(encoding="utf-8").splitlines()
        if "blit(pygame.image.frombuffer" in line
    ]
    assert len(blits) >= 6 and [blit for blit in blits if '"RGBX"' not in blit[1]] == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [(name, arguments) for name in sorted(ARGUMENTS) for arguments in ARGUMENTS[name]],
)
def test_example_runs(
    name: str,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for variable in ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER"):
        monkeypatch.setenv(variable, "dummy")
    script = HOME / "examples" / name
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    monkeypatch.syspath_prepend(script.parent)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capfd.readouterr().err == ""
    assert [path.name for path in tmp_path.iterdir()] == [
        argument for argument in arguments if argument.endswith(".png")
    ]


@pytest.mark.parametrize("name", sorted(WINDOWS))
def test_textures_show_the_layer(name: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(WINDOWS[name]) is None:
        pytest.skip(f"needs {name}")
    picture = tmp_path / "map.png"
    with display() as screen:
        script = str(HOME / "examples" / f"texture_{name}.py")
        run = subprocess.run(
            [sys.executable, script, "--frames", "3", "--picture", str(picture)],
            env={**os.environ, "DISPLAY": screen, "SDL_VIDEODRIVER": "x11"},
            capture_output=True,
            text=True,
            timeout=240,
        )
    if run.returncode and re.search(r"GLX|OpenGL|EGL|context|driver", run.stderr):
        pytest.skip(f"no OpenGL here: {run.stderr[-200:]}")
    assert run.returncode == 0, run.stderr
    shown = np.asarray(Image.open(picture).convert("RGB")).astype(int)
    assert shown.shape == (640, 960, 3)
    cave = fc.generate_map("cave", 96, 64, seed=3)
    quiet = fc.InfluenceMap(cave).add_layer("threat", fc.Spread(decay=0.15))
    expected = fc.view.frame(quiet, scale=1, limits=(0, 8)).astype(int)
    middles = shown[5::10, 5::10]
    same = np.abs(middles - expected[:, :, :3]).max(axis=2) < 4
    assert same[cave.walls].all()
    assert not same[28:36, 70:86][~cave.walls[28:36, 70:86]].all()
    assert middles[32, 77:79].max() > 200  # the orc, red or yellow
    assert middles[32, 77:79, 2].min() < middles[32, 77:79, 0].max()


def test_a_policy_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="needs PyTorch")
    monkeypatch.setattr(
        sys,
        "argv",
        ["ppo_pursuit.py", "--minutes", "0.01", "--worlds", "2", "--out", str(tmp_path)],
    )
    runpy.run_path(str(HOME / "examples" / "ppo_pursuit.py"), run_name="__main__")
    assert "policy" in capsys.readouterr().out
    assert (tmp_path / "policy.pt").exists() and (tmp_path / "curve.csv").exists()


def test_the_twenty_lines_of_the_guide_to_pheromones_are_those_of_its_example() -> None:
    page = (HOME / "docs" / "pheromones.md").read_text(encoding="utf-8")
    block = next(
        text
        for text in re.findall(r"^```python\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
        if "def step" in text
    )
    lines = [line for line in block.splitlines() if line.strip()]
    assert len(lines) <= 20
    example = (HOME / "examples" / "pheromones.py").read_text(encoding="utf-8")
    assert [line for line in lines if line.strip().removeprefix("state = ") not in example] == []
