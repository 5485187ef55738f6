"""`make test-bounds` compiles kernels with checks of bounds, so that an overrun is an error there."""

from __future__ import annotations

import os

import numpy as np
import pytest

checks_bounds = pytest.mark.skipif(
    os.environ.get("NUMBA_BOUNDSCHECK") != "1", reason="make test-bounds compiles with checks"
)


@checks_bounds
def test_an_index_out_of_bounds_is_an_error() -> None:
    from fieldcraft.kernels.compiling.jit import Kernel

    def written(place, out):
        out[place] = 1

    kernel = Kernel(written, ("i8, out i8[::1]",), {})
    out = np.zeros(3, dtype=np.int64)
    kernel(2, out)
    assert out.tolist() == [0, 0, 1]
    with pytest.raises(IndexError):
        kernel(3, out)
