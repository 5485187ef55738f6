from __future__ import annotations

import io
import re
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps import load_map
from support import damage, realdata
from support.map_files import archive

# As the game has it: row 0 is the south edge.
SOUTH_FIRST = np.array([[0, 0, 0, 0, 0], [0, 1, 1, 1, 1], [0, 1, 1, 1, 0]], dtype=np.uint8)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "Small.npz"
    path.write_bytes(content)
    return path


def npy(header: bytes, body: bytes, *, version: bytes = b"\x01\x00") -> bytes:
    size = struct.pack("<H" if version[0] == 1 else "<I", len(header))
    return b"\x93NUMPY" + version + size + header + body


def zipped(member: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("pathing.npy", member)
    return stream.getvalue()


def test_positions_stay_the_games_own(tmp_path: Path) -> None:
    space = load_map(written(tmp_path, archive(pathing=SOUTH_FIRST)))
    assert space.y_up and space.shape == (3, 5)
    assert np.array_equal(space.walls, SOUTH_FIRST[::-1] == 0)
    blocked = {
        (x, y): bool(space.walls.reshape(-1)[space.cell_at((x + 0.5, y + 0.5))])
        for y in range(3)
        for x in range(5)
    }
    assert blocked == {(x, y): SOUTH_FIRST[y, x] == 0 for y in range(3) for x in range(5)}


def test_the_placement_grid_and_flyers(tmp_path: Path) -> None:
    placement = np.zeros((3, 5), dtype=bool)
    placement[1, 2] = True
    path = written(tmp_path, archive(pathing=SOUTH_FIRST, placement=placement))
    assert np.flatnonzero(~load_map(path, grid="placement").walls).tolist() == [7]
    assert not load_map(path, mobility="air").walls.any()


def test_resources_cover_two_by_one_and_three_by_three_cells(tmp_path: Path) -> None:
    pathing = np.ones((6, 9), dtype=np.uint8)
    units = np.array([[3.0, 1.5], [6.5, 3.5], [1.0, 4.5]], dtype=np.float32)
    path = written(
        tmp_path,
        archive(pathing=pathing, unit_xy=units, unit_resource=np.array([1, 2, 0], dtype=np.uint8)),
    )
    assert not load_map(path).walls.any()
    walls = load_map(path, resources=True).walls
    assert ["".join("#" if wall else "-" for wall in row) for row in walls] == [
        "---------",
        "-----###-",
        "-----###-",
        "-----###-",
        "--##-----",
        "---------",
    ]


BAD = {
    "empty": b"",
    "noise": bytes(range(256)),
    "cut off": archive(pathing=SOUTH_FIRST)[:-30],
    "another archive": archive(values=SOUTH_FIRST),
    "floats": archive(pathing=SOUTH_FIRST.astype(float)),
    "objects": zipped(
        npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }\n", b"cos\nsystem\n")
    ),
    "one axis": archive(pathing=SOUTH_FIRST[0]),
    "three axes": archive(pathing=SOUTH_FIRST[None]),
    "no cells": archive(pathing=np.empty((0, 5), dtype=np.uint8)),
    "no npy": zipped(b"hello"),
    "header cut": zipped(b"\x93NUMPY\x01\x00\xff\x00{"),
    "header of brackets": zipped(npy(b"(" * 4000, b"")),
    "huge header": zipped(npy(b" " * 100, b"", version=b"\x02\x00")),
    "negative shape": zipped(
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (-3, 5), }\n", b"x" * 15)
    ),
    "shape beyond the data": zipped(
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (2000, 2000), }\n", b"x" * 15)
    ),
    "shape beyond all maps": zipped(
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000, 1000000000), }\n", b"")
    ),
    "more bytes than the largest map": zipped(
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (3, 5), }\n", bytes(20_000_000))
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_archives_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadMapFile) as caught:
        load_map(written(tmp_path, BAD[name]))
    assert caught.value.rule and "Small.npz" in caught.value.got and caught.value.remedy


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({}, "unit_xy"),
        ({"unit_xy": np.zeros((3, 3)), "unit_resource": np.zeros(3, np.uint8)}, "(3, 3)"),
        ({"unit_xy": np.zeros((3, 2)), "unit_resource": np.zeros(2, np.uint8)}, "(2,)"),
        ({"unit_xy": np.full((1, 2), np.nan), "unit_resource": np.ones(1, np.uint8)}, "nan"),
        ({"unit_xy": np.full((1, 2), 900.0), "unit_resource": np.ones(1, np.uint8)}, "900"),
    ],
)
def test_bad_units_are_refused_only_when_asked_for(
    tmp_path: Path, arrays: dict[str, Any], said: str
) -> None:
    path = written(tmp_path, archive(pathing=SOUTH_FIRST, **arrays))
    assert len(load_map(path)) == 15
    with pytest.raises(BadMapFile, match=re.escape(said)):
        load_map(path, resources=True)


