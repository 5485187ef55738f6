"""States that are worked out when somebody looks at them.

A step of a swarm on a graphics card is cheap, and bringing a million agents back is not. So a step
answers with a state that knows its number and what it came from, many steps become one submission,
and of a state only that is read which is asked for. What is asked
for is what it would have been at once: a state that the card has left behind is reached again from
the last one that is whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, Generic, Self, TypeVar

import numpy as np

from fieldcraft_worlds.games import carrying
from fieldcraft_worlds.games.columns import ReadOnly

__all__ = ["AT_ONCE", "Awaited", "Course"]

AT_ONCE = 32
"""The most steps that wait on a device before they are handed over, looked at or not."""


class Awaited(ReadOnly):
    """A base of states, frozen dataclasses with a `step`, of which some fields may still be worked
    out.
    """

    step: int

    @classmethod
    def promised(cls, course: Course[Any], base: Self, **known: Any) -> Self:
        """A state that follows from a whole one; the fields that are not known are worked out when
        they are asked for.
        """
        state = object.__new__(cls)
        vars(state).update(known, _course=course, _base=base)
        return state

    def __getattr__(self, name: str) -> Any:
        known = vars(self)
        if "_course" not in known or name not in type(self).__dataclass_fields__:  # type: ignore[attr-defined]
            raise AttributeError(name)
        value = known["_course"].read(self, name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        known[name] = value
        return value

    def __getstate__(self) -> dict[str, Any]:
        """All fields: a copy is whole."""
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    @property
    def is_whole(self) -> bool:
        """Whether all fields are known."""
        return all(each.name in vars(self) for each in fields(self))  # type: ignore[arg-type]

    @property
    def base(self) -> Self:
        """The last whole state that it follows from, or itself; what is no column of agents or
        cells is alike in both.
        """
        found: Self = vars(self).get("_base", self)
        return found


S = TypeVar("S", bound=Awaited)


class Course(ABC, Generic[S]):
    """The course of a swarm through states: where it stands, and how it comes to another one."""

    def __init__(self) -> None:
        self._base: S | None = None
        self._step = 0
        self._at_once = 1 if carrying.device() is None else AT_ONCE

    @abstractmethod
    def put(self, state: S) -> None:
        """Make swarm and layers those of a whole state; raises `InvalidValue` for one that can't
        be.
        """

    @abstractmethod
    def run(self, base: S, count: int) -> None:
        """Make so many steps, by the rules that hold since a whole state."""

    @abstractmethod
    def look(self, name: str) -> Any:
        """A field of the state where the swarm stands."""

    def reach(self, state: S) -> None:
        """Go where a state is."""
        base = state.base
        if self._base is not base or self._step > state.step:
            self._base = None
            self.put(base)
            self._base, self._step = base, base.step
        if state.step > self._step:
            self.run(base, state.step - self._step)
            self._step = state.step

    def read(self, state: S, name: str) -> Any:
        """A field of a state."""
        self.reach(state)
        value = self.look(name)
        if all(each.name in vars(state) for each in fields(state) if each.name != name):  # type: ignore[arg-type]
            vars(state).pop(
                "_base"
            )  # whole from now on: the swarm stands there, and earlier states may be forgotten
            self._base = state
        return value

    def next(self, state: S, **known: Any) -> S:
        """The state a step after another one, with what is known of it."""
        if state.is_whole:
            self.reach(state)
        after = type(state).promised(self, state.base, step=state.step + 1, **known)
        if after.step - self._step >= self._at_once:
            self.reach(after)
        return after
