"""Shortest and straightened paths through the portals of a mesh, seen from above."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.kernels.paths.any_angle_arrays import PathPortals, PortalBlocks
from fieldcraft.kernels.shared.arrays import Floats, Ints, read_only
from fieldcraft.paths.cost import CellCosts
from fieldcraft.paths.path import Path
from fieldcraft.space import Space
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.mesh.floors import Floors, floors_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class OpenPortals:
    """The open portals of a mesh, by the polygon that they lead out of.

    The portals of polygon p are `starts[p]` up to `starts[p + 1]`: `sides` (K, 4) from u to v with
    the polygon on the left, `behind` (K,) the polygon behind, `turns` (K, 2) the numbers of the
    corners at u and v, -1 for corners surrounded by open ground. There are `corners` numbers.
    `blocks` is the tree of blocks of `kernels.paths.any_angle_blocks`. `leaps` is whether there are
    gaps as well, which no straight line crosses.
    """

    starts: Ints
    behind: NDArray[np.int32]
    sides: Floats
    turns: Ints
    blocks: tuple[Ints, Ints, Ints, Ints]
    corners: int
    leaps: bool

    @cached_property
    def mesh(self) -> PathPortals:
        """The portals and their blocks, for `kernels.paths.any_angle`."""
        return PathPortals(self.starts, self.behind, self.sides, self.turns, self.blocks[3])

    @cached_property
    def tree(self) -> PortalBlocks:
        """The tree of blocks, for `kernels.paths.any_angle`."""
        return PortalBlocks(*self.blocks[:3])

    def scratch(self) -> list[Any]:
        """Scratch for one search at a time."""
        return list(
            kernels.paths.any_angle.scratch(self.corners, len(self.behind), len(self.blocks[1]))
        )


@cached_until_walls_change
def open_portals(graph: Graph) -> OpenPortals:
    """Return the open portals of a graph with a mesh, with its current walls and edges."""
    floors = floors_of(graph)
    portals = floors.portals
    inside = np.repeat(np.arange(len(graph)), np.diff(portals.starts))
    passable = ~floors.blocked & ~graph.walls[inside]
    walked = passable & ~portals.leaps
    inside = inside[walked]
    behind = portals.behind[walked]
    sides = np.ascontiguousarray(portals.sides[walked])
    starts = np.zeros(len(graph) + 1, dtype=np.int64)
    np.cumsum(np.bincount(inside, minlength=len(graph)), out=starts[1:])
    turns, corners = _turns(inside, behind.astype(np.int64), sides)
    leaps = bool((passable & portals.leaps).any())
    joined = _matrix(np.append(inside, behind), np.append(behind, inside), len(graph))
    blocks = kernels.paths.any_angle_blocks.blocks(
        starts, behind, joined.indptr.astype(np.int64), joined.indices.astype(np.int64)
    )
    return OpenPortals(
        read_only(starts),
        read_only(behind),
        read_only(sides),
        read_only(turns),
        blocks,
        corners,
        leaps,
    )


def _turns(inside: Ints, behind: Ints, sides: Floats) -> tuple[Ints, int]:
    """Return the numbers of the corners at both ends of portals, (K, 2), -1 where no shortest path
    turns; and the number of corners.

    No path turns at a place that is surrounded by portals in both directions. Ends of portals in
    one place are one corner if such portals join their polygons. So the two sides of a pinch are
    two corners, and so are places above each other.
    """
    from scipy.sparse.csgraph import connected_components

    if not len(inside):
        return np.empty((0, 2), dtype=np.int64), 0
    ends = sides.reshape(-1, 2) + 0.0  # no two zeros
    _, places = np.unique(
        ends.view([("x", np.float64), ("y", np.float64)]).reshape(-1), return_inverse=True
    )
    first, second = places.reshape(-1, 2).T
    polygons = np.concatenate([inside, inside, behind, behind])
    corners = polygons * (int(places.max()) + 1) + np.concatenate([first, second, first, second])
    spots, numbers = np.unique(corners, return_inverse=True)
    size = len(spots)
    from_u, to_v, over_u, over_v = numbers.reshape(4, -1)
    back = np.isin(from_u * size + over_v, over_v * size + from_u)  # portals that lead back as well
    rows = np.concatenate([from_u[back], to_v[back]])
    joined = _matrix(rows, np.concatenate([over_u[back], over_v[back]]), size)
    parts, labels = connected_components(joined, directed=False)
    begun = np.zeros(size, dtype=np.bool_)
    ended = np.zeros(size, dtype=np.bool_)
    begun[from_u[back]] = True
    ended[to_v[back]] = True
    turned = np.zeros(parts, dtype=np.bool_)
    turned[labels[~(begun & ended)]] = True
    numbers = np.where(turned, np.cumsum(turned) - 1, -1)[labels]
    return np.ascontiguousarray(np.stack([numbers[from_u], numbers[to_v]], axis=1)), parts


def _matrix(rows: Ints, columns: Ints, size: int) -> csr_array:
    """Return a sparse matrix with entries in some places."""
    from scipy.sparse import coo_array

    return coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size)).tocsr()


# A place this close to the line between its neighbors, in shares of the line's length, is no bend.
_EVEN_GROUND = 1e-9
# Rounding moves a place no farther out of its polygon, in shares of its size and coordinates.
_RIM = 2e-9


@dataclass(frozen=True, eq=False)
class _String:
    """A string through the portals between some polygons: `portals` (M, 4) as (left, right), and
    its places on them, `at` (M, 2); `bends` (M,) is where it bends.

    `before` (M,) are the polygons before the portals, `behind` (M,) the polygons behind them.
    `ends` (2, 2 or 3) are start and goal.
    """

    cells: Ints
    portals: Floats
    before: Ints
    behind: Ints
    ends: Floats
    at: Floats
    bends: NDArray[np.bool_]

    @property
    def plan(self) -> Floats:
        """The start, the places at the portals and the goal, seen from above, (M + 2, 2)."""
        return np.concatenate([self.ends[:1, :2], self.at, self.ends[1:, :2]])


def pulled(space: Space, cells: Ints, ends: Floats, costs: CellCosts) -> Path:
    """Return the path between two places over these polygons, as straight as their portals allow.

    Over hills, or where cells differ in cost, the path over the middles of the portals replaces it
    if it costs less.
    """
    string = _through(floors_of(graph_of(space)), cells, ends)
    path = _measured(space, string, costs)
    if costs.uniform is not None and space.dimensions == 2:
        return path
    other = _measured(space, _over_middles(string), costs)
    if other.cost < path.cost:
        return other
    return path


def ends_in(space: Space, cells: Ints, places: Floats) -> Floats:
    """Return two places in polygons, (2, 2 or 3): unchanged, or moved to the nearest side from
    outside.
    """
    floors = floors_of(graph_of(space))
    starts = floors.portals.corners
    rings = floors.portals.rings
    inside = np.empty((2, 2))
    given = np.clip(places[:, :2], -checks.LARGEST, checks.LARGEST)
    kernels.agents.mesh_moving.nearest(starts, rings, read_only(cells), read_only(given), inside)
    size = np.array(
        [np.ptp(rings[starts[cell] : starts[cell + 1]], axis=0).max() for cell in cells.tolist()]
    )
    near = np.abs(inside - given).max(axis=1) <= _RIM * (size + np.abs(given).max(axis=1))
    return np.hstack([np.where(near[:, np.newaxis], given, inside), places[:, 2:]])


def _over_middles(string: _String) -> _String:
    """Return the path over the middles of the portals of a string, and straight over gaps."""
    leaps = string.before != string.behind
    leaps[1:] |= leaps[:-1].copy()  # where it lands
    portals = string.portals[~leaps]
    middles = (portals[:, :2] + portals[:, 2:]) / 2
    bends = np.ones(len(portals), dtype=np.bool_)
    return _String(
        string.cells,
        portals,
        string.before[~leaps],
        string.behind[~leaps],
        string.ends,
        middles,
        bends,
    )


def _through(floors: Floors, cells: Ints, ends: Floats) -> _String:
    """Return the string pulled taut through the portals between polygons."""
    most = 2 * len(cells)
    portals = np.empty((most, 4))
    before = np.empty(most, dtype=np.int64)
    behind = np.empty(most, dtype=np.int64)
    count = kernels.agents.mesh_moving.corridor(
        floors.mesh, floors.portals.middles, cells, portals, before, behind
    )
    portals = portals[:count]
    at = np.empty((count, 2))
    bends = np.empty(count, dtype=np.bool_)
    (x, y), (goal_x, goal_y) = ends[:, :2].tolist()
    kernels.paths.graph_search.pull(portals, x, y, goal_x, goal_y, at, bends)
    return _String(cells, portals, before[:count], behind[:count], ends, at, bends)


def _measured(space: Space, string: _String, costs: CellCosts) -> Path:
    """Return the path along a string. Of its places in portals it keeps bends and changes of
    slope.
    """
    graph = graph_of(space)
    cells = string.cells
    plan = string.plan
    within = np.concatenate([cells[:1], string.behind])
    is_bend = np.concatenate([[True], string.bends, [True]])
    places = plan
    if graph.dimensions == 3:
        assert graph.mesh is not None
        heights = np.empty(len(plan))
        before = np.concatenate([cells[:1], string.before, cells[-1:]])
        fans = floors_of(graph).portals.fans
        kernels.agents.mesh_moving.heights(
            fans, graph.mesh.triangles, graph.mesh.corners, read_only(before), plan, heights
        )
        heights[[0, -1]] = string.ends[:, 2]
        places = np.concatenate([plan, heights[:, np.newaxis]], axis=1)
        is_bend |= _bent(places)
    steps = np.sqrt((np.diff(places, axis=0) ** 2).sum(axis=1))
    length = float(steps.sum())
    if costs.uniform is not None:
        cost = length * costs.uniform
    else:
        cost = float((steps * costs.values[within]).sum())  # type: ignore[index]
    at = np.flatnonzero(is_bend)
    again = (places[at[1:]] == places[at[:-1]]).all(axis=1)  # a bend where the one before is
    again[-1] = False
    is_bend[at[1:][again]] = False
    turned = places[is_bend]
    bend_cells = np.append(within, cells[-1])[is_bend]
    turned.flags.writeable = False
    bend_cells.flags.writeable = False
    return Path(space, bend_cells, length, cost, turned)


def _bent(places: Floats) -> NDArray[np.bool_]:
    """Return which places between the first and the last are higher or lower than the straight line
    between their neighbors.
    """
    steps = np.diff(places, axis=0)
    sizes = np.hypot(steps[:, 0], steps[:, 1])
    both = sizes[:-1] + sizes[1:]
    level = places[:-2, 2] + (steps[:-1, 2] + steps[1:, 2]) * sizes[:-1] / np.where(
        both > 0, both, 1.0
    )
    found = np.zeros(len(places), dtype=np.bool_)
    found[1:-1] = np.abs(places[1:-1, 2] - level) > _EVEN_GROUND * (1 + both)
    return found
