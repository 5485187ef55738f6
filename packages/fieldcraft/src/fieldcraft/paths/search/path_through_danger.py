"""Paths through danger that changes with time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.paths.danger_records import (
    CellBounds,
    DangerGround,
    DangerHeaps,
    FirstSteps,
    PathNorms,
    StateCosts,
    TimeSteps,
)
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.kernels.shared.step_lists import OutSteps
from fieldcraft.layers import Layer
from fieldcraft.layers.forecast import shared_futures, values_at
from fieldcraft.paths.cost import Cost, cell_values, read_costs, uniform_cost
from fieldcraft.paths.first_leg import has_waypoints, on_edges, share_of_edges
from fieldcraft.paths.path import Path
from fieldcraft.paths.search.distances import incoming
from fieldcraft.paths.search.path_on_grid import problem_on
from fieldcraft.paths.search.path_problem import PathProblem
from fieldcraft.space import Grid, Space
from fieldcraft.space.cached import cached, cached_until_walls_change
from fieldcraft.space.csr import NO_CELLS
from fieldcraft.space.space_saves import with_more_walls

Danger = Layer | ArrayLike | Callable[[float], Any]
"""A layer, an array of shape (T, *space.shape), or a function from seconds from now to a map."""

_MOST_STATES = 2**31 - 1
_MOST_TIME_STEPS = 1_000_000  # of a step from cell to cell
_ROUNDED = 1 - 1e-9
_FARTHEST = 1.5  # In one time step an agent walks at most so many typical steps.


@dataclass(frozen=True, eq=False, repr=False)
class TimedPath(Path):
    """A path through danger that changes with time. An agent that waits has the same cell twice.

    Attributes
    ----------
    times : ndarray of float64
        When the agent is in each of the `cells`, in seconds from now.
    damage : float
        The damage along the path.
    step_lengths : ndarray of float64
        The length of each step between two of the `cells`, 0 where the agent waits.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> danger = [[[0, 9, 0]], [[0, 0, 0]]]
    >>> path = fc.shortest_path(fc.Grid(3, 1), (0.5, 0.5), (2.5, 0.5), danger=danger)
    >>> path
    <TimedPath of 3 s, length 2, damage 0>
    >>> path.position_at([0, 1.5, 3]).tolist()
    [[0.5, 0.5], [1.0, 0.5], [2.5, 0.5]]
    """

    times: Floats = field(default_factory=lambda: np.empty(0))
    damage: float = math.inf
    step_lengths: Floats = field(default_factory=lambda: np.empty(0))

    @cached_property
    def positions(self) -> Floats:
        """The centers of the cells, (N, 2) world positions; the first one is the start, and so are
        those that follow while the agent waits there.

        (N, 3) on a 3D graph. Read-only.
        """
        if self.start is None:
            return super().positions
        places = self.space.position_of(self.cells)
        walks = np.flatnonzero(self.step_lengths > 0)
        if len(walks):
            left = int(walks[0])
        else:
            left = len(self.step_lengths)
        places[: left + 1] = self.start
        places.flags.writeable = False
        return places

    def _segment_lengths(self) -> Floats:
        return self.step_lengths

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
        self.space = space
        self.walls = space.walls
        self._speed = checks.positive("speed", speed)
        typical = space.typical_step / self._speed
        if time_step is None:
            self._step = typical
        else:
            self._step = checks.positive("time_step", time_step)
        if self._step > _FARTHEST * typical:
            raise InvalidValue(
                f"In one time step an agent walks at most {_FARTHEST:g} steps of the space",
                got=f"time_step={self._step:g} where a step takes {typical:g} s",
                remedy=f"Pass time_step={typical:g} or less, and more steps to see as far ahead",
            )
        count = checks.integer("steps", steps, minimum=1)
        uniform = uniform_cost(cost)
        self._cost = np.array([uniform or 1.0])
        self._least = uniform or 1.0
        ground = space
        if uniform is None:
            self._cost, self._least, _, infinite = read_costs(space, cost)
            if infinite:
                self.walls = space.walls | np.isinf(self._cost).reshape(space.shape)
                if isinstance(space, Grid):
                    # Diagonal steps don't cut the corners of these walls either.
                    ground = with_more_walls(space, self.walls)
        arrays = _ground(ground)
        self._leaving = arrays.leaving
        self._entering = arrays.entering
        self._pace = self._speed * self._step
        longest = float(_ground(space).lengths.max(initial=0.0))
        if longest > _MOST_TIME_STEPS * self._pace:
            raise InvalidValue(
                f"A step from cell to cell takes at most {_MOST_TIME_STEPS:,} time steps",
                got=f"a step of {longest:g} with speed={self._speed:g} and"
                f" time_step={self._step:g}",
                remedy="Pass a longer time_step",
            )
        self._norms = _norms(space, self._pace, self._least)
        self._longest = _duration(longest, self._pace)
        self._safe = problem_on(space, cost, False)
        self._danger = self._frames(danger, count)
        blocks = range(0, len(self._danger), kernels.paths.danger.BLOCK)
        least = [self._danger[k : k + kernels.paths.danger.BLOCK].min(axis=0) for k in blocks]
        lowest_of_blocks = np.stack(least, axis=1)
        self._danger_ground = DangerGround(
            self._leaving,
            self._entering,
            arrays.places,
            self._cost,
            self._danger,
            lowest_of_blocks,
        )
        lowest = lowest_of_blocks.min(axis=1)
        bad = np.flatnonzero(~(lowest >= 0) & ~self.walls.reshape(-1))
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
        out = np.empty((count, *self.space.shape), dtype=np.float32)
        if isinstance(danger, Layer):
            cell_values(self.space, danger, "danger")  # refuses another space
            for number, values in enumerate(values_at(danger, times)):
                out[number] = values
        else:
            danger_at = cast(Callable[[float], Any], danger)
            with shared_futures():
                for number, seconds in enumerate(times):
                    out[number] = self._frame(danger_at(seconds))
        return out.reshape(count, -1)

    def _frame(self, values: Any) -> NDArray[Any]:
        """Return the result of a function for the danger at a time, in the space's shape."""
        if values is None:
            raise InvalidValue(
                "A function of danger returns a map or a number for each time",
                got="None",
                remedy="Return a value, such as lambda t: 2 * threat.at(t)",
            )
        return cell_values(self.space, values, "danger")

    def solve(self, start: Floats, here: int, goal: Floats, there: int) -> TimedPath:
        """See `PathProblem.solve`."""
        space = self.space
        danger = self._danger
        center = space.position_of(here)
        # The path without danger is often the best one; else its cost bounds the search.
        first_path = self._safe.solve(center, here, goal, there)
        if not first_path.found:
            return _not_found(space)
        first = self._first_steps(start, here, there)
        if not len(first.ends):
            return self._already_there(here)
        free = _free_scratch(space)
        scratch = None
        if free:
            scratch = free.pop()
        states = len(danger) * (len(space) + 1)
        if scratch is None or len(scratch[1].best) < states:
            scratch = _new_scratch(len(space), states)
        longest = max(self._longest, _duration(first.lengths.max(), self._pace))
        places, steps, lasting, cost, damage = kernels.paths.danger.search(
            self._danger_ground,
            FirstSteps(first.ends, first.lengths),
            first_path.cells,
            self._norms,
            TimeSteps(self._pace, self._step, longest),
            here,
            there,
            *scratch,
        )
        free.append(scratch)
        if not len(places):
            return _not_found(space)
        times = self._step * np.concatenate([[0], lasting.cumsum()])
        length = float(steps.sum())
        cells = np.where(places < len(space), places, here)
        cells.flags.writeable = False
        stepped_to = places[places < len(space)][0]
        if first.from_start[first.ends == stepped_to].any():
            begin = start
        else:
            begin = None
        return TimedPath(
            space, cells, length, float(cost), None, begin, times, float(damage), steps
        )

    def _already_there(self, here: int) -> TimedPath:
        """Return the path of an agent at the center of its goal."""
        if np.isinf(self._danger[0, here]):
            return _not_found(self.space)
        cells = np.array([here])
        times = np.zeros(1)
        steps = np.empty(0)
        cells.flags.writeable = False
        return TimedPath(self.space, cells, 0.0, 0.0, None, None, times, 0.0, steps)

    def _first_steps(self, start: Floats, here: int, there: int) -> _FirstSteps:
        """Return the steps by which a path to the cell `there` may begin at a start in the cell
        `here`; none for an agent at the center of its goal.
        """
        space = self.space
        leaving = self._leaving
        arcs = slice(leaving.starts[here], leaving.starts[here + 1])
        ends = leaving.ends[arcs].astype(np.int64)
        lengths = leaving.lengths[arcs].copy()
        from_start = np.zeros(len(ends), dtype=np.bool_)
        if start.tolist() != space.position_of(here).tolist():
            to_center = math.inf
            if has_waypoints(space):
                # Agents keep to the edges; one beside all edges starts at the vertex.
                from_start = on_edges(space, start, here, ends)
                share = share_of_edges(space, start, here, ends)
                lengths = np.where(from_start, (1 - share) * lengths, lengths)
                to_center = self._back_along_edge(start, here)
                if to_center < math.inf:
                    ends = ends[from_start]
                    lengths = lengths[from_start]
                    from_start = from_start[from_start]
            else:
                away = space.shortest_vectors(space.position_of(ends) - start)
                lengths = np.sqrt((away**2).sum(axis=1))
                from_start[:] = True
                if here == there:
                    leg = space.shortest_vectors(space.position_of(here) - start)
                    to_center = math.hypot(*leg.tolist())
            if to_center < math.inf:
                ends = np.append(ends, here)
                lengths = np.append(lengths, to_center)
                from_start = np.append(from_start, True)
        if here == there and not (ends == here).any():
            ends = ends[:0]
            lengths = lengths[:0]
            from_start = from_start[:0]
        return _FirstSteps(ends, lengths, from_start)

    def _back_along_edge(self, start: Floats, here: int) -> float:
        """Return the length from a start along an edge to the vertex `here`; infinite if no edge
        leads there.
        """
        entering = self._entering
        arcs = slice(entering.starts[here], entering.starts[here + 1])
        origins = entering.ends[arcs].astype(np.int64)
        lengths = entering.lengths[arcs]
        leads = on_edges(self.space, start, here, origins)
        rest = share_of_edges(self.space, start, here, origins) * lengths
        return float(rest[leads].min(initial=math.inf))


