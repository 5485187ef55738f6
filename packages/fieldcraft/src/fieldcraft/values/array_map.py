"""Maps of numbers that do not change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space import Space
from fieldcraft.values.operand import Operand


class ArrayMap(Operand):
    """The result of a call, as a map that can be sampled, drawn and used in expressions.

    Its values are those of the moment of the call: they follow neither walls nor layers.
    """

    def __init__(self, space: Space, values: NDArray[np.float32], name: str) -> None:
        self.space = space
        self.name = name
        self._values = read_only(values)

    def __repr__(self) -> str:
        return f"<ArrayMap {self.name!r} of {self.space!r}>"

    @property
    def version(self) -> int:
        """0, since the values do not change."""
        return 0

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, float32 in the space's shape; read-only."""
        return self._values
