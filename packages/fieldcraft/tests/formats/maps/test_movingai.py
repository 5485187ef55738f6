from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps import load_map
from fieldcraft.formats.maps.movingai import MOBILITIES
from fieldcraft.space import Grid
from support import realdata

ROWS = [".GSTW@O", "..SSWW@"]


def written(
    folder: Path,
    rows: list[str],
    *,
    width: int | None = None,
    height: int | None = None,
    end: str = "\n",
    last: str = "\n",
) -> Path:
    header = [
        "type octile",
        f"height {len(rows) if height is None else height}",
        f"width {len(rows[0]) if width is None else width}",
        "map",
    ]
    path = folder / "small.map"
    path.write_bytes((end.join(header + rows) + last).encode())
    return path


def is_open(space: Grid) -> list[str]:
    return ["".join("#" if wall else "-" for wall in row) for row in space.walls]


@pytest.mark.parametrize(
    ("mobility", "picture"),
    [
        ("ground", ["---####", "----###"]),
        ("trees", ["###-###", "#######"]),
        ("water", ["####-##", "####--#"]),
        ("amphibious", ["---#-##", "------#"]),
        ("any", ["-----##", "------#"]),
        ("air", ["-------", "-------"]),
    ],
)
def test_each_mobility_opens_its_letters(tmp_path: Path, mobility: str, picture: list[str]) -> None:
    assert is_open(load_map(written(tmp_path, ROWS), mobility=mobility)) == picture


def test_the_terrain_is_named_and_y_grows_downwards(tmp_path: Path) -> None:
    space = load_map(written(tmp_path, ROWS))
    assert space.terrain is not None
    assert [space.terrain.names[kind] for kind in space.terrain.classes[0]] == [
        "ground",
        "ground",
        "swamp",
        "trees",
        "water",
        "solid",
        "solid",
    ]
    assert (space.cell_size, space.origin, space.y_up, space.shape) == (
        1.0,
        (0.0, 0.0),
        False,
        (2, 7),
    )
    assert space.cell_at((2.5, 1.5)) == 9


def steps_right(space: Grid) -> list[bool]:
    """For each cell of the first row, whether the step to the right may end in it."""
    bit = space.neighborhood.steps.index((1, 0))
    return [bool(links >> bit & 1) for links in space.links()[0].tolist()]


def test_any_opens_all_terrain_but_lets_no_step_change_it(tmp_path: Path) -> None:
    path = written(tmp_path, [".STTWW.."])
    assert steps_right(load_map(path, mobility="any")) == [
        False,
        True,
        False,
        True,
        False,
        True,
        False,
        True,
    ]
    assert steps_right(load_map(path, mobility="amphibious")) == [
        False,
        True,
        False,
        False,
        True,
        True,
        True,
        True,
    ]  # a wall may be left
    assert steps_right(load_map(path, mobility="air")) == [False] + [True] * 7


@pytest.mark.parametrize(
    ("end", "last"), [("\n", ""), ("\r\n", "\r\n"), ("\r\n", ""), ("\r\n", "\r"), ("\n", "\n\n\n")]
)
def test_line_ends_of_every_system_are_taken(tmp_path: Path, end: str, last: str) -> None:
    assert is_open(load_map(written(tmp_path, ROWS, end=end, last=last))) == ["---####", "----###"]


def test_line_ends_may_be_mixed_and_the_header_in_either_order(tmp_path: Path) -> None:
    path = tmp_path / "mixed.map"
    path.write_bytes(b"type octile\r\nwidth 3\nheight 2 \r\nmap\n.@.\r\n@.@")
    assert is_open(load_map(path)) == ["-#-", "#-#"]


