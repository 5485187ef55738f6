"""The values that agents have around them without their own sources, in parts."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.query import personal


@pytest.mark.parametrize("space", [fc.Grid(19, 13), fc.HexGrid(9, 7)], ids=["grid", "hexagons"])
def test_many_agents_choose_in_parts_as_in_one(space: fc.Space, monkeypatch: pytest.MonkeyPatch):
    dice = np.random.default_rng(5)
    layer = fc.InfluenceMap(space).add_layer("crowd", fc.Radial(3, "linear"))
    places = space.position_of(dice.choice(len(space), 17))
    keys = list(range(17))
    layer.sync(keys, places)
    layer.step()

    def answers() -> list[np.ndarray]:
        held = fc.query.Reservations(space, spacing=1.5)
        rng = np.random.default_rng(8)
        return [
            fc.best(layer, places, 2.5, without=keys).values,
            fc.pick(layer, places, 2.5, above=0.1, rng=rng, without=keys).values,
            held.best(layer, places, 2.5, agents=keys, without=keys).values,
        ]

    at_once = answers()
    asked = []
    around = personal.Near
    monkeypatch.setattr(personal, "_MOST_AT_ONCE", 150)
    monkeypatch.setattr(
        personal, "Near", lambda *given: asked.append(len(given[0])) or around(*given)
    )
    for one, other in zip(at_once, answers(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(asked) > 6
    assert sum(asked) == 3 * 17
