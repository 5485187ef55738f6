from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fieldcraft.base.errors import BadMapFile, InvalidValue, MissingLibrary
from fieldcraft.formats.maps import load_map
from fieldcraft.formats.maps.formats import FORMATS
from support import realdata
from support.refusals import refused


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    (tmp_path / "a.map").write_text("type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n")
    Image.fromarray(np.array([[255, 0, 255], [255, 255, 255]], dtype=np.uint8)).save(
        tmp_path / "a.png"
    )
    np.savez(tmp_path / "a.npz", pathing=np.array([[1, 1, 1], [1, 0, 1]], dtype=np.uint8))
    (tmp_path / "a.tmx").write_text(
        '<map width="3" height="2" tilewidth="1" tileheight="1"><layer name="walls" width="3"'
        ' height="2"><data><tile/><tile gid="1"/><tile/><tile/><tile/><tile/></data></layer></map>'
    )
    (tmp_path / "a.json").write_text(
        '{"layers": [{"type": "tilelayer", "name": "walls", "width": 3, "height": 2, "data": [0, 1,'
        ' 0, 0, 0, 0]}], "width": 3, "height": 2, "tilewidth": 1, "tileheight": 1}'
    )
    return tmp_path


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


@pytest.mark.parametrize("path", [None, 7, b"a.map", ["a.map"]])
def test_a_path_is_a_path(path: Any) -> None:
    with pytest.raises(InvalidValue, match="path"):
        load_map(path)


@pytest.mark.parametrize(
    ("suffix", "options", "said"),
    [
        (
            "map",
            {"wall_color": "#fff"},
            r"no option 'wall_color', only picture\..*It takes: neighbors, mobility\.",
        ),
        (
            "png",
            {"wall_layers": "walls"},
            (
                "It takes: neighbors, mobility, threshold, wall_color, tolerance, transparent,"
                " cell_size"
            ),
        ),
        ("npz", {"threshold": 3}, "It takes: neighbors, mobility, grid, resources"),
        (
            "tmx",
            {"grid": "pathing"},
            "It takes: neighbors, mobility, wall_layers, wall_properties, wall_objects",
        ),
        (
            "json",
            {"color": "#fff"},
            "The format Tiled map has no option 'color'. Got color='#fff' for a.json",
        ),
    ],
)
def test_an_option_of_another_kind_is_refused_by_name(
    maps: Path, suffix: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidValue, match=said):
        load_map(maps / f"a.{suffix}", **options)


@pytest.mark.parametrize("suffix", ["map", "png", "npz", "tmx"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"neighbors": 5}, "neighbors"),
        ({"mobility": 3}, "mobility"),
        ({"mobility": "swim"}, "'air'"),
    ],
)
def test_shared_options_are_checked(
    maps: Path, suffix: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidValue, match=said):
        load_map(maps / f"a.{suffix}", **options)


def test_what_is_missing_is_named(maps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingLibrary, match=r"Pillow.*fieldcraft\[maps\]"):
        load_map(maps / "a.png")


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
