"""What can be calculated with maps: expressions, formulas, windows and samples."""

# First, since `expression` and `operand` import each other, and `operand` needs it only later.
from fieldcraft.values.expression import Expression

# isort: split
from fieldcraft.values.eased import Eased
from fieldcraft.values.functions import lerp, maximum, minimum, where

__all__ = ["Eased", "Expression", "lerp", "maximum", "minimum", "where"]
