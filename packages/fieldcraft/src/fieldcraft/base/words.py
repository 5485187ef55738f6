"""Arguments that are one of some words, as types that editors offer and type checkers know."""

from __future__ import annotations

from typing import Literal

Between = Literal["nearest", "bilinear"]
"""How a map is sampled: the cell that contains a position, or between cells."""
Strongest = Literal["total", "source"]
"""How teams are compared."""
Metric = Literal["straight", "connected", "path", "sight"]
"""How `Radial` measures distance."""
Curve = Literal["constant", "linear", "parabolic", "cubic", "exponential", "gaussian", "smoothstep"]
"""The falloffs of `Radial` by name."""
Loss = Literal["exponential", "linear", "quadratic", "cubic"]
"""The falloffs of `Spread`."""
