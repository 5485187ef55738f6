"""The player: inputs, clock, overlays and camera of a match, without a window."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from fieldcraft.base import checks
from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft.view import save_png
from fieldcraft_worlds.arrays import RGBA
from fieldcraft_worlds.play.help_page import choices, hand_keys, help_lines
from fieldcraft_worlds.play.inputs import FRAME_INPUTS, InputState, bindings_of, sliders_of
from fieldcraft_worlds.play.overlays import Overlays, with_brush
from fieldcraft_worlds.play.saving import free_name
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.play.sliders import SliderState
from fieldcraft_worlds.scene import Scene
from fieldcraft_worlds.view.panel import Panel, PanelKey
from fieldcraft_worlds.view.viewport import Viewport

_SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_LONGEST_FRAME = 0.25  # seconds that one frame catches up with at most
_LONGEST_STEPS = 0.05  # seconds that the steps of one frame may take
_NOTE = 4.0  # seconds that a message stays


class Player:
    """A match with its inputs, clock, overlays and camera.

    Parameters
    ----------
    session : Session
        The match.
    size : tuple[int, int]
        (width, height) of the window in pixels.
    overlays : Overlays, optional
        Those that are shown; the default ones if None.
    controls : Mapping[str, object], optional
        Inputs in place of the game's own, by action.
    speed : float, optional
        Speed relative to normal, above 0.
    save_to : Path, optional
        The file of F5 and F9.
    pictures : Path, optional
        The folder of F12.
    stop_after : int, optional
        Steps after which it ends; None for no limit.
    watch : Callable[[Session], object], optional
        Called after every step.
    """

    def __init__(
        self,
        session: Session,
        size: tuple[int, int],
        *,
        overlays: Overlays | None = None,
        controls: Mapping[str, object] | None = None,
        speed: float = 1.0,
        save_to: Path | None = None,
        pictures: Path | None = None,
        stop_after: int | None = None,
        watch: Callable[[Session], object] | None = None,
    ) -> None:
        game = session.game
        self.session = session
        self.stage = Viewport(*size)
        if overlays is None:
            self.overlays = Overlays(game)
        else:
            self.overlays = overlays
        self.speed = checks.positive("speed", speed)
        self.is_paused = False
        self.is_over = False
        self.shows_help = False
        self.wanted_picture: Path | None = None
        self._bindings = bindings_of(game, controls)
        self._overlay_keys = {f"key {overlay.key}": overlay.name for overlay in game.overlays}
        self._inputs = InputState(game.actions, self._bindings, self._position)
        self._sliders = SliderState(game)
        self._save_to = save_to or Path(f"{game.name}.save")
        self._pictures = pictures or Path()
        if stop_after is None:
            self._stop_at = None
        else:
            self._stop_at = session.steps + stop_after
        self._watch = watch
        self._owed = 0.0
        self._pointer: tuple[float, float] | None = None
        self._is_panning = False
        self._notes: list[tuple[float, str]] = []
        self._now = 0.0
        self._scene: Scene | None = None
        self._seen: tuple[object, frozenset[str]] | None = None
        self._rate = 0.0
        tuned = self._tuned()
        unknown = [slider.name for slider in sliders_of(game) if slider.name not in tuned]
        if unknown:
            raise InvalidValue(
                "tuned(state) of a world has the value of each slider",
                got=f"no {', '.join(unknown)}",
                remedy="Add them",
            )

    # Input

    def resize(self, width: int, height: int) -> None:
        """Change the size of the picture."""
        camera = self.stage.camera
        has_panel = self.stage.has_panel
        self.stage = Viewport(max(width, 1), max(height, 1), has_panel=has_panel)
        self.stage.camera = camera

    def press(self, name: str) -> None:
        """Begin an input: "key w", "mouse left"."""
        track = self._track()
        if name == "mouse middle":
            self._is_panning = True
        elif name in FRAME_INPUTS:
            self._frame_key(name.removeprefix("key "))
        elif name in self._overlay_keys:
            self.overlays.toggle(self._overlay_keys[name])
        elif name == "mouse left" and track is not None:
            self._sliders.drag(*track)
        else:
            self._inputs.press(name)

    def release(self, name: str) -> None:
        """End an input."""
        if name == "mouse middle":
            self._is_panning = False
        elif name == "mouse left":
            self._sliders.dragged = None
        self._inputs.release(name)

    def release_all(self) -> None:
        """End all inputs: the window lost the keyboard."""
        self._inputs.release_all()
        self._sliders.dragged = None
        self._is_panning = False

    def point(self, x: float, y: float) -> None:
        """Move the pointer to a pixel."""
        if self._is_panning and self._pointer is not None:
            self.stage.pan(self.session.world.space, x - self._pointer[0], y - self._pointer[1])
        self._pointer = (x, y)
        if self._sliders.dragged is not None:
            name = self._sliders.dragged
            self._sliders.drag(name, self.stage.share_along(name, x))
        else:
            self._inputs.pointer_moved()

    def leave(self) -> None:
        """Move the pointer out of the window."""
        self._pointer = None
        self._inputs.pointer_moved()

    def wheel(self, steps: float) -> None:
        """Turn the wheel; more than 0 zooms in."""
        if self._pointer is None:
            return
        track = self._track()
        if track is not None:
            self._sliders.wheel(track[0], steps, self._tuned())
        elif self._pointer[0] < self.stage.map_size[0]:
            self.stage.zoom(self.session.world.space, steps, self._pointer)

    def quit(self) -> None:
        """End the match: the window was closed."""
        self.is_over = True

    # Time

    def advance(self, seconds: float) -> None:
        """Make the steps that are due after some seconds of wall time."""
        self._now += seconds
        if self.is_paused or self.is_over or self.shows_help:
            return
        rate = self.session.world.rate * self.speed
        self._owed += min(seconds, _LONGEST_FRAME) * rate
        begun = time.perf_counter()
        made = 0
        while self._owed >= 1 and not self.is_over and not self.is_paused:
            self._owed -= 1
            self.step()
            made += 1
            if time.perf_counter() - begun > _LONGEST_STEPS:
                self._owed = min(self._owed, 1.0)  # the machine is too slow for this speed
                break
        if seconds > 0:
            self._rate += (made / seconds - self._rate) * min(1.0, seconds)

    def step(self) -> None:
        """Make one step with the inputs since the last one."""
        session = self.session
        if self._stop_at is not None and session.steps >= self._stop_at:
            self.is_over = True
            return
        inputs = self._inputs.frame(self._sliders.take(self._tuned()))
        try:
            orders = session.world.orders(session.state, inputs)
        except FieldcraftError as error:
            orders = ()
            self.note(str(error))
        finished = session.result is not None
        for refusal in session.step_if(orders):
            self.note(refusal)
        if self._watch is not None:
            self._watch(session)
        if session.result is not None and not finished:
            self.is_paused = True
            self.note(f"{session.result}: R plays it again")
        if self._stop_at is not None and session.steps >= self._stop_at:
            self.is_over = True

    # Output

    def scene(self) -> Scene:
        """Return the scene now, with the overlays that are shown."""
        state = self.session.state
        shown = self.overlays.shown
        if (
            self._scene is None
            or self._seen is None
            or self._seen[0] is not state
            or self._seen[1] != shown
        ):
            self._scene = self.session.world.scene(state, shown)
            self._seen = (state, shown)
        return self._scene

    def picture(self) -> RGBA:
        """Return the picture for the window, uint8 of shape (H, W, 4)."""
        if self.shows_help:
            lines = help_lines(self.session.game, self.session.settings, self._bindings)
        else:
            lines = ()
        picture = self.stage.draw(
            with_brush(self.scene(), self.session.world, self.session.state, self._position()),
            self.panel(),
            help_title=self.session.game.title,
            help_lines=lines,
        )
        if self.wanted_picture is not None:
            try:
                save_png(self.wanted_picture, picture)
                self.note(f"wrote {self.wanted_picture}")
            except (FieldcraftError, OSError) as error:
                self.note(f"no picture: {error}")
            self.wanted_picture = None
        return picture

    def panel(self) -> Panel:
        """Return the panel beside the map."""
        session = self.session
        wanted = session.world.rate * self.speed
        if self.is_paused:
            pace = "paused: space continues"
        else:
            pace = f"speed {self.speed:g}"
        if not self.is_paused and self._rate and self._rate < 0.8 * wanted:
            pace += f", slower here: {self._rate / session.world.rate:.2g}"
        keys = [
            *hand_keys(session.game, self._bindings),
            *self.overlays.keys(),
            PanelKey("", ""),
            *choices(session.game, session.settings, self._bindings, self._inputs.chosen),
        ]
        notes = tuple(text for until, text in self._notes if until > self._now)
        sliders = self._sliders.lines(self._tuned())
        game = session.game
        return Panel(tuple(keys), pace, notes, sliders, game.title, game.goal)

    def note(self, text: str) -> None:
        """Show a message for a while."""
        others = [
            (until, shown) for until, shown in self._notes if until > self._now and shown != text
        ]
        self._notes = others[-3:]
        self._notes.append((self._now + _NOTE + len(text) / 25, text))

    # Keys of every game

    def _frame_key(self, key: str) -> None:
        """Do what a key does in every game."""
        if key == "space":
            begins = self._begins()
            if begins is None:
                self.is_paused = not self.is_paused
            else:
                self._inputs.begin(begins)
                self.is_paused = False
        elif key == ".":
            self.is_paused = True
            self.step()
        elif key in ("+", "="):
            self._change_speed(1)
        elif key == "-":
            self._change_speed(-1)
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
        """Return the action that the world waits for, if any."""
        begins: Callable[[object], str | None] = getattr(
            self.session.world, "begins", lambda state: None
        )
        return begins(self.session.state)

    def _file_key(self, key: str) -> None:
        """Save, load, restart, or take a picture."""
        try:
            if key == "f5":
                self.session.save(self._save_to)
                self.note(f"saved to {self._save_to}")
            elif key == "f9":
                self._continue(Session.load(self._save_to, self.session.game))
                self.note(f"loaded {self._save_to}")
            elif key == "r":
                self.session.restart()
                self._continue(self.session)
                self.note("restarted")
            elif key == "f12":
                stem = f"{self.session.game.name}-{self.session.steps:06d}"
                self.wanted_picture = free_name(self._pictures, stem)
        except FieldcraftError as error:
            self.note(str(error))

    def _continue(self, session: Session) -> None:
        """Go on with a match."""
        self.session = session
        self._scene = None
        self._inputs.clear()
        self._sliders.clear()
        self._owed = 0.0
        self.is_paused = False

    def _change_speed(self, by: int) -> None:
        """Play faster (1) or slower (-1)."""
        others = [speed for speed in _SPEEDS if (speed - self.speed) * by > 1e-9]
        if others:
            self.speed = min(others, key=lambda speed: abs(speed - self.speed))

    def _tuned(self) -> Mapping[str, float]:
        """Return the values of the sliders in the state."""
        session = self.session
        if not sliders_of(session.game):
            return {}
        found: Mapping[str, float] = session.world.tuned(session.state)  # type: ignore[attr-defined]
        return found

    def _track(self) -> tuple[str, float] | None:
        """Return the slider under the pointer, and the share of its length there."""
        if self._pointer is None:
            return None
        return self.stage.track_at(self._pointer)

    def _position(self) -> tuple[float, float] | None:
        """Return the world position of the pointer; None outside the map."""
        if self._pointer is None:
            return None
        return self.stage.world_at(self.session.world.space, self._pointer)
