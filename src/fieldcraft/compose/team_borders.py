"""Where the ground of one team ends and that of another begins, and how much each holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import MissingLibrary
from fieldcraft.space import AnySpace, Graph, Grid

__all__ = ["Area", "Areas", "FrontLine", "areas", "crossings", "front_lines"]

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class FrontLine:
    """A line between the ground of two teams: `points` (N, 2) are world positions, the last the first again in a ring.

    On a graph it is no line but the places on its `edges` (N, 2) where one crosses it, in their order; on a grid `edges` is None.
    """

    teams: tuple[str, str]
    points: NDArray[np.float64]
    edges: NDArray[np.int64] | None = None

    @property
    def is_closed(self) -> bool:
        """Whether it is a ring."""
        return self.edges is None and bool((self.points[0] == self.points[-1]).all())

    def __repr__(self) -> str:
        return f"<FrontLine {' - '.join(self.teams)}, {len(self.points)} points>"


@dataclass(frozen=True)
class Area:
    """One area; see `Areas` for the units."""

    label: int
    team: str
    area: float
    total: float
    centre: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Areas:
    """Connected ground of one team each, the one with the largest total first. Behaves as a sequence of `Area`.

    `labels`, int32 in the space's shape, holds 1 for the first, 2 for the second, and 0 where nobody is. Of the K areas: `teams`
    are the names of their owners, `areas` (K,) are in square world units (on a graph without a mesh, numbers of vertices),
    `totals` (K,) the sums of the owner's magnitude over the cells, `centres` (K, 2), or (K, 3) in 3D, the world positions of the
    cells nearest to the middle, which one can stand on.
    """

    labels: Numbers
    teams: tuple[str, ...]
    areas: NDArray[np.float64]
    totals: NDArray[np.float64]
    centres: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.areas)

    def __getitem__(self, index: int) -> Area:
        i = range(len(self))[index]
        return Area(i + 1, self.teams[i], float(self.areas[i]), float(self.totals[i]), tuple(self.centres[i].tolist()))

    def __iter__(self) -> Iterator[Area]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<Areas: {len(self)}, of {len(set(self.teams))} teams>"


def front_lines(
    space: Grid,
    names: Sequence[str],
    leader: Numbers,
    presence: Callable[[int], Floats],
    at_odds: Callable[[int, int], bool],
) -> list[FrontLine]:
    """The lines between cells led by teams that are `at_odds`, where their `presence` is equal. See `Teams.front_lines`."""
    try:
        import contourpy
    except ImportError:
        raise MissingLibrary("contourpy", "view", "Finding front lines") from None

    seam = ((0, int(space.wrap)),) * 2
    owner = np.pad(leader, seam, mode="wrap")
    lines = []
    for first, second in _neighbours(owner, len(names)):
        if min(owner.shape) < 2 or not at_odds(first, second):
            continue
        mine = (owner == first) | (owner == second)
        rows, columns = (np.flatnonzero(mine.any(axis=axis)) for axis in (1, 0))
        # At least two rows and columns, or there is no room for a line.
        top, left = min(int(rows[0]), owner.shape[0] - 2), min(int(columns[0]), owner.shape[1] - 2)
        cut = np.s_[top : max(int(rows[-1]), top + 1) + 1, left : max(int(columns[-1]), left + 1) + 1]
        # Exactly the cells of `second` are above 0: of equals the first team leads.
        ahead = np.pad(presence(second) - presence(first), seam, mode="wrap")[cut]
        found = contourpy.contour_generator(
            z=np.ma.masked_array(ahead.astype(np.float64), ~mine[cut]), corner_mask=True, line_type=contourpy.LineType.Separate
        ).lines(0.0)
        for line in found:
            points = np.asarray(line, dtype=np.float64)
            moved = np.concatenate([[True], (np.diff(points, axis=0) != 0).any(axis=1)])
            if moved.sum() > 1:
                lines.append(FrontLine((names[first], names[second]), _world(space, points[moved] + (left, top))))
    return lines


def crossings(
    graph: Graph, names: Sequence[str], leader: Numbers, presence: Callable[[int], Floats], at_odds: Callable[[int, int], bool]
) -> list[FrontLine]:
    """Where open edges lead from a vertex of one team to one of another that is `at_odds` with it; see `Teams.front_lines`."""
    edges = graph.open_edges
    owners = leader[edges]
    low, high = owners.min(axis=1), owners.max(axis=1)
    meet = (low >= 0) & (low != high)
    lines = []
    for first, second in sorted({divmod(code, len(names)) for code in np.unique(low[meet] * len(names) + high[meet]).tolist()}):
        if not at_odds(first, second):
            continue
        found = edges[meet & (low == first) & (high == second)]
        ahead = (presence(second).astype(np.float64) - presence(first))[found]
        apart = ahead[:, 1] - ahead[:, 0]
        share = np.clip(np.where(apart != 0, -ahead[:, 0] / np.where(apart != 0, apart, 1.0), 0.5), 0.0, 1.0)[:, np.newaxis]
        start, end = graph.positions[found[:, 0]], graph.positions[found[:, 1]]
        lines.append(FrontLine((names[first], names[second]), start + share * (end - start), found))
    return lines


def areas(space: AnySpace, names: Sequence[str], owner: Numbers, presence: Callable[[int], Floats]) -> Areas:
    """The connected cells of each owner; -1 is nobody. See `Teams.areas`."""
    labels, count = _connected(space, owner.reshape(-1))
    held = np.flatnonzero(labels)
    number = labels[held] - 1
    lowest = np.full(count, len(space), dtype=np.int64)
    np.minimum.at(lowest, number, held)
    whose = owner.reshape(-1)[lowest]
    strength = np.zeros(len(space))
    for team in np.unique(whose).tolist():
        cells = owner.reshape(-1) == team
        strength[cells] = presence(team).reshape(-1)[cells]
    totals: NDArray[np.float64] = np.bincount(number, weights=strength[held], minlength=count).astype(np.float64)
    weights = None if isinstance(space, Grid) else space.areas[held]
    sizes: NDArray[np.float64] = np.bincount(number, weights=weights, minlength=count).astype(np.float64)

    order = np.lexsort((lowest, -totals))
    ranks = np.zeros(count + 1, dtype=np.int32)
    ranks[order + 1] = np.arange(1, count + 1)
    return Areas(
        labels=ranks[labels].reshape(space.shape),
        teams=tuple(names[team] for team in whose[order].tolist()),
        areas=sizes[order] * (space.cell_size**2 if isinstance(space, Grid) else 1.0),
        totals=totals[order],
        centres=space.position_of(_middles(space, held, number, count)[order]).reshape(-1, space.dimensions),
    )


def _neighbours(owner: Numbers, teams: int) -> list[tuple[int, int]]:
    """Pairs of teams, the lower number first, that hold cells beside each other or corner to corner."""
    pairs: set[tuple[int, int]] = set()
    above, below, left, right = owner[:-1], owner[1:], owner[:, :-1], owner[:, 1:]
    for one, other in (
        (above, below),
        (left, right),
        (above[:, :-1], below[:, 1:]),
        (above[:, 1:], below[:, :-1]),
    ):
        low, high = np.minimum(one, other), np.maximum(one, other)
        meet = (low >= 0) & (low != high)
        pairs |= {divmod(code, teams) for code in np.unique(low[meet].astype(np.int64) * teams + high[meet]).tolist()}
    return sorted(pairs)


def _world(space: Grid, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """World positions of places given as (column, row), 0 being the centre of the first cell."""
    columns, rows = points[:, 0], points[:, 1]
    if space.y_up:
        rows = space.height - 1 - rows
    return np.stack([columns + 0.5, rows + 0.5], axis=1) * space.cell_size + space.origin


def _connected(space: AnySpace, owner: Numbers) -> tuple[NDArray[np.int64], int]:
    """A number from 1 for each cell that somebody owns, equal where a walk over the owner's cells joins them; how many."""
    from scipy.sparse import coo_array  # loading it takes longer than all of `import fieldcraft`
    from scipy.sparse.csgraph import connected_components

    ways = space.ways
    start, end = ways.origins, ways.ends
    same = (owner[start] == owner[end]) & (owner[end] >= 0)
    start, end = start[same], end[same]
    graph = coo_array((np.ones(len(start), dtype=np.bool_), (start, end)), shape=(len(owner), len(owner)))
    _, parts = connected_components(graph, directed=False)
    owned = owner >= 0
    found, inverse = np.unique(parts[owned], return_inverse=True)
    labels = np.zeros(len(owner), dtype=np.int64)
    labels[owned] = inverse + 1
    return labels, len(found)


def _middles(space: AnySpace, cells: NDArray[np.int64], number: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """For each area the cell nearest to the mean of its cells, the lowest of equals; round the torus the short way."""
    size = np.bincount(number, minlength=count)
    square = np.zeros(len(cells))
    if isinstance(space, Graph):
        places_of = space.positions[cells]
        scale = max(float(np.abs(places_of).max(initial=0)), 1.0)
        for axis in (places_of / scale).T:
            square += np.round(axis - (np.bincount(number, axis, count) / size)[number], 9) ** 2
        best = np.lexsort((cells, square, number))
        return cells[best[np.searchsorted(number[best], np.arange(count))]]
    for places, extent in zip(np.divmod(cells, space.width), space.shape, strict=True):
        if space.wrap:
            turn = np.exp(2j * np.pi * places / extent)
            mean = np.bincount(number, turn.real, count) + 1j * np.bincount(number, turn.imag, count)
            away = np.angle(turn * np.conj(mean[number])) * extent / (2 * np.pi)
        else:
            away = places - (np.bincount(number, places, count) / size)[number]
        square += np.round(away, 6) ** 2
    best = np.lexsort((cells, square, number))
    first = np.searchsorted(number[best], np.arange(count))
    return cells[best[first]]
