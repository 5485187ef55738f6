from __future__ import annotations

import numpy as np

from fieldcraft.view.picture_parts import GROUND
from fieldcraft_worlds.games.ants.scene import _both_trails


def test_the_picture_shows_both_trails_and_faint_ones() -> None:
    """On a road both trails are about as strong: they add up, where a difference would hide it."""
    food, home = np.zeros((4, 30), dtype=np.float32), np.zeros((4, 30), dtype=np.float32)
    food[1], home[1] = 16.0, 16.0  # a road
    food[2], home[3] = 0.3, 0.3  # old trails
    shown = _both_trails(food, home)
    assert shown.table is not None
    colors = shown.table[shown.values.astype(int)[:, 0]].astype(int) - GROUND
    assert (colors[0] == 0).all()
    assert (colors[1] > 100).all()  # all channels: nearly white
    assert colors[2].max() > 15 and colors[2].argmax() == 0  # orange
    assert colors[3].max() > 15 and colors[3].argmax() == 2  # blue
