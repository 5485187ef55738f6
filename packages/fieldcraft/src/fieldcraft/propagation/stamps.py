"""Stamps: footprints of any shape, to be put on layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff, Ring

__all__ = ["Print", "Stamp"]

Weights = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
MOST_WEIGHT = 16.0
_EDGE = (
    1 + 1e-9
)  # a cell whose center lies on the edge of a shape belongs to it, whatever the rounding
_MOST_KEPT = 4096


@dataclass(frozen=True)
class Print:
    """A stamp on a grid: weights (height, width), [row, column], and where the first lies from the
    cell under the stamp's center.
    """

    weights: NDArray[np.float64]
    first_row: int
    first_column: int


class Stamp:
    """Weights around a center: which ground is covered, and how much each place of it takes.
    Weights may be negative.

    Made by `disc`, `ring`, `cone`, `line`, `rectangle`, `polygon`, `image` and `tether`; changed by
    `rotated`, `scaled` and `moved`; and
    added, subtracted and multiplied by numbers: `Stamp.disc(9) - 2 * Stamp.disc(4)` holds safety
    and threat at once. Lengths are world units; angles are degrees from the x axis towards the y
    axis. A cell takes the weight at its center. Weights of one stamp lie within +-16.

    Put on a layer by `Layer.stamp`. All of this is immutable.
    """

    def __init__(self, weigh: Weights, reach: float, name: str) -> None:
        self._weigh = weigh
        self._reach = reach
        self._name = name
        self._prints: dict[tuple[float, bool, int, float, float], Print] = {}

    def __repr__(self) -> str:
        return f"<Stamp {self._name}, reaching {self._reach:g}>"

    @property
    def reach(self) -> float:
        """World units from the center beyond which all weights are 0."""
        return self._reach

    # Shapes

    @classmethod
    def disc(cls, radius: float, falloff: Any = "constant") -> Stamp:
        """A disc, whose weights fall from the center to the radius: anything that `Falloff.of`
        takes.
        """
        size, curve = checks.positive("radius", radius), Falloff.of(falloff)
        return cls(lambda x, y: curve(_snapped(np.hypot(x, y) / size)), size, "disc")

    @classmethod
    def ring(cls, inner: float, outer: float, falloff: Any = None) -> Stamp:
        """A ring between two radii, best half way and 0 at both edges; or with a falloff from the
        middle of the band to its edges.

        `falloff="constant"` makes a flat one.
        """
        near, far = checks.not_negative("inner", inner), checks.positive("outer", outer)
        if near >= far:
            raise InvalidValue(
                "A ring has inner < outer",
                got=f"inner={near:g}, outer={far:g}",
                remedy="Mend the two radii",
            )
        curve = Falloff.of("parabolic" if falloff is None else falloff)
        middle, half = (near + far) / 2, (far - near) / 2
        return cls(
            lambda x, y: curve(_snapped(np.abs(np.hypot(x, y) - middle) / half)), far, "ring"
        )

    @classmethod
    def cone(cls, radius: float, angle: float, falloff: Any = "constant") -> Stamp:
        """The part of a disc within `angle` degrees, centered on the x axis; the center belongs to
        it. Above 0, at most 360.
        """
        size, curve, opening = (
            checks.positive("radius", radius),
            Falloff.of(falloff),
            checks.positive("angle", angle),
        )
        if opening > 360:
            raise InvalidValue(
                "angle is at most 360 degrees",
                got=f"angle={angle!r}",
                remedy="Pass an angle in degrees",
            )
        narrow = math.cos(math.radians(opening / 2)) - 1e-9

        def weigh(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
            away = np.hypot(x, y)
            return np.where(x >= narrow * away, curve(_snapped(away / size)), 0.0)

        return cls(weigh, size, "cone")

    @classmethod
    def line(cls, length: float, width: float, falloff: Any = "constant") -> Stamp:
        """A line from the center along the x axis, `width` across: weights fall along it, from the
        center to its end.
        """
        far, half, curve = (
            checks.positive("length", length),
            checks.positive("width", width) / 2,
            Falloff.of(falloff),
        )

        def weigh(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
            share = _snapped(x / far)
            inside = (share >= -1e-9) & (np.abs(y) <= half * _EDGE)
            return np.where(inside, curve(np.abs(share)), 0.0)

        return cls(weigh, math.hypot(far, half), "line")

    @classmethod
    def rectangle(cls, width: float, height: float) -> Stamp:
        """A flat rectangle around the center, `width` along x and `height` along y."""
        half_x, half_y = (
            checks.positive("width", width) / 2 * _EDGE,
            checks.positive("height", height) / 2 * _EDGE,
        )
        return cls(
            lambda x, y: ((np.abs(x) <= half_x) & (np.abs(y) <= half_y)).astype(np.float64),
            math.hypot(half_x, half_y),
            "rectangle",
        )

    @classmethod
    def polygon(cls, points: ArrayLike) -> Stamp:
        """A flat polygon with its edges: (N, 2) corners from the center, at least 3. What an even
        number of edges lie around is outside.
        """
        corners, _ = checks.positions(points)
        if len(corners) < 3:
            raise InvalidValue(
                "A polygon has at least 3 corners",
                got=f"{len(corners)}",
                remedy="Pass an array of shape (N, 2)",
            )

        def weigh(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
            inside, on_edge = np.zeros(x.shape, dtype=np.bool_), np.zeros(x.shape, dtype=np.bool_)
            for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
                along = np.clip(
                    ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0))
                    / max((x1 - x0) ** 2 + (y1 - y0) ** 2, 1e-300),
                    0.0,
                    1.0,
                )
                on_edge |= np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0)) <= near
                if y0 != y1:
                    crosses = (y0 > y) != (y1 > y)
                    inside ^= crosses & (x < x0 + (y - y0) / (y1 - y0) * (x1 - x0))
            return (inside | on_edge).astype(np.float64)

        reach = float(np.hypot(corners[:, 0], corners[:, 1]).max())
        near = reach * (_EDGE - 1)
        return cls(weigh, reach, "polygon")

    @classmethod
    def image(cls, weights: ArrayLike, width: float) -> Stamp:
        """An image of weights (rows, columns), `width` world units wide, its middle at the center,
        each a square.

        Its columns go along x, its rows along y; where y grows upwards, flip it with
        `weights[::-1]` to look as it does on paper. A cell takes the weight of the square that its
        center lies in.
        """
        pixels = checks.array("The weights of an image", weights)
        if pixels.ndim != 2 or not pixels.size or pixels.dtype.kind not in "iufb":
            raise InvalidValue(
                "An image is numbers of shape (rows, columns)",
                got=f"{pixels.dtype} of shape {pixels.shape}",
                remedy="Pass a 2-D array, such as one channel of a picture divided by 255",
            )
        pixels = pixels.astype(np.float64)
        _check_weights("Weights", pixels)
        size = checks.positive("width", width) / pixels.shape[1]
        rows, columns = pixels.shape

        def weigh(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
            column, row = (
                np.floor(x / size + columns / 2 + 1e-9),
                np.floor(y / size + rows / 2 + 1e-9),
            )
            inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
            return np.where(
                inside,
                pixels[
                    np.where(inside, row, 0).astype(np.int64),
                    np.where(inside, column, 0).astype(np.int64),
                ],
                0.0,
            )

        return cls(weigh, math.hypot(rows, columns) / 2 * size, "image")

    @classmethod
    def tether(cls, own_range: float, enemy_range: float, *, threat: float = 1.0) -> Stamp:
        """Where to stand against an enemy: to be stamped at its position, with both ranges in world
        units.

        Where the fighter reaches the enemy and is not reached lies a ring, best in its middle;
        where the enemy reaches, the weight is
        less by `threat`, at least 0: -threat where the fighter doesn't reach it, 1 - threat where
        they reach each other. If the enemy's range is the longer one there is no ring, and the way
        to it leads through its range.

        References
        ----------
        The tethering of two fighters in "Influence Maps, Ants, and Flocking": a threat of the
        enemy's range, a safety of one's own, both centered on the enemy, ideally a donut.
        """
        own, enemy = (
            checks.positive("own_range", own_range),
            checks.positive("enemy_range", enemy_range),
        )
        weight = checks.not_negative("threat", threat)
        if weight > MOST_WEIGHT:
            raise InvalidValue(
                f"threat is at most {MOST_WEIGHT:g}",
                got=f"threat={threat!r}",
                remedy="Put size into amounts",
            )
        if own <= enemy:
            return cls.disc(own) - weight * cls.disc(enemy)
        ring = Falloff.of(Ring(enemy / own))

        def weigh(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
            away = np.hypot(x, y)
            return np.where(away <= enemy * _EDGE, 1.0 - weight, ring(_snapped(away / own)))

        return cls(weigh, own, "tether")

    # Changes

    def rotated(self, degrees: float) -> Stamp:
        """Turned about the center, from the x axis towards the y axis."""
        turn = math.radians(checks.finite("degrees", degrees))
        cosine, sine, inner = math.cos(turn), math.sin(turn), self._weigh
        return Stamp(
            lambda x, y: inner(x * cosine + y * sine, y * cosine - x * sine),
            self._reach,
            self._name,
        )

    def scaled(self, factor: float) -> Stamp:
        """Larger or smaller about the center, with the same weights."""
        size, inner = checks.positive("factor", factor), self._weigh
        return Stamp(lambda x, y: inner(x / size, y / size), self._reach * size, self._name)

    def moved(self, x: float, y: float) -> Stamp:
        """Away from the center, by world units."""
        right, down, inner = checks.finite("x", x), checks.finite("y", y), self._weigh
        return Stamp(
            lambda x, y: inner(x - right, y - down),
            self._reach + math.hypot(right, down),
            self._name,
        )

    def __mul__(self, factor: float) -> Stamp:
        times, inner = checks.finite("factor", factor), self._weigh
        return Stamp(lambda x, y: inner(x, y) * times, self._reach, self._name)

    __rmul__ = __mul__

    def __neg__(self) -> Stamp:
        return self * -1.0

    def __add__(self, other: Stamp) -> Stamp:
        if not isinstance(other, Stamp):
            return NotImplemented
        one, two = self._weigh, other._weigh
        return Stamp(
            lambda x, y: one(x, y) + two(x, y),
            max(self._reach, other._reach),
            f"{self._name} and {other._name}",
        )

    def __sub__(self, other: Stamp) -> Stamp:
        return self + -other if isinstance(other, Stamp) else NotImplemented

    # On the ground

    def at(
        self, offsets: NDArray[np.float64], *, rotation: float = 0.0, scale: float = 1.0
    ) -> NDArray[np.float64]:
        """Its weights at offsets (K, 2) in world units from its center, turned by degrees and
        sized, (K,).

        Raises
        ------
        InvalidValue
            If one lies beyond +-16.
        """
        return self._turned(rotation, scale)._weights(offsets[:, 0], offsets[:, 1])

    def _turned(self, rotation: float, scale: float) -> Stamp:
        stamp = self if scale == 1.0 else self.scaled(scale)
        return stamp if rotation == 0.0 else stamp.rotated(rotation)

    def _weights(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights at offsets from the center; refuses those beyond +-16."""
        weights = np.asarray(self._weigh(x, y), dtype=np.float64)
        _check_weights("The weights of a stamp", weights)
        return weights

    def on(
        self, cell_size: float, *, y_up: bool, most: int, rotation: float = 0.0, scale: float = 1.0
    ) -> Print:
        """The weights that a stamp puts on the cells of a grid, at most `most` cells away; kept for
        the next time.

        Raises
        ------
        InvalidValue
            If no center of a cell is covered however far away, or a weight lies beyond +-16.
        """
        key = (cell_size, y_up, most, rotation, scale)
        known = self._prints.get(key)
        if known is None:
            if len(self._prints) >= _MOST_KEPT:
                self._prints.clear()
            known = self._prints[key] = self._printed(*key)
        return known

    def _printed(
        self, cell_size: float, y_up: bool, most: int, rotation: float, scale: float
    ) -> Print:
        stamp = self._turned(rotation, scale)
        reach = int(min(stamp._reach / cell_size * _EDGE, most))
        away = np.arange(-reach, reach + 1) * cell_size
        weights = stamp._weights(*np.broadcast_arrays(away, (-away if y_up else away)[:, None]))
        rows, columns = np.flatnonzero(weights.any(axis=1)), np.flatnonzero(weights.any(axis=0))
        if not len(rows) and stamp._reach / cell_size > most:
            return Print(
                np.zeros((1, 1)), 0, 0
            )  # what it covers lies beyond, as of a ring around the map
        if not len(rows):
            raise InvalidValue(
                "A stamp covers the center of a cell",
                got=f"{stamp!r} on cells of {cell_size:g}",
                remedy="Make it larger, or wider, or use smaller cells",
            )
        cut = np.ascontiguousarray(weights[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
        cut.flags.writeable = False
        return Print(cut, int(rows[0]) - reach, int(columns[0]) - reach)


def _check_weights(what: str, weights: NDArray[np.float64]) -> None:
    wrong = weights[~(np.abs(weights) <= MOST_WEIGHT)]
    if len(wrong):
        raise InvalidValue(
            f"{what} lie within +-{MOST_WEIGHT:g}",
            got=f"{wrong[0]:g}",
            remedy="Put size into the amounts of layer.stamp()",
        )


def _snapped(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares a hair beyond 1 brought back to it."""
    return np.where((share > 1) & (share <= _EDGE), 1.0, share)
