"""How a value gets from cell to cell."""

from fieldcraft.propagation.fade import Fade
from fieldcraft.propagation.field import Field
from fieldcraft.propagation.flood import Flood
from fieldcraft.propagation.radial import Radial
from fieldcraft.propagation.spread import Spread
from fieldcraft.propagation.stamps import Stamp, tether
from fieldcraft.propagation.threat import threat
from fieldcraft.propagation.trail import Trail

__all__ = ["PROPAGATIONS", "Fade", "Field", "Flood", "Propagation", "Radial", "Spread", "Stamp", "Trail", "tether", "threat"]

Propagation = Spread | Radial | Fade | Flood | Trail
PROPAGATIONS: dict[str, type[Propagation]] = {"spread": Spread, "radial": Radial, "fade": Fade, "flood": Flood, "trail": Trail}
