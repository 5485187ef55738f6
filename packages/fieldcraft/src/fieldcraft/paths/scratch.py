"""Arrays that searches use up and down, kept beside their space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Space
from fieldcraft.space.ways import kept

__all__ = ["Scratch", "scratch_of"]

_KEPT = 4


class Scratch:
    """Scratch of one number per cell, whose pages are at hand if another search has used it.

    `pad` is what some searches need on both sides: a row and one more where there are rows, as they
    look beyond the rim.
    """

    def __init__(self, space: Space) -> None:
        self._cells = len(space)
        self.pad = space.shape[1] + 1 if len(space.shape) == 2 else 0
        self._kept: dict[tuple[type, tuple[int, ...]], list[NDArray[Any]]] = {}

    def take(
        self, kind: type[np.generic], *, rows: int | None = None, more: int = 0
    ) -> NDArray[Any]:
        """One number per cell and some more, or so many rows of that. It may hold anything, but 0
        if it is of int8.
        """
        cells = self._cells + more
        shape = (cells,) if rows is None else (rows, cells)
        try:
            return self._kept[kind, shape].pop()
        except (KeyError, IndexError):
            return np.zeros(shape, dtype=kind) if kind is np.int8 else np.empty(shape, dtype=kind)

    def give(self, array: NDArray[Any], most: int = _KEPT) -> None:
        """Take scratch back; a few of each kind are kept while the space lives."""
        kept = self._kept.setdefault((array.dtype.type, array.shape), [])
        if len(kept) < most:
            kept.append(array)


@kept
def scratch_of(space: Space) -> Scratch:
    """The scratch of a space."""
    return Scratch(space)
