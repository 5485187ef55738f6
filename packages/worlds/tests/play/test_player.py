"""Keys, clock, overlays and pointer, without any window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.base.settings import settings_from
from fieldcraft_worlds.library import find_game
from fieldcraft_worlds.play import player as players
from fieldcraft_worlds.play.help_page import help_lines
from fieldcraft_worlds.play.inputs import bindings_of
from fieldcraft_worlds.play.overlays import Overlays
from fieldcraft_worlds.play.player import Player
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.view.panel import PANEL_WIDTH
from support.refusals import refused
from support.wandering import GAME, Beacon, Settings

SIZE = (600 + PANEL_WIDTH, 400)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps are made however long they take: these tests are about which, not about slow
    machines.
    """
    monkeypatch.setattr(players, "_LONGEST_STEPS", 1e9)


def player(**options: Any) -> Player:
    return Player(Session(GAME, seed=7), SIZE, **options)


def pixel_of(playing: Player, x: float, y: float) -> tuple[float, float]:
    return (x * 10.0, y * 10.0)  # 60 x 40 cells on 600 x 400 pixels


class TestClock:
    def test_steps_come_at_the_rate_of_the_world(self) -> None:
        playing = player()
        for _ in range(120):
            playing.advance(1 / 60)
        assert playing.session.steps == 40

    @pytest.mark.parametrize("frames", [30, 60, 144])
    def test_frames_do_not_count(self, frames: int) -> None:
        playing = player()
        while playing.session.steps < 30:
            playing.advance(1 / frames)
        other = Session(GAME, seed=7)
        for _ in range(playing.session.steps):
            other.step()
        assert playing.session.digest() == other.digest()

    def test_speed(self) -> None:
        playing = player(speed=2.0)
        playing.advance(0.2)
        assert playing.session.steps == 8
        playing.press("key +")
        assert playing.speed == 4.0
        for _ in range(3):
            playing.press("key -")
        assert playing.speed == 0.5
        for _ in range(30):
            playing.press("key -")
        assert playing.speed == 0.1
        with refused(InvalidValue, "speed"):
            player(speed=0)

    def test_pause_and_single_steps(self) -> None:
        playing = player()
        playing.press("key space")
        playing.advance(0.2)
        assert playing.session.steps == 0
        playing.press("key .")
        playing.press("key .")
        assert (playing.session.steps, playing.is_paused) == (2, True)
        playing.press("key space")
        playing.advance(0.2)
        assert playing.session.steps == 6

    def test_a_long_frame_is_not_made_up_for(self) -> None:
        playing = player()
        playing.advance(100.0)
        assert playing.session.steps <= 5

    def test_it_stops_after_so_many_steps(self) -> None:
        playing = player(stop_after=3)
        playing.advance(0.2)
        assert (playing.session.steps, playing.is_over) == (3, True)
        none = player(stop_after=0)
        none.advance(0.2)
        assert (none.session.steps, none.is_over) == (0, True)

    def test_every_step_is_watched(self) -> None:
        seen: list[int] = []
        playing = player(watch=lambda session: seen.append(session.steps))
        playing.advance(0.2)
        assert seen == [1, 2, 3, 4]

    def test_the_end_of_a_match_stops_the_clock(self) -> None:
        session = Session(GAME, settings=Settings(goal=1), seed=7)
        playing = Player(session, SIZE)
        playing.point(*pixel_of(playing, 30.5, 25.5))
        playing.press("mouse left")
        for _ in range(100):
            playing.advance(0.1)
        assert session.result is not None
        assert playing.is_paused
        steps = session.steps
        playing.advance(0.2)
        assert session.steps == steps
        playing.press("key r")
        assert (session.steps, playing.is_paused) == (0, False)


