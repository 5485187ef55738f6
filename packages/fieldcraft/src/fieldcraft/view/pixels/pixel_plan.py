"""The plan of a picture: which cell shows at which pixel, one for each kind of space; colors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, NamedTuple

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
        raise InvalidValue(
            f"{what} are finite float32 numbers",
            got=f"{array[first]} at "
            + (f"row {first[0]}, column {first[1]}" if len(first) == 2 else f"vertex {first[0]}"),
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
        self.low, self.high = (
            checks.finite("The lower limit", low),
            checks.finite("The upper limit", high),
        )
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
        usual = diverging if self.is_signed else sequential
        pale = checks.flag("light", light)
        if table is None:
            self.table: Table = usual(light=pale)
        else:
            self.table = _checked_table(table)

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
            return cls(low, high if low < high else 1.0, threshold, table, light=light)
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
            start, end = (self.high, self.low)
        else:
            start, end = (self.low, self.high)
        usual = 1e-30 < self.high - self.low < 1e30
        exact: NDArray[np.floating[Any]] = values if usual else values.astype(np.float64)
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
        share = self.share(values)
        share *= len(self.table) - 1
        share += 0.5
        return share.astype(np.uint8)


def _checked_table(table: ArrayLike) -> Table:
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


RGB = tuple[int, int, int]
RGBA = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ground = str | None

MOST_PIXELS = 2**26
ON_WALL = 0.45
"""How much of a value's color a wall lets through."""


class Theme(NamedTuple):
    """The colors of everything but values: on the map, and on the page around it."""

    ground: RGB
    wall: RGB
    wall_edge: RGB
    never_seen: RGB
    low_ground: RGB
    high_ground: RGB
    other_floors: RGB
    graph_edge: RGB
    page: RGB
    text: RGB
    faint_text: RGB
    axes: RGB


DARK = Theme(
    ground=(30, 33, 41),
    wall=(13, 14, 18),
    wall_edge=(96, 105, 124),
    never_seen=(86, 82, 104),
    low_ground=(44, 48, 58),
    high_ground=(92, 98, 112),
    other_floors=(43, 46, 56),
    graph_edge=(70, 76, 90),
    page=(13, 14, 18),
    text=(230, 233, 239),
    faint_text=(150, 157, 170),
    axes=(44, 48, 58),
)
LIGHT = Theme(
    ground=(247, 248, 250),
    wall=(176, 181, 191),
    wall_edge=(104, 111, 125),
    never_seen=(214, 209, 226),
    low_ground=(226, 229, 234),
    high_ground=(190, 195, 204),
    other_floors=(236, 238, 242),
    graph_edge=(176, 181, 191),
    page=(255, 255, 255),
    text=(24, 27, 33),
    faint_text=(92, 98, 110),
    axes=(214, 217, 223),
)


THEMES = {"dark": DARK, "light": LIGHT}


def theme_of(ground: Ground) -> Theme:
    """Return the theme of a ground, `DARK` for None."""
    if ground is None:
        return DARK
    return THEMES[checks.choice("ground", ground, tuple(THEMES))]


class Plan(ABC):
    """The plan of one space at one size: `shape` is (H, W) in pixels."""

    shape: tuple[int, int]
    pixels_per_cell: float

    @abstractmethod
    def pixels(self, places: Floats) -> Floats:
        """Return the pixels (x, y) from the top left corner, of world positions (N, 2)."""

    @abstractmethod
    def places(self, pixels: Floats) -> Floats:
        """Return the world positions (N, 2) of pixels."""

    @abstractmethod
    def strongest(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the values to draw: where a pixel shows several cells, that of largest
        magnitude.
        """

    @abstractmethod
    def middle(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values to draw: of several cells the one in their middle."""

    @abstractmethod
    def compose(
        self, rgb: NDArray[np.uint8], drawn: NDArray[np.bool_], ground: Ground, opacity: float
    ) -> RGBA:
        """Return the picture: the ground with the colors over it."""

    def shows(self, positions: Floats) -> NDArray[np.bool_] | None:
        """Return which positions (N, D) the picture shows, None for all."""
        return None

    def scaled(
        self,
        values: NDArray[np.float32],
        colors: ColorScale,
        unknown: NDArray[np.bool_] | None,
        never: NDArray[np.bool_] | None,
        ground: Ground,
        opacity: float,
    ) -> RGBA:
        """Return the picture of the values of all cells: `unknown` cells are not drawn, cells
        `never` seen have a color of their own.
        """
        shown = self.strongest(values)
        index = colors.index(shown)
        if unknown is not None:
            index[self.middle(unknown)] = HIDDEN
        rgb = colors.rgb(shown)
        drawn = index != HIDDEN
        if never is not None:
            unseen = self.middle(never)
            rgb[unseen] = theme_of(ground).never_seen
            drawn |= unseen
        return self.compose(rgb, drawn, ground, opacity)

    def _bounded(self, height: int, width: int) -> tuple[int, int]:
        if height * width > MOST_PIXELS:
            raise InvalidValue(
                f"A picture has at most {MOST_PIXELS:,} pixels",
                got=f"{width} x {height}",
                remedy="Pass a smaller scale, or size=1024 in its place",
            )
        return height, width
