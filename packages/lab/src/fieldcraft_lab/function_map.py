"""Maps of worlds of other packages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Space, checked_space
from fieldcraft.values.operand import Operand

__all__ = ["FunctionMap"]


class FunctionMap(Operand):
    """A named map whose values a function returns, in the shape of its space; it is called again
    when `version` returns another number.
    """

    def __init__(
        self, name: str, space: Space, values: Callable[[], ArrayLike], version: Callable[[], int]
    ) -> None:
        self.name = checks.text("name", name)
        self.space = checked_space(space, "A map lies on")
        self._function: Callable[[], ArrayLike] = checks.function("values", values)
        self._version: Callable[[], int] = checks.function("version", version)
        self._cached: tuple[int, NDArray[np.float32]] | None = None

    @property
    def version(self) -> int:
        """The version of the values."""
        return self._version()

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now, float32, finite."""
        if self._cached is None or self._cached[0] != self.version:
            given = checks.array("values", self._function())
            if given.size != len(self.space) or given.dtype.kind not in "biuf":
                raise InvalidValue(
                    f"values are numbers of shape {self.space.shape}",
                    got=f"{given.dtype} of shape {given.shape}",
                    remedy="Return one for each cell",
                )
            found = np.nan_to_num(
                given.astype(np.float32).reshape(self.space.shape), posinf=0.0, neginf=0.0
            )
            self._cached = (self.version, found)
        return self._cached[1]
