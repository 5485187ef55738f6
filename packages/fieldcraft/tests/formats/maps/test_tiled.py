from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from fieldcraft import generate_map
from fieldcraft.base.errors import BadMapFile, InvalidValue, UnknownName
from fieldcraft.formats.maps import load_map
from fieldcraft.formats.maps.tiled import _flagged_tiles
from fieldcraft.formats.maps.tiled_file import Level, tile_ids
from support import realdata
from support.map_files import TILESET
from support.tiled import (
    FLIPPED,
    PICTURE,
    WALLS,
    _map_element,
    as_xml,
    chunk,
    is_open,
    object_layer,
    packed,
    tile_layer,
    tiled,
)


def test_a_layer_of_walls(save: Any) -> None:
    space = load_map(save(tiled(tile_layer("Ground", [[1] * 4] * 3), tile_layer("Walls", WALLS))))
    assert is_open(space) == PICTURE
    assert (space.cell_size, space.origin, space.y_up) == (10.0, (0.0, 0.0), False)
    assert space.walls.reshape(-1)[space.cell_at([(15, 5), (25, 15), (39.9, 29.9)])].all()


def test_a_byte_order_mark_is_no_harm(save: Any) -> None:
    path = save(tiled(tile_layer("walls", WALLS)))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert is_open(load_map(path)) == PICTURE


def test_the_layers_of_the_first_name_count(save: Any) -> None:
    document = tiled(
        tile_layer("Wall", [[1] * 4] * 3),
        tile_layer("obstacles", [[1] * 4] * 3),
        tile_layer(" Collision ", WALLS),
    )
    assert is_open(load_map(save(document))) == PICTURE
    assert load_map(save(document), wall_layers="wall").walls.all()
    assert load_map(save(document), wall_layers=("COLLISION", "Wall")).walls.all()
    assert not load_map(save(document), wall_layers=()).walls.any()
    assert not load_map(save(document), mobility="air").walls.any()


def test_a_layer_named_that_is_not_there_is_an_error(save: Any) -> None:
    path = save(tiled(tile_layer("Wals", WALLS), tile_layer("ground", WALLS)))
    with pytest.raises(UnknownName, match="Did you mean 'Wals'"):
        load_map(path, wall_layers=["ground", "Walls"])


def test_groups_hide_move_and_name_their_layers(save: Any) -> None:
    inner = tile_layer("stone", WALLS, offsetx=10, offsety=0)
    group = {
        "type": "group",
        "name": "Walls",
        "layers": [inner],
        "offsetx": -20,
        "offsety": 10,
        "visible": False,
    }
    # 10 - 20 pixels to the left and 10 down: one cell each.
    assert is_open(
        load_map(save(tiled({"type": "group", "name": "level", "layers": [group]})))
    ) == ["----", "#---", "##--"]


ROWS = [[5, 6, 7, 8], [9, 0, 45, 1], [5 | FLIPPED, 0, 0, 0]]


def test_tiles_with_a_property_are_walls(save: Any) -> None:
    document = tiled(
        tile_layer("ground", ROWS),
        tile_layer("hidden", [[5] * 4] * 3, visible=False),
        tilesets=[TILESET],
    )
    assert is_open(load_map(save(document))) == ["#-##", "--#-", "#---"]
    assert is_open(load_map(save(document), wall_properties=("lava",))) == ["----", "#---", "----"]
    assert is_open(load_map(save(document), wall_properties="LAVA")) == ["----", "#---", "----"]
    assert not load_map(save(document), wall_properties=()).walls.any()


def test_a_hidden_group_hides_its_tiles_and_objects(save: Any) -> None:
    item = {"id": 1, "x": 0, "y": 0, "width": 40, "height": 30, "name": "rock"}
    group = {
        "type": "group",
        "name": "old",
        "visible": False,
        "layers": [tile_layer("ground", ROWS), object_layer("rocks", item)],
    }
    assert not load_map(save(tiled(group, tilesets=[TILESET])), wall_objects="rock").walls.any()
    group["visible"] = True
    assert load_map(save(tiled(group, tilesets=[TILESET])), wall_objects="rock").walls.all()


def test_an_id_belongs_to_the_last_tileset_that_begins_before_it(save: Any) -> None:
    later = {**TILESET, "firstgid": 45, "name": "grass", "tiles": []}
    assert is_open(
        load_map(save(tiled(tile_layer("ground", ROWS), tilesets=[TILESET, later])))
    ) == ["#-##", "----", "#---"]


