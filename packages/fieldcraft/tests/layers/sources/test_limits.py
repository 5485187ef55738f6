"""What sources of a layer may be."""

from __future__ import annotations

import numpy as np

from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.sources.limits import Limits
from support.refusals import refused

LIMITS = Limits(strength=100.0, sources=3, radius=0.5)


def test_strengths_and_counts_up_to_the_limits_pass() -> None:
    LIMITS.check(np.array([100, -100], dtype=np.float32), 3)
    LIMITS.check(np.zeros(0, dtype=np.float32), 0)


def test_larger_strengths_are_refused() -> None:
    with refused(InvalidValue, "at most 100 in size", "-101"):
        LIMITS.check(np.array([1, -101], dtype=np.float32), 2)


def test_more_sources_are_refused() -> None:
    with refused(InvalidValue, "at most 3 sources", "4"):
        LIMITS.check(np.ones(1, dtype=np.float32), 4)
