"""Kinds of propagation, one per file, each with its field of values."""

from fieldcraft.propagation.diffuse import Diffuse
from fieldcraft.propagation.direct import influence_at, shot_danger
from fieldcraft.propagation.fade import Fade
from fieldcraft.propagation.flood import Flood
from fieldcraft.propagation.kinds import Attribution, Field, Propagation
from fieldcraft.propagation.radial import Radial
from fieldcraft.propagation.spread import Spread
from fieldcraft.propagation.stamps import Stamp
from fieldcraft.propagation.trail import Trail

__all__ = [
    "PROPAGATIONS",
    "Attribution",
    "Diffuse",
    "Fade",
    "Field",
    "Flood",
    "Propagation",
    "Radial",
    "Spread",
    "Stamp",
    "Trail",
    "influence_at",
    "shot_danger",
]

PROPAGATIONS: dict[str, type[Propagation]] = {
    "spread": Spread,
    "radial": Radial,
    "fade": Fade,
    "flood": Flood,
    "trail": Trail,
    "diffuse": Diffuse,
}
