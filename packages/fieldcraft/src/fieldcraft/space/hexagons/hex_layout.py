"""Coordinates of hexagons, and their places in the plane.

Offset coordinates are (column, row) in a rectangle of hexagons; odd rows (pointy) or columns (flat)
are shifted by half a hexagon towards larger x (pointy) or y (flat). Axial coordinates are (q, r): q
counts along x, and steps are the same from every cell. Cube coordinates are (q, r, s) with s = -q -
r. After Amit Patel, "Hexagonal Grids" (Red Blob Games, 2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fieldcraft.kernels.shared.arrays import Floats, Ints

STEPS: Ints = np.array([(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)])
"""The six steps in axial coordinates, in the order of their angles; the last three are opposite to
the first three.
"""
STEPS.flags.writeable = False

_RING = np.array([(1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1), (0, -2)])
"""The corners of a hexagon relative to its center, (across, along)."""

_SQRT_3 = math.sqrt(3.0)


def to_axial(offset: Ints, *, pointy: bool) -> Ints:
    """Return the axial coordinates of offset coordinates (..., 2)."""
    columns = offset[..., 0]
    rows = offset[..., 1]
    if pointy:
        return np.stack([columns - (rows - (rows & 1)) // 2, rows], axis=-1)
    return np.stack([columns, rows - (columns - (columns & 1)) // 2], axis=-1)


def to_offset(axial: Ints, *, pointy: bool) -> Ints:
    """Return the offset coordinates of axial coordinates (..., 2)."""
    q = axial[..., 0]
    r = axial[..., 1]
    if pointy:
        return np.stack([q + (r - (r & 1)) // 2, r], axis=-1)
    return np.stack([q, r + (q - (q & 1)) // 2], axis=-1)


def distances(axial: Ints) -> Ints:
    """Return the number of steps of axial differences (..., 2) on open ground."""
    q = axial[..., 0]
    r = axial[..., 1]
    return np.asarray(np.maximum(np.maximum(np.abs(q), np.abs(r)), np.abs(q + r)), dtype=np.int64)


def rounded(axial: Floats) -> Ints:
    """Return the hexagons that contain fractional axial coordinates (..., 2)."""
    q = axial[..., 0]
    r = axial[..., 1]
    s = -q - r
    nearest = np.stack([np.rint(q), np.rint(r), np.rint(s)], axis=-1)
    off = np.abs(nearest - np.stack([q, r, s], axis=-1))
    # If three rounded coordinates don't sum to 0, the one with the largest rounding error is
    # corrected.
    worst_q = (off[..., 0] > off[..., 1]) & (off[..., 0] > off[..., 2])
    worst_r = ~worst_q & (off[..., 1] > off[..., 2])
    found_q = np.where(worst_q, -nearest[..., 1] - nearest[..., 2], nearest[..., 0])
    found_r = np.where(worst_r, -nearest[..., 0] - nearest[..., 2], nearest[..., 1])
    return np.stack([found_q, found_r], axis=-1).astype(np.int64)


@dataclass(frozen=True)
class HexLayout:
    """Hexagons in the plane: `middle` is the center of the one at axial (0, 0), and `size` the
    distance from centers to corners.

    `pointy` ones have corners above and below, others left and right.
    """

    pointy: bool
    size: float
    middle: tuple[float, float]

    @property
    def step(self) -> float:
        """The distance between the centers of neighbors."""
        return _SQRT_3 * self.size

    @property
    def area(self) -> float:
        """The area of a hexagon."""
        return 1.5 * _SQRT_3 * self.size**2

    @property
    def pitch(self) -> tuple[float, float]:
        """The distances between columns and between rows."""
        if self.pointy:
            return (self.step, 1.5 * self.size)
        return (1.5 * self.size, self.step)

    @property
    def units(self) -> Floats:
        """The lengths along x and y; all corners and centers are whole multiples of them."""
        units = np.array([self.step / 2, self.size / 2])
        if self.pointy:
            return units
        return units[::-1].copy()

    def places(self, axial: Ints) -> Floats:
        """Return the centers of hexagons, (..., 2)."""
        q = axial[..., 0]
        r = axial[..., 1]
        # By halves of steps, so that hexagons in a row have the same y to the last bit.
        if self.pointy:
            return np.stack(
                [
                    self.middle[0] + (2 * q + r) * (self.step / 2),
                    self.middle[1] + r * (1.5 * self.size),
                ],
                axis=-1,
            )
        return np.stack(
            [
                self.middle[0] + q * (1.5 * self.size),
                self.middle[1] + (2 * r + q) * (self.step / 2),
            ],
            axis=-1,
        )

    def axial(self, places: Floats) -> Floats:
        """Return fractional axial coordinates of world positions (..., 2)."""
        x = (places[..., 0] - self.middle[0]) / self.size
        y = (places[..., 1] - self.middle[1]) / self.size
        if self.pointy:
            return np.stack([x / _SQRT_3 - y / 3, y * (2 / 3)], axis=-1)
        return np.stack([x * (2 / 3), y / _SQRT_3 - x / 3], axis=-1)

    def corners(self, axial: Ints) -> tuple[Floats, Ints]:
        """Return the corners of hexagons, each once, (C, 2), and the six of each hexagon in order,
        (N, 6).
        """
        return self._numbered(self._marks(axial)[:, np.newaxis] + _RING)

    def _marks(self, axial: Ints) -> Ints:
        """Return the centers of hexagons in whole numbers of half a step across and half a size
        along, so that neighbors have exactly the same corners.
        """
        q = axial[:, 0]
        r = axial[:, 1]
        if self.pointy:
            across = 2 * q + r
            along = 3 * r
        else:
            across = 2 * r + q
            along = 3 * q
        return np.stack([across, along], axis=-1)

    def _numbered(self, marks: Ints) -> tuple[Floats, Ints]:
        """Return the world positions of marks (N, K, 2), each once, and their numbers, (N, K)."""
        known, numbers = np.unique(marks.reshape(-1, 2), axis=0, return_inverse=True)
        if not self.pointy:
            known = known[:, ::-1]
        places = known * self.units + self.middle
        return places, numbers.reshape(marks.shape[:-1]).astype(np.int64)

    def sides(self, axial: Ints, steps: Ints) -> tuple[Floats, Ints]:
        """Return the sides that `STEPS[steps]` cross from hexagons: corners, each once, (C, 2), and
        the two of each side, (K, 2).
        """
        marks = self._marks(axial)
        first = steps
        if not self.pointy:
            first = (1 - steps) % 6
        return self._numbered(np.stack([marks + _RING[first], marks + _RING[(first + 1) % 6]], 1))
