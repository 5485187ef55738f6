"""Kinds of propagation, one per folder, each with its field of values."""

from fieldcraft.layers.propagation.at_positions import influence_at, shot_danger
from fieldcraft.layers.propagation.diffuse.diffuse import Diffuse
from fieldcraft.layers.propagation.fade.fade import Fade
from fieldcraft.layers.propagation.flood import Flood
from fieldcraft.layers.propagation.propagation import Attribution, Field, Propagation
from fieldcraft.layers.propagation.radial.radial import Radial
from fieldcraft.layers.propagation.spread.spread import Spread
from fieldcraft.layers.propagation.trail.stamps import Stamp
from fieldcraft.layers.propagation.trail.trail import Trail

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
