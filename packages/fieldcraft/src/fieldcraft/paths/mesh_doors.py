"""The doors of a mesh as any-angle searches look through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.arrays import frozen
from fieldcraft.space.floors import floors_of
from fieldcraft.space.graph import Graph
from fieldcraft.space.ways import kept_until_walls_change

__all__ = ["OpenDoors", "open_doors"]

Ints = NDArray[np.int64]
Wide = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OpenDoors:
    """The doors that can be walked through now, by the polygons that they lead out of.

    Those of polygon p are `starts[p]` up to `starts[p + 1]`: `sides` (K, 4) from u to v with the
    polygon on the left, `behind` (K,) the polygon there, `turns` (K, 2) the numbers of the corners
    at u and v, -1 for those that have open ground all around. There are `corners` numbers. `blocks`
    is the tree of blocks that `kernels.any_angle_blocks` finds. `leaps` says whether there are gaps
    as well, which no straight line leads over.
    """

    starts: Ints
    behind: NDArray[np.int32]
    sides: Wide
    turns: Ints
    blocks: tuple[Ints, Ints, Ints, Ints]
    corners: int
    leaps: bool

    @property
    def arrays(self) -> tuple[Ints, NDArray[np.int32], Wide, Ints, Ints, Ints, Ints, Ints]:
        """The doors as `kernels.any_angle` takes them."""
        return self.starts, self.behind, self.sides, self.turns, *self.blocks

    def room(self) -> list[Any]:
        """Scratch for one search at a time."""
        return list(kernels.any_angle.room(self.corners, len(self.behind), len(self.blocks[1])))


@kept_until_walls_change
def open_doors(graph: Graph) -> OpenDoors:
    """The open doors of a graph with a mesh as its walls and edges are now."""
    floors = floors_of(graph)
    doors = floors.doors
    inside = np.repeat(np.arange(len(graph)), np.diff(doors.starts))
    passable = ~floors.shut & ~graph.walls[inside]
    walked = passable & ~doors.leaps
    inside, behind, sides = (
        inside[walked],
        doors.behind[walked],
        np.ascontiguousarray(doors.sides[walked]),
    )
    starts = np.zeros(len(graph) + 1, dtype=np.int64)
    np.cumsum(np.bincount(inside, minlength=len(graph)), out=starts[1:])
    turns, corners = _turns(inside, behind.astype(np.int64), sides)
    leaps = bool((passable & doors.leaps).any())
    blocks = kernels.any_angle_blocks.blocks(starts, behind)
    return OpenDoors(
        frozen(starts), frozen(behind), frozen(sides), frozen(turns), blocks, corners, leaps
    )


def _turns(inside: Ints, behind: Ints, sides: Wide) -> tuple[Ints, int]:
    """The numbers of the corners at both ends of doors, (K, 2), -1 where no shortest way turns; and
    how many corners there are.

    No way turns where doors that lead both ways go all round a place. Ends of doors in one place
    are one corner where such doors join their
    polygons: so the two sides of a pinch are two corners, and so are places above each other.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(inside)
    if not count:
        return np.empty((0, 2), dtype=np.int64), 0
    ends = sides.reshape(-1, 2) + 0.0  # no two zeros
    _, places = np.unique(
        ends.view([("x", np.float64), ("y", np.float64)]).reshape(-1), return_inverse=True
    )
    first, second = places.reshape(-1, 2).T
    there = int(places.max()) + 1
    spots, at = np.unique(
        np.concatenate([inside * there + first, inside * there + second]), return_inverse=True
    )
    from_u, to_v = at[:count], at[count:]
    both_ways = _has_return(inside, behind, first, second)
    link = np.flatnonzero(both_ways)
    rows = np.concatenate([from_u[link], to_v[link]])
    columns = np.searchsorted(
        spots,
        np.concatenate([behind[link] * there + first[link], behind[link] * there + second[link]]),
    )
    joined = coo_array(
        (np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(spots), len(spots))
    )
    number, labels = connected_components(joined, directed=False)
    begun, ended = np.zeros((2, len(spots)), dtype=np.bool_)
    begun[from_u[link]] = True
    ended[to_v[link]] = True
    turned = np.zeros(number, dtype=np.bool_)
    turned[labels[~(begun & ended)]] = True
    numbers = np.where(turned, np.cumsum(turned) - 1, -1)[labels]
    return np.ascontiguousarray(numbers[at].reshape(2, -1).T), int(turned.sum())


def _has_return(inside: Ints, behind: Ints, first: Ints, second: Ints) -> NDArray[np.bool_]:
    """Which doors lead back as well, by the same piece of a side."""
    out = np.stack([inside, behind, first, second])
    back = np.stack([behind, inside, second, first])
    order, other = np.lexsort(out), np.lexsort(back)
    # Sorted alike, a door and the return of its sister lie at the same rank where all doors lead
    # both ways.
    sorted_out, sorted_back = out[:, order], back[:, other]
    if (sorted_out == sorted_back).all():
        return np.ones(len(inside), dtype=np.bool_)
    _, number = np.unique(np.concatenate([out, back], axis=1).T, axis=0, return_inverse=True)
    number = number.reshape(-1)
    return np.isin(number[: len(inside)], number[len(inside) :])
