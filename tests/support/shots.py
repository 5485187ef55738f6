"""Grids for shots."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc


def a_map(seed=1, share=0.2, shape=(12, 17), **options):
    rng = np.random.default_rng(seed)
    return fc.Grid(shape[1], shape[0], walls=rng.random(shape) < share, **options)


SPACE = fc.Grid(6, 4)
