"""Graphs and navigation meshes as pixels: from above, all of it or a floor at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Graph, Mesh
from fieldcraft.view.canvas import GROUND, WALL
from fieldcraft.view.colors import HIDDEN, ColorScale
from fieldcraft.view.legend import ScaleLegend
from fieldcraft.view.marks import draw_markers
from fieldcraft.view.sheet import sheet

__all__ = ["frame_graph", "picture_floors"]

RGBA = NDArray[np.uint8]
Floats = NDArray[np.float64]

_FINER = 2  # pixels are drawn so many times finer, and averaged
_LOW, _HIGH = np.array([44.0, 48.0, 58.0]), np.array([92.0, 98.0, 112.0])  # ground without a value, by height
_ELSEWHERE = np.array([43, 46, 56], dtype=np.uint8)  # what lies on other heights
_EDGE = np.array([70, 76, 90], dtype=np.uint8)
_RIM = 12
_MOST_PIXELS = 2**13


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
    """A layer on a graph as seen from above: uint8 of shape (H, W, 4), x to the right, y as the graph has it.

    Polygons of a mesh are filled, and so are the places of a lattice; other vertices are discs with their edges between them. What is
    higher covers what is lower. Ground without a value is grey, the lighter the higher; blocked vertices are dark.

    Parameters
    ----------
    layer: a layer or an expression on a `Graph`.
    heights: (from, to), to draw only vertices with z from the first up to the second, not included: a floor. The rest of the plan shows
        as a shadow, so that floors compare.
    colors, limits, threshold: as in `frame`.
    size: pixels along the longer side.
    sources: whether to mark the layer's sources, on these heights.

    Raises `InvalidValue` for other things and arguments out of range.
    """
    graph, values = _subject(layer)
    longest = checks.whole("size", size, minimum=1)
    if longest > _MOST_PIXELS:
        raise InvalidValue(f"size is at most {_MOST_PIXELS:,} pixels", got=f"size={size!r}", remedy="Draw a part of the graph")
    if colors is None:
        colors = ColorScale.of(values[np.newaxis] if len(values) else np.zeros((1, 1)), limits=limits, threshold=threshold)
    elif limits is not None or threshold != 0:
        raise InvalidValue(
            "A colour scale brings its own limits and threshold",
            got=f"limits={limits!r}, threshold={threshold!r}",
            remedy="Pass ColorScale(low, high, threshold) alone",
        )
    here = _between(graph, heights)
    plan = _Plan(graph, longest)
    painted = np.empty((*plan.shape, 3), dtype=np.uint8)
    painted[:] = GROUND
    tints = _tints(graph, values, colors)
    shadow = np.broadcast_to(_ELSEWHERE, tints.shape)
    for some, colored in ((~here, shadow), (here, tints)):
        if graph.mesh is not None:
            _fill(painted, plan, graph, graph.mesh, some, colored)
        elif some.any():
            _dots(painted, plan, graph, some, colored)
    canvas = np.full((plan.shape[0] // _FINER, plan.shape[1] // _FINER, 4), 255, dtype=np.uint8)
    blocks = painted.reshape(canvas.shape[0], _FINER, canvas.shape[1], _FINER, 3)
    canvas[..., :3] = np.rint(blocks.mean(axis=(1, 3)))
    live = getattr(layer, "sources", None)
    if sources and live is not None and len(live.cells):
        shown = here[live.cells]
        pixels = plan.pixels(graph.positions[live.cells[shown], :2]) / _FINER
        if shown.any():
            draw_markers(canvas, pixels, live.strengths[shown].astype(np.float64), max(min(canvas.shape[:2]) / 60, 4.0))
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

    `floors` are the heights between which to cut, ascending, or how many slices of equal height to make. The other arguments are those
    of `frame_graph` and `sheet`.
    """
    graph, values = _subject(layer)
    if graph.dimensions != 3 or not len(graph):
        raise InvalidValue("Floors are those of a 3D graph", got=repr(graph), remedy="Use frame_graph(layer)")
    low, high = float(graph.positions[:, 2].min()), float(graph.positions[:, 2].max())
    if isinstance(floors, (int, np.integer)) and not isinstance(floors, bool):
        cuts = np.linspace(low, high, checks.whole("floors", floors, minimum=1) + 1)
    else:
        cuts = checks.array("floors", floors).astype(np.float64)
        if cuts.ndim != 1 or len(cuts) < 2 or not (np.diff(cuts) > 0).all():
            raise InvalidValue("floors are heights, ascending", got=repr(floors)[:60], remedy="Pass [0, 4, 8], say, or how many")
    cuts[-1] = np.nextafter(cuts[-1], np.inf)
    if colors is None:
        colors = ColorScale.of(values[np.newaxis] if len(values) else np.zeros((1, 1)), limits=limits, threshold=threshold)
    pairs = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    frames = [frame_graph(layer, heights=pair, colors=colors, size=size) for pair in pairs]
    digits = max(0, 1 - math.floor(math.log10(float(np.diff(cuts).min()))))
    titles = [f"floor {k}: z {start:.{digits}f} to {end:.{digits}f}" for k, (start, end) in enumerate(pairs, 1)]
    name = title or str(getattr(layer, "name", ""))
    return sheet(frames, titles, columns=columns, legend=ScaleLegend(colors, legend), title=name, caption=caption)


