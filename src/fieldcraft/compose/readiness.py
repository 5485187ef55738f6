"""Compiling before the first frame."""

from __future__ import annotations

import numpy as np

from fieldcraft.compose.expression import Expression
from fieldcraft.compose.ground import Ground
from fieldcraft.compose.node import Node
from fieldcraft.space import Grid

__all__ = ["warm_up"]


def warm_up() -> None:
    """Compile the kernels that all expressions share, so that no frame waits for it."""
    ones = Expression(Node("array", payload=np.ones((4, 8), dtype=np.float32)), Ground((Grid(8, 4),)), "ones")
    ones.smooth().read()
