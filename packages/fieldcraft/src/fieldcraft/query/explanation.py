"""Which sources make a value."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.propagation import Attribution
from fieldcraft.query.ground import Ground, Readable

__all__ = ["Accountable", "Contribution", "Explanation", "explain"]


@runtime_checkable
class Accountable(Protocol):
    """A layer that knows what each of its sources adds to a cell."""

    def attribution(self, cell: int) -> Attribution:
        """The ids of the sources that reach a cell, (N,), what each adds to its value, (N,), and
        what the remainder is.
        """
        ...


@dataclass(frozen=True)
class Contribution:
    """The amount that one source adds to a value: `amount` of its `strength`. Position and strength
    are NaN once it is gone.

    `key` is what `sync` knows it by, None for a source without one.
    """

    source: int
    position: tuple[float, ...]
    strength: float
    amount: float
    key: Hashable = None

    def __str__(self) -> str:
        name = f"source {self.source}" if self.key is None else f"{self.key!r}"
        gone = math.isnan(self.strength)
        return (
            f"{name}, gone"
            if gone
            else f"{name} at {_place(self.position)}, strength {self.strength:g}"
        )


@dataclass(frozen=True)
class Explanation:
    """A value taken apart: the amounts of its `contributions`, the largest first, and the
    `remainder` add up to `value`.

    `remainder_is` says what kind of thing the remainder is. `position` is the center of the cell.
    """

    name: str
    position: tuple[float, ...]
    cell: int
    value: float
    contributions: tuple[Contribution, ...]
    remainder: float
    remainder_is: str

    def __str__(self) -> str:
        lines = [f"{self.name} at {_place(self.position)}: {self.value:.4g}"]
        amounts = [f"{part.amount:+.4g}" for part in self.contributions]
        texts = [str(part) for part in self.contributions]
        size = max([abs(self.value), *(abs(part.amount) for part in self.contributions)])
        if abs(self.remainder) > 1e-6 * size:
            amounts.append(f"{self.remainder:+.4g}")
            texts.append(self.remainder_is)
        width = max(map(len, amounts), default=0)
        return "\n".join(
            lines
            + [f"  {amount:>{width}}  {text}" for amount, text in zip(amounts, texts, strict=True)]
        )


def explain(layer: Readable, position: ArrayLike, *, outside: str = "refuse") -> Explanation:
    """Say which sources make the value of the cell at a world (x, y) position, and by how much
    each.

    A Spread layer carries the influence of one source to a cell. Its way is followed back over the
    strongest neighbours, or where that leads to no source, because a value is fading or was
    deposited, over those of the settled map. The source accounts for what settles along that way,
    at most for the value; what is above is still in motion, or was deposited or written. Where
    influences add, every source that reaches the cell has its part. A layer without propagation is
    its array and nothing else.

    `layer` is a layer, or anything with the `account` of `Accountable`. `outside="clamp"` takes the
    nearest cell of the rim for a position off the map. Raises `OutsideMap`, or `InvalidValue` for
    more than one position and for things
    that have no sources, such as expressions: explain the layers that they are made of.
    """
    ground = Ground(layer)
    point = checks.position(
        position, "explain() takes one (x, y) pair", dimensions=ground.space.dimensions
    )
    cell = int(ground.space.cell_at(point, outside=outside))
    ids, amounts, rest = _parts(layer, cell)
    value = float(ground.flat[cell])
    parts = [
        _contribution(layer, source, amount)
        for source, amount in zip(ids.tolist(), amounts.tolist(), strict=True)
    ]
    parts.sort(key=lambda part: (-abs(part.amount), part.source))
    remainder = value - math.fsum(part.amount for part in parts)
    return Explanation(
        str(getattr(layer, "name", "value")),
        tuple(ground.space.position_of(cell).tolist()),
        cell,
        value,
        tuple(parts),
        remainder,
        rest,
    )


def _place(position: tuple[float, ...]) -> str:
    return f"({', '.join(f'{value:g}' for value in position)})"


def _parts(layer: Any, cell: int) -> Attribution:
    if not isinstance(layer, Accountable):
        raise InvalidValue(
            "explain() takes a layer that can say what its sources do",
            got=repr(layer),
            remedy="For an expression, explain the layers that it is made of",
        )
    return Attribution(*layer.attribution(cell))


def _contribution(layer: Any, source: int, amount: float) -> Contribution:
    sources = getattr(layer, "sources", None)
    if sources is None or not sources.is_alive(source):
        return Contribution(source, (math.nan, math.nan), math.nan, amount)
    position, strength = sources.positions_of([source])[0], sources.strengths_of([source])[0]
    return Contribution(
        source, tuple(position.tolist()), float(strength), amount, sources.key_of(source)
    )