def test_walls_by_name_and_by_property_add_up(save: Any) -> None:
    document = tiled(tile_layer("ground", ROWS), tile_layer("walls", WALLS), tilesets=[TILESET])
    assert is_open(load_map(save(document))) == ["####", "-##-", "#--#"]


def test_a_layer_with_a_property_is_a_wall_layer(save: Any) -> None:
    flag = {"properties": [{"name": "solid", "type": "bool", "value": True}]}
    assert is_open(load_map(save(tiled(tile_layer("Platforms", WALLS, **flag))))) == PICTURE
    assert not load_map(
        save(tiled(tile_layer("Platforms", WALLS, visible=False, **flag)))
    ).walls.any()


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"x": 10, "y": 0, "width": 20, "height": 10}, ["-##-", "----", "----"]),
        ({"x": 14, "y": 14, "width": 12, "height": 12}, ["----", "-##-", "-##-"]),
        ({"x": 8, "y": -50, "width": 1, "height": 200}, ["#---", "#---", "#---"]),
        ({"x": 10, "y": 10, "width": 10, "height": 20, "rotation": 270}, ["-##-", "----", "----"]),
        ({"x": 0, "y": 0, "width": 40, "height": 30, "ellipse": True}, ["-##-", "####", "-##-"]),
        (
            {
                "x": 20,
                "y": 10,
                "polygon": [{"x": -20, "y": -10}, {"x": 20, "y": -10}, {"x": -20, "y": 20}],
            },
            ["####", "##--", "#---"],
        ),
        (
            {"x": 0, "y": 12, "polyline": [{"x": 0, "y": 0}, {"x": 40, "y": 0}]},
            ["----", "####", "----"],
        ),
        ({"x": 10, "y": 20, "width": 20, "height": 10, "gid": 3}, ["----", "-##-", "----"]),
        ({"x": 10, "y": 20, "gid": 3}, ["----", "-#--", "----"]),
        ({"x": 15, "y": 15, "point": True}, ["----", "----", "----"]),
        (
            {"x": 0, "y": 0, "width": 40, "height": 30, "text": {"text": "Keep out"}},
            ["----", "----", "----"],
        ),
        ({"x": 15, "y": 15}, ["----", "----", "----"]),
    ],
)
def test_shapes_block_the_cells_whose_centres_they_hold(
    save: Any, item: dict[str, Any], expected: list[str]
) -> None:
    assert is_open(load_map(save(tiled(object_layer("Colliders", {"id": 1, **item}))))) == expected


def test_objects_by_name_class_or_property_on_any_layer(save: Any) -> None:
    flag = [{"name": "collides", "type": "bool", "value": True}]
    place = {"y": 0, "width": 10, "height": 10}
    document = tiled(
        object_layer(
            "things",
            {"id": 1, "x": 0, "name": "Wall", **place},
            {"id": 2, "x": 10, "class": "wall", **place},
            {"id": 3, "x": 20, "properties": flag, **place},
            {"id": 4, "x": 30, "visible": False, "properties": flag, **place},
        ),
        object_layer(
            "hidden", {"id": 5, "x": 0, "properties": flag, **place, "y": 10}, visible=False
        ),
    )
    assert is_open(load_map(save(document))) == ["--#-", "----", "----"]
    assert is_open(load_map(save(document), wall_objects="wall")) == ["###-", "----", "----"]


