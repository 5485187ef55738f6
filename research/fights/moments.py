"""Moments of recorded matches, with the cells of events soon after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Moment:
    """A moment of a match: `features` (C,) of its cells by name, and the cells of losses within the
    window after it.
    """

    seconds: float
    features: Mapping[str, Floats]
    lost: NDArray[np.int64]

    def table(self, names: Sequence[str], more: Mapping[str, Floats]) -> Floats:
        """Return the features of these names, (C, K); `more` (C,) are features that depend on other
        moments. Without names there is one of zeros.
        """
        known = {**self.features, **more}
        cells = len(next(iter(known.values())))
        if names:
            return np.stack([known[name] for name in names], axis=1)
        return np.zeros((cells, 1))