class TestInputs:
    def test_a_click_is_an_order_at_the_place_under_it(self) -> None:
        playing = player()
        playing.point(*pixel_of(playing, 30.5, 25.5))
        playing.press("mouse left")
        playing.release("mouse left")
        assert playing.session.journal == ()
        playing.step()
        ((step, (order,)),) = playing.session.journal
        assert (step, order) == (0, Beacon(pytest.approx(30.5), pytest.approx(25.5)))
        playing.step()
        assert len(playing.session.journal) == 1

    def test_clicks_beside_the_map_are_none(self) -> None:
        playing = player()
        for x, y in ((610, 50), (-1, 50), (50, 900)):
            playing.point(x, y)
            playing.press("mouse left")
        playing.leave()
        playing.press("mouse left")
        playing.step()
        assert playing.session.journal == ()

    def test_zoom_and_pan_move_what_is_under_the_pointer(self) -> None:
        playing = player()
        playing.point(300, 200)
        before = playing.stage.world_at(playing.session.world.space, (300, 200))
        playing.wheel(3)
        assert playing.stage.world_at(playing.session.world.space, (300, 200)) == pytest.approx(
            before
        )
        corner = playing.stage.world_at(playing.session.world.space, (100, 100))
        assert corner is not None and corner[0] > 10
        playing.press("mouse middle")
        playing.point(340, 230)
        playing.release("mouse middle")
        assert playing.stage.world_at(playing.session.world.space, (340, 230)) == pytest.approx(
            before
        )
        playing.point(10, 10)
        assert playing.stage.world_at(playing.session.world.space, (340, 230)) == pytest.approx(
            before
        )
        playing.wheel(-99)
        playing.wheel(99)
        playing.press("key home")
        assert playing.stage.world_at(playing.session.world.space, (300, 200)) == pytest.approx(
            (30.0, 20.0)
        )

    def test_choices_stay_chosen(self) -> None:
        playing = player()
        playing.press("key g")
        playing.step()
        assert playing.session.journal == ()
        playing.release("key g")
        playing.press("key m")
        playing.release("key m")
        playing.step()
        space = playing.session.world.space
        middle = (30.0, 20.0)
        playing.press("key g")
        if space.walls.flat[space.cell_at(middle)]:
            playing.step()
            assert any("open ground" in note for note in playing.panel().notes)
        else:
            playing.step()
            assert playing.session.journal[-1][1] == (Beacon(*middle),)

    def test_a_refused_order_is_shown_and_dropped(self) -> None:
        playing = player()
        wall = playing.session.world.space.position_of(
            np.flatnonzero(playing.session.world.space.walls)[0]
        )
        playing.point(*pixel_of(playing, *wall.tolist()))
        playing.press("mouse left")
        playing.step()
        assert playing.session.steps == 1
        assert playing.session.journal == ()
        assert any("open ground" in note for note in playing.panel().notes)
        playing.advance(30.0)
        assert playing.panel().notes == ()

    def test_held_inputs_reach_every_step(self) -> None:
        playing = player()
        received: list[tuple[str, ...]] = []
        world = playing.session.world

        def orders(state: Any, inputs: Any) -> tuple[()]:
            received.append(tuple(f"{s.action} {s.phase}" for s in inputs.events))
            held = bool(received[-1]) and "release" not in received[-1][0]
            assert inputs.held("home") is held
            return ()

        world.orders = orders  # type: ignore[method-assign]
        playing.press("key g")
        playing.step()
        playing.step()
        playing.release("key g")
        playing.step()
        playing.step()
        playing.press("key g")
        playing.release("key g")
        playing.step()
        playing.press("key g")
        playing.release_all()
        playing.step()
        assert received == [
            ("home press",),
            ("home hold",),
            ("home release",),
            (),
            ("home press", "home release"),
            ("home press", "home release"),
        ]


class TestOverlays:
    def test_one_of_a_group_at_a_time(self) -> None:
        playing = player()
        assert playing.overlays.shown == {"trail"}
        playing.press("key 4")
        playing.press("key 2")
        assert playing.overlays.shown == {"checks", "cones"}
        playing.press("key 2")
        assert playing.overlays.shown == {"cones"}

    def test_the_choice_at_the_start(self) -> None:
        chosen = Overlays(GAME, ["cones", "checks"])
        assert player(overlays=chosen).overlays.shown == {"cones", "checks"}
        assert Overlays(GAME, []).shown == frozenset()
        with pytest.raises(UnknownName, match="cones"):
            Overlays(GAME, ["cone"])


