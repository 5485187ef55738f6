from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft.commands import bundling
from fieldcraft.commands import command_line as cli
from fieldcraft.kernels.compiling import native
from support.full_disk import full_disk
from support.refusals import refused

BOT = Path(__file__).resolve().parents[4] / "examples" / "sc2_bot"


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A folder that holds a library as far as its name and its note go."""
    path = native.place("v2", tmp_path / "kernels")
    path.parent.mkdir()
    path.write_bytes(b"no machine code")
    note = {"sources": native.sources(), "size": 15, "crc32": zlib.crc32(b"no machine code")}
    path.with_suffix(".json").write_text(json.dumps(note))
    return path.parent


def test_a_bot_runs_from_its_zip_in_an_empty_folder(
    tmp_path: Path, kernels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "bot.zip"
    cli.main(["bundle", str(BOT), "--kernels", str(kernels), "--out", str(target)])
    assert "MB" in capsys.readouterr().out
    empty = tmp_path / "empty"
    with zipfile.ZipFile(target) as packed:
        names = packed.namelist()
        packed.extractall(empty)
    assert {
        "run.py",
        "tactics.py",
        "fieldcraft/__init__.py",
        "fieldcraft/formats/adapters/sc2/battlefield.py",
    } <= set(names)
    assert f"fieldcraft/kernels/{native.place('v2').name}" in names
    assert not any("__pycache__" in name or name.startswith("fieldcraft_worlds") for name in names)
    assert target.stat().st_size < 5e6
    for path in (empty / "fieldcraft" / "kernels").glob("_native_*"):
        path.unlink()  # it is none
    short = (
        "import sys; sys.modules['numba'] = None; sys.path.insert(0, '.'); import json, recorded;"
        " from pathlib import Path\ntold = json.loads(Path('skirmish.json').read_text());"
        " told['steps'] = told['steps'][:2]; bot = recorded.Recorded(told)\nimport fieldcraft; from"
        " fieldcraft.formats.adapters.sc2 import Battlefield\nfield = Battlefield(bot)\nfor _ in"
        " bot.steps(): field.update()\nprint(fieldcraft.__file__,"
        " field.danger['ground'].values.sum() > 0)"
    )
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", short],
        cwd=empty,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert answer.split() == [str(empty / "fieldcraft" / "__init__.py"), "True"]


def test_the_same_files_make_the_same_zip(tmp_path: Path, kernels: Path) -> None:
    one, two = (bundling.bundle(BOT, tmp_path / name, kernels) for name in ("one.zip", "two.zip"))
    assert one.path.read_bytes() == two.path.read_bytes()
    assert one.kernels == (native.place("v2").name,)


def test_wrong_folders_are_refused(tmp_path: Path, kernels: Path) -> None:
    own = tmp_path / "own"
    shutil.copytree(BOT, own)
    (own / "fieldcraft").mkdir()
    stale = tmp_path / "stale"
    shutil.copytree(kernels, stale)
    native.place("v2", stale).write_bytes(b"other machine code")
    cases: list[tuple[Any, Any]] = [
        (tmp_path / "nowhere", kernels),
        (own, kernels),
        (BOT, tmp_path),
        (BOT, stale),
    ]
    for folder, objects in cases:
        with pytest.raises(InvalidValue):
            bundling.bundle(folder, tmp_path / "out.zip", objects)
    assert not (tmp_path / "out.zip").exists()


def test_a_bundle_that_finds_no_room_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.mkdir()
    (program / "main.py").write_bytes(random.Random(1).randbytes(24_300))
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "_native_v2.so").write_bytes(b"machine code")
    monkeypatch.setattr(bundling.native, "fault", lambda path: "")
    target = tmp_path / "out" / "z.zip"
    target.parent.mkdir()
    target.write_text("old")
    with full_disk(), refused(InvalidValue, "zip", "File too large"):
        bundling.bundle(program, target, kernels)
    assert [file.name for file in target.parent.iterdir()] == ["z.zip"]
    assert target.read_text() == "old"