class _FirstSteps(NamedTuple):
    """The steps by which a path may begin: the cells to which they lead, their lengths, and whether
    they begin at the start; others begin at the center of its cell.
    """

    ends: Ints
    lengths: Floats
    from_start: NDArray[np.bool_]


def _not_found(space: Space) -> TimedPath:
    return TimedPath(space, NO_CELLS, math.inf, math.inf)


def _duration(length: float, pace: float) -> int:
    """Return the number of time steps that a step of this length takes."""
    return max(math.floor(length / pace + 0.5), 1)


_HEAP = 1 << 16
_Scratch = tuple[CellBounds, StateCosts, DangerHeaps]


def _new_scratch(cells: int, states: int) -> _Scratch:
    """Return the bounds, states and heaps of a search, see `kernels.paths.danger.search`."""
    bounds = CellBounds(
        rest=np.full(cells, np.inf), lows=np.empty(cells), closed=np.zeros(cells, np.uint8)
    )
    costs = StateCosts(
        best=np.empty(states),
        came=np.empty(states, np.int32),
        turns=np.zeros(states + 1, np.int32),
    )
    heaps = DangerHeaps(
        bound_keys=np.empty(_HEAP),
        bound_cells=np.empty(_HEAP, np.int64),
        touched=np.empty(cells, np.int64),
        keys=np.empty(_HEAP),
        states=np.empty(_HEAP, np.int64),
    )
    return bounds, costs, heaps


