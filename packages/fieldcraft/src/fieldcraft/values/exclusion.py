"""What is left out of maps: a map of an expression, or the sources of an agent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft.space import Grid

Cells = NDArray[np.int64]
Floats = NDArray[np.float32]


@runtime_checkable
class Excludable(Protocol):
    """A map from which the sources of agents can be left out."""

    @property
    def space(self) -> Any:
        """The space of the values."""
        ...

    def values_near(self, near: Near) -> Floats:
        """Return the values of cells near agents, each without the agent's own sources."""
        ...


class Leaf(Protocol):
    """A map that expressions are made of, and that is made of no other map."""

    @property
    def space(self) -> Any:
        """The space of the values."""
        ...

    def source_ids(self, keys: Sequence[object]) -> Cells:
        """Return the ids of the live sources with these keys, -1 where there is none."""
        ...

    def values_near(self, near: Near) -> Floats:
        """Return the values of cells near agents, each without the agent's own sources."""
        ...


class Removal(ABC):
    """What is left out of the maps that an expression is made of."""

    @abstractmethod
    def concerns(self, leaf: Leaf) -> bool:
        """Return whether a map has other values without it."""

    @abstractmethod
    def values_of(self, leaf: Leaf) -> Floats:
        """Return the values of a map that it concerns."""


