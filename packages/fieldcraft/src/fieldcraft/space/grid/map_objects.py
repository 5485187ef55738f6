"""Objects of map files, such as starting places and resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class MapObjects:
    """The objects of one name in a map file: the world positions of their centers, (N, 2), and the
    properties of each.
    """

    positions: NDArray[np.float64]
    properties: tuple[Mapping[str, Any], ...]
