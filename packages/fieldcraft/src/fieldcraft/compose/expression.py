"""Expressions: maps computed from maps, when they are asked for."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.compose.engine import Segments
from fieldcraft.compose.ground import Ground
from fieldcraft.compose.plan import Calculation, calculation_of
from fieldcraft.compose.tree import Node
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import operations
from fieldcraft.kernels.arrays import aligned
from fieldcraft.layer import SingleThreadLock, terminal
from fieldcraft.layer.operand import Operand, checked_out
from fieldcraft.space import Space

__all__ = ["Expression", "Written", "expression_of", "text"]

_SIGNS = {
    "or": ("|", 0.3),
    "and": ("&", 0.6),
    "less": ("<", 1),
    "less_equal": ("<=", 1),
    "greater": (">", 1),
    "greater_equal": (">=", 1),
    "equal": ("==", 1),
    "unequal": ("!=", 1),
    "add": ("+", 2),
    "subtract": ("-", 2),
    "multiply": ("*", 3),
    "divide": ("/", 3),
}
_UNARY, _POWER, _ATOM = 4, 4.5, 5
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_DEEPEST = 8


@dataclass(frozen=True)
class Written:
    """A verb and what it was applied to: maps, numbers, arrays, or others of these."""

    verb: str
    arguments: tuple[Any, ...]


def text(what: Any) -> str:
    """The formula of an expression; parts nested deeper than eight levels, and arrays, are
    `...`.
    """
    return _text(what, 0, _DEEPEST)


def _text(what: Any, least: float, deepest: int) -> str:
    """The text of a node in a formula, in parentheses where it binds less strongly than `least`."""
    if isinstance(what, (float, int, np.number)):
        short = f"{float(what):.7g}"
        return f"({short})" if short.startswith("-") and least > _UNARY else short
    if isinstance(what, Written):
        return _applied(what, least, deepest)
    written = getattr(what, "written", None)
    if isinstance(written, Written) and what.is_named:
        written = None
    if written is not None:
        return _text(written, least, deepest)
    name = getattr(what, "name", None)
    if not isinstance(name, str):
        return "..."
    if _PLAIN_NAME.fullmatch(name) and not keyword.iskeyword(name):
        return name
    return f'"{name}"' if "'" in name else f"'{name}'"


def _applied(what: Written, least: float, deepest: int) -> str:
    if deepest == 0:
        return "..."
    if what.verb in _SIGNS:
        sign, strength = _SIGNS[what.verb]
        # Comparisons don't chain, the others group from the left.
        left = _text(what.arguments[0], max(strength + (strength == 1), 2), deepest - 1)
        right = _text(what.arguments[1], max(strength + 1, 2), deepest - 1)
        written, binds = f"{left} {sign} {right}", strength
    elif what.verb in ("negate", "not"):
        written, binds = (
            ("-" if what.verb == "negate" else "~") + _text(what.arguments[0], _UNARY, deepest - 1),
            _UNARY,
        )
    elif what.verb == "power":
        written, binds = (
            (
                f"{_text(what.arguments[0], _ATOM, deepest - 1)} **"
                f" {_text(what.arguments[1], _UNARY, deepest - 1)}"
            ),
            _POWER,
        )
    else:
        written, binds = (
            f"{what.verb}({', '.join(_text(each, 0, deepest - 1) for each in what.arguments)})",
            _ATOM,
        )
    return f"({written})" if binds < least else written


Floats = NDArray[np.float32]

_MADE_ANEW = (  # by a copy
    "_calculation",
    "_sources",
    "_seen",
    "_version",
    "_alone",
    "_held",
    "_view",
    "_held_version",
    "_ranges_version",
)
_version_of, _walls_version = attrgetter("version"), attrgetter("walls_version")


class Expression(Operand):
    """A map computed from others: what arithmetic on layers gives.

    It can be used like a layer: it has `values`, `read`, `sample`, `space`, `name` and `version`,
    and more can be calculated with it. It computes when it is asked, in blocks that stay in the
    cache, and keeps its values until a map that it is made of changes. Walls read 0. Used by one
    thread at a time, like the influence map behind it.
    """

    _name: str | None = None
    _maps: tuple[Operand, ...] | None = None
    _calculation: Calculation | None = None
    _sources: Sequence[Any] = ()
    _seen: tuple[int, ...] | None = None
    _version = 0
    _alone: AbstractContextManager[None] | None = None
    _held: Floats | None = None
    _view: Floats | None = None
    _held_version = -1
    _ranges_version = -1

    def __init__(self, node: Node | None, ground: Ground, written: Any) -> None:
        self._node = node
        self.ground = ground
        self.written = written

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _MADE_ANEW}

    def __repr__(self) -> str:
        return f"<Expression {self.name} on {' x '.join(map(str, self.ground.shape[::-1]))}>"

    def __str__(self) -> str:
        return f"{self.name}\n{terminal.drawn(self.space, self.values)}"

    def __bool__(self) -> bool:
        raise InvalidValue(
            "An expression is a map, neither true nor false",
            got=f"{self.name} in an if, and, or, not, min(), max() or a < b < c",
            remedy=(
                "Use fc.where, fc.minimum, fc.maximum or (a < b) & (b < c), or compare numbers"
                " taken by sample()"
            ),
        )

    @property
    def name(self) -> str:
        """The name that it was given, or else its formula."""
        return self._name if self._name is not None else text(self.written)

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise InvalidValue(
                "An expression's name is a word or more", got=repr(name), remedy="Pass a string"
            )
        self._name = name

    @property
    def node(self) -> Node:
        """The node of the tree that other expressions compute along with their own: the whole tree,
        or this as a map to be read.
        """
        return self.as_map() if self._node is None else self._node

    def as_map(self) -> Node:
        """A node that reads the values of this."""
        return Node("map", payload=self, bound=float(operations.LARGEST))

    @property
    def is_named(self) -> bool:
        """Whether it was given a name."""
        return self._name is not None

    @property
    def space(self) -> Space:  # type: ignore[override]
        """The space that its values lie on."""
        spaces = self.ground.spaces
        return spaces[0] if len(spaces) == 1 else self.ground.space

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        maps = self.maps if self._maps is None else self._maps
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
        if self._view is None or self._held_version != self.version:
            with self._alone or self._guards():
                if self._held is None:
                    self._held = aligned(self.ground.spaces[0].shape)
                    self._view = self._held.view()
                    self._view.flags.writeable = False
                self._held_version = -1
                self._evaluate(self._held)
                self._held_version = self.version
        assert self._view is not None
        return self._view

    def read(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """A copy of the values, into `out` (float32 of shape (height, width), contiguous) if
        given.
        """
        shape = self.ground.shape
        out = np.empty(shape, dtype=np.float32) if out is None else checked_out(out, shape)
        held = self._fresh()
        if held is not None:
            out[:] = held
        else:
            with self._alone or self._guards():
                self._evaluate(out)
        return out

    @property
    def maps(self) -> tuple[Operand, ...]:
        """The maps that it is computed from."""
        if self._maps is None:
            self._planned()
        assert self._maps is not None
        return self._maps

    def fill(self, out: Floats, where: Segments) -> None:
        """Compute the cells of the segments `where` only, into the contiguous float32 array
        `out`.
        """
        with self._alone or self._guards():
            held = self._fresh()
            if held is not None:
                calculation, *_ = calculation_of(Node("array", payload=held))
                calculation.fill(out, [held], self.ground.walls, where)
                return
            shape, version = self.ground.shape, self.version
            calculation, sources = self._planned(), self._read_sources(shape)
            if calculation.plan.passes and self._ranges_version != version:
                calculation.find_ranges(sources, self.ground.walls, math.prod(shape))
                self._ranges_version = version
            calculation.fill(out, sources, self.ground.walls, where)

    def _evaluate(self, out: Floats) -> None:
        """Compute all values into `out`, of shape (height, width)."""
        calculation = self._calculation or self._planned()
        calculation.evaluate(out, self._read_sources(out.shape), self.ground.walls)
        if calculation.plan.passes:
            self._ranges_version = self.version

    def _read_sources(self, shape: tuple[int, ...]) -> list[Floats]:
        """The values of the maps and arrays that are read. The kernel trusts their number and their
        order, which are checked here.
        """
        found = []
        for source in self._sources:
            values: Floats = source.finite_values() if isinstance(source, Operand) else source
            if values.shape != shape:
                raise InvalidValue(
                    f"A map's values have its shape {shape}",
                    got=f"{values.shape} from {source!r}",
                    remedy="Mend that map's values",
                )
            found.append(np.ascontiguousarray(values, dtype=np.float32))
        return found

    def _planned(self) -> Calculation:
        if self._calculation is None:
            node = self.as_map() if self._node is None else self._node
            self._calculation, self._sources, maps = calculation_of(node)
            self._maps = maps if self._maps is None else self._maps
        return self._calculation

    def _fresh(self) -> Floats | None:
        """The values of last time, if they still hold."""
        return self._held if self._held_version == self.version else None

    def _guards(self) -> AbstractContextManager[None]:
        """Return what keeps other threads out of the maps that this reads, or out of this alone
        where none of them has a lock.
        """
        locks: dict[SingleThreadLock, None] = {}
        self._planned()
        waiting = list(self._maps or ())
        while waiting:
            each = waiting.pop()
            if isinstance(lock := getattr(each, "_lock", None), SingleThreadLock):
                locks[lock] = None
            if isinstance(each, Expression):
                waiting += each.maps
        found = tuple(locks) or (SingleThreadLock(),)
        self._alone = found[0] if len(found) == 1 else _Alone(found)
        return self._alone


class _Alone:
    """Several locks, entered together or not at all."""

    def __init__(self, locks: tuple[SingleThreadLock, ...]) -> None:
        self._guards = locks

    def __enter__(self) -> None:
        entered = 0
        try:
            for lock in self._guards:
                lock.__enter__()
                entered += 1
        except BaseException:
            for lock in self._guards[:entered]:
                lock.__exit__()
            raise

    def __exit__(self, *exception: object) -> None:
        for lock in self._guards:
            lock.__exit__()


def expression_of(operand: Operand) -> Expression:
    """An expression that reads a map, or the expression itself."""
    if isinstance(operand, Expression):
        return operand
    return Expression(Node("map", payload=operand), Ground((operand.space,)), operand)
