"""What is seen of the flock."""

from __future__ import annotations

import pytest

from fieldcraft_worlds.games.flock import Settings
from fieldcraft_worlds.games.flock.orders import Fly, Paint, Scare
from fieldcraft_worlds.games.flock.plugin import GAME
from fieldcraft_worlds.play.session import Session

NAMES = [overlay.name for overlay in GAME.overlays]


@pytest.mark.parametrize("rule", ["layers", "neighbors", "both"])
def test_the_predator_and_the_order_of_each_rule_are_shown(rule: str) -> None:
    session = Session(GAME, None, Settings(birds=300, rule=rule), seed=1)
    session.step([Scare((20.0, 40.0))])
    scene = session.world.scene(session.state, frozenset(NAMES))
    assert [marks.label for marks in scene.marks][-1] == "predator"
    orders = [fact for fact in scene.facts if fact.name.startswith("order")]
    assert [fact.color for fact in orders] == {"layers": [0], "neighbors": [1], "both": [0, 1]}[
        rule
    ]


def test_birds_on_walls_just_painted() -> None:
    session = Session(GAME, None, Settings(birds=300), seed=1)
    session.step([Paint("wall", ((1.0, 1.0), (120.0, 70.0))), Fly("both")])
    session.world.scene(session.state, frozenset(NAMES))


def test_nobody() -> None:
    session = Session(GAME, None, Settings(birds=0), seed=1)
    session.step()
    scene = session.world.scene(session.state, frozenset(NAMES))
    assert scene.marks == ()
