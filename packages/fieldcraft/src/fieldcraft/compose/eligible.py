"""Which cells of windows may be chosen: where a condition holds, and where an agent can walk to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.compose.expression import expression_of
from fieldcraft.compose.frames import Frame
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.layer.operand import Operand
from fieldcraft.propagation.surroundings import surroundings_of

__all__ = ["eligible"]

_SLACK = 1 + 1e-9  # lengths are equal to one part in so many


def eligible(
    frame: Frame, where: Operand | ArrayLike | None, walk: float | None
) -> NDArray[np.bool_]:
    """The cells inside of windows for which `where` holds and to which a way of at most `walk`
    leads, in the frame's shape.
    """
    allowed = frame.inside
    if where is not None:
        allowed = allowed & _holds(frame, where)
    if walk is not None:
        allowed = allowed & _on_foot(frame, checks.positive("walk", walk))
    return allowed


def _holds(frame: Frame, where: Any) -> NDArray[np.bool_]:
    space = frame.space
    if isinstance(where, Operand):
        if not where.space.same_cells(space):
            raise InvalidValue(
                "where lies on the ground of the map that a window is cut from",
                got=f"{where.space!r} for {space!r}",
                remedy="Use layers on one map with one cell size, or pass an array of bool",
            )
        values = np.zeros(frame.shape, dtype=np.float32)
        expression_of(where).fill(values, frame.segments())
        return np.asarray(values != 0)
    mask = checks.array("A mask of cells", where)
    if mask.shape != space.shape or mask.dtype != np.bool_:
        hint = (
            " (it looks like [x, y]: transpose it)"
            if mask.shape == space.shape[::-1] != space.shape
            else ""
        )
        raise InvalidValue(
            f"where is an array of bool of the map's shape {space.shape}, or a layer or expression"
            " that is not 0 where one may be taken",
            got=f"{mask.dtype} of shape {mask.shape}{hint}",
            remedy="Pass a comparison such as layer > 0.5",
        )
    return np.asarray(mask.reshape(-1)[frame.cells])


def _on_foot(frame: Frame, walk: float) -> NDArray[np.bool_]:
    """The cells to which a way of at most `walk` leads from the middle one; from a wall, out of
    it.
    """
    around, everywhere, whole = surroundings_of(frame.space), Falloff.of("constant"), np.ones(1)
    near = np.zeros(frame.shape, dtype=np.bool_)
    reached = np.zeros(len(frame.space), dtype=np.bool_)
    for agent in range(len(frame.centers)):
        cells, _ = around.around(
            frame.centers[agent : agent + 1], whole, walk * _SLACK, everywhere, "path"
        )
        reached[cells] = True
        near[agent] = reached[frame.cells[agent]]
        reached[cells] = False
    return near
