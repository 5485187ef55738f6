"""The colors of values."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view.palettes import STEPS, Table, diverging, sequential

_LARGEST = 3.4e38


HIDDEN = 255


"""The index that `ColorScale.index` gives to a value that is not drawn; no table is so long."""


def numbers(
    values: ArrayLike, what: str = "values", *, dimensions: Collection[int] = (2,)
) -> NDArray[Any]:
    """Return values as an array of numbers, of any numeric type, of shape (height, width); or (N,)
    where `dimensions` allow for it.
    """
    array: NDArray[Any] = checks.array(what, values)
    if (
        array.ndim not in dimensions
        or (array.size == 0 and array.ndim == 2)
        or array.dtype.kind not in "fiub"
    ):
        raise InvalidValue(
            f"{what} are numbers of shape (height, width), at least one cell",
            got=f"shape {array.shape}, dtype {array.dtype}",
            remedy="Pass an array indexed [row, column]",
        )
    return array


def plain_values(
    values: ArrayLike, what: str = "values", *, dimensions: Collection[int] = (2,)
) -> NDArray[np.float32]:
    """Return values as a finite float32 array of shape (height, width), or (N,) where `dimensions`
    allow for it; no copy where it is one.
    """
    array = numbers(values, what, dimensions=dimensions)
    with np.errstate(over="ignore"):
        narrow: NDArray[np.float32] = array.astype(np.float32, copy=False)
    if not np.isfinite(narrow).all():
        first = tuple(np.argwhere(~np.isfinite(narrow))[0].tolist())
        if len(first) == 2:
            place = f"row {first[0]}, column {first[1]}"
        else:
            place = f"vertex {first[0]}"
        raise InvalidValue(
            f"{what} are finite float32 numbers",
            got=f"{array[first]} at {place}",
            remedy="Replace NaN and infinity before drawing, with np.nan_to_num(array), say",
        )
    return narrow


class ColorScale:
    """A scale of colors for values; use one for all pictures to compare, or all frames of a film.

    Parameters
    ----------
    low, high : float
        The values at the ends of the table; beyond them the end colors stay. If 0 is between them
        the scale is symmetrical, from `-max(-low, high)` to `max(-low, high)`, so that 0 is its
        middle. Where both are at most 0 the table runs from `high` to `low`: the strongest value is
        always the brightest.
    threshold : float, optional
        Nothing is drawn where `abs(value) <= threshold`; with None every cell is drawn.
    table : array_like, optional
        uint8 of shape (N, 3), 2 to 255 colors; if absent `sequential()`, or `diverging()` if 0 is
        between the limits.
    light : bool, optional
        Take these tables for light pages.

    Raises
    ------
    InvalidValue
        For limits that are equal, reversed or not finite, and for a negative threshold.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> scale = fc.view.ColorScale(0, 4)
    >>> scale.rgb(np.array([[0.0, 2.0, 4.0]]))
    array([[[ 29,  35,  54],
            [212,  80,  99],
            [250, 242, 188]]], dtype=uint8)
    """

    def __init__(
        self,
        low: float,
        high: float,
        threshold: float | None = 0.0,
        table: ArrayLike | None = None,
        *,
        light: bool = False,
    ) -> None:
        self.low = checks.finite("The lower limit", low)
        self.high = checks.finite("The upper limit", high)
        if not self.low < self.high or max(-self.low, self.high) > _LARGEST:
            raise InvalidValue(
                "The limits of a color scale are (low, high) with low below high, within"
                f" {_LARGEST}",
                got=f"({low!r}, {high!r})",
                remedy="Pass limits=(0, 5), say",
            )
        if self.is_signed:
            self.high = max(-self.low, self.high)
            self.low = -self.high
        if threshold is None:
            self.threshold = None
        else:
            self.threshold = min(checks.not_negative("threshold", threshold), _LARGEST)
        pale = checks.flag("light", light)
        if table is not None:
            self.table = _checked_table(table)
        elif self.is_signed:
            self.table = diverging(light=pale)
        else:
            self.table = sequential(light=pale)

    def __repr__(self) -> str:
        return (
            f"<ColorScale {self.low:g} to {self.high:g}, threshold {self.threshold},"
            f" {len(self.table)} colors>"
        )

    @classmethod
    def of(
        cls,
        *arrays: ArrayLike,
        limits: tuple[float, float] | None = None,
        threshold: float | None = 0.0,
        table: ArrayLike | None = None,
        light: bool = False,
    ) -> ColorScale:
        """Return the scale for arrays of shape (height, width), or (N,): `limits`, or from 0 to the
        strongest value in any of them.
        """
        if limits is None:
            plain = [plain_values(array, dimensions=(1, 2)) for array in arrays]
            low = min([0.0, *(float(array.min(initial=0)) for array in plain)])
            high = max([0.0, *(float(array.max(initial=0)) for array in plain)])
            if low == high:
                high = 1.0
            return cls(low, high, threshold, table, light=light)
        if not isinstance(limits, (tuple, list)) or len(limits) != 2:
            raise InvalidValue(
                "limits are a pair (low, high)",
                got=f"limits={limits!r}",
                remedy="Pass limits=(0, 5), say",
            )
        return cls(limits[0], limits[1], threshold, table, light=light)

    @property
    def is_signed(self) -> bool:
        """Return whether 0 is the middle of the scale."""
        return self.low < 0 < self.high

    def share(self, values: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        """Return the places of finite float32 values in the table, 0 to 1, of the same shape."""
        values = numbers(values, dimensions=range(1, 5)).astype(np.float32, copy=False)
        if self.high <= 0:
            start = self.high
            end = self.low
        else:
            start = self.low
            end = self.high
        exact: NDArray[np.floating[Any]] = values
        if not 1e-30 < self.high - self.low < 1e30:
            exact = values.astype(np.float64)
        number: Any = exact.dtype.type
        inside = np.clip(exact, number(self.low), number(self.high))
        share: NDArray[np.floating[Any]] = (inside - number(start)) * number(1 / (end - start))
        np.minimum(share, 1, out=share)  # the product may round to just above 1
        return share

    def index(self, values: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return for each finite float32 value the row of `table`, or `HIDDEN` where it is not
        drawn; uint8 of the same shape.
        """
        index = self._row(values)
        if self.threshold is not None:
            # HIDDEN has all bits set; masks cost several times as much where few neighbors agree.
            hidden = np.abs(values) <= np.float32(self.threshold)
            index |= hidden.view(np.uint8) * np.uint8(HIDDEN)
        return index

    def rgb(self, values: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return the colors of finite float32 values, uint8 of shape (..., 3), whether above the
        threshold or not.
        """
        return self.table.take(self._row(values), axis=0)

    def _row(self, values: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return the row of `table` of each value."""
        share = self.share(values)
        share *= len(self.table) - 1
        share += 0.5
        return share.astype(np.uint8)


def _checked_table(table: ArrayLike) -> Table:
    """Return a table of colors; refuse other arrays."""
    array: NDArray[Any] = checks.array("A table of colors", table)
    if (
        array.dtype != np.uint8
        or array.ndim != 2
        or array.shape[1] != 3
        or not 2 <= len(array) <= STEPS
    ):
        raise InvalidValue(
            f"A color table is uint8 of shape (N, 3), N from 2 to {STEPS}",
            got=f"shape {array.shape}, dtype {array.dtype}",
            remedy="Pass fieldcraft.view.tinted('#3fa7f5'), say, or leave it out",
        )
    return array
