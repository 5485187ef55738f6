"""Paths and positions of units."""

from __future__ import annotations

import numpy as np
import pytest

from fieldcraft.formats.adapters.sc2 import Battlefield
from support.sc2 import CANAL, MARINE, NETWORK, WARNINGS, ZEALOT, Game

pytestmark = WARNINGS


def test_ways_go_round_danger(game: Game) -> None:
    game.place(MARINE, 22.5, 6.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    start, goal = (5.5, 6.5), (40.5, 6.5)
    assert not field.is_safe((22.5, 6.5))
    assert field.is_safe(np.array([start, goal])).all()
    through, round_ = field.pathfind(start, goal, weight=0.0), field.pathfind(start, goal)
    assert (
        np.asarray(field.danger_at(round_.positions)).sum()
        < np.asarray(field.danger_at(through.positions)).sum()
    )
    spot = field.safe_spots((16.5, 6.5))
    assert field.is_safe(spot)
    assert field.safe_spots(np.array([start, (16.5, 6.5)])).shape == (2, 2)


def test_many_units_take_the_ways_that_each_would(game: Game) -> None:
    game.place(MARINE, 22.5, 6.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    goal = (40.5, 6.5)
    units = np.array([(5.5, 6.5), (10.5, 25.5), (40.5, 20.5), (20.5, 13.5)])
    points = field.next_points(units, goal, ahead=4)
    for unit, point in zip(units, points, strict=True):
        whole = field.pathfind(unit, goal)
        start, rest = whole.positions[:5], field.pathfind(point, goal)
        walked = field.pathfind(start[0], point)
        assert walked.cost + rest.cost == pytest.approx(whole.cost)
        assert 1 < np.hypot(*(point - start[0])) <= 4 * 2**0.5


def test_ranged_units_shoot_from_where_they_are_safest(game: Game) -> None:
    game.place(ZEALOT, 22.5, 6.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    units = np.array([(20.5, 6.5), (24.5, 4.5), (5.5, 25.5)])
    stands = field.firing_positions(units, (22.5, 6.5), 6.0)
    assert field.is_safe(stands[:2]).all()
    assert not field.is_safe(units[:2]).any()
    assert (np.hypot(*(stands[:2] - (22.5, 6.5)).T) <= 6).all()
    assert np.hypot(*(stands[:2] - units[:2]).T).max() <= 4
    assert np.hypot(*(stands[2] - (22.5, 6.5))) < np.hypot(*(units[2] - (22.5, 6.5))) - 3


def test_a_worm_is_taken_where_it_is_shorter(game: Game) -> None:
    for kind, x, y in ((NETWORK, 8.5, 6.5), (CANAL, 38.5, 24.5), (CANAL, 24.5, 6.5)):
        game.place(kind, x, y, alliance=1, radius=1.0)
    game.step()
    field = Battlefield(game.bot)
    told = field.journey((5.5, 5.5), (40.5, 25.5), toll=2.0)
    assert [worm.type_id.value for worm in told.worms] == [NETWORK, CANAL]
    assert told.worms[1].position == (38.5, 24.5)
    assert len(told.paths) == 2
    assert told.cost < field.pathfind((5.5, 5.5), (40.5, 25.5)).cost - 2
    assert len(field.journey((5.5, 5.5), (40.5, 25.5), toll=1000.0).paths) == 1
    assert not field.journey((5.5, 5.5), (12.5, 5.5)).worms
    assert not field.journey((5.5, 5.5), (40.5, 25.5), worms=()).worms
