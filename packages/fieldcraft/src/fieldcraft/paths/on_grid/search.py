"""Shortest paths on grids."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.kernels import pool
from fieldcraft.paths.cost import LEAST, Cost, read
from fieldcraft.paths.on_grid.moves import Moves, moves_of
from fieldcraft.paths.on_grid.smoothing import straighten
from fieldcraft.paths.route import Path, no_path
from fieldcraft.space import Grid

__all__ = ["shortest_path", "shortest_paths"]

_ANY = np.empty(0, dtype=np.float64)
_ANY.flags.writeable = (
    False  # like the costs of a map: one kind of array, so that each kernel is compiled once
)
_PER_CHUNK = 16  # problems that a thread takes at a time
_WORTH_LABELS = 64  # problems for which it pays to see beforehand which of them have no answer


def shortest_path(space: Grid, start: ArrayLike, goal: ArrayLike, cost: Cost, smooth: bool) -> Path:
    """See `paths.search.shortest_path`."""
    moves = moves_of(space)
    ground = _ground(space, moves, cost, smooth)
    from_cell = _cell(space, "start", start)
    to_cell = _cell(space, "goal", goal)
    if not ground.stands(from_cell) or not ground.stands(to_cell):
        raise _shut(ground, from_cell, to_cell)
    path = _search(ground, from_cell, to_cell)
    ground.leave()
    return path


def shortest_paths(
    space: Grid, starts: ArrayLike, goals: ArrayLike, cost: Cost, smooth: bool
) -> list[Path]:
    """See `paths.search.shortest_paths`."""
    moves = moves_of(space)
    ground = _ground(space, moves, cost, smooth)
    from_cells, to_cells = _pairs(space, starts, goals)
    shut = np.flatnonzero(~(ground.stand(from_cells) & ground.stand(to_cells)))
    if len(shut):
        index = int(shut[0])
        raise _shut(ground, int(from_cells[index]), int(to_cells[index]), f" at index {index}")
    paths = _search_many(ground, from_cells, to_cells)
    ground.leave()
    return paths


@dataclass(slots=True, eq=False)
class _Ground:
    """The ground of a search: a grid, its moves, and the costs of its cells."""

    space: Grid
    moves: Moves
    costs: NDArray[np.float64]  # flat, or empty where all cells cost `least`
    least: float
    highest: float
    barred: bool
    walls: NDArray[np.bool_]
    smooth: bool
    room: list[NDArray[Any]] | None = None  # lent for the costs

    def leave(self) -> None:
        """Give back what was lent; nothing looks at the costs any more."""
        if self.room is not None:
            self.moves.give("cost", self.room)

    @property
    def uniform(self) -> bool:
        return self.moves.plain and not len(self.costs)

    def stands(self, cell: int) -> bool:
        """Whether a cell can be stood on."""
        return not self.walls.item(cell) and not (self.barred and self.costs.item(cell) == math.inf)

    def stand(self, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the cells can be stood on."""
        can = ~self.walls.reshape(-1)[cells]
        return np.asarray(can & (self.costs[cells] < math.inf) if self.barred else can)


def _ground(space: Grid, moves: Moves, cost: Cost, smooth: bool) -> _Ground:
    if cost is None:
        return _Ground(space, moves, _ANY, 1.0, 1.0, False, space.walls, smooth)
    if type(cost) in (int, float) and LEAST <= cost <= checks.LARGEST:  # type: ignore[operator]
        return _Ground(space, moves, _ANY, float(cost), float(cost), False, space.walls, smooth)  # type: ignore[arg-type]
    room = moves.take(space, "cost")
    least, highest, barred = read(space, cost, room[0])
    costs = _ANY
    if barred or least != highest:
        costs = room[0].view()
        costs.flags.writeable = False
    return _Ground(space, moves, costs, least, highest, barred, space.walls, smooth, room)


