"""Readers of positions and maps in questions, and straight distances."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.settings.dataclasses import refused
from fieldcraft.kernels.shared.arrays import Floats
from fieldcraft.space import Space
from fieldcraft.values.formula import check_syntax
from fieldcraft.values.operand import Operand


def _places(name: str, value: Any) -> Any:
    """Return a name of positions, or the positions themselves."""
    if isinstance(value, str):
        return checks.text(name, value)
    if checks.array(name, getattr(value, "positions", value)).ndim not in (1, 2):
        raise refused(f"{name} is a name, or a list of positions", value, 'Write "me", say')
    return value


def _map(name: str, value: Any) -> Any:
    """Return a formula, or a map in Python."""
    if isinstance(value, Operand):
        return value
    if not isinstance(value, str) or not value.strip():
        raise refused(f"{name} is a formula over layers", value, 'Write "1 - threat", say')
    check_syntax(value)
    return value


def _heights(name: str, value: Any) -> Any:
    """Return a name or a formula of heights, or the heights themselves."""
    if isinstance(value, str):
        return checks.text(name, value)
    if checks.array(name, getattr(value, "values", value)).ndim not in (1, 2):
        raise refused(f"{name} is a name, or the height of each cell", value, 'Write "ground", say')
    return value


Places = Annotated[Any, _places]
Map = Annotated[Any, _map]
Heights = Annotated[Any, _heights]


def distances(space: Space, places: Floats, points: Floats) -> Floats:
    """Return the straight distances from places to positions, (N, P)."""
    if space.period is not None:
        vectors = space.shortest_vectors(places[:, np.newaxis] - points)
        return np.asarray(np.sqrt((vectors**2).sum(axis=2)))
    # One axis at a time, and for each position all places: NumPy is slow on short rows.
    squares = np.zeros((len(points), len(places)))
    for axis in range(places.shape[1]):
        along = np.subtract.outer(points[:, axis], places[:, axis])
        along *= along
        squares += along
    return np.asarray(np.sqrt(squares, out=squares).T)
