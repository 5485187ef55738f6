"""Where the ground of one team ends and that of another begins, and how much each holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Grid, Space
from fieldcraft.space.answers import Regions, regions_owned

__all__ = ["FrontLine", "crossings", "front_lines", "regions"]

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class FrontLine:
    """A line between the ground of two teams: `points` (N, 2) are world positions, the last the
    first again in a ring.

    On a graph it is no line but the places on its `edges` (N, 2) where one crosses it, in their
    order; on a grid `edges` is None.
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


def front_lines(
    space: Grid,
    names: Sequence[str],
    leader: Numbers,
    presence: Callable[[int], Floats],
    at_odds: Callable[[int, int], bool],
) -> list[FrontLine]:
    """The lines between cells led by teams that are `at_odds`, where their `presence` is equal. See
    `Teams.front_lines`.
    """
    import contourpy

    seam = ((0, int(space.wrap)),) * 2
    owner = np.pad(leader, seam, mode="wrap")
    lines = []
    for first, second in _neighbors(owner, len(names)):
        if min(owner.shape) < 2 or not at_odds(first, second):
            continue
        mine = (owner == first) | (owner == second)
        rows, columns = (np.flatnonzero(mine.any(axis=axis)) for axis in (1, 0))
        # At least two rows and columns, or there is no room for a line.
        top, left = min(int(rows[0]), owner.shape[0] - 2), min(int(columns[0]), owner.shape[1] - 2)
        cut = np.s_[
            top : max(int(rows[-1]), top + 1) + 1, left : max(int(columns[-1]), left + 1) + 1
        ]
        # Exactly the cells of `second` are above 0: of equals the first team leads.
        ahead = np.pad(presence(second) - presence(first), seam, mode="wrap")[cut]
        found = contourpy.contour_generator(
            z=np.ma.masked_array(ahead.astype(np.float64), ~mine[cut]),
            corner_mask=True,
            line_type=contourpy.LineType.Separate,
        ).lines(0.0)
        for line in found:
            points = np.asarray(line, dtype=np.float64)
            moved = np.concatenate([[True], (np.diff(points, axis=0) != 0).any(axis=1)])
            if moved.sum() > 1:
                lines.append(
                    FrontLine(
                        (names[first], names[second]), _world(space, points[moved] + (left, top))
                    )
                )
    return lines


def crossings(
    space: Space,
    names: Sequence[str],
    leader: Numbers,
    presence: Callable[[int], Floats],
    at_odds: Callable[[int, int], bool],
) -> list[FrontLine]:
    """Where open edges lead from a vertex of one team to one of another that is `at_odds` with it;
    see `Teams.front_lines`.
    """
    graph = space.graph
    edges = graph.open_edges
    owners = leader.reshape(-1)[edges]
    low, high = owners.min(axis=1), owners.max(axis=1)
    meet = (low >= 0) & (low != high)
    lines = []
    for first, second in sorted(
        {
            divmod(code, len(names))
            for code in np.unique(low[meet] * len(names) + high[meet]).tolist()
        }
    ):
        if not at_odds(first, second):
            continue
        found = edges[meet & (low == first) & (high == second)]
        ahead = (presence(second).astype(np.float64) - presence(first)).reshape(-1)[found]
        apart = ahead[:, 1] - ahead[:, 0]
        share = np.clip(
            np.where(apart != 0, -ahead[:, 0] / np.where(apart != 0, apart, 1.0), 0.5), 0.0, 1.0
        )[:, np.newaxis]
        start, end = graph.positions[found[:, 0]], graph.positions[found[:, 1]]
        lines.append(
            FrontLine(
                (names[first], names[second]), start + share * space.short_way(end - start), found
            )
        )
    return lines


def regions(
    space: Space, names: Sequence[str], owner: Numbers, presence: Callable[[int], Floats]
) -> Regions:
    """The connected cells of each owner; -1 is nobody. See `Teams.regions`."""
    strength = np.zeros(space.shape, dtype=np.float32)
    for team in np.unique(owner[owner >= 0]).tolist():
        cells = owner == team
        strength[cells] = presence(team)[cells]
    strength.flags.writeable = False  # one kind of array, so that each kernel is compiled once
    return regions_owned(space, strength, owner, names)


def _neighbors(owner: Numbers, teams: int) -> list[tuple[int, int]]:
    """Pairs of teams, the lower number first, that hold cells beside each other or corner to
    corner.
    """
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
        pairs |= {
            divmod(code, teams)
            for code in np.unique(low[meet].astype(np.int64) * teams + high[meet]).tolist()
        }
    return sorted(pairs)


def _world(space: Grid, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """World positions of places given as (column, row), 0 being the center of the first cell."""
    columns, rows = points[:, 0], points[:, 1]
    if space.y_up:
        rows = space.height - 1 - rows
    return np.stack([columns + 0.5, rows + 0.5], axis=1) * space.cell_size + space.origin
