"""Arguments of sight: positions of viewers, their radius and their direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.ranges import SLACK
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space.cells import cell_array, on_map
from fieldcraft.space.kinds import checked_space, sight_grid_of
from fieldcraft.space.space import Space
from fieldcraft.space.space_ranges import within_range


@dataclass(frozen=True, eq=False)
class Viewers:
    """Viewers at `points` (N, 2 or 3) that see as far as `limits` (N,), in world units: the largest
    distances that are within their radii.

    `cones` (N, 3), or empty, are the directions in which they look, with y along the rows, and the
    least cosine that a direction in sight has to it: see `kernels.sight.visible.NO_CONES`.
    """

    points: NDArray[np.float64]
    limits: NDArray[np.float64]
    cones: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.points)

    def squared_cells(self, cell_size: float) -> NDArray[np.int64]:
        """Return the largest squared distances, in cells."""
        return kernels.sight.visible.squared_reaches(self.limits / cell_size)

    @property
    def squares(self) -> NDArray[np.float64]:
        """The largest squared distances, in world units."""
        return np.minimum(self.limits, checks.LARGEST) ** 2


def checked_viewers(
    space: Space,
    positions: ArrayLike,
    radius: ArrayLike,
    facing: ArrayLike | None,
    angle: float,
    outside: IfOutside,
) -> Viewers:
    """Return the viewers that the arguments of a function of sight describe."""
    checked_space(space, "Sight takes place on")
    points = points_on_map(space, positions, outside)
    opening = checks.positive("angle", angle, maximum=360)  # degrees
    limits = within_range(space, _radii(space, radius, len(points)))
    cones = kernels.sight.visible.NO_CONES
    if facing is not None:
        cones = np.empty((len(points), 3))
        cones[:, :2] = _facings(space, facing, len(points))
        # Both edges of the cone belong to it.
        cones[:, 2] = math.cos(math.radians(opening / 2)) - SLACK
    return Viewers(points, limits, cones)


def points_on_map(space: Space, positions: ArrayLike, outside: IfOutside) -> NDArray[np.float64]:
    """Return positions as an array (N, 2), or (N, 3) in 3D; see `on_map`."""
    if space._quick_cells(positions, outside) is not None and outside == "refuse":
        return np.asarray(positions)
    return checks.positions(on_map(space, positions, outside), dimensions=space.dimensions)[0]


def _radii(space: Space, radius: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return the radii (N,); infinite ones reach over the whole space."""
    one: object = radius
    if isinstance(one, (int, float)) and one is not True and 0 < one <= checks.LARGEST:
        return np.full(count, float(one))
    given = checks.array("radius", radius)
    if given.dtype.kind == "f" and np.isposinf(given).any():
        low, high = space.extent
        diameter = 2 * float(np.sqrt(((high - low) ** 2).sum())) + 1
        given = np.where(np.isposinf(given), diameter, given)
    if given.ndim == 0:
        return np.full(count, checks.positive("radius", given[()]))
    return checks.positives("radius", given, count)


def _facings(space: Space, facing: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return directions, one for all or (count, 2), as unit vectors in the order of rows."""
    array = checks.array("facing", facing)
    lengths = range(2, space.dimensions + 1)
    shapes = [shape for size in lengths for shape in ((size,), (count, size))]
    if array.dtype.kind not in "iuf" or array.shape not in shapes:
        raise InvalidValue(
            "facing is one direction (x, y), or one per position; a z is ignored",
            got=f"{array.dtype} of shape {array.shape} for {count} positions",
            remedy=f"Pass one direction, or an array of shape ({count}, 2)",
        )
    wide = np.broadcast_to(array[..., :2], (count, 2)).astype(np.float64, order="C")
    largest = np.abs(wide).max(axis=1, keepdims=True)
    checks.none_wrong(
        "A direction is finite and not (0, 0)",
        wide,
        ~(np.isfinite(largest) & (largest > 0))[:, 0],
        "Pass another direction",
    )
    wide /= largest
    wide /= np.hypot(wide[:, 0], wide[:, 1])[:, np.newaxis]
    grid = sight_grid_of(space)
    if grid is not None and grid.y_up:
        wide[:, 1] *= -1
    return wide


class SightHeights(NamedTuple):
    """How high the ground of each cell is, in the shape of the squares, and eyes above it."""

    ground: NDArray[np.float32]
    eye: float


def checked_heights(space: Space, heights: ArrayLike | None, eye: float) -> SightHeights | None:
    """Return the heights over which lines of sight run; None if nothing but walls hides."""
    above = checks.not_negative("eye", eye)
    if heights is None:
        return None
    grid = sight_grid_of(space)
    if grid is None:
        raise InvalidValue(
            "Heights are those of squares",
            got=f"heights on {space!r}",
            remedy="Use a fieldcraft.Grid, or the graph of one; or leave heights out",
        )
    array = cell_array(space, "heights", heights)
    with np.errstate(over="ignore"):
        narrow = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(narrow).all():
        index, place = checks.first(~np.isfinite(narrow))
        got = f"{array[index]} at {place}"
        remedy = "Replace NaN and infinity"
        raise InvalidValue("heights are finite float32 numbers", got=got, remedy=remedy)
    # A copy: what keeps heights does not change when the caller's array does.
    ground = narrow.reshape(grid.shape)
    if np.may_share_memory(ground, array):
        ground = ground.copy()
    return SightHeights(read_only(ground), above)


def heights_for_kernels(heights: SightHeights | None) -> SightHeights:
    """Return heights as kernels take them: an empty ground where nothing but walls hides."""
    if heights is None:
        return SightHeights(kernels.sight.visible.NO_HEIGHTS, 0.0)
    return heights


def check_need_of_sight(heights: ArrayLike | None, sight: bool, got: str, remedy: str) -> None:
    """Refuse heights where lines of sight hide nothing."""
    if heights is not None and not sight:
        raise InvalidValue(
            "Heights hide cells along lines of sight", got=f"heights with {got}", remedy=remedy
        )
