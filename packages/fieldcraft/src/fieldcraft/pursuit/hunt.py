"""Pursuit: where may a fugitive be, from where it was last seen and which way it ran."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock, kernels
from fieldcraft.errors import InvalidValue, OnWall
from fieldcraft.interruption import atomic
from fieldcraft.pursuit.arguments import (
    behind,
    check_flood,
    heading_of,
    interval_of,
    place,
    plain_numbers,
    plain_whole,
)
from fieldcraft.pursuit.estimates import assigned, estimate
from fieldcraft.pursuit.flood import LAST_STEP, NEVER, Flood, heat_of, mask_of, steps_warm
from fieldcraft.space import Space
from fieldcraft.space.kinds import checked_space

__all__ = ["Pursuit"]

_TAIL_STEPS = 12
_STUCK = "with nowhere left to go"


class Pursuit(Flood):
    """A flood from where a fugitive was last seen, that keeps in front of the way it ran.

    The cell it was seen in is hot. In each step hot cells ignite their untouched neighbours and
    begin to cool by a constant.
    Behind the fugitive stands a barrier that the flood does not enter: cells whose direction from
    where it was seen is more than `barrier_angle` away from its velocity. It grows as the flood
    does, out to `tail`, and does not cool; beyond that the flood comes round. So the hot front is
    where it is if it runs, and the warm ground behind that where it may have stopped.

    Where it has nowhere left to go it cools to nothing. It is `stopped` then, and its last front
    waits unseen: when the walls change, the flood goes on from there, through a door that was
    opened.

    Where a wall is built it is cold from then on; where one is opened, the flood enters if its
    front is beside it.

    Told by `observe` what searchers see, it does not go through where the fugitive is not, and it
    begins anew once it is cold everywhere.

    It is a map like a layer: its `values`, the heat, go into questions, windows and expressions,
    which stay live.

    Parameters
    ----------
    space : Space
        A grid or a graph. The flood follows its walls.
    last_seen : array_like
        World position on open ground, or a cell.
    velocity : array_like, optional
        The last one, world units a second (in 3D z may be left out), or None if nothing is known of
        the way it went; then there is no barrier.
    speed : float, optional
        How fast the front moves on, world units a second; by default as fast as it ran.
    blocked : array_like, optional
        Cells it cannot have entered: ids, or bool in the space's shape.
    barrier_angle : float, optional
        Degrees from the velocity beyond which ground is behind it, above 0 up to 180.
    tail : float, optional
        How far the barrier reaches from where it was seen, world units; by default twelve typical
        steps.
    cooling : float, optional
        What a cell cools by in each step after its first, above 0 up to 1.
    every : float, optional
        Seconds from step to step; by default the time of a typical step.
    most_hot : int, optional
        The flood stops before a step after which more cells than this would be warm, hot ones and
        those that cool.
    most_steps : int, optional
        It stops after this many. Stopped by one of the two it stays as it is.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    OutsideMap
        If a position is outside the map.

    References
    ----------
    The chase of Dishonored 2, as told by Laurent Couvidou, "Flooding the Influence Map for Chase in
    Dishonored 2", Game AI Pro Online Edition 2021.
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
        self.space = checked_space(space)
        start, self.last_seen = place(space, last_seen)
        heading, own_speed = heading_of(velocity, space.dimensions)
        pace = own_speed if speed is None else checks.positive("speed", speed)
        if pace is None:
            raise InvalidValue(
                "A flood has a speed",
                got="neither velocity nor speed",
                remedy="Pass speed=, world units a second",
            )
        angle = checks.positive("barrier_angle", barrier_angle)
        if angle > 180:
            raise InvalidValue(
                "barrier_angle is at most 180 degrees",
                got=f"{angle:g}",
                remedy="Pass 180 for no barrier",
            )
        step = space.typical_step
        self.cooling = checks.fraction("cooling", checks.positive("cooling", cooling))
        self._lasts = steps_warm(self.cooling)
        self.every = interval_of(step, pace, every)
        self.most_hot = checks.integer("most_hot", most_hot, minimum=1)
        self.most_steps = checks.integer("most_steps", most_steps, minimum=1)
        reach = _TAIL_STEPS * step if tail is None else checks.not_negative("tail", tail)
        self._ways = space.adjacency
        self._walls_version = space.walls_version
        self._blocked = mask_of(space, blocked)
        self._barred = space.walls.reshape(-1) | self._blocked
        self._state = self._barred.view(np.uint8) * np.uint8(kernels.flood.BLOCKED)
        self._start = start
        if self._state[start] == kernels.flood.BLOCKED:
            nearest = tuple(space.position_of(self._origin()).tolist())
            is_any = bool((self._state == kernels.flood.UNTOUCHED).any())
            raise OnWall(
                "A fugitive is last seen on open ground, which is not blocked",
                got=f"{tuple(self.last_seen.tolist())}",
                remedy=(
                    f"Pass the nearest cell where he can be, {nearest}" if is_any else "Block less"
                ),
            )
        self._behind = behind(space, self.last_seen, heading, math.radians(angle), reach)
        self._behind[start] = False
        self._ignited = np.full(len(space), NEVER, dtype=np.int32)
        self._lit, self._shut = (np.zeros(len(space), dtype=np.int32) for _ in range(2))
        # The flood and the barrier begin in the same cell; there the barrier itself does not stand.
        self._lit[0] = self._shut[0] = start
        self._state[start] = kernels.flood.HEAT
        self._ignited[start] = 0
        self._marks = np.array([0, 1, 0, 1, 0], dtype=np.int64)
        self.restarts = 0
        self._changes = 0
        self.stopped: str | None = None
        self._ticks = 0
        self._seen = (-1, np.zeros(0, dtype=np.float32))

    def __repr__(self) -> str:
        return (
            f"<Pursuit after {self.steps} steps, {len(self.hot)} hot"
            f" cells{', ' + self.stopped if self.stopped else ''}>"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("_ways", "_seen", "_ops")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._ways = self.space.adjacency
        self._seen = (-1, np.zeros(0, dtype=np.float32))

    # The flood

    @atomic
    def step(self, count: int = 1) -> bool:
        """Let the flood go on by so many steps; whether it still runs. `stopped` says why it
        doesn't.

        With nowhere left to go it doesn't run, but cools on.
        """
        wanted = checks.integer("count", count)
        self._follow_walls()
        if wanted and self.stopped is None:
            wanted -= self._go_on(wanted)
            self._changes += 1
        if wanted and self.stopped == _STUCK:
            self._marks[kernels.flood.STEPS] = min(self.steps + wanted, LAST_STEP)
            self._changes += 1
        return self.stopped is None

    def _go_on(self, wanted: int) -> int:
        """How many steps the front has made, of those that are wanted."""
        before, left = self.steps, max(self.most_steps - self.steps, 0)
        end = self._run(
            self._state,
            self._ignited,
            self._lit,
            self._shut,
            self._marks,
            min(wanted, left),
            self.most_hot,
        )
        if end != kernels.flood.RUNS:
            self.stopped = "with too many hot cells" if end == kernels.flood.TOO_HOT else _STUCK
        elif wanted > left:
            self.stopped = f"after {self.most_steps} steps"
        return self.steps - before

    @atomic
    def advance(self, dt: float) -> bool:
        """Let `dt` seconds pass: the steps that have fallen due, however the time is sliced;
        whether it still runs.
        """
        due, self._ticks = divmod(
            self._ticks + clock.ticks("dt", dt), clock.ticks("every", self.every)
        )
        return self.step(due)

    @atomic
    def observe(self, view: ArrayLike) -> bool:
        """Cells in view, where the fugitive was not seen: bool in the space's shape, or cells. Call
        it after `step` or `advance`.

        They are cold, and as if the flood had never been there: what is hot does not go on from
        there, but it may come back.

        Where nothing is left that is warm, hot is where the fugitive comes out of view, if it can't
        have done so yet. Else the flood was wrong. It begins anew, without a barrier, and hot
        wherever the fugitive can have got to by now out of view; `restarts` counts that, and False
        comes back. (So it does, with nothing warm, while all it can reach is in view.)
        """
        seen = mask_of(self.space, view)
        self._follow_walls()
        self._forget(seen & (self._state == kernels.flood.HEAT))
        return bool(self.values.any()) or self._begin_anew(seen)

    # What it says

    @property
    def version(self) -> int:
        """Changes whenever what it says may have changed."""
        return self._changes + self.space.walls_version

    @property
    def values(self) -> NDArray[np.float32]:
        """The heat, float32 in the space's shape: 1 where it is hot, less where it cools, 0
        elsewhere. Read-only.
        """
        if self._seen[0] != self.version:
            is_cold = (self._ignited == NEVER) | self._barred_now()
            heat = np.where(
                is_cold, np.float32(0), heat_of(self.cooling, self.steps - self._ignited)
            )
            heat.flags.writeable = False
            self._seen = (self.version, heat.reshape(self.space.shape))
        return self._seen[1]

    @property
    def barrier(self) -> NDArray[np.bool_]:
        """Where the barrier stands, bool in the space's shape."""
        return np.asarray((self._state == kernels.flood.BARRIER) & ~self._barred_now()).reshape(
            self.space.shape
        )

    @property
    def hot(self) -> NDArray[np.int64]:
        """The cells of the hot front; none where it has cooled with nowhere left to go."""
        front = self._lit[
            self._marks[kernels.flood.FRONT] : self._marks[kernels.flood.FRONT + 1]
        ].astype(np.int64)
        return np.asarray(front[(self._ignited[front] == self.steps) & ~self._barred_now()[front]])

    @property
    def time(self) -> float:
        """Seconds that the flood has run."""
        return clock.seconds(self.steps * clock.ticks("every", self.every))

    def estimate(self, how: str = "medoid") -> NDArray[np.float64]:
        """One guess, a world position: the "mean" of the heat, its "medoid" or its "peak"; the
        place last seen if nothing is warm.

        The mean may lie in a wall. The medoid is the warm cell with the least sum of squared
        distances to the heat, so one can always stand there; the peak is the hottest cell, of
        equally hot ones that nearest to the mean.
        """
        return estimate(self.space, *self._warm(), how)

    def assign(
        self, agents: ArrayLike, *, spacing: float | None = None, outside: str = "refuse"
    ) -> NDArray[np.float64]:
        """A place of its own for each searcher: (N, 2) or (N, 3) world positions, in the order of
        `agents`.

        Places are warm cells, hot ones first, that keep `spacing` (world units; four typical steps)
        to each other as long as there is room. Who goes where is settled by the least sum of walks;
        a searcher without a way to any place gets one all the same. `outside` says what happens
        with agents off the map: "refuse", or "clamp" them to its border.
        """
        return assigned(self.space, *self._warm(), agents, spacing, outside)

    def snapshot(self) -> dict[str, Any]:
        """How far it has come, as plain data to save: `restore` goes on from there bit for bit."""
        names = ("state", "ignited", "lit", "shut", "marks")
        arrays = {name: getattr(self, f"_{name}").copy() for name in names}
        return arrays | {"ticks": self._ticks, "stopped": self.stopped, "restarts": self.restarts}

    @atomic
    def restore(self, memory: Mapping[str, Any]) -> None:
        """Go on from where another `Pursuit`, with the same arguments, had come: its `snapshot()`.
        Raises `InvalidValue` for others.
        """
        names = ("state", "ignited", "lit", "shut", "marks")
        arrays = [
            plain_numbers(memory, name, getattr(self, f"_{name}").shape, kinds="iu")
            for name in names
        ]
        check_flood(self._start, *arrays)
        ticks = plain_whole(memory, "ticks", below=clock.ticks("every", self.every))
        restarts, stopped = plain_whole(memory, "restarts"), memory.get("stopped")
        self._follow_walls()
        for name, array in zip(names, arrays, strict=True):
            setattr(self, f"_{name}", array.astype(getattr(self, f"_{name}").dtype))
        self._ticks, self.restarts, self.stopped = (
            ticks,
            restarts,
            None if stopped is None else str(stopped),
        )
        if ((self._state == kernels.flood.BLOCKED) != self._barred).any():
            self._take_walls()
        self._changes += 1

    def _warm(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        flat = self.values.reshape(-1)
        cells = np.flatnonzero(flat)
        if not len(cells):
            return np.array([self._origin()]), np.ones(1)
        return cells, flat[cells].astype(np.float64)
