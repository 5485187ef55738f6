"""Spread: each cell moves towards the strongest of its neighbours, weakened by the way."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from fieldcraft.propagation.field import Field
from fieldcraft.propagation.graph_spread import GraphSpreadField
from fieldcraft.propagation.grid_spread import GridSpreadField
from fieldcraft.propagation.kinds import Spreading
from fieldcraft.propagation.settings import choice, flag, number
from fieldcraft.space import Grid, Space

__all__ = ["FALLOFFS", "Spread"]

FALLOFFS = {"exponential": 0, "linear": 1, "quadratic": 2, "cubic": 3}


@dataclass(frozen=True)
class Spread(Spreading):
    """Spread influence from cell to cell.

    Each step, every cell looks for the strongest magnitude among its neighbours, each weakened by
    the length of the step to it, and moves towards that by `momentum`:
    `new = old + momentum * (strongest of neighbours - old)`. Cells of sources are held at their
    strength.

    Parameters
    ----------
    decay : float, optional
        How much weakens per world unit of distance, at least 0. Exponential: `v * exp(-decay * d)`.
        Linear, quadratic, cubic (p = 1, 2, 3): `(v ** (1/p) - decay * d) ** p`, down to 0, so that
        a strength of S reaches `S ** (1/p) / decay` far.
    momentum : float, optional
        The part of the way to the new value that a step goes, in [0, 1]: 1 is there at once, 0
        never moves, half of the way unless said otherwise. Some authors use the word the other way
        round.
    falloff : str, optional
        "exponential", "linear", "quadratic" or "cubic".
    half_life : float, optional
        Seconds in which a cell that has lost its support halves. None: it falls by momentum, as it
        rose. Neighbours hold each other up: no cell falls faster, per update, than its value
        weakened by two steps of distance. A half-life shorter than that (with small decay) has no
        effect; raise the decay, or lower `every`.
    floor : float, optional
        A cell becomes exactly 0 once its value and the value it moves to are both smaller than
        this.
    stack : str, optional
        "max": of several sources in a cell the strongest counts, the positive one of equals. "sum":
        they add.
    pin : bool, optional
        Whether the cell of a source reads the source's strength, whatever arrives there. False: the
        stronger of the two, so that a rat in a corridor does not hide the dragon behind it.

    Raises
    ------
    InvalidValue
        For numbers outside of these ranges.

    References
    ----------
    The propagation of Alex Champandard's "The Core Mechanics of Influence Mapping", with the
    changes that `docs/decisions/0003-sources-pin.md` gives reasons for.
    """

    decay: float = dataclasses.field(
        metadata=number("Loss of influence with distance.", unit="1 / world unit")
    )
    momentum: float = dataclasses.field(
        default=0.5,
        metadata=number("Part of the way to its new value that a cell goes at a step.", high=1.0),
    )
    falloff: str = dataclasses.field(
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
    stack: str = dataclasses.field(
        default="max",
        metadata=choice("How several sources in one cell combine.", ("max", "sum")),
    )
    pin: bool = dataclasses.field(
        default=True,
        metadata=flag("Whether the cell of a source always has the source's strength."),
    )

    @property
    def _exponent(self) -> int:
        """0 for an exponential falloff, else the p of `(v ** (1/p) - decay * d) ** p`."""
        return FALLOFFS[self.falloff]

    def _field(self, space: Space, every: float) -> Field:
        """Values of this propagation on a space, all 0, that are updated `every` so many
        seconds.
        """
        if isinstance(space, Grid):
            return GridSpreadField(self, space, every)
        return GraphSpreadField(self, space, every)
