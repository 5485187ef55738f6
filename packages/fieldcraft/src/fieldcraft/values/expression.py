"""Expressions: maps computed from maps, when their values are needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.single_thread import SeveralLocks, SingleThreadLock
from fieldcraft.kernels.shared.arrays import aligned
from fieldcraft.kernels.values import map_operations
from fieldcraft.space import Space
from fieldcraft.values.calculation import Calculation, Lease, values_of_some
from fieldcraft.values.checked_arrays import checked_out
from fieldcraft.values.exclusion import Near, Removal, leaves_of
from fieldcraft.values.expression_plan import Plan, plan_of
from fieldcraft.values.ground import Ground
from fieldcraft.values.operand import Operand
from fieldcraft.values.passes import FunctionPass, Pass
from fieldcraft.values.printing import as_text
from fieldcraft.values.tree import Node, contains_largest
from fieldcraft.values.written import Written, text_of

_walls_version = attrgetter("walls_version")

Floats = NDArray[np.float32]

_LOST_BY_COPIES = (
    "_plan",
    "_sources",
    "_lease",
    "_locks",
    "_seen",
    "_version",
    "_cached",
    "_view",
    "_cached_version",
    "_ranges_version",
)
_version_of = attrgetter("version")


class Expression(Operand):
    """A map computed from others: the result of arithmetic on layers.

    It can be used like a layer: it has `values`, `read`, `sample`, `space`, `name` and `version`,
    and takes part in further arithmetic. It is computed when its values are needed, in blocks that
    stay in the cache, and caches them until a map that it is made of changes. Walls read 0. It is
    used by one thread at a time, like the influence map behind it.
    """

    _name: str | None = None
    _maps: tuple[Operand, ...] | None = None
    _plan: Plan | None = None
    _sources: Sequence[Any] = ()
    _lease: Lease | None = None
    _locks: tuple[SingleThreadLock, ...] = ()
    _seen: tuple[int, ...] | None = None
    _version = 0
    _cached: Floats | None = None
    _view: Floats | None = None
    _cached_version = -1
    _ranges_version = -1

    def __init__(self, node: Node | None, ground: Ground, written: Any) -> None:
        self._node = node
        self.ground = ground
        self.written = written

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _LOST_BY_COPIES}

    def __repr__(self) -> str:
        return f"<Expression {self.name} on {' x '.join(map(str, self.ground.shape[::-1]))}>"

    def __str__(self) -> str:
        return f"{self.name}\n{as_text(self.space, self.values)}"

    def __bool__(self) -> bool:
        raise InvalidValue(
            "An expression is a map, neither true nor false",
            got=f"{self.name} in an if, and, or, not, min(), max() or a < b < c",
            remedy=(
                "Use fc.where, fc.minimum, fc.maximum or (a < b) & (b < c), or compare numbers"
                " from sample()"
            ),
        )

    # An expression has no values of its own to lose, so that `total += layer` is allowed.
    __iadd__ = Operand.__add__
    __isub__ = Operand.__sub__
    __imul__ = Operand.__mul__
    __itruediv__ = Operand.__truediv__
    __ipow__ = Operand.__pow__
    __iand__ = Operand.__and__
    __ior__ = Operand.__or__

    @property
    def may_be_infinite(self) -> bool:  # type: ignore[override]
        """Whether it has infinite numbers, of `where`, which make walls of cells as a cost."""
        return self._node is not None and contains_largest(self._node)

    @property
    def name(self) -> str:
        """The name that was set, or else the formula."""
        if self._name is not None:
            return self._name
        return text_of(self.written)

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise InvalidValue(
                "An expression's name is a word or more", got=repr(name), remedy="Pass a string"
            )
        self._name = name

    @property
    def is_named(self) -> bool:
        """Whether a name was set."""
        return self._name is not None

    @property
    def node(self) -> Node:
        """The tree that other expressions compute along with their own, or a node that reads the
        values of this.
        """
        if self._node is None:
            return self.as_map()
        return self._node

    def as_map(self) -> Node:
        """Return a node that reads the values of this."""
        return Node("map", payload=self, bound=float(map_operations.LARGEST))

    def _own_ground(self) -> Ground:
        """See `Term._own_ground`."""
        return self.ground

    def _node_on(self, ground: Ground) -> Node:
        """See `Term._node_on`. Ranges and walls of an expression belong to its own ground."""
        node = self._node
        if node is not None and (self.ground is ground or self.ground.same_walls(ground)):
            return node
        return self.as_map()

    @property
    def space(self) -> Space:  # type: ignore[override]
        """The space of its values."""
        spaces = self.ground.spaces
        if len(spaces) == 1:
            return spaces[0]
        return self.ground.space

    @property
    def maps(self) -> tuple[Operand, ...]:
        """The maps that it is computed from."""
        if self._maps is None:
            self._planned()
        assert self._maps is not None
        return self._maps

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        maps = self._maps
        if maps is None:
            maps = self.maps
        seen = (*map(_version_of, maps), *map(_walls_version, self.ground.spaces))
        if seen != self._seen:
            self._seen = seen
            self._version += 1
        return self._version

    @property
    def values(self) -> Floats:
        """The values now: a read-only float32 view of shape (height, width), valid until the next
        change.
        """
        if self._node is not None and self._node.kind == "map" and not len(self.ground.walls):
            source: Operand = self._node.payload
            return source.finite_values()
        if self._view is None or self._cached_version != self.version:
            with self._locked():
                if self._cached is None:
                    self._cached = aligned(self.ground.spaces[0].shape)
                    self._view = self._cached.view()
                    self._view.flags.writeable = False
                self._cached_version = -1
                self._evaluate(self._cached)
                self._cached_version = self.version
        assert self._view is not None
        return self._view

    def read(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return a copy of the values, in `out` (float32 of shape (height, width)) if given."""
        shape = self.ground.shape
        if out is None:
            out = np.empty(shape, dtype=np.float32)
        else:
            out = checked_out(out, shape)
        if self._cached_version == self.version or not out.flags.c_contiguous:
            out[:] = self.values
        else:
            with self._locked():
                self._evaluate(out)
        return out

    @property
    def is_computed(self) -> bool:
        """Whether all values are cached as they are now."""
        return self._cached is not None and self._cached_version == self.version

    def values_at(self, cells: NDArray[np.int64]) -> Floats:
        """Return the values of some cells, (N,). Only these are computed, after a pass over the map
        where `normalize` or `invert` need its range.
        """
        version = self.version
        if self._cached is not None and self._cached_version == version:
            return self._cached.reshape(-1)[cells]
        with self._locked():
            plan = self._planned()
            walls = self.ground.walls
            shape = self.ground.shape
            sources = self._read_sources(shape)
            constants = plan.constants
            if plan.passes:
                calculation = self._calculation(math.prod(shape))
                if self._ranges_version != version:
                    calculation.find_ranges(sources)
                    self._ranges_version = version
                constants = calculation.constants
            return values_of_some(plan, sources, walls, constants, cells)

    @property
    def leaves(self) -> tuple[Operand, ...]:
        """The maps that it is computed from in the end: layers, and other maps that are no
        expressions.
        """
        return leaves_of(self)

    def values_near(self, near: Near) -> Floats:
        """See `Operand.values_near`. The ranges that `normalize` and `invert` need depend on all
        cells, so then all of them are computed for each key.
        """
        plan = self._planned()
        if plan.passes:
            return super().values_near(near)
        with self._locked():
            cells = near.flat()
            walls = self.ground.walls
            sources = []
            for each in self._sources:
                if isinstance(each, Operand):
                    values = each.values_near(near).reshape(-1)
                else:
                    values = each.reshape(-1)[cells]
                sources.append(values)
            if len(walls):
                walls = walls[cells]
            found = values_of_some(plan, sources, walls, plan.constants, len(cells))
            return found.reshape(near.cells.shape)

    def values_without(self, removal: Removal) -> Floats:
        """See `Operand.values_without`."""
        if removal.concerns(self) or not any(map(removal.concerns, self.leaves)):
            return super().values_without(removal)
        with self._locked():
            out = aligned(self.ground.shape)
            self._evaluate_without(removal, out)
            return out

    def _evaluate_without(self, removal: Removal, out: Floats) -> None:
        """Compute all values into `out` without what is left out."""
        plan = self._planned()
        sources = self._read_sources(out.shape, removal)
        calculation = Calculation(plan, self.ground.walls, out.size)
        calculation.find_ranges(sources)
        calculation.run(plan.last, sources, out)

    def _evaluate(self, out: Floats) -> None:
        """Compute all values into `out`, of shape (height, width)."""
        calculation = self._calculation(out.size)
        sources = self._read_sources(out.shape)
        if calculation.plan.passes:
            calculation.find_ranges(sources)
            self._ranges_version = self.version
        calculation.run(calculation.plan.last, sources, out)

    def _planned(self) -> Plan:
        if self._plan is None:
            if self._node is None:
                root = self.as_map()
            else:
                root = self._node
            self._plan, self._sources, maps = plan_of(root)
            if self._maps is None:
                self._maps = maps
        return self._plan

    def _calculation(self, cells: int) -> Calculation:
        """Return the calculation of all cells."""
        walls = self.ground.walls
        if self._lease is None or not self._lease.calculation.fits(walls, cells):
            self._lease = Lease(self._plan or self._planned(), walls, cells)
        return self._lease.calculation

    def _read_sources(self, shape: tuple[int, ...], removal: Removal | None = None) -> list[Floats]:
        """Return the values of the maps and arrays that are read, without what is left out. The
        kernel trusts their number and order, which are checked here.
        """
        found = []
        for source in self._sources:
            values: Floats
            if not isinstance(source, Operand):
                values = source
            elif removal is None:
                values = source.finite_values()
            else:
                values = source.values_without(removal)
            if values.shape != shape:
                raise InvalidValue(
                    f"A map's values have its shape {shape}",
                    got=f"{values.shape} from {source!r}",
                    remedy="Correct that map's values",
                )
            found.append(np.ascontiguousarray(values, dtype=np.float32))
        return found

    def _locked(self) -> AbstractContextManager[object]:
        """Return a context that keeps other threads out of the maps that this reads, or out of this
        alone where none of them has a lock.
        """
        if not self._locks:
            locks: dict[SingleThreadLock, None] = {}
            self._planned()
            waiting = list(self._maps or ())
            while waiting:
                each = waiting.pop()
                lock = each._own_lock()
                if lock is not None:
                    locks[lock] = None
                if isinstance(each, Expression):
                    waiting += each.maps
            self._locks = tuple(locks) or (SingleThreadLock(),)
        if len(self._locks) == 1:
            return self._locks[0]
        return SeveralLocks(self._locks)


