"""Columns for data frames of pandas and polars, and timelines from frames; neither is imported."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.recordings import Timeline, TimelineBuilder
from fieldcraft.paths import Path

__all__ = ["columns", "timeline"]

_AXES = ("x", "y", "z")


def columns(subject: Any, *, name: str | None = None) -> dict[str, NDArray[Any]]:
    """Return the columns of a map, a timeline or a path, as for `pandas.DataFrame(columns(layer))`.

    - A map has a row for each cell: cell, x, y (and z), wall, and the values in a column `name`, or
      with the name of the map.
    - A `Timeline` has a row for each sample: seconds, id, group, x, y, strength, half_life, age.
    - A `Path` has a row for each point: x, y (and z).

    In the other direction, positions may be a frame with columns x and y in every function.

    Parameters
    ----------
    subject : layer, expression, DistanceMap, Timeline or Path
        The data.
    name : str, optional
        Name of the column of values.

    Raises
    ------
    InvalidValue
        For anything else.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> from fieldcraft.formats.adapters.frames import columns
    >>> columns(fc.shortest_path(fc.Grid(3, 1), (0.5, 0.5), (2.5, 0.5)))
    {'x': array([0.5, 1.5, 2.5]), 'y': array([0.5, 0.5, 0.5])}
    """
    label = checks.optional(checks.text)("name", name)
    if isinstance(subject, Timeline):
        ids = np.array(subject.ids, dtype=object)
        groups = np.array(subject.groups, dtype=object)
        return {
            "seconds": subject.seconds,
            "id": ids[subject.entities],
            "group": groups[subject.group_of],
            **_axes(subject.positions),
            "strength": subject.strengths,
            "half_life": subject.half_lives,
            "age": subject.ages,
        }
    if isinstance(subject, Path):
        return _axes(subject.positions)
    space = getattr(subject, "space", None)
    if space is None or not hasattr(subject, "values") or not hasattr(space, "position_of"):
        raise InvalidValue(
            "columns takes a map, a timeline or a path",
            got=type(subject).__name__,
            remedy="Pass a layer, say",
        )
    cells = np.arange(len(space))
    return {
        "cell": cells,
        **_axes(space.position_of(cells)),
        "wall": np.asarray(space.walls).reshape(-1),
        label or getattr(subject, "name", "") or "value": np.asarray(subject.values).reshape(-1),
    }


def timeline(frame: Any) -> Timeline:
    """Return the timeline of a frame with the columns seconds, id, x, y, and optionally group and
    strength.

    Parameters
    ----------
    frame : data frame or mapping of str to array_like
        Rows in any order. A row whose x or y is missing (NaN, null) removes the entity.

    Raises
    ------
    InvalidValue
        For a column that is missing or has wrong values.
    """
    table = {name: _column(frame, name) for name in ("seconds", "id", "x", "y")}
    rows = len(table["id"])
    table["group"] = _optional_column(frame, "group", "all", rows)
    table["strength"] = _optional_column(frame, "strength", 1.0, rows)
    numbers = {name: _floats(name, table[name]) for name in ("seconds", "x", "y", "strength")}
    if len({len(column) for column in table.values()}) > 1:
        raise InvalidValue(
            "Columns have one length",
            got=str({name: len(column) for name, column in table.items()}),
            remedy="Pass a frame",
        )
    if not np.isfinite(numbers["seconds"]).all():
        raise InvalidValue(
            "Every row has seconds", got="a row without", remedy="Drop it, or add its time"
        )
    there = np.isfinite(numbers["x"]) & np.isfinite(numbers["y"])
    builder = TimelineBuilder()
    for row in np.argsort(numbers["seconds"], kind="stable").tolist():
        if there[row]:
            place = (float(numbers["x"][row]), float(numbers["y"][row]))
        else:
            place = None
        builder.add(
            float(numbers["seconds"][row]),
            str(table["id"][row]),
            str(table["group"][row]),
            place,
            strength=float(numbers["strength"][row]),
        )
    return builder.build()


def _axes(positions: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    """Return the columns x, y (and z) of positions."""
    return {
        axis: np.ascontiguousarray(positions[:, number])
        for number, axis in enumerate(_AXES[: positions.shape[1]])
    }


def _column(frame: Any, name: str) -> NDArray[Any]:
    """Return a column that a frame must have."""
    names = _names(frame)
    if name not in names:
        raise InvalidValue(
            f"A frame has a column {name}", got=f"{names!r:.120}", remedy="Rename or add it"
        )
    try:
        return np.asarray(frame[name])
    except (TypeError, KeyError, ValueError):
        raise _no_frame(frame) from None


def _optional_column(frame: Any, name: str, default: Any, rows: int) -> NDArray[Any]:
    """Return a column, or `default` for all rows of a frame without it."""
    if name in _names(frame):
        return _column(frame, name)
    return np.full(rows, default)


def _names(frame: Any) -> list[Any]:
    """Return the names of the columns of a frame."""
    try:
        return list(getattr(frame, "columns", frame))
    except TypeError:
        raise _no_frame(frame) from None


def _no_frame(frame: Any) -> InvalidValue:
    return InvalidValue(
        "A frame has columns by name",
        got=type(frame).__name__,
        remedy="Pass a DataFrame, or a dict of arrays",
    )


def _floats(name: str, column: NDArray[Any]) -> NDArray[np.float64]:
    """Return a column as numbers."""
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidValue(
            f"{name} holds numbers", got=str(column.dtype), remedy="Convert the column first"
        ) from None
