"""CSV tables: headers, rows, cells that are refused."""

from __future__ import annotations

import pytest

from fieldcraft.base.errors import BadTimeline
from fieldcraft.formats.recordings import table
from fieldcraft.formats.recordings.timeline import Timeline
from support.timelines import HEADER, by_id, read


def test_columns_in_any_order_with_others_between_and_a_byte_order_mark(tmp_path):
    timeline = read(
        tmp_path, "\ufeffnote,y,x,id,group,seconds,strength\r\n" + '"a, b",2,1,u,red,0,3\r\n\r\n'
    )
    assert by_id(timeline, 0) == {"u": (1, 2, 3)}


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (HEADER + "0,a,red,2,3,8\nx,a,red,2,3,8\n", 3, "seconds is a finite number"),
        (HEADER + "-1,a,red,2,3,8\n", 2, r"seconds is from 0 to 1e\+09"),
        (HEADER + "1e300,a,red,2,3,8\n", 2, r"seconds is from 0 to 1e\+09"),
        (HEADER + "nan,a,red,2,3,8\n", 2, "seconds is a finite number"),
        (HEADER + "0,a,red,inf,3,8\n", 2, "x is a finite number"),
        (HEADER + "0,a,red,1_0,3,8\n", 2, "x is a finite number"),
        (HEADER + "0,a,red,2,,8\n", 2, "y is a finite number"),
        (HEADER + "0,a,red,2,3,1e39\n", 2, "strength is from"),
        (HEADER + "0,,red,2,3,8\n", 2, "Every row has an id"),
        (HEADER + "0,a,red,2,3,8\n1,a,red,2", 3, "as many cells as the header"),
        (HEADER + '0,"a,red,2,3,8\n', 2, "Quotes"),
        (HEADER + "0," + "a" * 300 + ",red,2,3,8\n", 2, "at most 256"),
        (HEADER + "0,a,red,2,3,8" + " " * 70_000 + "\n", 2, "at most 65,536 bytes"),
        ("seconds,id,group,x,y\n", 1, "no strength"),
        ("seconds,id,group,x,y,strength,x\n", 1, "different names"),
        (HEADER.replace("\n", ",half_life\n") + "0,a,red,2,3,8,0\n", 2, "half_life is above 0"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(tmp_path, text, line, says):
    with pytest.raises(BadTimeline, match=says) as caught:
        read(tmp_path, text)
    assert f"in line {line} of " in str(caught.value)


def test_binary_empty_and_absent_files(tmp_path, monkeypatch):
    with pytest.raises(BadTimeline, match="UTF-8"):
        read(tmp_path, bytes(range(128, 256)))
    with pytest.raises(BadTimeline, match=r"but \\x00\\x01"):
        read(tmp_path, bytes(range(256)))
    with pytest.raises(BadTimeline, match="header"):
        read(tmp_path, b"")
    for path, says in (
        (tmp_path / "none.csv", "No such file"),
        (tmp_path, "A recording is read from a file"),
        ("a\0b", "null"),
    ):
        with pytest.raises(BadTimeline, match=says):
            Timeline.read(path)
    monkeypatch.setattr(table, "MAX_ROWS", 2)
    with pytest.raises(BadTimeline, match="at most 2 rows"):
        read(tmp_path, HEADER + "0,a,red,2,3,8\n" * 3)
    monkeypatch.setattr(table, "MAX_BYTES", 20)
    with pytest.raises(BadTimeline, match="at most 20 bytes"):
        read(tmp_path, HEADER)
