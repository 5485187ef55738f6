"""No plan: who exchanges with whom is looked at in each update; see
`fieldcraft.kernels.reference.trail`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["plan"]


def plan(_walls: NDArray[np.bool_], _weights: NDArray[np.floating[Any]], _wrap: bool) -> tuple[()]:
    """Nothing."""
    return ()