class PassExpression(Expression):
    """An expression that is a pass over another map. Expressions made of it read its values, since
    a pass has no tree that they could compute along with their own.
    """

    def __init__(
        self, source: Expression, calculation: Pass, ground: Ground, written: Written
    ) -> None:
        super().__init__(None, ground, written)
        self._maps = (source,)
        self._source = source
        self.calculation = calculation

    @property
    def source(self) -> Expression:
        """The map that the pass reads."""
        return self._source

    def values_at(self, cells: NDArray[np.int64]) -> Floats:
        """See `Expression.values_at`; all values are computed unless each depends on its own cell
        alone.
        """
        if not isinstance(self.calculation, FunctionPass):
            return self.values.reshape(-1)[cells]
        walls = self.ground.walls
        values = self._source.values_at(cells)
        return self.calculation.results(values, walls[cells] if len(walls) else walls)

    def _evaluate(self, out: Floats) -> None:
        self.calculation.evaluate(self._source.values, self.ground, out)

    def values_near(self, near: Near) -> Floats:
        """See `Expression.values_near`; all values are computed for each key unless each depends on
        its own cell alone.
        """
        if not isinstance(self.calculation, FunctionPass):
            return Operand.values_near(self, near)
        walls = self.ground.walls
        values = np.ascontiguousarray(self._source.values_near(near).reshape(-1))
        walls = walls[near.flat()] if len(walls) else walls
        return self.calculation.results(values, walls).reshape(near.cells.shape)

    def _evaluate_without(self, removal: Removal, out: Floats) -> None:
        self.calculation.evaluate(self._source.values_without(removal), self.ground, out)


def expression_of(operand: Operand) -> Expression:
    """Return an expression that reads a map, or the expression itself."""
    if isinstance(operand, Expression):
        return operand
    return Expression(Node("map", payload=operand), Ground((operand.space,)), operand)


def expression_of_pass(
    operand: Operand,
    calculation: Pass,
    verb: str,
    *,
    ground: Ground | None = None,
    given: tuple[Any, ...] | None = None,
) -> PassExpression:
    """Return the expression of a pass over a map, written as `verb(*given)`, by default of the map
    alone, on its own cells or those of `ground`.
    """
    source = expression_of(operand)
    if given is None:
        given = (source,)
    if ground is None:
        ground = source.ground
    return PassExpression(source, calculation, ground, Written(verb, given))
