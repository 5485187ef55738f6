"""What sources of a layer may be, so that its sums stay exact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue


class Limits(NamedTuple):
    """The largest strength, the most sources, and the smallest radius that is refused."""

    strength: float
    sources: int
    radius: float

    def check(self, amounts: NDArray[np.float32], count: int) -> None:
        """Raise `InvalidValue` for larger strengths, or a larger number of sources."""
        if len(amounts) and float(np.abs(amounts).max()) > self.strength:
            raise InvalidValue(
                f"Strengths on a radial layer are at most {self.strength:,.0f} in size, so that"
                " sums stay exact",
                got=f"{float(amounts[np.abs(amounts).argmax()]):g}",
                remedy="Count in larger units",
            )
        if count > self.sources:
            raise InvalidValue(
                f"A radial layer has at most {self.sources:,} sources, so that sums stay exact",
                got=f"{count:,}",
                remedy="Use several layers",
            )
