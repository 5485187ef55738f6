"""What a layer asks of the values it carries, whatever their propagation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft.sources import Sources

__all__ = ["Field"]


class Field(Protocol):
    """Values on a space that know how to take steps.

    `values` are float32 and 0 on walls; updated in place, except by steps in units, which end by taking another
    array. Cells are flat indices.
    """

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now."""
        ...

    def feed(self, sources: Sources) -> None:
        """Take notice of what the sources are now; shows from the next step on."""
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

    def step_in_units(self) -> Iterator[None]:
        """Take one step in units of work of at most 0.25 ms; `values` stay what they were until the last is done."""
        ...

    def state(self) -> dict[str, NDArray[Any]]:
        """Arrays from which a new field goes on with the same bits, given the same sources."""
        ...

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from there; raises ValueError for arrays that `state` cannot have made."""
        ...

    def settle(self) -> None:
        """Go where endless steps would lead."""
        ...
