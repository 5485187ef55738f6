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

from fieldcraft.base.errors import BadMapFile
from fieldcraft.formats.maps import load_map
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
