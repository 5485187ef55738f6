"""The player between inputs and world: keys, clock, overlays, camera. It knows no window; a window
tells it what happens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import FieldcraftError, InvalidValue
from fieldcraft.view import save_png
from fieldcraft_worlds.play.bindings import (
    FRAME_INPUTS,
    FRAME_PAD,
    any_pad,
    bindings_of,
    sliders_of,
)
from fieldcraft_worlds.play.help_page import choices, hand_keys, help_lines
from fieldcraft_worlds.play.inputs import InputState
from fieldcraft_worlds.play.overlays import Overlays, with_brush
from fieldcraft_worlds.play.pads import Pads, PadSettings
from fieldcraft_worlds.play.saving import free_name
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.play.tuning import Tuning
from fieldcraft_worlds.scene import Scene
from fieldcraft_worlds.view.panel import Panel, PanelKey
from fieldcraft_worlds.view.viewport import Viewport

__all__ = ["Player"]

RGBA = NDArray[np.uint8]

_SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_LONGEST_FRAME = 0.25  # seconds of the clock that one frame makes up for at most
_PATIENCE = 0.05  # seconds that the steps of one frame may take
_NOTE = 4.0  # seconds that a message stays


class Player:
    """One who plays, or watches, a session.

    Parameters
    ----------
    session : Session
        The match.
    size : tuple[int, int]
        (width, height) of the window in pixels.
    overlays : Sequence[str], optional
        The names of those shown at first; the game's choice if None.
    controls : Mapping[str, object], optional
        Inputs in place of the game's own, by action.
    pads : PadSettings, optional
        How gamepads are read.
    speed : float, optional
        How many times faster than the world's own clock, above 0.
    save_to : Path, optional
        The file of F5 and F9.
    pictures : Path, optional
        The folder of F12.
    stop_after : int, optional
        Steps after which it is over; None to go on.
    watch : Callable[[Session], object], optional
        Sees the session after every step.
    """

    def __init__(
        self,
        session: Session,
        size: tuple[int, int],
        *,
        overlays: Sequence[str] | None = None,
        controls: Mapping[str, object] | None = None,
        pads: PadSettings | None = None,
        speed: float = 1.0,
        save_to: Path | None = None,
        pictures: Path | None = None,
        stop_after: int | None = None,
        watch: Callable[[Session], object] | None = None,
    ) -> None:
        game = session.game
        self.session = session
        self.stage = Viewport(*size)
        self.overlays = Overlays(game, overlays)
        self.speed = checks.positive("speed", speed)
        self.is_paused = False
        self.is_over = False
        self.shows_help = False
        self.wanted_picture: Path | None = None
        self._bindings = bindings_of(game, controls)
        self._overlay_keys = {f"key {overlay.key}": overlay.name for overlay in game.overlays}
        self._inputs = InputState(game.actions, self._bindings, self._position)
        self._tuning = Tuning(game)
        self.pads = Pads(self.turn, self.release_all, self.say, pads or PadSettings())
        self._save_to = save_to or Path(f"{game.name}.save")
        self._pictures = pictures or Path()
        self._stop_at = None if stop_after is None else session.steps + stop_after
        self._watch = watch
        self._owed = 0.0
        self._pointer: tuple[float, float] | None = None
        self._is_panning = False
        self._notes: list[tuple[float, str]] = []
        self._now = 0.0
        self._scene: Scene | None = None
        self._seen: tuple[object, frozenset[str]] | None = None
        self._rate = 0.0
        if unknown := [
            slider.name for slider in sliders_of(game) if slider.name not in self._tuned()
        ]:
            raise InvalidValue(
                "A world says where its sliders stand",
                got=f"not {', '.join(unknown)}",
                remedy="Mend its tuned(state)",
            )

    # What the window tells

    def resize(self, width: int, height: int) -> None:
        """The window has another size now."""
        camera, has_panel = self.stage.camera, self.stage.has_panel
        self.stage = Viewport(max(width, 1), max(height, 1), has_panel=has_panel)
        self.stage.camera = camera

    def press(self, name: str) -> None:
        """An input begins: "key w", "mouse left"."""
        if name == "mouse middle":
            self._is_panning = True
        elif name in FRAME_INPUTS:
            self._frame_key(name.removeprefix("key "))
        elif name in self._overlay_keys:
            self.overlays.toggle(self._overlay_keys[name])
        elif name == "mouse left" and (track := self._track()) is not None:
            self._tuning.grab(*track)
        elif self._tuning.press(name, self._tuned()):
            if not self.stage.has_room_for_panel:
                self.say(self._tuning.said(self._tuned()))
        else:
            self._inputs.press(name)

    def turn(self, name: str, amount: float) -> None:
        """A part of a gamepad, such as "pad 1 left stick up", is so far now, 0 to 1."""
        key = FRAME_PAD.get(any_pad(name))
        if key is None or self._inputs.action_of(name) is not None:
            self._inputs.turn(name, amount)
        elif amount > 0:
            self.press(key)

    def release(self, name: str) -> None:
        """An input ends."""
        if name == "mouse middle":
            self._is_panning = False
        elif name == "mouse left":
            self._tuning.drop()
        self._tuning.release(name)
        self._inputs.release(name)

    def release_all(self, first: str = "") -> None:
        """The window lost the keyboard, or a gamepad was pulled out: what begins so is no longer
        held.
        """
        self._inputs.release_all(first)
        if not first:
            self._tuning.release_all()
            self._is_panning = False

    def point(self, x: float, y: float) -> None:
        """The pointer is at this pixel."""
        if self._is_panning and self._pointer is not None:
            self.stage.pan(self.session.world.space, x - self._pointer[0], y - self._pointer[1])
        self._pointer = (x, y)
        if self._tuning.is_dragging:
            self._tuning.drag(self.stage.share_along(self._tuning.dragged, x))
        else:
            self._inputs.moved()

    def leave(self) -> None:
        """The pointer left the window."""
        self._pointer = None
        self._inputs.moved()

    def wheel(self, steps: float) -> None:
        """The wheel turned, away from the hand for more than 0."""
        if self._pointer is None:
            return
        if (track := self._track()) is not None:
            self._tuning.wheel(track[0], steps, self._tuned())
        elif self._pointer[0] < self.stage.map_size[0]:
            self.stage.zoom(self.session.world.space, steps, self._pointer)

    def quit(self) -> None:
        """The window was closed."""
        self.is_over = True

    # Time

    def advance(self, seconds: float) -> None:
        """So much time passed on the wall: make the steps that are due."""
        self._now += seconds
        self._tuning.advance(seconds, self._tuned())
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
                self._owed = min(
                    self._owed, 1.0
                )  # the machine is too slow for this speed: time goes slower
                break
        if seconds > 0:
            self._rate += (made / seconds - self._rate) * min(1.0, seconds)

    def step(self) -> None:
        """Make one step with what the inputs have done since the last."""
        session = self.session
        if self._stop_at is not None and session.steps >= self._stop_at:
            self.is_over = True
            return
        inputs = self._inputs.take(self._tuning.take(self._tuned()))
        try:
            orders = session.world.orders(session.state, inputs)
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
        if (
            self._scene is None
            or self._seen is None
            or self._seen[0] is not state
            or self._seen[1] != shown
        ):
            self._scene, self._seen = self.session.world.scene(state, shown), (state, shown)
        return self._scene

    def picture(self) -> RGBA:
        """The picture that the window shows, uint8 of shape (H, W, 4)."""
        lines = self.help_lines() if self.shows_help else ()
        picture = self.stage.draw(
            with_brush(self.scene(), self.session.world, self.session.state, self._position()),
            self.panel(),
            help_title=self.session.game.title,
            help_lines=lines,
        )
        if self.wanted_picture is not None:
            try:
                save_png(self.wanted_picture, picture)
                self.say(f"wrote {self.wanted_picture}")
            except (FieldcraftError, OSError) as error:
                self.say(f"no picture: {error}")
            self.wanted_picture = None
        return picture

    def panel(self) -> Panel:
        """The panel beside the map."""
        session = self.session
        wanted = session.world.rate * self.speed
        pace = "paused: space goes on" if self.is_paused else f"speed {self.speed:g}"
        if not self.is_paused and self._rate and self._rate < 0.8 * wanted:
            pace += f", {self._rate / wanted:.0%} of it on this machine"
        keys = [
            *hand_keys(session.game, self._bindings),
            *self.overlays.keys(),
            PanelKey("", ""),
            *choices(session.game, self._bindings, self._inputs.chosen),
            PanelKey("H", "help"),
        ]
        notes = tuple(text for until, text in self._notes if until > self._now)
        sliders = self._tuning.lines(self._tuned())
        game = session.game
        return Panel(tuple(keys), pace, notes, sliders, game.title, game.goal)

    def help_lines(self) -> tuple[tuple[str, str], ...]:
        """Return the page of help: what each key does."""
        sliders = self._tuning.help_lines()
        return help_lines(self.session.game, self._bindings, sliders, bool(self.pads.count))

    def say(self, text: str) -> None:
        """Show a message for a while."""
        self._notes = [
            (until, said) for until, said in self._notes if until > self._now and said != text
        ][-3:]
        self._notes.append((self._now + _NOTE + len(text) / 25, text))

    # Keys of the frame

    def _frame_key(self, key: str) -> None:
        if key == "space" and (begins := self._begins()) is not None:
            self._inputs.begin(begins)
            self.is_paused = False
        elif key == "space":
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

    def _begins(self) -> str | None:
        """The action that the world waits for, if it does."""
        begins: Callable[[object], str | None] = getattr(
            self.session.world, "begins", lambda state: None
        )
        return begins(self.session.state)

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
                stem = f"{self.session.game.name}-{self.session.steps:06d}"
                self.wanted_picture = free_name(self._pictures, stem)
        except FieldcraftError as error:
            self.say(str(error))

    def _take(self, session: Session) -> None:
        self.session = session
        self._scene = None
        self._inputs.forget()
        self._tuning.forget()
        self._owed = 0.0
        self.is_paused = False

    def _change_speed(self, by: int) -> None:
        others = [speed for speed in _SPEEDS if (speed - self.speed) * by > 1e-9]
        if others:
            self.speed = min(others, key=lambda speed: abs(speed - self.speed))

    def _tuned(self) -> Mapping[str, float]:
        """Where the sliders stand by the state."""
        session = self.session
        if not sliders_of(session.game):
            return {}
        found: Mapping[str, float] = session.world.tuned(session.state)  # type: ignore[attr-defined]
        return found

    def _track(self) -> tuple[str, float] | None:
        """The slider under the pointer, and how far along it is."""
        return None if self._pointer is None else self.stage.track_at(self._pointer)

    def _position(self) -> tuple[float, float] | None:
        return (
            None
            if self._pointer is None
            else self.stage.world_at(self.session.world.space, self._pointer)
        )