def _cell(space: Grid, what: str, position: ArrayLike) -> int:
    """The cell of one (x, y) pair; pairs of floats the short way."""
    pair = (
        tuple(position.tolist())
        if type(position) is np.ndarray and position.shape == (2,)
        else position
    )
    if (
        isinstance(pair, tuple)
        and len(pair) == 2
        and type(pair[0]) is float
        and type(pair[1]) is float
    ):
        x = (pair[0] - space.origin[0]) / space.cell_size
        y = (pair[1] - space.origin[1]) / space.cell_size
        if 0 <= x < space.width and 0 <= y < space.height:
            row = space.height - 1 - int(y) if space.y_up else int(y)
            return row * space.width + int(x)
    points, single = checks.positions(position)
    if not single:
        raise InvalidValue(
            f"{what} is one (x, y) pair",
            got=f"an array of shape {np.shape(position)}",
            remedy="Call shortest_paths for many",
        )
    return int(_cells(space, what, points)[0])


def _cells(space: Grid, what: str, points: NDArray[np.float64]) -> NDArray[np.int64]:
    try:
        return np.atleast_1d(space.cell_at(points))
    except OutsideMap as error:
        refusal = error
    for index, point in enumerate(points.tolist()):
        try:
            space.cell_at(point)
        except OutsideMap as error:
            if space.wrap:
                raise
            where = f" at index {index}" if len(points) > 1 else ""
            cell = int(space.cell_at(point, outside="clamp"))
            raise OutsideMap(
                f"The {what} of a path is on the map. {error.rule}",
                got=f"{what} {tuple(point)}{where}",
                remedy=_nearest(space, space.walls, cell),
            ) from None
    raise refusal


def _pairs(
    space: Grid, starts: ArrayLike, goals: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    (from_points, one_start), (to_points, one_goal) = (
        checks.positions(starts),
        checks.positions(goals),
    )
    if not one_start and not one_goal and len(from_points) != len(to_points):
        raise InvalidValue(
            "There are as many goals as starts, or one for all",
            got=f"{len(from_points)} starts and {len(to_points)} goals",
            remedy="Pass one goal per start, or one (x, y) pair",
        )
    from_cells, to_cells = _cells(space, "start", from_points), _cells(space, "goal", to_points)
    count = len(to_cells) if one_start else len(from_cells)
    return np.array(np.broadcast_to(from_cells, count)), np.array(np.broadcast_to(to_cells, count))


def _shut(ground: _Ground, start: int, goal: int, where: str = "") -> OnWall:
    """The refusal of a start or goal that can't be stood on."""
    space = ground.space
    what, cell = ("goal", goal) if ground.stands(start) else ("start", start)
    kind = "a wall" if space.walls.item(cell) else "of infinite cost, so a wall"
    shut = (
        space.walls | np.isinf(ground.costs.reshape(space.shape)) if ground.barred else space.walls
    )
    return OnWall(
        f"The {what} of a path is on open ground",
        got=f"a {what}{where} in cell {cell} around {_around(space, cell)}, which is {kind}",
        remedy=_nearest(space, shut, cell),
    )


def _nearest(space: Grid, shut: NDArray[np.bool_], cell: int) -> str:
    if shut.all():
        return "The map has no open cell: open one"
    near = int((space if shut is space.walls else space.with_walls(shut)).nearest_open(cell))
    return f"The nearest open cell is {near} around {_around(space, near)}"


def _around(space: Grid, cell: int) -> str:
    x, y = space.position_of(cell).tolist()
    return f"({x:.10g}, {y:.10g})"


def _path(ground: _Ground, cells: NDArray[np.int64], length: float, cost: float) -> Path:
    if not len(cells):
        return no_path(ground.space)
    if ground.smooth:
        cells, length, cost = straighten(
            ground.space, ground.moves, ground.costs, ground.least, cells
        )
    cells.flags.writeable = False
    return Path(ground.space, cells, length, cost)


def _search(ground: _Ground, start: int, goal: int) -> Path:
    space, moves = ground.space, ground.moves
    if moves.labeled:
        labels = moves.labels(space)
        if labels.item(start) != labels.item(goal):
            return no_path(space)
    kind = "uniform" if ground.uniform else "weighted"
    problem = _problem(ground)
    search: Any = getattr(getattr(kernels, f"shortest_path_{kind}"), kind)
    scratch = moves.take(space, kind)
    answer = search(*problem, start, goal, *scratch)
    while answer[0] < 0:
        _enlarge(scratch)
        answer = search(*problem, start, goal, *scratch)
    cells = scratch[-1 if ground.uniform else -2][: answer[0], 3].astype(np.int64)
    moves.give(kind, scratch)
    if not len(cells):
        moves.labels(space)  # what lies apart is known from now on
        return no_path(space)
    return _path(ground, cells, *_measured(ground, len(cells), *answer[1:]))


def _problem(ground: _Ground) -> tuple[object, ...]:
    """The arguments that all searches on one ground have in common."""
    space, moves = ground.space, ground.moves
    if ground.uniform:
        return (
            moves.king.reshape(-1),
            moves.stops,
            moves.eight,
            space.width,
            space.height,
            space.wrap,
        )
    bounds = (ground.least, ground.highest) if len(ground.costs) else (1.0, 1.0)
    return (
        moves.table(space),
        moves.steps,
        moves.lengths,
        ground.costs,
        ground.barred,
        moves.norm,
        moves.facets,
        *bounds,
        space.width,
        space.height,
        space.wrap,
    )


def _measured(ground: _Ground, count: int, *found: float) -> tuple[float, float]:
    """The length and the cost of a way, from what the kernel says about it."""
    if ground.uniform:
        diagonals = int(found[0])
        length = (count - 1 - diagonals) * ground.moves.straight + diagonals * ground.moves.diagonal
        return length, length * ground.least
    length, cost = found
    return length, cost if len(ground.costs) else cost * ground.least


def _enlarge(scratch: list[NDArray[np.generic]]) -> None:
    """Twice the room for the cells that wait; these are the arrays behind those of one number per
    cell.
    """
    cells = len(scratch[0])
    for i, array in enumerate(scratch):
        if len(array) != cells:
            scratch[i] = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)


