"""Recorded trajectories: animals, in a file for each, and pedestrians, all in one."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import BadTimeline
from fieldcraft.formats.recordings import Timeline, TimelineBuilder

_RATE = re.compile(r"framerate:\s*(\d+\.?\d*)")
_UNIT = re.compile(r"\bx/(\w+)\s+y/\1\b")
_UNITS = {"m": 1.0, "cm": 0.01}


def read_tracks(path: str | Path, *, group: str = "tracks") -> Timeline:
    """Read tracks, one text file for each individual, with the columns seconds, x and y.

    `path` is one such file, or a folder with .txt files; the ids are their names without the
    suffix. An individual is present from its first sample until one typical step after its last.
    Units are the recording's. Lines that begin with # are comments.

    Source of the format: tracks of ants in their nest, distributed with "switching-lds" (group9ine,
    MIT).
    """
    folder = Path(path)
    builder = TimelineBuilder()
    if folder.is_dir():
        files = sorted(folder.glob("*.txt"))
    else:
        files = [folder]
    for file in files:
        rows = _table(file, (0, 1, 2))
        gaps = np.diff(np.sort(rows[:, 0]))
        for seconds, x, y in rows.tolist():
            builder.add(seconds, file.stem, group, (x, y))
        last = float(rows[:, 0].max())
        if len(gaps):
            last += float(np.median(gaps))
        else:
            last += 1.0
        builder.add(last, file.stem, group, None)
    return builder.build()


def read_pedestrians(
    path: str | Path,
    *,
    frames_per_second: float | None = None,
    unit: str | None = None,
    group: str = "pedestrians",
) -> Timeline:
    """Read trajectories of pedestrians in the format of PeTrack: id, frame, x, y and optionally z.

    Comments (#) may contain `framerate: 25 fps` and `x/m y/m` or `x/cm y/cm`; the arguments replace
    them. Positions are in meters. A person is present from the first frame to the last, and the
    first frame of all is second 0.

    Source of the format: the pedestrian dynamics data archive of Forschungszentrum Juelich, and
    PedPy, which reads it.
    """
    file = Path(path)
    rows = _table(file, (0, 1, 2, 3))
    comments = " ".join(line for line in file.read_text().splitlines() if line.startswith("#"))
    given_rate = _RATE.search(comments)
    given_unit = _UNIT.search(comments)
    rate = frames_per_second or float(given_rate[1] if given_rate else 0)
    scale = _UNITS.get(unit or (given_unit[1] if given_unit else ""), 0.0)
    if not rate > 0 or not scale:
        raise BadTimeline(
            "A recording says its frames per second and its unit",
            got=f"{comments[:80]!r} in {file}",
            remedy='Pass frames_per_second=25 and unit="m" (--fps 25 --unit m), say',
        )
    rows = rows[np.argsort(rows[:, 1], kind="stable")]
    frames = rows[:, 1] - rows[0, 1]
    builder = TimelineBuilder()
    latest: dict[str, float] = {}
    for frame, (who, _, x, y) in zip(frames.tolist(), rows.tolist(), strict=True):
        name = f"{who:.0f}"
        if frame - latest.get(name, frame) > 1:  # away for a while
            builder.add((latest[name] + 1) / rate, name, group, None)
        latest[name] = frame
        builder.add(frame / rate, name, group, (x * scale, y * scale))
    for name, frame in latest.items():
        builder.add((frame + 1) / rate, name, group, None)
    return builder.build()


def _table(
    file: Path, columns: tuple[int, ...]
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    try:
        rows = np.loadtxt(file, usecols=columns, ndmin=2)
        checks.positions(rows[:, -2:])
    except (ValueError, OSError) as error:
        raise BadTimeline(
            "A recording is a table of numbers", got=f"{error} in {file}", remedy="Check the file"
        ) from error
    if not len(rows):
        raise BadTimeline("A recording has rows", got=f"none in {file}", remedy="Check the file")
    return rows
