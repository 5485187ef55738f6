from __future__ import annotations

import numpy as np
import pytest

from fieldcraft.view.palettes import lab_of
from fieldcraft.view.picture_parts import Brush, measure
from fieldcraft_worlds.library import GAMES, find_game
from fieldcraft_worlds.play.help_page import hand_keys
from fieldcraft_worlds.play.inputs import bindings_of
from fieldcraft_worlds.view.help import _layout_of, draw_help
from fieldcraft_worlds.view.panel import PANEL_WIDTH
from fieldcraft_worlds.view.tones import rgb_of_tone

LINES = [
    (f"key {number}", f"what key number {number} does") if number % 7 else ("", "")
    for number in range(1, 40)
]


def test_nothing_is_lost_and_columns_are_even() -> None:
    wanted = [line for line in LINES if any(line)]
    for high in (120, 300, 700):
        columns = _layout_of(LINES, high, 0.8).columns
        assert [line for column in columns for line in column if any(line)] == wanted
        assert max(map(len, columns)) <= max((high - 12) // 17 - 2, 1)
    two = _layout_of(LINES, 500, 0.8).columns
    assert len(two) == 2
    assert abs(len(two[0]) - len(two[1])) <= 2


def test_no_lines() -> None:
    canvas = np.zeros((40, 60, 4), dtype=np.uint8)
    draw_help(canvas, Brush(40, 60), "A game", [])
    assert canvas.any()


def test_colors_with_a_meaning_differ_in_lightness() -> None:
    lightness = sorted(
        lab_of(np.array([rgb_of_tone(tone)], dtype=np.uint8))[0, 0]
        for tone in ("danger", "good", "warning", "food")
    )
    assert np.diff(lightness).min() > 5


@pytest.mark.parametrize("name", GAMES)
def test_goal_and_keys_of_each_game_fit_on_a_line_of_14_pixels(name: str) -> None:
    game = find_game(name)
    lines = [key.text for key in hand_keys(game, bindings_of(game, None)) if key.text]
    assert any("M: you play" in line or line.startswith("mouse: ") for line in lines)
    assert "R: again" in lines[-1]
    for text in (game.goal, *lines):
        assert measure(text, scale=14 / 13) <= PANEL_WIDTH - 2 * 14, text
