"""Areas of a space, and the choke points between them."""

from __future__ import annotations

import heapq
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.kernels.shared.arrays import Bools, Floats, Ints, read_only
from fieldcraft.space import Graph, Grid, HexGrid, Space, checked_space
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.components import by_area
from fieldcraft.space.csr import runs, starts_of
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.mesh.portals import portals_of
from fieldcraft.space.wrapping import box_of, within_period

_WALL = -1
_OPEN = -2  # A cell that belongs to no area yet.
_AROUND = (9, 27)  # Widths are added up in squares of so many cells.
_BITS = 28  # A sum over the larger of these squares, for two cells, has fewer.
_USUAL_SMALLEST = 20  # The smallest area has so many cells of the median size.


@dataclass(frozen=True, eq=False)
class ChokePoint:
    """A narrow place between two areas.

    Attributes
    ----------
    areas : tuple of int
        The numbers of the two areas, the lower first.
    cells : ndarray of int64
        Cells of one area beside the other, (K,): with walls there the place is closed.
    position : ndarray of float64
        The center of the cell in the middle, (2,) or (3,).
    width : float
        World units from wall to wall; on a mesh the length of the sides between the areas, on
        waypoints 0.
    """

    areas: tuple[int, int]
    cells: Ints
    position: Floats
    width: float

    def __repr__(self) -> str:
        one, other = self.areas
        return f"<ChokePoint between areas {one} and {other}, width {self.width:g}>"


@dataclass(frozen=True, eq=False)
class ChokePoints(Suggesting):
    """The areas of a space and the choke points between them; made by `choke_points`.

    Attributes
    ----------
    areas : ndarray of int32
        The number of the area of each cell, in the space's shape: 0 for the largest, -1 in walls.
    points : tuple of ChokePoint
        The choke points, the widest first.
    """

    space: Space
    areas: NDArray[np.int32]
    points: tuple[ChokePoint, ...]

    def area_at(self, positions: ArrayLike) -> int | Ints:
        """Return the numbers of the areas at positions: an int for one, (N,) for many.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions; those off the map count as in the nearest cell.
        """
        cells = self.space.cell_at(positions, outside="clamp")
        found = self.areas.reshape(-1)[cells]
        if isinstance(cells, int):
            return int(found)
        return found.astype(np.int64)

    def __repr__(self) -> str:
        return (
            f"<ChokePoints: {int(self.areas.max(initial=-1)) + 1} areas, {len(self.points)} points>"
        )


def choke_points(
    space: Space,
    *,
    narrowing: float = 0.7,
    smallest: float | None = None,
) -> ChokePoints:
    """Return the areas of a space and the choke points between them, such as doors, ramps and
    passes.

    Steps are as wide as the ground there is from wall to wall. Cells are joined along the widest
    steps first, and two areas stay apart where a step is narrow for both of them. Every open cell
    belongs to an area. A path from one area to another leads through the `cells` of a choke point
    between these two, or to a cell beside them.

    Widths are often equal. On a grid the step with more room around it then comes first, and of
    areas the larger one, so that a map that is rolled over joined edges nearly always has the same
    areas. Where all of that is equal, and for the cell in the middle of a choke point, by which its
    `width` is measured, the lower cell counts; so it does for equally wide steps on other spaces.

    On a mesh steps are as wide as the sides that they cross. Waypoints have no width; there choke
    points are bridges: edges that alone connect what is on both sides.

    Parameters
    ----------
    space : Grid, HexGrid, Graph or Mesh
        The map, with its walls as they are now.
    narrowing : float
        A place is narrow if it is less than this many times as wide as both areas at their
        widest, from 0 to 1.
    smallest : float, optional
        Least size of an area, in square world units, on waypoints in vertices; by default 20 times
        the median of all cells. Smaller ones are joined with the area over the widest choke point
        beside them.

    Raises
    ------
    InvalidValue
        If an argument does not fit.

    References
    ----------
    L. Perkins, "Terrain Analysis in Real-Time Strategy Games: An Integrated Approach to Choke Point
    Detection and Region Decomposition", AIIDE 2010.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> rooms = fc.Grid(walls=[[0, 0, 0, 0, 1, 0, 0, 0, 0],
    ...                        [0, 0, 0, 0, 1, 0, 0, 0, 0],
    ...                        [0, 0, 0, 0, 0, 0, 0, 0, 0],
    ...                        [0, 0, 0, 0, 1, 0, 0, 0, 0],
    ...                        [0, 0, 0, 0, 1, 0, 0, 0, 0]])
    >>> found = fc.query.choke_points(rooms)
    >>> found.points
    (<ChokePoint between areas 0 and 1, width 1>,)
    >>> found.areas[2]
    array([0, 0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
    """
    checked_space(space, "Areas lie on")
    share = checks.fraction("narrowing", narrowing)
    if smallest is None:
        least = 0.0
        if len(space):
            least = _USUAL_SMALLEST * float(np.median(space.areas))
    else:
        least = checks.not_negative("smallest", smallest)
    steps = _both_directions(space)
    ground = _ground_of(space, steps)
    origins, ends, widths = ground.ordered()
    parents = np.arange(len(space), dtype=np.int64)
    peaks = ground.peaks.copy()
    between = np.zeros(len(origins), dtype=np.bool_)
    kernels.values.narrow_places.flood(origins, ends, widths, share, parents, peaks, between)
    pairs = np.stack([parents[origins[between]], parents[ends[between]]], axis=1)
    numbers = _joined(space, ground.peaks, parents, pairs, widths[between], least)
    numbers = ground.by_cores(numbers)
    areas = numbers.astype(np.int32).reshape(space.shape)
    return ChokePoints(space, read_only(areas), tuple(ground.points(numbers)))


