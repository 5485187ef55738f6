"""Windows: a real one where there is a display or Xvfb, and SDL's dummy driver everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft.base.errors import FieldcraftError, MissingLibrary
from fieldcraft_worlds.play.player import Player
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.play.window import show
from support.displays import display
from support.refusals import refused
from support.wandering import GAME, Beacon

pygame = pytest.importorskip("pygame", reason="pygame-ce is not installed")

TESTS = Path(__file__).resolve().parents[4] / "tests"
SIZE = (900, 400)

# Plays a match in a real window and does, one after the other, what its plan says.
SCRIPT = """
import json
import sys
import time
from pathlib import Path
import numpy as np
import pygame
from PIL import ImageGrab, Image
from fieldcraft_worlds.play.player import Player
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.play.window import show
from support.wandering import GAME

def key(name):
    code = pygame.key.key_code(name)
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=code, unicode=name if len(name) == 1 else "", mod=0, scancode=0))
    pygame.event.post(pygame.event.Event(pygame.KEYUP, key=code, unicode="", mod=0, scancode=0))

def grab(name):
    screen = ImageGrab.grab(xdisplay=None)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)
    left, top = pygame.Window.from_display_module().position
    part = np.asarray(screen.convert("RGB"))[top : top + shown.shape[0], left : left + shown.shape[1]]
    Image.fromarray(part).save(Path(out) / f"{name}.png")
    same = part.shape == shown.shape and (part == shown).mean() > 0.999
    if same or is_late():
        print(name, shown.shape[1], shown.shape[0], "real" if same else "differs", flush=True)
    else:
        later("grab", name)

def size(with_):
    wanted = tuple(map(int, with_.split()))
    if pygame.display.get_surface().get_size() != wanted and not is_late():
        window = pygame.Window.from_display_module()
        window.position, window.size = (0, 0), wanted
        later("size", with_)

# What depends on the display may take its time.
until = None

def is_late():
    return until is not None and time.monotonic() > until

def later(*line):
    global until
    until = until or time.monotonic() + 60
    plan.insert(0, line)

def act():
    global until
    what, with_ = line = plan.pop(0)
    if what == "key":
        key(with_)
    elif what == "grab":
        grab(with_)
    elif what == "size":
        size(with_)
    elif what == "click":
        x, y = map(int, with_.split())
        for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            pygame.event.post(pygame.event.Event(kind, button=1, pos=(x, y), touch=False))
    elif what == "wheel":
        pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=int(with_), precise_x=0.0, precise_y=float(with_)))
    elif what == "point":
        pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=tuple(map(int, with_.split())), rel=(0, 0), buttons=(0, 0, 0)))
    elif what == "close":
        pygame.event.post(pygame.event.Event(pygame.QUIT))
    if plan[:1] != [line]:
        until = None

class Acting(Player):
    # Does what is next before every second picture: by then what the last did is on the screen.
    pictures = 0

    def advance(self, seconds):
        super().advance(1 / 60)  # a match that a slow machine plays alike

    def picture(self):
        self.pictures += 1
        if self.pictures % 2 == 0 and plan:
            act()
        return super().picture()

