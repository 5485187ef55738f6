"""Front lines: the lines between the ground of hostile teams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Grid, HexGrid, Space
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.wrapping import box_of, within_period

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]

_SAME_PLACE = 1e-6  # cells between places that are equal up to rounding


@dataclass(frozen=True, eq=False)
class FrontLine:
    """A line between the ground of two teams.

    Attributes
    ----------
    teams : tuple[str, str]
        The two teams.
    points : ndarray
        World positions in order along the line, (N, 2) or (N, 3); the last is the first again in a
        ring. A single point on a graph without polygons.
    edges : ndarray or None
        The edges of the graph that the line crosses, (K, 2) vertices; None on a grid of squares.
    """

    teams: tuple[str, str]
    points: NDArray[np.float64]
    edges: NDArray[np.int64] | None = None

    @property
    def is_closed(self) -> bool:
        """Whether it is a ring."""
        return len(self.points) > 1 and bool((self.points[0] == self.points[-1]).all())

    @property
    def length(self) -> float:
        """The length along the points, in world units; 0 for a single point."""
        return float(np.sqrt((np.diff(self.points, axis=0) ** 2).sum(axis=1)).sum())

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The line as a GeoJSON geometry, for Shapely and GeoPandas."""
        places = self.points.tolist()
        if len(places) == 1:
            return {"type": "Point", "coordinates": places[0]}
        return {"type": "LineString", "coordinates": places}

    def __repr__(self) -> str:
        return f"<FrontLine {' - '.join(self.teams)}, {len(self.points)} points>"


def front_lines(
    space: Grid,
    names: Sequence[str],
    leader: Numbers,
    presence: Callable[[int], Floats],
    hostile: Callable[[int, int], bool],
) -> list[FrontLine]:
    """Return the lines between cells led by hostile teams, where their `presence` is equal. See
    `Teams.front_lines`.
    """
    seam = ((0, int(space.wraps_y)), (0, int(space.wraps_x)))
    owner = np.pad(leader, seam, mode="wrap")
    lines: list[FrontLine] = []
    for first, second in _neighbors(owner, len(names)):
        if not hostile(first, second):
            continue
        # Exactly the cells of `second` are above 0: of equals the first team leads.
        lead = presence(second) - presence(first)
        mine = (owner == first) | (owner == second)
        drawn = _contours(np.pad(lead, seam, mode="wrap"), mine)
        drawn += _narrow_fronts(space, leader, (first, second), lead, drawn)
        teams = names[first], names[second]
        lines += [FrontLine(teams, _world(space, points)) for points in drawn]
    return lines


