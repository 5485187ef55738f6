"""Output files that take their places together, or none of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.staging import Staging
from fieldcraft.view import save_film
from support.full_disk import full_disk
from support.refusals import refused


def test_files_are_there_after_commit_alone(tmp_path: Path) -> None:
    folder = tmp_path / "out" / "deep"
    with Staging(folder, ["a.txt", "b.txt"]) as staging:
        staging.part("a.txt").write_text("a")
        staging.part("b.txt").write_text("b")
        assert not (folder / "a.txt").exists()
    assert not (tmp_path / "out").exists()
    with Staging(folder, ["a.txt", "b.txt"]) as staging:
        staging.part("a.txt").write_text("a")
        staging.part("b.txt").write_text("b")
        assert staging.commit() == (folder / "a.txt", folder / "b.txt")
    assert sorted(file.name for file in folder.iterdir()) == ["a.txt", "b.txt"]


def test_folders_and_files_in_the_way_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused(InvalidValue, "folder can be written"), Staging(tmp_path / "file", ["a"]):
        pass
    (tmp_path / "a").mkdir()
    with refused(InvalidValue, "takes the place of a file"), Staging(tmp_path, ["a"]) as staging:
        staging.part("a").write_text("")
        staging.commit()


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