class TestBindings:
    def test_inputs_can_be_changed(self) -> None:
        bound = bindings_of(GAME, {"home": ["key Up", "key p"], "beacon": "mouse right"})
        assert bound == {
            "mouse right": "beacon",
            "key up": "home",
            "key p": "home",
            "key n": "anywhere",
            "key m": "middle",
        }

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"home": "key space"}, "every game"),
            ({"home": "key 1"}, "trail"),
            ({"home": "key n"}, "anywhere"),
        ],
    )
    def test_an_input_does_one_thing(self, changes: dict[str, object], said: str) -> None:
        with refused(InvalidValue, said):
            bindings_of(GAME, changes)

    @pytest.mark.parametrize(
        "inputs", [3, [3], "", [""], {"a": 1}, "mouse 9", "a", "pad a", ["key u", "mouse x"]]
    )
    def test_an_input_is_a_key_or_a_button(self, inputs: object) -> None:
        with refused(InvalidValue, "input"):
            bindings_of(GAME, {"home": inputs})

    def test_unknown_actions(self) -> None:
        with pytest.raises(UnknownName, match="beacon"):
            bindings_of(GAME, {"becon": "key x"})


class TestFiles:
    def test_save_and_load(self, tmp_path: Path) -> None:
        playing = player(save_to=tmp_path / "a.save")
        playing.advance(0.2)
        playing.press("key f5")
        saved = playing.session.digest()
        playing.advance(0.2)
        assert playing.session.digest() != saved
        playing.press("key f9")
        assert playing.session.digest() == saved
        assert [note.split()[0] for note in playing.panel().notes] == ["saved", "loaded"]

    def test_failed_files_are_shown(self, tmp_path: Path) -> None:
        playing = player(save_to=tmp_path / "no" / "a.save")
        playing.press("key f9")
        playing.press("key f5")
        assert len(playing.panel().notes) == 2
        playing.advance(0.2)
        assert playing.session.steps == 4

    def test_pictures(self, tmp_path: Path) -> None:
        from PIL import Image

        playing = player(pictures=tmp_path)
        for _ in range(2):
            playing.press("key f12")
            playing.picture()
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names == ["wandering-000000-2.png", "wandering-000000.png"]
        with Image.open(tmp_path / names[1]) as image:
            assert image.size == SIZE
        (tmp_path / "file").write_text("")
        gone = player(pictures=tmp_path / "file" / "none")
        gone.press("key f12")
        gone.picture()
        assert any("no picture" in note for note in gone.panel().notes)


class TestPicture:
    def test_the_panel_comes_and_goes(self) -> None:
        playing = player()
        assert playing.stage.map_size == (600, 400)
        playing.press("key tab")
        assert playing.stage.map_size == SIZE
        assert playing.picture().shape == (SIZE[1], SIZE[0], 4)
        playing.press("key tab")
        playing.resize(300, 200)
        assert playing.stage.map_size == (300, 200)

    def test_sides_have_the_names_of_their_teams(self) -> None:
        """There is no third team in a game of two."""
        towers = find_game("towers")
        playing = Player(Session(towers, seed=2), SIZE)
        assert ("U", "team blue") in [(key.key, key.text) for key in playing.panel().keys]
        lines = dict(help_lines(towers, playing.session.settings, bindings_of(towers)))
        assert (lines["u"], lines["i"]) == ("team blue", "team orange")
        assert "o" not in lines and "p" not in lines

    def test_help_lies_over_it(self) -> None:
        playing = player()
        plain = playing.picture().copy()
        playing.press("key h")
        texts = [text for _, text in help_lines(GAME, Settings(), bindings_of(GAME))]
        assert "put a beacon" in texts and "pause, continue" in texts and "where they were" in texts
        assert playing.picture()[..., :3].mean() < plain[..., :3].mean()
        playing.press("key escape")
        assert (playing.shows_help, playing.is_over) == (False, False)
        playing.press("key escape")
        assert playing.is_over


class TestSetup:
    def test_towers_placed_by_hand_wait_for_space(self) -> None:
        game = find_game("towers")
        session = Session(game, None, settings_from(game.settings, dict(game.by_hand)), seed=3)
        playing = Player(session, SIZE)
        x, y = session.world.space.position_of(session.world.space.cell_at((20.5, 30.5)))
        wide, high = playing.stage.map_size
        zoom = min(wide / session.world.space.size[0], high / session.world.space.size[1])
        center = np.array(session.world.space.origin) + np.array(session.world.space.size) / 2
        playing.point(*((np.array([x, y]) - center) * zoom + np.array([wide, high]) / 2))
        playing.press("mouse left")
        playing.release("mouse left")
        playing.step()
        assert (session.state.towers.teams == 0).sum() == 1
        assert not session.state.begun
        playing.press("key space")
        playing.step()
        assert session.state.begun
        assert not playing.is_paused
        playing.press("key space")
        assert playing.is_paused
