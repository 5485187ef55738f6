"""Polygons to walk on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.polygons import TriangleBins
from fieldcraft.space.csr import runs
from fieldcraft.space.mesh.triangle_bins import binned

_TINY = 1e-12
_BENT = 1e-4  # how far a polygon may be from convex, in shares of its size
_RIM = 1e-9  # how far outside of its sides a polygon still holds a point, in shares of itself
_PER_THREAD = 2_000  # points that pay for waking a thread


class Mesh:
    """Convex polygons that share corners: where their sides meet, one can walk from one to the
    other.

    Parameters
    ----------
    corners : array_like
        (C, 2) or (C, 3) world positions.
    polygons : Sequence[array_like] or array_like
        A list of P lists of at least three corner numbers each, in order around the polygon; or an
        array (P, 3), (P, 4), ...

    Raises
    ------
    InvalidValue
        For numbers of corners that don't exist, or that come twice in a polygon, and for polygons
        that are not convex seen from above, by more than rounding errors.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> corners = [(0, 0), (2, 0), (2, 2), (0, 2), (4, 0), (4, 2)]
    >>> mesh = fc.Mesh(corners, [[0, 1, 2, 3], [1, 4, 5, 2]])
    >>> len(mesh), mesh.centers
    (2, array([[1., 1.],
           [3., 1.]]))
    """

    units: NDArray[np.float64] = np.ones(2)
    """Lengths along x and y so that corners and centers are whole multiples of them, if there are
    any.
    """

    def __init__(self, corners: ArrayLike, polygons: Sequence[ArrayLike] | ArrayLike) -> None:
        shape = np.shape(checks.array("Corners", corners))
        dimensions = 2
        if len(shape) == 2 and shape[1] == 3:
            dimensions = 3
        self.corners, single = checks.positions(corners, dimensions=dimensions)
        if single or np.abs(self.corners).max(initial=0) > checks.LARGEST:
            raise InvalidValue(
                f"Corners are an (C, 2) or (C, 3) array of numbers up to {checks.LARGEST:g}",
                got=f"shape {shape}",
                remedy="Pass positions",
            )
        self.starts, self.rings = _rings(polygons)
        self._check()
        self._check_convex()
        for array in (self.corners, self.starts, self.rings):
            array.flags.writeable = False

    def _check(self) -> None:
        sizes = np.diff(self.starts)
        if (sizes < 3).any():
            index = int(np.flatnonzero(sizes < 3)[0])
            raise InvalidValue(
                "A polygon has three corners or more",
                got=f"{sizes[index]} in polygon {index}",
                remedy="Leave it out",
            )
        wrong = (self.rings < 0) | (self.rings >= len(self.corners))
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise InvalidValue(
                f"The corners of this mesh are 0 to {len(self.corners) - 1}",
                got=f"{self.rings[at]} in polygon {int(self.ring_polygons[at])}",
                remedy="Correct the numbers of its corners",
            )
        keys = self.ring_polygons * len(self.corners) + self.rings
        twice = np.flatnonzero(np.diff(np.sort(keys)) == 0)
        if len(twice):
            polygon, corner = divmod(int(np.sort(keys)[twice[0]]), len(self.corners))
            raise InvalidValue(
                "A corner comes once in a polygon",
                got=f"corner {corner} twice in polygon {polygon}",
                remedy="Cut it in two",
            )

    def _check_convex(self) -> None:
        if not len(self):
            return
        ahead = self.corners[self.rings[self._following], :2] - self.corners[self.rings, :2]
        after = ahead[self._following]
        turns = ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0]
        first = self.starts[:-1]
        small = _BENT * np.add.reduceat(np.abs(ahead).sum(axis=1), first) ** 2
        # No corner points inwards, and no part of the fan is outside, as it would be where sides
        # cross.
        for bends, begin in (
            (turns, first),
            (self.doubled_areas, first - 2 * np.arange(len(self))),
        ):
            wrong = (np.maximum.reduceat(bends, begin) > small) & (
                np.minimum.reduceat(bends, begin) < -small
            )
            if wrong.any():
                index = int(np.flatnonzero(wrong)[0])
                ring = self.rings[self.starts[index] : self.starts[index + 1]]
                raise InvalidValue(
                    "A polygon is convex, seen from above",
                    got=f"polygon {index} with the corners {ring.tolist()}"[:120],
                    remedy=(
                        "Cut it into convex ones, such as triangles, or correct the order of its"
                        " corners"
                    ),
                )

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return (
            f"<Mesh of {len(self)} polygons and {len(self.corners)} corners in {self.dimensions}D>"
        )

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return int(self.corners.shape[1])

    @cached_property
    def ring_polygons(self) -> NDArray[np.int64]:
        """The polygon of each entry of `rings`."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def _following(self) -> NDArray[np.int64]:
        """For each entry of `rings` the number of the next one around its polygon."""
        following = np.arange(1, len(self.rings) + 1)
        following[self.starts[1:] - 1] = self.starts[:-1]
        return following

    @cached_property
    def triangles(self) -> NDArray[np.int64]:
        """The polygons as fans of triangles from their first corner: (T, 3) corner numbers."""
        sizes = np.diff(self.starts) - 2
        first = np.repeat(self.starts[:-1], sizes)
        second = runs(self.starts[:-1] + 1, sizes)
        return np.stack([self.rings[first], self.rings[second], self.rings[second + 1]], axis=1)

    @cached_property
    def triangle_polygons(self) -> NDArray[np.int64]:
        """The polygon of each of `triangles`."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts) - 2)

    @cached_property
    def doubled_areas(self) -> NDArray[np.float64]:
        """Twice the areas of the triangles seen from above, signed."""
        a, b, c = (self.corners[self.triangles[:, k], :2] for k in range(3))
        return (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])

    @cached_property
    def areas(self) -> NDArray[np.float64]:
        """The areas of the polygons seen from above, (P,), in square world units."""
        return np.bincount(
            self.triangle_polygons, weights=np.abs(self.doubled_areas) / 2, minlength=len(self)
        ).astype(np.float64)

    @cached_property
    def centers(self) -> NDArray[np.float64]:
        """The centroids of the polygons, (P, 2) or (P, 3); for polygons without area the mean of
        the corners.
        """
        weights = np.abs(self.doubled_areas)
        total = np.bincount(self.triangle_polygons, weights=weights, minlength=len(self))
        sizes = np.diff(self.starts)
        plain = np.stack(
            [
                np.bincount(self.ring_polygons, weights=axis, minlength=len(self)) / sizes
                for axis in self.corners[self.rings].T
            ],
            axis=1,
        )
        middles = self.corners[self.triangles].mean(axis=1)
        sums = np.stack(
            [
                np.bincount(self.triangle_polygons, weights=axis * weights, minlength=len(self))
                for axis in middles.T
            ],
            axis=1,
        )
        flat = total <= _TINY * (1 + np.abs(plain).max(axis=1)) ** 2
        return np.where(
            flat[:, np.newaxis], plain, sums / np.where(flat, 1.0, total)[:, np.newaxis]
        )

    def sides(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the sides of the polygons, (K, 2) corner numbers, the lower first, and the polygon
        of each, (K,).
        """
        pairs = np.stack([self.rings, self.rings[self._following]], axis=1)
        return np.sort(pairs, axis=1), self.ring_polygons

    def neighbors(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the pairs of polygons that share a side, (E, 2), and the lengths of the lines from
        center to center through the middle of the side, (E,).

        Where more than four polygons share one side, each is paired with the next three.
        """
        shared, owners = self.shared
        middles = self.corners[shared].mean(axis=1)
        halves = [
            np.sqrt(((self.centers[owners[:, k]] - middles) ** 2).sum(axis=1)) for k in range(2)
        ]
        return owners, np.maximum(halves[0] + halves[1], np.finfo(np.float64).tiny)

    @cached_property
    def shared(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sides that polygons share, (E, 2) corners, and which two do, (E, 2)."""
        pairs, owners = self.sides()
        keys = pairs[:, 0] * max(len(self.corners), 1) + pairs[:, 1]
        order = np.argsort(keys, kind="stable")
        first = [order[:-k][keys[order[:-k]] == keys[order[k:]]] for k in range(1, 4)]
        second = [order[k:][keys[order[:-k]] == keys[order[k:]]] for k in range(1, 4)]
        one = np.concatenate(first)
        other = np.concatenate(second)
        differs = owners[one] != owners[other]
        return pairs[one[differs]], np.stack([owners[one[differs]], owners[other[differs]]], axis=1)

    # Where a position lies

    @cached_property
    def _bins(self) -> TriangleBins:
        """The triangles by squares of the plane."""
        return binned(self.corners[:, :2], self.triangles, np.abs(self.doubled_areas) > 0)

    def locate(
        self, points: NDArray[np.float64], max_height: float | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the triangle straight below or above each position, the nearest in height.

        Parameters
        ----------
        points : ndarray of float64, (N, 2) or (N, 3)
            World positions; (N, 3) on a mesh in 3D.
        max_height : float, optional
            Largest distance in height, in world units; no limit if absent.

        Returns
        -------
        found : ndarray of int64, (N,)
            Indices of `triangles`, -1 for none.
        shares : ndarray of float64, (N, 3)
            The barycentric coordinates in the triangle.
        off : ndarray of float64, (N,)
            The distance in height, in world units.
        """
        found = np.empty(len(points), dtype=np.int64)
        off = np.empty(len(points))
        shares = np.empty((len(points), 3))
        places = np.ascontiguousarray(points)
        highest = np.inf
        if max_height is not None:
            highest = max_height
        common = (self._bins, self.corners, places, highest, _RIM)
        function = kernels.agents.mesh_moving.locate
        pool.run(
            [
                (function, (*common, *band, found, shares, off))
                for band in pool.bands(len(points), len(points) // _PER_THREAD)
            ]
        )
        return found, shares, off

    def distances_to_sides(
        self, polygons: NDArray[np.int64], points: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return how far each point (N, 2 or 3) is from the nearest side of its polygon (N,), seen
        from above.
        """
        sizes = self.starts[polygons + 1] - self.starts[polygons]
        entries = runs(self.starts[polygons], sizes)
        corners = self.corners[:, :2]
        begin = corners[self.rings[entries]]
        along = corners[self.rings[self._following[entries]]] - begin
        away = np.repeat(points[:, :2], sizes, axis=0) - begin
        squares = (along**2).sum(axis=1)
        shares = (away * along).sum(axis=1) / np.where(squares > 0, squares, 1.0)
        nearest = away - np.clip(shares, 0.0, 1.0)[:, np.newaxis] * along
        firsts = np.cumsum(sizes) - sizes
        return np.sqrt(np.minimum.reduceat((nearest**2).sum(axis=1), firsts))


def _rings(
    polygons: Sequence[ArrayLike] | ArrayLike,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the index of the first corner of each polygon, and the corners of all polygons in a
    row.
    """
    if isinstance(polygons, np.ndarray) and polygons.ndim == 2 and polygons.dtype.kind in "iu":
        count, sides = polygons.shape
        return np.arange(count + 1) * sides, polygons.astype(np.int64).reshape(-1)
    if isinstance(polygons, str) or not np.iterable(polygons):
        raise InvalidValue(
            "Polygons are lists of corner numbers",
            got=f"{polygons!r}"[:60],
            remedy="Pass [(0, 1, 2), ...]",
        )
    rings = [_ring(polygon) for polygon in polygons]
    starts = np.cumsum([0, *(len(ring) for ring in rings)])
    return starts, np.concatenate([np.zeros(0, dtype=np.int64), *rings])


def _ring(polygon: ArrayLike) -> NDArray[np.int64]:
    ring = checks.array("The corners of a polygon", polygon)
    if ring.ndim != 1 or (ring.size and ring.dtype.kind not in "iu"):
        raise InvalidValue(
            "A polygon is a list of corner numbers",
            got=f"{ring.dtype} of shape {ring.shape}",
            remedy="Pass whole numbers",
        )
    return ring.astype(np.int64)
