"""The polygons of a mesh as agents walk on them: portals between them, and which are blocked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.shared.polygons import Polygons
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.csr import runs, starts_of
from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.graph.topology import Topology
from fieldcraft.space.mesh.mesh import Mesh
from fieldcraft.space.mesh.portals import portals_of


@dataclass(frozen=True, eq=False)
class WalkPortals:
    """The portals of each polygon of a mesh, without regard to what is blocked.

    The portals of polygon p are `starts[p]` up to `starts[p + 1]`. `sides` (K, 4) are pieces of its
    sides, from u to v with the inside on the left, `behind` (K,) the polygons behind them, and
    `arcs` (K,) the arcs that lead there, -1 for none. `leaps` (K,) marks portals over a gap: a jump
    or a drop.

    The corners of polygon p, in order with the inside on the left, are `rings` (R, 2) from
    `corners[p]` up to `corners[p + 1]`, its center is `middles[p]`, and its triangles begin at
    `fans[p]`.
    """

    starts: NDArray[np.int64]
    behind: NDArray[np.int32]
    sides: NDArray[np.float64]
    leaps: NDArray[np.bool_]
    arcs: NDArray[np.int64]
    corners: NDArray[np.int64]
    rings: NDArray[np.float64]
    middles: NDArray[np.float64]
    fans: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Floors:
    """The polygons of a mesh as they can be walked on now: `blocked` (K,) marks portals without an
    open edge.
    """

    portals: WalkPortals
    blocked: NDArray[np.bool_]

    @cached_property
    def mesh(self) -> Polygons:
        """The polygons and their portals, as kernels take them."""
        portals = self.portals
        return Polygons(
            starts=portals.corners,
            rings=portals.rings,
            gates=portals.starts,
            behind=portals.behind,
            sides=portals.sides,
            blocked=self.blocked,
            leaps=portals.leaps,
        )

    @cached_property
    def on_foot(self) -> Polygons:
        """`mesh` with the portals over gaps blocked."""
        return self.mesh._replace(blocked=read_only(self.blocked | self.portals.leaps))


_walk_portals: WeakKeyDictionary[Topology, tuple[Mesh, WalkPortals]] = WeakKeyDictionary()


@cached_until_walls_change
def floors_of(graph: Graph) -> Floors:
    """Return the floors of a graph with a mesh, with its current walls and edges."""
    assert graph.mesh is not None
    known = _walk_portals.get(graph.topology)
    if known is None or known[0] is not graph.mesh:
        known = (graph.mesh, _walk_portals_of(graph, graph.mesh))
        _walk_portals[graph.topology] = known
    portals = known[1]
    blocked_arcs = np.append(graph.blocked_arcs, True)  # the last is for -1, no arc
    blocked = blocked_arcs[portals.arcs] | graph.walls[portals.behind]
    blocked.flags.writeable = False
    return Floors(portals, blocked)


def _walk_portals_of(graph: Graph, mesh: Mesh) -> WalkPortals:
    """Return the portals of each polygon, from those of sight and the arcs that have none."""
    portals, _ = portals_of(graph)
    count = len(graph)
    topology = graph.topology
    inside = np.repeat(np.arange(count), np.diff(portals.starts[: count + 1]))
    behind = portals.ends[: len(inside)].astype(np.int64)
    leaps = behind >= count
    # The polygon that fills a gap has two portals, to the polygons on both sides of the gap.
    fills = portals.starts[behind[leaps]]
    second = np.minimum(fills + 1, len(portals.ends) - 1)
    both = np.stack([portals.ends[fills], portals.ends[second]], axis=1).astype(np.int64)
    behind[leaps] = np.where(both[:, 0] == inside[leaps], both[:, 1], both[:, 0])
    arcs = topology.arcs_between(inside, behind)
    middles = np.ascontiguousarray(mesh.centers[:, :2])
    # Agents leap along the other arcs, from the side that faces the center of the other polygon.
    rest = np.setdiff1d(np.arange(len(topology.origins)), arcs)
    here = topology.origins[rest].astype(np.int64)
    there = topology.ends[rest].astype(np.int64)
    facing = _facing(portals.corners, portals.rings, here, middles[there] - middles[here])
    inside = np.concatenate([inside, here])
    behind = np.concatenate([behind, there])
    arcs = np.concatenate([arcs, rest])
    sides = np.concatenate([portals.sides[: len(leaps)], facing])
    leaps = np.concatenate([leaps, np.ones(len(rest), dtype=np.bool_)])
    # Portals to walk through come first, since agents take the first portal at a place.
    order = np.lexsort((leaps, inside))
    starts = starts_of(inside, count)
    fans = mesh.starts - 2 * np.arange(len(mesh.starts))
    arrays = (
        starts,
        behind[order].astype(np.int32),
        np.ascontiguousarray(sides[order]),
        leaps[order],
        arcs[order],
        portals.corners,
        portals.rings,
        middles,
        fans,
    )
    return WalkPortals(*(read_only(array) for array in arrays))


def _facing(
    corners: NDArray[np.int64],
    rings: NDArray[np.float64],
    polygons: NDArray[np.int64],
    directions: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the side of each polygon that faces a direction most, (K, 4)."""
    if not len(polygons):
        return np.empty((0, 4))
    sizes = corners[polygons + 1] - corners[polygons]
    starts = runs(corners[polygons], sizes)
    first = np.cumsum(sizes) - sizes
    ends = starts + 1
    ends[first + sizes - 1] = corners[polygons]
    along = rings[ends] - rings[starts]
    lengths = np.hypot(along[:, 0], along[:, 1])
    direction = np.repeat(directions, sizes, axis=0)
    outwards = (direction[:, 0] * along[:, 1] - direction[:, 1] * along[:, 0]) / np.where(
        lengths > 0, lengths, np.inf
    )
    order = np.lexsort((-outwards, np.repeat(np.arange(len(polygons)), sizes)))
    side = order[first]
    return np.concatenate([rings[starts[side]], rings[ends[side]]], axis=1)