def endless(*chunks: dict[str, Any], more: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    layer = {"type": "tilelayer", "name": "walls", "width": 4, "height": 3, "chunks": list(chunks)}
    return tiled(layer, *more, infinite=True)


def test_infinite_maps_begin_at_their_first_chunk(save: Any) -> None:
    box = object_layer(
        "none", {"id": 1, "x": -20, "y": 10, "width": 10, "height": 10, "name": "wall"}
    )
    space = load_map(
        save(endless(chunk(-2, -1, [[1, 0], [0, 0]]), chunk(1, 1, [[0, 2], [2, 2]]), more=(box,))),
        wall_objects=("wall",),
    )
    assert is_open(space) == ["#----", "-----", "#---#", "---##"]
    assert space.origin == (-20.0, -10.0)
    assert space.cell_at((-20, -10)) == 0 and space.walls.reshape(-1)[space.cell_at((25, 15))]


@pytest.mark.parametrize(
    ("offset", "group", "columns"),
    [
        ((10, 0), (0, 0), 1),
        ((-30, 0), (0, 0), -3),
        ((0, 0), (20, 0), 2),
        ((-10, 0), (30, 0), 2),
        ((4.9, 0), (0, 0), 0),
        ((5, 0), (0, 0), 0),
        ((5.1, 0), (0, 0), 1),
        ((15, 0), (0, 0), 1),
        ((-5, 0), (0, 0), -1),
        ((-4.9, 0), (0, 0), 0),
        ((3, 0), (3, 0), 1),
    ],
)
def test_a_moved_layer_of_an_infinite_map_keeps_its_tiles(
    save: Any, offset: tuple[float, float], group: tuple[float, float], columns: int
) -> None:
    """The grid covers the chunks where they are drawn, at the coordinates of Tiled."""
    layer = {"type": "tilelayer", "name": "walls", "width": 4, "height": 3}
    layer |= {"chunks": [chunk(-2, -1, [[3, 0, 3]])], "offsetx": offset[0], "offsety": offset[1]}
    around = {"type": "group", "name": "all", "layers": [layer]}
    around |= {"offsetx": group[0], "offsety": group[1]}
    space = load_map(save(tiled(around, infinite=True)))
    assert is_open(space) == ["#-#"]
    assert space.origin == (10 * (columns - 2), -10)


def test_layers_of_an_infinite_map_with_different_offsets(save: Any) -> None:
    walls = {"type": "tilelayer", "name": "walls", "width": 1, "height": 1, "offsety": -20}
    ground = {"type": "tilelayer", "name": "ground", "width": 1, "height": 1, "offsetx": 30}
    walls["chunks"] = [chunk(0, 0, [[1]])]
    ground["chunks"] = [chunk(0, 0, [[1]])]
    space = load_map(save(tiled(walls, ground, infinite=True)))
    assert is_open(space) == ["#---", "----", "----"]
    assert space.origin == (0, -20)


@pytest.mark.parametrize("offset", [-15, -5.1, -5, -4.9, 0, 4.9, 5, 5.1, 15])
def test_tiles_and_shapes_move_alike(save: Any, offset: float) -> None:
    """A tile blocks the same cell as a square object in its place."""
    tiles = tile_layer("walls", [[0, 0, 3, 0, 0]], offsetx=offset)
    square = {"id": 1, "x": 20, "y": 0, "width": 10, "height": 10}
    shapes = object_layer("walls", square, offsetx=offset)
    by_tiles = load_map(save(tiled(tiles, width=5, height=1)))
    by_shapes = load_map(save(tiled(shapes, width=5, height=1)))
    assert np.array_equal(by_tiles.walls, by_shapes.walls)
    assert by_tiles.walls.sum() == 1


@pytest.mark.parametrize(
    ("alignment", "column", "row"),
    [
        ("unspecified", 2, 1),
        ("topleft", 2, 2),
        ("topright", 1, 2),
        ("bottomleft", 2, 1),
        ("bottomright", 1, 1),
    ],
)
def test_pictures_are_aligned_as_their_tileset_says(
    save: Any, alignment: str, column: int, row: int
) -> None:
    other = {"firstgid": 50, "name": "b", "tilewidth": 10, "tileheight": 10, "tilecount": 9}
    other["objectalignment"] = alignment
    picture = {"id": 1, "name": "rock", "gid": 51, "x": 20, "y": 20, "width": 10, "height": 10}
    document = tiled(object_layer("walls", picture), tilesets=[TILESET, other])
    space = load_map(save(document))
    assert np.argwhere(space.walls).tolist() == [[row, column]]
    assert space.objects["rock"].positions.tolist() == [[10 * column + 5, 10 * row + 5]]


def test_a_picture_of_a_template_is_aligned_by_its_own_tileset(tmp_path: Path) -> None:
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "rocks.tsx").write_text('<tileset name="rocks" objectalignment="topleft"/>')
    (folder / "rock.tx").write_text(
        '<template><tileset firstgid="1" source="rocks.tsx"/>'
        '<object name="rock" gid="1" width="10" height="10"/></template>'
    )
    item = {"id": 1, "template": "templates/rock.tx", "x": 20, "y": 20}
    document = tiled(object_layer("walls", item), tilesets=[TILESET])
    (tmp_path / "level.tmj").write_text(json.dumps(document))
    assert np.argwhere(load_map(tmp_path / "level.tmj").walls).tolist() == [[2, 2]]


