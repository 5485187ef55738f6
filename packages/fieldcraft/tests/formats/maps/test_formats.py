from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fieldcraft.base.errors import BadMapFile
from fieldcraft.formats.maps import load_map
from fieldcraft.formats.maps.formats import FORMATS
from support import realdata
from support.refusals import refused


@pytest.mark.parametrize("suffix", ["map", "png", "npz", "tmx", "json"])
def test_the_suffix_says_the_kind(maps: Path, suffix: str) -> None:
    path = maps / f"a.{suffix}"
    for name in (path, str(path)):
        space = load_map(name, neighbors=8)
        assert space.walls.tolist() == [[False, True, False], [False, False, False]]
        assert space.neighborhood.is_eight
    shouting = maps / f"B.{suffix.upper()}"
    shouting.write_bytes(path.read_bytes())
    assert load_map(shouting).walls.sum() == 1
    assert not load_map(path, mobility="air", neighbors=[(1, 0), (-1, 0)]).walls.any()


@pytest.mark.parametrize("name", ["level.fbx", "level", ".map", "level.map.gz", "level.csv"])
def test_an_unknown_suffix_lists_what_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("anything")
    with pytest.raises(BadMapFile) as caught:
        load_map(tmp_path / name)
    for format_ in FORMATS:
        assert all(suffix in str(caught.value) for suffix in format_.suffixes)


@pytest.mark.parametrize("suffix", [suffix for format_ in FORMATS for suffix in format_.suffixes])
def test_files_that_are_none_are_refused(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(BadMapFile, match="No such file"):
        load_map(tmp_path / f"missing{suffix}")
    with pytest.raises(BadMapFile, match="null"):
        load_map(f"nu\0ll{suffix}")
    (tmp_path / f"folder{suffix}").mkdir()
    with pytest.raises(BadMapFile, match="folder"):
        load_map(tmp_path / f"folder{suffix}")
    (tmp_path / f"empty{suffix}").write_bytes(b"")
    with pytest.raises(BadMapFile):
        load_map(tmp_path / f"empty{suffix}")
    if hasattr(Path, "is_fifo") and sys.platform != "win32":
        (tmp_path / f"zeros{suffix}").symlink_to("/dev/zero")
        with pytest.raises(BadMapFile, match="device"):
            load_map(tmp_path / f"zeros{suffix}")


def test_importing_the_maps_loads_no_optional_library() -> None:
    code = (
        "import sys, fieldcraft.formats.maps; print([name for name in ('PIL', 'zstd') if name in"
        " sys.modules])"
    )
    environment = {"PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src"), "PATH": ""}
    assert (
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        ).stdout.strip()
        == "[]"
    )


@pytest.mark.parametrize("folder", ["navmesh", "waypoints"])
def test_every_real_navigation_file_loads(folder: str) -> None:
    suffixes = (".json", ".mesh", ".obj", ".navjson", ".map")
    files = [file for file in sorted(realdata.folder(folder).rglob("*")) if file.suffix in suffixes]
    assert len(files) >= 11
    for file in files:
        if file.name == "nav_test.obj":  # level geometry, with faces that are not convex
            with refused(BadMapFile, "convex", "Triangulate the mesh"):
                load_map(file)
        else:
            assert len(load_map(file)) >= 8, file


@pytest.mark.parametrize("content", ["", "[]", "null", "hello", '{"type": "FeatureCollection"}'])
def test_a_json_that_is_no_map_lists_what_is_read(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with refused(BadMapFile, "A JSON map has layers", "a.json"):
        load_map(tmp_path / "a.json")


def test_a_json_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "brackets.json").open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(BadMapFile, match="at most 67,108,864 bytes"):
        load_map(tmp_path / "brackets.json")
