"""Spaces that are no squares, seen from above: which cell shows at each pixel, and the picture that
this makes.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Graph, Mesh, Space, picked
from fieldcraft.view.colors import Color, parse_color

__all__ = ["EDGE", "FINER", "Plan", "compose", "grounds", "painted"]

RGBA = NDArray[np.uint8]
Floats = NDArray[np.float64]
Seen = NDArray[np.int32]

FINER = 2  # pixels are drawn so many times finer, and averaged
EDGE = np.array([70, 76, 90], dtype=np.uint8)
GROUND = np.array([30, 33, 41], dtype=np.uint8)
WALL = np.array([13, 14, 18], dtype=np.uint8)
_LOW, _HIGH = (
    np.array([44.0, 48.0, 58.0]),
    np.array([92.0, 98.0, 112.0]),
)  # ground without a value, by height
_RIM = 12
_MOST_PIXELS = 2**13
_NOTHING, _ON_EDGE = -1, -2
_KEPT = 4

_seen: WeakKeyDictionary[Space, dict[tuple[Any, ...], Seen]] = WeakKeyDictionary()


class Plan:
    """Where the plan of a space lands on the finer pixels, of which `shape` is the number, and on
    those of the picture.
    """

    def __init__(self, space: Space, longest: int) -> None:
        if longest > _MOST_PIXELS:
            raise InvalidValue(
                f"size is at most {_MOST_PIXELS:,} pixels",
                got=f"size={longest!r}",
                remedy="Draw a part of the map",
            )
        self.space = space
        self.size = longest
        low, high = space.extent[:, :2] if len(space) else np.zeros((2, 2))
        self._low, extent = low, high - low
        room = max(longest - 2 * _RIM, 1) * FINER
        self.scale = room / max(float(extent.max()), 1e-300) if extent.max() > 0 else 1.0
        across, down = (
            int(np.ceil(side * self.scale / FINER)) + 2 * min(_RIM, longest // 2) for side in extent
        )
        self.shape = (max(down, 1) * FINER, max(across, 1) * FINER)
        self.picture = (self.shape[0] // FINER, self.shape[1] // FINER)
        self._rim = min(_RIM, longest // 2) * FINER

    def pixels(self, places: Floats) -> Floats:
        """Finer pixels (x, y) from the top left corner, of world positions (N, 2)."""
        found = (places - self._low) * self.scale + self._rim
        if self.space.y_up:
            found[:, 1] = self.shape[0] - found[:, 1]
        return np.asarray(found)

    def places(self, pixels: Floats) -> Floats:
        """The world positions of finer pixels (N, 2); `pixels` backwards."""
        found = pixels.copy()
        if self.space.y_up:
            found[:, 1] = self.shape[0] - found[:, 1]
        return np.asarray((found - self._rim) / self.scale + self._low)

    def middles(self) -> Floats:
        """The world positions of the middles of all finer pixels, row by row."""
        y, x = np.divmod(np.arange(self.shape[0] * self.shape[1]), self.shape[1])
        return self.places(np.stack([x + 0.5, y + 0.5], axis=1))

    def cells(self, here: NDArray[np.bool_] | None = None) -> Seen:
        """The cell that shows at each finer pixel, of those `here` (N,), or of all: -1 where there
        is none, -2 for an edge.
        """
        known = _seen.setdefault(self.space, {})
        key = (self.size, None if here is None or here.all() else here.tobytes())
        if key not in known:
            while len(known) >= _KEPT:
                del known[next(iter(known))]
            some = np.ones(len(self.space), dtype=np.bool_) if here is None else here
            known[key] = picked(self.space, "A picture", hex=_of_hexagons, graph=_of_graph)(
                self, some
            )
        return known[key]


def compose(
    plan: Plan,
    rgb: NDArray[np.uint8],
    drawn: NDArray[np.bool_],
    ground: Color | ArrayLike | None,
    opacity: float,
) -> RGBA:
    """A picture, uint8 of shape (H, W, 4): the ground, and over it the colours (N, 3) of the cells
    that are drawn (N,).
    """
    count = len(plan.space)
    if ground is None:
        tints = (
            np.column_stack([rgb, np.rint(255 * opacity * drawn)])
            .astype(np.uint8)
            .reshape(count, 4)
        )
        return _averaged(
            plan, _laid(plan.cells(), tints, np.array([*EDGE, 0], np.uint8), np.zeros(4, np.uint8))
        )
    under = (
        grounds(plan.space)
        if isinstance(ground, str) and ground == "terrain"
        else _one_color(plan.space, ground)
    )
    cover = (opacity * drawn)[:, np.newaxis]
    tints = np.rint(under * (1 - cover) + rgb * cover).astype(np.uint8)
    return painted(plan, [(None, tints)])


def painted(plan: Plan, layers: list[tuple[NDArray[np.bool_] | None, NDArray[np.uint8]]]) -> RGBA:
    """A picture of cells in their colours (N, 3), one set of cells (N,) after the other; None
    stands for all of them.
    """
    canvas = np.empty((*plan.shape, 4), dtype=np.uint8)
    canvas[:] = (*GROUND, 255)
    for here, tints in layers:
        cells = plan.cells(here)
        canvas[cells == _ON_EDGE, :3] = EDGE
        inside = cells >= 0
        canvas[inside, :3] = tints[cells[inside]]
    return _averaged(plan, canvas)


def _laid(cells: Seen, tints: RGBA, edge: RGBA, nothing: RGBA) -> RGBA:
    canvas = np.empty((*cells.shape, 4), dtype=np.uint8)
    canvas[:] = nothing
    canvas[cells == _ON_EDGE] = edge
    inside = cells >= 0
    canvas[inside] = tints[cells[inside]]
    return canvas


def _averaged(plan: Plan, canvas: RGBA) -> RGBA:
    height, width = plan.picture
    blocks = canvas.reshape(height, FINER, width, FINER, 4)
    return np.asarray(np.rint(blocks.mean(axis=(1, 3)))).astype(np.uint8)


def grounds(space: Space) -> NDArray[np.uint8]:
    """The colour of each cell without a value, (N, 3): grey, the lighter the higher; walls are
    dark.
    """
    share = np.full(len(space), 0.25)
    if space.dimensions == 3 and len(space):
        z = space.positions[:, 2]
        share = (z - z.min()) / max(float(np.ptp(z)), 1e-300)
    tints: NDArray[np.uint8] = np.rint(_LOW + share[:, np.newaxis] * (_HIGH - _LOW)).astype(
        np.uint8
    )
    tints[space.walls.reshape(-1)] = WALL
    return tints


def _one_color(space: Space, ground: Any) -> NDArray[np.uint8]:
    tints = np.empty((len(space), 3), dtype=np.uint8)
    given = None if isinstance(ground, str) else checks.array("ground", ground)
    if given is None or given.ndim < 2:
        tints[:] = parse_color(ground)
    elif given.shape != (*space.shape, 3) or given.dtype != np.uint8:
        raise InvalidValue(
            f"The colours of the ground are uint8, three for each {space.cell_name}",
            got=f"{given.dtype} of shape {given.shape}",
            remedy=f"Pass shape {(*space.shape, 3)}",
        )
    else:
        tints[:] = given.reshape(len(space), 3)
    tints[space.walls.reshape(-1)] = WALL
    return tints


# Which cell shows


def _of_hexagons(plan: Plan, here: NDArray[np.bool_]) -> Seen:
    space: Any = plan.space
    points = plan.middles()
    cells = np.asarray(space.cell_at(points, outside="clamp"))
    away = np.abs(space.short_way(points - space.position_of(cells)))
    along, across = (
        (away[:, 0], away[:, 1]) if space.orientation == "pointy" else (away[:, 1], away[:, 0])
    )
    inner = np.maximum(
        along, along / 2 + across * (3**0.5 / 2)
    )  # the distance to the side that is nearest
    # A finer pixel is left between hexagons, so that one can count them.
    gap = 0.7 / plan.scale if space.size * plan.scale > 8 else 0.0
    shown = (inner <= space.size * (3**0.5 / 2) - gap) & here[cells]
    return np.where(shown, cells, _NOTHING).astype(np.int32).reshape(plan.shape)


def _of_graph(plan: Plan, here: NDArray[np.bool_]) -> Seen:
    graph = plan.space.graph
    seen = np.full(plan.shape, _NOTHING, dtype=np.int32)
    if graph.mesh is not None:
        _fill(seen, plan, graph, graph.mesh, here)
    elif here.any():
        _dots(seen, plan, graph, here)
    return seen


def _fill(seen: Seen, plan: Plan, graph: Graph, mesh: Mesh, here: NDArray[np.bool_]) -> None:
    """Fill polygons; of those above each other the highest shows."""
    chosen = np.flatnonzero(here)
    if not len(chosen):
        return
    part = Mesh(
        mesh.corners, [mesh.rings[mesh.starts[k] : mesh.starts[k + 1]] for k in chosen.tolist()]
    )
    points = plan.middles()
    if graph.dimensions == 3:
        points = np.column_stack(
            [points, np.full(len(points), float(mesh.corners[:, 2].max()) + 1)]
        )
    found, _, _ = part.locate(points)
    inside = found >= 0
    seen.reshape(-1)[inside] = chosen[part.owners[found[inside]]]


def _dots(seen: Seen, plan: Plan, graph: Graph, here: NDArray[np.bool_]) -> None:
    """Edges, and a dot for each vertex on top; squares that touch where vertices stand in a
    lattice.
    """
    edges = graph.edges[here[graph.edges].all(axis=1)]
    pixels = plan.pixels(graph.positions[:, :2])
    apart = (
        np.abs(pixels[graph.edges[:, 0]] - pixels[graph.edges[:, 1]])
        if len(graph.edges)
        else np.full((1, 2), 16.0)
    )
    lengths = np.hypot(apart[:, 0], apart[:, 1])
    typical = float(np.median(lengths))
    lattice = len(lengths) > 1 and np.quantile(lengths, 0.95) < 1.5 * max(
        float(np.quantile(lengths, 0.05)), 1e-9
    )
    if not lattice:
        _lines(seen, pixels, edges)
    order = np.flatnonzero(here)
    if graph.dimensions == 3:
        order = order[np.argsort(graph.positions[order, 2], kind="stable")]
    radius = (
        max(float(apart.max(axis=1).min()) / 2, 0.5)
        if lattice
        else min(max(0.3 * typical, 2.0 * FINER), 7.0 * FINER)
    )
    reach = int(np.ceil(radius))
    height, width = plan.shape
    at = np.floor(pixels[order]).astype(np.int64)
    off = pixels[order] - at - 0.5
    near = np.mgrid[-reach : reach + 1, -reach : reach + 1].reshape(2, -1)

    def within(
        dots: Any, dx: Any, dy: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        across, down = dx - off[dots, 0], dy - off[dots, 1]
        inside = (
            np.maximum(np.abs(across), np.abs(down)) <= radius
            if lattice
            else np.hypot(across, down) <= radius
        )
        x, y = at[dots, 0] + dx, at[dots, 1] + dy
        return x, y, inside & (x >= 0) & (x < width) & (y >= 0) & (y < height)

    if (
        len(order) < near.shape[1]
    ):  # a few large dots one by one, of those on one pixel the highest last
        for dot, vertex in enumerate(order.tolist()):
            x, y, inside = within(dot, near[1], near[0])
            seen[y[inside], x[inside]] = vertex
        return
    rows, columns, vertices, ranks = [], [], [], []
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            x, y, inside = within(slice(None), dx, dy)
            rows.append(y[inside])
            columns.append(x[inside])
            ranks.append(np.flatnonzero(inside))
            vertices.append(order[inside])
    # Sorted, so that of dots on one pixel the highest is written last.
    last = np.argsort(np.concatenate(ranks), kind="stable")
    seen[np.concatenate(rows)[last], np.concatenate(columns)[last]] = np.concatenate(vertices)[last]


def _lines(seen: Seen, pixels: Floats, edges: NDArray[np.int64]) -> None:
    start, end = pixels[edges[:, 0]], pixels[edges[:, 1]]
    counts = np.ceil(np.abs(end - start).max(axis=1, initial=0)).astype(np.int64) + 1
    which = np.repeat(np.arange(len(edges)), counts)
    share = (np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)) / np.maximum(
        np.repeat(counts, counts) - 1, 1
    )
    x, y = np.floor(start[which] + share[:, np.newaxis] * (end - start)[which]).astype(np.int64).T
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        inside = (x + dx >= 0) & (x + dx < seen.shape[1]) & (y + dy >= 0) & (y + dy < seen.shape[0])
        seen[y[inside] + dy, x[inside] + dx] = _ON_EDGE
