"""The clock of an influence map: which layers take how many steps, and when."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import A_FEW, in_parts
from fieldcraft.layers import Layer, SingleThreadLock
from fieldcraft.layers.steps import MOST_STEPS

_log = logging.getLogger("fieldcraft")


@dataclass(frozen=True)
class Advance:
    """The result of one `InfluenceMap.advance`.

    Parameters
    ----------
    steps : Mapping[str, int]
        The steps made, by layer name.
    dropped : Mapping[str, int]
        The steps dropped, by layer name.
    units : int, optional
        The units of work that they took, within a budget.
    """

    steps: Mapping[str, int]
    dropped: Mapping[str, int]
    units: int = 0

    @property
    def is_late(self) -> bool:
        """Whether any steps were dropped: their time does not pass for these layers."""
        return any(self.dropped.values())

    def __str__(self) -> str:
        made = ", ".join(f"{name} {count}" for name, count in self.steps.items())
        lost = ", ".join(f"{name} {count}" for name, count in self.dropped.items() if count)
        return f"steps: {made or 'none'}" + (f"; dropped beyond max_steps: {lost}" if lost else "")


@runtime_checkable
class Timed(Protocol):
    """Anything else with a clock: `Belief`, `LastSeen`, `Pursuit`, searches."""

    def advance(self, dt: float, /) -> object:
        """Let `dt` seconds pass."""


_Timed = TypeVar("_Timed", bound=Timed)


class Advancing:
    """Layers for which time passes; see `InfluenceMap`."""

    _has_warned = False
    _timed: tuple[tuple[Timed, int], ...] = ()
    _lock: SingleThreadLock
    _layers: dict[str, Layer]
    _ticks: int
    _next: str

    @property
    def time(self) -> float:
        """Seconds that were passed to `advance`."""
        return clock.seconds(self._ticks)

    def add(self, timed: _Timed, *, every: float = 0.1) -> _Timed:
        """Add a `Belief`, `LastSeen`, `Pursuit` or search that advances with the layers, and return
        it.

        Saves and copies of the map contain its layers only; store `snapshot()` of what was added.

        Parameters
        ----------
        timed : Belief, LastSeen, Pursuit or SearchParty
            An object with `advance(dt)`, which is no longer to be called.
        every : float, optional
            Seconds that pass for it in one `step` of the map.

        Raises
        ------
        InvalidValue
            If it has no clock, or was added before.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
        >>> seen = imap.add(fc.LastSeen(imap.space))
        >>> _ = imap.advance(2.5)
        >>> seen.time
        2.5
        """
        if not isinstance(timed, Timed) or isinstance(timed, (Layer, Advancing)):
            raise InvalidValue(
                "What is added to a map has a clock: advance(dt)",
                got=repr(timed),
                remedy="Pass a Belief, LastSeen, Pursuit or SearchParty; add_layer() makes layers",
            )
        with self._lock:
            if any(timed is other for other, _ in self._timed):
                raise InvalidValue(
                    "Time passes once for what is added to a map",
                    got=f"{timed!r}, which was added before",
                    remedy="Add it once",
                )
            self._timed += ((timed, clock.ticks("every", every, minimum=1)),)
        return timed

    def remove(self, timed: Timed) -> None:
        """Remove an object that was added: it no longer advances."""
        with self._lock:
            self._timed = tuple(each for each in self._timed if each[0] is not timed)

    def step(self, count: int = 1) -> None:
        """Take `count` steps of every layer, whatever its interval, and advance all added objects
        by as many intervals.

        Ctrl-C ends a long count where all layers have taken as many steps.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
        >>> threat = imap.add_layer("threat", fc.Spread(decay=0.5, momentum=1.0))
        >>> _ = threat.add_source((0.5, 0.5), strength=4.0)
        >>> imap.step(2)
        >>> threat.values.round(2)
        array([[4.  , 2.43, 1.47]], dtype=float32)
        """
        if type(count) is not int or not 0 <= count <= MOST_STEPS:
            count = checks.integer("count", count, maximum=MOST_STEPS)
        with self._lock:
            for part in (count,) if count <= A_FEW else in_parts(count):
                for layer in self._layers.values():
                    layer.steps.take(part)
                for timed, every in self._timed:
                    timed.advance(clock.seconds(part * every))

    def advance(
        self,
        dt: float,
        *,
        max_steps: int = 8,
        budget_ms: float | None = None,
        budget_work: int | None = None,
    ) -> Advance:
        """Let `dt` seconds pass: each layer takes the steps that become due.

        Time is counted in whole ticks of 1 / 705,600,000 s, so 30, 60 and 144 frames a second give
        the same bits. A turn-based game calls `step()` instead, or passes a larger `max_steps`.

        With a budget, work is done in units of at most 0.25 ms (on a machine of today), layers of
        higher priority first, until the budget is used up. The rest waits for the next call, and
        `layer.lag` is the time that waits. Until then a layer keeps its last complete values;
        afterwards it has the values that it would have without a budget.

        Parameters
        ----------
        dt : float
            Seconds, at least 0.
        max_steps : int, optional
            The most steps of a layer in one call, or waiting for a budget. More are dropped,
            reported in the result, and logged as a warning the first time (logger "fieldcraft").
        budget_ms : float, optional
            Milliseconds, overrun by at most one unit.
        budget_work : int, optional
            Units of work, in place of milliseconds: runs are then repeatable.

        Returns
        -------
        Advance
            The steps made and dropped, by layer.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
        >>> threat = imap.add_layer("threat", fc.Spread(decay=0.2), every=0.1)
        >>> print(imap.advance(0.25))
        steps: threat 2
        """
        ticks = clock.ticks("dt", dt)
        most = checks.integer("max_steps", max_steps, minimum=1)
        if budget_ms is not None or budget_work is not None:
            return self._advance_within(dt, most, budget_ms, budget_work)
        with self._lock:
            self._ticks += ticks
            steps, dropped = {}, {}
            for name, layer in self._layers.items():
                steps[name], dropped[name] = layer.steps.pass_time(ticks, most)
            for timed, _ in self._timed:
                timed.advance(dt)
            return self._checked(Advance(steps, dropped), most)

    def _advance_within(
        self, dt: float, max_steps: int, budget_ms: float | None, budget_work: int | None
    ) -> Advance:
        begun, ticks = time.perf_counter(), clock.ticks("dt", dt)
        if budget_ms is not None and budget_work is not None:
            raise InvalidValue(
                "A budget is in milliseconds or in units", got="both", remedy="Pass one of the two"
            )
        seconds, most_units = math.inf, math.inf
        if budget_ms is not None:
            seconds = checks.positive("budget_ms", budget_ms) / 1000
        else:
            most_units = checks.integer("budget_work", budget_work, minimum=1)
        with self._lock:
            self._ticks += ticks
            for timed, _ in self._timed:
                timed.advance(dt)
            layers = self._layers
            before = {name: layer.updates for name, layer in layers.items()}
            dropped = {
                name: layer.steps.owe_time(ticks, max_steps) for name, layer in layers.items()
            }
            units = 0
            # Layers of equal priority take turns, a unit each, from one call to the next.
            names = list(layers)
            first = names.index(self._next) if self._next in layers else 0
            turn = [layers[name] for name in names[first:] + names[:first]]
            waiting = sorted(turn, key=lambda layer: -layer.priority)
            while waiting and (
                units == 0 or (units < most_units and time.perf_counter() - begun < seconds)
            ):
                layer = waiting.pop(0)
                if layer.steps.work_on():
                    units += 1
                    equal = sum(other.priority == layer.priority for other in waiting)
                    waiting.insert(equal, layer)
                    self._next = waiting[0].name
            steps = {name: layer.updates - before[name] for name, layer in layers.items()}
            return self._checked(Advance(steps, dropped, units), max_steps)

    def _checked(self, advance: Advance, max_steps: int) -> Advance:
        """Return the result, and log a warning the first time that steps were dropped."""
        if advance.is_late and not self._has_warned:
            self._has_warned = True
            lost = ", ".join(
                f"{count} of layer {name!r}" for name, count in advance.dropped.items() if count
            )
            _log.warning(
                "advance() dropped steps beyond max_steps=%d: %s. Their time does not pass for"
                " these layers. Pass a larger max_steps, call advance() more often, or call step()"
                " in a turn-based game. (Logged once for each map.)",
                max_steps,
                lost,
            )
        return advance
