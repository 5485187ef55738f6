"""Graphs and navigation meshes as pixels: from above, all of it or a floor at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Space
from fieldcraft.view.colors import HIDDEN, ColorScale
from fieldcraft.view.from_above import grounds, painted
from fieldcraft.view.legend import ScaleLegend
from fieldcraft.view.marks import draw_markers
from fieldcraft.view.placement import PlacementFromAbove, is_square
from fieldcraft.view.sheet import sheet

__all__ = ["frame_graph", "picture_floors"]

RGBA = NDArray[np.uint8]
Floats = NDArray[np.float64]

_ELSEWHERE = np.array([43, 46, 56], dtype=np.uint8)  # what lies on other heights


def frame_graph(
    layer: Any,
    *,
    heights: tuple[float, float] | None = None,
    colors: ColorScale | None = None,
    limits: tuple[float, float] | None = None,
    threshold: float | None = 0.0,
    size: int = 1024,
    sources: bool = True,
) -> RGBA:
    """A layer on a graph as seen from above: uint8 of shape (H, W, 4), x to the right, y as the
    graph has it.

    Polygons of a mesh are filled, and so are the places of a lattice; other vertices are discs with
    their edges between them. What is higher covers what is lower. Ground without a value is grey,
    the lighter the higher; blocked vertices are dark.

    Parameters
    ----------
    layer: a layer or an expression on a graph, a mesh or hexagons.
    heights: (from, to), to draw only vertices with z from the first up to the second, not included:
        a floor. The rest of the plan shows as a shadow, so that floors compare.
    colors, limits, threshold: as in `frame`.
    size: pixels along the longer side.
    sources: whether to mark the layer's sources, on these heights.

    Raises `InvalidValue` for other things and arguments out of range.
    """
    space, values = _subject(layer)
    place = PlacementFromAbove(space, size=size)
    if colors is None:
        colors = ColorScale.of(values, limits=limits, threshold=threshold)
    elif not isinstance(colors, ColorScale):
        raise InvalidValue(
            "colors is a ColorScale", got=type(colors).__name__, remedy="Pass ColorScale(low, high)"
        )
    elif limits is not None or threshold != 0:
        raise InvalidValue(
            "A colour scale brings its own limits and threshold",
            got=f"limits={limits!r}, threshold={threshold!r}",
            remedy="Pass ColorScale(low, high, threshold) alone",
        )
    here = _between(space, heights)
    tints = grounds(space)
    drawn = colors.index(values) != HIDDEN
    tints[drawn] = colors.rgb(values)[drawn]
    shadow = np.broadcast_to(_ELSEWHERE, tints.shape)
    canvas = painted(
        place.plan, [(here, tints)] if here.all() else [(~here, shadow), (here, tints)]
    )
    live = getattr(layer, "sources", None)
    if checks.flag("sources", sources) and live is not None and len(live.cells):
        shown = here[live.cells]
        if shown.any():
            pixels = place.pixel_of(space.position_of(live.cells[shown]))
            draw_markers(
                canvas,
                pixels,
                live.strengths[shown].astype(np.float64),
                max(min(canvas.shape[:2]) / 60, 4.0),
            )
    return canvas


def picture_floors(
    layer: Any,
    floors: int | list[float],
    *,
    colors: ColorScale | None = None,
    limits: tuple[float, float] | None = None,
    threshold: float | None = 0.0,
    size: int = 512,
    title: str = "",
    legend: str = "",
    caption: str = "",
    columns: int | None = None,
) -> RGBA:
    """A layer on a 3D graph floor by floor, side by side with one legend: uint8 of shape (H, W, 4).

    `floors` are the heights between which to cut, ascending, or how many slices of equal height to
    make. The other arguments are those of `frame_graph` and `sheet`.
    """
    graph, values = _subject(layer)
    if graph.dimensions != 3 or not len(graph):
        raise InvalidValue(
            "Floors are those of a 3D graph", got=repr(graph), remedy="Use frame_graph(layer)"
        )
    low, high = float(graph.positions[:, 2].min()), float(graph.positions[:, 2].max())
    if isinstance(floors, (int, np.integer)) and not isinstance(floors, bool):
        cuts = np.linspace(low, high, checks.whole("floors", floors, minimum=1) + 1)
    else:
        cuts = checks.array("floors", floors).astype(np.float64)
        if cuts.ndim != 1 or len(cuts) < 2 or not (np.diff(cuts) > 0).all():
            raise InvalidValue(
                "floors are heights, ascending",
                got=repr(floors)[:60],
                remedy="Pass [0, 4, 8], say, or how many",
            )
    cuts[-1] = np.nextafter(cuts[-1], np.inf)
    if colors is None:
        colors = ColorScale.of(values, limits=limits, threshold=threshold)
    pairs = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    frames = [frame_graph(layer, heights=pair, colors=colors, size=size) for pair in pairs]
    digits = max(0, 1 - math.floor(math.log10(float(np.diff(cuts).min()))))
    titles = [
        f"floor {k}: z {start:.{digits}f} to {end:.{digits}f}"
        for k, (start, end) in enumerate(pairs, 1)
    ]
    name = title or str(getattr(layer, "name", ""))
    return sheet(
        frames,
        titles,
        columns=columns,
        legend=ScaleLegend(colors, legend),
        title=name,
        caption=caption,
    )


def _subject(layer: Any) -> tuple[Space, NDArray[np.float32]]:
    space = getattr(layer, "space", None)
    if not isinstance(space, Space) or is_square(space):
        raise InvalidValue(
            "This picture shows a layer on a graph",
            got=type(space).__name__,
            remedy="Use fieldcraft.view.frame for a grid",
        )
    values = np.asarray(layer.values, dtype=np.float32)
    if values.shape != space.shape or not np.isfinite(values).all():
        raise InvalidValue(
            f"Values are finite, one for each {space.cell_name}",
            got=f"shape {values.shape} on {space!r}",
            remedy="Mend the values before drawing",
        )
    return space, values.reshape(-1)


def _between(space: Space, heights: tuple[float, float] | None) -> NDArray[np.bool_]:
    if heights is None:
        return np.ones(len(space), dtype=np.bool_)
    low, high = checks.pair("heights", heights)
    if space.dimensions != 3 or not low < high:
        raise InvalidValue(
            "heights are (from, to) on a 3D graph",
            got=f"{heights!r} on {space!r}",
            remedy="Leave them out",
        )
    z = space.positions[:, 2]
    return np.asarray((z >= low) & (z < high))