def _search_many(
    ground: _Ground, starts: NDArray[np.int64], goals: NDArray[np.int64]
) -> list[Path]:
    space, moves = ground.space, ground.moves
    if len(starts) < 2:
        return [
            _search(ground, start, goal)
            for start, goal in zip(starts.tolist(), goals.tolist(), strict=True)
        ]
    paths = [no_path(space)] * len(starts)
    asked = np.arange(len(starts))
    if moves.labeled or len(starts) >= _WORTH_LABELS:
        labels = moves.labels(space)
        asked = np.flatnonzero(labels[starts] == labels[goals])
        starts, goals = starts[asked], goals[asked]
    kind = "uniform" if ground.uniform else "weighted"
    search: Any = getattr(getattr(kernels, f"shortest_path_{kind}"), f"{kind}_many")
    problem = _problem(ground)
    chunks = (
        itertools.count()
    )  # the next one for whichever thread is free; taking a number is atomic
    count = -(-len(asked) // _PER_CHUNK)

    def work() -> None:
        scratch = moves.take(space, kind)
        cells = np.empty(4096, dtype=np.int64)
        ends = np.zeros(len(asked), dtype=np.int64)
        found = (
            [np.zeros(len(asked), dtype=np.int64)]
            if ground.uniform
            else [np.zeros(len(asked)), np.zeros(len(asked))]
        )
        while (chunk := next(chunks)) < count:
            first, last = chunk * _PER_CHUNK, min((chunk + 1) * _PER_CHUNK, len(asked))
            while first < last:
                done = search(*problem, starts, goals, first, last, *scratch, cells, ends, *found)
                begin = 0
                for i in range(first, first + done):
                    way = cells[begin : ends[i]].copy()
                    begin = int(ends[i])
                    paths[asked[i]] = _path(
                        ground,
                        way,
                        *_measured(ground, len(way), *(float(each[i]) for each in found)),
                    )
                first += done
                if first < last:
                    cells = np.empty(2 * len(cells), dtype=np.int64)
                    if not done:
                        _enlarge(scratch)
        moves.give(kind, scratch)

    pool.run([(work, ())] * pool.shares(count))
    return paths
