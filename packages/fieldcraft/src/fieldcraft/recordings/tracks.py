"""Recorded trajectories: tracks of animals, a file for each, and pedestrians, all in one."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from fieldcraft import checks
from fieldcraft.errors import BadTimeline
from fieldcraft.recordings.table import Table
from fieldcraft.recordings.timeline import MAX_SAMPLES, Timeline, TimelineBuilder

__all__ = ["read_pedestrians", "read_tracks"]

_MOST_FILES = 10_000
_RATE = re.compile(r"framerate:\s*([0-9.]+)")
_UNIT = re.compile(r"\bx/(\w+)\s+y/(\w+)")
_UNITS = {"m": 1.0, "cm": 0.01}


def read_tracks(path: str | Path, *, group: str = "tracks") -> Timeline:
    """Reads tracks, one text file for each individual, with the columns seconds, x and y, separated
    by blanks.

    `path` is one such file, or a folder: then all its files that end in .txt are read, and their
    names without the ending are the ids. Sampling may be irregular and rows out of order; between
    two samples an individual stays where it was seen last, for such recordings leave out those who
    stand still. It is there from its first sample until one usual step after its last. Units are
    the recording's.

    Lines that begin with # are comments. Raises `BadTimeline` with file, line and remedy for
    anything malformed.

    Source of the format: tracks of ants in their nest as they are given with "switching-lds"
    (group9ine, MIT).
    """
    builder = TimelineBuilder()
    for file in _files(checks.path("path", path)):
        seconds = []
        with Table(file, header=("seconds", "x", "y"), blanks=True) as table:
            for row in table.rows():
                moment = table.seconds(row[0])
                place = (table.coordinate(row[1], "x"), table.coordinate(row[2], "y"))
                seconds.append(moment)
                _put(table, builder, moment, file.stem, group, place)
            if not seconds:
                raise BadTimeline(
                    "A track has at least one sample",
                    got=f"{file}: none",
                    remedy="Remove the file, or check how it was written",
                )
            gaps = np.diff(np.sort(seconds))
            usual = float(np.median(gaps)) if len(gaps) else 0.0
            _put(table, builder, max(seconds) + (usual or 1.0), file.stem, group, None)
    return builder.build()


def read_pedestrians(
    path: str | Path,
    *,
    frames_per_second: float | None = None,
    unit: str | None = None,
    keep_every: int = 1,
    group: str = "pedestrians",
) -> Timeline:
    """Reads trajectories of pedestrians as PeTrack writes them: id, frame, x, y and perhaps z,
    separated by blanks. z is not kept.

    Comments (#) before the rows may say `framerate: 25 fps` and `x/m y/m` or `x/cm y/cm`; positions
    come out in metres. A person is there from the first frame to the last, and the first frame of
    all is second 0.

    Source of the format: the pedestrian dynamics data archive of Forschungszentrum Juelich, and
    PedPy, which reads it.

    Parameters
    ----------
    frames_per_second, unit : float, optional / str, optional
        In place of what the comments say; needed where they say nothing. The unit is "m" or "cm".
    keep_every : int, optional
        Every n-th frame only.

    Raises
    ------
    BadTimeline
        With file, line and remedy for anything malformed.
    InvalidValue
        For arguments out of range.
    """
    rate = (
        None
        if frames_per_second is None
        else checks.positive("frames_per_second", frames_per_second)
    )
    if unit is not None:
        checks.choice("unit", unit, tuple(_UNITS))
    step = checks.whole("keep_every", keep_every, minimum=1)
    builder = TimelineBuilder()
    samples: list[tuple[int, str, float, float]] = []
    with Table(path, header=("id", "frame", "x", "y", "z"), fewest=4, blanks=True) as table:
        for row in table.rows():
            frame = table.whole(row[1], "frame")
            samples.append(
                (
                    frame,
                    str(table.whole(row[0], "id")),
                    table.coordinate(row[2], "x"),
                    table.coordinate(row[3], "y"),
                )
            )
        if not samples:
            raise table.refusal(
                "A recording has at least one row", "none", "Check how it was written"
            )
        said = "\n".join(table.comments)
        rate = rate if rate is not None else _said_rate(table, said)
        size = _UNITS[unit] if unit is not None else _said_unit(table, said)
        samples.sort(key=lambda sample: sample[0])
        first = samples[0][0]
        table.seconds(repr((samples[-1][0] - first + step) / rate))
        latest: dict[str, int] = {}
        for frame, who, x, y in samples:
            if (frame - first) % step:
                continue
            before = latest.get(who)
            if before is not None and frame - before > step:  # away for a while
                _put(table, builder, (before + step - first) / rate, who, group, None)
            latest[who] = frame
            _put(table, builder, (frame - first) / rate, who, group, (x * size, y * size))
        for who, frame in latest.items():
            _put(table, builder, (frame + step - first) / rate, who, group, None)
    return builder.build()


def _files(path: Path) -> list[Path]:
    try:
        if not path.is_dir():
            return [path]
    except (OSError, ValueError):  # a name that no file can have: the table says so
        return [path]
    found = sorted(file for file in path.iterdir() if file.suffix == ".txt" and file.is_file())
    if not found:
        raise BadTimeline(
            "A folder of tracks has files that end in .txt",
            got=f"none in {path}",
            remedy="Name another folder, or one file",
        )
    if len(found) > _MOST_FILES:
        raise BadTimeline(
            f"A folder of tracks has at most {_MOST_FILES:,} files",
            got=f"{len(found):,} in {path}",
            remedy="Take a part",
        )
    return found


def _said_rate(table: Table, said: str) -> float:
    found = _RATE.search(said)
    rate = (
        float(found[1])
        if found is not None and found[1].count(".") < 2 and found[1] != "."
        else 0.0
    )
    if not 0 < rate < math.inf:
        raise BadTimeline(
            "A recording of frames says how many there are in a second, in a comment such as '#"
            " framerate: 25 fps'",
            got=f"no such comment in {table.path}",
            remedy="Pass frames_per_second=25, say",
        )
    return rate


def _said_unit(table: Table, said: str) -> float:
    found = _UNIT.search(said)
    if found is None or found[1] != found[2] or found[1] not in _UNITS:
        raise BadTimeline(
            "A recording says its unit, in a comment such as '# id frame x/m y/m z/m'",
            got=f"{found[0] if found else 'no such comment'} in {table.path}",
            remedy='Pass unit="m" or unit="cm"',
        )
    return _UNITS[found[1]]


def _put(
    table: Table,
    builder: TimelineBuilder,
    seconds: float,
    who: str,
    group: str,
    place: tuple[float, float] | None,
) -> None:
    if not builder._put(seconds, who, group, place, math.nan, math.inf, 0.0):
        raise table.refusal(
            f"A timeline has at most {MAX_SAMPLES:,} samples",
            "more",
            "Read a part of the recording, or with keep_every=2",
        )
