"""The tower game in the frame: what one sees, saves and orders changes nothing about what one seed
makes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft import generate_map
from fieldcraft.cli import main
from fieldcraft_worlds.games.towers.plugin import GAME
from fieldcraft_worlds.play.headless import run
from fieldcraft_worlds.play.player import Player
from fieldcraft_worlds.play.recording import Recording
from fieldcraft_worlds.play.session import Session


def opened(**changes: object) -> Session:
    space = generate_map("open", 64, 40, seed=2, neighbors=8)
    return Session(GAME, space, GAME.settings(towers=3, units=20, **changes), seed=7)  # type: ignore[arg-type]


def test_watching_changes_nothing(tmp_path: Path) -> None:
    plain, watched = opened(), opened()
    run(plain, 240)
    with Recording(tmp_path / "a.gif", rate=30, every=30, size=(200, 120)) as recording:
        run(watched, 240, recording=recording, overlays=[overlay.name for overlay in GAME.overlays])
    assert recording.frames == 9
    assert watched.digest() == plain.digest()


def test_a_save_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    whole, half = opened(), opened()
    run(whole, 300)
    run(half, 140)
    half.save(tmp_path / "a.save")
    again = Session.load(tmp_path / "a.save", GAME)
    assert again.digest() == half.digest()
    run(again, 160)
    assert again.digest() == whole.digest()


def test_a_match_led_by_hand_can_be_played_again() -> None:
    session = opened(commanders=("human", "influence"))
    playing = Player(session, (640, 400))
    own = session.world.space.position_of(
        session.state.towers.cells[session.state.towers.teams == 0][0]
    )
    enemy = session.world.space.position_of(
        session.state.towers.cells[session.state.towers.teams == 1][0]
    )
    playing.press("key tab")
    for place, button in ((own, "mouse left"), (enemy, "mouse right")):
        playing.point(*(np.asarray(place) * 10).tolist())
        playing.press(button)
        playing.release(button)
        for _ in range(60):
            playing.step()
    orders = [order for _, given in session.journal for order in given]
    assert [type(order).__name__ for order in orders] == ["Send", "Strike"]
    assert (session.state.units.teams == 0).any()
    assert session.replayed().digest() == session.digest()


@pytest.mark.parametrize("kind", ["cave:90x60:3", "rooms:90x70:1"])
def test_maps_of_any_kind_from_the_command_line(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = []
    for _ in range(2):
        assert (
            main(["play", "towers", kind, "--headless", "--seed", "7", "--steps", "40", "--quiet"])
            == 0
        )
        lines.append(capsys.readouterr().out)
    assert lines[0] == lines[1]
    assert lines[0].startswith("digest ")
