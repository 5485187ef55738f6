"""The input state: what is held, and what they have done since the last step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fieldcraft_worlds.games.game import Action, InputEvent, InputFrame
from fieldcraft_worlds.play.bindings import any_pad

__all__ = ["InputState"]

Point = tuple[float, float]


@dataclass
class _Held:
    amount: float
    start: Point | None
    stroke: list[Point] = field(default_factory=list)


class InputState:
    """Turns inputs that begin, change and end into the events of a step.

    Parameters
    ----------
    actions : Sequence[Action]
        What a player can do.
    bindings : Mapping[str, str]
        Which action each input does.
    where : Callable[[], Point | None]
        Answers where the pointer is in the world, None beside the map.
    """

    def __init__(
        self,
        actions: Sequence[Action],
        bindings: Mapping[str, str],
        where: Callable[[], Point | None],
    ) -> None:
        self._actions = {action.name: action for action in actions}
        self._bindings = bindings
        self._where = where
        self._events: list[InputEvent] = []
        self._held: dict[str, _Held] = {}
        self.chosen: dict[str, str] = {}
        for action in actions:
            if action.group:
                self.chosen.setdefault(action.group, action.name)

    def action_of(self, name: str) -> Action | None:
        """The action of an input: that of this very gamepad comes before that of any."""
        found = self._bindings.get(name) or self._bindings.get(any_pad(name))
        return None if found is None else self._actions[found]

    def press(self, name: str, amount: float = 1.0) -> None:
        """An input begins; what does nothing is passed over, and so are buttons of the mouse beside
        the map.
        """
        action = self.action_of(name)
        if action is None:
            return
        if action.group:
            self.chosen[action.group] = action.name
        position = self._where()
        if name.startswith("mouse") and position is None:
            return
        stroke = () if position is None else (position,)
        self._held[name] = _Held(amount, position, list(stroke))
        self._events.append(InputEvent(action.name, "press", position, position, amount, stroke))

    def begin(self, action: str) -> None:
        """An action begins without an input of its own."""
        self._events.append(InputEvent(action))

    def turn(self, name: str, amount: float) -> None:
        """An input that may be half way is so far now, 0 to 1; 0 ends it."""
        if amount <= 0:
            self.release(name)
        elif name in self._held:
            self._held[name].amount = amount
        else:
            self.press(name, amount)

    def release(self, name: str) -> None:
        """An input ends."""
        if name in self._held:
            self._events.append(self._event(name, "release"))
            del self._held[name]

    def release_all(self, first: str = "") -> None:
        """Nothing is held any more of the inputs whose names begin so."""
        for name in [name for name in self._held if name.startswith(first)]:
            self.release(name)

    def moved(self) -> None:
        """The pointer went somewhere: strokes grow."""
        if not self._held:
            return
        position = self._where()
        for held in self._held.values():
            _grow(held.stroke, position)

    def take(self, sliders: Mapping[str, float]) -> InputFrame:
        """All that was done since the last step, and what is held on to."""
        begun = {event.action for event in self._events if event.phase == "press"}
        for name in self._held:
            action = self.action_of(name)
            if action is not None and action.name not in begun:
                self._events.append(self._event(name, "hold"))
        frame = InputFrame(tuple(self._events), self._where(), dict(self.chosen), dict(sliders))
        self._events.clear()
        return frame

    def forget(self) -> None:
        """The deeds since the last step are dropped."""
        self._events.clear()

    def _event(self, name: str, phase: str) -> InputEvent:
        held, action, position = self._held[name], self.action_of(name), self._where()
        assert action is not None
        _grow(held.stroke, position)
        stroke = tuple(held.stroke)
        held.stroke = list(stroke[-1:])
        return InputEvent(
            action.name,
            "hold" if phase == "hold" else "release",
            position,
            held.start,
            held.amount,
            stroke,
        )


def _grow(stroke: list[Point], position: Point | None) -> None:
    """A stroke goes on to here; beside the map it breaks off."""
    if position is None:
        stroke.clear()
    elif not stroke or stroke[-1] != position:
        stroke.append(position)
