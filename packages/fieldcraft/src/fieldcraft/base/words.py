"""Arguments that are one of some words, as types that editors offer and type checkers know."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = [
    "OUTSIDE",
    "Between",
    "Charge",
    "Combined",
    "Corners",
    "Curve",
    "DynamicKind",
    "Edges",
    "Estimate",
    "IfOnWall",
    "IfOutside",
    "IfSourceOnWall",
    "Loss",
    "MapKind",
    "MazeAlgorithm",
    "Metric",
    "Mobility",
    "NoneFound",
    "OnUnreachable",
    "Orientation",
    "StampBlend",
    "StaticKind",
    "Strongest",
]

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
IfOutside = Literal["refuse", "clamp"]
"""What is done with a position off the map."""
OUTSIDE: tuple[IfOutside, ...] = get_args(IfOutside)
"""The words of `IfOutside`."""
IfOnWall = Literal["refuse", "nearest"]
"""What is done with a position on a wall."""
IfSourceOnWall = Literal["refuse", "nearest", "through"]
"""What is done with a source on a wall: with "through" it stays there."""
Charge = Literal["mean", "enter"]
"""What a step costs: the mean of its two cells, or the cell that it enters."""
NoneFound = Literal["nan", "stay", "refuse"]
"""What is returned where no cell was found: NaN, the cell of the agent, or an error."""
OnUnreachable = Literal["refuse", "wait"]
"""What is done with agents whose goals cannot be reached."""
Corners = Literal["never", "if-one-open", "cut"]
"""When a diagonal step passes walls beside it."""
Orientation = Literal["pointy", "flat"]
"""How hexagons are turned: they stand on a corner or lie on a side."""
Edges = Literal["conserve", "lose"]
"""What happens to what would enter a wall or leave the map."""
Combined = Literal["max", "sum"]
"""How several sources combine in a cell."""
StampBlend = Literal["add", "max", "replace"]
"""How stamps combine with what is there."""
Estimate = Literal["peak", "mean", "medoid"]
"""Which place stands for many: the highest cell, the mean, or the cell nearest to it."""
Mobility = Literal["ground", "air", "trees", "water", "amphibious", "any"]
"""Who walks on a map from a file; which words there are depends on its format."""
MapKind = Literal["rooms", "cave", "open", "pillars", "empty", "maze"]
"""The maps that are generated."""
MazeAlgorithm = Literal["backtracker", "growing"]
"""How a maze is carved."""
DynamicKind = Literal["player", "enemy", "ally", "bullet", "noise"]
"""The presets of `register_type` that spread and decay."""
StaticKind = Literal["barrier"]
"""The presets of `register_type` that stay."""
