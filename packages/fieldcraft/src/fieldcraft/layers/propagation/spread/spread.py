"""Spread: influence that moves from cell to cell and falls with the distance."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal

from fieldcraft.base.words import Loss
from fieldcraft.layers.propagation.propagation import Field, Spreading
from fieldcraft.layers.propagation.settings import choice, flag, number
from fieldcraft.space import Grid, Space

FALLOFFS = {"exponential": 0, "linear": 1, "quadratic": 2, "cubic": 3}


@dataclass(frozen=True)
class Spread(Spreading):
    """Spread influence from cell to cell.

    Each step, every cell takes the strongest magnitude among its neighbors, each weakened by the
    length of the step to it, and moves towards it: `new = old + momentum * (strongest - old)`. In
    the end a cell has the largest `strength * exp(-decay * distance)` of all sources, with its
    sign; distance is along walks around walls. Cells of sources are pinned at their strength.

    Parameters
    ----------
    decay : float
        Loss per world unit of distance, at least 0. Exponential: `v * exp(-decay * d)`. Linear,
        quadratic, cubic (p = 1, 2, 3): `(v ** (1/p) - decay * d) ** p`, down to 0, so that a
        strength S reaches `S ** (1/p) / decay` far.
    momentum : float, optional
        Part of the way to its new value that a cell goes at a step, in [0, 1]: 1 moves there at
        once, 0 never moves. Some authors define it the other way round.
    falloff : str, optional
        "exponential", "linear", "quadratic" or "cubic".
    half_life : float, optional
        Seconds in which a cell without support halves; by default it falls by momentum, as it rose.
        Neighbors support each other: per update, no cell falls below its value weakened by two
        steps. A shorter half-life (with small decay) has no effect; raise the decay, or lower
        `every`.
    floor : float, optional
        A cell becomes exactly 0 if its value and the value that it moves to are both smaller.
    stack : str, optional
        How several sources in one cell combine. "max": the strongest counts, the positive one of
        equals. "sum": they add.
    pin : bool, optional
        Whether the cell of a source always has the source's strength. False: at least that, so that
        a weak source does not mask stronger influence.

    Raises
    ------
    InvalidValue
        For numbers outside of these ranges.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 1, 0],
    ...                       [0, 0, 1, 0],
    ...                       [0, 0, 0, 0]])
    >>> threat = fc.InfluenceMap(grid).add_layer("threat", fc.Spread(1, 1, "linear"))
    >>> _ = threat.add_source((0.5, 0.5), 8.0)
    >>> threat.step(7)
    >>> threat.values
    array([[8., 7., 0., 1.],
           [7., 6., 0., 2.],
           [6., 5., 4., 3.]], dtype=float32)

    References
    ----------
    Alex Champandard, "The Core Mechanics of Influence Mapping", with the changes that
    `docs/decisions/0003-sources-pin.md` explains.
    """

    decay: float = dataclasses.field(
        metadata=number("Loss of influence with distance.", unit="1 / world unit")
    )
    momentum: float = dataclasses.field(
        default=0.5,
        metadata=number("Part of the way to its new value that a cell goes at a step.", high=1.0),
    )
    falloff: Loss = dataclasses.field(
        default="exponential",
        metadata=choice("Curve by which influence falls with distance.", tuple(FALLOFFS)),
    )
    half_life: float | None = dataclasses.field(
        default=None,
        metadata=number(
            "Time in which a cell without support halves.", above=True, unit="s", optional=True
        ),
    )
    floor: float = dataclasses.field(
        default=1e-3, metadata=number("Smaller values become 0.", unit="value")
    )
    stack: Literal["max", "sum"] = dataclasses.field(
        default="max",
        metadata=choice("How several sources in one cell combine.", ("max", "sum")),
    )
    pin: bool = dataclasses.field(
        default=True,
        metadata=flag("Whether the cell of a source always has the source's strength."),
    )

    @property
    def exponent(self) -> int:
        """0 for an exponential falloff, else the p of `(v ** (1/p) - decay * d) ** p`."""
        return FALLOFFS[self.falloff]

    def field(self, space: Space, every: float) -> Field:
        """Return values of this kind on a space, all 0; `every` is the interval in seconds."""
        if isinstance(space, Grid):
            from fieldcraft.layers.propagation.spread.spread_on_grid import GridSpreadField

            return GridSpreadField(self, space, every)
        from fieldcraft.layers.propagation.spread.spread_on_graph import GraphSpreadField

        return GraphSpreadField(self, space, every)
