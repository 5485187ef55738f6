"""Calls of kernels for many positions."""

from __future__ import annotations

import numpy as np

from fieldcraft.values.bands import run_in_bands


def test_bands_cover_all_agents_once() -> None:
    counts = np.zeros(1000, dtype=np.int64)

    def kernel(step: int, first: int, last: int, out: np.ndarray) -> None:
        out[first:last] += step

    run_in_bands(kernel, (2,), (counts,), 1000, 10)
    assert (counts == 2).all()
