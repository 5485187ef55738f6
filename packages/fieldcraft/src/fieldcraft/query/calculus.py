"""The calculus of maps: the verbs by which operands, which stand below, make expressions; see
`fieldcraft.layer.operand.Calculus`.
"""

from fieldcraft.compose.verbs import cellwise, curve, on, power, smooth, sqrt
from fieldcraft.query.sampling import sample

__all__ = ["cellwise", "curve", "on", "power", "sample", "smooth", "sqrt"]
