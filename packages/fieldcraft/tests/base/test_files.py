"""A disk that is full: an error of fieldcraft, and what was there before is unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import BadSaveFile, FieldcraftError
from fieldcraft.formats.recordings import Timeline
from fieldcraft.view import save_film, save_png
from support.full_disk import full_disk

NOISE = np.random.default_rng(1).integers(0, 255, (90, 90, 3), dtype=np.uint8)
ROWS = "".join(f"{i},a,red,{i}.5,2,3\n" for i in range(2000))


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


def test_a_save_makes_the_folder_that_it_lies_in(tmp_path: Path) -> None:
    imap = fc.InfluenceMap(fc.Grid(3, 2))
    path = tmp_path / "games" / "first" / "a.map"
    imap.save(path)
    assert fc.InfluenceMap.load(path).space.shape == (2, 3)
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(BadSaveFile) as found:
        imap.save(tmp_path / "file" / "a.map")
    assert repr(str(tmp_path / "file" / "a.map")) in str(found.value)
    assert ".part" not in str(found.value)
