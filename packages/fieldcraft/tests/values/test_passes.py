"""Passes over a whole map: smoothing, functions."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from support.expressions import HEIGHT, WIDTH, f32


def test_smooth_is_the_mean_of_the_open_cells_around():
    rng = np.random.default_rng(3)
    for wrap in (False, True):
        walls = rng.random((9, 14)) < 0.3
        space = fc.Grid(14, 9, walls=walls, wrap=wrap)
        layer = fc.InfluenceMap(space).add_layer("x", values=rng.normal(size=(9, 14)))
        for cells in (1, 2):
            ours = layer.smooth(cells).values
            for row in range(9):
                for column in range(14):
                    around = [
                        (r % 9, c % 14)
                        for r in range(row - cells, row + cells + 1)
                        for c in range(column - cells, column + cells + 1)
                        if wrap or (0 <= r < 9 and 0 <= c < 14)
                    ]
                    opened = [layer.values[cell] for cell in around if not walls[cell]]
                    expected = 0 if walls[row, column] else np.mean(opened, dtype=np.float64)
                    assert ours[row, column] == pytest.approx(expected, abs=1e-6)


def test_smooth_keeps_a_constant_and_joins_other_maps(imap):
    assert np.array_equal(
        (imap["ally"] * 0 + 0.3).smooth(5).values, np.full((HEIGHT, WIDTH), f32(0.3))
    )
    blurred = imap["ally"].smooth()
    kept = blurred.read()
    assert np.array_equal((blurred * 2 + blurred).values, kept * 2 + kept)
    assert np.array_equal(
        blurred.normalize().values, (kept - kept.min()) / (kept.max() - kept.min())
    )
