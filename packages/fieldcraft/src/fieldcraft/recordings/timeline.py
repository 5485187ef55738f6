"""Timelines: recorded worlds as samples of who was where, when, and how strong."""

from __future__ import annotations

import csv
import math
import os
import tempfile
from array import array
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import BadTimeline, InvalidValue
from fieldcraft.kernels.arrays import read_only
from fieldcraft.recordings.playback import Living, Playback
from fieldcraft.recordings.table import Table

COLUMNS = ("seconds", "id", "group", "x", "y", "strength")
_OPTIONAL = ("half_life", "age")
MAX_SAMPLES = 2_500_000
_MAX_NAME = 256


class Timeline:
    """Samples of entities over time, sorted by time; rows of the same time keep the order of the
    recording.

    Made by `Timeline.read` or a `TimelineBuilder`. All columns have one row per sample and are
    read-only:

    - `seconds` float64: when the row takes effect.
    - `entities` int32: whose it is, an index into `ids`.
    - `group_of` int32: the group the entity is in from then on, an index into `groups`.
    - `positions` float64 (N, 2): where it is, in world units; NaN where the row removes the entity.
    - `strengths` float64.
    - `half_lives` float64: seconds in which the strength halves while no newer row comes; infinity
      for "never".
    - `ages` float64: how old the sample was already when the row took effect, in seconds; mostly 0.
    """

    seconds: NDArray[np.float64]
    entities: NDArray[np.int32]
    group_of: NDArray[np.int32]
    positions: NDArray[np.float64]
    strengths: NDArray[np.float64]
    half_lives: NDArray[np.float64]
    ages: NDArray[np.float64]
    ids: tuple[str, ...]
    groups: tuple[str, ...]

    def __init__(self) -> None:
        raise TypeError("Make a Timeline with Timeline.read or a TimelineBuilder")

    @classmethod
    def _of(cls, builder: TimelineBuilder) -> Timeline:
        self = cls.__new__(cls)
        seconds = np.array(builder._seconds, dtype=np.float64)
        order = np.argsort(seconds, kind="stable")
        self.seconds = read_only(seconds[order])
        self.entities = read_only(np.array(builder._entities, dtype=np.int32)[order])
        self.group_of = read_only(np.array(builder._groups, dtype=np.int32)[order])
        self.positions = read_only(
            np.array(builder._positions, dtype=np.float64).reshape(-1, 2)[order]
        )
        self.half_lives = read_only(np.array(builder._half_lives, dtype=np.float64)[order])
        self.ages = read_only(np.array(builder._ages, dtype=np.float64)[order])
        self.strengths = np.array(builder._strengths, dtype=np.float64)[order]
        self.ids = tuple(builder._ids)
        self.groups = tuple(builder._group_names)
        self._carry_over()
        self.strengths = read_only(self.strengths)
        return self

    def _carry_over(self) -> None:
        """Fills what rows left open from the entity's row before: the group (-1) and the strength
        (NaN, at first 1).
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
        filled_groups = groups[_last_marked(groups >= 0)]
        filled_strengths = strengths[_last_marked(~np.isnan(strengths))]
        self.group_of = np.empty_like(self.group_of)
        self.group_of[by_entity] = filled_groups
        self.group_of = read_only(self.group_of)
        self.strengths[by_entity] = filled_strengths

    @classmethod
    def read(cls, path: str | Path, *, half_life: float | None = None) -> Timeline:
        """Reads a CSV file with the columns seconds, id, group, x, y, strength, in any order and at
        any row order.

        An empty position (x and y) removes the id until its next row. An empty strength keeps the
        id's last one, at first 1; an empty group keeps the last group. Two more columns may be
        there: `half_life`, in seconds, of the row's strength (empty: the argument `half_life`; None
        means that it never fades), and `age`, how many seconds old the
        sample was already (empty: 0). Other columns are ignored.

        Raises
        ------
        BadTimeline
            With the line and the remedy for anything malformed.
        """
        otherwise = math.inf if half_life is None else checks.positive("half_life", half_life)
        builder = TimelineBuilder()
        with Table(path) as table:
            time, name, group, x, y, strength = table.require(COLUMNS, "A timeline")
            half = table.columns.index("half_life") if "half_life" in table.columns else None
            age = table.columns.index("age") if "age" in table.columns else None
            for row in table.rows():
                seconds = table.seconds(row[time])
                who = _name(table, row[name])
                if not who:
                    raise table.refusal("Every row has an id", "an empty id", "Name the entity")
                where: tuple[float, float] | None = None
                if row[x].strip() or row[y].strip():
                    where = (table.coordinate(row[x], "x"), table.coordinate(row[y], "y"))
                fading = otherwise
                if half is not None and row[half].strip():
                    fading = table.number(row[half], "half_life")
                    if fading <= 0:
                        raise table.refusal(
                            "half_life is above 0 seconds",
                            row[half],
                            "Leave it empty for a strength that never fades",
                        )
                old = table.seconds(row[age]) if age is not None and row[age].strip() else 0.0
                power = table.strength(row[strength]) if row[strength].strip() else math.nan
                if not builder._put(
                    seconds, who, _name(table, row[group]), where, power, fading, old
                ):
                    raise table.refusal(
                        f"A timeline has at most {MAX_SAMPLES:,} samples", "one more"
                    )
            try:
                return builder.build()
            except BadTimeline as error:
                raise BadTimeline(
                    error.rule, got=f"{error.got}, in {table.path}", remedy=error.remedy
                ) from None

    def write(self, path: str | Path) -> None:
        """Writes the CSV file that `read` reads; it is put in place only when complete.

        Numbers are written so that they come back exactly. The columns half_life and age are there
        only if used. Raises `BadTimeline` where nothing can be written.
        """
        path = checks.path("path", path)
        fading, aged = bool(np.isfinite(self.half_lives).any()), bool(self.ages.any())
        header = [
            *COLUMNS,
            *(name for name, used in zip(_OPTIONAL, (fading, aged), strict=True) if used),
        ]
        try:
            handle, partial = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        except OSError as error:
            raise BadTimeline(
                "A timeline is written into a folder that is there",
                got=f"{str(path)[:80]!r}: {error.strerror}",
                remedy="Pass another path",
            ) from error
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(header)
                for row in range(len(self)):
                    x, y = self.positions[row].tolist()
                    cells = [
                        repr(float(self.seconds[row])),
                        self.ids[self.entities[row]],
                        self.groups[self.group_of[row]],
                    ]
                    cells += ["", ""] if math.isnan(x) else [repr(x), repr(y)]
                    cells.append(repr(float(self.strengths[row])))
                    if fading:
                        cells.append(
                            repr(float(self.half_lives[row]))
                            if np.isfinite(self.half_lives[row])
                            else ""
                        )
                    if aged:
                        cells.append(repr(float(self.ages[row])) if self.ages[row] else "")
                    writer.writerow(cells)
            Path(partial).replace(path)
        except BaseException as error:
            Path(partial).unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise BadTimeline(
                    "A timeline goes to a path that can be written",
                    got=f"{str(path)[:80]!r}: {error.strerror or error}",
                    remedy="Make room, or choose another path",
                ) from error
            raise

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
        return float(self.seconds[-1]) if len(self) else 0.0

    def play(self, *, faint: float = 0.0) -> Playback:
        """A player at 0 seconds; see `Playback`."""
        return Playback(self, faint=faint)

    def at(self, seconds: float, group: str | None = None, *, faint: float = 0.0) -> Living:
        """The entities that are there at a moment, in one group or (None) in all; for many moments
        in a row use `play`.
        """
        return Playback(self, faint=faint).advance_to(seconds).living(group)


class TimelineBuilder:
    """Collects samples in any order and builds a `Timeline` of them."""

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
        """Adds a sample. `position=None` removes the id; an empty group and `strength=None` keep
        the id's last ones.

        `half_life` and `age` are in seconds, see `Timeline`. Raises `InvalidValue` for what isn't
        finite or is negative.
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
            point = (float(points[0, 0]), float(points[0, 1]))
        added = self._put(
            checks.not_negative("seconds", seconds),
            checks.text("id", id),
            checks.text("group", group),
            point,
            math.nan if strength is None else checks.finite("strength", strength),
            math.inf if half_life is None else checks.positive("half_life", half_life),
            checks.not_negative("age", age),
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
        who: str,
        group: str,
        position: tuple[float, float] | None,
        strength: float,
        half_life: float,
        age: float,
    ) -> bool:
        """Adds a checked sample; False if there is no room for more."""
        if len(self._seconds) >= MAX_SAMPLES:
            return False
        self._seconds.append(seconds)
        self._entities.append(self._ids.setdefault(who, len(self._ids)))
        self._groups.append(
            self._group_names.setdefault(group, len(self._group_names)) if group else -1
        )
        self._positions.extend(position if position is not None else (math.nan, math.nan))
        self._strengths.append(strength)
        self._half_lives.append(half_life)
        self._ages.append(age)
        return True

    def build(self) -> Timeline:
        """The timeline of all samples so far. Raises `BadTimeline` if an id has no group at
        first.
        """
        return Timeline._of(self)


def _name(table: Table, text: str) -> str:
    name = text.strip()
    if len(name) > _MAX_NAME:
        raise table.refusal(
            f"An id or a group has at most {_MAX_NAME} characters", name, "Shorten it"
        )
    return name


def _last_marked(marks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each index the last one at or before it that is marked."""
    return np.maximum.accumulate(np.where(marks, np.arange(len(marks)), 0))