class _Plan:
    """Where the plan of a graph lands on the finer pixels."""

    def __init__(self, graph: Graph, longest: int) -> None:
        places = graph.positions if graph.mesh is None else graph.mesh.corners
        self._low = places[:, :2].min(axis=0) if len(places) else np.zeros(2)
        extent = np.ptp(places[:, :2], axis=0) if len(places) else np.zeros(2)
        room = max(longest - 2 * _RIM, 1) * _FINER
        self.scale = room / max(float(extent.max()), 1e-300) if extent.max() > 0 else 1.0
        across, down = (int(np.ceil(side * self.scale / _FINER)) + 2 * min(_RIM, longest // 2) for side in extent)
        self.shape = (max(down, 1) * _FINER, max(across, 1) * _FINER)
        self._y_up = graph.y_up
        self._rim = min(_RIM, longest // 2) * _FINER

    def pixels(self, places: Floats) -> Floats:
        """Finer pixels (x, y) from the top left corner."""
        found = (places - self._low) * self.scale + self._rim
        if self._y_up:
            found[:, 1] = self.shape[0] - found[:, 1]
        return np.asarray(found)

    def centres(self) -> Floats:
        """The world positions of the middles of all finer pixels, row by row."""
        y, x = np.divmod(np.arange(self.shape[0] * self.shape[1]), self.shape[1])
        down = self.shape[0] - y - 0.5 if self._y_up else y + 0.5
        return np.asarray((np.stack([x + 0.5, down], axis=1) - self._rim) / self.scale + self._low)


def _subject(layer: Any) -> tuple[Graph, NDArray[np.float32]]:
    graph = getattr(layer, "space", None)
    if not isinstance(graph, Graph):
        raise InvalidValue("This picture shows a layer on a graph", got=type(graph).__name__, remedy="Use fieldcraft.view.frame for a grid")
    values = np.asarray(layer.values, dtype=np.float32)
    if values.shape != graph.shape or not np.isfinite(values).all():
        raise InvalidValue(
            "Values are finite, one for each vertex", got=f"shape {values.shape} on {graph!r}", remedy="Mend the values before drawing"
        )
    return graph, values


def _between(graph: Graph, heights: tuple[float, float] | None) -> NDArray[np.bool_]:
    if heights is None:
        return np.ones(len(graph), dtype=np.bool_)
    low, high = (checks.finite("heights", each) for each in heights)
    if graph.dimensions != 3 or not low < high:
        raise InvalidValue("heights are (from, to) on a 3D graph", got=f"{heights!r} on {graph!r}", remedy="Leave them out")
    z = graph.positions[:, 2]
    return np.asarray((z >= low) & (z < high))


def _tints(graph: Graph, values: NDArray[np.float32], colors: ColorScale) -> NDArray[np.uint8]:
    """The colour of each vertex, (N, 3)."""
    if not len(graph):
        return np.zeros((0, 3), dtype=np.uint8)
    share = np.full(len(graph), 0.25)
    if graph.dimensions == 3:
        z = graph.positions[:, 2]
        share = (z - z.min()) / max(float(np.ptp(z)), 1e-300)
    tints: NDArray[np.uint8] = np.rint(_LOW + share[:, np.newaxis] * (_HIGH - _LOW)).astype(np.uint8)
    tints[graph.walls] = WALL
    row = values[np.newaxis]
    drawn = colors.index(row)[0] != HIDDEN
    tints[drawn] = colors.rgb(row)[0][drawn]
    return tints


def _fill(painted: NDArray[np.uint8], plan: _Plan, graph: Graph, mesh: Mesh, here: NDArray[np.bool_], tints: NDArray[np.uint8]) -> None:
    """Fill polygons; of those above each other the highest shows."""
    chosen = np.flatnonzero(here)
    if not len(chosen):
        return
    part = Mesh(mesh.corners, [mesh.rings[mesh.starts[k] : mesh.starts[k + 1]] for k in chosen.tolist()])
    flat = painted.reshape(-1, 3)
    points = plan.centres()
    if graph.dimensions == 3:
        points = np.column_stack([points, np.full(len(points), float(mesh.corners[:, 2].max()) + 1)])
    found, _, _ = part.locate(points)
    inside = found >= 0
    flat[inside] = tints[chosen[part.owners[found[inside]]]]


def _dots(painted: NDArray[np.uint8], plan: _Plan, graph: Graph, here: NDArray[np.bool_], tints: NDArray[np.uint8]) -> None:
    """Edges, and a dot for each vertex on top; squares that touch where vertices stand in a lattice."""
    edges = graph.edges[here[graph.edges].all(axis=1)]
    pixels = plan.pixels(graph.positions[:, :2])
    apart = np.abs(pixels[graph.edges[:, 0]] - pixels[graph.edges[:, 1]]) if len(graph.edges) else np.full((1, 2), 16.0)
    lengths = np.hypot(apart[:, 0], apart[:, 1])
    typical = float(np.median(lengths))
    lattice = len(lengths) > 1 and np.quantile(lengths, 0.95) < 1.5 * max(float(np.quantile(lengths, 0.05)), 1e-9)
    if not lattice:
        _lines(painted, pixels, edges)
    order = np.flatnonzero(here)
    if graph.dimensions == 3:
        order = order[np.argsort(graph.positions[order, 2], kind="stable")]
    radius = max(float(apart.max(axis=1).min()) / 2, 0.5) if lattice else min(max(0.3 * typical, 2.0 * _FINER), 7.0 * _FINER)
    reach = int(np.ceil(radius))
    height, width = plan.shape
    at = np.floor(pixels[order]).astype(np.int64)
    off = pixels[order] - at - 0.5
    near = np.mgrid[-reach : reach + 1, -reach : reach + 1].reshape(2, -1)

    def within(dots: Any, dx: Any, dy: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        across, down = dx - off[dots, 0], dy - off[dots, 1]
        inside = np.maximum(np.abs(across), np.abs(down)) <= radius if lattice else np.hypot(across, down) <= radius
        x, y = at[dots, 0] + dx, at[dots, 1] + dy
        return x, y, inside & (x >= 0) & (x < width) & (y >= 0) & (y < height)

    if len(order) < near.shape[1]:  # a few large dots one by one, of those on one pixel the highest last
        for dot, vertex in enumerate(order.tolist()):
            x, y, inside = within(dot, near[1], near[0])
            painted[y[inside], x[inside]] = tints[vertex]
        return
    rows, columns, colors, ranks = [], [], [], []
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            x, y, inside = within(slice(None), dx, dy)
            rows.append(y[inside])
            columns.append(x[inside])
            ranks.append(np.flatnonzero(inside))
            colors.append(tints[order[inside]])
    # Sorted, so that of dots on one pixel the highest is written last.
    last = np.argsort(np.concatenate(ranks), kind="stable")
    painted[np.concatenate(rows)[last], np.concatenate(columns)[last]] = np.concatenate(colors)[last]


def _lines(painted: NDArray[np.uint8], pixels: Floats, edges: NDArray[np.int64]) -> None:
    start, end = pixels[edges[:, 0]], pixels[edges[:, 1]]
    counts = np.ceil(np.abs(end - start).max(axis=1, initial=0)).astype(np.int64) + 1
    which = np.repeat(np.arange(len(edges)), counts)
    share = (np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)) / np.maximum(np.repeat(counts, counts) - 1, 1)
    x, y = np.floor(start[which] + share[:, np.newaxis] * (end - start)[which]).astype(np.int64).T
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        inside = (x + dx >= 0) & (x + dx < painted.shape[1]) & (y + dy >= 0) & (y + dy < painted.shape[0])
        painted[y[inside] + dy, x[inside] + dx] = _EDGE
