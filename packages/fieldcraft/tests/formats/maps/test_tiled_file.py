from __future__ import annotations

import base64
import gzip
import json
import tracemalloc
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.base.errors import BadMapFile
from fieldcraft.formats.maps import load_map
from fieldcraft.formats.maps.tiled_file import blocked_cells, ellipse, rectangle
from support.map_files import TILESET
from support.tiled import (
    FLIPPED,
    PICTURE,
    WALLS,
    _map_element,
    as_xml,
    is_open,
    object_layer,
    packed,
    tile_layer,
    tiled,
    zstandard,
)

HEIGHT, WIDTH = 6, 9


def picture(*shapes: list[tuple[float, float]] | np.ndarray, closed: bool = True) -> list[str]:
    outlines = [(np.asarray(shape, dtype=float), closed) for shape in shapes]
    blocked = blocked_cells((HEIGHT, WIDTH), outlines)
    return ["".join("#" if each else "-" for each in row) for row in blocked]


def test_a_rectangle_on_the_cells_blocks_just_these() -> None:
    assert picture(rectangle(2, 1, 4, 3)) == [
        "---------",
        "--####---",
        "--####---",
        "--####---",
        "---------",
        "---------",
    ]


def test_a_cell_is_blocked_by_its_centre() -> None:
    assert picture(rectangle(1.6, 1.4, 2, 2)) == [
        "---------",
        "--##-----",
        "--##-----",
        "---------",
        "---------",
        "---------",
    ]


@pytest.mark.parametrize(("x", "column"), [(2.8, 2), (2.95, 3), (3.1, 3), (2.51, 2)])
def test_a_wall_thinner_than_a_cell_still_blocks_one_column(x: float, column: int) -> None:
    row = "".join("#" if at == column else "-" for at in range(WIDTH))
    assert picture(rectangle(x, -1, 0.2, 20)) == [row] * HEIGHT


def test_a_thin_wall_along_x_blocks_one_row() -> None:
    assert (
        picture(rectangle(0, 2.9, 9, 0.15)) == ["---------"] * 2 + ["#########"] + ["---------"] * 3
    )


def test_a_line_blocks_the_cells_along_it() -> None:
    assert picture([(0, 0.2), (4, 0.2), (4, 3.9)], closed=False) == [
        "#####----",
        "----#----",
        "----#----",
        "----#----",
        "---------",
        "---------",
    ]


def test_what_touches_no_line_between_centres_blocks_nothing() -> None:
    assert picture(rectangle(2.6, 2.6, 0.3, 0.3)) == ["---------"] * HEIGHT


def test_shapes_reach_beyond_the_map_and_add_up() -> None:
    assert picture(
        rectangle(-50, -50, 51, 51),
        rectangle(8, 5, 100, 100),
        rectangle(100, 0, 5, 5),
        rectangle(0, 0, 1, 1),
    ) == [
        "#--------",
        "---------",
        "---------",
        "---------",
        "---------",
        "--------#",
    ]


def test_an_ellipse_is_round() -> None:
    height, width = 40, 60
    outline = ellipse(50, 34, cell=1) + np.array((5, 3))
    y, x = np.mgrid[:height, :width] + 0.5
    inside = ((x - 30) / 25) ** 2 + ((y - 20) / 17) ** 2
    blocked = blocked_cells((height, width), [(outline, True)])
    assert blocked[inside < 0.999].all()
    # Beyond its rim only its four tips, too thin for a center, may block.
    assert np.count_nonzero(blocked & (inside > 1.001)) <= 4


def test_a_star_is_hollow_where_it_covers_itself_twice() -> None:
    turns = np.arange(5) * 4 * np.pi / 5 - np.pi / 2
    star = 20.5 + 20 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    blocked = blocked_cells((41, 41), [(star, True)])
    assert not blocked[20, 20] and blocked[8, 20]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e12])
def test_points_are_finite_and_near(bad: float) -> None:
    with pytest.raises(BadMapFile, match="near the map"):
        picture([(0, 0), (1, bad), (2, 2)])


def test_too_much_to_draw_is_refused() -> None:
    zigzag = np.tile([(0.0, 0.0), (4096.0, 4096.0)], (3000, 1))
    with pytest.raises(BadMapFile, match="simple enough"):
        blocked_cells((4096, 4096), [(zigzag, True)])


