from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft import Grid
from fieldcraft.base.errors import BadSaveFile, InvalidValue, UnknownName
from fieldcraft_worlds.library import find_game
from fieldcraft_worlds.play import saving
from fieldcraft_worlds.play.session import Session
from support import wandering
from support.refusals import refused
from support.wandering import GAME, Beacon, Settings


def played(steps: int, *, seed: int = 7, **options: object) -> Session:
    session = Session(GAME, seed=seed, **options)  # type: ignore[arg-type]
    for number in range(steps):
        session.step((Beacon(30.5, 25.5),) if number == 12 else ())
    return session


def test_the_digest_knows_everything_that_goes_on() -> None:
    plain = played(3).digest()
    dice, trail, steps = played(3), played(3), played(3)
    dice._rng.random()
    trail.state.trail.flat[5] += 1
    steps.steps += 1
    assert len({plain, dice.digest(), trail.digest(), steps.digest()}) == 4


def test_maps_travel_with_the_save(tmp_path: Path) -> None:
    space = Grid(20, 12, cell_size=2.0, origin=(-5.0, 1.0), y_up=True)
    session = Session(GAME, space, Settings(dots=3), seed=1)
    session.step()
    session.save(tmp_path / "a.save")
    again = Session.load(tmp_path / "a.save", GAME)
    assert again.world.space.origin == (-5.0, 1.0)
    assert again.digest() == session.digest()


def test_a_restart_is_the_same_match() -> None:
    session = played(20)
    digest = session.digest()
    session.restart()
    assert (session.steps, session.journal) == (0, ())
    for number in range(20):
        session.step((Beacon(30.5, 25.5),) if number == 12 else ())
    assert session.digest() == digest


def test_a_refused_order_changes_nothing() -> None:
    session = played(20)
    wall = session.world.space.position_of(np.flatnonzero(session.world.space.walls)[0])
    before = session.digest()
    with refused(InvalidValue, "open ground"):
        session.step((Beacon(*wall.tolist()),))
    assert session.digest() == before
    session.step()
    assert session.digest() == played(21).digest()


def test_the_orders_that_can_be_followed_are() -> None:
    session = played(20)
    wall = session.world.space.position_of(np.flatnonzero(session.world.space.walls)[0])
    good, bad = Beacon(30.5, 25.5), Beacon(*wall.tolist())
    refusals = session.step_if((bad, good, bad))
    assert len(refusals) == 2
    assert session.journal[-1] == (20, (good,))
    other = played(20)
    assert other.step_if((good,)) == []
    assert session.digest() == other.digest()
    assert len(session.step_if((bad,))) == 1
    other.step()
    assert session.digest() == other.digest()


class TestRefusals:
    def test_another_version(self, tmp_path: Path) -> None:
        played(2).save(tmp_path / "a.save")
        with refused(BadSaveFile, "version 1", "version 2"):
            Session.load(tmp_path / "a.save", wandering.another_version())

    def test_another_game(self, tmp_path: Path) -> None:
        session = played(2)
        saving.write(tmp_path / "a.save", {"game": "chess", "version": 1, "kind": "match"}, {}, ())
        with refused(BadSaveFile, "chess", "wandering"):
            Session.load(tmp_path / "a.save", GAME)
        with pytest.raises(UnknownName, match="chess"):
            Session.load(tmp_path / "a.save", find_game)
        assert session.steps == 2

    def test_every_turned_bit(self, tmp_path: Path) -> None:
        path = tmp_path / "a.save"
        played(2).save(path)
        whole = path.read_bytes()
        rng = np.random.default_rng(1)
        for at in rng.integers(0, len(whole), 150).tolist():
            path.write_bytes(
                whole[:at] + bytes([whole[at] ^ 1 << int(rng.integers(8))]) + whole[at + 1 :]
            )
            with refused(BadSaveFile, "a.save"):
                Session.load(path, GAME)
        path.write_bytes(whole[: len(whole) // 2])
        with refused(BadSaveFile, "a.save"):
            Session.load(path, GAME)

    @pytest.mark.parametrize(
        "wrong", ["map", "settings", "seed", "steps", "state", "dice", "journal"]
    )
    def test_contents_that_are_no_match(self, tmp_path: Path, wrong: str) -> None:
        session = played(2)
        session.save(tmp_path / "a.save")
        contents = saving.read(tmp_path / "a.save")
        value = contents.value(session._kinds)
        without = {key: item for key, item in value.items() if key != wrong}
        for broken in ({**value, wrong: "x"}, {**value, wrong: None}, without, (), "x"):
            saving.write(tmp_path / "b.save", contents.header, broken, session._kinds)
            with refused(BadSaveFile):
                Session.load(tmp_path / "b.save", GAME)

    def test_settings_of_another_game(self) -> None:
        with refused(InvalidValue, "Stride"):
            Session(GAME, settings=wandering.Stride())

    @pytest.mark.parametrize("seed", [-1, 1.5, "x"])
    def test_seeds(self, seed: object) -> None:
        with refused(InvalidValue, "seed"):
            Session(GAME, seed=seed)  # type: ignore[arg-type]


class TestLibrary:
    def test_games_of_ones_own(self) -> None:
        assert find_game("support.wandering:GAME") is GAME

    @pytest.mark.parametrize(
        "name",
        [
            "support.wandering:NONE",
            "no_such_module:GAME",
            ":GAME",
            "support.wandering:Settings",
            "support.wandering:",
        ],
    )
    def test_what_is_no_game(self, name: str) -> None:
        with refused(InvalidValue, name):
            find_game(name)

    def test_unknown_names(self) -> None:
        with pytest.raises(UnknownName, match="towers"):
            find_game("tower")
