"""Functions of one's own as response curves, and the powers that multiplication does not give."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.compose.engine import Segments
from fieldcraft.compose.expression import Expression
from fieldcraft.compose.passes import Kept
from fieldcraft.compose.writing import Written
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import numpy_compose as operations

__all__ = ["Mapped", "exponential", "powered", "rooted"]

Floats = NDArray[np.float32]

_LARGEST = float(operations.LARGEST)


class Mapped(Kept):
    """The answers of a function to the values of a map."""

    def __init__(
        self, source: Expression, answer: Callable[[Floats], ArrayLike], written: Written
    ) -> None:
        super().__init__(source, source.ground, written)
        self._answer = answer

    def fill(self, out: Floats, where: Segments) -> None:
        """Compute the cells of the segments `where` only, into the contiguous float32 array
        `out`.
        """
        self._source.fill(out, where)
        flat = out.reshape(-1)
        counts = where[:, 2]
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        places, cells = (
            np.repeat(where[:, 1], counts) + within,
            np.repeat(where[:, 0], counts) + within,
        )
        flat[places] = self._answered(flat[places], cells)

    def _evaluate(self, out: Floats) -> None:
        flat = self._source.values.reshape(-1)
        out.reshape(-1)[:] = self._answered(flat, np.arange(len(flat)))

    def _answered(self, values: Floats, cells: NDArray[np.int64]) -> Floats:
        given = values.copy()
        with np.errstate(all="ignore"):
            answers = np.asarray(self._answer(given))
        if answers.shape != given.shape or answers.dtype.kind not in "iufb":
            raise InvalidValue(
                "A function used as a curve answers an array of values with as many numbers",
                got=f"{answers.dtype} of shape {answers.shape} for {given.shape}",
                remedy="Write it with NumPy's functions, which take whole arrays",
            )
        found = answers.astype(np.float32)
        if len(self.ground.walls):
            found[self.ground.walls[cells] != 0] = 0
        fits = np.abs(found) <= operations.LARGEST
        if not fits.all():
            wrong = int(np.argmin(fits))
            raise InvalidValue(
                "The answers of a curve are finite float32 numbers",
                got=f"{answers[wrong]} for {values[wrong]:g}",
                remedy="Clamp the values first, or the answers with np.clip",
            )
        return found


def powered(source: Expression, exponent: float) -> Mapped:
    """A map to any power: 0 where that is no number, as of negative values; the largest float32
    where it is beyond.
    """
    return Mapped(source, partial(_power, exponent=exponent), Written("power", (source, exponent)))


def exponential(base: float, source: Expression) -> Mapped:
    """A number to the power of a map."""
    above = checks.positive("The base of a power", base)
    return Mapped(source, partial(_exponential, base=above), Written("power", (base, source)))


def rooted(source: Expression) -> Mapped:
    """The square root of a map; 0 where it is negative."""
    return Mapped(source, _root, Written("sqrt", (source,)))


def _power(values: Floats, exponent: float) -> NDArray[Any]:
    found = np.power(values.astype(np.float64), exponent)
    found[~np.isfinite(found) & ~(np.isinf(found) & (values != 0))] = 0
    return np.clip(found, -_LARGEST, _LARGEST)


def _exponential(values: Floats, base: float) -> NDArray[Any]:
    return np.clip(np.power(base, values.astype(np.float64)), 0, _LARGEST)


def _root(values: Floats) -> NDArray[Any]:
    return np.sqrt(np.maximum(values, np.float32(0)))
