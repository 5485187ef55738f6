"""The time of a layer: its steps, and those that are due."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, clock
from fieldcraft.interruption import A_FEW, in_parts, poll_interrupt
from fieldcraft.layer.operand import Operand
from fieldcraft.layer.single_thread import SingleThreadLock
from fieldcraft.propagation import Field, Propagation
from fieldcraft.sources import Sources

__all__ = ["MOST_STEPS", "SteppedLayer"]

MOST_STEPS = 2**31 - 1


class SteppedLayer(Operand):
    """A layer as its influence map sees it: something that takes steps, on time or when there is a
    budget for them.
    """

    priority: float
    _lock: SingleThreadLock
    _field: Field
    _sources: Sources
    _propagation: Propagation
    _every: int
    _ticks: int
    _due: int
    _backlog: int
    _updates: int
    _version: int
    _walls_seen: int
    _work: Iterator[bool] | None
    _others: Mapping[str, SteppedLayer]

    @property
    def _values(self) -> NDArray[np.float32]:
        """The values now; walls that are newer than the last step read 0, but for sources."""
        raise NotImplementedError

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        return self._version + self.space.walls_version

    @property
    def time(self) -> float:
        """Seconds that this layer has lived through: its steps times their interval."""
        return clock.seconds(self._ticks)

    @property
    def every(self) -> float:
        """Seconds from one step to the next. May be changed while it runs."""
        return clock.seconds(self._every)

    @every.setter
    def every(self, every: float) -> None:
        with self._lock:
            interval = clock.ticks("every", every, minimum=1)
            self._catch_up()
            self._every = interval
            self._field.tune(self._propagation, self.every)

    def step(self, count: int = 1) -> None:
        """Make `count` updates, each worth `every` seconds of this layer's time.

        Ctrl-C ends a long count between two updates.
        """
        count = checks.integer("count", count, maximum=MOST_STEPS)
        with self._lock:
            if count <= A_FEW:
                self._take_steps(count)
                return
            for part in in_parts(count):
                self._take_steps(part)
                poll_interrupt()

    def advance(self, dt: float, *, max_steps: int = 8) -> tuple[int, int]:
        """Let `dt` seconds pass for a layer by itself; return how many updates it made, and how
        many beyond `max_steps` were dropped.

        For a layer that is the only one on its map: `InfluenceMap.advance` does it for all.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> threat = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("threat", fc.Spread(0.2))
        >>> threat.advance(0.25)
        (2, 0)
        """
        ticks = clock.ticks("dt", dt)
        most = checks.integer("max_steps", max_steps, minimum=1)
        with self._lock:
            return self._pass_time(ticks, most)

    def _take_steps(self, count: int) -> None:
        if self._backlog:
            self._catch_up()
        while count > 0:
            batch = self._feed(count)
            try:
                self._field.run(batch)
            except BaseException:
                self._field.invalidate()
                raise
            self._version += 1
            self._ticks += batch * self._every
            self._updates += batch
            count -= batch
        if self._ticks >= self._sources.next_expiry:
            self._sources.expire(self._ticks)

    @property
    def updates(self) -> int:
        """How many updates this layer has made since it was added or loaded."""
        return self._updates

    @property
    def lag(self) -> float:
        """Seconds of updates that are due and not made yet, for want of budget."""
        return clock.seconds(self._backlog * self._every)

    def _updated(self, count: int) -> None:
        """Take notice of updates that a device made, along with agents."""
        self._version += count
        self._ticks += count * self._every
        self._updates += count

    def _pass_time(self, ticks: int, max_steps: int) -> tuple[int, int]:
        """Make the updates that fall due in so many ticks: (made, dropped beyond `max_steps`)."""
        due, self._due = divmod(self._due + ticks, self._every)
        made = due if self._field.timeless else min(due, max_steps)
        self.step(made)
        return made, due - made

    def _owe_time(self, ticks: int, max_steps: int) -> int:
        """Put the updates that fall due in so many ticks on the list for `_work_on`; how many were
        too many and dropped.
        """
        if self._field.timeless:
            return self._pass_time(ticks, max_steps)[1]
        due, self._due = divmod(self._due + ticks, self._every)
        dropped = max(self._backlog + due - max_steps, 0)
        self._backlog += due - dropped
        return dropped

    def _work_on(self) -> bool:
        """Do one unit of the work that is due, if there is any."""
        with self._lock:
            if self._work is None and self._backlog:
                self._work = self._work_off()
            if self._work is None:
                return False
            try:
                if next(self._work, False):
                    return True
            except BaseException:
                self._field.invalidate()
                self._work = None
                raise
            self._work = None
            return False

    def _work_off(self) -> Iterator[bool]:
        while self._backlog:
            self._feed(1)
            for _ in self._field.step_in_units():
                yield True
            self._backlog -= 1
            self._ticks += self._every
            self._updates += 1
            self._version += 1

    def _catch_up(self) -> None:
        """Make the updates that are due, whatever they cost."""
        while (self._work is not None or self._backlog) and self._work_on():
            pass

    def _feed(self, steps: int = 0) -> int:
        """Pass the sources on to the field, as they are after the steps that it takes next.

        Returns how many of these `steps` it can take before the sources change.
        """
        self._walls_seen = self.space.walls_version
        sources = self._sources
        if self._ticks >= sources.next_expiry:
            sources.expire(self._ticks)
        # A source may live through some of the steps only, or change with each.
        left = sources.next_expiry - self._ticks
        batch = steps if left >= steps * self._every else -(-left // self._every)
        if sources.change_by_themselves:
            batch = min(batch, 1)
            sources.carry(self._ticks, self._ticks + batch * self._every)
        if self._field.barrier is not None:
            barrier = self._others.get(self._field.barrier)
            self._field.bar(None if barrier is None else barrier._values)
        self._field.feed(sources)
        return batch
