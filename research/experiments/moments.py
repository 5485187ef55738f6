"""Moments of recorded matches, of which it is asked in which cells something happens soon after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Moment:
    """A moment of a match: `features` (C,) of its cells by name, and in which of them something is
    lost within the window after it.
    """

    seconds: float
    features: Mapping[str, Floats]
    lost: NDArray[np.int64]

    def table(self, names: Sequence[str], more: Mapping[str, Floats]) -> Floats:
        """The features of these names, (C, K); `more` (C,) are those that depend on other moments.
        No names give one of zeros.
        """
        known = {**self.features, **more}
        cells = len(next(iter(known.values())))
        return np.stack([known[name] for name in names], axis=1) if names else np.zeros((cells, 1))
