"""A disk that is full: an error of fieldcraft, and what was there before is unchanged."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base import checks
from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft.formats.recordings import Timeline
from fieldcraft.view import save_film, save_png
from support.refusals import refused

NOISE = np.random.default_rng(1).integers(0, 255, (90, 90, 3), dtype=np.uint8)
ROWS = "".join(f"{i},a,red,{i}.5,2,3\n" for i in range(2000))


@contextmanager
def full_disk() -> Iterator[None]:
    """Files of at most 300 bytes, which fail as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("name", ["a.png", "a.gif", "a.csv", "a.map"])
def test_an_output_that_finds_no_room_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    imap = fc.InfluenceMap(fc.Grid(40, 30))
    imap.add_layer("a", fc.Spread(decay=0.1, momentum=0.5), values=np.ones((30, 40)))
    (tmp_path / "rows.csv").write_text("seconds,id,group,x,y,strength\n" + ROWS)
    timeline = Timeline.read(tmp_path / "rows.csv")
    writers = {
        "a.png": lambda: save_png(path, NOISE),
        "a.gif": lambda: save_film(path, [NOISE]),
        "a.csv": lambda: timeline.write(path),
        "a.map": lambda: imap.save(path),
    }
    path.write_text("old")
    with full_disk(), pytest.raises(FieldcraftError):
        writers[name]()
    assert path.read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([name, "rows.csv"])
    writers[name]()


def test_numbers_too_long_to_print_are_refused() -> None:
    for check in (checks.finite, checks.positive, checks.not_negative, checks.fraction):
        with refused(InvalidValue):
            check("speed", -(10**5000))
