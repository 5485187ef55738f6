"""What can be calculated with maps: expressions, formulas, windows and samples."""

from fieldcraft.values.expression import Expression
from fieldcraft.values.functions import lerp, maximum, minimum, where

__all__ = ["Expression", "lerp", "maximum", "minimum", "where"]
