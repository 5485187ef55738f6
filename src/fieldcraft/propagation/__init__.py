"""How a value gets from cell to cell."""

from fieldcraft.propagation.field import Field
from fieldcraft.propagation.radial import Radial
from fieldcraft.propagation.spread import Spread

__all__ = ["PROPAGATIONS", "Field", "Propagation", "Radial", "Spread"]

Propagation = Spread | Radial
PROPAGATIONS: dict[str, type[Propagation]] = {"spread": Spread, "radial": Radial}
