"""A match is whole at any moment: interrupted, copied, or sent to another process."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from fieldcraft.base.settings import settings_from
from fieldcraft_worlds.library import GAMES, find_game
from fieldcraft_worlds.play.session import Session
from packages.worlds.tests.play.test_hostile_saves import SMALL
from support.interrupting import interrupted


def opened(name: str) -> Session:
    space, settings = SMALL[name]
    game = find_game(name)
    session = Session(game, space, settings_from(game.settings, settings), seed=3)
    for _ in range(6):
        session.step()
    return session


@pytest.mark.parametrize("name", GAMES)
def test_a_step_is_made_or_not(name: str) -> None:
    session, caught = opened(name), 0
    straight = copy.deepcopy(session)
    for moment in np.random.default_rng(len(name)).integers(1, 400, 9).tolist():
        before = session.digest()
        happened = interrupted(session.step, moment)
        caught += happened
        straight.step()
        if happened and session.digest() == before:
            session.step()
        assert session.digest() == straight.digest()
        assert session.steps == straight.steps
    assert caught > 2


@pytest.mark.parametrize("name", GAMES)
def test_copies_go_on_bit_for_bit(name: str) -> None:
    session = opened(name)
    twins = [copy.deepcopy(session), pickle.loads(pickle.dumps(session))]
    digest = session.digest()
    for twin in twins:
        assert twin.digest() == digest
        for _ in range(8):
            twin.step()
    assert session.digest() == digest
    for _ in range(8):
        session.step()
    assert [twin.digest() for twin in twins] == [session.digest()] * 2
    for thing in (session.world, session.state, session.settings):
        assert type(pickle.loads(pickle.dumps(thing))) is type(thing)
