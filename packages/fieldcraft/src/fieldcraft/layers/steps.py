"""The time of a layer: its steps, and steps that are due."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.interruption import A_FEW, in_parts
from fieldcraft.base.single_thread import SingleThreadLock
from fieldcraft.layers.propagation import Field, Propagation
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Space
from fieldcraft.values.operand import Operand

MOST_STEPS = 2**31 - 1


class SteppedLayer(Operand):
    """A layer that takes steps as time passes, at once or within a budget."""

    space: Space
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
    _later: int
    """A number that grows with changes that show from a later step on; forecasts follow it."""
    _walls_seen: int
    _sources_seen: int
    _work: Iterator[bool] | None
    _others: Mapping[str, SteppedLayer]

    @property
    def _values(self) -> NDArray[np.float32]:
        """The values now; walls that are newer than the last step read 0, but for sources."""
        raise NotImplementedError

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        walls = self.space.walls_version
        if walls != self._walls_seen and self._sources.version != self._sources_seen:
            # New walls read 0 but for their sources, which show before the next step there.
            self._sources_seen = self._sources.version
            self._version += 1
        return self._version + walls

    @property
    def time(self) -> float:
        """Seconds that have passed for this layer: its steps times their interval."""
        return clock.seconds(self._ticks)

    @property
    def every(self) -> float:
        """Seconds from one step to the next; may be set at any time. Time that has passed since the
        last step counts: a shorter interval may make steps due at once, in the next `advance`.
        """
        return clock.seconds(self._every)

    @every.setter
    def every(self, every: float) -> None:
        with self._lock:
            interval = clock.ticks("every", every, minimum=1)
            self._catch_up()
            self._field.tune(self._propagation, clock.seconds(interval))
            self._every = interval
            self._version += 1

    @property
    def updates(self) -> int:
        """Number of steps since the layer was added or loaded."""
        return self._updates

    @property
    def lag(self) -> float:
        """Seconds of steps that are due, and wait for a budget."""
        return clock.seconds(self._backlog * self._every)

    def step(self, count: int = 1) -> None:
        """Take `count` steps, each worth `every` seconds of this layer's time.

        Ctrl-C ends a long count between two steps.

        Parameters
        ----------
        count : int, optional
            At least 0.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> threat = fc.InfluenceMap(fc.Grid(5, 1)).add_layer("threat", fc.Spread(0.1, 1.0))
        >>> _ = threat.add_source((0.5, 0.5), 4.0)
        >>> threat.step(2)
        >>> threat.values.round(2)
        array([[4.  , 3.62, 3.27, 0.  , 0.  ]], dtype=float32)
        """
        count = checks.integer("count", count, maximum=MOST_STEPS)
        with self._lock:
            self._take_all_steps(count)

    def advance(self, dt: float, *, max_steps: int = 8) -> tuple[int, int]:
        """Let `dt` seconds pass for this layer alone.

        For a layer that is the only one on its map: `InfluenceMap.advance` does it for all.

        Parameters
        ----------
        dt : float
            Seconds, at least 0.
        max_steps : int, optional
            The most steps in one call; more are dropped.

        Returns
        -------
        tuple of int
            The numbers of steps made and dropped.

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

    def _take_all_steps(self, count: int) -> None:
        """Take `count` steps, and poll for Ctrl-C if they are many."""
        for part in (count,) if count <= A_FEW else in_parts(count):
            self._take_steps(part)

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
            self._updated(batch)
            count -= batch
        self._expire()

    def _expire(self) -> None:
        """Remove the sources whose lifetime has passed."""
        if self._ticks >= self._sources.next_expiry:
            self._sources.expire(self._ticks)

    def _updated(self, count: int) -> None:
        """Count steps that were made."""
        self._version += count
        self._ticks += count * self._every
        self._updates += count

    def _feed(self, steps: int = 0) -> int:
        """Pass the sources to the field, as they are after the steps that it takes next.

        Returns how many of these `steps` it can take before the sources change.
        """
        sources = self._sources
        self._expire()
        # A source may live through some of the steps only, or change with each.
        left = sources.next_expiry - self._ticks
        batch = steps if left >= steps * self._every else -(-left // self._every)
        if sources.change_by_themselves:
            batch = min(batch, 1)
            sources.advance(self._ticks, self._ticks + batch * self._every)
        if self._field.barrier is not None:
            barrier = self._others.get(self._field.barrier)
            self._field.bar(None if barrier is None else barrier._values)
        self._field.feed(sources)
        self._walls_seen = self.space.walls_version
        return batch

    def _pass_time(self, ticks: int, max_steps: int) -> tuple[int, int]:
        """Take the steps that become due in `ticks` ticks: (made, dropped)."""
        due, self._due = divmod(self._due + ticks, self._every)
        self._later += 1
        made = due if self._field.timeless else min(due, max_steps)
        self._take_all_steps(made)
        return made, due - made

    # Within a budget

    def _owe_time(self, ticks: int, max_steps: int) -> int:
        """Add the steps that become due in `ticks` ticks to the backlog; return the number of
        dropped ones.
        """
        if self._field.timeless:
            return self._pass_time(ticks, max_steps)[1]
        due, self._due = divmod(self._due + ticks, self._every)
        self._later += 1
        dropped = max(self._backlog + due - max_steps, 0)
        self._backlog += due - dropped
        return dropped

    def _work_on(self) -> bool:
        """Do one unit of the work that is due; return whether there was any."""
        with self._lock:
            if self._work is None and self._backlog:
                self._work = self._units()
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

    def _units(self) -> Iterator[bool]:
        while self._backlog:
            self._feed(1)
            for _ in self._field.step_in_units():
                yield True
            self._backlog -= 1
            self._updated(1)
        self._expire()

    def _catch_up(self) -> None:
        """Take the steps that are due, whatever they cost."""
        while (self._work is not None or self._backlog) and self._work_on():
            pass
