"""Scenes: plain data for drawing.

A `Scene` is one moment of a world: a map, one field of values, and on top of it areas, cones,
lines, arrows, marks and labels, in this order. Positions and lengths are in world units, arrays of
cells are [row, column] in the shape of the space. Nothing is checked before it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]

Part = tuple[tuple[float, ...], float]
"""The position of a unit, and the amount that it contributes to a value."""

Tone = int | str
"""A color: the number of a team, one of `ROLES`, or "#rrggbb"."""

ROLES = (
    "ink",
    "muted",
    "good",
    "warning",
    "danger",
    "path",
    "front",
    "flow",
    "goal",
    "food",
    "neutral",
    "dark",
)
"""Colors by their use, the same in every game."""


@dataclass(frozen=True, eq=False)
class Field:
    """Values over the map, and their bar in the legend.

    Parameters
    ----------
    values : NDArray[Any]
        Numbers in the shape of the space; nothing is drawn where `abs(value) <= threshold`.
    label : str, optional
        Name of the values in the legend.
    limits : tuple[float, float], optional
        (low, high), the values of the end colors; fixed ones keep colors from flickering. 0 to the
        greatest if None.
    colors : Tone or tuple[Tone, Tone], optional
        None for dark to bright (with values of both signs: blue to orange through dark), one tone
        for a single hue, or (negative, positive) for two.
    threshold : float, optional
        None draws every cell.
    rgb : NDArray[Any], optional
        The color of each cell of a grid, uint8 of shape (H, W, 3), in place of those of the scale;
        `names` explains it.
    names : tuple[tuple[str, Tone], ...], optional
        Swatches of the legend in place of a bar.
    adapts : bool, optional
        Whether `limits` follow the values as time goes on.
    parts : Callable[[tuple[float, ...]], list[Part]], optional
        Returns the units that contribute to the value at a position, if it is a sum over units.
    together : tuple[str, ...], optional
        The overlays whose fields this one shows in one picture, each in its own color: `colors` of
        each is one tone.
    """

    values: NDArray[Any]
    label: str = ""
    limits: tuple[float, float] | None = None
    colors: Tone | tuple[Tone, Tone] | None = None
    rgb: NDArray[Any] | None = None
    names: tuple[tuple[str, Tone], ...] = ()
    adapts: bool = False
    threshold: float | None = 0.0
    opacity: float = 1.0
    parts: Callable[[tuple[float, ...]], list[Part]] | None = None
    together: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Areas:
    """Flat translucent color over cells, such as a field of view.

    `cells` is an array in the shape of the space: bool, or whole numbers that pick one of `colors`,
    -1 for none.
    """

    cells: NDArray[Any]
    colors: tuple[Tone, ...] = ("ink",)
    opacity: float = 0.25
    label: str = ""


@dataclass(frozen=True, eq=False)
class Cones:
    """Translucent sectors, such as cones of sight: N of them, positions and directions of shape (N,
    2).

    `radius` is in world units and `angle` the whole angle in degrees, one number or (N,); 360 is a
    circle.
    """

    positions: Floats
    directions: Floats
    radius: float | Floats
    angle: float | Floats
    color: Tone | Ints = "warning"
    opacity: float = 0.18


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines through points: front lines, paths, shots.

    `points` are arrays of shape (N, 2), one per line, or one array of shape (L, N, 2): L lines of N
    points. `width` is in pixels; `shade` is the darkness of the edge beside the lines, 0 to 1.
    """

    points: tuple[Floats, ...] | Floats
    color: Tone | Ints = "ink"
    width: float = 1.6
    opacity: float = 1.0
    shade: float = 0.5
    label: str = ""


@dataclass(frozen=True, eq=False)
class Arrows:
    """Arrows at positions (N, 2), along vectors (N, 2) in world units; those of length 0 are not
    drawn. `width` is in pixels. With a `spacing` in pixels, about one arrow is drawn in each such
    distance, so that a whole flow field can be passed.
    """

    positions: Floats
    vectors: Floats
    color: Tone = "flow"
    width: float = 1.2
    opacity: float = 0.9
    spacing: float = 0.0


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks of agents and items: N of them at positions (N, 2), drawn in this order.

    Parameters
    ----------
    shape : str, optional
        "disc", "square", "triangle", "diamond", "ring", "cross" or "dot" (no rim, fast; for
        crowds).
    size : float or Floats, optional
        The width in world units, one number or (N,).
    color : Tone or Ints, optional
        A tone for all, or (N,) numbers of teams.
    directions : Floats, optional
        (N, 2) vectors of any length: the directions of triangles, and of the noses of discs.
    health : Floats, optional
        (N,) from 0 to 1; below 1 a bar is drawn over the mark.
    least : float, optional
        The smallest width in pixels, at any zoom.
    """

    positions: Floats
    shape: str = "disc"
    size: float | Floats = 0.8
    color: Tone | Ints = 0
    directions: Floats | None = None
    health: Floats | None = None
    opacity: float = 1.0
    least: float = 3.0
    label: str = ""


@dataclass(frozen=True)
class Label:
    """A few words at a world position."""

    position: tuple[float, float]
    text: str
    color: Tone = "ink"


@dataclass(frozen=True)
class Fact:
    """A line of the panel: a name and its value; `color` adds a swatch."""

    name: str
    value: str
    color: Tone | None = None


@dataclass(frozen=True, eq=False)
class Scene:
    """One moment of a world. `space` is its map; `headline` a word in large letters over it: the
    result.
    """

    space: Any
    title: str = ""
    field: Field | None = None
    areas: tuple[Areas, ...] = ()
    cones: tuple[Cones, ...] = ()
    lines: tuple[Lines, ...] = ()
    arrows: tuple[Arrows, ...] = ()
    marks: tuple[Marks, ...] = ()
    labels: tuple[Label, ...] = ()
    facts: tuple[Fact, ...] = ()
    headline: str = ""