def test_a_bomb_takes_no_memory(tmp_path: Path) -> None:
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (3, 5), }\n"
    path = written(tmp_path, zipped(npy(header, bytes(50_000_000))))
    tracemalloc.start()
    with pytest.raises(BadMapFile):
        load_map(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**21


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"grid": "height"}, "'pathing'"),
        ({"mobility": "water"}, "'air'"),
        ({"resources": "yes"}, "'yes'"),
    ],
)
def test_options_are_checked(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        load_map(written(tmp_path, archive(pathing=SOUTH_FIRST)), **options)


DTYPES = st.sampled_from(
    [
        np.dtype(name)
        for name in ("u1", "?", "i8", ">u2", "f4", "f8", "c8", "S2", "U2", "M8[s]", "u1,i4")
    ]
)


@damage.fuzz
@given(
    pathing=hnp.arrays(DTYPES, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)),
    kinds=hnp.arrays(DTYPES, hnp.array_shapes(min_dims=0, max_dims=2, max_side=3)),
    header=damage.damaged(
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (3, 5), }\n", bytes(15))
    ),
)
def test_no_array_gets_past_the_loader(
    tmp_path: Path, pathing: Any, kinds: Any, header: bytes
) -> None:
    damage.load_or_refuse(written(tmp_path, archive(pathing=pathing)))
    damage.load_or_refuse(
        written(tmp_path, archive(pathing=SOUTH_FIRST, unit_xy=kinds, unit_resource=kinds)),
        resources=True,
    )
    damage.load_or_refuse(written(tmp_path, zipped(header)))


GRIDS = realdata.files("sc2", "grids/*.npz")


@pytest.mark.parametrize("path", GRIDS, ids=lambda path: path.stem)
def test_real_grids_have_the_cells_that_their_list_says(path: Path) -> None:
    listed = (realdata.folder("sc2") / "README.md").read_text()
    row = re.search(
        rf"\| grids/{path.name} \| (\d+)x(\d+) \| (\d+) \| \d+ \| \d+ \| (\d+) \| (\d+)", listed
    )
    assert row is not None
    width, height, walkable, minerals, geysers = map(int, row.groups())
    space = load_map(path)
    assert space.shape == (height, width) and space.y_up
    assert np.count_nonzero(~space.walls) == walkable
    with np.load(path, allow_pickle=False) as arrays:
        units, kinds = arrays["unit_xy"], arrays["unit_resource"]
        workers = units[arrays["unit_name"] == "SCV"]
        town_hall = arrays["start_locations"][0]
    assert (np.count_nonzero(kinds == 1), np.count_nonzero(kinds == 2)) == (minerals, geysers)
    assert not space.walls.reshape(-1)[space.cell_at(workers)].any()
    stamped = load_map(path, resources=True)
    assert stamped.walls.reshape(-1)[stamped.cell_at(units[kinds > 0])].all()
    # What the player saw at the start was cut out by the game itself: stamping it again changes
    # nothing there.
    changed = stamped.position_of(np.flatnonzero(stamped.walls & ~space.walls))
    assert len(changed) and np.hypot(*(changed - town_hall).T).min() > 10