out, lines = json.loads(sys.argv[1])
plan = [tuple(line.split(" ", 1)) for line in lines]
session = Session(GAME, seed=7)
show(Acting(session, (850, 400), stop_after=50_000), "a test")
print("over", session.steps, len(session.journal), flush=True)
"""


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    with display() as name:
        yield name


def in_window(name: str, folder: Path, plan: list[str]) -> list[str]:
    """Return the lines that a match in a real window prints; its pictures go to a folder."""
    unset = ("SDL_VIDEODRIVER", "WAYLAND_DISPLAY")
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    environment |= {
        "DISPLAY": name,
        "PYTHONPATH": str(TESTS),
        "SDL_AUDIODRIVER": "none such",
        "PYGAME_HIDE_SUPPORT_PROMPT": "1",
    }
    command = [sys.executable, "-c", SCRIPT, json.dumps([str(folder), plan])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout.splitlines()


class TestRealWindow:
    def test_each_overlay_is_seen(self, screen: str, tmp_path: Path) -> None:
        from PIL import Image

        plan = ["grab trail"]
        for key, overlay in zip(
            "23456", ("checks", "areas", "cones", "lines", "arrows"), strict=True
        ):
            plan += [f"key {key}", "grab " + overlay]
        lines = in_window(screen, tmp_path, [*plan, "key h", "grab help", "close -"])
        assert [line.split() for line in lines[:-1]] == [
            [name, "850", "400", "real"]
            for name in ("trail", "checks", "areas", "cones", "lines", "arrows", "help")
        ]
        pictures = [
            np.asarray(Image.open(tmp_path / f"{line.split()[0]}.png").convert("RGB"))
            for line in lines[:-1]
        ]
        assert all(picture.std() > 15 for picture in pictures[:-1])
        changed = [
            (one[:, :600] != other[:, :600]).any(axis=2).mean() for one, other in pairwise(pictures)
        ]
        assert min(changed) > 0.002

    def test_clicks_zoom_resize_and_closing_in_the_middle(
        self, screen: str, tmp_path: Path
    ) -> None:
        plan = [
            "click 305 255",
            "point 300 200",
            "wheel 3",
            "grab near",
            "size 320 240",
            "grab small",
            "size 40 30",
            "grab tiny",
            "size 1100 700",
            "grab large",
            "close -",
        ]
        lines = in_window(screen, tmp_path, plan)
        sizes = [tuple(map(int, line.split()[1:3])) for line in lines[:-1]]
        assert sizes[0] == (850, 400)
        assert sizes[1:] == [(320, 240), (40, 30), (1100, 700)]
        assert all(line.endswith("real") for line in lines[:-1]), lines
        over, steps, orders = lines[-1].split()
        assert (over, orders) == ("over", "1")
        assert int(steps) < 50_000


class TestDummyDriver:
    """Everything but the pixels on a screen, where there is none."""

    @pytest.fixture(autouse=True)
    def driver(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")

    def played(self, *events: Callable[[Any], object], steps: int = 40) -> Player:
        waiting = list(events)

        def watch(session: Session) -> None:
            if waiting and session.steps % 2 == 0:
                waiting.pop(0)(player)

        player = Player(Session(GAME, seed=7), SIZE, speed=3, watch=watch, stop_after=steps)
        show(player, "a test")
        assert not pygame.display.get_init()
        assert waiting == []
        return player

    def test_it_runs_until_it_is_over(self) -> None:
        assert self.played(steps=9).session.steps == 9

    def test_input_reaches_the_game(self) -> None:
        def post(kind: int, **more: Any) -> Callable[[Any], object]:
            return lambda player: pygame.event.post(pygame.event.Event(kind, **more))

        player = self.played(
            post(pygame.MOUSEBUTTONDOWN, button=1, pos=(305, 255)),
            post(pygame.MOUSEBUTTONUP, button=1, pos=(305, 255)),
            post(pygame.KEYDOWN, key=pygame.K_2, unicode="2"),
            post(pygame.KEYDOWN, key=pygame.K_PLUS, unicode="+"),
            post(pygame.MOUSEBUTTONDOWN, button=4, pos=(3, 3)),
            post(pygame.MOUSEWHEEL, x=0, y=1, precise_y=1.0),
            post(pygame.WINDOWLEAVE),
            post(pygame.WINDOWFOCUSLOST),
            post(pygame.VIDEORESIZE, w=20, h=10),
        )
        assert player.session.journal[0][1] == (Beacon(pytest.approx(30.5), pytest.approx(25.5)),)
        assert player.overlays.shown == {"checks"}
        assert player.speed == 4.0

    def test_a_gamepad_presses_keys_and_the_mouse(self) -> None:
        """The directional pad and the stick are arrow keys; A clicks where the pointer is."""
        pressed: list[str] = []

        def post(kind: int, **more: Any) -> Callable[[Any], object]:
            def act(player: Any) -> None:
                if not pressed:
                    press = player.press
                    pressed.append("")
                    player.press = lambda name: (pressed.append(name), press(name))
                pygame.event.post(pygame.event.Event(kind, **more))

            return act

        down, up = pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLERBUTTONUP
        player = self.played(
            post(down, button=pygame.CONTROLLER_BUTTON_DPAD_LEFT),
            post(up, button=pygame.CONTROLLER_BUTTON_DPAD_LEFT),
            post(pygame.CONTROLLERAXISMOTION, axis=pygame.CONTROLLER_AXIS_LEFTY, value=32767),
            post(pygame.CONTROLLERAXISMOTION, axis=pygame.CONTROLLER_AXIS_LEFTY, value=0),
            post(pygame.MOUSEMOTION, pos=(305, 255)),
            post(down, button=pygame.CONTROLLER_BUTTON_A),
            post(up, button=pygame.CONTROLLER_BUTTON_A),
            post(down, button=pygame.CONTROLLER_BUTTON_GUIDE),
        )
        assert pressed[1:] == ["key left", "key down", "mouse left"]
        assert player.session.journal[0][1] == (Beacon(pytest.approx(30.5), pytest.approx(25.5)),)

    def test_the_window_has_its_title_when_it_appears(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        titles: list[str] = []
        opened = pygame.display.set_mode

        def watched(*given: Any) -> Any:
            titles.append(pygame.display.get_caption()[0])
            return opened(*given)

        monkeypatch.setattr(pygame.display, "set_mode", watched)
        self.played(steps=3)
        assert titles[0] == "a test"

    def test_closing_in_the_middle(self) -> None:
        player = self.played(lambda player: pygame.event.post(pygame.event.Event(pygame.QUIT)))
        assert 2 <= player.session.steps < 40

    def test_an_error_closes_the_window(self) -> None:
        def broken(player: Any) -> None:
            raise FieldcraftError("A rule", got="this", remedy="Do that")

        with refused(FieldcraftError, "A rule"):
            self.played(broken)
        assert not pygame.display.get_init()


class TestNoWindow:
    def test_no_display(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(sys, "platform", "linux")
        with refused(FieldcraftError, "needs a display", "--headless"):
            show(Player(Session(GAME), SIZE), "x")

    def test_a_display_that_is_gone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SDL_VIDEODRIVER", "none such")
        with refused(FieldcraftError, "needs a display", "--headless"):
            show(Player(Session(GAME), SIZE), "x")
        assert not pygame.display.get_init()

    def test_no_pygame(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pygame", None)
        with pytest.raises(MissingLibrary, match="pygame-ce"):
            show(Player(Session(GAME), SIZE), "x")
