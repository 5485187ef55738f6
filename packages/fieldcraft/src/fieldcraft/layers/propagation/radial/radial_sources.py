"""The sources of a radial field, as its sums contain them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.radial.radial_arrays import Emissions
from fieldcraft.layers.propagation.radial.footprints import (
    Footprints,
)
from fieldcraft.layers.sources import Sources
from fieldcraft.layers.sources.falloff import Falloff
from fieldcraft.space import Space

if TYPE_CHECKING:
    pass


@dataclass
class Emitters:
    """Sources of a radial field as columns; `numbers` are the numbers of their footprints."""

    cells: NDArray[np.int64]
    strengths: NDArray[np.float64]
    numbers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cells)

    @staticmethod
    def zeros(count: int) -> Emitters:
        """Return `count` rows of 0."""
        return Emitters(np.zeros(count, np.int64), np.zeros(count), np.zeros(count, np.int64))

    @property
    def columns(self) -> Emissions:
        """The sources as kernels take them."""
        return Emissions(self.cells, self.strengths, self.numbers)

    def at(self, rows: NDArray[Any] | slice) -> Emitters:
        """Return some of the rows: those at these indices, or where a mask is True."""
        return Emitters(self.cells[rows], self.strengths[rows], self.numbers[rows])

    def rows(self) -> Iterator[tuple[int, float, int]]:
        """Return (cell, strength, number) one by one."""
        return zip(*(column.tolist() for column in self.columns), strict=True)

    @staticmethod
    def joined(parts: Sequence[Emitters]) -> Emitters:
        """Return the rows of all parts, one after the other."""
        return Emitters(*map(np.concatenate, zip(*(part.columns for part in parts), strict=True)))


class Taken(NamedTuple):
    """What else is known of the sources that a field has applied, by row, and their version.

    `radii` and `falloffs` are None where all sources have those of the layer, `positions` unless
    distances are measured from them. See `Rows`.
    """

    version: int
    generations: NDArray[np.int64]
    radii: NDArray[np.float64] | None
    falloffs: NDArray[np.int64] | None
    positions: NDArray[np.float64] | None
    curves: list[Falloff]

    @classmethod
    def of(cls, sources: Sources, *, exact: bool) -> Taken:
        """Return it of sources as they are now."""
        held = sources.rows
        shaped = sources.have_shapes
        return cls(
            held.version,
            held.generation.copy(),
            held.radii.copy() if shaped else None,
            held.falloffs.copy() if shaped else None,
            held.positions.copy() if exact else None,
            sources.falloffs,
        )

    def with_applied(self, space: Space, applied: Emitters) -> Sources:
        """Return the sources with the cells and strengths that were applied, of the version that
        they had.
        """
        alive = applied.strengths != 0
        count = len(alive)
        if count:
            positions = space.position_of(applied.cells)
        else:
            positions = np.zeros((0, space.dimensions))
        if self.positions is not None:
            positions = self.positions[:count]
        radii = np.zeros(count)
        if self.radii is not None:
            radii = self.radii[:count]
        falloffs = np.zeros(count, dtype=np.int64)
        if self.falloffs is not None:
            falloffs = self.falloffs[:count]
        arrays = {
            "alive": alive,
            "generation": self.generations[:count],
            "cells": applied.cells,
            "positions": positions,
            "strengths": applied.strengths.astype(np.float32),
            "expires": np.full(count, np.iinfo(np.int64).max),
            "radii": radii,
            "falloffs": falloffs,
            "free": np.flatnonzero(~alive),
        }
        sources = Sources(space)
        curves = tuple(curve.state() for curve in self.curves)
        sources._restore({"columns": arrays, "falloffs": curves, "keys": ()})
        sources.rows.version = self.version
        return sources


@dataclass
class KnownShapes:
    """The footprints of rows of sources, and the radii and falloffs that they are of."""

    footprints: Footprints
    curves: list[Falloff]
    radii: NDArray[np.float64]
    falloffs: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @classmethod
    def none(cls, footprints: Footprints, sources: Sources) -> KnownShapes:
        """Return it for rows that are not known yet."""
        count = len(sources.rows.alive)
        radii = np.full(count, np.nan)  # differs from any radius
        falloffs = np.zeros(count, dtype=np.int64)
        numbers = np.zeros(count, dtype=np.int64)
        return cls(footprints, sources.falloffs, radii, falloffs, numbers)

    def fits(self, footprints: Footprints, sources: Sources) -> bool:
        """Return whether it is about these rows, and the numbers are still valid."""
        return (
            self.footprints is footprints
            and self.curves is sources.falloffs
            and len(self.numbers) == len(sources.rows.alive)
        )