def test_an_infinite_map_without_tiles_has_the_size_it_says(save: Any) -> None:
    space = load_map(
        save(
            endless(
                more=(
                    object_layer(
                        "none", {"id": 1, "x": 0, "y": 0, "width": 10, "height": 10, "name": "wall"}
                    ),
                )
            )
        ),
        wall_objects="wall",
    )
    assert is_open(space) == ["#---", "----", "----"]


def test_only_orthogonal_maps_of_square_tiles(save: Any) -> None:
    for orientation in ("isometric", "staggered", "hexagonal"):
        with pytest.raises(BadMapFile, match=f"Only orthogonal.*{orientation}"):
            load_map(save(tiled(orientation=orientation)))
    with pytest.raises(BadMapFile, match="10 x 16 pixels"):
        load_map(save(tiled(tileheight=16)))


def test_nothing_that_makes_walls_is_said_aloud(
    save: Any, caplog: pytest.LogCaptureFixture
) -> None:
    path = save(tiled(tile_layer("ground", WALLS), object_layer("things")))
    with caplog.at_level(logging.WARNING, logger="fieldcraft"):
        assert not load_map(path, wall_layers=()).walls.any()
        assert not caplog.records
        assert not load_map(path).walls.any()
    assert "'ground', 'things'" in caplog.text and "wall_layers=()" in caplog.text


@pytest.mark.parametrize("kind", ["json", "tmx"])
@pytest.mark.parametrize("map_kind", ["json", "tmx"])
def test_external_tilesets_of_either_format(tmp_path: Path, kind: str, map_kind: str) -> None:
    (tmp_path / "sets").mkdir()
    tileset = {**TILESET, "image": "../missing.png", "imagewidth": 30, "imageheight": 30}
    if kind == "json":
        (tmp_path / "sets/stones.tsj").write_text(json.dumps(tileset))
    else:
        element = _map_element(tiled(tilesets=[TILESET]))[0]
        ElementTree.SubElement(element, "image", source="../missing.png", width="30", height="30")
        (tmp_path / "sets/stones.tsj").write_bytes(ElementTree.tostring(element))
    (tmp_path / "maps").mkdir()
    document = tiled(
        tile_layer("ground", ROWS), tilesets=[{"firstgid": 5, "source": "../sets/stones.tsj"}]
    )
    path = tmp_path / f"maps/small.{map_kind}"
    path.write_bytes(as_xml(document) if map_kind == "tmx" else json.dumps(document).encode())
    assert is_open(load_map(path)) == ["#-##", "--#-", "#---"]


def test_tilesets_of_old_json_maps(tmp_path: Path) -> None:
    old = {
        **TILESET,
        "tiles": {"0": {"terrain": [1, 1, 1, 1]}, "2": {"properties": {"solid": "true"}}},
        "tileproperties": {"0": {"collides": True}, "1": {"collides": False}},
    }
    path = tmp_path / "old.json"
    path.write_text(json.dumps(tiled(tile_layer("ground", ROWS), tilesets=[old])))
    assert is_open(load_map(path)) == ["#-#-", "----", "#---"]


BLOCK = {
    "name": "wall",
    "width": 20,
    "height": 10,
    "properties": [{"name": "solid", "type": "bool", "value": True}],
}


@pytest.mark.parametrize("kind", ["json", "tmx"])
def test_templates_stand_in_for_what_the_object_does_not_say(tmp_path: Path, kind: str) -> None:
    document = tiled(
        object_layer(
            "things",
            {"id": 1, "x": 0, "y": 0, "template": "block.tx"},
            {"id": 2, "x": 20, "y": 10, "width": 10, "template": "block.tx"},
            {
                "id": 3,
                "x": 0,
                "y": 20,
                "template": "block.tx",
                "properties": [{"name": "solid", "type": "bool", "value": False}],
            },
        )
    )
    path = tmp_path / f"small.{kind}"
    if kind == "json":
        (tmp_path / "block.tx").write_text(
            json.dumps(
                {
                    "type": "template",
                    "object": {"id": 0, **BLOCK},
                    "tileset": {"source": "gone.tsj"},
                }
            )
        )
        path.write_text(json.dumps(document))
    else:
        template = ElementTree.Element("template")
        ElementTree.SubElement(template, "tileset", firstgid="1", source="gone.tsx")
        template.append(_map_element(tiled(object_layer("", BLOCK)))[0][0])
        (tmp_path / "block.tx").write_bytes(ElementTree.tostring(template))
        path.write_bytes(as_xml(document))
    assert is_open(load_map(path)) == ["##--", "--#-", "----"]
    other = tmp_path / ("other.tmx" if kind == "json" else "other.json")
    other.write_bytes(as_xml(document) if kind == "json" else json.dumps(document).encode())
    assert is_open(load_map(other)) == ["##--", "--#-", "----"]