@dataclass(frozen=True, eq=False)
class FullMap(Removal):
    """A map that is 0 everywhere."""

    map: Any

    def concerns(self, leaf: Leaf) -> bool:
        """See `Removal.concerns`."""
        return leaf is self.map

    def values_of(self, leaf: Leaf) -> Floats:
        """See `Removal.values_of`."""
        return np.zeros(leaf.space.shape, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class SourcesOf(Removal):
    """The sources with a key, in all layers."""

    key: object

    def concerns(self, leaf: Leaf) -> bool:
        """See `Removal.concerns`."""
        return bool(leaf.source_ids([self.key])[0] >= 0)

    def values_of(self, leaf: Leaf) -> Floats:
        """See `Removal.values_of`."""
        return leaf.values_near(Near.everywhere(leaf.space, self.key)).reshape(leaf.space.shape)


@dataclass(frozen=True, eq=False)
class Both(Removal):
    """Two removals; what the first one concerns is as it says."""

    first: Removal
    second: Removal

    def concerns(self, leaf: Leaf) -> bool:
        """See `Removal.concerns`."""
        return self.first.concerns(leaf) or self.second.concerns(leaf)

    def values_of(self, leaf: Leaf) -> Floats:
        """See `Removal.values_of`."""
        if self.first.concerns(leaf):
            return self.first.values_of(leaf)
        return self.second.values_of(leaf)


@dataclass(frozen=True, eq=False)
class Near:
    """Cells near agents, (N, k), and the key of each agent: its sources are left out. None leaves
    out nothing.

    With more than one of `columns` the cells of each agent are a rectangle of a grid, row by row,
    which may be cut by an edge that wraps.
    """

    cells: Cells
    keys: Sequence[object]
    columns: int = 1
    known: dict[int, Floats] = field(default_factory=dict)
    """Values that were computed, by the `id` of their map; an expression may read it twice."""

    @classmethod
    def everywhere(cls, space: Any, key: object) -> Near:
        """Return all cells, for one agent."""
        return cls(np.arange(len(space), dtype=np.int64)[np.newaxis], [key])

    def rows_by_key(self, rows: NDArray[np.intp]) -> Iterator[tuple[object, NDArray[np.intp]]]:
        """Yield each of the different keys of some rows, with its rows."""
        found: dict[object, list[int]] = {}
        for row in rows.tolist():
            found.setdefault(self.keys[row], []).append(row)
        for key, its_rows in found.items():
            yield key, np.array(its_rows)

    def of(self, some: NDArray[np.bool_]) -> Near:
        """Return the cells near some of the agents, without their keys."""
        return Near(self.cells[some], [], self.columns)

    def flat(self) -> Cells:
        """Return the cells, (N * k,)."""
        return self.cells.reshape(-1)


def leaves_of(operand: Any) -> tuple[Any, ...]:
    """Return the maps that a map is computed from in the end, each once; the map itself if it is
    computed from none.
    """
    found: dict[int, Any] = {}
    waiting: list[Any] = [operand]
    while waiting:
        each = waiting.pop(0)
        parts: Sequence[Any] = getattr(each, "maps", ())
        if parts:
            waiting[:0] = parts
        else:
            found[id(each)] = each
    return tuple(found.values())


def have_sources(map_: Any, keys: Sequence[object]) -> NDArray[np.bool_]:
    """Return for which keys a map that another is computed from has a live source."""
    found = np.zeros(len(keys), dtype=np.bool_)
    for leaf in leaves_of(map_):
        found |= leaf.source_ids(keys) >= 0
    return found


def squares_around(space: Grid, own: Cells, reach: int) -> Cells:
    """Return the cells up to `reach` rows and columns from some cells, (N, k), each once; at the
    rim a square has others on the other side.
    """
    size = min(2 * reach + 1, space.height), min(2 * reach + 1, space.width)
    cells = np.empty((len(own), size[0] * size[1]), dtype=np.int64)
    kernels.values.best.around(own, reach, space.shape, space.wrap_flags, size, cells)
    return cells


def excludable(layer: object, without: object) -> Excludable:
    """Return a map from which sources can be left out; raises `InvalidValue` for others."""
    if isinstance(layer, Excludable):
        return layer
    raise InvalidValue(
        "Sources are left out of layers, expressions and maps of teams",
        got=f"without={checks.short(without)} with {type(layer).__name__}",
        remedy="Pass the layer, not its values",
    )


def keys_left_out(layer: Any, without: Any, count: int, single: bool) -> list[object] | None:
    """Return the key that is left out for each of `count` positions; None if there is none.

    Parameters
    ----------
    layer : Any
        The map that is read, or an object with several as `maps`.
    without : Any
        The argument of a call: for a single position a key, else a key for all or one for each.
    count : int
        The number of positions.
    single : bool
        Whether the call has a single position.
    """
    if single or isinstance(without, str | bytes) or not isinstance(without, Iterable):
        keys: list[object] = [without] * count
    else:
        given = without.tolist() if isinstance(without, np.ndarray) else without
        keys = checks.sequence("without", given)
    if len(keys) != count:
        raise InvalidValue(
            "without= has one key for each position",
            got=f"{len(keys)} keys for {count} positions",
            remedy="Pass as many keys as positions; None for a position without sources of its own",
        )
    try:
        different = dict.fromkeys(keys)
    except (TypeError, ValueError):
        for key in keys:
            try:
                hash(key)
            except (TypeError, ValueError):
                raise InvalidValue(
                    "A key in without is hashable",
                    got=checks.short(key),
                    remedy="Pass a number, a text or a tuple of these; for one position, one key",
                ) from None
        raise
    different.pop(None, None)
    if not different:
        return None
    wanted = list(different)
    known = have_sources(layer, wanted)
    if known.all():
        return keys
    handles = {key: _handle(layer, key) for key, has in zip(wanted, known, strict=True) if not has}
    return [handles.get(key, key) for key in keys]


def _handle(layer: Any, key: object) -> object:
    """Return the handle of the source with an id; raises `InvalidValue` for other keys that no map
    has.
    """
    layers = [getattr(leaf, "layer", leaf) for leaf in leaves_of(layer)]
    owners = [each for each in dict.fromkeys(layers) if hasattr(each, "source")]
    if isinstance(key, int | np.integer) and not isinstance(key, bool):
        if len(owners) > 1:
            raise InvalidValue(
                "A number is a key of sync(), or the id of a source if only one layer has sources",
                got=f"{key}, which is no key, with {len(owners)} layers",
                remedy="Pass a handle: layer.source(id)",
            )
        for owner in owners:
            with suppress(FieldcraftError):
                handle: object = owner.source(int(key))
                return handle
    raise InvalidValue(
        "without= takes keys of sync(), handles or ids of live sources in the map",
        got=f"{checks.short(key)}, which no layer of {getattr(layer, 'name', 'the map')} has",
        remedy="Pass None for a position without sources of its own",
    )
