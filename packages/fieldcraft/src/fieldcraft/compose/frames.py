"""Which cells lie in the windows around agents, and which of them may be chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.compose.engine import Segments, segments
from fieldcraft.compose.expression import expression_of
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.layer.operand import Operand
from fieldcraft.propagation.surroundings import surroundings_of
from fieldcraft.space import Grid, Space
from fieldcraft.space.graph_sight import vertices_within
from fieldcraft.space.grid import MAX_CELLS

__all__ = ["Frame", "GraphFrame", "GridFrame", "eligible"]


class GridFrame:
    """Where windows on a grid lie: around `centers` (cells, (N,)), `radius` wide in world units."""

    def __init__(
        self, space: Grid, centers: NDArray[np.int64], radius: float, single: bool
    ) -> None:
        self.space = space
        self.centers = centers
        self.radius = radius = min(
            radius / space.cell_size, float(space.width + space.height)
        )  # in cells
        self.single = single
        self.reach = int(radius * (1 + 1e-12))
        side = 2 * self.reach + 1
        self.shape = (len(centers), side, side)
        if space.wrap and side > min(space.width, space.height):
            raise InvalidValue(
                "On a torus a window is no wider than the map",
                got=f"{side} cells on {space.width} x {space.height}",
                remedy="Use a smaller radius",
            )
        if len(centers) * side * side > MAX_CELLS:
            raise InvalidValue(
                f"Windows have at most {MAX_CELLS:,} cells together",
                got=f"{len(centers)} of {side} x {side}",
                remedy="Use a smaller radius, or fewer agents at once",
            )
        away = np.arange(-self.reach, self.reach + 1)
        self.steps: NDArray[np.float64] = np.sqrt((away * away)[:, None] + away * away)
        self.nearest_first = np.argsort(self.steps, axis=None, kind="stable")
        self._rows = (centers // space.width)[:, None] + away
        self._columns = (centers % space.width)[:, None] + away
        if space.wrap:
            rows, columns = self._rows % space.height, self._columns % space.width
            on_map: NDArray[np.bool_] = np.ones(self.shape, dtype=np.bool_)
        else:
            rows, columns = self._rows, self._columns
            on_map = ((rows >= 0) & (rows < space.height))[:, :, None] & (
                (columns >= 0) & (columns < space.width)
            )[:, None, :]
        self.cells: NDArray[np.int64] = np.where(
            on_map, rows[:, :, None] * space.width + columns[:, None, :], -1
        )
        near = self.steps <= radius * (1 + 1e-12)
        self.inside: NDArray[np.bool_] = on_map & near & ~space.walls.reshape(-1)[self.cells]

    @property
    def middle(self) -> int:
        """The place of an agent's own cell in its window."""
        return self.shape[1] * self.shape[2] // 2

    @property
    def distances(self) -> NDArray[np.float64]:
        """World distances of the cells from the middle one, (side, side)."""
        return self.steps * self.space.cell_size

    @property
    def corners(self) -> NDArray[np.float64]:
        """The corner of each window with the smallest world x and y, (N, 2)."""
        return np.asarray(
            self.space.position_of(self.centers) - (self.reach + 0.5) * self.space.cell_size
        )

    @property
    def size(self) -> str:
        """How large a window is, in words."""
        return f"{self.shape[1]} x {self.shape[2]}"

    def shown(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array of `shape` as users see it: (side, side) for one window."""
        shown: NDArray[Any] = array[0] if self.single else array
        return shown

    def spread(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array of users' as one that NumPy can spread over `shape`."""
        return array

    def matches(self, other: Frame) -> bool:
        """Whether another frame covers the same cells."""
        return (
            self.shape == other.shape
            and self.radius == other.radius
            and bool((self.cells == other.cells).all())
            and bool((self.inside == other.inside).all())
        )

    def segments(self) -> Segments:
        """The runs of cells of each row on the map; on a torus a row is up to two runs."""
        count, side, _ = self.shape
        width, height = self.space.width, self.space.height
        left = self._columns[:, 0]
        places = (np.arange(count)[:, None] * side + np.arange(side)) * side
        if not self.space.wrap:
            first, last = np.maximum(left, 0), np.minimum(left + side, width)
            runs = [(self._rows, (first, last - first, first - left))]
        else:
            first = left % width
            runs = [
                (
                    self._rows % height,
                    (first, np.minimum(side, width - first), np.zeros_like(first)),
                ),
                (
                    self._rows % height,
                    (np.zeros_like(first), np.maximum(first + side - width, 0), width - first),
                ),
            ]
        starts, to, counts = [], [], []
        for rows, (column, length, offset) in runs:
            used = (rows >= 0) & (rows < height) & (length > 0)[:, None]
            starts.append((rows * width + column[:, None])[used])
            to.append((places + offset[:, None])[used])
            counts.append(np.broadcast_to(length[:, None], rows.shape)[used])
        return segments(*(np.concatenate(each) for each in (starts, to, counts)))


class GraphFrame:
    """Where windows on a graph lie: the vertices at most `radius` from the `centers` (vertices,
    (N,)), nearest first.

    `shape` is (N, 1, K), K being the number of vertices in the largest; `cells` are -1 in the rest
    of smaller ones.
    """

    middle = 0

    def __init__(
        self, space: Space, centers: NDArray[np.int64], radius: float, single: bool
    ) -> None:
        self.space = space
        self.centers = centers
        self.radius = radius
        self.single = single
        places = space.graph.positions
        near = [
            np.array(found, dtype=np.int64)
            for found in vertices_within(space.graph, places[centers], radius * (1 + 1e-12))
        ]
        most = max((len(found) for found in near), default=0)
        if len(centers) * most > MAX_CELLS:
            raise InvalidValue(
                f"Windows have at most {MAX_CELLS:,} cells together",
                got=f"{len(centers)} of up to {most}",
                remedy="Use a smaller radius, or fewer agents at once",
            )
        self.shape = (len(centers), 1, most)
        self.cells: NDArray[np.int64] = np.full(self.shape, -1, dtype=np.int64)
        self.steps: NDArray[np.float64] = np.full(self.shape, radius)
        for i, (center, found) in enumerate(zip(centers.tolist(), near, strict=True)):
            away = np.sqrt(
                (space.shortest_vectors(places[found] - places[center]) ** 2).sum(axis=1)
            )
            order = np.lexsort((found, found != center, away))
            self.cells[i, 0, : len(found)], self.steps[i, 0, : len(found)] = (
                found[order],
                away[order],
            )
        self.nearest_first = np.arange(most)
        self.inside: NDArray[np.bool_] = (self.cells >= 0) & ~np.append(space.walls, True)[
            self.cells
        ]

    @property
    def distances(self) -> NDArray[np.float64]:
        """World distances of the vertices from the agent's, (K,) or (N, K); the radius where there
        are no more.
        """
        return self.shown(self.steps)

    @property
    def corners(self) -> NDArray[np.float64]:
        """A window on a graph has none."""
        raise InvalidValue(
            "Only windows on a grid have corners",
            got=f"one on {self.space!r}",
            remedy="window.cells says which vertices it has",
        )

    @property
    def size(self) -> str:
        """How large a window is, in words."""
        return f"of {self.shape[2]} vertices"

    def shown(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array of `shape` as users see it: (K,) for one window, else (N, K)."""
        shown: NDArray[Any] = array[0, 0] if self.single else array[:, 0]
        return shown

    def spread(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array of users' as one that NumPy can spread over `shape`."""
        return array[:, np.newaxis] if array.ndim == 2 else array

    def matches(self, other: Frame) -> bool:
        """Whether another frame covers the same cells."""
        return (
            self.shape == other.shape
            and self.radius == other.radius
            and bool((self.cells == other.cells).all())
            and bool((self.inside == other.inside).all())
        )

    def segments(self) -> Segments:
        """The vertices one by one."""
        flat = self.cells.reshape(-1)
        places = np.flatnonzero(flat >= 0)
        return segments(flat[places], places, np.ones(len(places), dtype=np.int64))


Frame = GridFrame | GraphFrame


_SLACK = 1 + 1e-9  # lengths are equal to one part in so many


def eligible(
    frame: Frame, where: Operand | ArrayLike | None, walk: float | None
) -> NDArray[np.bool_]:
    """The cells inside of windows for which `where` holds and to which a way of at most `walk`
    leads, in the frame's shape.
    """
    allowed = frame.inside
    if where is not None:
        allowed = allowed & _holds(frame, where)
    if walk is not None:
        allowed = allowed & _on_foot(frame, checks.positive("walk", walk))
    return allowed


def _holds(frame: Frame, where: Any) -> NDArray[np.bool_]:
    space = frame.space
    if isinstance(where, Operand):
        if not where.space.same_cells(space):
            raise InvalidValue(
                "where lies on the ground of the map that a window is cut from",
                got=f"{where.space!r} for {space!r}",
                remedy="Use layers on one map with one cell size, or pass an array of bool",
            )
        values = np.zeros(frame.shape, dtype=np.float32)
        expression_of(where).fill(values, frame.segments())
        return np.asarray(values != 0)
    mask = checks.shaped("where", where, space.shape, "b")
    return np.asarray(mask.reshape(-1)[frame.cells])


def _on_foot(frame: Frame, walk: float) -> NDArray[np.bool_]:
    """The cells to which a way of at most `walk` leads from the middle one; from a wall, out of
    it.
    """
    around, everywhere, whole = surroundings_of(frame.space), Falloff.of("constant"), np.ones(1)
    near = np.zeros(frame.shape, dtype=np.bool_)
    reached = np.zeros(len(frame.space), dtype=np.bool_)
    for agent in range(len(frame.centers)):
        cells, _ = around.around(
            frame.centers[agent : agent + 1], whole, walk * _SLACK, everywhere, "path"
        )
        reached[cells] = True
        near[agent] = reached[frame.cells[agent]]
        reached[cells] = False
    return near