BAD = {
    "empty file": b"",
    "no rows": b"type octile\nheight 2\nwidth 3\nmap\n",
    "cut header": b"type octile\nheight 2\n",
    "other type": b"type tile\nheight 1\nwidth 1\nmap\n.\n",
    "no type": b"height 1\nwidth 1\ntype octile\nmap\n.\n",
    "height twice": b"type octile\nheight 1\nheight 1\nmap\n.\n",
    "a word for a number": b"type octile\nheight one\nwidth 1\nmap\n.\n",
    "negative": b"type octile\nheight -1\nwidth 1\nmap\n.\n",
    "zero": b"type octile\nheight 1\nwidth 0\nmap\n\n",
    "row too short": b"type octile\nheight 3\nwidth 3\nmap\n...\n..\n...\n",
    "row too long": b"type octile\nheight 3\nwidth 3\nmap\n...\n...\n....\n",
    "rows missing": b"type octile\nheight 3\nwidth 3\nmap\n...\n...\n",
    "rows too many": b"type octile\nheight 2\nwidth 3\nmap\n...\n...\n...\n",
    "unknown letter": b"type octile\nheight 2\nwidth 3\nmap\n...\n.x.\n",
    "return inside a row": b"type octile\nheight 2\nwidth 3\nmap\n...\n.\r.\n",
    "more cells than a grid has": b"type octile\nheight 1000000000\nwidth 1000000000\nmap\n...\n",
    "a few more cells than a grid has": b"type octile\nheight 20000\nwidth 20000\nmap\n...\n",
    "a header far beyond the file": b"type octile\nheight 16000\nwidth 16000\nmap\n...\n",
    "numbers without end": b"type octile\nheight " + b"9" * 900 + b"\nwidth 3\nmap\n",
    "noise": bytes(range(256)) * 20,
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_by_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.map"
    path.write_bytes(BAD[name])
    with pytest.raises(BadMapFile) as caught:
        load_map(path)
    assert caught.value.rule and caught.value.got and caught.value.remedy


def test_a_lying_header_takes_no_memory(tmp_path: Path) -> None:
    path = written(tmp_path, ["..."], width=16000, height=16000)
    tracemalloc.start()
    with pytest.raises(BadMapFile):
        load_map(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_trees_and_water_are_offered_where_there_are_some(tmp_path: Path) -> None:
    path = written(tmp_path, ["..T", "..."])
    assert load_map(path, mobility="trees").walls.sum() == 5
    with pytest.raises(InvalidValue, match="needs a map with water"):
        load_map(path, mobility="water")
    with pytest.raises(
        InvalidValue, match="'ground', 'trees', 'water', 'amphibious', 'any', 'air'"
    ):
        load_map(path, mobility="boat")


MAPS = realdata.files("gridmaps", "maps/*/*.map")


@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.stem)
def test_real_maps_have_the_size_and_letters_that_their_list_says(path: Path) -> None:
    listed = (realdata.folder("gridmaps") / "README.md").read_text()
    row = re.search(
        rf"\| maps/{path.parent.name}/{re.escape(path.name)} \| (\d+)x(\d+) \| ([^|]*)\|", listed
    )
    assert row is not None
    letters = {letter: int(count) for letter, count in re.findall(r"`(.)`(\d+)", row[3])}
    for mobility, groups in MOBILITIES.items():
        counts = sum(
            letters.get(letter, 0)
            for letter, kind in {".": 1, "S": 2, "T": 3, "W": 4, "@": 0}.items()
            for group in groups
            if kind in group
        )
        if mobility in ("trees", "water") and not counts:
            continue
        space = load_map(path, mobility=mobility)
        assert space.shape == (int(row[2]), int(row[1]))
        assert np.count_nonzero(~space.walls) == counts, mobility


def connected_parts(space: Grid) -> np.ndarray:
    """The number of the connected part of each cell."""
    links = space.links()
    ids = np.arange(len(space)).reshape(space.shape)
    starts, ends = [], []
    for bit, (dx, dy) in enumerate(space.neighborhood.steps):
        rows, columns = np.nonzero((links >> bit) & 1)
        ends.append(ids[rows, columns])
        starts.append(ids[rows - dy, columns - dx])
    start, end = np.concatenate(starts), np.concatenate(ends)
    graph = sparse.coo_array(
        (np.ones(len(start), dtype=np.int8), (start, end)), shape=(len(space), len(space))
    )
    return csgraph.connected_components(graph, directed=False)[1]


@pytest.mark.parametrize("name", ["bloodvenomfalls", "icecrown"])
def test_the_rule_of_the_benchmark_connects_the_ends_of_its_problems(name: str) -> None:
    home = realdata.folder("gridmaps")
    lines = (home / f"scenarios/wc3maps512/{name}.map.scen").read_text().splitlines()[1:]
    x0, y0, x1, y1 = np.array([line.split()[4:8] for line in lines], dtype=int).T
    path = home / f"maps/wc3maps512/{name}.map"
    space = load_map(path, neighbors=8, mobility="any")
    part = connected_parts(space).reshape(space.shape)
    assert not space.walls[y0, x0].any() and not space.walls[y1, x1].any()
    assert (part[y0, x0] == part[y1, x1]).all()
    walkable = ~load_map(path, mobility="ground").walls
    assert not walkable[y0, x0].all()  # some problems lie in trees or water
