"""The clock of an influence map: which layers make how many updates, and when."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import A_FEW, in_parts, poll_interrupt
from fieldcraft.layer import Layer, SingleThreadLock
from fieldcraft.layer.stepping import MOST_STEPS

__all__ = ["Advance", "Advancing"]

_log = logging.getLogger("fieldcraft")


@dataclass(frozen=True)
class Advance:
    """The outcome of one `InfluenceMap.advance`: the steps made and the steps dropped, by layer
    name; the units of work it took.
    """

    steps: Mapping[str, int]
    dropped: Mapping[str, int]
    units: int = 0

    @property
    def is_late(self) -> bool:
        """Whether any steps were dropped: layers have lived through less time than the map was told
        of.
        """
        return any(self.dropped.values())

    def __str__(self) -> str:
        made = ", ".join(f"{name} {count}" for name, count in self.steps.items())
        lost = ", ".join(f"{name} {count}" for name, count in self.dropped.items() if count)
        return f"steps: {made or 'none'}" + (
            f"; dropped for want of max_steps: {lost}" if lost else ""
        )


@runtime_checkable
class Timed(Protocol):
    """What time passes for beside layers: `Belief`, `LastSeen`, `Pursuit`, searches."""

    def advance(self, dt: float, /) -> object:
        """Let `dt` seconds pass."""


_Timed = TypeVar("_Timed", bound=Timed)


class Advancing:
    """Layers that time passes for; see `InfluenceMap`."""

    _has_warned = False
    _timed: tuple[tuple[Timed, int], ...] = ()
    _lock: SingleThreadLock
    _layers: dict[str, Layer]
    _ticks: int
    _next: str

    @property
    def time(self) -> float:
        """Seconds that `advance` has been told of."""
        return clock.seconds(self._ticks)

    def add(self, timed: _Timed, *, every: float = 0.1) -> _Timed:
        """Let time pass for a `Belief`, `LastSeen`, `Pursuit` or search as it does for the layers,
        and return it.

        Saves and copies of the map hold its layers only; keep `snapshot()` of what was added.

        Parameters
        ----------
        timed : Belief, LastSeen, Pursuit or SearchParty
            Whatever has `advance(dt)`; its own is no longer to be called.
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
        """Let no more time pass for what was added."""
        with self._lock:
            self._timed = tuple(each for each in self._timed if each[0] is not timed)

    def step(self, count: int = 1) -> None:
        """Let every layer make `count` updates, whatever its interval, and as many intervals pass
        for all that was added. Ctrl-C ends a long count where all have made as many.
        """
        if type(count) is not int or not 0 <= count <= MOST_STEPS:
            count = checks.integer("count", count, maximum=MOST_STEPS)
        with self._lock:
            for part in (count,) if count <= A_FEW else in_parts(count):
                for layer in self._layers.values():
                    layer._take_steps(part)
                for timed, every in self._timed:
                    timed.advance(clock.seconds(part * every))
                if count > A_FEW:
                    poll_interrupt()

    def advance(
        self,
        dt: float,
        *,
        max_steps: int = 8,
        budget_ms: float | None = None,
        budget_work: int | None = None,
    ) -> Advance:
        """Let `dt` seconds pass: each layer makes the updates of its interval that have fallen due.

        Time is counted in whole ticks (1/705,600,000 s), so that 30, 60 and 144 frames a second
        come to the same bits. At most `max_steps` updates a layer are made in one call; the rest
        are dropped and reported: in the answer, and the first time in the log (logger
        "fieldcraft"), as a warning. A turn-based game calls `step()` instead, or passes as many as
        fit its turn.

        With a budget, work is done in units of at most 0.25 ms (on a machine of today), layers of
        higher priority first, until the budget is used up; the rest waits for the next call, up to
        `max_steps` updates a layer, and `layer.lag` says how far behind it is. What a layer shows
        meanwhile is its last complete state, and once it has caught up it shows what it would have
        shown without a budget. `budget_ms` is in milliseconds and overrun by at most one unit;
        `budget_work` is a number of units, which makes runs repeatable.
        """
        ticks = clock.ticks("dt", dt)
        most = checks.integer("max_steps", max_steps, minimum=1)
        if budget_ms is not None or budget_work is not None:
            return self._advance_within(dt, most, budget_ms, budget_work)
        with self._lock:
            self._ticks += ticks
            steps, dropped = {}, {}
            for name, layer in self._layers.items():
                made, lost = layer._pass_time(ticks, most)
                steps[name], dropped[name] = made, lost
            self._pass_time(dt)
            return self._told(Advance(steps, dropped), most)

    def _advance_within(
        self, dt: float, max_steps: int, budget_ms: float | None, budget_work: int | None
    ) -> Advance:
        begun, ticks = time.perf_counter(), clock.ticks("dt", dt)
        if budget_ms is not None and budget_work is not None:
            raise InvalidValue(
                "A budget is in milliseconds or in units", got="both", remedy="Pass one of the two"
            )
        seconds = math.inf if budget_ms is None else checks.positive("budget_ms", budget_ms) / 1000
        most_units = (
            math.inf
            if budget_work is None
            else checks.integer("budget_work", budget_work, minimum=1)
        )
        with self._lock:
            self._ticks += ticks
            self._pass_time(dt)
            before = {name: layer.updates for name, layer in self._layers.items()}
            dropped = {
                name: layer._owe_time(ticks, max_steps) for name, layer in self._layers.items()
            }
            units = 0
            # Layers of equal priority take turns, a unit each, from one call to the next.
            names = list(self._layers)
            first = names.index(self._next) if self._next in self._layers else 0
            turn = sorted(
                names[first:] + names[:first], key=lambda name: -self._layers[name].priority
            )
            waiting = [self._layers[name] for name in turn]
            while waiting and (
                units == 0 or (units < most_units and time.perf_counter() - begun < seconds)
            ):
                layer = waiting.pop(0)
                if layer._work_on():
                    units += 1
                    waiting.insert(
                        sum(other.priority == layer.priority for other in waiting), layer
                    )
                    self._next = waiting[0].name
            steps = {name: layer.updates - before[name] for name, layer in self._layers.items()}
            return self._told(Advance(steps, dropped, units), max_steps)

    def _pass_time(self, dt: float) -> None:
        for timed, _ in self._timed:
            timed.advance(dt)

    def _told(self, advance: Advance, max_steps: int) -> Advance:
        if advance.is_late and not self._has_warned:
            self._has_warned = True
            lost = ", ".join(
                f"{count} of layer {name!r}" for name, count in advance.dropped.items() if count
            )
            _log.warning(
                "advance() dropped updates beyond max_steps=%d: %s. Their time does not pass for"
                " these layers. Pass a larger max_steps, call advance() more often, or call step()"
                " in a turn-based game. (Said once for each map.)",
                max_steps,
                lost,
            )
        return advance
