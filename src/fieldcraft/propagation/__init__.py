"""How a value gets from cell to cell."""

from fieldcraft.propagation.field import Field
from fieldcraft.propagation.radial import Radial
from fieldcraft.propagation.spread import Spread
from fieldcraft.propagation.threat import threat

__all__ = ["PROPAGATIONS", "Field", "Propagation", "Radial", "Spread", "threat"]

Propagation = Spread | Radial
PROPAGATIONS: dict[str, type[Propagation]] = {"spread": Spread, "radial": Radial}
