"""Inputs: those held down, and the events since the last step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fieldcraft_worlds.games.game import Action, InputEvent, InputFrame

Point = tuple[float, float]


@dataclass
class _Held:
    start: Point | None
    stroke: list[Point] = field(default_factory=list)


class InputState:
    """Turns inputs that begin and end into the events of a step.

    Parameters
    ----------
    actions : Sequence[Action]
        The actions of a player.
    bindings : Mapping[str, str]
        The action of each input.
    pointer : Callable[[], Point | None]
        Returns the position of the pointer in the world, None outside the map.
    """

    def __init__(
        self,
        actions: Sequence[Action],
        bindings: Mapping[str, str],
        pointer: Callable[[], Point | None],
    ) -> None:
        self._actions = {action.name: action for action in actions}
        self._bindings = bindings
        self._pointer = pointer
        self._events: list[InputEvent] = []
        self._held: dict[str, _Held] = {}
        self.chosen: dict[str, str] = {}
        for action in actions:
            if action.group:
                self.chosen.setdefault(action.group, action.name)

    def press(self, name: str) -> None:
        """Begin an input; unbound inputs and clicks outside the map do nothing."""
        if name not in self._bindings:
            return
        action = self._actions[self._bindings[name]]
        if action.group:
            self.chosen[action.group] = action.name
        position = self._pointer()
        if name.startswith("mouse") and position is None:
            return
        stroke = () if position is None else (position,)
        self._held[name] = _Held(position, list(stroke))
        self._events.append(InputEvent(action.name, "press", position, position, stroke))

    def begin(self, action: str) -> None:
        """Begin an action without an input of its own."""
        self._events.append(InputEvent(action))

    def release(self, name: str) -> None:
        """End an input."""
        if name in self._held:
            self._events.append(self._event(name, "release"))
            del self._held[name]

    def release_all(self) -> None:
        """End all inputs."""
        for name in list(self._held):
            self.release(name)

    def pointer_moved(self) -> None:
        """Extend the strokes of held inputs to the pointer."""
        if self._held:
            position = self._pointer()
            for held in self._held.values():
                _extend(held.stroke, position)

    def frame(self, sliders: Mapping[str, float]) -> InputFrame:
        """Return the events since the last step and the inputs held down, and forget the events."""
        pressed = {event.action for event in self._events if event.phase == "press"}
        for name in self._held:
            if self._bindings[name] not in pressed:
                self._events.append(self._event(name, "hold"))
        frame = InputFrame(tuple(self._events), self._pointer(), dict(self.chosen), dict(sliders))
        self._events.clear()
        return frame

    def clear(self) -> None:
        """Forget the events since the last step."""
        self._events.clear()

    def _event(self, name: str, phase: Literal["hold", "release"]) -> InputEvent:
        held, position = self._held[name], self._pointer()
        _extend(held.stroke, position)
        stroke = tuple(held.stroke)
        held.stroke = list(stroke[-1:])
        return InputEvent(self._bindings[name], phase, position, held.start, stroke)


def _extend(stroke: list[Point], position: Point | None) -> None:
    """Append a position to a stroke; outside the map the stroke ends."""
    if position is None:
        stroke.clear()
    elif not stroke or stroke[-1] != position:
        stroke.append(position)
