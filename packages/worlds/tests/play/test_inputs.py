"""Strokes, directions and sliders, as a world receives them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft import Grid
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.painting import brushed
from fieldcraft_worlds.play.player import Player
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.view.panel import PANEL_WIDTH
from support import sandbox
from support.refusals import refused
from support.sandbox import GAME, Paint, Tune, Walk

SIZE = (600 + PANEL_WIDTH, 400)  # 60 x 40 cells of 10 pixels


def player(**options: Any) -> Player:
    return Player(Session(GAME, seed=7), SIZE, **options)


def orders(playing: Player) -> list[Any]:
    return [order for _, given in playing.session.journal for order in given]


class TestStrokes:
    def test_fast_strokes_have_no_gaps(self) -> None:
        playing = player()
        playing.point(15, 15)
        playing.press("mouse left")
        for x, y in ((305, 35), (595, 395), (5, 205)):
            playing.step()
            playing.point(x, y)
        playing.release("mouse left")
        playing.step()
        strokes = [order.points for order in orders(playing)]
        assert [point for stroke in strokes for point in stroke[1:]] == [
            (30.5, 3.5),
            (59.5, 39.5),
            (0.5, 20.5),
        ]
        assert all(one[-1] == other[0] for one, other in itertools.pairwise(strokes))
        painted = set(np.flatnonzero(playing.session.state.paint).tolist())
        assert painted == set(
            brushed(
                Grid(60, 40), [(1.5, 1.5), (30.5, 3.5), (59.5, 39.5), (0.5, 20.5)], 1.5
            ).tolist()
        )

    def test_every_bend_between_two_steps_counts(self) -> None:
        playing = player()
        playing.point(15, 15)
        playing.press("mouse left")
        for x, y in ((105, 15), (105, 105), (15, 105)):
            playing.point(x, y)
        playing.release("mouse left")
        playing.step()
        press, release = orders(playing)
        assert press == Paint("red", ((1.5, 1.5),))
        assert release.points == ((1.5, 1.5), (10.5, 1.5), (10.5, 10.5), (1.5, 10.5))

    def test_beside_the_map_a_stroke_breaks_off(self) -> None:
        playing = player()
        playing.point(15, 15)
        playing.press("mouse left")
        playing.step()
        playing.point(900, 15)
        playing.step()
        playing.point(595, 395)
        playing.step()
        playing.leave()
        playing.step()
        assert [order.points for order in orders(playing)] == [((1.5, 1.5),), ((59.5, 39.5),)]

    def test_the_brush_that_is_chosen(self) -> None:
        playing = player()
        playing.press("key e")
        playing.point(15, 15)
        playing.press("mouse left")
        playing.step()
        assert orders(playing)[-1].color == "blue"
        playing.press("key q")
        playing.step()
        assert orders(playing)[-1].color == "red"

    def test_the_brush_is_shown_around_the_pointer(self) -> None:
        playing = player()
        away = playing.picture().copy()
        playing.point(155, 105)
        ring = (playing.picture() != away).any(axis=2)
        rows, columns = np.nonzero(ring)
        assert (rows.min(), rows.max(), columns.min(), columns.max()) == (
            pytest.approx(90, abs=3),
            pytest.approx(120, abs=3),
            pytest.approx(140, abs=3),
            pytest.approx(170, abs=3),
        )
        assert not ring[103:108, 153:158].any()
        playing.leave()
        assert (playing.picture() == away).all()

    def test_a_painted_match_replays(self, tmp_path: Path) -> None:
        playing = player()
        playing.point(15, 15)
        playing.press("mouse left")
        for step in range(30):
            playing.point(15 + 17 * step, 15 + 9 * step)
            if step == 7:
                playing.press("key k")
            playing.step()
        playing.session.save(tmp_path / "a.save")
        again = Session.load(tmp_path / "a.save", GAME)
        assert again.replayed().digest() == playing.session.digest() == again.digest()


class TestDirection:
    def test_of_four_keys(self) -> None:
        playing = player()
        playing.press("key w")
        playing.press("key right")
        playing.step()
        playing.press("key left")
        playing.step()
        playing.release("key w")
        playing.step()
        root = 0.5**0.5
        assert orders(playing) == [Walk(pytest.approx(root), pytest.approx(-root)), Walk(0.0, -1.0)]


class TestSliders:
    def test_dragging(self) -> None:
        playing = player()
        playing.picture()
        tracks = {track.name: track for track in playing.stage._tracks}
        keep = tracks["keep"]
        middle = 600 + (keep.left + keep.right) / 2
        playing.point(middle, (keep.top + keep.bottom) / 2)
        playing.press("mouse left")
        playing.step()
        playing.point(600 + keep.right + 100, 3)
        playing.step()
        playing.point(300, 200)
        playing.step()
        playing.release("mouse left")
        playing.point(middle, keep.top + 1)
        playing.step()
        assert orders(playing) == [Tune("keep", 0.75), Tune("keep", 1.0), Tune("keep", 0.5)]
        playing.wheel(1)
        playing.step()
        assert orders(playing)[-1] == Tune("keep", 0.505)
        assert playing.stage.camera is None

    def test_a_refused_value_is_shown_once_and_dropped(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        playing = player()
        playing.picture()
        keep = playing.stage._tracks[0]
        given_orders: list[Any] = []
        step = sandbox.SandboxWorld.step

        def refusing(self: Any, state: Any, given: Any, rng: Any) -> Any:
            given_orders.extend(given)
            if given:
                raise InvalidValue("Not now", got="a slider", remedy="Wait")
            return step(self, state, given, rng)

        monkeypatch.setattr(sandbox.SandboxWorld, "step", refusing)
        playing.point(600 + keep.left, keep.top + 1)
        playing.press("mouse left")
        for _ in range(3):
            playing.step()
        assert given_orders == [Tune("keep", 0.5)]
        assert playing.panel().sliders[0].value == "0.99"
        assert any("Not now" in note for note in playing.panel().notes)

    def test_a_world_without_the_value_of_a_slider_is_refused(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sandbox.SandboxWorld, "tuned", lambda self, state: {"keep": 1.0})
        with refused(InvalidValue, "radius"):
            player()
