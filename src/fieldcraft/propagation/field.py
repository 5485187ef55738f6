"""What a layer asks of the values it carries, whatever their propagation."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Field"]


class Field(Protocol):
    """Values on a space that know how to take steps.

    `values` is always the same float32 array, updated in place, and 0 on walls; `pinned` are the cells held now.
    Cells are flat indices, ascending where they come from `Sources.pins`.
    """

    values: NDArray[np.float32]
    pinned: NDArray[np.int64]

    def pin(self, cells: NDArray[np.int64], strengths: NDArray[np.float32]) -> None:
        """Hold exactly these cells at these values from now on."""
        ...

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Take notice that the values of these cells (None: of any) were changed from outside."""
        ...

    def tune(self, propagation: Any, every: float) -> None:
        """Go on with other parameters of the same kind, or updated `every` other number of seconds."""
        ...

    def run(self, count: int) -> None:
        """Take `count` steps."""
        ...

    def settle(self) -> None:
        """Go where endless steps would lead."""
        ...
