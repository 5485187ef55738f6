"""Threats of enemies and of effects."""

from __future__ import annotations

import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.adapters.sc2 import UNITS, Battlefield, Threat
from support.sc2 import (
    BANSHEE,
    BATTLECRUISER,
    BILE,
    BUNKER,
    MARINE,
    WARNINGS,
    ZEALOT,
    Game,
    common_pb2,
    raw_pb2,
)

pytestmark = WARNINGS


def test_danger_reaches_as_far_as_weapons_and_four_cells(game: Game) -> None:
    game.place(MARINE, 10.5, 6.5)
    game.place(BANSHEE, 30.5, 20.5, flying=True)
    game.place(ZEALOT, 36.5, 8.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    marine = 6.0 / 0.61
    assert field.danger_at((10.5 + 8.9, 6.5)) == pytest.approx(marine)
    assert field.danger_at((10.5 + 9.6, 6.5)) == 0
    assert field.danger_at((10.5, 6.5), "air") == pytest.approx(marine)
    assert field.danger_at((30.5, 20.5), "air") == 0
    assert field.danger_at((30.5, 20.5)) == pytest.approx(12 / 0.89)
    assert field.danger_at((36.5 + 3.9, 8.5)) == pytest.approx(8 / 0.86)
    assert field.danger_at((36.5 + 4.6, 8.5)) == 0
    shown = field.grid("ground")
    assert shown.shape == (44, 30)
    assert shown[10, 6] == pytest.approx(1 + marine)
    game.units.clear()
    game.step()
    field.update()
    assert field.danger["ground"].values.max() == 0


def test_those_whose_weapons_the_game_does_not_tell_stand_in_a_table(game: Game) -> None:
    game.place(BATTLECRUISER, 10.5, 6.5, flying=True)
    game.place(MARINE, 30.5, 20.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    assert field.danger_at((10.5, 6.5)) == UNITS["BATTLECRUISER"].ground
    assert field.danger_at((10.5, 6.5), "air") == pytest.approx(UNITS["BATTLECRUISER"].air)
    other = Battlefield(game.bot, threat=UNITS | {"MARINE": Threat(3.0, 2.0)})
    other.update()
    assert other.danger_at((30.5, 20.5)) == 3
    assert other.danger_at((30.5, 20.5), "air") == 0
    with pytest.raises(InvalidValue, match="threat"):
        Battlefield(game.bot, threat=3)  # type: ignore[arg-type]


def test_fighters_fear_only_what_shoots_from_the_ground(game: Game) -> None:
    game.place(MARINE, 10.5, 6.5)
    game.place(BATTLECRUISER, 30.5, 20.5, flying=True)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    assert field.is_safe((30.5, 20.5), "fighters")
    assert not field.is_safe((10.5, 6.5), "fighters")
    game.units[0].pos.x = 20.5
    game.step()
    field.update()
    assert field.danger_at((20.5, 6.5), "fighters") == field.danger_at((20.5, 6.5), "air") > 0


def test_finished_buildings_that_shoot_are_feared(game: Game) -> None:
    game.place(BUNKER, 20.5, 20.5, alliance=4, radius=1.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    assert field.danger_at((26.5, 20.5)) == pytest.approx(UNITS["BUNKER"].ground)
    game.units[0].build_progress = 0.5
    game.step()
    field.update()
    assert field.is_safe((26.5, 20.5))


def test_a_bile_is_feared_before_it_lands_though_it_is_told_of_no_more(game: Game) -> None:
    field = Battlefield(game.bot)
    bile = raw_pb2.Effect(
        effect_id=BILE, pos=[common_pb2.Point2D(x=35.5, y=20.5)], alliance=4, owner=2, radius=0.5
    )
    feared = []
    for frame in range(0, 80, 8):
        game.effects[:] = [bile] if frame < 40 else []
        game.step(frame)
        field.update()
        feared.append(not field.is_safe((35.5, 20.5)))
    assert feared == [frame >= 16 and frame <= 50 for frame in range(0, 80, 8)]
