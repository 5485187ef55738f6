"""A stroke of the brush is painted whole, however quick the hand."""

from __future__ import annotations

import numpy as np
import pytest

from fieldcraft import Grid
from fieldcraft.base.settings import settings_from
from fieldcraft_worlds.library import find_game
from fieldcraft_worlds.play.player import Player
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.view.panel import PANEL_WIDTH


@pytest.mark.parametrize(
    ("name", "button", "amount"),
    [("ants", "mouse left", "ants=50"), ("flock", "mouse right", "birds=50")],
)
@pytest.mark.parametrize("steps_between", [0, 1])
def test_a_stroke_that_ends_in_a_release_is_painted(name, button, amount, steps_between):
    game = find_game(name)
    key, _, count = amount.partition("=")
    session = Session(game, Grid(150, 100), settings_from(game.settings, {key: int(count)}), seed=1)
    playing = Player(session, (1500 + PANEL_WIDTH, 1000))
    before = session.state.walls.copy()
    playing.press("key g")  # the brush paints walls
    playing.release("key g")
    playing.point(155, 805)
    playing.press(button)
    for _ in range(steps_between):
        playing.step()
    playing.point(1345, 805)
    playing.release(button)
    playing.step()
    new = session.state.walls & ~before
    assert new[80].sum() >= 110  # of 120 cells; a nest and food stay open
    orders = [order for _, given in session.journal for order in given]
    assert len(orders) == 2
    playing.step()
    assert np.array_equal(session.state.walls & ~before, new)
    assert [order for _, given in session.journal for order in given] == orders