@cached
def _free_scratch(space: Space) -> list[_Scratch]:
    """Return the scratch of a space that no search is using."""
    return []


class _Ground(NamedTuple):
    """The arrays of a space for a search: the steps that leave and enter each cell, and positions.

    `norm` is that of `PathNorms`. `lengths` are the lengths of steps, and `straight` their lengths
    in that norm, each pair once; a step over a seam is as long as the map.
    """

    leaving: OutSteps
    entering: OutSteps
    places: Floats
    norm: int
    lengths: Floats
    straight: Floats


@cached_until_walls_change
def _ground(space: Space) -> _Ground:
    """Return the arrays of a space for searches."""
    adjacency = space.adjacency
    starts, origins, order = incoming(adjacency)
    places = np.ascontiguousarray(space.positions, dtype=np.float64)
    leaving = OutSteps(adjacency.starts, adjacency.ends, adjacency.lengths)
    entering = OutSteps(starts, origins, adjacency.lengths[order])
    if (
        np.array_equal(leaving.starts, entering.starts)
        and np.array_equal(leaving.ends, entering.ends)
        and np.array_equal(leaving.lengths, entering.lengths)
    ):
        entering = leaving  # half of the memory, which a search reads in no order
    steps = np.abs(places[adjacency.ends] - places[adjacency.origins])
    norm = 0
    straight = np.sqrt((steps**2).sum(axis=1))
    if isinstance(space, Grid) and space.period is None and len(steps):
        across = np.rint(steps / space.cell_size)
        if across.sum(axis=1).max() <= 1:
            norm = 2
            straight = steps.sum(axis=1)
        elif across.max() <= 1:
            norm = 1
    pairs = np.unique(np.stack([adjacency.lengths, straight], axis=1), axis=0)
    return _Ground(leaving, entering, places, norm, lengths=pairs[:, 0], straight=pairs[:, 1])


def _norms(space: Space, pace: float, least: float) -> PathNorms:
    """Return the lower bounds of lengths and time steps on a space."""
    ground = _ground(space)
    lengths = ground.lengths
    lasting = np.maximum(np.floor(lengths / pace + 0.5), 1)
    thrift = float((lengths / (lasting * pace)).min(initial=1.0)) * _ROUNDED
    if ground.norm == 1:
        cell = cast(Grid, space).cell_size
        one = _duration(cell, pace)
        two = _duration(2**0.5 * cell, pace)
        return PathNorms(
            1,
            straight=_ROUNDED,
            diagonal=(2**0.5 - 1) * _ROUNDED,
            quick=one / cell * _ROUNDED,
            quicker=(two - one) / cell * _ROUNDED,
            least=least,
            thrift=thrift,
        )
    some = ground.straight > 0
    straight = float((lengths[some] / ground.straight[some]).min(initial=1.0)) * _ROUNDED
    quick = float((lasting[some] / ground.straight[some]).min(initial=1.0))
    return PathNorms(ground.norm, straight, 0.0, quick, 0.0, least, thrift)
