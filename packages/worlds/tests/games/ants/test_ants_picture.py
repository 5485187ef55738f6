from __future__ import annotations

import numpy as np

from fieldcraft.view.palettes import lab_of
from fieldcraft.view.picture_parts import GROUND
from fieldcraft_worlds.games.ants.scene import _both_trails, _hues


def test_the_picture_shows_both_trails_and_faint_ones() -> None:
    """On a road both trails are about as strong: they add up, where a difference would hide it."""
    food, home = np.zeros((4, 30), dtype=np.float32), np.zeros((4, 30), dtype=np.float32)
    food[1], home[1] = 16.0, 16.0  # a road
    food[2], home[3] = 0.3, 0.3  # old trails
    shown = _both_trails(food, home)
    assert shown.rgb is not None
    colors = shown.rgb[:, 0].astype(int) - GROUND
    assert (colors[0] == 0).all()
    assert (colors[1] > 100).all()  # all channels: nearly white
    assert colors[2].max() > 15 and colors[2].argmax() == 0  # orange
    assert colors[3].max() > 15 and colors[3].argmax() == 2  # blue


def test_a_trail_that_fades_out_is_smooth() -> None:
    """A slope of 200 cells has about as many colors, where it had 15."""
    food = np.linspace(0, 1, 200, dtype=np.float32)[np.newaxis]
    shown = _both_trails(food, np.zeros_like(food))
    assert shown.rgb is not None
    assert len(np.unique(shown.rgb[0], axis=0)) > 120
    steps = np.abs(np.diff(shown.rgb[0, 10:].astype(int), axis=0))
    assert steps.max() <= 6


def test_directions_have_hues_of_their_own() -> None:
    """Opposite directions differ most, and all are about equally light."""
    wheel = _hues(np.linspace(-np.pi, np.pi, 9)[:-1])
    lightness = lab_of(wheel)
    opposite = np.linalg.norm(lightness - np.roll(lightness, 4, axis=0), axis=1)
    beside = np.linalg.norm(lightness - np.roll(lightness, 1, axis=0), axis=1)
    assert opposite.min() > 1.5 * beside.max()
    assert np.ptp(lightness[:, 0]) < 6
