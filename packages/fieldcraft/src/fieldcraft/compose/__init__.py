"""Expressions over layers, formulas, teams and windows around agents."""

from fieldcraft.compose.expression import Expression
from fieldcraft.compose.verbs import lerp, maximum, minimum, where

__all__ = ["Expression", "lerp", "maximum", "minimum", "where"]
