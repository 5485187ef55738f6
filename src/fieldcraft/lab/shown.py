"""A map that a world of another package shows in the lab."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.layer.operand import Operand
from fieldcraft.space import Space

__all__ = ["Shown"]


class Shown(Operand):
    """A named map whose values a function gives, in the shape of its space; asked for again when `moment` says another number."""

    def __init__(self, name: str, space: Space, values: Callable[[], ArrayLike], moment: Callable[[], int]) -> None:
        self.name = name
        self.space = space
        self._ask, self._moment = values, moment
        self._held: tuple[int, NDArray[np.float32]] | None = None

    @property
    def version(self) -> int:
        """The moment."""
        return self._moment()

    @property
    def values(self) -> NDArray[np.float32]:
        """The values at this moment, float32, finite."""
        if self._held is None or self._held[0] != self.version:
            found = np.nan_to_num(np.asarray(self._ask(), dtype=np.float32).reshape(self.space.shape), posinf=0.0, neginf=0.0)
            self._held = (self.version, found)
        return self._held[1]
