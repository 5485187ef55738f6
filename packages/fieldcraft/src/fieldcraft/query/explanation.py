"""The causes of a value: which sources, and by how much each."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOutside
from fieldcraft.layers import SourceLayer
from fieldcraft.layers.propagation import Attribution
from fieldcraft.values.exclusion import (
    Both,
    FullMap,
    Near,
    Removal,
    SourcesOf,
    excludable,
    keys_left_out,
    leaves_of,
)
from fieldcraft.values.operand import Operand
from fieldcraft.values.readable import Readable, Values

_TOGETHER = "numbers, and what maps cause together"


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
class MapPart:
    """The part of the value of an expression that one of its maps causes.

    `amount` is by how much the expression changes if the map is 0 everywhere. `value` is the map's
    own value in the cell, and `explanation` the sources that cause that, None for a map without
    sources.
    """

    name: str
    value: float
    amount: float
    explanation: Explanation | None

    def __str__(self) -> str:
        return f"{self.name}, which is {self.value:.4g} there"


@dataclass(frozen=True)
class Explanation:
    """The parts of a value: the amounts of `contributions`, of `maps`, both largest first, and the
    `remainder` add up to it.

    A layer has contributions of sources, an expression those of its maps. `remainder_is` names the
    remainder. `position` is the center of the cell.
    """

    name: str
    position: tuple[float, ...]
    cell: int
    value: float
    contributions: tuple[Contribution, ...]
    remainder: float
    remainder_is: str
    maps: tuple[MapPart, ...] = ()

    def __str__(self) -> str:
        title = f"{self.name} at {_place(self.position)}: {self.value:.4g}"
        return "\n".join([title, *self._rows("  ")])

    def _rows(self, indent: str) -> list[str]:
        """Return a line for each part, those of a map's own sources further in."""
        parts: list[Contribution | MapPart] = [*self.contributions, *self.maps]
        amounts = [f"{part.amount:+.4g}" for part in parts]
        remainder = f"{self.remainder:+.4g}"
        size = max([abs(self.value), *(abs(part.amount) for part in parts)])
        has_remainder = abs(self.remainder) > 1e-6 * size
        width = max(map(len, amounts), default=0)
        if has_remainder:
            width = max(width, len(remainder))
        rows = []
        for part, amount in zip(parts, amounts, strict=True):
            rows.append(f"{indent}{amount:>{width}}  {part}")
            if isinstance(part, MapPart) and part.explanation is not None:
                rows += part.explanation._rows(indent + " " * (width + 2))
        if has_remainder:
            rows.append(f"{indent}{remainder:>{width}}  {self.remainder_is}")
        return rows


def explain(
    layer: Readable, position: ArrayLike, *, without: Hashable = None, outside: IfOutside = "refuse"
) -> Explanation:
    """Return which sources cause the value of a cell, and by how much each.

    On a layer with `Spread` one source causes a value: its path is followed back over the strongest
    neighbors, or if that leads to no source, because a value fades or was deposited, over those of
    the settled map. The source accounts for what settles along that path, at most for the value;
    the rest is still in motion, or was deposited or written. Where influences add up, every source
    that reaches the cell has its part. A layer without propagation has a remainder only.

    The value of an expression is explained by the maps that it is made of: by how much it changes
    if one of them is 0 everywhere, and by the sources of that map. Numbers, and what maps cause
    only together, are the remainder.

    Parameters
    ----------
    layer : layer, Expression
        A layer, an expression, another map that can be part of one, such as a distance map, or an
        object with `values`, `space` and `attribution` (see `Attributed`).
    position : array_like of shape (2,)
        A world position.
    without : hashable, optional
        Whose influence is left out, in all layers of an expression; see `fieldcraft.best`.
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
        For several positions, and for an object that is no map, such as an array.

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
    >>> print(fc.explain(1 + 4 * threat, (1.5, 0.5)))
    1 + 4 * threat at (1.5, 0.5): 26
      +25  threat, which is 6.25 there
              +6  'orc' at (0.5, 0.5), strength 8
           +0.25  'rat' at (4.5, 0.5), strength 1
       +1  numbers, and what maps cause together
    """
    values = Values(layer)
    space = values.space
    rule = "explain() takes one (x, y) pair"
    point = checks.position(position, rule, dimensions=space.dimensions)
    cell = int(space.cell_at(point, outside=outside))
    key: object = None
    if without is not None:
        keys = keys_left_out(excludable(layer, without), without, 1, single=True)
        key = None if keys is None else keys[0]
    return _explained(layer, values, cell, key)


def _explained(layer: Readable, values: Values, cell: int, key: object) -> Explanation:
    """Return the explanation of a cell without the sources with a key, if there is one."""
    name = str(getattr(layer, "name", "value"))
    center = tuple(values.space.position_of(cell).tolist())
    if key is None:
        value = float(values.flat[cell])
    else:
        value = _value_without(layer, cell, key)
    if isinstance(layer, Operand) and not isinstance(layer, Attributed):
        parts_of_maps = _parts_of_maps(layer, cell, center, value, key)
        remainder_is = _TOGETHER if parts_of_maps else "a map without sources"
        remainder = value - math.fsum(part.amount for part in parts_of_maps)
        return Explanation(name, center, cell, value, (), remainder, remainder_is, parts_of_maps)
    if not isinstance(layer, Attributed):
        raise InvalidValue(
            "explain() takes a layer that can attribute values to sources, or an expression",
            got=repr(layer),
            remedy="Pass a layer, or arithmetic on layers",
        )
    if isinstance(layer, SourceLayer) and key is not None:
        ids, amounts, remainder_is = layer.attribution_without(cell, key)
    else:
        ids, amounts, remainder_is = layer.attribution(cell)
    pairs = zip(ids.tolist(), amounts.tolist(), strict=True)
    parts = [_contribution(layer, source, amount) for source, amount in pairs]
    parts.sort(key=lambda part: (-abs(part.amount), part.source))
    remainder = value - math.fsum(part.amount for part in parts)
    return Explanation(name, center, cell, value, tuple(parts), remainder, remainder_is)


def _value_without(layer: object, cell: int, key: object) -> float:
    """Return the value of a cell without the sources with a key."""
    near = Near(np.array([[cell]], dtype=np.int64), [key])
    return float(excludable(layer, key).values_near(near)[0, 0])


def _parts_of_maps(
    expression: Operand, cell: int, center: tuple[float, ...], value: float, key: object
) -> tuple[MapPart, ...]:
    """Return the part of each map that an expression is made of, the largest first."""
    found = []
    for each in leaves_of(expression):
        if each is expression:
            continue
        removal: Removal = FullMap(each)
        if key is None:
            own = float(each.sample(center, outside="clamp"))
        else:
            removal = Both(removal, SourcesOf(key))
            own = _value_without(each, cell, key)
        without = float(expression.values_without(removal).reshape(-1)[cell])
        explanation = None
        if isinstance(each, Attributed):
            layer: Any = each
            explanation = _explained(layer, Values(layer), cell, key)
        found.append(MapPart(each.name, own, value - without, explanation))
    return tuple(sorted(found, key=lambda part: -abs(part.amount)))


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
