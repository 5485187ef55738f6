"""How a value gets from cell to cell."""

from fieldcraft.propagation.field import Field
from fieldcraft.propagation.radial import Radial
from fieldcraft.propagation.readiness import set_threads, warm_up
from fieldcraft.propagation.spread import Spread

__all__ = ["PROPAGATIONS", "Field", "Propagation", "Radial", "Spread", "set_threads", "warm_up"]

Propagation = Spread | Radial
PROPAGATIONS: dict[str, type[Propagation]] = {"spread": Spread, "radial": Radial}
