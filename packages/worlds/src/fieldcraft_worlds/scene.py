"""The scene, as plain data: games say it, views draw it.

A `Scene` is one moment of a world: ground, one field of values, and on top of it areas, cones,
lines, arrows, marks and labels, in this order. Positions and lengths are in world units, arrays of
cells are [row, column] in the shape of the space. No pixels here,
and nothing is checked: whoever draws a scene refuses what does not fit together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ROLES",
    "Areas",
    "Arrows",
    "Cones",
    "Fact",
    "Field",
    "Label",
    "Lines",
    "Marks",
    "Part",
    "Scene",
    "Tone",
]

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]

Part = tuple[tuple[float, ...], float]
"""The position of a unit, and the amount that it contributes to a value."""

Tone = int | str
"""A colour by what it stands for: the number of a team, one of `ROLES`, or "#rrggbb"."""

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
"""Colours that are named by their use, the same in every game."""


@dataclass(frozen=True, eq=False)
class Field:
    """Values over the ground, and the bar of the legend that explains them.

    Parameters
    ----------
    values : NDArray[Any]
        Numbers in the shape of the space; nothing is drawn where `abs(value) <= threshold`.
    label : str, optional
        What the values are, for the legend.
    limits : tuple[float, float], optional
        (low, high), the values of the end colours; fixed ones keep colours from flickering. 0 to
        the strongest if None.
    colors : Tone or tuple[Tone, Tone], optional
        None for dark to bright (with values of both signs: blue to orange through dark), one tone
        for a single hue, or (negative, positive) for two.
    threshold : float, optional
        None draws every cell.
    table : NDArray[Any], optional
        (N, 3) uint8, the colours themselves; `values` are then rows of it, and `names` explains it.
    names : tuple[tuple[str, Tone], ...], optional
        Swatches of the legend in place of a bar.
    parts : Callable[[tuple[float, ...]], list[Part]], optional
        Returns the positions of the units that contribute to the value at a position, with their
        amounts, if the value is a sum over units.
    """

    values: NDArray[Any]
    label: str = ""
    limits: tuple[float, float] | None = None
    colors: Tone | tuple[Tone, Tone] | None = None
    table: NDArray[Any] | None = None
    names: tuple[tuple[str, Tone], ...] = ()
    threshold: float | None = 0.0
    opacity: float = 1.0
    parts: Callable[[tuple[float, ...]], list[Part]] | None = None


@dataclass(frozen=True, eq=False)
class Areas:
    """Flat translucent colour over cells: what is in sight, whose ground it is.

    `cells` is an array in the shape of the space: bool, or whole numbers that pick one of `colors`,
    -1 for none.
    """

    cells: NDArray[Any]
    colors: tuple[Tone, ...] = ("ink",)
    opacity: float = 0.25
    label: str = ""


@dataclass(frozen=True, eq=False)
class Cones:
    """Translucent sectors, such as fields of view: N of them, positions and directions of shape (N,
    2).

    `radius` is in world units and `angle` the whole opening in degrees, one number or (N,); 360
    makes a circle.
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
    points. `width` is in pixels; `shade` is how dark the rim beside the lines is, 0 to 1.
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
    drawn. `width` is in pixels.

    At most about one arrow in `spacing` pixels is drawn each way, so that a whole flow field can be
    passed.
    """

    positions: Floats
    vectors: Floats
    color: Tone = "flow"
    width: float = 1.2
    opacity: float = 0.9
    spacing: float = 0.0


@dataclass(frozen=True, eq=False)
class Marks:
    """Things that stand somewhere: N of them at positions (N, 2), drawn in this order.

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
        (N, 2) vectors of any length; where a triangle points. Discs get a small nose.
    health : Floats, optional
        (N,) from 0 to 1; below 1 a bar is drawn over the mark.
    least : float, optional
        The smallest width in pixels, however far away one looks from.
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
    """A line beside the map: a name and what it is now; `color` puts a swatch before it, a team's,
    say.
    """

    name: str
    value: str
    color: Tone | None = None


@dataclass(frozen=True, eq=False)
class Scene:
    """One moment of a world, ready to be drawn. `space` is its map; `headline` a word in large
    letters over it, the result, say.
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
