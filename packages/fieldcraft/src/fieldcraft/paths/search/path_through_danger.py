"""Paths through danger that changes with time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Floats
from fieldcraft.layers import Layer
from fieldcraft.layers.forecast import values_at
from fieldcraft.paths.cost import Cost, cell_values, read_costs, uniform_cost
from fieldcraft.paths.path import Path, PathProblem
from fieldcraft.paths.search.distances import incoming
from fieldcraft.paths.search.path_on_grid import problem_on
from fieldcraft.space import Grid, Space
from fieldcraft.space.adjacency import Adjacency, cached, cached_until_walls_change

Danger = Layer | ArrayLike | Callable[[float], Any]
"""A layer, an array of shape (T, *space.shape), or a function from seconds from now to a map."""

_MOST_STATES = 2**31 - 1
_ROUNDED = 1 - 1e-9
_SLOWEST = 1.5  # typical steps that an agent may walk in one time step


@dataclass(frozen=True, eq=False, repr=False)
class TimedPath(Path):
    """A path through danger that changes with time. An agent that waits has the same cell twice.

    Attributes
    ----------
    times : ndarray of float64
        When the agent is in each of the `cells`, in seconds from now.
    damage : float
        The damage along the path.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> danger = [[[0, 5, 0]], [[0, 5, 0]], [[0, 0, 0]]]
    >>> path = fc.shortest_path(fc.Grid(3, 1), (0.5, 0.5), (2.5, 0.5), danger=danger)
    >>> path
    <TimedPath of 3 s, length 2, damage 0>
    >>> path.position_at([0, 1.5, 3]).tolist()
    [[0.5, 0.5], [1.0, 0.5], [2.5, 0.5]]
    """

    times: Floats = field(default_factory=lambda: np.empty(0))
    damage: float = math.inf

    def position_at(self, times: ArrayLike) -> Floats:
        """Return the position of the agent at times in seconds from now: (2,) for one number, (N,
        2) for many.

        Before the first time it is at the start, after the last at the goal.
        """
        given = checks.array("times", times)
        if not self.found:
            raise InvalidValue(
                "A path that was not found has no positions",
                got=repr(self),
                remedy="Check `if path:` before",
            )
        wanted = checks.numbers("times", times, given.size if given.ndim < 2 else 1)
        return self.at(np.interp(wanted, self.times, self._milestones[0])).reshape(
            (*given.shape, self.space.dimensions)
        )

    _is_straight = True

    def __repr__(self) -> str:
        if not self.found:
            return "<TimedPath: not found>"
        return (
            f"<TimedPath of {self.times[-1] - self.times[0]:g} s, length {self.length:g},"
            f" damage {self.damage:g}>"
        )


class TimedProblem(PathProblem):
    """Paths through one danger, for one call."""

    def __init__(
        self,
        space: Space,
        cost: Cost,
        danger: Danger,
        speed: float,
        time_step: float | None,
        steps: int,
    ) -> None:
        self.space, self.walls = space, space.walls
        self._speed = checks.positive("speed", speed)
        typical = space.typical_step / self._speed
        self._step = typical if time_step is None else checks.positive("time_step", time_step)
        if self._step > _SLOWEST * typical:
            raise InvalidValue(
                f"In one time step an agent walks at most {_SLOWEST:g} steps of the space",
                got=f"time_step={self._step:g} where a step takes {typical:g} s",
                remedy=f"Pass time_step={typical:g} or less, and more steps to see as far ahead",
            )
        count = checks.integer("steps", steps, minimum=1)
        uniform = uniform_cost(cost)
        self._cost, self._least = np.array([uniform or 1.0]), uniform or 1.0
        if uniform is None:
            self._cost, self._least, _, infinite = read_costs(space, cost)
            if infinite and np.isinf(self._cost[~space.walls.reshape(-1)]).any():
                raise InvalidValue(
                    "With danger the cost of open cells is finite",
                    got="infinite costs",
                    remedy="Block cells by walls of the space",
                )
        self._norms = _norms(space, self._speed * self._step)
        self._safe = problem_on(space, cost, False)
        self._danger = self._frames(danger, count)
        blocks = range(0, len(self._danger), kernels.paths.danger.BLOCK)
        least = [self._danger[k : k + kernels.paths.danger.BLOCK].min(axis=0) for k in blocks]
        self._lowest = np.stack(least, axis=1)
        lowest = self._lowest.min(axis=1)
        bad = np.flatnonzero(~(lowest >= 0) & ~space.walls.reshape(-1))
        if len(bad):
            raise InvalidValue(
                "Danger is damage per second, 0 or more, or infinite where agents can't be",
                got=f"{lowest[bad[0]]:g} at {space.describe(int(bad[0]))}",
                remedy="Limit it to 0, such as lambda t: fc.maximum(threat.at(t), 0)",
            )

    def _frames(self, danger: Danger, count: int) -> NDArray[np.float32]:
        """Return the danger of each time step and cell, (T, N)."""
        given = None
        if not isinstance(danger, Layer) and not callable(danger):
            given = checks.array("danger", danger)
            if given.ndim == 0 or given.shape[1:] != self.space.shape or not len(given):
                raise InvalidValue(
                    f"danger is an array of shape (time steps, {self.space.axes}), a layer, or a"
                    " function of seconds",
                    got=f"shape {given.shape} on a space of {self.space.shape}",
                    remedy="Pass one array of the space's shape for each time step",
                )
            count = len(given)
        if count * len(self.space) > _MOST_STATES:
            raise InvalidValue(
                f"Time steps times cells are at most {_MOST_STATES:,}",
                got=f"{count} steps of {len(self.space)} cells",
                remedy="Pass fewer steps, or use a coarser map",
            )
        if given is not None:
            return np.ascontiguousarray(given, dtype=np.float32).reshape(count, -1)
        times = (self._step * np.arange(count)).tolist()
        if isinstance(danger, Layer):
            cell_values(self.space, danger, "danger")  # refuses another space
            frames: Iterator[Any] = values_at(danger, times)
        else:
            frames = (self._frame(danger(t)) for t in times)  # type: ignore[operator]
        out = np.empty((count, *self.space.shape), dtype=np.float32)
        for number, frame in enumerate(frames):
            out[number] = frame
        return out.reshape(count, -1)

    def _frame(self, values: Any) -> NDArray[Any]:
        """Return what a function says of the danger at a time, in the space's shape."""
        if values is None:
            raise InvalidValue(
                "A function of danger returns a map or a number for each time",
                got="None",
                remedy="Return a value, such as lambda t: 2 * threat.at(t)",
            )
        return cell_values(self.space, values, "danger")

    def solve(self, start: Floats, here: int, goal: Floats, there: int) -> TimedPath:
        """See `PathProblem.solve`."""
        space, danger = self.space, self._danger
        # The path without danger is often the best one; else its cost bounds the search.
        first_path = self._safe.solve(space.position_of(here), here, goal, there)
        if not first_path.found:
            return TimedPath(space, first_path.cells, math.inf, math.inf)
        ground = _ground(space).columns
        free = _free_scratch(space)
        scratch = free.pop() if free else None
        if scratch is None or len(scratch[1][0]) < danger.size:
            scratch = _new_scratch(len(space), danger.size)
        pace, half = self._speed * self._step, self._step / 2
        norms = (*self._norms[:-1], self._least, self._norms[-1])
        cells, steps, lasting, cost, damage = kernels.paths.danger.search(
            ground,
            self._cost,
            danger,
            self._lowest,
            first_path.cells,
            pace,
            half,
            norms,
            here,
            there,
            *scratch,
        )
        free.append(scratch)
        cells.flags.writeable = False
        if not len(cells):
            return TimedPath(space, cells, math.inf, math.inf)
        times = self._step * np.concatenate([[0], lasting.cumsum()])
        length = float(steps.sum())
        first = start if start.tolist() != space.position_of(here).tolist() else None
        return TimedPath(space, cells, length, float(cost), None, first, times, float(damage))


