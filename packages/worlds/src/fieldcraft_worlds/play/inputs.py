"""Inputs: those held down, and the events since the last step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft_worlds.games.game import Action, Game, InputEvent, InputFrame, Slider

FRAME_KEYS = (
    ("space", "pause, continue"),
    (".", "one step"),
    ("+ -", "faster, slower"),
    ("wheel", "zoom; hold the wheel down to move the map"),
    ("home", "the whole map"),
    ("tab", "show or hide the panel"),
    ("f5 f9", "save, load"),
    ("f12", "save a picture"),
    ("r", "play the same match again"),
    ("h", "this page"),
    ("gamepad", "stick or pad: arrows; A, B: left and right mouse button;"),
    ("", "X: shift; Y: m; start: space; back: h"),
    ("esc", "quit"),
)
"""Keys of every game and what they do, for the page of help."""

FRAME_INPUTS = frozenset(
    {f"key {name}" for name in (*"+-=.hr", "space", "escape", "tab", "f5", "f9", "f12", "home")}
    | {"mouse middle"}
)
"""Inputs that do the same in every game."""

_MOUSE = ("mouse left", "mouse right", "mouse back", "mouse forward")


def sliders_of(game: Game) -> tuple[Slider, ...]:
    """Return the sliders of a game, if it has any."""
    found: tuple[Slider, ...] = tuple(getattr(game, "sliders", ()))
    return found


def bindings_of(game: Game, changes: Mapping[str, object] | None = None) -> dict[str, str]:
    """Return the action of each input: the game's own, with the inputs of some actions replaced.

    Raises
    ------
    InvalidValue
        For unknown inputs, and for inputs that something else uses.
    UnknownName
        For actions that the game does not have.
    """
    actions = {action.name: action.inputs for action in game.actions}
    for name, inputs in (changes or {}).items():
        if name not in actions:
            raise UnknownName("action", name, actions)
        actions[name] = _listed(inputs)
    users = dict.fromkeys(FRAME_INPUTS, "every game")
    users |= {f"key {overlay.key}": overlay.name for overlay in game.overlays}
    bound: dict[str, str] = {}
    for name, wanted in actions.items():
        for item in wanted:
            if not item.startswith("key ") and item not in _MOUSE and item not in FRAME_INPUTS:
                raise InvalidValue(
                    'An input is "key ..." or a button of the mouse',
                    got=repr(item),
                    remedy='Write "key w" or "mouse left", say',
                )
            if item in users:
                raise InvalidValue(
                    "An input does one thing",
                    got=f"{item!r} for {name} and {users[item]}",
                    remedy="Choose another for one of them",
                )
            users[item] = name
            bound[item] = name
    return bound


def by_action(bindings: Mapping[str, str], actions: Sequence[Action]) -> dict[str, list[str]]:
    """Return the inputs of each action, in the order of the actions."""
    inputs: dict[str, list[str]] = {action.name: [] for action in actions}
    for name, action in bindings.items():
        inputs[action].append(name)
    return inputs


def _listed(inputs: object) -> tuple[str, ...]:
    """Return the inputs of an action; one text is one input."""
    if isinstance(inputs, str):
        listed: object = [inputs]
    else:
        listed = inputs
    if not isinstance(listed, (list, tuple)) or not all(
        isinstance(item, str) and item for item in listed
    ):
        raise InvalidValue(
            "The inputs of an action are names",
            got=repr(inputs)[:80],
            remedy='Write ["key w", "key up"], say',
        )
    return tuple(" ".join(item.lower().split()) for item in listed)


Point = tuple[float, float]


@dataclass
class _Held:
    """An input that is held down: where it began, and the path of the pointer since the last
    event.
    """

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
        stroke: list[Point] = []
        if position is not None:
            stroke.append(position)
        self._held[name] = _Held(position, stroke)
        self._events.append(InputEvent(action.name, "press", position, position, tuple(stroke)))

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
        """Return the event of an input that is held down, with its stroke since the last one."""
        held = self._held[name]
        position = self._pointer()
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
