"""A disk that is full: an error of fieldcraft, and what was there before is unchanged."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base import checks
from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft.commands import starters
from fieldcraft.formats.recordings import Timeline
from fieldcraft.view import save_film, save_png
from support.refusals import refused

NOISE = np.random.default_rng(1).integers(0, 255, (90, 90, 3), dtype=np.uint8)
ROWS = "".join(f"{i},a,red,{i}.5,2,3\n" for i in range(2000))


@contextmanager
def full_disk(size: int = 300) -> Iterator[None]:
    """Files of at most so many bytes, which fail as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("name", ["a.png", "a.gif", "a.mp4", "a.csv", "a.map"])
def test_an_output_that_finds_no_room_is_refused(tmp_path: Path, name: str) -> None:
    if name == "a.mp4":
        pytest.importorskip("av", reason="needs PyAV")
    path = tmp_path / name
    imap = fc.InfluenceMap(fc.Grid(40, 30))
    imap.add_layer("a", fc.Spread(decay=0.1, momentum=0.5), values=np.ones((30, 40)))
    (tmp_path / "rows.csv").write_text("seconds,id,group,x,y,strength\n" + ROWS)
    timeline = Timeline.read(tmp_path / "rows.csv")
    writers = {
        "a.png": lambda: save_png(path, NOISE),
        "a.gif": lambda: save_film(path, [NOISE]),
        "a.mp4": lambda: save_film(path, [NOISE]),
        "a.csv": lambda: timeline.write(path),
        "a.map": lambda: imap.save(path),
    }
    path.write_text("old")
    with full_disk(), pytest.raises(FieldcraftError):
        writers[name]()
    assert path.read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([name, "rows.csv"])
    writers[name]()


def test_numbers_too_long_to_print_are_refused() -> None:
    for check in (checks.finite, checks.positive, checks.not_negative, checks.fraction):
        with refused(InvalidValue):
            check("speed", -(10**5000))


def test_a_long_film_that_finds_no_room_prints_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("av", reason="needs PyAV")
    rng = np.random.default_rng(2)
    frames = [rng.integers(0, 255, (200, 200, 3), dtype=np.uint8) for _ in range(30)]
    with full_disk(100_000), refused(InvalidValue, "can be written"):
        save_film(tmp_path / "a.mp4", frames)
    assert capfd.readouterr().err == ""
    assert list(tmp_path.iterdir()) == []


def test_a_starter_that_finds_no_room_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "game"
    with full_disk(), refused(InvalidValue, "starter"):
        starters.create("pygame", folder)
    assert list(tmp_path.iterdir()) == []
    assert starters.create("pygame", folder)


def test_a_bundle_that_finds_no_room_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.mkdir()
    (program / "main.py").write_bytes(NOISE.tobytes())
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "_native_v2.so").write_bytes(b"machine code")
    monkeypatch.setattr(starters.native, "fault", lambda path: "")
    target = tmp_path / "out" / "z.zip"
    target.parent.mkdir()
    target.write_text("old")
    with full_disk(), refused(InvalidValue, "zip", "File too large"):
        starters.bundle(program, target, kernels)
    assert [file.name for file in target.parent.iterdir()] == ["z.zip"]
    assert target.read_text() == "old"


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
