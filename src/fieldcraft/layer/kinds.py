"""Kinds of influence that a game registers: what they are made of, and the verbs of their layers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft.falloff import Falloff
from fieldcraft.layer.feeding import Fed
from fieldcraft.propagation import Flood, Radial, Spread

if TYPE_CHECKING:
    from fieldcraft.propagation import Propagation
    from fieldcraft.sources import Source
    from fieldcraft.space import AnySpace

__all__ = ["KINDS", "Kind", "Kinds"]

_COOLING = 0.1  # what a flood loses from step to step


@dataclass(frozen=True)
class Kind:
    """A kind of influence, in steps from cell to cell, so that it fits maps of any size.

    `static`: it stays until it is removed, as exact footprints; else it spreads, and fades by itself. `decay`: what it loses
    to distance in each step, as in `Spread`. `momentum` and `half_life` (seconds) are those of a dynamic kind.
    """

    static: bool
    decay: float
    momentum: float = 0.6
    half_life: float | None = None

    def propagation(self, space: AnySpace) -> Propagation:
        """The propagation of this kind on a space."""
        step = space.typical_step
        if self.static:
            return Radial(5 * step, _decaying(self.decay, 5), metric="path")
        return Spread(self.decay / step, self.momentum, half_life=self.half_life)


KINDS = {
    "player": Kind(static=False, decay=0.15, momentum=0.7, half_life=2.0),
    "enemy": Kind(static=False, decay=0.2, momentum=0.6, half_life=1.0),
    "ally": Kind(static=False, decay=0.2, momentum=0.6, half_life=1.0),
    "bullet": Kind(static=False, decay=0.7, momentum=0.9, half_life=0.2),
    "noise": Kind(static=False, decay=0.12, momentum=0.9, half_life=1.5),
    "barrier": Kind(static=True, decay=0.5),
}
"""Kinds that `InfluenceMap.register_type` knows by name."""


class Kinds(Fed):
    """The verbs of a layer that was registered as a kind: what stays, what decays, and other parameters while it runs."""

    if TYPE_CHECKING:
        propagation: Any
        name: str

    def add_static(
        self,
        position: ArrayLike,
        value: float = 1.0,
        *,
        propagate: bool = True,
        flood: bool = False,
        iterations: int = 5,
        on_wall: str = "refuse",
    ) -> Source:
        """Put an influence somewhere that stays until `remove()` is called on what comes back; shows from the next step on.

        Parameters
        ----------
        position: world position, or a cell (on graphs, a vertex) as an int.
        value: what its cell reads.
        propagate: whether it reaches beyond its cell.
        flood: lose a tenth of the value with each step from cell to cell, as ground that a flood has left behind, instead of decaying;
            not without `propagate`.
        iterations: how many typical steps it reaches.

        On a layer with `Spread`, which spreads by itself, and on one with `Flood`, where a flood runs from it, these three stay as
        they are.

        Raises `OutsideMap`, `OnWall` or `InvalidValue`; then nothing has changed.
        """
        reach = checks.whole("iterations", iterations, minimum=1)
        if flood and not propagate:
            raise InvalidValue(
                "A flood goes on from cell to cell",
                got="flood=True with propagate=False",
                remedy="Leave one of them out: without flood the value stays in its cell",
            )
        point = self._point(position)
        if propagate and (isinstance(self._propagation, Flood) or (isinstance(self._propagation, Spread) and not flood)):
            return self.add_source(point, value, on_wall=on_wall)
        if not isinstance(self._propagation, Radial):
            raise InvalidValue(
                "What stays and has a reach of its own is for layers with fc.Radial",
                got=f"layer {self.name!r} with {type(self._propagation).__name__}",
                remedy="Register the type with static=True, or leave propagate, flood and iterations out",
            )
        step = self.space.typical_step
        if not propagate:
            lengths = self.space.ways.lengths
            return self.add_source(point, value, radius=float(lengths.min()) / 2, falloff="constant", on_wall=on_wall)
        falloff: Any = None
        if flood:
            falloff = Falloff.of(np.maximum(1 - _COOLING * np.linspace(0, reach, 16 * reach + 1), 0.0))
        return self.add_source(point, value, radius=reach * step, falloff=falloff, on_wall=on_wall)

    def add_dynamic(self, position: ArrayLike, value: float = 1.0, *, on_wall: str = "refuse") -> None:
        """Put an influence somewhere that spreads and decays by itself; shows at once. Position and errors as in `add_static`."""
        if not isinstance(self._propagation, (Spread, Flood)):
            raise InvalidValue(
                "What decays by itself is for layers with fc.Spread or fc.Flood",
                got=f"layer {self.name!r} with {type(self._propagation).__name__}",
                remedy="Register the type with static=False, or call add_static()",
            )
        self.deposit(self._point(position), checks.finite("value", value), on_wall=on_wall)

    def tune(self, **parameters: Any) -> None:
        """Go on with other parameters of the propagation, such as `decay` and `momentum`; shows from the next step on.

        Raises `UnknownName` for what this propagation does not have, and what the propagation raises.
        """
        if self.propagation is None:
            raise InvalidValue("Parameters are those of a propagation", got=f"layer {self.name!r} without one", remedy="Write its values")
        known = [field.name for field in fields(self.propagation)]
        for name in parameters:
            if name not in known:
                raise UnknownName(f"parameter of {type(self.propagation).__name__}", name, known)
        self.propagation = replace(self.propagation, **parameters)

    def _point(self, position: ArrayLike) -> NDArray[np.float64]:
        if isinstance(position, (int, np.integer)) and not isinstance(position, bool):
            return self.space.position_of(position)
        points, single = checks.positions(position, dimensions=self.space.dimensions)
        if not single:
            raise InvalidValue(
                "This takes one position", got=f"shape {np.shape(position)}", remedy="Use add_sources() or deposit() for many"
            )
        place: NDArray[np.float64] = points[0]
        return place


def _decaying(decay: float, steps: int) -> Falloff:
    """What is left after each share of so many steps."""
    return Falloff.of(np.exp(-decay * np.linspace(0, steps, 16 * steps + 1)))
