"""Obstacles of moves between positions, on grids and meshes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Bytes, read_only
from fieldcraft.kernels.shared.polygons import Polygons
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.csr import runs, starts_of
from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.graph.topology import Topology
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.grid.neighborhood import Terrain, beside
from fieldcraft.space.mesh.mesh import Mesh
from fieldcraft.space.mesh.portals import portals_of

EAST = 1
WEST = 2
NORTH = 4
SOUTH = 8
NORTH_EAST = 16
NORTH_WEST = 32
SOUTH_EAST = 64
SOUTH_WEST = 128
WALL = 255

_SIDES = ((EAST, 1, 0), (WEST, -1, 0), (NORTH, 0, 1), (SOUTH, 0, -1))
_CORNERS = (
    (NORTH_EAST, 0, 2),
    (NORTH_WEST, 1, 2),
    (SOUTH_EAST, 0, 3),
    (SOUTH_WEST, 1, 3),
)  # and their places in _SIDES

_MOST_RINGS = 8


@cached_until_walls_change
def passages(space: Grid) -> Bytes:
    """Return the sides and corners of each cell that are blocked: uint8 of shape (height, width),
    read-only.

    Row 0 holds the smallest y, for either value of `y_up`: `floor((y - origin_y) / cell_size)`.
    North is where y grows. A side is blocked if a wall, the border or the terrain is in the way. A
    corner is blocked if both sides at it are open, but a side behind it is not: agents with a width
    touch it. A wall is `WALL`.

    Raises
    ------
    InvalidValue
        For a grid with `corners="cut"`: straight moves between positions can't pass between two
        walls.
    """
    if space.corners == "cut":
        raise InvalidValue(
            "Agents that move from position to position cut no corners",
            got="a grid with corners='cut'",
            remedy='Move them on a grid with corners="never" or "if-one-open", or from cell to cell'
            " by distances.step",
        )
    turn = slice(None, None, -1 if space.y_up else 1)
    if space.terrain is None:
        classes = None
    else:
        classes = space.terrain.classes[turn]
    return read_only(_blocked(space.walls[turn], classes, space.terrain, space.wrap))


@cached_until_walls_change
def _clear_cells(space: Grid) -> dict[int, Bytes]:
    """Return the cache of `clear_cells`, by the number of rings."""
    return {}


def clear_cells(space: Grid, rings: int) -> Bytes:
    """Return 1 for cells without obstacles in them and in the `rings` around them, else 0: uint8 of
    shape (height, width), rows as in `passages`.

    Kernels skip the search for walls there. All cells are 0 where there are too many rings to save
    time.
    """
    cache = _clear_cells(space)
    if rings not in cache:
        busy = passages(space) != 0
        if rings > _MOST_RINGS:
            busy[:] = True
        else:
            for dx, dy in ((1, 0), (0, 1)):
                steps = [(dx * k, dy * k) for k in range(-rings, rings + 1)]
                near = [beside(busy, *step, False, space.wrap) for step in steps]
                busy = np.logical_or.reduce(near)
        cache[rings] = read_only((~busy).astype(np.uint8))
    return cache[rings]


def _blocked(
    walls: NDArray[np.bool_], classes: Bytes | None, terrain: Terrain | None, wrap: bool
) -> Bytes:
    blocked = []
    found = np.zeros(walls.shape, dtype=np.uint8)
    for bit, dx, dy in _SIDES:
        side = beside(walls, dx, dy, True, wrap)
        if terrain is not None and classes is not None:
            side = side | ~terrain.enter[classes, beside(classes, dx, dy, 0, wrap)]
        blocked.append(side)
        found |= side * np.uint8(bit)
    for bit, across, along in _CORNERS:
        first = beside(blocked[along], *_SIDES[across][1:], True, wrap)
        second = beside(blocked[across], *_SIDES[along][1:], True, wrap)
        found |= (~blocked[across] & ~blocked[along] & (first | second)) * np.uint8(bit)
    found[walls] = WALL
    return found


@dataclass(frozen=True, eq=False)
class WalkPortals:
    """The portals of each polygon of a mesh, without regard to what is blocked.

    The portals of polygon p are `starts[p]` up to `starts[p + 1]`. `sides` (K, 4) are pieces of its
    sides, from u to v with the inside on the left, `behind` (K,) the polygons behind them, and
    `arcs` (K,) the arcs that lead there, -1 for none. `leaps` (K,) marks portals over a gap: a jump
    or a drop.
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


_portals_of: WeakKeyDictionary[Topology, tuple[Mesh, WalkPortals]] = WeakKeyDictionary()


@cached_until_walls_change
def floors_of(graph: Graph) -> Floors:
    """Return the floors of a graph with a mesh, with its current walls and edges."""
    assert graph.mesh is not None
    known = _portals_of.get(graph.topology)
    if known is None or known[0] is not graph.mesh:
        known = _portals_of[graph.topology] = (graph.mesh, _built(graph, graph.mesh))
    portals = known[1]
    blocked = (
        np.append(graph.blocked_arcs, True)[portals.arcs] | graph.walls[portals.behind]
    )  # the last stands for an arc that there is not
    blocked.flags.writeable = False
    return Floors(portals, blocked)


def _built(graph: Graph, mesh: Mesh) -> WalkPortals:
    portals, _ = portals_of(graph)
    count = len(graph)
    topology = graph.topology
    inside = np.repeat(np.arange(count), np.diff(portals.starts[: count + 1]))
    behind = portals.ends[: len(inside)].astype(np.int64)
    leaps = behind >= count
    # What fills a gap has the polygons on its two sides behind its own portals.
    fills = portals.starts[behind[leaps]]
    both = np.stack(
        [portals.ends[fills], portals.ends[np.minimum(fills + 1, len(portals.ends) - 1)]], axis=1
    ).astype(np.int64)
    behind[leaps] = np.where(both[:, 0] == inside[leaps], both[:, 1], both[:, 0])
    arcs = topology.arcs_between(inside, behind)
    middles = np.ascontiguousarray(mesh.centers[:, :2])
    # Arcs that no portal stands for are leapt along from the side that one meets on the way from
    # middle to middle.
    rest = np.setdiff1d(np.arange(len(topology.origins)), arcs)
    here = topology.origins[rest].astype(np.int64)
    there = topology.ends[rest].astype(np.int64)
    facing = _facing(portals.corners, portals.rings, here, middles[there] - middles[here])
    inside = np.concatenate([inside, here])
    behind = np.concatenate([behind, there])
    arcs = np.concatenate([arcs, rest])
    sides = np.concatenate([portals.sides[: len(leaps)], facing])
    leaps = np.concatenate([leaps, np.ones(len(rest), dtype=np.bool_)])
    # Where one can walk or leap from a place, one walks.
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
