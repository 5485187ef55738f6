"""Timelines: recorded worlds as samples of the positions and strengths of entities."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadTimeline, InvalidValue
from fieldcraft.base.files import target_of
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.base.staging import Staging
from fieldcraft.formats.recordings.playback import Living, Playback
from fieldcraft.formats.recordings.table import MAX_COORDINATE, MAX_SECONDS, Table
from fieldcraft.kernels.shared.arrays import read_only

COLUMNS = ("seconds", "id", "group", "x", "y", "strength")
MAX_SAMPLES = 2_500_000
_MAX_NAME = 256
_BREAKS = re.compile(r"[\r\n]")


class Timeline(Suggesting):
    """Samples of entities over time, sorted by time; rows of the same time keep the order of the
    recording.

    `Timeline.read` and a `TimelineBuilder` return timelines. All columns are read-only and have one
    row per sample.

    Attributes
    ----------
    seconds : ndarray of float64, (N,)
        The times at which rows take effect.
    entities : ndarray of int32, (N,)
        The entity of each row, an index into `ids`.
    group_of : ndarray of int32, (N,)
        The group of the entity from then on, an index into `groups`.
    positions : ndarray of float64, (N, 2)
        World positions; NaN in a row that removes the entity.
    strengths : ndarray of float64, (N,)
        The strengths of the entities.
    half_lives : ndarray of float64, (N,)
        Seconds in which the strength halves until the next row of the entity; infinite if it does
        not fade.
    ages : ndarray of float64, (N,)
        The age of each sample when its row takes effect, in seconds; usually 0.
    ids, groups : tuple of str
        The names of entities and groups.

    Examples
    --------
    >>> from fieldcraft.formats.recordings import TimelineBuilder
    >>> builder = TimelineBuilder()
    >>> builder.add(0.0, "scout", "red", (0.5, 0.5), 2.0)
    >>> builder.add(3.0, "scout", position=(4.5, 0.5))
    >>> timeline = builder.build()
    >>> timeline
    <Timeline of 2 samples, 1 ids, 1 groups, 3 seconds>
    >>> timeline.at(3.0).positions
    array([[4.5, 0.5]])
    """

    def __init__(self, builder: TimelineBuilder) -> None:
        seconds = np.array(builder._seconds, dtype=np.float64)
        order = np.argsort(seconds, kind="stable")
        self.seconds = read_only(seconds[order])
        self.entities = read_only(np.array(builder._entities, dtype=np.int32)[order])
        self.group_of = np.array(builder._groups, dtype=np.int32)[order]
        positions = np.array(builder._positions, dtype=np.float64).reshape(-1, 2)
        self.positions = read_only(positions[order])
        self.half_lives = read_only(np.array(builder._half_lives, dtype=np.float64)[order])
        self.ages = read_only(np.array(builder._ages, dtype=np.float64)[order])
        self.strengths = np.array(builder._strengths, dtype=np.float64)[order]
        self.ids = tuple(builder._ids)
        self.groups = tuple(builder._group_names)
        self._carry_over()
        self.group_of = read_only(self.group_of)
        self.strengths = read_only(self.strengths)

    def _carry_over(self) -> None:
        """Fill missing groups (-1) and strengths (NaN) from the previous row of the entity; a
        missing first strength is 1.
        """
        by_entity = np.argsort(self.entities, kind="stable")
        entities = self.entities[by_entity]
        first = np.ones(len(entities), dtype=np.bool_)
        first[1:] = entities[1:] != entities[:-1]
        groups = self.group_of[by_entity]
        if (first & (groups < 0)).any():
            row = by_entity[np.flatnonzero(first & (groups < 0))[0]]
            raise BadTimeline(
                "The first row of an id names its group",
                got=(
                    f"id {self.ids[self.entities[row]]!r} at {self.seconds[row]:g} seconds"
                    " without one"
                ),
                remedy="Name a group there; later rows may leave it empty",
            )
        strengths = self.strengths[by_entity]
        strengths[first & np.isnan(strengths)] = 1.0
        self.group_of[by_entity] = groups[_last_marked(groups >= 0)]
        self.strengths[by_entity] = strengths[_last_marked(~np.isnan(strengths))]

    @classmethod
    def read(cls, path: str | Path, *, half_life: float | None = None) -> Timeline:
        """Return the timeline of a CSV file with the columns seconds, id, group, x, y, strength, in
        any order; rows may be in any order too.

        An empty position (x and y) removes the id until its next row. An empty strength or group
        keeps the previous one of the id; the first strength is then 1. Two columns are optional:
        `half_life`, the seconds in which the row's strength halves, and `age`, the age of the
        sample in seconds (0 if empty). Other columns are ignored.

        Parameters
        ----------
        path : str or Path
            The file, of at most 128 MiB.
        half_life : float, optional
            Seconds, for rows without a half-life of their own; they do not fade if absent.

        Raises
        ------
        BadTimeline
            If the file can't be read or is malformed. The message names the line.
        """
        if half_life is None:
            usual_half_life = math.inf
        else:
            usual_half_life = checks.positive("half_life", half_life)
        builder = TimelineBuilder()
        table = Table(path)
        time, name, group, x, y, strength = table.require(COLUMNS, "A timeline")
        half = table.find("half_life")
        age = table.find("age")
        for row in table.rows():
            seconds = table.seconds(row[time])
            id = _name(table, row[name])
            if not id:
                raise table.refusal("Every row has an id", "an empty id", "Name the entity")
            position: tuple[float, float] | None = None
            if row[x].strip() or row[y].strip():
                position = (table.coordinate(row[x], "x"), table.coordinate(row[y], "y"))
            fading = usual_half_life
            if half is not None and row[half].strip():
                fading = table.number(row[half], "half_life", 0.0, math.inf)
                if not fading:
                    raise table.refusal(
                        "half_life is above 0 seconds",
                        row[half],
                        "Leave it empty for a strength that never fades",
                    )
            if age is not None and row[age].strip():
                old = table.seconds(row[age])
            else:
                old = 0.0
            if row[strength].strip():
                power = table.strength(row[strength])
            else:
                power = math.nan
            named = _name(table, row[group])
            if not builder._put(seconds, id, named, position, power, fading, old):
                raise table.refusal(f"A timeline has at most {MAX_SAMPLES:,} samples", "one more")
        try:
            return builder.build()
        except BadTimeline as error:
            raise BadTimeline(
                error.rule, got=f"{error.got}, in {table.path}", remedy=error.remedy
            ) from None

    def write(self, path: str | Path) -> None:
        """Write the CSV file that `read` reads; an existing file is replaced once it is complete.

        `read` returns exactly the same numbers. The columns half_life and age are left out if they
        are not used.

        Raises
        ------
        BadTimeline
            If the file can't be written.
        """
        target = target_of("path", path)
        names = list(COLUMNS)
        columns: list[Iterable[str]] = [
            map(repr, self.seconds.tolist()),
            (self.ids[entity] for entity in self.entities),
            (self.groups[group] for group in self.group_of),
            map(_finite_or_empty, self.positions[:, 0].tolist()),
            map(_finite_or_empty, self.positions[:, 1].tolist()),
            map(repr, self.strengths.tolist()),
        ]
        if np.isfinite(self.half_lives).any():
            names.append("half_life")
            columns.append(map(_finite_or_empty, self.half_lives.tolist()))
        if self.ages.any():
            names.append("age")
            columns.append(repr(age) if age else "" for age in self.ages.tolist())
        try:
            with Staging(target.parent, [target.name]) as staging:
                part = staging.part(target.name)
                with part.open("w", encoding="utf-8", newline="") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    writer.writerow(names)
                    writer.writerows(zip(*columns, strict=True))
                staging.commit()
        except OSError as error:
            raise BadTimeline(
                "A timeline goes to a path that can be written",
                got=f"{str(path)[:80]!r}: {error.strerror or error}",
                remedy="Make room, or choose another path",
            ) from error

    def __len__(self) -> int:
        return len(self.seconds)

    def __repr__(self) -> str:
        return (
            f"<Timeline of {len(self)} samples, {len(self.ids)} ids, {len(self.groups)} groups,"
            f" {self.duration:g} seconds>"
        )

    @property
    def duration(self) -> float:
        """The time of the last row, in seconds; 0 for an empty timeline."""
        if len(self):
            return float(self.seconds[-1])
        return 0.0

    def play(self, *, faint: float = 0.0) -> Playback:
        """Return a player at 0 seconds; see `Playback`."""
        return Playback(self, faint=faint)

    def at(self, seconds: float, group: str | None = None, *, faint: float = 0.0) -> Living:
        """Return the entities present at a time, of one group or (None) of all; for many times in
        order use `play`.

        Parameters
        ----------
        seconds : float
            The time.
        group : str, optional
            The group; all groups if absent.
        faint : float, optional
            As for `Playback`.

        Raises
        ------
        UnknownName
            For a group that is not in the timeline.
        """
        return Playback(self, faint=faint).advance_to(seconds).living(group)


class TimelineBuilder:
    """Collects samples in any order and builds a `Timeline` of them; see there for an example."""

    def __init__(self) -> None:
        self._seconds = array("d")
        self._entities = array("i")
        self._groups = array("i")
        self._positions = array("d")
        self._strengths = array("d")
        self._half_lives = array("d")
        self._ages = array("d")
        self._ids: dict[str, int] = {}
        self._group_names: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._seconds)

    def add(
        self,
        seconds: float,
        id: str,
        group: str = "",
        position: tuple[float, float] | None = None,
        strength: float | None = None,
        *,
        half_life: float | None = None,
        age: float = 0.0,
    ) -> None:
        """Add a sample.

        Parameters
        ----------
        seconds : float
            The time, at least 0 and at most 1e9.
        id : str
            The name of the entity: 1 to 256 characters on one line, without blanks at its ends.
        group : str, optional
            The name of its group; the previous one if empty.
        position : (float, float), optional
            Its world position, coordinates of at most 1e12; None removes the entity.
        strength : float, optional
            Its strength; the previous one if absent, or 1.
        half_life : float, optional
            Seconds in which the strength halves; it does not fade if absent.
        age : float, optional
            The age of the sample, in seconds.

        Raises
        ------
        InvalidValue
            If an argument has a wrong value or type, or there are too many samples.
        """
        point: tuple[float, float] | None = None
        if position is not None:
            points, single = checks.positions(position)
            if not single:
                raise InvalidValue(
                    "A sample has one (x, y) position",
                    got=repr(position),
                    remedy="Add one sample per position",
                )
            point = (
                _limited("x", float(points[0, 0]), MAX_COORDINATE),
                _limited("y", float(points[0, 1]), MAX_COORDINATE),
            )
        if not _is_name(checks.text("id", id)):
            raise _no_name("id", id)
        if checks.text("group", group) and not _is_name(group):
            raise _no_name("group", group)
        if strength is None:
            power = math.nan
        else:
            power = checks.finite("strength", strength)
        if half_life is None:
            fading = math.inf
        else:
            fading = checks.positive("half_life", half_life)
        added = self._put(
            _limited("seconds", checks.not_negative("seconds", seconds), MAX_SECONDS),
            id,
            group,
            point,
            power,
            fading,
            _limited("age", checks.not_negative("age", age), MAX_SECONDS),
        )
        if not added:
            raise InvalidValue(
                f"A timeline has at most {MAX_SAMPLES:,} samples",
                got="one more",
                remedy="Keep every n-th sample",
            )

    def _put(
        self,
        seconds: float,
        id: str,
        group: str,
        position: tuple[float, float] | None,
        strength: float,
        half_life: float,
        age: float,
    ) -> bool:
        """Add a checked sample; return False if there is no room for more."""
        if len(self._seconds) >= MAX_SAMPLES:
            return False
        self._seconds.append(seconds)
        self._entities.append(self._ids.setdefault(id, len(self._ids)))
        if group:
            self._groups.append(self._group_names.setdefault(group, len(self._group_names)))
        else:
            self._groups.append(-1)
        if position is None:
            self._positions.extend((math.nan, math.nan))
        else:
            self._positions.extend(position)
        self._strengths.append(strength)
        self._half_lives.append(half_life)
        self._ages.append(age)
        return True

    def build(self) -> Timeline:
        """Return the timeline of all samples so far.

        Raises
        ------
        BadTimeline
            If the first sample of an id has no group.
        """
        return Timeline(self)


def _is_name(text: str) -> bool:
    """Return whether a text can be a name in a file, which `Timeline.read` reads line by line."""
    return 0 < len(text) <= _MAX_NAME and text == text.strip() and not _BREAKS.search(text)


def _no_name(option: str, text: str) -> InvalidValue:
    return InvalidValue(
        f"{option} has 1 to {_MAX_NAME} characters on one line, without blanks at its ends",
        got=f"{text!r:.80}",
        remedy="Pass another name",
    )


def _limited(name: str, value: float, limit: float) -> float:
    """Return a number of which files hold at most `limit`."""
    if abs(value) > limit:
        raise InvalidValue(
            f"{name} is at most {limit:g}", got=f"{name}={value!r}", remedy="Check the units"
        )
    return value


def _name(table: Table, text: str) -> str:
    """Return the name in a cell."""
    name = text.strip()
    if len(name) > _MAX_NAME:
        raise table.refusal(
            f"An id or a group has at most {_MAX_NAME} characters", name, "Shorten it"
        )
    return name


def _finite_or_empty(number: float) -> str:
    """Return the text of a number; none for infinity and NaN."""
    if math.isfinite(number):
        return repr(number)
    return ""


def _last_marked(marks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each index the last marked index up to it."""
    return np.maximum.accumulate(np.where(marks, np.arange(len(marks)), 0))
