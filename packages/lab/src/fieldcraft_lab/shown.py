"""A map that a world of another package shows in the lab."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.layer.operand import Operand
from fieldcraft.space import Space, checked_space

__all__ = ["Shown"]


class Shown(Operand):
    """A named map whose values a function gives, in the shape of its space; asked for again when
    `moment` says another number.
    """

    def __init__(
        self, name: str, space: Space, values: Callable[[], ArrayLike], moment: Callable[[], int]
    ) -> None:
        self.name = checks.text("name", name)
        self.space = checked_space(space, "A map lies on")
        self._ask: Callable[[], ArrayLike] = checks.function("values", values)
        self._moment: Callable[[], int] = checks.function("moment", moment)
        self._held: tuple[int, NDArray[np.float32]] | None = None

    @property
    def version(self) -> int:
        """The moment."""
        return self._moment()

    @property
    def values(self) -> NDArray[np.float32]:
        """The values at this moment, float32, finite."""
        if self._held is None or self._held[0] != self.version:
            given = checks.array("values", self._ask())
            if given.size != len(self.space) or given.dtype.kind not in "biuf":
                raise InvalidValue(
                    f"values are numbers of shape {self.space.shape}",
                    got=f"{given.dtype} of shape {given.shape}",
                    remedy="Answer one for each cell",
                )
            found = np.nan_to_num(
                given.astype(np.float32).reshape(self.space.shape), posinf=0.0, neginf=0.0
            )
            self._held = (self.version, found)
        return self._held[1]
