"""Kernels compiled before a match: the window and the terminal show it, and it can be stopped."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any

import pytest

from fieldcraft import kernels
from fieldcraft.cli import main
from fieldcraft.errors import UnknownName
from fieldcraft.kernels import warming
from fieldcraft.readiness import is_ready
from fieldcraft_worlds import preparing
from fieldcraft_worlds.library import GAMES, kernels_of
from fieldcraft_worlds.play import window
from fieldcraft_worlds.play.preparing import bar_picture
from fieldcraft_worlds.play.session import Session
from support.refusals import refused

compiled_only = pytest.mark.skipif(
    not kernels.compiled(), reason="nothing is compiled in this process"
)


class Slow:
    """A list of kernels that are compiled when the test says so."""

    def __init__(self, count: int = 4) -> None:
        self.count = count
        self.go, self.was_stopped = threading.Semaphore(0), False

    def missing(self, names: object) -> list[str]:
        return ["one"]

    def prepare(
        self,
        names: object,
        told: Callable[[int, int], None],
        stopped: threading.Event | None = None,
    ) -> None:
        told(0, self.count)
        for done in range(1, self.count + 1):
            while not self.go.acquire(timeout=0.01):
                if stopped is not None and stopped.is_set():
                    self.was_stopped = True
                    return
            told(done, self.count)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    fake = Slow()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(kernels, "compiled", lambda: True)
    monkeypatch.setattr(warming, "missing", fake.missing)
    monkeypatch.setattr(warming, "prepare", fake.prepare)
    return fake


def test_the_bar_grows_with_what_is_done() -> None:
    widths = []
    for done in (0, 12, 31):
        row = bar_picture(300, 200, done, 31)[105, :, :3]
        widths.append(int((row == (120, 220, 232)).all(axis=1).sum()))
    assert widths == [0, 180 * 12 // 31, 180]
    assert bar_picture(20, 15, 1, 2).shape == (15, 20, 4)


def test_the_window_shows_each_kernel_and_stays(
    slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    pygame = pytest.importorskip("pygame", reason="pygame-ce is not installed")
    drawn: list[tuple[int, int]] = []
    picture = bar_picture

    def watch(width: int, height: int, done: int, total: int) -> Any:
        if not drawn or drawn[-1][0] != done:
            slow.go.release()
        drawn.append((done, total))
        return picture(width, height, done, total)

    monkeypatch.setattr(window, "bar_picture", watch)
    assert window.prepare(["spread"], "a test", (320, 200))
    assert drawn[-1] == (4, 4)
    seen = pygame.surfarray.array3d(pygame.display.get_surface())
    assert (seen == (120, 220, 232)).all(axis=2).sum() > 1000
    window.close()
    assert not pygame.display.get_init()


def test_closing_the_window_ends_the_work(
    slow: Slow, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pygame = pytest.importorskip("pygame", reason="pygame-ce is not installed")
    picture = bar_picture

    def closing(width: int, height: int, done: int, total: int) -> Any:
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        return picture(width, height, done, total)

    monkeypatch.setattr(window, "bar_picture", closing)
    assert main(["play", "chase"]) == 0
    told = capsys.readouterr()
    assert (told.out, "no match was played" in told.err) == ("", True)
    assert slow.was_stopped and not pygame.display.get_init()


def test_ctrl_c_ends_the_work(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame", reason="pygame-ce is not installed")

    def stopping(*unused: object) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(window, "bar_picture", stopping)
    assert main(["play", "chase"]) == 130
    assert slow.was_stopped


def test_a_line_on_the_terminal(slow: Slow) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    slow.go.release(4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fieldcraft.progress._BETWEEN", 0.0)
        preparing.on_terminal(["spread"], screen)
    assert "Preparing: 2 of 4" in screen.getvalue()


def test_nothing_to_compile_shows_nothing(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "missing", lambda names: [])
    assert is_ready(["spread"])
    assert kernels_of("moths", is_seen=True) == ()


def test_a_game_of_ones_own_names_what_it_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    from fieldcraft_worlds.games.tether.plugin import GAME

    monkeypatch.setattr(type(GAME), "kernels", ("sight", "spread.wave_near"), raising=False)
    found = kernels_of("fieldcraft_worlds.games.tether.plugin:GAME", is_seen=True)
    assert {"visible", "spread.wave_near", "paint.marks"} <= set(found)
    assert "radial" not in found
    monkeypatch.setattr(type(GAME), "kernels", ("sihgt",))
    with refused(UnknownName, "'sihgt'", "sight"):
        kernels_of("fieldcraft_worlds.games.tether.plugin:GAME")
    with refused(UnknownName, "'wave_neer'", "wave_near"):
        warming.entries(["spread.wave_neer"])
    with refused(UnknownName, "'4'", "0, 1, 2, 3"):
        warming.versions(["spread_tiles.tiles_near:4"])


@compiled_only
@pytest.mark.parametrize("name", list(GAMES))
def test_a_match_calls_no_other_kernels(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from fieldcraft.kernels import prebuilt

    if prebuilt.serves():
        pytest.skip("all kernels lie in one object")
    from fieldcraft.kernels import jit
    from fieldcraft_worlds.library import find_game

    named = set(warming.versions(kernels_of(name)))
    called: list[str] = []

    def listen(self: Any, *arguments: Any, **more: Any) -> Any:
        if self not in named:
            called.append(f"{self.py_func.__module__}.{self.py_func.__name__}:{self.number}")
        return prepare(self, *arguments, **more)

    prepare = jit.Kernel.prepare
    monkeypatch.setattr(jit.Kernel, "prepare", listen)
    session = Session(find_game(name))
    for _ in range(40):
        session.step()
    assert called == []
