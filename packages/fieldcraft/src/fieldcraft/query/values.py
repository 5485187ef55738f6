"""Values on a space, the queries that each kind of space implements, and the causes of a value."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import read_only
from fieldcraft.propagation import Attribution
from fieldcraft.space import Space
from fieldcraft.space.adjacency import GridGround
from fieldcraft.space.cells import cell_array, unlabeled

SLACK = 1e-9  # relative difference of equal distances, so that 0.3 is three cells of 0.1

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]

Steps = tuple[tuple[Cells, NDArray[np.int32]] | None, GridGround | None]
"""The steps from cell to cell: the starts and ends of edges on a graph, or the ground of a grid."""


class Readable(Protocol):
    """Anything that has values on a space: a layer, an expression, an object of a game."""

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now, in the space's shape: (height, width), [row, column], on a grid; (N,) on
        a graph.
        """
        ...

    @property
    def space(self) -> Space:
        """The space of the values."""
        ...


class Values:
    """The values of a layer, an expression or an array, on any space."""

    def __init__(self, layer: Readable | ArrayLike, space: Space | None = None) -> None:
        values: Any = layer
        if space is None:
            space, values = getattr(layer, "space", None), getattr(layer, "values", None)
        if not isinstance(space, Space) or values is None:
            raise InvalidValue(
                "A query takes a layer, an expression, or an array with its space",
                got=type(layer).__name__,
                remedy="Pass imap[name], or values and space=imap.space",
            )
        if not isinstance(values, np.ndarray):
            values = checks.array("Values", unlabeled(space, values))
        if values.shape != space.shape or values.dtype.kind not in "fiub":
            raise InvalidValue(
                f"Values are numbers in the space's shape {space.axes}",
                got=f"{values.dtype} of shape {values.shape} on a space of {space.shape}",
                remedy=f"Pass an array with a value for each {space.cell_name}",
            )
        self.space: Space = space
        self.values = read_only(np.ascontiguousarray(values, dtype=np.float32))

    @property
    def flat(self) -> NDArray[np.float32]:
        """The values by cell, (N,)."""
        return self.values.reshape(-1)

    def cells(self, positions: ArrayLike, outside: str) -> tuple[Floats, int | Cells, bool]:
        """Return world positions (N, D), their cells, and whether it was one position: then the
        cell is an int.
        """
        points, single = checks.positions(positions, dimensions=self.space.dimensions)
        return points, self.space.cell_at(positions if single else points, outside=outside), single

    def closed(self, where: Readable | ArrayLike | None) -> NDArray[np.bool_]:
        """Return a new mask of the cells that are no answers, in the space's shape: walls, and
        those where `where` is 0.
        """
        if where is None:
            return np.array(self.space.walls)
        space = getattr(where, "space", None)
        if not isinstance(space, Space):
            return self.space.walls | ~cell_array(self.space, "where", where, "b")  # type: ignore[arg-type]
        if not space.same_cells(self.space):
            raise InvalidValue(
                "where has the cells of the layer",
                got=f"{space!r} for {self.space!r}",
                remedy="Use layers on one map with one cell size, or pass an array of bool",
            )
        return np.asarray(self.space.walls | (Values(where).values == 0))


class Queries(Values, ABC):
    """Values, with the queries that differ between kinds of space."""

    @abstractmethod
    def gradient(self, positions: ArrayLike, smooth: bool, outside: str) -> tuple[Floats, bool]:
        """Return the slopes at positions, (N, D), and whether it was one position."""

    @abstractmethod
    def along(
        self, paths: list[Floats], outside: str
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return of each path the sum, length, mean, maximum, (N,), and where that is, (N, D)."""

    @abstractmethod
    def best(
        self,
        points: Floats,
        radius: float,
        wanted: int,
        spacing: float,
        closed: NDArray[np.bool_],
        walk: float | None,
        sign: np.float32,
    ) -> Cells:
        """Return the `wanted` best cells around each position, (N, k), -1 where there are no more.
        The lowest values are best with a `sign` of -1.
        """

    @abstractmethod
    def close(self, cells: Cells, spacing: float, closed: NDArray[np.bool_]) -> None:
        """Close cells, and those less than `spacing` from one of them."""

    @abstractmethod
    def peaks(self, most: int, spacing: float, above: float) -> Cells:
        """Return the cells of at most `most` peaks, the highest first."""

    @abstractmethod
    def steps(self) -> Steps:
        """Return the steps from cell to cell."""

    def best_in_turn(
        self,
        points: Floats,
        radius: float,
        spacing: float,
        closed: NDArray[np.bool_],
        walk: float | None,
        sign: np.float32,
    ) -> Cells:
        """Return one cell for each position, (N, 1), chosen one after the other: each closes the
        cells less than `spacing` away.
        """
        found = np.full((len(points), 1), -1, dtype=np.int64)
        for k in range(len(points)):
            found[k] = self.best(points[k : k + 1], radius, 1, 0.0, closed, walk, sign)
            if found[k, 0] >= 0:
                self.close(found[k], spacing, closed)
        return found


def run_in_bands(
    kernel: Callable[..., object],
    inputs: tuple[Any, ...],
    outputs: tuple[Any, ...],
    count: int,
    least: int,
) -> None:
    """Call `kernel(*inputs, first, last, *outputs)` for `count` agents, on several threads with at
    least `least` agents each.
    """
    if count < 2 * least:
        kernel(*inputs, 0, count, *outputs)
    else:
        bands = pool.bands(count, count // least)
        pool.run([(kernel, (*inputs, *band, *outputs)) for band in bands])


def too_far(point: Floats) -> InvalidValue:
    """Return the error of a position so far away that its cell is beyond float64."""
    return InvalidValue(
        "Positions are within 1e308 cells of the map",
        got=f"{tuple(point.tolist())}",
        remedy="Correct that position",
    )


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
        name = f"source {self.source}" if self.key is None else f"{self.key!r}"
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
    space, rule = values.space, "explain() takes one (x, y) pair"
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
    name, center = str(getattr(layer, "name", "value")), tuple(space.position_of(cell).tolist())
    return Explanation(name, center, cell, value, tuple(parts), remainder, rest)


def _place(position: tuple[float, ...]) -> str:
    return f"({', '.join(f'{value:g}' for value in position)})"


def _contribution(layer: Any, source: int, amount: float) -> Contribution:
    sources = getattr(layer, "sources", None)
    if sources is None or not sources.is_alive(source):
        return Contribution(source, (math.nan, math.nan), math.nan, amount)
    position, strength = sources.positions_of([source])[0], sources.strengths_of([source])[0]
    key = sources.key_of(source)
    return Contribution(source, tuple(position.tolist()), float(strength), amount, key)
