"""What can be calculated with maps: expressions, formulas, windows and samples."""

from fieldcraft.values.expression import Expression
from fieldcraft.values.functions import lerp, maximum, minimum, where
from fieldcraft.values.transition import Eased

__all__ = ["Eased", "Expression", "lerp", "maximum", "minimum", "where"]
