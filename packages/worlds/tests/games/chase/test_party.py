"""Hunters who search as a party: it thinks only while they do, can be switched to and from, and
goes through saves and old states.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import BadSaveFile
from fieldcraft.pursuit import SearchParty
from fieldcraft_worlds.games.chase import HunterRules, Settings
from fieldcraft_worlds.games.chase.orders import SearchBy
from fieldcraft_worlds.games.chase.settings import PARTY
from fieldcraft_worlds.games.chase.state import CHASE, HUNTER, SEARCH, State
from fieldcraft_worlds.library import find_game
from fieldcraft_worlds.play.session import Session
from support.chases import Chase, a_map, begun, rooms

RULES = Settings(
    hunters=6,
    civilians=4,
    items=1,
    limit=100,
    search=PARTY,
    hunter=HunterRules(view=6, run=0.8, walk=0.6),
)


def lost(space: Any = None, rules: Settings = RULES) -> Chase:
    """A chase in which hunters have just lost the player, who was before them and then stands far
    off.
    """
    chase = begun(rooms() if space is None else space, rules, seed=3)
    ground, home = chase.ground, chase.ground.home
    chase.state = replace(chase.state, by_hand=True)
    hunters = chase.state.people.rows(HUNTER)
    ways = fc.distance_map(ground.space, ground.space.position_of(home[0])).exact.reshape(-1)[home]
    chase.put(0, ground.space.position_of(home[0]))
    for row, cell in zip(
        hunters.tolist(),
        home[np.argsort(ways, kind="stable")[1 : len(hunters) + 1]].tolist(),
        strict=True,
    ):
        place = ground.space.position_of(cell)
        ahead = (ground.space.position_of(home[0]) - place)[:2]
        chase.put(row, place, headings=ahead / np.linalg.norm(ahead), moods=CHASE, targets=0)
    chase.play()
    assert chase.state.contacts.in_sight[0]
    chase.put(0, ground.space.position_of(home[np.argmax(np.where(np.isfinite(ways), ways, -1))]))
    while not chase.state.lost:
        chase.play()
        assert chase.state.step < 60
    return chase


def searchers(state: State) -> int:
    return int(np.count_nonzero(state.people.moods[state.people.rows(HUNTER)] == SEARCH))


def test_it_remembers_only_while_somebody_searches_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    chase = lost()
    assert searchers(chase.state) > 0
    chase.play(3, [SearchBy("flood")])
    assert PARTY not in chase.state.guesses

    def nobody_asked(*_: Any) -> None:
        raise AssertionError("a way of searching that was not chosen was thought by")

    with monkeypatch.context() as patch:
        for name in ("observe", "places", "advance", "lost", "restore", "state"):
            patch.setattr(SearchParty, name, nobody_asked)
        chase.play(30)
    chase.state = replace(chase.state, search=PARTY)
    chase.play(3)
    assert PARTY in chase.state.guesses
    hunters = chase.state.people.rows(HUNTER)
    moods = chase.state.people.moods.copy()
    moods[hunters] = 0
    chase.state = chase.state.with_people(moods=moods)
    chase.play(3)
    assert searchers(chase.state) == 0
    assert PARTY not in chase.state.guesses


def test_chosen_in_the_middle_it_takes_over_what_was_ruled_out() -> None:
    chase = lost(rules=replace(RULES, search="belief"))
    chase.play(60)
    assert searchers(chase.state) > 0
    ruled_out = chase.derived.belief(chase.state.guesses).guide.probability() == 0
    chase.play(3 - chase.state.step % 3 + 1, [SearchBy(PARTY)])
    values = chase.derived.party(chase.state.guesses).values
    assert values is not None
    assert values.sum() == pytest.approx(1.0)
    assert (ruled_out & ~chase.ground.space.walls).any()
    assert not values[ruled_out].any()


def test_a_save_with_other_memories_is_refused_before_anybody_thinks(tmp_path: Any) -> None:
    session = Session(
        find_game("chase"),
        a_map("floors"),
        replace(RULES, hunters=8, hunter=HunterRules(view=14)),
        3,
    )
    while PARTY not in session.state.guesses or session.steps % 3 == 0:
        session.step()
    good = session.state.guesses
    party, particles = good[PARTY], good[PARTY]["particles"]
    bad: dict[str, dict[str, Any]] = {
        "nothing": {},
        "no flood": {name: memory for name, memory in good.items() if name != "flood"},
        "another": {**good, "luck": party},
        "no party": {**good, PARTY: None},
        "particles off the map": {
            **good,
            PARTY: {**party, "particles": {**particles, "cells": particles["cells"] + 10**6}},
        },
        "too few cells": {
            **good,
            PARTY: {**party, "particles": {**particles, "cells": particles["cells"][:-1]}},
        },
    }
    state = session.state
    for spoilt, guesses in bad.items():
        session.state = replace(state, guesses=guesses)
        session.save(tmp_path / f"{spoilt}.save")
        with pytest.raises(BadSaveFile):
            Session.load(tmp_path / f"{spoilt}.save", find_game)
    session.state = state
    session.save(tmp_path / "good.save")
    assert Session.load(tmp_path / "good.save", find_game).digest() == session.digest()
