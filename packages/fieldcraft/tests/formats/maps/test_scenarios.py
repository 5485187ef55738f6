from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps.scenarios import load_scenarios
from support.refusals import refused

GOOD = (
    b"version"
    b" 1\n0\tmaps/dao/lake.map\t7\t4\t0\t3\t6\t1\t6.82843\n12\tmaps/dao/lake.map\t7\t4\t1\t1\t1\t1\t0\n"
)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "lake.map.scen"
    path.write_bytes(content)
    return path


def test_problems_are_read_in_world_positions(tmp_path: Path) -> None:
    problems = load_scenarios(written(tmp_path, GOOD))
    assert (len(problems), problems.map_name, problems.width, problems.height) == (
        2,
        "lake.map",
        7,
        4,
    )
    assert problems.starts.tolist() == [[0.5, 3.5], [1.5, 1.5]]
    assert problems.goals.tolist() == [[6.5, 1.5], [1.5, 1.5]]
    assert problems.lengths.tolist() == [6.82843, 0.0]
    assert problems.buckets.tolist() == [0, 12]
    assert problems.precision[0] == pytest.approx(1e-5)


def test_fractional_coordinates_are_world_positions(tmp_path: Path) -> None:
    fractional = GOOD.replace(b"\t0\t3\t6\t1\t", b"\t0.25\t3\t6.5\t1.\t")
    problems = load_scenarios(written(tmp_path, fractional))
    assert problems.starts.tolist() == [[0.25, 3], [1, 1]]
    assert problems.goals.tolist() == [[6.5, 1], [1, 1]]


@pytest.mark.parametrize(
    "content",
    [
        b"version 1.0\n0 maps/dao/lake.map 7 4 0 3 6 1 6.82843\n12 maps/dao/lake.map 7 4 1 1 1 1 0",
        GOOD.replace(b"\n", b"\r\n"),
        GOOD + b"\n\n",
        GOOD.replace(b"maps/dao/lake.map", b"lake.map"),
        GOOD.replace(b"maps/dao/", b"maps\\dao\\"),
    ],
)
def test_spaces_ends_of_lines_and_folders_differ(tmp_path: Path, content: bytes) -> None:
    one, other = load_scenarios(written(tmp_path, GOOD)), load_scenarios(written(tmp_path, content))
    assert one.map_name == other.map_name
    for name in ("starts", "goals", "lengths", "precision", "buckets"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_names_may_hold_spaces(tmp_path: Path) -> None:
    assert (
        load_scenarios(written(tmp_path, GOOD.replace(b"lake.map", b"old lake.map"))).map_name
        == "old lake.map"
    )


@pytest.mark.parametrize(
    ("lengths", "units"),
    [
        (["1", "5.65685", "105.66", "1007.21"], [1e-5, 1e-5, 1e-3, 1e-2]),  # six significant digits
        (["1.00", "5.66", "512.01"], [1e-2, 1e-2, 1e-2]),
        (["1.00000000", "363.27417852"], [1e-8, 1e-8]),
    ],
)
def test_the_precision_is_that_of_the_file(
    tmp_path: Path, lengths: list[str], units: list[float]
) -> None:
    rows = "".join(f"0 a.map 9 9 1 1 2 2 {length}\n" for length in lengths)
    assert load_scenarios(
        written(tmp_path, b"version 1\n" + rows.encode())
    ).precision == pytest.approx(units)


BAD = {
    "empty": (b"", "line 1"),
    "no version": (GOOD[10:], "line 1"),
    "other version": (GOOD.replace(b"version 1", b"version 2"), "'version 2'"),
    "no problem": (b"version 1\n\n", "none in lake.map.scen"),
    "cut off": (GOOD[:-14], "line 3"),
    "cut in the length": (GOOD[:-2], "line 3"),
    "a column too many": (GOOD + b"1 2 a.map 7 4 0 3 6 1 6 6\n", "line 4"),
    "a word for a number": (GOOD.replace(b"12", b"dozen"), "line 3"),
    "negative": (GOOD.replace(b"\t6\t1\t6.8", b"\t-6\t1\t6.8"), "line 2"),
    "a number without end": (GOOD.replace(b"12", b"9" * 5000), "line 3"),
    "no length": (GOOD.replace(b"6.82843", b"nan"), "line 2"),
    "infinite length": (GOOD.replace(b"6.82843", b"1e999"), "line 2"),
    "off the map by a fraction": (GOOD.replace(b"\t6\t1\t", b"\t7.0\t1\t"), "line 2"),
    "two points": (GOOD.replace(b"\t6\t1\t", b"\t6.0.1\t1\t"), "line 2"),
    "off the map": (GOOD.replace(b"\t6\t1\t", b"\t7\t1\t"), "line 2"),
    "below the map": (GOOD.replace(b"\t0\t3\t", b"\t0\t4\t"), "line 2"),
    "two maps": (GOOD + b"0 b.map 7 4 0 3 6 1 6.8\n", "line 4"),
    "two sizes": (GOOD + b"0 lake.map 8 4 0 3 6 1 6.8\n", "line 4"),
    "noise": (bytes(range(256)) * 20, "line 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_by_line(tmp_path: Path, name: str) -> None:
    content, said = BAD[name]
    with pytest.raises(BadMapFile, match=re.escape(said)) as caught:
        load_scenarios(written(tmp_path, content))
    assert caught.value.rule and caught.value.got and caught.value.remedy
    assert len(str(caught.value)) < 600


def test_huge_files_are_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    os.truncate(path, 2**24 + 1)
    with refused(BadMapFile, "at most", "Cut it"):
        load_scenarios(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.scen", "a\0b"):
        with refused(BadMapFile):
            load_scenarios(path)
    with refused(InvalidValue):
        load_scenarios(17)  # type: ignore[arg-type]
