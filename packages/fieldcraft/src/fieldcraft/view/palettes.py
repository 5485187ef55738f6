"""Colors by name, and perceptually uniform tables of colors.

A table is uint8 of shape (N, 3), N at most 255, from the weakest value to the strongest.
Neighboring colors of the tables made here look equally far apart (CIELAB distance), so equal
steps of value look like equal steps.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue

Color = str | Sequence[int]
Table = NDArray[np.uint8]
RGBFloats = NDArray[np.float64]

STEPS = 255

TEAM_COLORS: tuple[str, ...] = (
    "#3fa7f5",
    "#ff8a3c",
    "#2fc08f",
    "#e0e898",
    "#a008f8",
    "#904858",
    "#58e8f8",
    "#984808",
    "#c088a8",
    "#486088",
    "#888050",
    "#208078",
)
"""The default colors of teams. All differ for people with protanopia and with deuteranopia, the
two common color blindnesses, and on dark and light ground: see `seen_with`.
"""

COLOR_WORDS: dict[str, str] = {
    "blue": "#3fa7f5",
    "orange": "#ff8a3c",
    "green": "#2fc08f",
    "yellow": "#f0c93a",
    "gold": "#f0c93a",
    "pink": "#d77fc0",
    "magenta": "#d77fc0",
    "purple": "#a008f8",
    "violet": "#a008f8",
    "lime": "#c3d36b",
    "olive": "#a3a948",
    "red": "#e0605e",
    "cyan": "#45c7d8",
    "teal": "#3aa6a0",
    "brown": "#984808",
    "white": "#f4f5f7",
    "silver": "#c3c7d0",
    "gray": "#969ca8",
    "grey": "#969ca8",
    "black": "#50545f",
}
"""The words that are colors, tuned to the same page as `TEAM_COLORS`."""

_WHITE = np.array([0.95047, 1.0, 1.08883])
_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
# What people without one kind of cones see, in linear sRGB: Machado, Oliveira and Fernandes, "A
# physiologically-based model for simulation of color vision deficiency" (2009), severity 1.
_BLINDNESS: dict[str, NDArray[np.float64]] = {
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
_LEAST_DISTANCE = 13.0
"""The CIELAB distance of two colors of teams, for all eyes."""
_DARKEST = 14
"""The lightness of the weakest color: no darker than dark ground, so that no value looks like less
than none."""
# Lightness, chroma and hue in degrees of the points that pull the curves.
_EMBER = (
    (14, 14, 285),
    (24, 50, 297),
    (38, 78, 325),
    (50, 80, 12),
    (60, 72, 45),
    (72, 72, 66),
    (86, 58, 86),
    (95, 28, 102),
)
_WARM = ((14, 2, 40), (30, 36, 28), (46, 72, 38), (62, 78, 56), (78, 68, 74), (92, 34, 90))
_COOL = ((14, 2, 260), (30, 34, 280), (46, 54, 274), (62, 46, 258), (78, 34, 236), (92, 16, 222))
# The same for light pages, from the ends to the middle.
_WARM_END = ((34, 62, 42), (52, 82, 48), (72, 62, 66), (86, 26, 78), (97, 1, 80))
_COOL_END = ((34, 50, 282), (52, 52, 272), (72, 36, 250), (86, 16, 236), (97, 1, 240))


def lab_of(rgb: ArrayLike) -> NDArray[np.float64]:
    """Return CIELAB (D65) of sRGB colors 0 to 255, shape (..., 3)."""
    ratio = _linear(rgb) @ _TO_XYZ.T / _WHITE
    root = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio * (29 / 6) ** 2 / 3 + 4 / 29)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def rgb_of(lab: ArrayLike) -> NDArray[np.float64]:
    """Return sRGB 0 to 255, shape (..., 3), of CIELAB (D65) colors; outside of 0 to 255 where a
    screen cannot show the color.
    """
    lightness, a, b = np.moveaxis(np.asarray(lab, dtype=np.float64), -1, 0)
    y = (lightness + 16) / 116
    root = np.stack([y + a / 500, y, y - b / 200], axis=-1)
    ratio = np.where(root > 6 / 29, root**3, (root - 4 / 29) * 3 * (6 / 29) ** 2)
    return _gamma((ratio * _WHITE) @ np.linalg.inv(_TO_XYZ).T)


def seen_with(rgb: ArrayLike, blindness: Literal["protanopia", "deuteranopia"]) -> RGBFloats:
    """Return sRGB colors 0 to 255, shape (..., 3), as people with a color blindness see them."""
    matrix = _BLINDNESS[checks.choice("blindness", blindness, tuple(_BLINDNESS))]
    return np.clip(_gamma(_linear(rgb) @ matrix.T), 0, 255)


def _linear(rgb: ArrayLike) -> RGBFloats:
    """Return the light of sRGB colors 0 to 255."""
    share = np.asarray(rgb, dtype=np.float64) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def _gamma(linear: RGBFloats) -> RGBFloats:
    """Return sRGB colors 0 to 255 of light."""
    share = np.where(
        linear <= 0.0031308,
        linear * 12.92,
        1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055,
    )
    return np.asarray(share * 255)


def distance_between(first: ArrayLike, second: ArrayLike) -> float:
    """Return the least CIELAB distance of two sRGB colors: for people who see all colors, and for
    those with protanopia or deuteranopia.
    """
    pair = np.asarray([first, second], dtype=np.float64)
    views = [pair, seen_with(pair, "protanopia"), seen_with(pair, "deuteranopia")]
    return min(float(np.linalg.norm(np.subtract(*lab_of(view)))) for view in views)


def sequential(*, light: bool = False) -> Table:
    """Return the table for values of one sign: dark indigo over magenta and orange to pale yellow,
    lightness rising all the way. For light pages the strongest value is the darkest.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.view.sequential()[[0, 127, 254]]
    array([[ 29,  35,  54],
           [212,  80,  99],
           [250, 242, 188]], dtype=uint8)
    """
    table = _ember()
    if checks.flag("light", light):
        return table[::-1]
    return table


@cache
def _ember() -> Table:
    """Return the table of `sequential`."""
    return _frozen(_along(_curve(_EMBER), STEPS))


def diverging(*, light: bool = False) -> Table:
    """Return the table for signed values: blue at the negative end, orange at the positive one.

    0 in the middle is dark and the ends are pale; for light pages reversed. Opposite values are
    equally light.

    Examples
    --------
    >>> from fieldcraft import view
    >>> view.diverging().shape
    (255, 3)
    """
    return _diverging(checks.flag("light", light))


@cache
def _diverging(light: bool) -> Table:
    """Return the table of `diverging`."""
    half = STEPS // 2 + 1
    if light:
        warm = _along(_curve(_WARM_END), half, by_lightness=True)[::-1]
        cool = _along(_curve(_COOL_END), half, by_lightness=True)[::-1]
    else:
        warm = _along(_curve(_WARM), half, by_lightness=True)
        cool = _along(_curve(_COOL), half, by_lightness=True)
    middle = (warm[:1] + cool[:1]) / 2
    return _frozen(np.concatenate([cool[:0:-1], middle, warm[1:]]))


@cache
def _tint(red: int, green: int, blue: int, light: bool) -> Table:
    """Return the table of `tinted`."""
    lightness, a, b = lab_of([red, green, blue])
    hue = float(np.degrees(np.arctan2(b, a)))
    chroma = float(np.hypot(a, b))
    pale = lightness + 0.45 * (98 - lightness)
    points = [
        (_DARKEST, 0.15 * chroma, hue),
        (0.45 * lightness, 0.8 * chroma, hue),
        (lightness, 1.25 * chroma, hue),
        (pale, 0.6 * chroma, hue),
    ]
    if light:
        points = [(97, 0.05 * chroma, hue), *points[:0:-1]]
    return _frozen(_along(_curve(points), STEPS))


def tinted(color: Color, *, light: bool = False) -> Table:
    """Return the table of one hue: from near black over `color` to a pale tint of it; for light
    pages from near white to a dark shade.

    Examples
    --------
    >>> from fieldcraft import view
    >>> view.tinted("#3377cc")[[0, -1]]
    array([[ 31,  36,  46],
           [151, 175, 230]], dtype=uint8)
    """
    return _tint(*parse_color(color), checks.flag("light", light))


def between(negative: Color, positive: Color, *, light: bool = False) -> Table:
    """Return the table for signed values of two hues: dark at 0 in the middle, `negative` at one
    end, `positive` at the other; for light pages near white in the middle.

    Examples
    --------
    >>> from fieldcraft import view
    >>> view.between("#3377cc", "#cc7733")[[0, -1]]
    array([[151, 175, 230],
           [235, 175, 133]], dtype=uint8)
    """
    cool = tinted(negative, light=light)
    warm = tinted(positive, light=light)
    rows = np.rint(np.linspace(0, STEPS - 1, STEPS // 2 + 1)).astype(np.int64)
    table: Table = np.concatenate([cool[rows][:0:-1], warm[rows]])
    table.flags.writeable = False
    return table


def parse_color(color: Color) -> tuple[int, int, int]:
    """Return a color as (red, green, blue) of 0 to 255: "#rrggbb", "#rgb", a word of `COLOR_WORDS`,
    or three whole numbers.
    """
    if isinstance(color, str):
        color = COLOR_WORDS.get(color.strip().lower(), color)
        if re.fullmatch(r"#[0-9a-fA-F]{6}", color):
            return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
        if re.fullmatch(r"#[0-9a-fA-F]{3}", color):
            return int(color[1] * 2, 16), int(color[2] * 2, 16), int(color[3] * 2, 16)
    else:
        numbers: NDArray[Any] = checks.array("A color", color)
        if (
            numbers.shape == (3,)
            and numbers.dtype.kind in "iu"
            and numbers.min() >= 0
            and numbers.max() <= 255
        ):
            return int(numbers[0]), int(numbers[1]), int(numbers[2])
    raise InvalidValue(
        "A color is '#rrggbb', a word or three whole numbers of 0 to 255",
        got=repr(color),
        remedy="Pass '#ff8a3c', 'orange' or (255, 138, 60), say",
    )


def team_colors(names: Sequence[str], colors: Sequence[Color | None]) -> list[tuple[int, int, int]]:
    """Return a color for each team: the one that was chosen, or that its name says, or else the one
    of its number in `TEAM_COLORS`, or the next that differs from those of all others.

    Raises
    ------
    InvalidValue
        If more teams than `TEAM_COLORS` have neither a color nor the name of one.
    """
    chosen = [
        COLOR_WORDS.get(name.strip().lower()) if color is None else color
        for name, color in zip(names, colors, strict=True)
    ]
    found = [None if color is None else parse_color(color) for color in chosen]
    taken = [color for color in found if color is not None]
    if len(found) - len(taken) > len(TEAM_COLORS):
        raise InvalidValue(
            f"{len(TEAM_COLORS)} teams get a color by default",
            got=f"{len(found) - len(taken)} teams without one",
            remedy="Choose their colors, or draw fewer teams in one picture",
        )
    return list(_with_free_colors(tuple(found)))


@lru_cache(maxsize=256)
def _with_free_colors(
    found: tuple[tuple[int, int, int] | None, ...],
) -> tuple[tuple[int, int, int], ...]:
    """Return colors with free ones of `TEAM_COLORS` in place of None; see `team_colors`. Cached,
    because each picture of a film needs those of its teams.
    """
    taken = [color for color in found if color is not None]
    free = [parse_color(color) for color in TEAM_COLORS]
    given = []
    for number, color in enumerate(found):
        if color is None:
            usual = parse_color(TEAM_COLORS[number % len(TEAM_COLORS)])
            color = _next_color(sorted(free, key=lambda each: each != usual), taken)
            free.remove(color)
            taken.append(color)
        given.append(color)
    return tuple(given)


def _next_color(
    free: Sequence[tuple[int, int, int]], taken: Sequence[tuple[int, int, int]]
) -> tuple[int, int, int]:
    """Return the first free color that differs from all that are taken, else the one that differs
    most.
    """
    distances = [
        min((distance_between(color, other) for other in taken), default=math.inf) for color in free
    ]
    for color, distance in zip(free, distances, strict=True):
        if distance >= _LEAST_DISTANCE:
            return color
    return free[int(np.argmax(distances))]


def _curve(points: Sequence[tuple[float, float, float]]) -> NDArray[np.float64]:
    """Return a Bezier curve in CIELAB pulled by points of lightness, chroma and hue, at 2000
    places.
    """
    polar = np.array(points)
    angle = np.radians(polar[:, 2])
    lab = np.stack([polar[:, 0], polar[:, 1] * np.cos(angle), polar[:, 1] * np.sin(angle)], axis=1)
    t = np.linspace(0, 1, 2000)[:, np.newaxis]
    degree = len(lab) - 1
    return np.asarray(
        sum(
            math.comb(degree, k) * t**k * (1 - t) ** (degree - k) * lab[k]
            for k in range(degree + 1)
        )
    )


def _along(
    curve: NDArray[np.float64], count: int, *, by_lightness: bool = False
) -> NDArray[np.float64]:
    """Return sRGB of `count` points along a curve in CIELAB, each as far from the next, or as much
    lighter.
    """
    walked = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    if by_lightness:
        walked = curve[:, 0]
    places = np.linspace(walked[0], walked[-1], count)
    lab = [np.interp(places, walked, curve[:, axis]) for axis in range(3)]
    return rgb_of(np.stack(lab, axis=1))


def _frozen(rgb: NDArray[np.float64]) -> Table:
    """Return colors as a read-only table."""
    table = np.rint(np.clip(rgb, 0, 255)).astype(np.uint8)
    table.flags.writeable = False
    return table
