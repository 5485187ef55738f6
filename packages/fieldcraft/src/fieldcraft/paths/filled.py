"""Distance maps as maps of finite numbers: what stands for ground from which no way leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.layer.operand import Operand

if TYPE_CHECKING:
    from fieldcraft.paths.distances import DistanceMap

__all__ = ["UNREACHED", "Filled"]

UNREACHED = 1e20
"""The stand-in for ground from which no way leads, where no other number was asked for: a cost that
can still be reckoned with.
"""


class Filled(Operand):
    """A distance map that reads a number where no way leads to a goal, and 0 on walls; made by
    `DistanceMap.filled`.
    """

    def __init__(self, distances: DistanceMap, number: float) -> None:
        self.name = distances.name
        self.space = distances.space
        self.distances = distances
        self.number = checks.finite("The number for no way", number)
        self._values = np.zeros(self.space.shape, dtype=np.float32)
        self._view = self._values.view()
        self._view.flags.writeable = False
        self._seen: int | None = None

    def __repr__(self) -> str:
        return f"<{self.distances!r} with {self.number:g} for no way>"

    def __reduce__(self) -> tuple[type[Filled], tuple[DistanceMap, float]]:
        return Filled, (self.distances, self.number)

    @property
    def version(self) -> int:
        """Changes whenever the distances may have changed."""
        return self.distances.version

    @property
    def values(self) -> NDArray[np.float32]:
        """The distances, float32 of the space's shape, finite; read-only, valid until the next
        change.
        """
        if self._seen != self.version:
            distances = self.distances.values
            np.minimum(distances, np.float32(checks.LARGEST), out=self._values)
            self._values[np.isinf(distances)] = self.number
            # Ground that is shut by an infinite cost is ground from which no way leads.
            self._values[self.distances.walls & self.space.walls] = 0
            self._seen = self.version
        return self._view
