"""Lazy states: fields that are computed when they are read.

A step of a swarm on a graphics card is cheap, but reading a million agents back is slow. So a step
returns a state with its number and the state that it follows from, many steps are submitted at
once, and only used fields are read back. Values do not depend on that: for a state that the card
has passed, steps are repeated from the last complete one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, Generic, Self, TypeVar

import numpy as np

from fieldcraft_worlds.games.device import chosen_device
from fieldcraft_worlds.games.states import ReadOnly

AT_ONCE = 32
"""Most steps that are submitted at once."""


class LazyState(ReadOnly):
    """A base of states, frozen dataclasses with a `step`, of which some fields may be computed
    later.
    """

    step: int

    @classmethod
    def deferred(cls, replay: SwarmReplay[Any], base: Self, **known: Any) -> Self:
        """Return a state that follows from a complete one; unknown fields are computed when they
        are read.
        """
        state = object.__new__(cls)
        vars(state).update(known, _replay=replay, _base=base)
        return state

    def __getattr__(self, name: str) -> Any:
        known = vars(self)
        if "_replay" not in known or name not in type(self).__dataclass_fields__:  # type: ignore[attr-defined]
            raise AttributeError(name)
        value = known["_replay"].read(self, name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        known[name] = value
        return value

    def __getstate__(self) -> dict[str, Any]:
        """Return all fields: a copy is complete."""
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    @property
    def is_complete(self) -> bool:
        """Whether all fields are known."""
        return all(each.name in vars(self) for each in fields(self))  # type: ignore[arg-type]

    @property
    def base(self) -> Self:
        """The last complete state that it follows from, or itself; both agree in everything but
        columns of agents and cells.
        """
        found: Self = vars(self).get("_base", self)
        return found


S = TypeVar("S", bound=LazyState)


class SwarmReplay(ABC, Generic[S]):
    """A swarm that moves through states: where it stands, and how it reaches another one."""

    def __init__(self) -> None:
        self._base: S | None = None
        self._step = 0
        if chosen_device() is None:
            self._at_once = 1
        else:
            self._at_once = AT_ONCE

    @abstractmethod
    def load(self, state: S) -> None:
        """Set swarm and layers to those of a complete state; raises `InvalidValue` for an
        impossible one.
        """

    @abstractmethod
    def run(self, base: S, count: int) -> None:
        """Make steps by the rules of a complete state."""

    @abstractmethod
    def field(self, state: S, name: str) -> Any:
        """Return a field of a state that the swarm has reached."""

    def reach(self, state: S) -> None:
        """Make the steps that lead to a state."""
        base = state.base
        if self._base is not base or self._step > state.step:
            self._base = None
            self.load(base)
            self._base = base
            self._step = base.step
        if state.step > self._step:
            self.run(base, state.step - self._step)
            self._step = state.step

    def read(self, state: S, name: str) -> Any:
        """Return a field of a state."""
        self.reach(state)
        value = self.field(state, name)
        if all(each.name in vars(state) for each in fields(state) if each.name != name):  # type: ignore[arg-type]
            vars(state).pop("_base")  # complete: earlier states can be freed
            self._base = state
        return value

    def next(self, state: S, **known: Any) -> S:
        """Return the state a step after another one, with its known fields."""
        if state.is_complete:
            self.reach(state)
        after = type(state).deferred(self, state.base, step=state.step + 1, **known)
        if after.step - self._step >= self._at_once:
            self.reach(after)
        return after
