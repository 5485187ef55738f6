"""What is seen of the ants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fieldcraft_worlds.games.ants import Settings, Tuning
from fieldcraft_worlds.games.ants.plugin import GAME, meadow
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.view.scene import draw_scene

SMALL = Settings(ants=200, food=20, pile=3, window=1.0)
NAMES = [overlay.name for overlay in GAME.overlays]


def opened(steps: int, **changes: object) -> Session:
    session = Session(GAME, meadow(48, 36, seed=2), replace(SMALL, **changes), seed=1)  # type: ignore[arg-type]
    for _ in range(steps):
        session.step()
    return session


def test_fields_are_the_trails() -> None:
    session = opened(60)
    scene = session.world.scene(session.state, frozenset(["to food"]))
    assert scene.field is not None
    np.testing.assert_array_equal(scene.field.values, session.state.planes[0])
    facts = {fact.name: fact.value for fact in scene.facts}
    assert facts["ants"] == "200"
    assert facts["food home"].startswith(f"{session.state.home:,} (")
    assert facts["walk in circles"].endswith(" %")
    young = opened(3)
    facts = {fact.name: fact.value for fact in young.world.scene(young.state, frozenset()).facts}
    assert facts["walk in circles"] == "..."


def test_no_ants_and_no_trails() -> None:
    session = opened(35, ants=0, piles=0, scalar=Tuning(separate=0.0))
    picture = draw_scene(session.world.scene(session.state, frozenset(NAMES)), (480, 360))
    assert picture[..., :3].std() > 5
    assert session.state.nowhere == 0.0