def inside(polygon: np.ndarray, x: float, y: float) -> bool:
    """The textbook even-odd test, one edge at a time."""
    odd = False
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if (y0 <= y) != (y1 <= y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            odd = not odd
    return odd


def crosses(polygon: np.ndarray, start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Whether an edge crosses the segment properly."""

    def side(
        a: np.ndarray | tuple[float, float],
        b: np.ndarray | tuple[float, float],
        c: np.ndarray | tuple[float, float],
    ) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    return any(
        side(start, end, p) * side(start, end, q) < 0 and side(p, q, start) * side(p, q, end) < 0
        for p, q in zip(polygon, np.roll(polygon, -1, axis=0), strict=True)
    )


# Steps of 0.07 keep points off the centers, where rounding would decide.
coordinate = st.integers(-20, 150).map(lambda step: step * 0.07 + 0.013)
polygons = st.lists(st.tuples(coordinate, coordinate), min_size=3, max_size=7).map(np.array)


@settings(max_examples=35, deadline=None, derandomize=True, database=None)
@given(polygon=polygons)
def test_centres_inside_are_blocked_and_nothing_leaks_through(polygon: np.ndarray) -> None:
    blocked = blocked_cells((HEIGHT, WIDTH), [(polygon, True)])
    for row in range(HEIGHT):
        for column in range(WIDTH):
            center = (column + 0.5, row + 0.5)
            if inside(polygon, *center):
                assert blocked[row, column]
            for down, right in ((0, 1), (1, 0)):
                if (
                    row + down < HEIGHT
                    and column + right < WIDTH
                    and not blocked[row, column]
                    and not blocked[row + down, column + right]
                ):
                    assert not crosses(polygon, center, (center[0] + right, center[1] + down))


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(polygon=polygons)
def test_a_cell_is_blocked_only_by_what_is_in_it(polygon: np.ndarray) -> None:
    for row, column in np.argwhere(blocked_cells((HEIGHT, WIDTH), [(polygon, True)])):
        x, y = column + 0.5, row + 0.5
        arms = [((x - 1, y), (x + 1, y)), ((x, y - 1), (x, y + 1))]
        assert inside(polygon, x, y) or any(crosses(polygon, *arm) for arm in arms)


@pytest.mark.parametrize("how", ["", "zlib", "gzip", "zstd"])
def test_every_encoding_says_the_same(save: Any, how: str) -> None:
    flipped = [[gid | FLIPPED if gid else 0 for gid in row] for row in WALLS]
    layer = tile_layer("walls", WALLS, encoding="base64", compression=how)
    layer["data"] = packed(flipped, how)
    assert is_open(load_map(save(tiled(layer)))) == PICTURE


def test_a_large_layer_of_zstd_has_several_blocks(save: Any) -> None:
    rows = np.random.default_rng(8).integers(0, 2, (300, 400)).tolist()
    layer = tile_layer("walls", rows, encoding="base64", compression="zstd")
    layer["data"] = packed(rows, "zstd")
    assert np.array_equal(
        load_map(save(tiled(layer, width=400, height=300))).walls, np.array(rows) == 1
    )


def test_tiles_as_xml_elements(tmp_path: Path) -> None:
    root = _map_element(tiled(tile_layer("walls", WALLS)))
    data = root.find("layer/data")
    assert data is not None
    data.text = "\n "
    data.attrib.clear()
    for row in WALLS:
        for gid in row:
            ElementTree.SubElement(data, "tile", {"gid": str(gid)} if gid else {}).tail = "\n"
    path = tmp_path / "old.tmx"
    path.write_bytes(ElementTree.tostring(root))
    assert is_open(load_map(path)) == PICTURE


BAD_TMX = {
    "empty": b"",
    "text": b"hello",
    "noise": bytes(range(256)),
    "not closed": b"<map>",
    "another root": b"<html/>",
    "a tileset": b'<tileset name="a"/>',
    "a doctype": b'<!DOCTYPE map SYSTEM "http://localhost/map.dtd"><map/>',
    "an entity in an entity": b'<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><map version="&b;"/>',
    "an entity from a file": b'<!DOCTYPE m [<!ENTITY a SYSTEM "file:///etc/hostname">]><map version="&a;"/>',
    "an unknown entity": b'<map version="&a;"/>',
    "an unknown alphabet": b'<?xml version="1.0" encoding="klingon"?><map/>',
    "nothing in it": b"<map/>",
    "words for numbers": b'<map width="a" height="b" tilewidth="c" tileheight="d"/>',
    "too deep": b"<map>" + b"<group>" * 100 + b"</group>" * 100 + b"</map>",
    "a comment without end": b"<map><!--" + b" " * 2000000,
    "a tag without end": b"<map " + b"".join(b'a%d="" ' % number for number in range(2**21 + 1)),
    "too many things": b"<map><objectgroup>" + b"<object/>" * 600000 + b"</objectgroup></map>",
    "too many points": b'<map><objectgroup><object><polygon points="'
    + b"0,0 " * 600000
    + b'"/></object></objectgroup></map>',
    "letters among the tiles": as_xml(tiled(tile_layer("walls", WALLS))).replace(
        b">0,3,", b">0,x,"
    ),
    "gaps among the tiles": as_xml(tiled(tile_layer("walls", WALLS))).replace(b">0,3,", b">0,3 3,"),
    "spaces for commas": as_xml(tiled(tile_layer("walls", WALLS))).replace(b">0,3,", b">0,3,,"),
    "tiles split": as_xml(tiled(tile_layer("walls", WALLS))).replace(b">0,3,0,", b">0,3 1,0 ,"),
    "ids beyond 32 bits": as_xml(tiled(tile_layer("walls", WALLS))).replace(
        b">0,3,", b">0,99999999999999999999,"
    ),
}


@pytest.mark.parametrize("name", BAD_TMX)
def test_bad_xml_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.tmx"
    path.write_bytes(BAD_TMX[name])
    with pytest.raises(BadMapFile) as caught:
        load_map(path)
    assert caught.value.rule and "bad.tmx" in caught.value.got and caught.value.remedy


BAD_JSON = {
    "brackets": b'{"layers": ' + b"[" * 5000000,
    "braces": b'{"layers": ' + b'{"a":' * 100000,
    "brackets behind words": b'{"layers": ' + b'["]",' * 100000,
    "brackets behind escaped quotes": b'{"layers": ' + b'["\\\\\\"]",' * 100000,
    "brackets behind escaped strokes": b'{"layers": ' + b'["\\\\","]",' * 100000,
    "cut off": json.dumps(tiled(tile_layer("walls", WALLS))).encode()[:-20],
    "another encoding": json.dumps(tiled(tile_layer("walls", WALLS))).encode("utf-16"),
    "a list": b"[]",
    "a number of 20,000 digits": b'{"layers": [], "width": ' + b"9" * 20000 + b"}",
    "a tileset": json.dumps({**TILESET, "type": "tileset"}).encode(),
    "another document": b'{"coordinates": [1, 2]}',
    "layers that are none": json.dumps(tiled(7)).encode(),
    "tiles that are no numbers": json.dumps(
        tiled({**tile_layer("walls", WALLS), "data": [0.5] * 12})
    ).encode(),
    "an orientation that is a list": json.dumps(tiled(orientation={"data": [1]})).encode(),
    "a layer seen by a word": json.dumps(
        tiled({**tile_layer("walls", WALLS), "visible": "no"})
    ).encode(),
    "an offset that is a list": json.dumps(
        tiled({**tile_layer("walls", WALLS), "offsetx": [1]})
    ).encode(),
    "a point without y": json.dumps(
        tiled(object_layer("walls", {"id": 1, "polygon": [{"x": 1}]}))
    ).encode(),
    "tiles below 0": json.dumps(tiled({**tile_layer("walls", WALLS), "data": [-1] * 12})).encode(),
}


@pytest.mark.parametrize("name", BAD_JSON)
def test_bad_json_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(BAD_JSON[name])
    with pytest.raises(BadMapFile) as caught:
        load_map(path)
    assert caught.value.rule and "bad.json" in caught.value.got and caught.value.remedy


@pytest.mark.parametrize("how", ["zlib", "gzip", "zstd", "zstd that lies"])
def test_bombs_unpack_to_no_more_than_the_layer_claims(save: Any, how: str) -> None:
    zeros = bytes(20_000_000)
    bomb = {
        "zlib": lambda: zlib.compress(zeros),
        "gzip": lambda: gzip.compress(zeros),
        "zstd": lambda: zstandard.compress(zeros),
        "zstd that lies": lambda: (
            b"\x28\xb5\x2f\xfd\xe0" + (10**10).to_bytes(8, "little") + b"\x01\x00\x00"
        ),
    }[how]()
    layer = {
        **tile_layer("somewhere", WALLS),
        "encoding": "base64",
        "compression": how.split()[0],
        "data": base64.b64encode(bomb).decode(),
    }
    path = save(tiled(layer))
    tracemalloc.start()
    with pytest.raises(BadMapFile, match=r"tiles|memory"):
        load_map(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * 2**20


def test_a_template_made_from_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop.tx").write_text(
        '<template><object template="loop.tx" width="10" height="10"/></template>'
    )
    path = tmp_path / "small.tmx"
    path.write_bytes(
        as_xml(tiled(object_layer("walls", {"id": 1, "x": 0, "y": 0, "template": "loop.tx"})))
    )
    with pytest.raises(BadMapFile, match="made from a template"):
        load_map(path)