BAD: dict[str, dict[str, Any]] = {
    "tiles missing": tiled({**tile_layer("walls", WALLS), "data": [1] * 11}),
    "tiles to spare": tiled({**tile_layer("walls", WALLS), "data": [1] * 13}),
    "a layer of another size": tiled(tile_layer("walls", WALLS), width=5),
    "an unknown encoding": tiled({**tile_layer("walls", WALLS), "encoding": "hex", "data": "00"}),
    "an unknown compression": tiled(
        {**tile_layer("walls", WALLS), "encoding": "base64", "compression": "rar", "data": ""}
    ),
    "no base64": tiled({**tile_layer("walls", WALLS), "encoding": "base64", "data": "!!!!"}),
    "base64 of too little": tiled(
        {**tile_layer("walls", WALLS), "encoding": "base64", "data": "AAAA"}
    ),
    "no zlib": tiled(
        {**tile_layer("walls", WALLS), "encoding": "base64", "compression": "zlib", "data": "AAAA"}
    ),
    "zlib cut off": tiled(
        {
            **tile_layer("walls", WALLS),
            "encoding": "base64",
            "compression": "zlib",
            "data": packed(WALLS, "zlib")[:-4],
        }
    ),
    "no zstd": tiled(
        {**tile_layer("walls", WALLS), "encoding": "base64", "compression": "zstd", "data": "AAAA"}
    ),
    "huge": tiled(width=10**9, height=10**9),
    "flat": tiled(width=0),
    "tiles without size": tiled(tilewidth=0, tileheight=0),
    "huge layer": tiled({**tile_layer("walls", WALLS), "width": 10**5, "height": 10**5}),
    "a chunk far away": endless(chunk(0, 0, [[1]]), chunk(2**30, 2**30, [[1]])),
    "a chunk without end": endless({**chunk(0, 0, [[1]]), "width": 10**9, "height": 10**9}),
    "a chunk of nothing": endless({**chunk(0, 0, [[1]]), "width": 0}),
    "an object far away": tiled(
        object_layer("walls", {"id": 1, "x": 1e300, "y": 0, "width": 5, "height": 5})
    ),
    "an object nowhere": tiled(
        object_layer("walls", {"id": 1, "x": float("nan"), "y": 0, "width": 5, "height": 5})
    ),
    "a tileset that is not there": tiled(tilesets=[{"firstgid": 1, "source": "gone.tsx"}]),
    "a tileset from elsewhere": tiled(tilesets=[{"firstgid": 1, "source": "/etc/hostname"}]),
    "a tileset from the network": tiled(
        tilesets=[{"firstgid": 1, "source": "http://localhost/a.tsx"}]
    ),
    "a tileset that is a folder": tiled(tilesets=[{"firstgid": 1, "source": "."}]),
    "no name of a tileset": tiled(tilesets=[{"firstgid": 1, "source": ""}]),
    "a negative first id": tiled(tilesets=[{**TILESET, "firstgid": -4}]),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_maps_are_refused(save: Any, name: str) -> None:
    with pytest.raises(BadMapFile) as caught:
        load_map(save(BAD[name]))
    assert caught.value.rule and caught.value.got and caught.value.remedy


def test_a_template_of_many_points_used_many_times_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fat.tx").write_text(
        f'<template><object><polygon points="{"0,0 " * 5000}"/></object></template>'
    )
    path = tmp_path / "small.tmx"
    path.write_bytes(
        as_xml(
            tiled(object_layer("walls", *[{"id": 1, "x": 0, "y": 0, "template": "fat.tx"}] * 300))
        )
    )
    with pytest.raises(BadMapFile, match="copies of its templates"):
        load_map(path)


