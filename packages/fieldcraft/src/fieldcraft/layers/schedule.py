"""The clock of an influence map: which layers take how many steps, and when."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import A_FEW, in_parts
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.layers import Layer, SingleThreadLock
from fieldcraft.layers.steps import MOST_STEPS

_log = logging.getLogger("fieldcraft")


@dataclass(frozen=True)
class Advance(Suggesting):
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
        text = f"steps: {made or 'none'}"
        if lost:
            text += f"; dropped beyond max_steps: {lost}"
        return text


@runtime_checkable
class Timed(Protocol):
    """Anything else with a clock: `Belief`, `LastSeen`, `Pursuit`, searches."""

    def advance(self, dt: float, /) -> object:
        """Let `dt` seconds pass."""


class Schedule:
    """Lets time pass for the layers of a map, and for what else has a clock.

    Parameters
    ----------
    layers : Mapping[str, Layer]
        The layers by name, which the map adds and removes.
    lock : SingleThreadLock
        The lock of the map.
    """

    def __init__(self, layers: Mapping[str, Layer], lock: SingleThreadLock) -> None:
        self.layers = layers
        self.lock = lock
        self.ticks = 0
        """The time that was passed to `advance`."""
        self.next = ""
        """The name of the layer whose turn is next within a budget."""
        self.timed: tuple[tuple[Timed, int], ...] = ()
        """What else has a clock, and the ticks that pass for it in one step."""
        self._has_warned = False

    def state(self) -> dict[str, Any]:
        """Return the time, and the layer whose turn is next."""
        return {"ticks": self.ticks, "next": self.next}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state; raises `LookupError` or `InvalidValue` for others."""
        ticks = checks.integer("ticks", state["ticks"], maximum=clock.LATEST)
        following = checks.text("next", state["next"])
        self.ticks = ticks
        self.next = following

    def __reduce__(self) -> tuple[Any, ...]:
        held = {"ticks": self.ticks, "next": self.next, "timed": self.timed}
        return Schedule, (self.layers, self.lock), held

    def add(self, timed: Timed, every: float) -> None:
        """Add what has a clock; see `InfluenceMap.add`."""
        with self.lock:
            if any(timed is other for other, _ in self.timed):
                raise InvalidValue(
                    "Time passes once for what is added to a map",
                    got=f"{timed!r}, which was added before",
                    remedy="Add it once",
                )
            self.timed += ((timed, clock.ticks("every", every, minimum=1)),)

    def remove(self, timed: Timed) -> None:
        """Remove what was added."""
        with self.lock:
            self.timed = tuple(each for each in self.timed if each[0] is not timed)

    def step(self, count: int) -> None:
        """Take `count` steps of every layer; see `InfluenceMap.step`."""
        if type(count) is not int or not 0 <= count <= MOST_STEPS:
            count = checks.integer("count", count, maximum=MOST_STEPS)
        with self.lock:
            for layer in self.layers.values():
                layer.steps.check_time(count * layer.steps.every)
            parts: Iterable[int] = (count,)
            if count > A_FEW:
                parts = in_parts(count)
            for part in parts:
                for layer in self.layers.values():
                    layer.steps.take(part)
                for timed, every in self.timed:
                    timed.advance(clock.seconds(part * every))

    def advance(
        self, dt: float, *, max_steps: int, budget_ms: float | None, budget_work: int | None
    ) -> Advance:
        """Let `dt` seconds pass; see `InfluenceMap.advance`."""
        ticks = clock.ticks("dt", dt)
        most = checks.integer("max_steps", max_steps, minimum=1)
        if budget_ms is not None or budget_work is not None:
            return self._advance_within(dt, ticks, most, budget_ms, budget_work)
        with self.lock:
            self._pass(ticks)
            steps = {}
            dropped = {}
            for name, layer in self.layers.items():
                steps[name], dropped[name] = layer.steps.pass_time(ticks, most)
            for timed, _ in self.timed:
                timed.advance(dt)
            return self._checked(Advance(steps, dropped), most)

    def _pass(self, ticks: int) -> None:
        """Let time pass on the clock of the map; raises `InvalidValue` if a clock ends before."""
        clock.check_time(self.ticks, ticks)
        for layer in self.layers.values():
            layer.steps.check_time(ticks)
        self.ticks += ticks

    def _advance_within(
        self,
        dt: float,
        ticks: int,
        max_steps: int,
        budget_ms: float | None,
        budget_work: int | None,
    ) -> Advance:
        """Let `dt` seconds, in ticks as well, pass within a budget; see `InfluenceMap.advance`."""
        begun = time.perf_counter()
        if budget_ms is not None and budget_work is not None:
            raise InvalidValue(
                "A budget is in milliseconds or in units", got="both", remedy="Pass one of the two"
            )
        seconds = math.inf
        most_units = math.inf
        if budget_ms is not None:
            seconds = checks.positive("budget_ms", budget_ms) / 1000
        else:
            most_units = checks.integer("budget_work", budget_work, minimum=1)
        with self.lock:
            self._pass(ticks)
            for timed, _ in self.timed:
                timed.advance(dt)
            layers = self.layers
            before = {name: layer.updates for name, layer in layers.items()}
            dropped = {
                name: layer.steps.owe_time(ticks, max_steps) for name, layer in layers.items()
            }
            units = 0
            # Layers of equal priority take turns, a unit each, from one call to the next.
            names = list(layers)
            first = 0
            if self.next in layers:
                first = names.index(self.next)
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
                    self.next = waiting[0].name
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