def _contours(lead: Floats, mine: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
    """Return the lines where `lead` is 0, over squares and triangles of cells of two teams; points
    are (column, row), as in `_world`.
    """
    import contourpy

    if min(lead.shape) < 2:
        return []
    rows = np.flatnonzero(mine.any(axis=1))
    columns = np.flatnonzero(mine.any(axis=0))
    # A line needs at least two rows and columns.
    top = min(int(rows[0]), lead.shape[0] - 2)
    left = min(int(columns[0]), lead.shape[1] - 2)
    bottom = max(int(rows[-1]), top + 1)
    right = max(int(columns[-1]), left + 1)
    cut = np.s_[top : bottom + 1, left : right + 1]
    found = contourpy.contour_generator(
        z=np.ma.masked_array(lead[cut].astype(np.float64), ~mine[cut]),
        corner_mask=True,
        line_type=contourpy.LineType.Separate,
    ).lines(0.0)
    drawn = []
    for line in found:
        points = np.asarray(line, dtype=np.float64)
        moved = np.concatenate([[True], (np.diff(points, axis=0) != 0).any(axis=1)])
        if moved.sum() > 1:
            drawn.append(points[moved] + (left, top))
    return drawn


def _narrow_fronts(
    space: Grid,
    leader: Numbers,
    teams: tuple[int, int],
    lead: Floats,
    drawn: list[NDArray[np.float64]],
) -> list[NDArray[np.float64]]:
    """Return lines across the steps between two teams that no line crosses yet: in corridors and
    openings one cell wide, which have no square of four cells to draw a contour in.

    Each is as long as a cell is wide, through the place on the step where the teams are equally
    strong: where `lead`, that of the second team, is 0. Points are (column, row), as in `_world`.
    """
    starts, steps = _contacts(space, leader, teams)
    if not len(starts):
        return []
    size = np.array([space.width, space.height])
    ends = starts + steps
    at_start = lead[starts[:, 1], starts[:, 0]].astype(np.float64)
    at_end = lead[ends[:, 1] % size[1], ends[:, 0] % size[0]].astype(np.float64)
    places = starts + (at_start / (at_start - at_end))[:, np.newaxis] * steps
    if drawn:
        from scipy.spatial import cKDTree

        known = np.concatenate(drawn)
        wanted = places
        period = None
        if space.wrap:
            period = np.where([space.wraps_x, space.wraps_y], size, np.inf)
            known = within_period(known, period)
            wanted = within_period(places, period)
        nearest, _ = cKDTree(known, boxsize=box_of(period)).query(wanted)
        missed = nearest > _SAME_PLACE
        places = places[missed]
        steps = steps[missed]
    across = steps[:, ::-1] * (-0.5, 0.5) / np.hypot(*steps.T)[:, np.newaxis]
    return [
        np.stack([place - half, place + half]) for place, half in zip(places, across, strict=True)
    ]


def _contacts(
    space: Grid, leader: Numbers, teams: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the cells (K, 2), (column, row), that two teams hold side by side, and the step to the
    other cell of each, (K, 2). Cells corner to corner count where a step joins them and neither
    team holds a cell beside both.
    """
    first, second = teams
    rows, columns = np.divmod(np.arange(len(space)), space.width)
    cells = np.stack([columns, rows], axis=1)
    owners = leader.reshape(-1)
    starts = []
    steps = []
    for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        others = _beside(space, cells, dx, dy)
        meet = (others >= 0) & (np.minimum(owners, owners[others]) == first)
        meet &= np.maximum(owners, owners[others]) == second
        if dx and dy:
            meet &= _joined(space, others, dx, dy)
            for corner in (_beside(space, cells, dx, 0), _beside(space, cells, 0, dy)):
                meet &= (owners[corner] != first) & (owners[corner] != second)
        starts.append(cells[meet])
        steps.append(np.broadcast_to(np.array([dx, dy]), (int(np.count_nonzero(meet)), 2)))
    return np.concatenate(starts), np.concatenate(steps)


def _beside(space: Grid, cells: NDArray[np.int64], dx: int, dy: int) -> NDArray[np.int64]:
    """Return the numbers of the cells one step away, -1 off the map."""
    columns, rows = cells[:, 0] + dx, cells[:, 1] + dy
    if space.wraps_x:
        columns = columns % space.width
    if space.wraps_y:
        rows = rows % space.height
    on_map = (columns >= 0) & (columns < space.width) & (rows >= 0) & (rows < space.height)
    return np.where(on_map, rows * space.width + columns, -1)


def _joined(space: Grid, others: NDArray[np.int64], dx: int, dy: int) -> NDArray[np.bool_]:
    """Return which cells have a step to the cell one step away in a direction, or back; any value
    where that is off the map.
    """
    links = space.links().reshape(-1)
    steps = list(space.neighborhood.steps)
    joined = np.zeros(len(space), dtype=np.bool_)
    if (dx, dy) in steps:
        joined |= (links[others] & space.link_masks[steps.index((dx, dy))]) != 0
    if (-dx, -dy) in steps:
        joined |= (links & space.link_masks[steps.index((-dx, -dy))]) != 0
    return joined


def graph_front_lines(
    space: Space,
    names: Sequence[str],
    leader: Numbers,
    presence: Callable[[int], Floats],
    hostile: Callable[[int, int], bool],
) -> list[FrontLine]:
    """Return the sides between cells of hostile teams that an open edge crosses, joined at their
    corners; without polygons, the point of each such edge where both teams are equally strong. See
    `Teams.front_lines`.
    """
    edges = np.unique(np.sort(graph_of(space).open_edges, axis=1), axis=0)
    owners = leader.reshape(-1)[edges]
    low, high = owners.min(axis=1), owners.max(axis=1)
    meet = (low >= 0) & (low != high)
    edges = edges[meet]
    codes = low[meet] * len(names) + high[meet]
    lines = []
    for code in np.unique(codes).tolist():
        first, second = divmod(code, len(names))
        if not hostile(first, second):
            continue
        crossed = edges[codes == code]
        teams = (names[first], names[second])
        sides = _sides(space, crossed)
        if sides is None:
            ahead = (presence(second).astype(np.float64) - presence(first)).reshape(-1)[crossed]
            points = _level_points(space, crossed, ahead)
            lines += [
                FrontLine(teams, points[k : k + 1], crossed[k : k + 1]) for k in range(len(points))
            ]
            continue
        corners, ends = sides
        lines += [
            FrontLine(teams, corners[route], crossed[members]) for route, members in _chains(ends)
        ]
    return lines


def _level_points(
    space: Space, edges: NDArray[np.int64], ahead: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return where on each edge the lead of a team, `ahead` at both ends, is 0."""
    difference = ahead[:, 1] - ahead[:, 0]
    share = np.clip(
        np.where(difference != 0, -ahead[:, 0] / np.where(difference != 0, difference, 1.0), 0.5),
        0.0,
        1.0,
    )
    positions = graph_of(space).positions
    start, end = positions[edges[:, 0]], positions[edges[:, 1]]
    return np.asarray(start + share[:, np.newaxis] * space.shortest_vectors(end - start))


def _sides(
    space: Space, edges: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """Return corners (C, 2) and the two of the side that each edge crosses, (K, 2); None where
    cells have no sides.
    """
    if isinstance(space, HexGrid):
        return space.sides(edges)
    mesh = graph_of(space).mesh
    if mesh is None:
        return None
    corners, owners = mesh.shared
    size = len(mesh)
    shared = np.sort(owners, axis=1) @ np.array([size, 1])
    order = np.argsort(shared, kind="stable")
    wanted = edges @ np.array([size, 1])
    at = np.minimum(np.searchsorted(shared[order], wanted), len(order) - 1)
    if not len(order) or (shared[order[at]] != wanted).any():
        return None  # edges that were added to the mesh
    return mesh.corners, corners[order[at]]


def _chains(ends: NDArray[np.int64]) -> list[tuple[list[int], list[int]]]:
    """Return lines of sides, (K, 2) corners, joined up to corners where other than two sides meet:
    the corners along each, and its sides.
    """
    sides_at: dict[int, list[int]] = {}
    for side, pair in enumerate(ends.tolist()):
        for corner in pair:
            sides_at.setdefault(corner, []).append(side)
    left = set(range(len(ends)))
    # From the ends of lines first, so that only rings begin in their middle.
    starts = sorted(sides_at, key=lambda corner: len(sides_at[corner]) == 2)
    found = []
    for start in starts:
        for side in sides_at[start]:
            route = [start]
            members = []
            corner = start
            while side in left:
                left.remove(side)
                corner = int(ends[side].sum()) - corner
                route.append(corner)
                members.append(side)
                if len(sides_at[corner]) == 2:
                    side = sum(sides_at[corner]) - side
            if members:
                found.append((route, members))
    return found


def _neighbors(owner: Numbers, teams: int) -> list[tuple[int, int]]:
    """Return the pairs of teams, the lower number first, with cells side by side or corner to
    corner.
    """
    pairs: set[tuple[int, int]] = set()
    above = owner[:-1]
    below = owner[1:]
    left = owner[:, :-1]
    right = owner[:, 1:]
    for one, other in (
        (above, below),
        (left, right),
        (above[:, :-1], below[:, 1:]),
        (above[:, 1:], below[:, :-1]),
    ):
        low, high = np.minimum(one, other), np.maximum(one, other)
        meet = (low >= 0) & (low != high)
        pairs |= {
            divmod(code, teams)
            for code in np.unique(low[meet].astype(np.int64) * teams + high[meet]).tolist()
        }
    return sorted(pairs)


def _world(space: Grid, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return world positions of places (column, row); 0 is the center of the first cell."""
    columns, rows = points[:, 0], points[:, 1]
    if space.y_up:
        rows = space.height - 1 - rows
    return np.stack([columns + 0.5, rows + 0.5], axis=1) * space.cell_size + space.origin
