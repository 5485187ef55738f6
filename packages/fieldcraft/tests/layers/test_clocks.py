"""Beliefs, memories and searches on the clock of a map, and a layer on its own."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue

WALLS = np.random.default_rng(2).random((9, 14)) < 0.2
WALLS[4, 6] = False


def timed(space: fc.Grid) -> list[Any]:
    seen, belief = fc.LastSeen(space), fc.Belief(space, speed=2.0)
    hunt = fc.Pursuit(space, (6.5, 4.5), (1.0, 0.0), speed=2.0)
    party = fc.SearchParty(space, speed=2.0, sight=4.0)
    belief.see((6.5, 4.5))
    party.lost((6.5, 4.5), (1.0, 0.0))
    return [seen, belief, hunt, party]


def states(each: list[Any]) -> list[Any]:
    seen, belief, hunt, party = each
    guards, dice = [(1.5, 0.5)], np.random.default_rng(3)
    places = party.places(fc.Grid(walls=WALLS).open_near(guards), dice)
    return [seen.values, belief.probability(), hunt.values, hunt.time, places]


@pytest.mark.parametrize("budget", [None, 3])
def test_what_is_added_advances_with_the_map(budget: int | None) -> None:
    space = fc.Grid(walls=WALLS)
    imap, ours, theirs = fc.InfluenceMap(space), timed(space), timed(space)
    layer = imap.add_layer("a", fc.Spread(0.2))
    assert [imap.add(each) for each in ours] == ours
    for dt in (0.1, 0.03, 0.4):
        imap.advance(dt, budget_work=budget)
        for each in theirs:
            each.advance(dt)
    for mine, yours in zip(states(ours), states(theirs), strict=True):
        np.testing.assert_array_equal(mine, yours)
    assert imap.time == pytest.approx(0.53) and layer.time <= 0.5


def test_a_step_of_the_map_is_an_interval_for_each() -> None:
    imap = fc.InfluenceMap(fc.Grid(walls=WALLS))
    fast, slow = imap.add(fc.LastSeen(imap.space)), imap.add(fc.LastSeen(imap.space), every=0.5)
    imap.step(3)
    imap.step(500)
    assert (fast.time, slow.time) == (pytest.approx(50.3), pytest.approx(251.5))
    imap.remove(slow)
    twin = copy.deepcopy(imap)
    imap.step()
    assert (fast.time, slow.time) == (pytest.approx(50.4), pytest.approx(251.5))
    assert not imap.copy().schedule.timed and len(twin.schedule.timed) == 1


def test_what_has_no_clock_or_two_is_refused() -> None:
    imap = fc.InfluenceMap(fc.Grid(5, 3))
    layer = imap.add_layer("a", fc.Spread(0.2))
    for wrong in (layer, imap, 3, fc.Spread(0.2)):
        with pytest.raises(InvalidValue, match="add_layer"):
            imap.add(wrong)
    seen = imap.add(fc.LastSeen(imap.space))
    with pytest.raises(InvalidValue, match="added before"):
        imap.add(seen)
    with pytest.raises(InvalidValue, match="every"):
        imap.add(fc.LastSeen(imap.space), every=0.0)


def test_a_layer_lives_by_itself() -> None:
    """The only layer of a map advances as its map would, when nobody holds the map."""
    alone = fc.InfluenceMap(fc.Grid(9, 5)).add_layer("a", fc.Spread(0.2), every=0.2)
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    other = imap.add_layer("a", fc.Spread(0.2), every=0.2)
    for layer in (alone, other):
        layer.add_source((2.5, 2.5), 3.0)
    for dt in (0.3, 0.05, 0.15, 9.0):
        made = alone.advance(dt, max_steps=4)
        told = imap.advance(dt, max_steps=4)
        assert made == (told.steps["a"], told.dropped["a"])
        np.testing.assert_array_equal(alone.values, other.values)
    assert made == (4, 41)
    with pytest.raises(InvalidValue, match="dt"):
        alone.advance(-1.0)
