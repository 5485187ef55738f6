"""What the picture of a map needs besides its values and colors: marks and a caption."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.layers.teams.share import TeamShare
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.pursuit import LastSeen, Pursuit
from fieldcraft.space import Grid
from fieldcraft.view.drawing.overlays import draw_arrows, draw_dots, draw_lines
from fieldcraft.view.palettes import parse_color
from fieldcraft.view.pixels.color_scale import ColorScale
from fieldcraft.view.pixels.pixel_plan import RGBA
from fieldcraft.view.pixels.placement import Placement

_GOAL = "#f4f5f7"
_BARRIER = "#6fb7ff"
_BARRIER_OPACITY = 0.75
_MOST_ARROWS = 600


@dataclass(frozen=True)
class Meaning:
    """How to draw a map: the layer with its values, marks to draw on top, whether 1 is 100 %, and
    by default the title and the caption.
    """

    layer: Any
    mark: Callable[[RGBA, Placement], None] | None = None
    percent: bool = False
    title: str = ""
    caption: str = ""


def meaning_of(layer: Any) -> Meaning:
    """Return how to draw a layer, or anything that `fieldcraft.view.picture` takes."""
    if isinstance(layer, TeamShare):
        return Meaning(layer, percent=True)
    if isinstance(layer, FlowField):
        return Meaning(layer.distance_map, mark=_arrows_of(layer), title="flow field")
    if isinstance(layer, DistanceMap):
        return Meaning(layer, mark=_goals_of(layer))
    if isinstance(layer, Pursuit):
        text = ""
        if layer.barrier.any():
            text = "Blue: the barrier, which the target has not crossed."
        return Meaning(layer, mark=_barrier_of(layer), caption=text)
    if isinstance(layer, LastSeen) and layer.never.any():
        return Meaning(layer, caption="Gray: cells that were never seen.")
    return Meaning(layer)


def _goals_of(distances: DistanceMap) -> Callable[[RGBA, Placement], None]:
    """Return a function that draws the goals of a distance map, smaller where there are many."""
    places = distances.space.position_of(distances.goals)

    def mark(picture: RGBA, place: Placement) -> None:
        largest = min(max(min(picture.shape[:2]) / 40, 5.0), 16.0)
        width = max(largest * min(1.0, (40 / max(len(places), 1)) ** 0.5), 3.0)
        draw_dots(picture, place, places, color=_GOAL, width=width)

    return mark


def _barrier_of(pursuit: Pursuit) -> Callable[[RGBA, Placement], None]:
    """Return a function that draws the barrier of a pursuit."""

    def mark(picture: RGBA, place: Placement) -> None:
        values = pursuit.barrier.astype(np.float32)
        colors = ColorScale(0, 1, 0.5, np.array([parse_color(_BARRIER)] * 2, dtype=np.uint8))
        over = place.plan.scaled(values, colors, None, None, None, _BARRIER_OPACITY)
        cover = over[..., 3:] / 255
        picture[..., :3] = np.rint(picture[..., :3] * (1 - cover) + over[..., :3] * cover)

    return mark


def _arrows_of(field: FlowField) -> Callable[[RGBA, Placement], None]:
    """Return a function that draws the directions of a flow field, and its goals."""
    goals = _goals_of(field.distance_map)

    def mark(picture: RGBA, place: Placement) -> None:
        space = field.space
        if isinstance(space, Grid):
            draw_arrows(picture, place, space, field.vectors)
        else:
            draw_lines(picture, place, _segments(field), color=_GOAL, width=1.5)
        goals(picture, place)

    return mark


def _segments(field: FlowField) -> NDArray[np.float64]:
    """Return a line from cells along their directions, shape (N, 2, 2), with a head of two more."""
    space = field.space
    vectors = np.asarray(field.vectors, dtype=np.float64).reshape(len(space), -1)[:, :2]
    cells = np.flatnonzero((vectors != 0).any(axis=1))
    cells = cells[:: max(len(cells) // _MOST_ARROWS, 1)]
    starts = np.asarray(space.positions, dtype=np.float64)[cells, :2]
    along = vectors[cells] * (0.7 * space.typical_step)
    across = along[:, ::-1] * (-1, 1)
    ends = starts + along
    lines = [np.stack([starts, ends], axis=1)]
    for side in (-1, 1):
        head = ends - 0.35 * along + 0.2 * side * across
        lines.append(np.stack([ends, head], axis=1))
    return np.concatenate(lines)
