"""Football tracking: where every player was, many times a second."""

from __future__ import annotations

import math
import re
from array import array
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.recordings.table import Table
from fieldcraft.recordings.timeline import MAX_SAMPLES, Timeline, TimelineBuilder
from fieldcraft.space import Grid

__all__ = ["pitch", "pitch_ground", "read_football"]

_PLAYER = re.compile(r"(home|away)_(\w+)_x")
_LONG = ("player", "frame", "x", "y", "team")
_PERCENT = 100.0
_MOST_CELLS = 20_000  # along a side of a pitch
_GRASS = (26, 38, 31)
_LINES = (58, 74, 64)
# Metres, by the laws of the game: the radius of the center circle, depth and width of the penalty
# and the goal area.
_CIRCLE = 9.15
_AREAS = ((16.5, 40.32), (5.5, 18.32))


def pitch(
    length: float = 105.0,
    width: float = 68.0,
    *,
    margin: float = 5.0,
    cell_size: float = 1.0,
    center: tuple[float, float] = (0.0, 0.0),
    y_up: bool = True,
    neighbors: int = 8,
) -> Grid:
    """A grid without walls that covers a football pitch and a `margin` around it, all in metres.

    `center` is the center spot in the recording's coordinates, so that positions stay the
    recording's own. The grid is rounded up to whole cells, evenly on both sides. Players do leave a
    pitch: give their layer `outside="clamp"`.
    """
    size = checks.positive("cell_size", cell_size)
    around = 2 * checks.not_negative("margin", margin)
    columns = checks.whole(
        "The columns",
        _cells(checks.positive("length", length) + around, size),
        minimum=1,
        maximum=_MOST_CELLS,
    )
    rows = checks.whole(
        "The rows",
        _cells(checks.positive("width", width) + around, size),
        minimum=1,
        maximum=_MOST_CELLS,
    )
    x, y = checks.pair("center", center)
    origin = (x - columns * size / 2, y - rows * size / 2)
    return Grid(columns, rows, cell_size=size, origin=origin, y_up=y_up, neighbors=neighbors)


def _cells(length: float, size: float) -> int:
    return math.ceil(min(length / size, _MOST_CELLS + 1))


def pitch_ground(
    grid: Grid,
    length: float = 105.0,
    width: float = 68.0,
    *,
    center: tuple[float, float] = (0.0, 0.0),
) -> NDArray[np.uint8]:
    """The colours of a pitch for `view.frame(..., ground=)`: uint8 of shape (height, width, 3),
    dark grass and paler lines.

    The lines are as wide as a cell: rim, halfway line, center circle, penalty areas and goal areas.
    `length` and `width` are those of the pitch, `center` its center spot.
    """
    around = grid.position_of(np.arange(len(grid))).reshape(*grid.shape, 2) - np.asarray(center)
    across, along = np.abs(around[..., 0]), np.abs(around[..., 1])
    half, side = length / 2, width / 2
    near = grid.cell_size / 2
    lines = _outline(across, along, half, side, near) | ((across <= near) & (along <= side))
    lines |= np.abs(np.hypot(across, along) - _CIRCLE) <= near
    for deep, wide in _AREAS:
        lines |= _outline(half - across, along, deep, wide / 2, near) & (across <= half + near)
    ground = np.empty((*grid.shape, 3), dtype=np.uint8)
    ground[:] = _GRASS
    ground[lines] = _LINES
    return ground


def _outline(
    x: NDArray[np.float64], y: NDArray[np.float64], right: float, top: float, near: float
) -> NDArray[np.bool_]:
    """Which cells lie on the sides x = right and y = top of a box that begins at 0."""
    inside = (x >= -near) & (x <= right + near) & (y <= top + near)
    return inside & ((np.abs(x - right) <= near) | (np.abs(y - top) <= near))


