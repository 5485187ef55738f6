"""How a value gets from cell to cell."""

from fieldcraft.propagation.field import Field
from fieldcraft.propagation.readiness import set_threads, warm_up
from fieldcraft.propagation.spread import Spread

__all__ = ["Field", "Spread", "set_threads", "warm_up"]
