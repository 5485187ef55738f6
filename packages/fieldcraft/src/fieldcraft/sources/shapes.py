"""The shapes that sources of a radial layer have for themselves, each with a number, and the limits
within which sums stay exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff

__all__ = ["Limits", "Shape", "Shapes"]


@dataclass(frozen=True)
class Shape:
    """The shape that a source of a radial layer has for itself: a radius in world units, a falloff;
    None for the layer's own.
    """

    radius: float | None = None
    falloff: Falloff | None = None


class Limits(NamedTuple):
    """The largest strength, the most sources, and the smallest radius that is refused."""

    strength: float
    sources: int
    radius: float

    def check(self, amounts: NDArray[np.float32], count: int) -> None:
        """Refuse strengths, or so many sources, that sums could not hold."""
        if len(amounts) and float(np.abs(amounts).max()) > self.strength:
            raise InvalidValue(
                f"Strengths on a radial layer are at most {self.strength:,.0f} in size, so that"
                " sums stay exact",
                got=f"{float(amounts[np.abs(amounts).argmax()]):g}",
                remedy="Count in larger units",
            )
        if count > self.sources:
            raise InvalidValue(
                f"A radial layer has at most {self.sources:,} sources, so that sums stay exact",
                got=f"{count:,}",
                remedy="Use several layers",
            )


class Shapes:
    """Shapes by number; `version` grows whenever they are numbered anew."""

    def __init__(self, listed: list[Shape] | None = None) -> None:
        self.listed: list[Shape] = [Shape()] if listed is None else listed
        self.version = 0
        self.limits: Limits | None = None
        self._numbers: dict[Shape, int] = {}
        self._last: tuple[Falloff | None, int, NDArray[np.float64], NDArray[np.int64]] | None = None

    def copy(self) -> Shapes:
        """The same shapes for other sources."""
        twin = Shapes(list(self.listed))
        twin.version, twin.limits = self.version, self.limits
        return twin

    def number(self, shape: Shape) -> int:
        """The number of a shape; a new one is added."""
        if len(self._numbers) != len(self.listed):
            self._numbers = {known: number for number, known in enumerate(self.listed)}
        number = self._numbers.setdefault(shape, len(self.listed))
        if number == len(self.listed):
            self.listed.append(shape)
        return number

    def numbers_of(
        self, radii: ArrayLike | None, falloff: Falloff | None, count: int
    ) -> NDArray[np.int64]:
        """The numbers of so many shapes with these radii, one or (count,), and this falloff."""
        if radii is None:
            return np.full(count, self.number(Shape(None, falloff)), dtype=np.int64)
        sizes = self._radii(radii, count)
        last = self._last
        if (
            last is not None
            and last[0] == falloff
            and last[1] == self.version
            and np.array_equal(last[2], sizes)
        ):
            return last[3].copy()
        different, inverse = np.unique(sizes, return_inverse=True)
        found = np.array(
            [self.number(Shape(size, falloff)) for size in different.tolist()], dtype=np.int64
        )[inverse]
        self._last = falloff, self.version, sizes, found.copy()
        return found

    def resized(self, numbers: NDArray[np.int64], radii: ArrayLike) -> NDArray[np.int64]:
        """The numbers of these shapes with other radii, one or (N,)."""
        sizes = self._radii(radii, len(numbers)).tolist()
        falloffs = [self.listed[number].falloff for number in numbers.tolist()]
        return np.array(
            [self.number(Shape(*pair)) for pair in zip(sizes, falloffs, strict=True)],
            dtype=np.int64,
        )

    def without_others(
        self, numbers: NDArray[np.int64], used: NDArray[np.bool_], count: int
    ) -> NDArray[np.int64]:
        """Number the shapes anew, without those that none of `count` sources has, once these are
        the most: radii may change each tick.

        `numbers` are those of all rows, of which some are `used`; returns what they are afterwards.
        """
        if len(self.listed) <= 2 * count + 64:
            return numbers
        kept, again = np.unique(np.append(np.where(used, numbers, 0), 0), return_inverse=True)
        self.listed = [self.listed[number] for number in kept.tolist()]
        self._numbers = {}
        self.version += 1
        return again[:-1].astype(np.int64)

    def _radii(self, radii: ArrayLike, count: int) -> NDArray[np.float64]:
        sizes = checks.positives("radii", radii, count)
        if self.limits is not None and (sizes >= self.limits.radius).any():
            raise InvalidValue(
                f"A radius on a map as large as this is below {self.limits.radius:g}",
                got=f"{sizes.max():g}",
                remedy="Give the layer a larger cell_size",
            )
        return sizes
