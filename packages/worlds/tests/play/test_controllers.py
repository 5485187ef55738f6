"""Gamepads through pygame and SDL: made up by SDL itself, plugged in and pulled out while a window
runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fieldcraft_worlds.play.player import Player
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.play.window import show
from fieldcraft_worlds.view.panel import PANEL_WIDTH
from support.joysticks import PLAIN, VirtualJoysticks
from support.sandbox import GAME, Walk

pygame = pytest.importorskip("pygame", reason="pygame-ce is not installed")

SIZE = (600 + PANEL_WIDTH, 400)


@pytest.fixture
def sticks(monkeypatch: pytest.MonkeyPatch) -> Iterator[VirtualJoysticks]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1")
    made = VirtualJoysticks()
    yield made


class Acting(Player):
    """Does what is next before every fourth picture: by then SDL has told of the last, and steps
    were made with it.
    """

    acts: list[Callable[[Player], object]]
    pictures = 0

    def picture(self) -> Any:
        self.pictures += 1
        if self.pictures % 4 == 0:
            if not self.acts:
                self.quit()
            else:
                self.acts.pop(0)(self)
        return super().picture()


def played(*acts: Callable[[Player], object], controls: Any = None) -> Player:
    player = Acting(Session(GAME, seed=7), SIZE, speed=4, controls=controls)
    player.acts = list(acts)
    show(player, "a test")
    assert not pygame.joystick.get_init()
    return player


def walks(player: Player) -> list[tuple[float, float]]:
    return [
        (order.x, order.y)
        for _, given in player.session.journal
        for order in given
        if isinstance(order, Walk)
    ]


def notes(player: Player) -> str:
    return " | ".join(text for _, text in player._notes)


def test_plugged_in_used_and_pulled_out_while_held(sticks: VirtualJoysticks) -> None:
    found: list[int] = []
    seen: list[Any] = []
    player = played(
        lambda player: found.append(sticks.attach()),
        lambda player: sticks.axis(0, 1.0),
        lambda player: sticks.axis(0, 0.6),
        lambda player: (seen.append(player.session.steps), sticks.detach(found[0])),
        lambda player: seen.append(len(walks(player))),
        lambda player: seen.append(len(walks(player))),
        lambda player: found.append(sticks.attach()),
        lambda player: sticks.button(13, True),
        lambda player: sticks.button(13, False),
    )
    told = walks(player)
    assert told[0] == (1.0, 0.0)
    assert (pytest.approx(0.5, abs=0.01), 0.0) in told
    assert seen[1] == seen[2]  # nothing is held any more
    assert told[-1] == (-1.0, 0.0)
    assert "gamepad 1 was pulled out" in notes(player)
    assert "gamepad 1: Virtual Controller" in notes(player)


def test_one_that_was_there_before(sticks: VirtualJoysticks) -> None:
    pygame.joystick.init()
    try:
        index = sticks.attach()
        controls = {"up": ["pad b"], "red": ["pad start"]}
        player = played(
            lambda player: sticks.button(6, True),
            lambda player: sticks.button(1, True),
            controls=controls,
        )
        assert (0.0, -1.0) in walks(player)
        sticks.detach(index)
        sticks.close()
    finally:
        pygame.joystick.quit()


def test_one_without_a_layout(sticks: VirtualJoysticks) -> None:
    player = played(
        lambda player: sticks.attach(PLAIN),
        lambda player: sticks.axis(1, -1.0),
        lambda player: sticks.axis(1, 0.0),
        lambda player: sticks.button(2, True),
        lambda player: sticks.button(2, False),
        lambda player: sticks.hat(4),
        controls={"left": "pad button 3"},
    )
    told = list(dict.fromkeys((round(x, 3), round(y, 3)) for x, y in walks(player)))
    assert told == [(0.0, -1.0), (-1.0, 0.0), (0.0, 1.0)]
    assert "no layout" in notes(player)


def test_none_at_all(sticks: VirtualJoysticks) -> None:
    assert notes(played()) == ""


def test_no_support_for_any_is_said(
    sticks: VirtualJoysticks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise pygame.error("no joysticks today")

    monkeypatch.setattr(pygame.joystick, "init", broken)
    assert "no gamepads here: no joysticks today" in notes(played())