def read_football(
    path: str | Path,
    *,
    frames_per_second: float | None = None,
    metres: tuple[float, float] | None = (105.0, 68.0),
    ball: bool = False,
    keep_every: int = 1,
) -> Timeline:
    """Reads a tracking table as a timeline: one group per team, every player of strength 1.

    Two shapes are understood, told apart by the header:

    - wide: a row per frame, columns `frame`, `home_N_x`, `home_N_y`, `away_N_x`, `away_N_y` and
      perhaps `ball_x`, `ball_y`; metres from the center spot, taken as they are. Groups "home" and
      "away".
    - long: a row per player and frame, columns `player`, `frame`, `x`, `y`, `team`; x and y in
      percent of the pitch. They become metres from the center spot of a pitch of (length, width)
      `metres`; None keeps the percent. The groups are the teams' names; rows without a team are the
      ball.

    `frames_per_second` is by default 25 for wide and 20 for long tables; the first frame is at 0
    seconds. An empty position, and in long tables a frame without a row for a player, means that
    the player is not on the pitch. `ball` adds the ball as the group "ball". `keep_every=n` keeps
    every n-th frame.

    Raises
    ------
    BadTimeline
        With the line and the remedy for anything malformed.
    """
    step = checks.whole("keep_every", keep_every, minimum=1)
    if frames_per_second is not None:
        checks.positive("frames_per_second", frames_per_second)
    if metres is not None:
        length, width = checks.pair("metres", metres)
        metres = (checks.positive("length", length), checks.positive("width", width))
    with Table(path) as table:
        if all(name in table.columns for name in _LONG):
            return _read_long(table, frames_per_second or 20.0, metres, ball, step)
        if "frame" in table.columns and any(_PLAYER.fullmatch(name) for name in table.columns):
            return _read_wide(table, frames_per_second or 25.0, ball, step)
        raise table.refusal(
            "A tracking table has the columns frame, home_N_x, home_N_y, away_N_x, away_N_y (wide)"
            " or player, frame, x, y, team (long)",
            ", ".join(table.columns),
            "Rename the columns of its first line",
        )


def _read_wide(table: Table, rate: float, ball: bool, step: int) -> Timeline:
    tracks = [
        (f"{m[1]} {m[2]}", m[1], name, f"{name[:-1]}y")
        for name in table.columns
        if (m := _PLAYER.fullmatch(name))
    ]
    if ball:
        tracks.append(("ball", "ball", "ball_x", "ball_y"))
    indices = [tuple(table.require((x, y), "A wide tracking table")) for _, _, x, y in tracks]
    at_frame = table.columns.index("frame")
    builder = TimelineBuilder()
    present: set[str] = set()
    first = last = -1
    for row in table.rows():
        frame = table.whole(row[at_frame], "frame")
        if first < 0:
            first = frame
        elif frame <= last:
            raise table.refusal(
                "Frames follow one another",
                f"frame {frame} after {last}",
                "Sort the table by frame",
            )
        last = frame
        if (frame - first) % step:
            continue
        seconds = table.seconds(repr((frame - first) / rate))
        for (who, group, x_name, y_name), (x, y) in zip(tracks, indices, strict=True):
            if row[x].strip() or row[y].strip():
                point = (table.coordinate(row[x], x_name), table.coordinate(row[y], y_name))
                _add(table, builder, seconds, who, group, point)
                present.add(who)
            elif who in present:
                _add(table, builder, seconds, who, group, None)
                present.remove(who)
    return builder.build()


def _read_long(
    table: Table, rate: float, metres: tuple[float, float] | None, ball: bool, step: int
) -> Timeline:
    player, frame_of, x, y, team = table.require(_LONG, "A long tracking table")
    frames, points, owners = array("q"), array("d"), array("i")
    names: dict[tuple[str, str], int] = {}
    for row in table.rows():
        frame = table.whole(row[frame_of], "frame")
        group = row[team].strip() or "ball"
        point = (table.coordinate(row[x], "x"), table.coordinate(row[y], "y"))
        if metres is not None:
            point = (
                (point[0] / _PERCENT - 0.5) * metres[0],
                (point[1] / _PERCENT - 0.5) * metres[1],
            )
        if group != "ball" or ball:
            frames.append(frame)
            points.extend(point)
            owners.append(names.setdefault((row[player].strip() or "ball", group), len(names)))
    builder = TimelineBuilder()
    if not frames:
        return builder.build()
    first, final = min(frames), max(frames)
    table.seconds(repr((final - first) / rate))
    whose = list(names)
    order = sorted(
        (index for index, frame in enumerate(frames) if (frame - first) % step == 0),
        key=frames.__getitem__,
    )
    latest: dict[str, int] = {}
    for index in order:
        frame, (who, group) = frames[index], whose[owners[index]]
        before = latest.get(who)
        if before is not None and frame - before > step:
            _add(table, builder, (before + step - first) / rate, who, group, None)
        latest[who] = frame
        _add(
            table,
            builder,
            (frame - first) / rate,
            who,
            group,
            (points[2 * index], points[2 * index + 1]),
        )
    for who, frame in latest.items():
        if frame + step <= final:
            _add(table, builder, (frame + step - first) / rate, who, "", None)
    return builder.build()


def _add(
    table: Table,
    builder: TimelineBuilder,
    seconds: float,
    who: str,
    group: str,
    point: tuple[float, float] | None,
) -> None:
    if not builder._put(seconds, who, group, point, math.nan, math.inf, 0.0):
        raise table.refusal(
            f"A timeline has at most {MAX_SAMPLES:,} samples",
            "more",
            "Read it with keep_every=2 or more",
        )
