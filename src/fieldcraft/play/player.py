"""What is between a player's hands and the world: keys, clock, overlays, camera. It knows no window; a window tells it what happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import FieldcraftError, InvalidValue, UnknownName
from fieldcraft.games.game import Action, Game, Hands, Signal
from fieldcraft.play.session import Session
from fieldcraft.scene import Scene
from fieldcraft.view.film import save_png
from fieldcraft.view.panel import Panel, PanelKey
from fieldcraft.view.stage import Stage

__all__ = ["FRAME_KEYS", "Overlays", "Player", "bindings_of"]

RGBA = NDArray[np.uint8]

FRAME_KEYS = (
    ("space", "pause, go on"),
    (".", "one step"),
    ("+ -", "faster, slower"),
    ("wheel", "nearer, farther; with its button held down, move the map"),
    ("home", "the whole map"),
    ("tab", "show or hide the panel"),
    ("f5 f9", "save, load"),
    ("f12", "take a picture"),
    ("r", "the same match from the start"),
    ("h", "this page"),
    ("esc", "leave"),
)
_TAKEN = {f"key {name}" for name in ("space", ".", "+", "-", "=", "h", "r", "escape", "tab", "f5", "f9", "f12", "home")} | {"mouse middle"}
_SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_LONGEST_FRAME = 0.25  # seconds of the clock that one frame makes up for at most
_PATIENCE = 0.05  # seconds that the steps of one frame may take
_NOTE = 4.0  # seconds that a message stays


class Overlays:
    """Which overlays of a game are shown."""

    def __init__(self, game: Game, names: Sequence[str] | None = None) -> None:
        self._all = {overlay.name: overlay for overlay in game.overlays}
        self._shown = {overlay.name for overlay in game.overlays if overlay.shown}
        if names is not None:
            self._shown.clear()
            for name in names:
                if name not in self._all:
                    raise UnknownName("overlay", name, self._all)
                self.toggle(name)

    def toggle(self, name: str) -> None:
        """Show an overlay in place of others of its group, or hide it."""
        if name in self._shown:
            self._shown.remove(name)
            return
        group = self._all[name].group
        self._shown = {other for other in self._shown if not group or self._all[other].group != group} | {name}

    @property
    def shown(self) -> frozenset[str]:
        """The names of those that are shown."""
        return frozenset(self._shown)

    def keys(self) -> tuple[PanelKey, ...]:
        """Lines for the legend."""
        return tuple(PanelKey(overlay.key.upper(), overlay.name, overlay.name in self._shown) for overlay in self._all.values())


def bindings_of(game: Game, changes: Mapping[str, object] | None = None) -> dict[str, str]:
    """Which action each input does: the game's own, with the inputs of some actions replaced.

    Raises `InvalidValue` for inputs that the frame or another action has, and `UnknownName` for actions that the game does not know.
    """
    actions = {action.name: action.inputs for action in game.actions}
    for name, inputs in (changes or {}).items():
        if name not in actions:
            raise UnknownName("action", name, actions)
        listed = [inputs] if isinstance(inputs, str) else inputs
        if not isinstance(listed, (list, tuple)) or not all(isinstance(item, str) and item for item in listed):
            raise InvalidValue("The inputs of an action are names", got=repr(inputs)[:80], remedy='Write ["key w", "key up"], say')
        actions[name] = tuple(" ".join(item.lower().split()) for item in listed)
    bound: dict[str, str] = {}
    overlays = {f"key {overlay.key}": overlay.name for overlay in game.overlays}
    for name, wanted in actions.items():
        for item in wanted:
            holder = "the frame" if item in _TAKEN else overlays.get(item) or bound.get(item)
            if holder is not None:
                raise InvalidValue(
                    "An input does one thing", got=f"{item!r} for {name} and {holder}", remedy="Choose another for one of them"
                )
            bound[item] = name
    return bound


class Player:
    """One who plays, or watches, a session.

    Parameters
    ----------
    session: the match.
    size: (width, height) of the window in pixels.
    overlays: the names of those shown at first; the game's choice if None.
    controls: inputs in place of the game's own, by action.
    speed: how many times faster than the world's own clock, above 0.
    save_to: the file of F5 and F9.
    pictures: the folder of F12.
    stop_after: steps after which it is over; None to go on.
    watch: sees the session after every step.

    """

    def __init__(
        self,
        session: Session,
        size: tuple[int, int],
        *,
        overlays: Sequence[str] | None = None,
        controls: Mapping[str, object] | None = None,
        speed: float = 1.0,
        save_to: Path | None = None,
        pictures: Path | None = None,
        stop_after: int | None = None,
        watch: Callable[[Session], object] | None = None,
    ) -> None:
        game = session.game
        self.session = session
        self.stage = Stage(*size)
        self.overlays = Overlays(game, overlays)
        self.speed = checks.positive("speed", speed)
        self.is_paused = False
        self.is_over = False
        self.shows_help = False
        self.wanted_picture: Path | None = None
        self._bindings = bindings_of(game, controls)
        self._actions = {action.name: action for action in game.actions}
        self._overlay_keys = {f"key {overlay.key}": overlay.name for overlay in game.overlays}
        self._chosen: dict[str, str] = {}
        for action in game.actions:
            if action.group:
                self._chosen.setdefault(action.group, action.name)
        self._save_to = save_to or Path(f"{game.name}.save")
        self._pictures = pictures or Path()
        self._stop_at = None if stop_after is None else session.steps + stop_after
        self._watch = watch
        self._owed = 0.0
        self._signals: list[Signal] = []
        self._held: dict[str, tuple[float, tuple[float, float] | None]] = {}
        self._pointer: tuple[float, float] | None = None
        self._is_panning = False
        self._notes: list[tuple[float, str]] = []
        self._now = 0.0
        self._scene: Scene | None = None
        self._seen: tuple[object, frozenset[str]] | None = None
        self._rate = 0.0

    # What the window tells

    def resize(self, width: int, height: int) -> None:
        """The window has another size now."""
        camera, has_panel = self.stage.camera, self.stage.has_panel
        self.stage = Stage(max(width, 1), max(height, 1), has_panel=has_panel)
        self.stage.camera = camera

    def press(self, name: str, amount: float = 1.0) -> None:
        """An input begins: "key w", "mouse left"."""
        if name == "mouse middle":
            self._is_panning = True
        elif name in _TAKEN:
            self._frame_key(name.removeprefix("key "))
        elif name in self._overlay_keys:
            self.overlays.toggle(self._overlay_keys[name])
        elif name in self._bindings:
            action = self._actions[self._bindings[name]]
            if action.group:
                self._chosen[action.group] = action.name
            position = self._position()
            if name.startswith("mouse") and position is None:
                return
            self._held[name] = (amount, position)
            self._signals.append(Signal(action.name, "press", position, position, amount))

    def release(self, name: str) -> None:
        """An input ends."""
        if name == "mouse middle":
            self._is_panning = False
        if name in self._held:
            amount, start = self._held.pop(name)
            self._signals.append(Signal(self._bindings[name], "release", self._position(), start, amount))

    def release_all(self) -> None:
        """The window lost the keyboard: nothing is held any more."""
        for name in tuple(self._held):
            self.release(name)
        self._is_panning = False

    def point(self, x: float, y: float) -> None:
        """The pointer is at this pixel."""
        if self._is_panning and self._pointer is not None:
            self.stage.pan(self.scene(), x - self._pointer[0], y - self._pointer[1])
        self._pointer = (x, y)

    def leave(self) -> None:
        """The pointer left the window."""
        self._pointer = None

    def wheel(self, steps: float) -> None:
        """The wheel turned, away from the hand for more than 0."""
        if self._pointer is not None and self._pointer[0] < self.stage.map_size[0]:
            self.stage.zoom(self.scene(), steps, self._pointer)

    def quit(self) -> None:
        """The window was closed."""
        self.is_over = True

    # Time

    def advance(self, seconds: float) -> None:
        """So much time passed on the wall: make the steps that are due."""
        self._now += seconds
        if self.is_paused or self.is_over:
            return
        rate = self.session.world.rate * self.speed
        self._owed += min(seconds, _LONGEST_FRAME) * rate
        begun, made = time.perf_counter(), 0
        while self._owed >= 1 and not self.is_over and not self.is_paused:
            self._owed -= 1
            self.step()
            made += 1
            if time.perf_counter() - begun > _PATIENCE:
                self._owed = min(self._owed, 1.0)  # the machine is too slow for this speed: time goes slower
                break
        if seconds > 0:
            self._rate += (made / seconds - self._rate) * min(1.0, seconds)

    def step(self) -> None:
        """Make one step with what the hands have done since the last."""
        session = self.session
        if self._stop_at is not None and session.steps >= self._stop_at:
            self.is_over = True
            return
        for name, (amount, start) in self._held.items():
            if not any(signal.action == self._bindings[name] and signal.phase == "press" for signal in self._signals):
                self._signals.append(Signal(self._bindings[name], "hold", self._position(), start, amount))
        hands = Hands(tuple(self._signals), self._position(), dict(self._chosen))
        self._signals.clear()
        try:
            orders = session.world.orders(session.state, hands)
        except FieldcraftError as error:
            orders = ()
            self.say(str(error))
        finished = session.result is not None
        for refusal in session.step_if(orders):
            self.say(refusal)
        if self._watch is not None:
            self._watch(session)
        if session.result is not None and not finished:
            self.is_paused = True
            self.say(f"{session.result}: R plays it again")
        if self._stop_at is not None and session.steps >= self._stop_at:
            self.is_over = True

    # What is to be seen

    def scene(self) -> Scene:
        """The scene now, with the overlays that are shown."""
        state, shown = self.session.state, self.overlays.shown
        if self._scene is None or self._seen is None or self._seen[0] is not state or self._seen[1] != shown:
            self._scene, self._seen = self.session.world.scene(state, shown), (state, shown)
        return self._scene

    def picture(self) -> RGBA:
        """What the window shows, uint8 of shape (H, W, 4)."""
        lines = self.help_lines() if self.shows_help else ()
        picture = self.stage.draw(self.scene(), self.panel(), help_title=self.session.game.title, help_lines=lines)
        if self.wanted_picture is not None:
            try:
                save_png(self.wanted_picture, picture)
                self.say(f"wrote {self.wanted_picture}")
            except (FieldcraftError, OSError) as error:
                self.say(f"no picture: {error}")
            self.wanted_picture = None
        return picture

    def panel(self) -> Panel:
        """What stands beside the map."""
        session = self.session
        wanted = session.world.rate * self.speed
        pace = "paused" if self.is_paused else f"speed {self.speed:g}"
        if not self.is_paused and self._rate and self._rate < 0.8 * wanted:
            pace += f", {self._rate:.0f} of {wanted:.0f} a second"
        keys = [*self.overlays.keys(), PanelKey("", ""), *self._choices(), PanelKey("H", "help")]
        notes = tuple(text for until, text in self._notes if until > self._now)
        return Panel(tuple(keys), f"step {session.steps:,}, {pace}", notes)

    def help_lines(self) -> tuple[tuple[str, str], ...]:
        """The page of help: what each key does."""
        inputs: dict[str, list[str]] = {}
        for name, action in self._bindings.items():
            inputs.setdefault(action, []).append(name.removeprefix("key "))
        played = [(", ".join(inputs.get(action.name, ["no input"])), action.text) for action in self.session.game.actions]
        shown = [(overlay.key, overlay.text) for overlay in self.session.game.overlays]
        lines = list(FRAME_KEYS)
        if shown:
            lines = [*shown, ("", ""), *lines]
        return tuple([*played, ("", ""), *lines] if played else lines)

    def say(self, text: str) -> None:
        """Show a message for a while."""
        self._notes = [(until, said) for until, said in self._notes if until > self._now and said != text][-3:]
        self._notes.append((self._now + _NOTE + len(text) / 25, text))

    # Keys of the frame

    def _frame_key(self, key: str) -> None:
        if key == "space":
            self.is_paused = not self.is_paused
        elif key == ".":
            self.is_paused = True
            self.step()
        elif key in ("+", "=", "-"):
            self._change_speed(-1 if key == "-" else 1)
        elif key == "h":
            self.shows_help = not self.shows_help
        elif key == "tab":
            self.stage.has_panel = not self.stage.has_panel
        elif key == "home":
            self.stage.fit()
        elif key == "escape":
            if self.shows_help:
                self.shows_help = False
            else:
                self.is_over = True
        else:
            self._file_key(key)

    def _file_key(self, key: str) -> None:
        try:
            if key == "f5":
                self.session.save(self._save_to)
                self.say(f"saved to {self._save_to}")
            elif key == "f9":
                self._take(Session.load(self._save_to, self.session.game))
                self.say(f"loaded {self._save_to}")
            elif key == "r":
                self.session.restart()
                self._take(self.session)
                self.say("from the start")
            elif key == "f12":
                self.wanted_picture = self._free_name()
        except FieldcraftError as error:
            self.say(str(error))

    def _take(self, session: Session) -> None:
        self.session = session
        self._scene = None
        self._signals.clear()
        self._owed = 0.0
        self.is_paused = False

    def _change_speed(self, by: int) -> None:
        others = [speed for speed in _SPEEDS if (speed - self.speed) * by > 1e-9]
        if others:
            self.speed = min(others, key=lambda speed: abs(speed - self.speed))

    def _free_name(self) -> Path:
        stem = f"{self.session.game.name}-{self.session.steps:06d}"
        names = (self._pictures / f"{stem}{extra}.png" for extra in ("", *(f"-{number}" for number in range(2, 1000))))
        return next((name for name in names if not name.exists()), self._pictures / f"{stem}.png")

    def _choices(self) -> list[PanelKey]:
        """What is chosen in each group of actions."""
        by_action: dict[str, str] = {}
        for name, action in self._bindings.items():
            by_action.setdefault(action, name.removeprefix("key "))

        def line(action: Action) -> PanelKey:
            return PanelKey(by_action.get(action.name, "").upper(), action.text)

        return [line(self._actions[name]) for name in self._chosen.values()]

    def _position(self) -> tuple[float, float] | None:
        return None if self._pointer is None else self.stage.world_at(self.scene(), self._pointer)
