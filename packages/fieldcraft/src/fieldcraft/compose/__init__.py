"""Expressions over layers, formulas, teams and windows around agents."""

from fieldcraft.compose.expression import Expression
from fieldcraft.compose.formula import formula
from fieldcraft.compose.verbs import lerp, maximum, minimum, where
from fieldcraft.compose.window import Window, window

__all__ = ["Expression", "Window", "formula", "lerp", "maximum", "minimum", "where", "window"]
