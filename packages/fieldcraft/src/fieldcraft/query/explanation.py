"""The causes of a value: which sources, and by how much each."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation import Attribution
from fieldcraft.values.readable import Readable, Values


@runtime_checkable
class Attributed(Protocol):
    """A layer that can attribute the value of a cell to its sources."""

    def attribution(self, cell: int) -> Attribution:
        """Return the ids of the sources that reach a cell, (N,), what each adds to its value, (N,),
        and what the remainder is.
        """
        ...


@dataclass(frozen=True)
class Contribution:
    """The part of a value that one source causes.

    `key` is the source's key in `sync`, or None. Position and strength are NaN for a source that
    was removed.
    """

    source: int
    position: tuple[float, ...]
    strength: float
    amount: float
    key: Hashable = None

    def __str__(self) -> str:
        if self.key is None:
            name = f"source {self.source}"
        else:
            name = f"{self.key!r}"
        if math.isnan(self.strength):
            return f"{name}, gone"
        return f"{name} at {_place(self.position)}, strength {self.strength:g}"


@dataclass(frozen=True)
class Explanation:
    """The parts of a value: the amounts of `contributions`, largest first, and the `remainder` add
    up to it.

    `remainder_is` names the remainder. `position` is the center of the cell.
    """

    name: str
    position: tuple[float, ...]
    cell: int
    value: float
    contributions: tuple[Contribution, ...]
    remainder: float
    remainder_is: str

    def __str__(self) -> str:
        rows = [(f"{part.amount:+.4g}", str(part)) for part in self.contributions]
        size = max([abs(self.value), *(abs(part.amount) for part in self.contributions)])
        if abs(self.remainder) > 1e-6 * size:
            rows.append((f"{self.remainder:+.4g}", self.remainder_is))
        width = max((len(amount) for amount, _ in rows), default=0)
        title = f"{self.name} at {_place(self.position)}: {self.value:.4g}"
        return "\n".join([title, *(f"  {amount:>{width}}  {text}" for amount, text in rows)])


def explain(layer: Readable, position: ArrayLike, *, outside: str = "refuse") -> Explanation:
    """Return which sources cause the value of a cell, and by how much each.

    On a layer with `Spread` one source causes a value: its path is followed back over the strongest
    neighbors, or if that leads to no source, because a value fades or was deposited, over those of
    the settled map. The source accounts for what settles along that path, at most for the value;
    the rest is still in motion, or was deposited or written. Where influences add up, every source
    that reaches the cell has its part. A layer without propagation has a remainder only.

    Parameters
    ----------
    layer : layer
        A layer, or an object with `values`, `space` and `attribution` (see `Attributed`).
    position : array_like of shape (2,)
        A world position.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.

    Returns
    -------
    Explanation
        Prints as a table.

    Raises
    ------
    OutsideMap
        If the position is outside the map.
    InvalidValue
        For several positions, and for an object without sources, such as an expression.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(5, 1))
    >>> threat = imap.add_layer("threat", fc.Radial(4, "linear", metric="straight"))
    >>> threat.sync(["orc", "rat"], [(0.5, 0.5), (4.5, 0.5)], [8.0, 1.0])
    >>> imap.step()
    >>> print(fc.explain(threat, (1.5, 0.5)))
    threat at (1.5, 0.5): 6.25
         +6  'orc' at (0.5, 0.5), strength 8
      +0.25  'rat' at (4.5, 0.5), strength 1
    """
    values = Values(layer)
    space = values.space
    rule = "explain() takes one (x, y) pair"
    point = checks.position(position, rule, dimensions=space.dimensions)
    cell = int(space.cell_at(point, outside=outside))
    if not isinstance(layer, Attributed):
        raise InvalidValue(
            "explain() takes a layer that can attribute values to sources",
            got=repr(layer),
            remedy="For an expression, explain the layers that it is made of",
        )
    ids, amounts, rest = layer.attribution(cell)
    value = float(values.flat[cell])
    pairs = zip(ids.tolist(), amounts.tolist(), strict=True)
    parts = [_contribution(layer, source, amount) for source, amount in pairs]
    parts.sort(key=lambda part: (-abs(part.amount), part.source))
    remainder = value - math.fsum(part.amount for part in parts)
    name = str(getattr(layer, "name", "value"))
    center = tuple(space.position_of(cell).tolist())
    return Explanation(name, center, cell, value, tuple(parts), remainder, rest)


def _place(position: tuple[float, ...]) -> str:
    return f"({', '.join(f'{value:g}' for value in position)})"


def _contribution(layer: Any, source: int, amount: float) -> Contribution:
    sources = getattr(layer, "sources", None)
    if sources is None or not sources.is_alive(source):
        return Contribution(source, (math.nan, math.nan), math.nan, amount)
    position = sources.positions_of([source])[0]
    strength = sources.strengths_of([source])[0]
    key = sources.key_of(source)
    return Contribution(source, tuple(position.tolist()), float(strength), amount, key)
