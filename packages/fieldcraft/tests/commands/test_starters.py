"""Each starter of `fieldcraft new` runs at once and draws its picture."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft.commands import command_line as cli
from fieldcraft.commands import starters
from fieldcraft.commands.starters import STARTERS, create
from support.full_disk import full_disk
from support.refusals import refused

# What a test types in a terminal, and the picture that it leaves.
RUNS = {
    "pygame": (["main.py", "--frames", "20"], "main.png"),
    "roguelike": (["main.py", "--turns", "10"], "main.png"),
    "sc2": (["rehearse.py"], "rehearsal.png"),
    "mesa": (["main.py"], "main.png"),
    "gym": (["main.py"], "main.png"),
}


def run(folder: Path, *arguments: str) -> None:
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
    command = [sys.executable, "-W", "ignore", *arguments]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)


@pytest.mark.parametrize("kind", STARTERS)
def test_what_pip_installs_are_requirements(kind: str) -> None:
    requirements = pytest.importorskip("packaging.requirements", reason="needs packaging")
    for part in shlex.split(STARTERS[kind].packages):
        requirements.Requirement(part.removeprefix("./packages/"))


@pytest.mark.parametrize("kind", RUNS)
def test_a_starter_draws_its_picture(kind: str, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow")
    module = STARTERS[kind].module
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"needs {module}")
    files = create(kind, tmp_path / "mine")
    assert 1 <= len(files) <= 3
    arguments, picture = RUNS[kind]
    run(tmp_path / "mine", *arguments)
    with image.open(tmp_path / "mine" / picture) as drawn:
        assert len(drawn.convert("RGB").getcolors(1 << 24)) > 20


def test_mesa_has_a_page(tmp_path: Path) -> None:
    pytest.importorskip("solara", reason="needs solara")
    create("mesa", tmp_path / "mine")
    run(tmp_path / "mine", "-c", "import app; assert app.model.steps == 0; app.page")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_the_notebook_runs(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat")
    client = pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    (file,) = create("notebook", tmp_path / "mine")
    made = nbformat.read(file, as_version=4)
    client.NotebookClient(made, resources={"metadata": {"path": file.parent}}).execute()
    data = [out.get("data", {}) for cell in made.cells for out in cell.get("outputs", [])]
    assert sum("image/png" in each for each in data) == 2


def test_the_command_says_how_to_run_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new", "gym", "pole"]) == 0
    said = capsys.readouterr().out
    assert (tmp_path / "pole" / "main.py").exists() and "cd pole\n  python main.py" in said
    assert cli.main(["new", "gym", "pole"]) == 2
    assert "pole, which exists" in capsys.readouterr().err
    with pytest.raises(InvalidValue, match="Perhaps 'gym' is meant"):
        create("gim", tmp_path / "other")


def test_a_starter_that_finds_no_room_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "game"
    with full_disk(), refused(InvalidValue, "starter"):
        starters.create("pygame", folder)
    assert list(tmp_path.iterdir()) == []
    assert starters.create("pygame", folder)


@pytest.mark.parametrize("kind", ["link", "file", "long", "zero", "occupied"])
def test_a_starter_goes_into_a_folder_that_can_be_written(tmp_path: Path, kind: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    folders = {
        "link": tmp_path / "link",
        "file": tmp_path / "file" / "game",
        "long": tmp_path / ("x" * 300),
        "zero": tmp_path / "a\0b",
        "occupied": tmp_path,
    }
    before = sorted(tmp_path.iterdir())
    with refused(InvalidValue, "starter"):
        starters.create("pygame", folders[kind])
    assert sorted(tmp_path.iterdir()) == before
