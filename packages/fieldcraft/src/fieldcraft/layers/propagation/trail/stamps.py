"""Shapes of weights that are stamped on layers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.base.ranges import SLACK, farthest_within
from fieldcraft.layers.sources.falloff import Falloff, FalloffLike, Ring

Weights = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
MOST_WEIGHT = 16.0
_EDGE = farthest_within(1.0)  # cells with a center on the edge of a shape belong to it
_MOST_CACHED = 4096

Table = tuple[NDArray[np.float64], int, int]
"""Weights (height, width), and the rows and columns from the cell under the stamp's center to the
first one.
"""


class Stamp(Suggesting):
    """Weights around a center, put on a layer by `layer.stamp`; immutable.

    Stamps are made by `disc`, `ring`, `cone`, `line`, `image` and `tether`, changed by `rotated`,
    `scaled` and `moved`, and added, subtracted and multiplied by numbers. Lengths are world units,
    angles degrees from the x axis towards the y axis. A cell takes the weight at its center.
    Weights are within +-16 and may be negative.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> board = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("board", values=np.zeros((3, 5)))
    >>> board.stamp(fc.Stamp.disc(1.5) - 2 * fc.Stamp.disc(0.5), (2.5, 1.5))
    >>> board.values
    array([[ 0.,  1.,  1.,  1.,  0.],
           [ 0.,  1., -1.,  1.,  0.],
           [ 0.,  1.,  1.,  1.,  0.]], dtype=float32)
    """

    def __init__(self, weigh: Weights, reach: float, name: str) -> None:
        self._weigh = weigh
        self._reach = reach
        self._name = name
        self._tables: dict[tuple[float, bool, int, float, float], Table] = {}

    def __repr__(self) -> str:
        return f"<Stamp {self._name}, reaching {self._reach:g}>"

    @property
    def reach(self) -> float:
        """World units from the center beyond which all weights are 0."""
        return self._reach

    # Shapes

    @classmethod
    def disc(cls, radius: float, falloff: FalloffLike = "constant") -> Stamp:
        """Return a disc.

        Parameters
        ----------
        radius : float
            World units, above 0.
        falloff : str, Ring, Falloff, Sequence[float] or Callable, optional
            How weights fall from the center to the radius, see `Falloff.of`.
        """
        size = checks.positive("radius", radius)
        curve = Falloff.of(falloff)
        return cls(lambda x, y: curve(_snapped(np.hypot(x, y) / size)), size, "disc")

    @classmethod
    def ring(cls, inner: float, outer: float, falloff: FalloffLike | None = None) -> Stamp:
        """Return a ring.

        Parameters
        ----------
        inner, outer : float
            Radii in world units, 0 <= inner < outer.
        falloff : str, Ring, Falloff, Sequence[float] or Callable, optional
            How weights fall from the middle of the band to its edges, see `Falloff.of`; a parabola
            by default. "constant" makes a flat ring.
        """
        near = checks.not_negative("inner", inner)
        far = checks.positive("outer", outer)
        if near >= far:
            raise InvalidValue(
                "A ring has inner < outer",
                got=f"inner={near:g}, outer={far:g}",
                remedy="Correct the two radii",
            )
        curve = Falloff.of("parabolic" if falloff is None else falloff)
        middle = (near + far) / 2
        half = (far - near) / 2
        return cls(
            lambda x, y: curve(_snapped(np.abs(np.hypot(x, y) - middle) / half)), far, "ring"
        )

    @classmethod
    def cone(cls, radius: float, angle: float, falloff: FalloffLike = "constant") -> Stamp:
        """Return the part of a disc around the x axis.

        Parameters
        ----------
        radius : float
            World units, above 0.
        angle : float
            The whole opening in degrees, above 0, at most 360.
        falloff : str, Ring, Falloff, Sequence[float] or Callable, optional
            How weights fall from the center to the radius, see `Falloff.of`.
        """
        size = checks.positive("radius", radius)
        curve = Falloff.of(falloff)
        opening = checks.positive("angle", angle)
        if opening > 360:
            raise InvalidValue(
                "angle is at most 360 degrees",
                got=f"angle={angle!r}",
                remedy="Pass an angle in degrees",
            )
        narrow = math.cos(math.radians(opening / 2)) - SLACK

        def weigh(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
            away = np.hypot(x, y)
            return np.where(x >= narrow * away, curve(_snapped(away / size)), 0.0)

        return cls(weigh, size, "cone")

    @classmethod
    def line(cls, length: float, width: float, falloff: FalloffLike = "constant") -> Stamp:
        """Return a line from the center along the x axis, such as a beam.

        `Stamp.line(4, 2).moved(-2, 0)` is a rectangle around the center.

        Parameters
        ----------
        length, width : float
            World units along and across, above 0.
        falloff : str, Ring, Falloff, Sequence[float] or Callable, optional
            How weights fall from the center to the end, see `Falloff.of`.
        """
        far = checks.positive("length", length)
        half = checks.positive("width", width) / 2
        curve = Falloff.of(falloff)

        def weigh(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
            share = _snapped(x / far)
            inside = (share >= -SLACK) & (np.abs(y) <= half * _EDGE)
            return np.where(inside, curve(np.abs(share)), 0.0)

        return cls(weigh, math.hypot(far, half), "line")

    @classmethod
    def image(cls, weights: ArrayLike, width: float) -> Stamp:
        """Return an image of weights around the center.

        Parameters
        ----------
        weights : array_like of shape (rows, columns)
            Columns go along x, rows along y; where y grows upwards, pass `weights[::-1]`. A cell
            takes the weight of the square that contains its center.
        width : float
            World units that all columns cover together, above 0.
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
            column = np.floor(x / size + columns / 2 + SLACK)
            row = np.floor(y / size + rows / 2 + SLACK)
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
        """Return the best distances from an enemy, to be stamped at its position.

        A fighter is best in the ring where it reaches the enemy and the enemy does not reach it. If
        the enemy's range is the longer one there is no such ring.

        Parameters
        ----------
        own_range, enemy_range : float
            World units, above 0.
        threat : float, optional
            What is subtracted within the enemy's range, at least 0. The weight is `1 - threat`
            where both reach each other, and `-threat` where only the enemy does.

        References
        ----------
        The tethering of two fighters in "Influence Maps, Ants, and Flocking".
        """
        own = checks.positive("own_range", own_range)
        enemy = checks.positive("enemy_range", enemy_range)
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
        """Return the stamp turned about its center, from the x axis towards the y axis."""
        turn = math.radians(checks.finite("degrees", degrees))
        cosine = math.cos(turn)
        sine = math.sin(turn)
        inner = self._weigh
        return Stamp(
            lambda x, y: inner(x * cosine + y * sine, y * cosine - x * sine),
            self._reach,
            self._name,
        )

    def scaled(self, factor: float) -> Stamp:
        """Return the stamp larger or smaller about its center, with the same weights."""
        size = checks.positive("factor", factor)
        inner = self._weigh
        return Stamp(lambda x, y: inner(x / size, y / size), self._reach * size, self._name)

    def moved(self, x: float, y: float) -> Stamp:
        """Return the stamp moved away from the center.

        Parameters
        ----------
        x, y : float
            World units.
        """
        right = checks.finite("x", x)
        down = checks.finite("y", y)
        inner = self._weigh
        return Stamp(
            lambda x, y: inner(x - right, y - down),
            self._reach + math.hypot(right, down),
            self._name,
        )

    def __mul__(self, factor: float) -> Stamp:
        times = checks.finite("factor", factor)
        inner = self._weigh
        return Stamp(lambda x, y: inner(x, y) * times, self._reach, self._name)

    __rmul__ = __mul__

    def __neg__(self) -> Stamp:
        return self * -1.0

    def __add__(self, other: Stamp) -> Stamp:
        if not isinstance(other, Stamp):
            return NotImplemented
        one = self._weigh
        two = other._weigh
        return Stamp(
            lambda x, y: one(x, y) + two(x, y),
            max(self._reach, other._reach),
            f"{self._name} and {other._name}",
        )

    def __sub__(self, other: Stamp) -> Stamp:
        if isinstance(other, Stamp):
            return self + -other
        return NotImplemented

    # On the ground

    def at(
        self, offsets: NDArray[np.float64], *, rotation: float = 0.0, scale: float = 1.0
    ) -> NDArray[np.float64]:
        """Return the weights at offsets from the center, (K,).

        Parameters
        ----------
        offsets : ndarray of float64, (K, 2)
            World units.
        rotation : float, optional
            Degrees, as in `rotated`.
        scale : float, optional
            Factor of the size, as in `scaled`.

        Raises
        ------
        InvalidValue
            For weights beyond +-16.
        """
        return self._turned(rotation, scale)._weights(offsets[:, 0], offsets[:, 1])

    def _turned(self, rotation: float, scale: float) -> Stamp:
        if scale == 1.0:
            stamp = self
        else:
            stamp = self.scaled(scale)
        if rotation == 0.0:
            return stamp
        return stamp.rotated(rotation)

    def _weights(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        weights = np.asarray(self._weigh(x, y), dtype=np.float64)
        _check_weights("The weights of a stamp", weights)
        return weights

    def on(
        self, cell_size: float, *, y_up: bool, most: int, rotation: float = 0.0, scale: float = 1.0
    ) -> Table:
        """Return the weights on the cells of a grid; cached.

        Parameters
        ----------
        cell_size : float
            World units per cell.
        y_up : bool
            Whether y grows upwards.
        most : int
            Most cells between the center and a weight, along an axis.
        rotation, scale : float, optional
            As in `at`.

        Returns
        -------
        weights : ndarray of float64, (H, W)
            Read-only.
        row, column : int
            Cells from the center to the first row and column.

        Raises
        ------
        InvalidValue
            If no center of a cell is covered, or a weight is beyond +-16.
        """
        key = (cell_size, y_up, most, rotation, scale)
        known = self._tables.get(key)
        if known is None:
            if len(self._tables) >= _MOST_CACHED:
                self._tables.clear()
            known = self._tables[key] = self._table(*key)
        return known

    def _table(
        self, cell_size: float, y_up: bool, most: int, rotation: float, scale: float
    ) -> Table:
        stamp = self._turned(rotation, scale)
        reach = int(min(stamp._reach / cell_size * _EDGE, most))
        away = np.arange(-reach, reach + 1) * cell_size
        down = away[:, np.newaxis]
        if y_up:
            down = -down
        weights = stamp._weights(*np.broadcast_arrays(away, down))
        rows = np.flatnonzero(weights.any(axis=1))
        columns = np.flatnonzero(weights.any(axis=0))
        if not len(rows) and stamp._reach / cell_size > most:
            # All that it covers is off the map.
            return np.zeros((1, 1)), 0, 0
        if not len(rows):
            raise InvalidValue(
                "A stamp covers the center of a cell",
                got=f"{stamp!r} on cells of {cell_size:g}",
                remedy="Make it larger, or wider, or use smaller cells",
            )
        cut = np.ascontiguousarray(weights[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
        cut.flags.writeable = False
        return cut, int(rows[0]) - reach, int(columns[0]) - reach


def _check_weights(what: str, weights: NDArray[np.float64]) -> None:
    wrong = weights[~(np.abs(weights) <= MOST_WEIGHT)]
    if len(wrong):
        raise InvalidValue(
            f"{what} are within +-{MOST_WEIGHT:g}",
            got=f"{wrong[0]:g}",
            remedy="Put size into the amounts of layer.stamp()",
        )


def _snapped(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return shares, with 1 in place of shares slightly above 1 by rounding."""
    return np.where((share > 1) & (share <= _EDGE), 1.0, share)
