"""Fading, called as the compiled kernels are; see `fieldcraft.kernels.reference.fade`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import fade as reference
from fieldcraft.kernels.reference.fade import TILE_COLUMNS, TILE_ROWS, mark, show, slots

__all__ = [
    "TILE_COLUMNS",
    "TILE_ROWS",
    "bleed",
    "bleed_along",
    "mark",
    "room",
    "seep",
    "show",
    "slots",
]

Cells = NDArray[np.int64]
Amounts = NDArray[np.float64]


def room(cells: int) -> tuple[Amounts, Cells]:
    """For `bleed` on a map of so many cells: what has arrived, and the cells found."""
    return np.zeros(cells), np.zeros(cells, dtype=np.int64)


def bleed(*problem: Any) -> int:
    """Write the cells that marks reach to `found` and what arrives in each to `arrived`; returns
    how many.
    """
    *common, arrived, found = problem
    return _written(*reference.bleed(*common), arrived, found)


def bleed_along(*problem: Any) -> int:
    """`bleed` on a graph."""
    *common, arrived, found = problem
    return _written(*reference.bleed_along(*common), arrived, found)


def _written(cells: Cells, amounts: Amounts, arrived: Amounts, found: Cells) -> int:
    found[: len(cells)] = cells
    arrived[cells] = amounts
    return len(cells)


def seep(*problem: Any) -> int:
    """Write the cells that values seep into to `found`, and what each then holds to `amounts`;
    returns how many.
    """
    *common, _held, _seen, found, amounts = problem
    cells, held = reference.seep(*common)
    found[: len(cells)], amounts[: len(cells)] = cells, held
    return len(cells)
