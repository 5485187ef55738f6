"""Sight between the vertices of a graph, and vertices within a distance."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import Floats, read_only
from fieldcraft.kernels.sight.sight_lines import SightPortals, SightTargets, SightViewers
from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.mesh.portals import portals_of, sight_portals_of
from fieldcraft.space.sight.viewers import Viewers
from fieldcraft.space.space_ranges import within_range
from fieldcraft.space.wrapping import box_of, nearest_images, within_period

_SEEN = 200  # polygons that a viewer sees, to begin with
_PAIRS_PER_THREAD = 1_000
_NO_LINKS = SightPortals(
    starts=np.zeros(1, dtype=np.int64),
    ends=np.zeros(0, dtype=np.int32),
    fine=np.zeros((0, 4), dtype=np.int64),
    flags=np.zeros(0, dtype=np.uint8),
)


def vertices_within(graph: Graph, points: Floats, radius: float) -> list[list[int]]:
    """Return the vertices within a straight range of each point, also across edges that wrap,
    in no particular order.
    """
    if not len(graph) or not len(points):
        return [[] for _ in points]
    tree = graph.topology.tree
    period = graph.period
    limit = within_range(graph, radius)
    if period is None:
        return list(tree.query_ball_point(points, limit))
    points = graph.wrapped(points)
    size = np.where(np.isfinite(period), period, 0.0)
    turns_x, turns_y = ((-1, 0, 1) if along > 0 else (0,) for along in size)
    shifts = [np.array((dx, dy)) * size for dx in turns_x for dy in turns_y]
    found = [tree.query_ball_point(points + shift, limit) for shift in shifts]
    return [sorted(set(chain.from_iterable(each))) for each in zip(*found, strict=True)]


def near_any(graph: Graph, points: Floats, radius: float) -> NDArray[np.bool_]:
    """Return which vertices are within a straight range of one of some points, (N,), also across
    edges that wrap. It takes no memory for pairs of them, of which `vertices_within` lists all.
    """
    from scipy.spatial import cKDTree  # loading it takes longer than all of `import fieldcraft`

    near = np.zeros(len(graph), dtype=np.bool_)
    if not len(points):
        return near
    limit = within_range(graph, radius)
    spread = np.sqrt((nearest_images(points - points[0], graph.period) ** 2).sum(axis=1)).max()
    around = np.array(vertices_within(graph, points[:1], spread + limit)[0], dtype=np.int64)
    tree = cKDTree(within_period(points, graph.period), boxsize=box_of(graph.period))
    away, _ = tree.query(within_period(graph.positions[around], graph.period))
    near[around[away <= limit]] = True
    return near


@dataclass(frozen=True, eq=False)
class SightEnds:
    """Ends of lines of sight on a graph: vertices (N,), positions (N, 2 or 3), and on a mesh their
    places (N, 2) in whole numbers.
    """

    cells: NDArray[np.int64]
    points: Floats
    places: NDArray[np.int64]


def sight_ends(graph: Graph, points: Floats) -> SightEnds:
    """Return the ends of lines of sight at positions; raises `OutsideMap`."""
    # Read-only like those of vertices: kernels are compiled once more for writable arrays.
    points = read_only(np.ascontiguousarray(points).view())
    cells = np.atleast_1d(np.asarray(graph.cell_at(points), dtype=np.int64))
    if graph.mesh is None:
        return SightEnds(cells, points, np.zeros((len(points), 2), dtype=np.int64))
    portals, _ = portals_of(graph)
    places = np.empty((len(points), 2))
    plan = np.ascontiguousarray(graph.mesh.centers[:, :2])
    kernels.agents.mesh_moving.nearest(
        portals.corners, portals.rings, read_only(cells), points, places
    )
    places += (plan[cells] - places) * kernels.sight.sees.INWARDS
    return SightEnds(cells, points, portals.rounded(places))


def _centers(graph: Graph, cells: NDArray[np.int64]) -> SightEnds:
    """Return the ends of lines of sight at vertices."""
    if graph.mesh is None:
        places = np.zeros((len(cells), 2), dtype=np.int64)
    else:
        places = portals_of(graph)[0].middles[cells]
    return SightEnds(cells, read_only(graph.positions[cells]), places)


def _links(graph: Graph) -> SightPortals:
    """Return the links of which portals are open to sight now."""
    if graph.mesh is None:
        return _NO_LINKS
    portals, flags = sight_portals_of(graph)
    return portals.links(flags)


def sees(graph: Graph, viewers: Viewers, targets: Floats, *, pairs: bool) -> NDArray[np.bool_]:
    """Return which viewers see which targets, (V, T), or with `pairs` viewer and target of equal
    number, (V, 1).
    """
    here = sight_ends(graph, viewers.points)
    there = sight_ends(graph, targets)
    return _seen(_links(graph), here, there, viewers, own=False, pairs=pairs)


def counted(graph: Graph, viewers: Viewers) -> NDArray[np.int32]:
    """Return how many of the viewers see each open vertex, (N,) int32."""
    here = sight_ends(graph, viewers.points)
    return _counts(graph, here, viewers, _links(graph), graph.walls, graph.opaque)


def _counts(
    graph: Graph,
    here: SightEnds,
    viewers: Viewers,
    links: SightPortals,
    walls: NDArray[np.bool_],
    opaque: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """Return how many viewers see each open vertex; walls and opaque vertices may be those of an
    earlier moment.
    """
    others = np.flatnonzero(~walls if graph.mesh is None else opaque & ~walls)
    counts = np.zeros(len(graph), dtype=np.int32)
    if graph.mesh is not None:
        portals, _ = portals_of(graph)
        work = len(here.cells) * min(len(graph), _SEEN)
        bands = pool.bands(len(here.cells), work // _PAIRS_PER_THREAD)
        shares = [np.zeros(len(graph), dtype=np.int32) for _ in bands]
        looking = SightViewers(here.cells, here.points, here.places, viewers.squares, viewers.cones)
        common = (links, portals.middles, walls, graph.positions, looking, portals.scale)
        pool.run(
            [
                (kernels.sight.sees.count_seen, (*common, *band, share))
                for band, share in zip(bands, shares, strict=True)
            ]
        )
        counts = sum(shares[1:], start=shares[0])
    if len(others):
        there = _centers(graph, others)
        counts[others] = _seen(links, here, there, viewers, own=True).sum(axis=0)
    return counts


class SightSnapshot:
    """Sight from the vertices of a graph at one moment."""

    def __init__(
        self,
        graph: Graph,
        walls: NDArray[np.bool_],
        closed: NDArray[np.bool_],
        opaque: NDArray[np.bool_],
    ) -> None:
        self._graph = graph
        self._opaque = opaque
        self._walls = read_only(walls.view())
        self._links = _NO_LINKS
        if graph.mesh is not None:
            portals, _ = portals_of(graph)
            self._links = portals.links(portals.flags(opaque, closed))

    def visible_from(self, cell: int, radius: float) -> NDArray[np.int64]:
        """Return the open vertices that are visible from the center of one, within `radius` world
        units, ascending.
        """
        here = _centers(self._graph, np.array([cell]))
        limits = np.array([within_range(self._graph, radius)])
        viewers = Viewers(here.points, limits, kernels.sight.visible.NO_CONES)
        counts = _counts(self._graph, here, viewers, self._links, self._walls, self._opaque)
        return np.flatnonzero(counts)


def is_clear(graph: Graph, cell: int, place: Floats, target: int) -> bool:
    """Return whether the center of a polygon is visible from a position (x, y) in another."""
    portals, flags = portals_of(graph)
    stack = np.empty(kernels.sight.sees.STACK, dtype=np.int64)
    (x0, y0), (x1, y1) = portals.rounded(place).tolist(), portals.middles[target].tolist()
    return bool(
        kernels.sight.sees.between(portals.links(flags), cell, x0, y0, target, x1, y1, stack)
    )


def _seen(
    links: SightPortals,
    here: SightEnds,
    there: SightEnds,
    viewers: Viewers,
    *,
    own: bool,
    pairs: bool = False,
) -> NDArray[np.bool_]:
    """Return which viewers see which targets, (V, T), or with `pairs` viewer and target of equal
    number, (V, 1).
    """
    seen = np.zeros((len(here.cells), 1 if pairs else len(there.cells)), dtype=np.bool_)
    looking = SightViewers(here.cells, here.points, here.places, viewers.squares, viewers.cones)
    targets = SightTargets(there.cells, there.points, there.places)
    common = (links, looking, targets, own, pairs)
    bands = pool.bands(len(seen), seen.size // _PAIRS_PER_THREAD)
    pool.run([(kernels.sight.sees.sees_places, (*common, *band, seen)) for band in bands])
    return seen
