"""The duel in the frame: inputs, overlays, saves and replays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fieldcraft_worlds.games.game import InputEvent, InputFrame
from fieldcraft_worlds.games.tether.orders import Lead, Leave, Steer, Take, Tune, Walk
from fieldcraft_worlds.games.tether.plugin import GAME
from fieldcraft_worlds.games.tether.settings import Settings
from fieldcraft_worlds.library import find_game
from fieldcraft_worlds.play.player import Player
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.view.panel import PANEL_WIDTH
from fieldcraft_worlds.view.scene import draw_scene

SIZE = (960 + PANEL_WIDTH, 640)  # 48 x 32 cells of 20 pixels


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session(find_game("tether"), settings=Settings(fighters=2), seed=5)
    for _ in range(120):
        session.step()
    return session


def test_hands_become_orders(session: Session) -> None:
    world, state = session.world, session.state

    def asked(*events: InputEvent, sliders: dict[str, float] | None = None) -> tuple[Any, ...]:
        return world.orders(state, InputFrame(events, sliders=sliders or {}))

    assert asked() == ()
    assert asked(InputEvent("take long"), InputEvent("long brain")) == (Take(0), Lead(0, "charge"))
    assert asked(InputEvent("take short"), InputEvent("leave")) == (Take(1), Leave())
    assert asked(InputEvent("walk", position=(3.0, 4.0))) == (Take(0), Walk(3.0, 4.0))
    assert asked(InputEvent("up", "hold")) == (Take(0), Steer(0.0, -1.0))
    assert asked(sliders={"threat": 2.0}) == (Tune("threat", 2.0),)


def test_a_direction_is_sent_only_when_it_changes() -> None:
    playing = Player(Session(GAME, seed=5), SIZE)
    playing.press("key q")
    playing.press("key d")
    for _ in range(3):
        playing.step()
    playing.release("key d")
    for _ in range(3):
        playing.step()
    assert [order for _, given in playing.session.journal for order in given] == [
        Take(0),
        Steer(1.0, 0.0),
        Steer(0.0, 0.0),
    ]


def test_a_click_leads_the_long_range_there() -> None:
    playing = Player(Session(GAME, seed=5), SIZE)
    playing.point(400.0, 30.0)
    playing.press("mouse left")
    playing.step()
    ((_, given),) = playing.session.journal
    assert given == (Take(0), Walk(pytest.approx(20.0), pytest.approx(1.5)))


def test_the_end_is_said() -> None:
    session = Session(GAME, settings=Settings(brains="charge"), seed=5)
    while session.result is None:
        session.step()
    assert session.result == "short range wins"
    scene = session.world.scene(session.state, frozenset(overlay.name for overlay in GAME.overlays))
    assert scene.headline == "short range wins"
    assert np.isfinite(draw_scene(scene, (300, 200))).all()
    assert dict(session.world.tuned(session.state)).keys() == {
        slider.name for slider in GAME.sliders
    }
