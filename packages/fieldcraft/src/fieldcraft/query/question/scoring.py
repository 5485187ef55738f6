"""Requirements, scores and choice of a question."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.settings.dataclasses import NotNegative, Size
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths.distance_maps import UNREACHED
from fieldcraft.query.question.context import Context
from fieldcraft.query.question.measures import Measure
from fieldcraft.space import Grid
from fieldcraft.values.expression import expression_of
from fieldcraft.values.operand import Operand

CHUNK = 128
"""Candidates that are measured together within a budget."""

AT_ONCE = 1024
"""Candidates that are measured together without one."""


class _Column(Operand):
    """The numbers of one chunk of candidates, as a map that a curve can be applied to."""

    name = "measure"

    def __init__(self) -> None:
        self.space = Grid(AT_ONCE, 1)
        self._version = 0
        self._values = np.zeros((1, AT_ONCE), dtype=np.float32)

    @property
    def version(self) -> int:
        """A number that grows with every chunk."""
        return self._version

    @property
    def values(self) -> NDArray[np.float32]:
        """The numbers of the last chunk, then old ones."""
        return self._values

    def write(self, numbers: Floats) -> None:
        """Set the numbers of a chunk."""
        self._values[0, : len(numbers)] = numbers
        self._version += 1


def _curve(name: str, value: Any) -> Any:
    """Return the arguments of `Operand.curve`: a shape with its numbers, points, or a function."""
    if isinstance(value, str) or callable(value):
        arguments: tuple[Any, ...] = (value,)
    else:
        items = checks.sequence(name, value)
        if items and isinstance(items[0], str):
            arguments = tuple(items)
        else:
            arguments = (items,)
    _Column().curve(*arguments)
    return arguments


@dataclass(frozen=True)
class Requirement:
    """A requirement of a measure: at least `least`, at most `most`, or without either, above 0."""

    measure: Measure
    least: float | None = None
    most: float | None = None

    def __post_init__(self) -> None:
        if self.least is None and self.most is None and not self.measure.is_truth:
            rule = "A requirement on a distance has least, most or both"
            raise InvalidValue(rule, got="neither", remedy="Write most = 20, say")
        if self.least is not None and self.most is not None and self.least > self.most:
            got = f"least={self.least:g}, most={self.most:g}"
            raise InvalidValue("A requirement has least <= most", got=got, remedy="Swap them")

    def is_met(self, context: Context, cells: Ints) -> Any:
        """Return which candidates meet it, (N,) bool."""
        values = self.measure.values(context, cells)
        if self.least is None and self.most is None:
            return values > 0
        least = -math.inf if self.least is None else self.least
        most = math.inf if self.most is None else self.most
        least, most = self.measure.bounds(context, least, most)
        return (values >= least) & (values <= most)


@dataclass(frozen=True)
class Score:
    """A part of the score: a measure, through a response curve if there is one, times a weight."""

    measure: Measure
    curve: Annotated[Any, _curve] = None
    weight: float = 1.0

    @cached_property
    def _curved_column(self) -> tuple[_Column, Operand]:
        """The numbers of a chunk, and the curve of them."""
        column = _Column()
        return column, expression_of(column.curve(*self.curve))

    def values(self, context: Context, cells: Ints) -> Floats:
        """Return the parts of the scores of at most `AT_ONCE` candidates, (N,)."""
        values = np.clip(self.measure.values(context, cells), -UNREACHED, UNREACHED)
        if self.curve is not None:
            column, curved = self._curved_column
            column.write(values)
            values = curved.values[0, : len(cells)].astype(np.float64)
        return values * self.weight


@dataclass(frozen=True)
class Choose:
    """The choice of cells.

    They are the best `count`, or with `random` random ones of this percentage of the best, at least
    `spacing` apart.
    """

    count: Size = 1
    spacing: NotNegative = 0.0
    random: Annotated[float, partial(checks.positive, maximum=100)] | None = None


@dataclass(frozen=True)
class Budget:
    """The work of one slice: measured candidates, or microseconds."""

    candidates: int | None = None
    microseconds: float | None = None

    def __post_init__(self) -> None:
        if (self.candidates is None) == (self.microseconds is None):
            raise InvalidValue(
                "A budget is in candidates or in microseconds",
                got="neither" if self.candidates is None else "both",
                remedy="Write budget = { microseconds = 150 }, say",
            )
        if self.candidates is not None:
            checks.integer("candidates", self.candidates, minimum=1)
        if self.microseconds is not None:
            checks.positive("microseconds", self.microseconds)
