"""Panels: the numbers of plots, checked, before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import Color

__all__ = [
    "CheckedPanel",
    "IntervalPanel",
    "column_of",
    "curves_of",
    "limits_of",
    "names_of",
    "panels_of",
    "places_of",
    "span_of",
]


@dataclass(frozen=True)
class IntervalPanel:
    """One quantity of a plot of intervals.

    `values`, `lows` and `highs` have shape (rows, series); NaN where there is nothing to show, or
    no whisker. `limits` are those of the axis, 0 and everything shown if absent; `percent` writes 1
    as 100 %; `mark` is a value with a line of its own.
    """

    title: str
    values: ArrayLike
    lows: ArrayLike
    highs: ArrayLike
    limits: tuple[float, float] | None = None
    percent: bool = False
    mark: float | None = None


class CheckedPanel:
    """A panel whose numbers are checked and whose axis is known."""

    def __init__(self, panel: IntervalPanel, shape: tuple[int, int]) -> None:
        self.title = panel.title
        self.values, self.lows, self.highs = (
            _numbers(f"{name} of {panel.title!r}", array, shape)
            for name, array in (
                ("values", panel.values),
                ("lows", panel.lows),
                ("highs", panel.highs),
            )
        )
        self.percent, self.mark = panel.percent, panel.mark
        shown = np.stack([self.values, self.lows, self.highs])
        self.low, self.high = (
            limits_of("panel", panel.limits) if panel.limits else span_of(shown, room=0.04)
        )


def names_of(what: str, names: Sequence[str]) -> list[str]:
    """Names in a list, each of them a text."""
    return [checks.text(f"Each of {what}", name) for name in checks.sequence(what, names)]


def panels_of(panels: Sequence[IntervalPanel]) -> list[IntervalPanel]:
    """Panels in a list."""
    found: list[IntervalPanel] = checks.sequence("panels", panels)
    wrong = [panel for panel in found if not isinstance(panel, IntervalPanel)]
    if wrong:
        raise InvalidValue(
            "A panel is an IntervalPanel",
            got=type(wrong[0]).__name__,
            remedy="Pass view.IntervalPanel(title, values, ...)",
        )
    return found


def curves_of(
    curves: Sequence[tuple[str, ArrayLike, Color | None]],
) -> list[tuple[str, ArrayLike, Color | None]]:
    """Curves in a list, each of them (name, values, color)."""
    found = [
        tuple(checks.sequence("A curve", curve)) for curve in checks.sequence("curves", curves)
    ]
    if any(len(curve) != 3 for curve in found):
        raise InvalidValue(
            "A curve is (name, values, color)",
            got=f"{len(found[0])} things",
            remedy="Pass ('red', values, None), say",
        )
    return [
        (checks.text("The name of a curve", name), values, color) for name, values, color in found
    ]


def limits_of(what: str, limits: tuple[float, float]) -> tuple[float, float]:
    """The limits of an axis, low below high."""
    low, high = checks.pair("limits", limits)
    if not low < high:
        raise InvalidValue(
            f"The limits of a {what} are (low, high), low below high",
            got=f"({low:g}, {high:g})",
            remedy="Pass (0, 1), say",
        )
    return low, high


def span_of(shown: NDArray[np.float64], room: float) -> tuple[float, float]:
    """0 and everything shown, with some room beyond."""
    low, high = (
        min(0.0, float(np.nanmin(shown, initial=0.0))),
        max(0.0, float(np.nanmax(shown, initial=0.0))),
    )
    beyond = room * (high - low)
    return (
        (low - beyond if low < 0 else 0.0, high + beyond if high > 0 else 0.0)
        if low < high
        else (0.0, 1.0)
    )


def places_of(places: ArrayLike, log: bool) -> NDArray[np.float64]:
    """The places along an axis: finite numbers that rise, above 0 if it is logarithmic."""
    array = checks.array("The places of a plot", places)
    if (
        array.ndim != 1
        or not len(array)
        or array.dtype.kind not in "iuf"
        or not np.isfinite(array).all()
        or (np.diff(array) <= 0).any()
    ):
        raise InvalidValue(
            "The places of a plot are finite numbers that rise",
            got=f"{array.dtype} of shape {array.shape}",
            remedy="Sort them, and drop repeats",
        )
    if log and array[0] <= 0:
        raise InvalidValue(
            "On a logarithmic axis all numbers are above 0",
            got=f"{array[0]:g}",
            remedy="Pass log=False",
        )
    return array.astype(np.float64)


def column_of(what: str, values: ArrayLike, count: int | None = None) -> NDArray[np.float64]:
    """Finite numbers in a row, `count` of them or at least one."""
    given = checks.array(what, values)
    column = given.astype(np.float64) if given.dtype.kind in "iufb" else np.empty((0, 0))
    if (
        column.ndim != 1
        or not len(column)
        or (count is not None and len(column) != count)
        or not np.isfinite(column).all()
    ):
        wanted = "at least one" if count is None else f"{count}"
        raise InvalidValue(
            f"{what} are {wanted} finite numbers in a row",
            got=f"shape {column.shape}",
            remedy="Pass one per moment",
        )
    return column


def _numbers(what: str, values: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    array = checks.array(what, values)
    if array.shape != shape or array.dtype.kind not in "iuf" or np.isinf(array).any():
        raise InvalidValue(
            f"{what} are numbers of shape (rows, series), NaN where there is nothing",
            got=f"{array.dtype} of shape {array.shape} for {shape}",
            remedy="Pass one number for each row and series",
        )
    return array.astype(np.float64)