def _both_directions(space: Space) -> Adjacency:
    """Return the steps of a space in both directions, each once."""
    steps = space.adjacency
    if isinstance(space, HexGrid) and space.terrain is None:
        return steps
    if isinstance(space, Grid):
        is_plain = space.terrain is None or space.terrain.is_plain
        if is_plain and (space.neighborhood.is_four or space.neighborhood.is_eight):
            return steps
    count = len(space)
    origins = np.concatenate([steps.origins, steps.ends])
    ends = np.concatenate([steps.ends, steps.origins])
    keys = np.unique(origins[origins != ends] * count + ends[origins != ends])
    origins, ends = np.divmod(keys, max(count, 1))
    starts = np.searchsorted(origins, np.arange(count + 1))
    away = space.shortest_vectors(space.positions[ends] - space.positions[origins])
    return Adjacency(starts, ends.astype(np.int32), np.sqrt((away**2).sum(axis=1)))


def _joined(
    space: Space, peaks: Floats, parents: Ints, pairs: Ints, widths: Floats, least: float
) -> Ints:
    """Return the number of the area of each cell, 0 for the largest, after areas below the least
    size are joined with the neighbor over the widest step; -1 in walls.

    Of equals the larger area comes first, then that whose cells are wider.
    """
    opened = ~space.walls.reshape(-1)
    sizes = np.bincount(parents[opened], weights=space.areas[opened], minlength=len(space))
    sums = np.bincount(parents[opened], weights=peaks[opened], minlength=len(space))
    breadths = np.round(sums, 6)  # without what the order of cells adds to sums
    beside: dict[int, dict[int, float]] = {}
    # The widest step of each pair comes first, as steps are in that order.
    _, first = np.unique(pairs[:, 0] * len(space) + pairs[:, 1], return_index=True)
    for (a, b), width in zip(pairs[first].tolist(), widths[first].tolist(), strict=True):
        for one, other in ((a, b), (b, a)):
            known = beside.setdefault(one, {})
            known[other] = max(known.get(other, 0.0), width)
    joined_to = np.arange(len(space))
    waiting = [(float(sizes[a]), float(breadths[a]), a) for a in sorted(beside) if sizes[a] < least]
    heapq.heapify(waiting)
    while waiting:
        size, _, small = heapq.heappop(waiting)
        near = beside.get(small)
        if not near or size != sizes[small]:
            continue
        large = max(near, key=lambda other: (near[other], sizes[other], breadths[other], -other))
        joined_to[small] = large
        sizes[large] += sizes[small]
        breadths[large] = round(float(breadths[large] + breadths[small]), 6)
        for other, width in beside.pop(small).items():
            del beside[other][small]
            if other != large:
                beside[other][large] = max(beside[other].get(large, 0.0), width)
                beside[large][other] = beside[other][large]
        if sizes[large] < least:
            heapq.heappush(waiting, (float(sizes[large]), float(breadths[large]), large))
    while (joined_to[joined_to] != joined_to).any():
        joined_to = joined_to[joined_to]
    first_cells, numbers = np.unique(joined_to[parents[opened]], return_inverse=True)
    ranks = np.empty(len(first_cells), dtype=np.int64)
    order = np.lexsort((first_cells, -breadths[first_cells], -sizes[first_cells]))
    ranks[order] = np.arange(len(first_cells))
    found = np.full(len(space), _WALL, dtype=np.int64)
    found[opened] = ranks[numbers]
    return found


