"""Small maps and layers."""

from __future__ import annotations

import numpy as np

WALLS = np.zeros((6, 9), dtype=bool)
WALLS[2, 1:8] = True
