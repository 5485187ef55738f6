"""Ways through danger that changes with time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.layer import Layer
from fieldcraft.layer.forecast import values_at
from fieldcraft.paths.cost import Cost, cell_values, read_costs, uniform_cost
from fieldcraft.paths.path import Path, PathProblem
from fieldcraft.space import Grid, Space
from fieldcraft.space.ways import Ways, kept, kept_until_walls_change

__all__ = ["Danger", "TimedPath", "TimedProblem"]

Danger = Layer | ArrayLike | Callable[[float], Any]
"""A layer, an array of shape (T, *space.shape), or a function from seconds from now to a map."""

Ints = NDArray[np.int64]
Wide = NDArray[np.float64]
_MOST_STATES = 2**31 - 1
_SLOWEST = 1.5  # typical steps that an agent may walk in one time step


@dataclass(frozen=True, eq=False, repr=False)
class TimedPath(Path):
    """A way through danger that changes with time. An agent that waits has the same cell twice.

    Attributes
    ----------
    times : ndarray of float64
        When the agent is in each of the `cells`, in seconds from now.
    damage : float
        What it suffers on the way.
    """

    times: Wide = field(default_factory=lambda: np.empty(0))
    damage: float = math.inf

    def position_at(self, times: ArrayLike) -> Wide:
        """Return where the agent is so many seconds from now: (2,) for one number, (N, 2) for many.

        Before the first time it is at the start, after the last at the goal.
        """
        given = checks.array("times", times)
        if not self.found:
            raise InvalidValue(
                "A path that was not found leads nowhere",
                got=repr(self),
                remedy="Ask `if path:` before walking on it",
            )
        wanted = checks.numbers("times", times, given.size if given.ndim < 2 else 1)
        return self.at(np.interp(wanted, self.times, self._milestones[0])).reshape(
            (*given.shape, self.space.dimensions)
        )

    @cached_property
    def _milestones(self) -> tuple[Wide, Wide]:
        legs = self.space.short_way(np.diff(self.positions, axis=0))
        begin = np.zeros((1, self.space.dimensions))
        walked = np.concatenate([[0.0], np.cumsum(np.sqrt((legs**2).sum(axis=1)))])
        return walked, self.positions[0] + np.concatenate([begin, np.cumsum(legs, axis=0)])

    def __repr__(self) -> str:
        if not self.found:
            return "<TimedPath: there is no way>"
        return (
            f"<TimedPath of {self.times[-1] - self.times[0]:g} s, length {self.length:g},"
            f" damage {self.damage:g}>"
        )


class TimedProblem(PathProblem):
    """Ways through one danger, for one call."""

    def __init__(
        self,
        space: Space,
        cost: Cost,
        danger: Danger,
        start_time: float,
        speed: float,
        time_step: float | None,
        steps: int,
    ) -> None:
        self.space, self.walls = space, space.walls
        self._speed = checks.positive("speed", speed)
        self._begin = checks.not_negative("start_time", start_time)
        typical = space.typical_step / self._speed
        self._step = typical if time_step is None else checks.positive("time_step", time_step)
        if self._step > _SLOWEST * typical:
            raise InvalidValue(
                f"In one time step an agent walks at most {_SLOWEST:g} steps of the space",
                got=f"time_step={self._step:g} where a step takes {typical:g} s",
                remedy=f"Pass time_step={typical:g} or less, and more steps to see as far ahead",
            )
        count = checks.whole("steps", steps, minimum=1)
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
        self._danger = self._frames(danger, count)
        self._lowest = self._danger.min(axis=0)
        bad = np.flatnonzero(~(self._lowest >= 0) & ~space.walls.reshape(-1))
        if len(bad):
            raise InvalidValue(
                "Danger is damage a second, 0 or more; infinite where nobody can be",
                got=f"{self._lowest[bad[0]]:g} at {space.describe(int(bad[0]))}",
                remedy="Cut it off at 0, such as lambda t: fc.maximum(threat.at(t), 0)",
            )

    def _frames(self, danger: Danger, count: int) -> NDArray[np.float32]:
        """Return the danger of each time step and cell, (T, N)."""
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
            frames: Iterator[Any] = iter(())
            out = np.ascontiguousarray(given, dtype=np.float32)
        else:
            times = self._begin + self._step * np.arange(count)
            if isinstance(danger, Layer):
                cell_values(self.space, danger)  # refuses another space
                frames = values_at(danger, times.tolist())
            else:
                frames = (cell_values(self.space, danger(t)) for t in times.tolist())
            out = np.empty((count, *self.space.shape), dtype=np.float32)
        if count * len(self.space) > _MOST_STATES:
            raise InvalidValue(
                f"Time steps times cells are at most {_MOST_STATES:,}",
                got=f"{count} steps of {len(self.space)} cells",
                remedy="Look less far ahead, or on a coarser map",
            )
        for number, frame in enumerate(frames):
            out[number] = frame
        return out.reshape(count, len(self.space))

    def solve(self, start: Wide, here: int, goal: Wide, there: int) -> TimedPath:
        """See `PathProblem.solve`."""
        space, danger = self.space, self._danger
        ground, norm, ratio = _ground(space)
        free = _free_scratch(space)
        bounds, states = free.pop() if free else (None, None)
        if bounds is None or len(states[0]) < danger.size:
            cells, size = len(space), danger.size
            bounds = np.full(cells, np.inf), np.zeros(cells, np.int32)
            states = np.empty(size), np.empty(size, np.int32), np.zeros(size + 1, np.int64)
        pace = self._speed * self._step
        way, cost = kernels.danger.search(
            ground,
            self._cost,
            danger,
            self._lowest,
            here,
            there,
            pace,
            self._step,
            norm,
            ratio,
            self._least,
            bounds,
            states,
        )
        free.append((bounds, states))
        if not len(way):
            return TimedPath(space, np.zeros(0, dtype=np.int64), math.inf, math.inf)
        step, cells = np.divmod(way, len(space))
        legs = np.sqrt((space.short_way(np.diff(space.position_of(cells), axis=0)) ** 2).sum(1))
        moving = cells[1:] != cells[:-1]
        ways = ground[0]
        lengths = np.zeros(len(legs))
        for i in np.flatnonzero(moving):
            arcs = slice(ways[0][cells[i]], ways[0][cells[i] + 1])
            lengths[i] = ways[2][arcs][ways[1][arcs] == cells[i + 1]].min()
        lasting = np.maximum((lengths / pace + 0.5).astype(np.int64), 1)
        met = danger[step, cells].astype(np.float64)
        damage = float((lasting * self._step * (met[1:] + met[:-1]) / 2).sum())
        times = self._begin + self._step * np.concatenate([[0], lasting.cumsum()])
        cells.flags.writeable = False
        length = float(lengths.sum())
        first = start if start.tolist() != space.position_of(here).tolist() else None
        return TimedPath(space, cells, length, float(cost), None, first, times, damage)

    def solve_band(self, starts: Wide, here: Ints, goals: Wide, there: Ints) -> list[Path]:
        """See `PathProblem.solve_band`."""
        pairs = zip(starts, here.tolist(), goals, there.tolist(), strict=True)
        return [self.solve(*pair) for pair in pairs]


@kept
def _free_scratch(space: Space) -> list[tuple[Any, Any]]:
    """Return the scratch of a space that no search is using."""
    return []


@kept_until_walls_change
def _ground(space: Space) -> tuple[Any, int, float]:
    """Return the steps from and to each cell with the positions, and how ways are bounded."""
    ways = space.ways
    order = np.argsort(ways.ends, kind="stable")
    starts = np.concatenate([[0], np.bincount(ways.ends, minlength=len(space)).cumsum()])
    back = Ways(starts, ways.origins[order].astype(np.int32), ways.lengths[order])
    norm, ratio = 0, 0.0
    places = np.ascontiguousarray(space.positions, dtype=np.float64)
    if space.period is None and len(ways.ends):
        legs = np.abs(places[ways.ends] - places[ways.origins])
        if isinstance(space, Grid):
            cells = np.rint(legs / space.cell_size)
            norm = 0 if cells.max() > 1 else 2 if cells.sum(axis=1).max() <= 1 else 1
        if norm == 1:
            bird = legs.max(axis=1) + (math.sqrt(2) - 1) * legs.min(axis=1)
        else:
            bird = legs.sum(axis=1) if norm == 2 else np.sqrt((legs**2).sum(axis=1))
        some = bird > 0
        ratio = float((ways.lengths[some] / bird[some]).min(initial=1.0)) * (1 - 1e-9)
    columns = [(each.starts, each.ends, each.lengths) for each in (ways, back)]
    return (*columns, places), norm, ratio
