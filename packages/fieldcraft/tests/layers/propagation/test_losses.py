"""Losses on steps."""

from __future__ import annotations

import numpy as np

from fieldcraft.layers.propagation.spread.losses import LARGEST_LOSS, losses


def test_a_factor_or_an_amount() -> None:
    lengths = np.array([0.0, 1.0, 2.0])
    np.testing.assert_allclose(losses(lengths, 0.5, 0), np.exp([0, -0.5, -1]), rtol=1e-6)
    assert losses(lengths, 0.5, 2).tolist() == [0, 0.5, 1]


def test_losses_beyond_float32_lose_everything() -> None:
    lengths = np.array([1e30, 1e300])
    assert losses(lengths, 1e300, 0).tolist() == [0, 0]
    assert (losses(lengths, 1e300, 1) == LARGEST_LOSS).all()
