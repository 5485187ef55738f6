"""Pursuit: a flood of the places where a fleeing target may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.base.interruption import atomic
from fieldcraft.base.missing_names import SuggestingArguments
from fieldcraft.base.words import Estimate, IfOutside
from fieldcraft.pursuit.likely_places import assigned, estimate
from fieldcraft.pursuit.pursuit_checks import (
    cells_behind,
    check_flood,
    heading_of,
    interval_of,
    plain_integer,
    plain_numbers,
    resolve_last_seen,
)
from fieldcraft.pursuit.pursuit_flood import LAST_STEP, NEVER, Flood, heat_of, mask_of
from fieldcraft.space import Space
from fieldcraft.space.changes import UNKNOWN
from fieldcraft.space.kinds import checked_space
from fieldcraft.values.operand import Operand

_TAIL_STEPS = 12
_ARRAYS = ("state", "ignited", "lit", "barrier_cells", "marks")
_STUCK = "with nowhere left to go"
_NOTHING_SHOWN = (-1, np.zeros(0, dtype=np.float32))


class Pursuit(Operand, SuggestingArguments):
    """A flood from the last sighting of a target, in front of it.

    The cell of the sighting is hot. In each step hot cells ignite their untouched neighbors, and
    ignited cells cool by a constant. So the hot front is where a target is that runs, and the warm
    cells behind it where it may have stopped.

    Behind the target is a barrier that the flood does not enter: cells whose direction from the
    sighting differs from the velocity by more than `barrier_angle`. It grows with the flood, up to
    the distance `tail`, and does not cool; beyond it the flood comes round.

    Where a front has no cells left to enter but those of the barrier, such as in a dead end, the
    target must have turned: the barrier is dropped, and the flood goes on into its cells.

    A flood with no cells left to enter cools to 0 and is `stopped`. When walls change, it continues
    from its last front. New walls become cold; opened cells ignite if the front is beside them.

    `observe` clears cells in view. A flood that is cold everywhere then begins anew.

    A pursuit is a map like a layer: its `values`, the heat, can be sampled, drawn and used in
    queries and live expressions.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        Where the target walks. The flood follows its walls.
    last_seen : array_like of shape (2,), or int
        World position, on a 3D graph of shape (3,), or a cell; open.
    velocity : array_like of shape (2,), optional
        World units per second, in 3D with or without z. There is no barrier if absent.
    speed : float, optional
        Speed of the front, world units per second; the size of the velocity if absent.
    blocked : array_like, optional
        Cells that the target cannot have entered: ids, or bool in the space's shape.
    barrier_angle : float, optional
        Degrees from the velocity beyond which cells are behind the target, above 0 up to 180.
    tail : float, optional
        Largest distance of the barrier from the sighting, world units; twelve typical steps if
        absent.
    cooling : float, optional
        Heat that a cell loses in each step after its first, above 0 up to 1.
    every : float, optional
        Seconds from step to step; the time of a typical step if absent.
    most_hot : int, optional
        The flood stops before a step after which more cells would be warm.
    most_steps : int, optional
        The flood stops after this many steps. Stopped by one of the two, it does not cool.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    OutsideMap
        If a position is outside the map.
    OnWall
        If the position is in a wall or blocked. The message names the nearest possible cell.

    References
    ----------
    L. Couvidou, "Flooding the Influence Map for Chase in Dishonored 2", Game AI Pro Online Edition
    2021.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> pursuit = fc.Pursuit(fc.Grid(7, 1), (2.5, 0.5), velocity=(1.0, 0.0), cooling=0.25)
    >>> pursuit.advance(2.0)
    True
    >>> pursuit.values
    array([[0.  , 0.  , 0.5 , 0.75, 1.  , 0.  , 0.  ]], dtype=float32)
    >>> pursuit.observe([4])
    True
    >>> pursuit.estimate("peak")
    array([3.5, 0.5])
    """

    name = "pursuit"

    def __init__(
        self,
        space: Space,
        last_seen: ArrayLike,
        velocity: ArrayLike | None = None,
        *,
        speed: float | None = None,
        blocked: ArrayLike | None = None,
        barrier_angle: float = 100.0,
        tail: float | None = None,
        cooling: float = 0.1,
        every: float | None = None,
        most_hot: int = 20_000,
        most_steps: int = 500,
    ) -> None:
        start, self.last_seen = resolve_last_seen(checked_space(space), last_seen)
        heading, own_speed = heading_of(velocity, space.dimensions)
        if speed is None:
            pace = own_speed
        else:
            pace = checks.positive("speed", speed)
        if pace is None:
            raise InvalidValue(
                "A flood has a speed",
                got="neither velocity nor speed",
                remedy="Pass speed=, world units a second",
            )
        angle = checks.positive("barrier_angle", barrier_angle, maximum=180)
        step = space.typical_step
        self.cooling = checks.fraction("cooling", checks.positive("cooling", cooling))
        self.every = interval_of(step, pace, every)
        self.most_hot = checks.integer("most_hot", most_hot, minimum=1)
        self.most_steps = checks.integer("most_steps", most_steps, minimum=1)
        if tail is None:
            reach = _TAIL_STEPS * step
        else:
            reach = checks.not_negative("tail", tail)
        is_behind = cells_behind(space, self.last_seen, heading, math.radians(angle), reach)
        self.space = space
        self._flood = Flood(space, start, mask_of(space, blocked), is_behind, self.cooling)
        if self._flood.state[start] == kernels.pursuit.flood_steps.BLOCKED:
            nearest = tuple(space.position_of(self._flood.origin()).tolist())
            remedy = "Block less"
            if (self._flood.state == kernels.pursuit.flood_steps.UNTOUCHED).any():
                remedy = f"Pass the nearest possible position, {nearest}"
            raise OnWall(
                "A target is last seen in an open cell that is not blocked",
                got=f"{tuple(self.last_seen.tolist())}",
                remedy=remedy,
            )
        self._flood.state[start] = kernels.pursuit.flood_steps.HEAT
        self._flood.ignited[start] = 0
        self._ticks = 0
        self._shown: tuple[int, NDArray[np.float32]] = _NOTHING_SHOWN

    def __repr__(self) -> str:
        text = f"Pursuit after {self.steps} steps, {len(self.hot)} hot cells"
        if self.stopped is not None:
            text += f", {self.stopped}"
        return f"<{text}>"

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_shown": _NOTHING_SHOWN}

    @property
    def steps(self) -> int:
        """The number of steps of the flood."""
        return self._flood.steps

    @property
    def stopped(self) -> str | None:
        """Why the flood has stopped; None while it runs."""
        return self._flood.stopped

    @property
    def restarts(self) -> int:
        """How often the flood was wrong and began again."""
        return self._flood.restarts

    # The flood

    @atomic
    def step(self, count: int = 1) -> bool:
        """Make some steps, and return whether the flood still runs; `stopped` has the reason if
        not. A flood with no cells left to enter only cools.
        """
        wanted = checks.integer("count", count)
        self._flood.follow_walls()
        if wanted and self._flood.stopped is None:
            wanted -= self._go_on(wanted)
            self._flood.changes += 1
        if wanted and self._flood.stopped == _STUCK:
            cooled = min(self.steps + wanted, LAST_STEP)
            self._flood.marks[kernels.pursuit.flood_steps.STEPS] = cooled
            self._flood.changes += 1
        return self._flood.stopped is None

    def _go_on(self, wanted: int) -> int:
        """Make up to `wanted` steps of the front, and return how many were made."""
        flood = self._flood
        before = self.steps
        left = max(self.most_steps - self.steps, 0)
        end = flood.make_steps(min(wanted, left), self.most_hot)
        if end == kernels.pursuit.flood_steps.STUCK and flood.drop_barrier():
            made = self.steps - before
            end = flood.make_steps(min(wanted, left) - made, self.most_hot)
        if end != kernels.pursuit.flood_steps.RUNS:
            if end == kernels.pursuit.flood_steps.TOO_HOT:
                self._flood.stopped = "with too many hot cells"
            else:
                self._flood.stopped = _STUCK
        elif wanted > left:
            self._flood.stopped = f"after {self.most_steps} steps"
        return self.steps - before

    @atomic
    def advance(self, dt: float) -> bool:
        """Advance time by `dt` seconds; return whether the flood still runs, see `step`."""
        ticks = self._ticks + clock.ticks("dt", dt)
        due, self._ticks = divmod(ticks, clock.ticks("every", self.every))
        return self.step(due)

    @atomic
    def observe(self, view: ArrayLike) -> bool:
        """Record that the target is not in the cells in view, and return whether that was possible.

        Cells in view become cold and untouched: the flood does not go on from there, but may
        return. If no cell is warm then, the flood continues where the target comes out of view, if
        it cannot have done so before. Else the flood was wrong: it begins anew without a barrier,
        hot in all cells out of view that the target can have reached, and `restarts` is counted up.

        Parameters
        ----------
        view : array_like
            Cells in view: bool in the space's shape, or cell ids. Call it after `advance`.

        Returns
        -------
        bool
            False if the flood began anew, or all cells in reach are in view.
        """
        seen = mask_of(self.space, view)
        self._flood.follow_walls()
        self._flood.forget(seen & (self._flood.state == kernels.pursuit.flood_steps.HEAT))
        return bool(self.values.any()) or self._flood.begin_anew(seen)

    # Answers

    @property
    def version(self) -> int:
        """A number that changes when the values may have changed."""
        return self._flood.changes + self.space.walls_version

    @property
    def values(self) -> NDArray[np.float32]:
        """The heat, float32 in the space's shape: 1 in hot cells, less in cooling ones, else 0;
        read-only.
        """
        if self._shown[0] != self.version:
            is_cold = (self._flood.ignited == NEVER) | self._flood.impassable_now()
            heat = np.where(
                is_cold, np.float32(0), heat_of(self.cooling, self.steps - self._flood.ignited)
            )
            heat.flags.writeable = False
            self._shown = (self.version, heat.reshape(self.space.shape))
        return self._shown[1]

    @property
    def barrier(self) -> NDArray[np.bool_]:
        """The cells of the barrier, bool in the space's shape."""
        listed = self._flood.state == kernels.pursuit.flood_steps.BARRIER
        return np.asarray(listed & ~self._flood.impassable_now()).reshape(self.space.shape)

    @property
    def hot(self) -> NDArray[np.int64]:
        """The cells of the hot front."""
        front = self._flood.front()
        is_hot = self._flood.ignited[front] == self.steps
        return np.asarray(front[is_hot & ~self._flood.impassable_now()[front]])

    @property
    def time(self) -> float:
        """The seconds that the flood has run."""
        return clock.seconds(self.steps * clock.ticks("every", self.every))

    def estimate(self, how: Estimate = "medoid") -> NDArray[np.float64]:
        """Return one world position; that of the last sighting if no cell is warm.

        Parameters
        ----------
        how : {"medoid", "mean", "peak"}, optional
            The warm cell nearest to the mean; the mean of the heat, which may be in a wall; or the
            hottest cell, of equal ones the nearest to the mean.
        """
        return estimate(self.space, *self._warm(), how)

    def assign(
        self, agents: ArrayLike, *, spacing: float | None = None, outside: IfOutside = "refuse"
    ) -> NDArray[np.float64]:
        """Return a place for each searcher, warm cells, the hottest first.

        Places are assigned so that the sum of the walks is smallest. Searchers without a path to
        any place get one too.

        Parameters
        ----------
        agents : array_like of shape (N, 2)
            World positions of the searchers; on a 3D graph of shape (N, 3).
        spacing : float, optional
            Smallest distance between places, as long as there is room, world units; four typical
            steps if absent.
        outside : {"refuse", "clamp"}, optional
            With "clamp" agents off the map are moved to its border.

        Returns
        -------
        ndarray of shape (N, 2)
            World positions in the order of the agents.
        """
        return assigned(self.space, *self._warm(), agents, spacing, outside)

    def state(self) -> dict[str, Any]:
        """Return the state as plain data to save."""
        arrays = {name: getattr(self._flood, name).copy() for name in _ARRAYS}
        return arrays | {
            "ticks": self._ticks,
            "stopped": self._flood.stopped,
            "restarts": self._flood.restarts,
        }

    @atomic
    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue bit for bit from the `state` of a pursuit with the same arguments.

        Raises
        ------
        InvalidValue
            For anything else.
        """
        flood = self._flood
        arrays = [
            plain_numbers(state, name, getattr(flood, name).shape, kinds="iu") for name in _ARRAYS
        ]
        check_flood(self._flood.start, *arrays)
        ticks = plain_integer(state, "ticks", below=clock.ticks("every", self.every))
        restarts = plain_integer(state, "restarts")
        stopped = state.get("stopped")
        self._flood.follow_walls()
        for name, array in zip(_ARRAYS, arrays, strict=True):
            setattr(flood, name, array.astype(getattr(flood, name).dtype))
        self._ticks = ticks
        self._flood.restarts = restarts
        if stopped is None:
            self._flood.stopped = None
        else:
            self._flood.stopped = str(stopped)
        is_blocked = flood.state == kernels.pursuit.flood_steps.BLOCKED
        if (is_blocked != flood.impassable).any():
            # The state is older than the walls.
            flood.stopped = None
            flood.walls_version = UNKNOWN
        flood.changes += 1

    def _warm(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        flat = self.values.reshape(-1)
        cells = np.flatnonzero(flat)
        if not len(cells):
            return np.array([self._flood.origin()]), np.ones(1)
        return cells, flat[cells].astype(np.float64)
