"""Hunters who search as a party: it thinks only while they do, can be switched to and from, and
goes through saves and old states.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import BadSaveFile
from fieldcraft.packing import digest, pack, unpack
from fieldcraft.pursuit import SearchParty
from fieldcraft_worlds.games.chase import HunterRules, Settings
from fieldcraft_worlds.games.chase.derived import ChaseDerived
from fieldcraft_worlds.games.chase.ground import ground_of
from fieldcraft_worlds.games.chase.orders import SearchBy
from fieldcraft_worlds.games.chase.plugin import KINDS
from fieldcraft_worlds.games.chase.rules import step
from fieldcraft_worlds.games.chase.scene import seen
from fieldcraft_worlds.games.chase.settings import PARTY
from fieldcraft_worlds.games.chase.state import CHASE, HUNTER, SEARCH, State
from fieldcraft_worlds.library import find_game
from fieldcraft_worlds.play.session import Session
from support.chases import KINDS_OF_MAPS, Chase, a_map, begun, rooms

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


@pytest.mark.parametrize("kind", KINDS_OF_MAPS)
def test_it_goes_on_the_same_from_a_state_that_was_packed(kind: str) -> None:
    chase = lost(a_map(kind))
    assert PARTY in chase.state.guesses
    state, rng = chase.state, np.random.default_rng()
    rng.bit_generator.state = chase.rng.bit_generator.state
    old, thought = state, 0
    for number in range(45):
        if number % 9 == 4:  # an old state in between, and a look at it, which must leave no trace
            step(chase.derived, old, (), np.random.default_rng(1))
            seen(chase.derived, old, frozenset({"belief", "estimate"}))
        chase.play()
        if number % 20 == 0:
            state = unpack(pack(state, KINDS), KINDS)
            derived = ChaseDerived(ground_of(a_map(kind), 0.0), chase.settings)
        state = step(derived, state, (), rng)
        thought += PARTY in state.guesses
    assert thought > 6
    assert digest(state, KINDS) == digest(chase.state, KINDS)


def test_it_remembers_only_while_somebody_searches_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    chase = lost()
    assert searchers(chase.state) > 0
    chase.play(3, [SearchBy("flood")])
    assert PARTY not in chase.state.guesses

    def nobody_asked(*_: Any) -> None:
        raise AssertionError("a way of searching that was not chosen was thought by")

    with monkeypatch.context() as patch:
        for name in ("look", "places", "advance", "lost", "restore", "snapshot"):
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
    ruled_out = chase.derived.belief(chase.state.guesses).belief.probability() == 0
    chase.play(3 - chase.state.step % 3 + 1, [SearchBy(PARTY)])
    values = chase.derived.party(chase.state.guesses).values
    assert values is not None
    assert values.sum() == pytest.approx(1.0)
    assert (ruled_out & ~chase.ground.space.walls).any()
    assert not values[ruled_out].any()


def test_of_many_searchers_some_plan_and_the_others_go_along() -> None:
    chase = lost(
        rules=replace(
            RULES, hunters=30, civilians=0, hunter=HunterRules(view=6, run=0.8, walk=0.6, party=30)
        )
    )
    people = chase.state.people
    rows = people.rows(HUNTER)
    assert searchers(chase.state) > 20
    assert len(set(people.goals[rows[people.moods[rows] == SEARCH]].tolist())) <= 10


def test_the_overlay_shows_its_tracks() -> None:
    chase = lost()
    shown = seen(chase.derived, chase.state, frozenset({"belief"})).field
    assert shown is not None
    assert shown.label.startswith("particles of the party")
    assert shown.values.max() == 1.0
    other = replace(
        chase.state,
        guesses={name: memory for name, memory in chase.state.guesses.items() if name != PARTY},
    )
    belief = seen(chase.derived, other, frozenset({"belief"})).field
    assert belief is not None
    assert belief.label.startswith("belief")


@pytest.mark.parametrize(
    ("search", "words"),
    [
        ("flood", "warm places"),
        ("belief", "in about"),
        ("last", "was seen"),
        ("random", "anywhere"),
        ("party", "in about"),
    ],
)
def test_the_panel_says_where_they_look(search: str, words: str) -> None:
    chase = lost(rules=replace(RULES, search=search))

    def told(state: State) -> dict[str, str]:
        return {
            fact.name.strip(): fact.value for fact in seen(chase.derived, state, frozenset()).facts
        }

    assert words in told(chase.state)["looks for him"]
    moods = np.where(chase.state.people.moods == SEARCH, 0, chase.state.people.moods)
    assert "looks for him" not in told(chase.state.with_people(moods=moods))


def test_a_step_that_was_broken_off_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    chase, other = lost(), lost()
    think = SearchParty.places

    def broken(*arguments: Any) -> None:
        think(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SearchParty, "places", broken)
        with pytest.raises(KeyboardInterrupt):
            chase.play(3)
    chase.rng = np.random.default_rng(7)
    other.play(chase.state.step - other.state.step)
    other.rng = np.random.default_rng(7)
    chase.play(40)
    other.play(40)
    assert PARTY in chase.state.guesses
    assert digest(chase.state, KINDS) == digest(other.state, KINDS)


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
