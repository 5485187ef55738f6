"""Influence of sources that falls with distance, out to a radius."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import Metric
from fieldcraft.layers.propagation.propagation import Radiating
from fieldcraft.layers.propagation.settings import Setting, checked, choice, curve, flag, number
from fieldcraft.layers.sources.falloff import CURVES, FalloffLike
from fieldcraft.space import Space

if TYPE_CHECKING:
    from fieldcraft.layers.propagation.radial.radial_field import RadialField

METRICS = ("straight", "connected", "path", "sight")
MOST_STRENGTH = 2.0**20


@dataclass(frozen=True)
class Radial(Radiating):
    """Radiate `strength * falloff(distance / radius)` from each source, out to a radius.

    Amounts are whole multiples of 2**-24 (6e-8), so that sums are exact: after any sequence of
    adding, moving, resizing and removing sources a layer equals a new one bit for bit. Strengths
    are within +-2**20 and a layer has at most 2**18 sources.

    Parameters
    ----------
    radius : float
        Distance that a source reaches, in world units, above 0; sources may have their own.
    falloff : str, Ring, Falloff, Sequence[float] or Callable[[ndarray of float64], Any], optional
        "constant", "linear", "parabolic" (`B - B d^2 / R^2`), "cubic", "exponential", "gaussian",
        "smoothstep", a `Ring`, a table or a callable, see `Falloff.of`; sources may have their own.
    metric : str, optional
        How distance is measured. "straight": walls don't matter. "connected": straight, but only on
        cells joined to the source by a walk within the radius. "path": along the walk. "sight":
        straight, but only on cells that the source sees, see `visible`; on a graph of waypoints
        nothing hides.
    blend : str, optional
        "sum", or "max": the strongest magnitude counts, the positive one of equals.
    thickness : float, optional
        How far a source in a wall reaches through the walls joined to its own, in world units from
        the center of its cell, so that it radiates on all sides of a building. With 0 only its own
        cell is open to it. Sources are put into walls with `on_wall="through"`.
    exact : bool, optional
        Measure distances from the positions of sources instead of the centers of their cells, so
        that influence changes smoothly while a source moves within a cell. Which cells can be
        reached or seen is still determined from its cell. Each source that moves costs more. Not
        with "path"; chosen when a layer is made. A source that acts from the open cell nearest to a
        wall is measured from the center of that cell, one off the map from the rim.

    Raises
    ------
    InvalidValue
        For values outside of these ranges.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 0, 0, 0, 0],
    ...                       [0, 0, 1, 0, 0, 0],
    ...                       [0, 0, 1, 0, 0, 0]])
    >>> threat = fc.InfluenceMap(grid).add_layer("threat", fc.Radial(3, "linear"))
    >>> tower = threat.add_source((1.5, 1.5), 6.0)
    >>> threat.step()
    >>> threat.values.round(1)
    array([[3.2, 4. , 3.2, 1.5, 0. , 0. ],
           [4. , 6. , 0. , 2. , 0. , 0. ],
           [3.2, 4. , 0. , 1.5, 0. , 0. ]], dtype=float32)
    >>> tower.remove()
    >>> threat.step()
    >>> threat.values.any()
    np.False_
    """

    radius: float = dataclasses.field(
        metadata=number("Distance that a source reaches.", above=True, unit="world units")
    )
    falloff: FalloffLike = dataclasses.field(
        default="parabolic",
        metadata=checked(
            Setting(
                "Curve by which influence falls from the source to the radius.",
                curve,
                "curve",
                choices=tuple(CURVES),
            )
        ),
    )
    metric: Metric = dataclasses.field(
        default="connected", metadata=choice("How distance is measured.", METRICS)
    )
    blend: Literal["sum", "max"] = dataclasses.field(
        default="sum", metadata=choice("How several sources combine in a cell.", ("sum", "max"))
    )
    thickness: float = dataclasses.field(
        default=0.0,
        metadata=number("How far a source in a wall reaches through it.", unit="world units"),
    )
    exact: bool = dataclasses.field(
        default=False,
        metadata=flag("Whether distance is measured from the source's very position."),
    )

    _largest = MOST_STRENGTH
    _smallest = -MOST_STRENGTH

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exact and self.metric == "path":
            raise InvalidValue(
                "Walking distances are measured from the centers of cells",
                got="exact=True with metric='path'",
                remedy='Pass metric="connected", "sight" or "straight"',
                about="exact",
            )

    def _check(self, space: Space) -> None:
        """Refuse a radius that takes too much memory on this space."""
        from fieldcraft.layers.propagation.radial.footprints import too_large

        if self.radius >= too_large(space):
            raise InvalidValue(
                f"A radius on a map as large as this is below {too_large(space):g}",
                got=f"radius={self.radius:g}",
                remedy="Give the layer a larger cell_size",
            )

    def field(self, space: Space, every: float) -> RadialField:
        """Return values of this propagation on a space, all 0."""
        from fieldcraft.layers.propagation.radial.radial_field import RadialField
        from fieldcraft.layers.propagation.radial.radial_updates import updates_on

        self._check(space)
        return RadialField(updates_on(self, space))