def test_many_small_tilesets_are_as_bad_as_a_large_one(tmp_path: Path) -> None:
    flag = {"properties": [{"name": "solid", "type": "bool", "value": True}]}
    tileset = {**TILESET, "tiles": [{"id": number, **flag} for number in range(18000)]}
    content = ElementTree.tostring(_map_element(tiled(tilesets=[tileset]))[0])
    for number in range(12):
        (tmp_path / f"{number}.tsx").write_bytes(content)
    path = tmp_path / "small.json"
    path.write_text(
        json.dumps(
            tiled(
                tilesets=[
                    {"firstgid": 1 + 6000 * number, "source": f"{number}.tsx"}
                    for number in range(12)
                ]
            )
        )
    )
    with pytest.raises(BadMapFile, match="at most"):
        load_map(path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mobility": "water"}, "'ground', 'air'"),
        ({"wall_layers": 7}, "wall_layers=7"),
        ({"wall_layers": [1]}, "wall_layers"),
        ({"wall_properties": None}, "wall_properties=None"),
        ({"wall_objects": {"a": 1}}, "wall_objects"),
    ],
)
def test_options_are_checked(save: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        load_map(save(tiled(tile_layer("walls", WALLS))), **options)


ORTHOGONAL = [
    path
    for path in [
        *realdata.files("tiled", "**/*.tmx"),
        *realdata.files("tiled", "**/*map*.json"),
        *realdata.files("agentsim", "**/tilemap.json"),
    ]
    if path.parent.name not in ("hexagonal", "isometric")
]


@pytest.mark.parametrize("path", ORTHOGONAL, ids=lambda path: "/".join(path.parts[-2:]))
def test_every_orthogonal_real_map_loads(path: Path) -> None:
    space = load_map(path)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".tmx":
        root = ElementTree.fromstring(text)
        size, tile, infinite = (
            (int(root.attrib["width"]), int(root.attrib["height"])),
            int(root.attrib["tilewidth"]),
            root.get("infinite") == "1",
        )
    else:
        document = json.loads(text)
        size, tile, infinite = (
            (document["width"], document["height"]),
            document["tilewidth"],
            document.get("infinite", False),
        )
    assert space.cell_size == tile
    assert infinite or space.shape == size[::-1]


@pytest.mark.parametrize(
    "path",
    [
        *realdata.files("tiled", "bevy/maps/hexagonal/*.tmx"),
        *realdata.files("tiled", "bevy/maps/isometric/*.tmx"),
    ],
    ids=lambda path: path.stem,
)
def test_real_maps_that_are_not_orthogonal_are_refused(path: Path) -> None:
    with pytest.raises(BadMapFile, match="Only orthogonal"):
        load_map(path)


@pytest.mark.parametrize(
    ("name", "options", "walls"),
    [
        ("navmesh-demo/map.tmx", {}, 120),
        ("navmesh-demo/map.json", {}, 120),
        ("navmesh-demo/map.tmx", {"wall_layers": ()}, 120),
        ("navmesh-demo/map.json", {"wall_layers": ()}, 120),
        ("navmesh-demo/map.tmx", {"wall_properties": ()}, 120),
        ("pygame-tutorial/level1.tmx", {}, 147),
        ("phaser-posts/platformer.tmx", {}, 218),
        ("phaser-posts/simple-map-collision-mapped.tmx", {}, 190),
        ("phaser-posts/dungeon.tmx", {}, 0),
        ("phaser-posts/dungeon.tmx", {"wall_layers": "tile layer 1"}, 242),
        ("arcade/map_with_ladders.json", {"wall_layers": "Platforms"}, 50),
        ("arcade/map2_level_1.json", {"wall_layers": "Platforms"}, 127),
        ("sticker-knight/sandbox.tmx", {}, 0),
        ("sticker-knight/sandbox.tmx", {"wall_layers": "bounds"}, 62),
    ],
)
def test_walls_of_real_maps(name: str, options: dict[str, Any], walls: int) -> None:
    assert np.count_nonzero(load_map(realdata.folder("tiled") / name, **options).walls) == walls


@pytest.mark.parametrize(
    ("name", "flagged"),
    [
        ("navmesh-demo/map.tmx", 41),
        ("phaser-posts/platformer.tmx", 75),
        ("phaser-posts/simple-map-collision-mapped.tmx", 336),
    ],
)
def test_tiles_flagged_in_real_tilesets(name: str, flagged: int) -> None:
    level = Level(realdata.folder("tiled") / name)
    assert len(_flagged_tiles(level, {"collides"})) == flagged


def test_the_town_agrees_with_its_list_of_blocked_cells() -> None:
    home = realdata.folder("agentsim") / "smallville"
    maze = json.loads((home / "maze.json").read_text())
    blocked = {tuple(tile["coord"]) for tile in maze["tiles"] if tile.get("collision")}
    space = load_map(home / "tilemap.json")
    rows, columns = np.nonzero(space.walls)
    assert len(blocked) == 2064
    assert set(zip(columns.tolist(), rows.tolist(), strict=True)) == blocked


@pytest.mark.parametrize("name", ["b64", "b64_gzip", "b64_zlib", "b64_zstd", "all_layer_types"])
@pytest.mark.parametrize("suffix", ["tmx", "json"])
def test_real_maps_say_the_same_in_every_encoding(name: str, suffix: str) -> None:
    path = realdata.folder("tiled") / f"encodings/{name}/map.{suffix}"
    level = Level(path)
    layer = next(layer for layer in level.layers if level.chunks(layer))
    ids = tile_ids(layer, level.chunks(layer)[0])
    assert ids.tolist() == np.arange(1, 49).reshape(6, 8).tolist()
    assert load_map(path, wall_layers="Tile Layer 1").walls.all()


def test_a_real_level_with_colliders() -> None:
    path = realdata.folder("tiled") / "bevy/maps/orthogonal/multiple_layers_with_colliders.tmx"
    space = load_map(path)
    centers = space.position_of(np.arange(len(space))).reshape(20, 20, 2)
    circle = np.hypot(centers[..., 0] - 299.75, centers[..., 1] - 400.37) < 43.06
    box = (np.abs(centers[..., 0] - 141.99) < 21.74) & (np.abs(centers[..., 1] - 386.73) < 22.6)
    assert np.array_equal(space.walls & (circle | box), circle | box)
    assert space.walls.sum() == 9


def test_a_real_infinite_map_with_colliders() -> None:
    space = load_map(realdata.folder("tiled") / "bevy/maps/orthogonal/infinite.tmx")
    assert space.shape == (32, 32) and space.origin == (-512.0, -512.0)
    x, y = space.position_of(np.arange(len(space))).T
    box = (x >= -128) & (x < 95) & (y >= 97) & (y < 254)
    assert space.walls.reshape(-1)[box].all()
    assert not space.walls.reshape(-1)[(y > 254) | (x < -132) | (x > 102) | (y < -131)].any()


TMX_OBJECTS = """<map orientation="orthogonal" width="4" height="3" tilewidth="16" tileheight="16">
<objectgroup name="spawns" offsetx="2"><object id="1" name="guard" x="16" y="16" width="16"
height="32"><properties><property name="speed" type="float" value="1.5"/><property name="boss"
type="bool" value="true"/></properties></object><object id="2" name="guard" x="8" y="24"><point/>
</object><object id="3" x="1" y="1"/></objectgroup></map>"""


@pytest.mark.parametrize("tiles", [False, True])
def test_objects_come_with_positions_and_properties(tmp_path: Path, tiles: bool) -> None:
    (tmp_path / "a.tmx").write_text(TMX_OBJECTS)
    level = load_map(tmp_path / "a.tmx", neighbors=4, wall_layers=(), tiles=tiles)
    assert list(level.objects) == ["guard"]
    guards = level.objects["guard"]
    expected = np.array([(26.0, 32.0), (10.0, 24.0)])
    np.testing.assert_allclose(guards.positions, expected / 16 - 0.5 if tiles else expected)
    assert guards.properties == ({"speed": 1.5, "boss": True}, {})
    assert level.origin == ((-0.5, -0.5) if tiles else (0.0, 0.0))


def test_tiles_are_for_grids(tmp_path: Path) -> None:
    (tmp_path / "way.json").write_text('{"vertices": [[0, 0], [3, 4]], "edges": [[0, 1]]}')
    with pytest.raises(InvalidValue, match="without tiles"):
        load_map(tmp_path / "way.json", tiles=True)
    assert generate_map("rooms", 12, 9, tiles=True).position_of(14).tolist() == [2, 1]