class _Ground(ABC):
    """The widths of a space: `peaks` of cells, and those of steps in both directions."""

    peaks: Floats

    def __init__(self, space: Space, steps: Adjacency) -> None:
        self.space = space
        self.steps = steps
        self.origins = steps.origins
        self.ends = steps.ends.astype(np.int64)

    def step_widths(self) -> Floats:
        """Return the width of each step, (A,)."""
        return np.minimum(self.peaks[self.origins], self.peaks[self.ends])

    def ordered(self) -> tuple[Ints, Ints, Floats]:
        """Return the origins, ends and widths of steps, in one direction, the widest first."""
        once = np.flatnonzero(self.origins < self.ends)
        origins = self.origins[once]
        ends = self.ends[once]
        order = self._widest_first(origins, ends, once)
        return origins[order], ends[order], self.step_widths()[once[order]]

    def _widest_first(self, origins: Ints, ends: Ints, steps: Ints) -> Ints:
        """Return the order of some steps, the widest first."""
        return np.argsort(-self.step_widths()[steps], kind="stable")

    def by_cores(self, numbers: Ints) -> Ints:
        """Return the number of the area of each cell, 0 for the largest: that of the nearest core.
        Cores are the cells that are wider than all steps that lead from their area to others.

        Borders then run halfway between cores, across narrow places. By the widths of steps alone
        they would follow walls.
        """
        count = len(numbers)
        ours = numbers[self.origins]
        crossing = ours != numbers[self.ends]
        narrow = np.full(count + 1, -1.0)
        np.maximum.at(narrow, ours[crossing], self.step_widths()[crossing])
        has_border = narrow[numbers] >= 0
        found = numbers.copy()
        found[(numbers >= 0) & has_border & (self.peaks <= narrow[numbers])] = _OPEN
        heap = (np.empty(len(self.ends) + 1), np.empty(len(self.ends) + 1, dtype=np.int32))
        distances = np.full(count, np.inf)
        steps = self.steps
        kernels.values.narrow_places.extend(
            steps.starts, steps.ends, steps.lengths, found, distances, heap
        )
        return by_area(self.space.areas, found)

    @abstractmethod
    def widths_of(self, sides: _Sides, middles: Ints) -> Floats:
        """Return the width of each place; `middles` (K, 2) are the cells in the middle of both
        sides.
        """

    def points(self, numbers: Ints) -> list[ChokePoint]:
        """Return the choke points between areas, the widest first."""
        sides = self._sides(numbers)
        if not sides.count:
            return []
        # Each place has two sides, one after the other.
        side_numbers = sides.places * 2 + sides.is_second
        order = np.argsort(side_numbers, kind="stable")
        side_numbers = side_numbers[order]
        by_side = sides.cells[order]
        bounds = starts_of(side_numbers, 2 * sides.count)
        both = self._middles(side_numbers, by_side, 2 * sides.count).reshape(-1, 2)
        widths = self.widths_of(sides, both)
        # The side with fewer cells, of equals the narrower one.
        counts = np.diff(bounds).reshape(-1, 2)
        breadths = self.peaks[both]
        is_equal = counts[:, 1] == counts[:, 0]
        is_narrower = breadths[:, 1] < breadths[:, 0]
        takes_second = (counts[:, 1] < counts[:, 0]) | (is_equal & is_narrower)
        chosen = 2 * np.arange(sides.count) + takes_second
        middles = both.reshape(-1)[chosen]
        positions = self.space.position_of(middles)
        found = [
            ChokePoint(
                (int(sides.areas[k, 0]), int(sides.areas[k, 1])),
                by_side[bounds[chosen[k]] : bounds[chosen[k] + 1]],
                positions[k],
                float(widths[k]),
            )
            for k in range(sides.count)
        ]
        return [found[k] for k in np.lexsort((middles, -widths)).tolist()]

    def _sides(self, numbers: Ints) -> _Sides:
        """Return the cells on both sides of the borders between areas, by place: where cells of
        two areas touch each other there is one.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        count = len(numbers)
        ours = numbers[self.origins]
        theirs = numbers[self.ends]
        crossing = np.flatnonzero((ours != theirs) & (ours >= 0) & (theirs >= 0))
        first = np.minimum(ours, theirs)[crossing]
        second = np.maximum(ours, theirs)[crossing]
        pairs, which = np.unique(first * count + second, return_inverse=True)
        # A node is a cell on the border of a pair of areas.
        nodes = np.unique(which * count + self.origins[crossing])
        of_pair, cells = np.divmod(nodes, max(count, 1))
        degrees = self.steps.starts[cells + 1] - self.steps.starts[cells]
        beside = self.ends[runs(self.steps.starts[cells], degrees)]
        keys = np.repeat(of_pair, degrees) * count + beside
        at = np.minimum(np.searchsorted(nodes, keys), max(len(nodes) - 1, 0))
        joined = nodes[at] == keys
        links = (np.repeat(np.arange(len(nodes)), degrees)[joined], at[joined])
        number, places = connected_components(
            coo_array((np.ones(len(links[0]), dtype=np.int8), links), shape=(len(nodes),) * 2),
            directed=False,
        )
        areas = np.zeros((number, 2), dtype=np.int64)
        areas[places] = np.stack(np.divmod(pairs[of_pair], max(count, 1)), axis=1)
        order = np.lexsort((cells, places))
        places = places[order].astype(np.int64)
        cells = cells[order]
        return _Sides(number, areas, places, cells, numbers[cells] != areas[places, 0])

    def _middles(self, places: Ints, cells: Ints, count: int) -> Ints:
        """Return the widest cell of each place, of equals the one nearest to their mean."""
        space = self.space
        first = cells[starts_of(places, count)[:-1]]
        base = space.position_of(first)[places]
        away = space.shortest_vectors(space.position_of(cells) - base)
        sizes = np.bincount(places, minlength=count)
        distance = np.zeros(len(cells))
        for axis in away.T:
            mean = np.bincount(places, axis, count) / sizes
            distance += (axis - mean[places]) ** 2
        order = np.lexsort((cells, np.round(distance, 9), -self.peaks[cells], places))
        return cells[order[starts_of(places, count)[:-1]]]


@dataclass(frozen=True, eq=False)
class _Sides:
    """The cells on both sides of borders between areas, by place and ascending: of each the number
    of its place and whether it is in the second of the place's two areas, which are `areas` (K, 2).
    """

    count: int
    areas: Ints
    places: Ints
    cells: Ints
    is_second: Bools


class _OnGrid(_Ground):
    """Squares: a cell is as wide as twice the distance to the nearest wall or border."""

    def __init__(self, space: Grid, steps: Adjacency) -> None:
        from scipy import ndimage  # loading it takes longer than all of `import fieldcraft`

        super().__init__(space, steps)
        self._grid = space
        height, width = space.shape
        # Along axes that wrap the map is in the middle of its copies, else between walls.
        first_row = 1
        first_column = 1
        walls = space.walls
        if space.wraps_x:
            first_column = width
            walls = np.tile(walls, (1, 3))
        else:
            walls = np.pad(walls, ((0, 0), (1, 1)), constant_values=True)
        if space.wraps_y:
            first_row = height
            walls = np.tile(walls, (3, 1))
        else:
            walls = np.pad(walls, ((1, 1), (0, 0)), constant_values=True)
        if walls.any():
            far = ndimage.distance_transform_edt(~walls)
        else:
            far = np.full(walls.shape, float(height + width))
        rows = slice(first_row, first_row + height)
        columns = slice(first_column, first_column + width)
        self._far = far[rows, columns].reshape(-1)
        self.peaks = np.maximum(2 * self._far - 1, 0) * space.cell_size

    def _widest_first(self, origins: Ints, ends: Ints, steps: Ints) -> Ints:
        """See `_Ground._widest_first`; whole numbers of 16 bits are sorted ten times as fast.
        Widths of more than 500 cells count as equal. Of equally wide steps that comes first which
        has more room around it, wherever it is on the map.
        """
        squares = np.minimum(np.rint(self._far**2), 65_535).astype(np.uint16)
        clearance = self._clearance(squares)
        order = np.argsort(-(clearance[origins] + clearance[ends]), kind="stable")
        keys = 65_535 - np.minimum(squares[origins], squares[ends])[order]
        return order[np.argsort(keys, kind="stable")]

    def _clearance(self, squares: NDArray[np.uint16]) -> Ints:
        """Return how wide the ground around each cell is, near it and, of equals, farther off. Sums
        of whole numbers do not depend on their order.
        """
        from scipy import ndimage

        space = self._grid
        clearance = np.zeros(space.shape, dtype=np.int64)
        for size in _AROUND:
            sums = squares.astype(np.int64).reshape(space.shape)
            for axis, wraps in enumerate((space.wraps_y, space.wraps_x)):
                mode = "wrap" if wraps else "constant"
                sums = ndimage.convolve1d(sums, np.ones(size, dtype=np.int64), axis, mode=mode)
            clearance = (clearance << _BITS) + sums
        return clearance.reshape(-1)

    def widths_of(self, sides: _Sides, middles: Ints) -> Floats:
        """See `_Ground.widths_of`: the shorter line from wall to wall over the two cells."""
        across = np.empty(middles.size)
        cells = middles.reshape(-1)
        walls = read_only(self._grid.walls)
        wrap = self._grid.wrap_flags
        kernels.values.narrow_places.across(walls, cells, self._far[cells], wrap, across)
        widths = across.reshape(-1, 2).min(axis=1) - 1
        return np.asarray(widths * self._grid.cell_size)


class _OnHexagons(_Ground):
    """Hexagons: a cell is as wide as twice the distance to the nearest wall or border."""

    def __init__(self, space: HexGrid, steps: Adjacency) -> None:
        from scipy.spatial import cKDTree

        super().__init__(space, steps)
        step = space.layout.step
        opened = np.flatnonzero(~space.walls.reshape(-1))
        turn = 0.0 if space.layout.pointy else math.pi / 6
        angles = turn + np.arange(6) * math.pi / 3
        units = step * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        beside = (space.position_of(opened)[:, np.newaxis] + units).reshape(-1, 2)
        beside = space.wrapped(beside)
        cells = np.asarray(space.cell_at(beside, outside="clamp"))
        away = space.shortest_vectors(space.position_of(cells) - beside)
        is_there = np.hypot(away[:, 0], away[:, 1]) < step / 4
        blocked = beside[~is_there | space.walls.reshape(-1)[cells]]
        self._step = step
        self._blocked = np.unique(np.round(blocked, 9), axis=0)
        self._tree = None
        self.peaks = np.zeros(len(space))
        if len(blocked):
            self._tree = cKDTree(self._local(self._blocked), boxsize=box_of(space.period))
            far = self._tree.query(self._local(space.position_of(opened)))[0]
            self.peaks[opened] = np.maximum(2 * far - step, 0)
        else:
            self.peaks[opened] = float(np.ptp(space.extent, axis=0).sum())

    def _local(self, places: Floats) -> Floats:
        """Return positions as the tree takes them: along axes that wrap from 0 up to the period."""
        if self.space.period is None:
            return places
        return within_period(places - self.space.extent[0], self.space.period)

    def widths_of(self, sides: _Sides, middles: Ints) -> Floats:
        """See `_Ground.widths_of`: the shorter line from wall to wall over the two cells."""
        across = np.array([self._width_at(cell) for cell in middles.reshape(-1).tolist()])
        return np.asarray(across.reshape(-1, 2).min(axis=1))

    def _width_at(self, cell: int) -> float:
        """Return the length of the line from the nearest wall over a cell to the wall opposite."""
        wide = float(self.peaks[cell])
        if self._tree is None:
            return wide
        center = self.space.position_of(cell)
        reach = 1.5 * wide + 3 * self._step
        near = self._tree.query_ball_point(self._local(center[np.newaxis])[0], reach)
        walls = self.space.shortest_vectors(self._blocked[sorted(near)] - center)
        away = np.hypot(walls[:, 0], walls[:, 1])
        nearest = int(np.argmin(away))
        is_opposite = walls @ walls[nearest] < -0.5 * away * away[nearest]
        if not is_opposite.any():
            return wide
        away[~is_opposite] = np.inf
        return float(np.hypot(*(walls[nearest] - walls[int(np.argmin(away))]))) - self._step


class _OnMesh(_Ground):
    """Polygons: steps are as wide as the sides that they cross."""

    def __init__(self, space: Graph, steps: Adjacency) -> None:
        super().__init__(space, steps)
        portals, _ = portals_of(space)
        sides = portals.sides
        lengths = np.hypot(sides[:, 2] - sides[:, 0], sides[:, 3] - sides[:, 1])
        polygons = np.repeat(np.arange(len(portals.starts) - 1), np.diff(portals.starts))
        count = len(space)
        inside = (polygons < count) & (portals.ends < count)
        keys, numbers = np.unique(
            polygons[inside] * count + portals.ends[inside], return_inverse=True
        )
        # The last one stands for steps that cross no side.
        widths = np.zeros(len(keys) + 1)
        np.maximum.at(widths, numbers, lengths[inside])
        wanted = self.origins * count + self.ends
        at = np.searchsorted(keys, wanted)
        crosses = np.append(keys, -1)[at] == wanted
        self._widths = widths[np.where(crosses, at, len(keys))]
        self.peaks = np.zeros(count)
        np.maximum.at(self.peaks, self.origins, self._widths)

    def step_widths(self) -> Floats:
        """See `_Ground.step_widths`."""
        return self._widths

    def widths_of(self, sides: _Sides, middles: Ints) -> Floats:
        """See `_Ground.widths_of`: the lengths of the sides between both areas."""
        widths = np.zeros(sides.count)
        for place in range(sides.count):
            own = sides.places == place
            second = sides.is_second[own]
            cells = sides.cells[own]
            across = np.isin(self.origins, cells[~second]) & np.isin(self.ends, cells[second])
            widths[place] = self._widths[across].sum()
        return widths


class _OnWaypoints(_Ground):
    """Waypoints: edges that alone connect what is on both sides have no width, others 1."""

    def __init__(self, space: Space, steps: Adjacency) -> None:
        super().__init__(space, steps)
        count = len(space)
        bridges = np.zeros(len(steps.ends), dtype=np.bool_)
        order = np.full(count + 1, -1, dtype=np.int64)
        low = order.copy()
        stack = order.copy()
        nexts = order.copy()
        kernels.values.narrow_places.bridges(
            steps.starts, steps.ends, bridges, order, low, stack, nexts
        )
        self._widths = np.where(bridges, 0.0, 1.0)
        # A vertex at the end of bridges only is as narrow as these.
        self.peaks = np.zeros(count)
        np.maximum.at(self.peaks, self.origins, self._widths)

    def step_widths(self) -> Floats:
        """See `_Ground.step_widths`."""
        return self._widths

    def widths_of(self, sides: _Sides, middles: Ints) -> Floats:
        """See `_Ground.widths_of`."""
        return np.zeros(sides.count)


def _ground_of(space: Space, steps: Adjacency) -> _Ground:
    """Return the widths of a space."""
    if isinstance(space, Grid):
        return _OnGrid(space, steps)
    if isinstance(space, HexGrid):
        return _OnHexagons(space, steps)
    graph: Any = graph_of(space)
    if graph.mesh is not None:
        return _OnMesh(graph, steps)
    return _OnWaypoints(space, steps)
