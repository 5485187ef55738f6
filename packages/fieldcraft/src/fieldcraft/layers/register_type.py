"""Presets: kinds of influence by name, for maps of any size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation.propagation import Propagation
from fieldcraft.layers.propagation.radial.radial import Radial
from fieldcraft.layers.propagation.spread.spread import Spread
from fieldcraft.layers.sources.falloff import Falloff
from fieldcraft.space import Space


@dataclass(frozen=True)
class Kind:
    """A kind of influence, in steps from cell to cell, for maps of any size.

    Parameters
    ----------
    static : bool
        Whether it stays until it is removed, as exact footprints; else it spreads and decays.
    decay : float
        Loss in each step, as in `Spread`.
    momentum : float, optional
        That of a dynamic kind.
    half_life : float, optional
        Seconds; that of a dynamic kind.
    """

    static: bool
    decay: float
    momentum: float = 0.6
    half_life: float | None = None

    def propagation(self, space: Space) -> Propagation:
        """Return the propagation of this kind on a space."""
        step = space.typical_step
        if self.static:
            left = np.exp(-self.decay * np.linspace(0, 5, 81))
            return Radial(5 * step, Falloff.of(left), metric="path")
        return Spread(self.decay / step, self.momentum, half_life=self.half_life)


KINDS = {
    "player": Kind(static=False, decay=0.15, momentum=0.7, half_life=2.0),
    "enemy": Kind(static=False, decay=0.2, momentum=0.6, half_life=1.0),
    "ally": Kind(static=False, decay=0.2, momentum=0.6, half_life=1.0),
    "bullet": Kind(static=False, decay=0.7, momentum=0.9, half_life=0.2),
    "noise": Kind(static=False, decay=0.12, momentum=0.9, half_life=1.5),
    "barrier": Kind(static=True, decay=0.0),
}
"""The kinds of `InfluenceMap.register_type`, by name."""


def kind_of(name: str, static: bool | None) -> Kind:
    """Return the kind with a name, or one of your own that is static or not."""
    if static is None and isinstance(name, str) and name in KINDS:
        return KINDS[name]
    if not isinstance(static, (bool, np.bool_)):
        raise InvalidValue(
            f"A type of your own is static or not; the named ones are {', '.join(KINDS)}",
            got=f"{name!r}, static={static!r}",
            remedy="Pass static=True, static=False, or a propagation",
        )
    if static:
        return Kind(static=True, decay=0.5)
    return KINDS["enemy"]