_HEAP = 1 << 16
_Scratch = tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]


def _new_scratch(cells: int, states: int) -> _Scratch:
    """Return the bounds, states and heaps of a search, see `kernels.paths.danger.search`."""
    bounds = np.full(cells, np.inf), np.empty(cells), np.zeros(cells, np.uint8)
    costs = np.empty(states), np.empty(states, np.int32), np.zeros(states + 1, np.int32)
    keys, places = np.empty((2, _HEAP)), np.empty((2, _HEAP), np.int64)
    return bounds, costs, (keys[0], places[0], np.empty(cells, np.int64), keys[1], places[1])


@cached
def _free_scratch(space: Space) -> list[_Scratch]:
    """Return the scratch of a space that no search is using."""
    return []


class _Ground(NamedTuple):
    """The arrays of a space for a search: `columns` are the steps from and to each cell and
    positions.

    `norm` is the norm of `kernels.paths.danger`, -1 on a torus. `lengths` are the lengths of
    steps, and
    `birds` their lengths in that norm, each pair once.
    """

    columns: Any
    norm: int
    lengths: Floats
    birds: Floats


@cached_until_walls_change
def _ground(space: Space) -> _Ground:
    """Return the arrays of a space for searches."""
    adjacency = space.adjacency
    starts, origins, order = incoming(adjacency)
    back = Adjacency(starts, origins, adjacency.lengths[order])
    places = np.ascontiguousarray(space.positions, dtype=np.float64)
    columns = [(each.starts, each.ends, each.lengths) for each in (adjacency, back)]
    steps = np.abs(places[adjacency.ends] - places[adjacency.origins])
    norm, birds = 0 if space.period is None else -1, np.sqrt((steps**2).sum(axis=1))
    if isinstance(space, Grid) and norm == 0 and len(steps):
        across = np.rint(steps / space.cell_size)
        if across.max() <= 1:
            norm, birds = (2, steps.sum(axis=1)) if across.sum(axis=1).max() <= 1 else (1, birds)
    pairs = np.unique(np.stack([adjacency.lengths, birds], axis=1), axis=0)
    return _Ground((*columns, places), norm, pairs[:, 0], pairs[:, 1])


def _norms(space: Space, pace: float) -> tuple[int, float, float, float, float, float]:
    """Return the lower bounds of lengths and time steps that `kernels.paths.danger` takes."""
    ground = _ground(space)
    lengths, birds = ground.lengths, ground.birds
    lasting = np.maximum(np.floor(lengths / pace + 0.5), 1)
    thrift = float((lengths / (lasting * pace)).min(initial=1.0)) * _ROUNDED
    if ground.norm < 0:
        return 0, 0.0, 0.0, 0.0, 0.0, thrift
    if ground.norm == 1:
        cell = cast(Grid, space).cell_size
        one, two = (max(math.floor(length / pace + 0.5), 1) for length in (cell, 2**0.5 * cell))
        quick = one / cell * _ROUNDED, (two - one) / cell * _ROUNDED
        return 1, _ROUNDED, (2**0.5 - 1) * _ROUNDED, *quick, thrift
    some = birds > 0
    straight = float((lengths[some] / birds[some]).min(initial=1.0)) * _ROUNDED
    return ground.norm, straight, 0.0, float((lasting / birds)[some].min(initial=1.0)), 0.0, thrift
