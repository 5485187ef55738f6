"""Steps that a grid allows: neighborhoods, terrain, and links, one bit per step and cell."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.base.words import Corners
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

MAX_STEPS = 64
_REACH = 64
_FOUR = ((1, 0), (-1, 0), (0, 1), (0, -1))
_EIGHT = (*_FOUR, (1, 1), (-1, 1), (1, -1), (-1, -1))
CORNERS = ("never", "if-one-open", "cut")
_OPEN_BESIDE = {"never": 2, "if-one-open": 1, "cut": 0}
"""How many of the two cells beside a diagonal must be open."""


@dataclass(frozen=True)
class Neighborhood(Suggesting):
    """Which cells one step reaches: `steps` are (columns, rows) offsets, in the order in which
    arrays are stored.

    A step (1, 0) goes from a cell to the one on its right, and influence spreads in the same
    direction. Steps of (+-1, +-1) are diagonals; `corners` says how many of the two cells beside
    them must be open: both ("never" cut), one ("if-one-open") or none ("cut"). Longer steps jump.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> knight = fc.Grid(8, 8, neighbors=[(1, 2), (2, 1), (-1, 2), (2, -1)]).neighborhood
    >>> knight.steps
    ((1, 2), (2, 1), (-1, 2), (2, -1))
    >>> knight.lengths(1.0).round(3)
    array([2.236, 2.236, 2.236, 2.236])
    """

    steps: tuple[tuple[int, int], ...]
    corners: Corners = "never"

    @classmethod
    def of(
        cls, neighbors: int | ArrayLike, *, y_up: bool = False, corners: Corners = "never"
    ) -> Neighborhood:
        """Return the neighborhood for some steps.

        Parameters
        ----------
        neighbors : int or array_like of shape (K, 2)
            4, 8, or a table of (dx, dy) steps in cells along the world's axes.
        y_up : bool, optional
            Whether y grows upwards.
        corners : {"never", "if-one-open", "cut"}, optional
            As for `Grid`.

        Raises
        ------
        InvalidValue
            For anything else, for (0, 0), for a step that comes twice, for more than 64 steps and
            for steps longer than 64 cells.
        """
        checks.choice("corners", corners, CORNERS)
        if isinstance(neighbors, (int, np.integer)) and not isinstance(neighbors, bool):
            if neighbors == 4:
                return cls(_FOUR, corners)
            if neighbors == 8:
                return cls(_EIGHT, corners)
        table = checks.array("neighbors", neighbors)
        is_table = table.shape[1:] == (2,) and table.dtype.kind in "iu"
        if is_table and 1 <= len(table) <= MAX_STEPS:
            steps = tuple((int(dx), -int(dy) if y_up else int(dy)) for dx, dy in table)
            longest = max(max(abs(dx), abs(dy)) for dx, dy in steps)
            if (0, 0) not in steps and len(set(steps)) == len(steps) and longest <= _REACH:
                return cls(steps, corners)
        raise InvalidValue(
            f"neighbors is 4, 8, or a table of 1 to {MAX_STEPS} different whole-number steps"
            f" (dx, dy), not (0, 0), that reach at most {_REACH} cells",
            got=f"neighbors={neighbors!r}",
            remedy="Pass 4, 8 or a table such as [(1, 2), (2, 1), (-1, 2), (-2, 1)]",
        )

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def is_four(self) -> bool:
        """Whether these are just the four straight steps, in any order."""
        return set(self.steps) == set(_FOUR)

    @property
    def is_eight(self) -> bool:
        """Whether these are just the eight steps around a cell, in any order."""
        return set(self.steps) == set(_EIGHT)

    def lengths(self, cell_size: float) -> NDArray[np.float64]:
        """Return the world length of each step, shape (len(self),)."""
        return np.array([np.hypot(dx, dy) for dx, dy in self.steps]) * checks.positive(
            "cell_size", cell_size
        )


class Terrain(Suggesting):
    """A class of ground per cell and a table of which class may be entered from which.

    Parameters
    ----------
    classes : array_like
        Whole numbers of shape (height, width), [row, column], each an index into the table, at most
        255.
    enter : array_like
        Bool, shape (K, K); `enter[a, b]` says whether a step from class `a` into class `b` is
        allowed. A class that may not be entered from itself is a wall.
    names : Sequence[str], optional
        K names, for messages and pictures; numbered if absent.

    Raises
    ------
    InvalidValue
        If the arrays don't fit together.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> enter = [[True, False, True], [False, True, True], [True, True, True]]
    >>> terrain = fc.Terrain([[0, 2, 1], [0, 0, 1]], enter, ["land", "water", "beach"])
    >>> grid = fc.Grid(3, 2, terrain=terrain)
    >>> fc.distance_map(grid, (0.5, 1.5)).values
    array([[1., 2., 3.],
           [0., 1., 4.]], dtype=float32)
    """

    def __init__(
        self, classes: ArrayLike, enter: ArrayLike, names: Sequence[str] | None = None
    ) -> None:
        kinds = checks.array("The classes of a terrain", classes)
        table = checks.array("The rows of a terrain's table", enter)
        if (
            table.ndim != 2
            or table.shape[0] != table.shape[1]
            or not 1 <= len(table) <= 256
            or table.dtype != np.bool_
        ):
            raise InvalidValue(
                "The table of a terrain is a square array of bool with 1 to 256 rows",
                got=f"shape {table.shape}, dtype {table.dtype}",
                remedy="Pass enter[a, b] = may class b be entered from class a",
            )
        fits = kinds.ndim == 2 and kinds.dtype.kind in "iu"
        if not fits or kinds.min(initial=0) < 0 or kinds.max(initial=0) >= len(table):
            raise InvalidValue(
                "The classes of a terrain are whole numbers of shape (height, width), from 0 to"
                f" {len(table) - 1}, the rows of its table",
                got=f"shape {kinds.shape}, dtype {kinds.dtype}: {np.array2string(kinds):.80}",
                remedy="Pass an array indexed [row, column], or add rows to the table",
            )
        named: list[Any] = [str(k) for k in range(len(table))]
        if names is not None:
            named = checks.array("The names of a terrain", names).reshape(-1).tolist()
        if len(named) != len(table) or not all(isinstance(name, str) for name in named):
            raise InvalidValue(
                "A terrain has one name, a string, per class",
                got=f"{named!r} for {len(table)} classes",
                remedy="Name each row of the table",
            )
        self.classes: NDArray[np.uint8] = kinds.astype(np.uint8)
        self.classes.flags.writeable = False
        self.enter: NDArray[np.bool_] = table.copy()
        self.enter.flags.writeable = False
        self.names: tuple[str, ...] = tuple(named)

    @property
    def walls(self) -> NDArray[np.bool_]:
        """Which cells are walls: cells of a class that may not be entered from itself."""
        return np.asarray(~self.enter.diagonal()[self.classes])

    @property
    def is_plain(self) -> bool:
        """Whether every open class may be entered from every other, so that only walls block
        steps.
        """
        is_open = self.enter.diagonal()
        return bool(self.enter[np.ix_(is_open, is_open)].all())


_Kind = TypeVar("_Kind", np.bool_, np.uint8)
Steps = tuple[tuple[int, int], ...]
Links = NDArray[np.unsignedinteger]
"""The steps that may enter each cell, a bit for each; see `build_links`."""


def link_masks(steps: Steps) -> Links:
    """Return the bit of each step: uint8 for up to 8 steps, else uint64."""
    return np.array([1 << k for k in range(len(steps))], dtype=_dtype(steps))


def build_links(
    walls: NDArray[np.bool_],
    terrain: Terrain | None,
    neighborhood: Neighborhood,
    wrap: int,
    *,
    into_walls: bool = False,
) -> Links:
    """Return the links of a grid: bit `k` of a cell is set where step `k` of the neighborhood may
    end there; uint8 for up to 8 steps, else uint64.

    No step ends in a wall; with `into_walls` each wall is entered as if only it were open. A step
    from a wall to an open cell is always allowed, because a source may be in a wall.
    """
    return _built(walls, terrain, neighborhood, wrap, walls, into_walls=into_walls)


def patch_links(
    links: Links,
    changed: NDArray[np.int64],
    walls: NDArray[np.bool_],
    terrain: Terrain | None,
    neighborhood: Neighborhood,
    wrap: int,
    *,
    free: NDArray[np.bool_] | None = None,
) -> Links:
    """Return the links after the walls of these cells have changed: a copy of the old ones, updated
    around them.

    `free` are the cells that any step leaves whatever their terrain, by default the walls.
    """
    leave = walls
    if free is not None:
        leave = free
    height, width = walls.shape
    table = _step_table(neighborhood)
    if len(changed) * len(table.around) > height * width // 2:
        return _built(walls, terrain, neighborhood, wrap, leave)
    ground = None
    if terrain is not None:
        ground = (
            read_only(np.ravel(terrain.classes)),
            read_only(np.ascontiguousarray(terrain.enter)),
        )
    patched = np.array(links, order="C")
    kernels.shared.links.patch(
        read_only(changed),
        table.around,
        table.steps,
        read_only(np.ravel(walls)),
        read_only(np.ravel(leave)),
        ground,
        _OPEN_BESIDE[neighborhood.corners],
        width,
        height,
        wrap,
        patched.reshape(-1),
    )
    return patched


class _StepTable(NamedTuple):
    """The steps of a neighborhood, and the offsets from a cell to the cells with links that depend
    on it: (columns, rows).
    """

    steps: NDArray[np.int64]
    around: NDArray[np.int64]


@functools.lru_cache
def _step_table(neighborhood: Neighborhood) -> _StepTable:
    around = {(0, 0), *neighborhood.steps}
    for dx, dy in neighborhood.steps:
        if abs(dx) == 1 and abs(dy) == 1:
            around |= {(dx, 0), (0, dy)}
    return _StepTable(
        read_only(np.array(neighborhood.steps, dtype=np.int64)),
        read_only(np.array(sorted(around), dtype=np.int64)),
    )


def beside(
    array: NDArray[_Kind], dx: int, dy: int, outside: int | bool, wrap: int
) -> NDArray[_Kind]:
    """Return for each cell the value of `array` one step (dx, dy) further, or `outside` off the
    map. `wrap` says which axes wrap, see `grid_frame.WRAP_X`.
    """
    if wrap == WRAP_X + WRAP_Y:
        return np.roll(array, (-dy, -dx), axis=(0, 1))
    if wrap == WRAP_X:
        return beside(np.roll(array, -dx, axis=1), 0, dy, outside, 0)
    if wrap == WRAP_Y:
        return beside(np.roll(array, -dy, axis=0), dx, 0, outside, 0)
    height, width = array.shape
    moved: NDArray[_Kind] = np.full_like(array, outside)
    if abs(dy) < height and abs(dx) < width:
        moved[max(-dy, 0) : height - max(dy, 0), max(-dx, 0) : width - max(dx, 0)] = array[
            max(dy, 0) : height + min(dy, 0), max(dx, 0) : width + min(dx, 0)
        ]
    return moved


def _dtype(steps: Steps) -> type[np.unsignedinteger]:
    if len(steps) <= 8:
        return np.uint8
    return np.uint64


def _built(
    walls: NDArray[np.bool_],
    terrain: Terrain | None,
    neighborhood: Neighborhood,
    wrap: int,
    free: NDArray[np.bool_],
    *,
    into_walls: bool = False,
) -> Links:
    """Return the links of a grid, see `build_links`; any step leaves cells that are `free`."""

    def before(array: NDArray[_Kind], dx: int, dy: int, outside: int | bool) -> NDArray[_Kind]:
        """Return for each cell the value of `array` one step (dx, dy) back, or `outside` off the
        map.
        """
        return beside(array, -dx, -dy, outside, wrap)

    def may_step(dx: int, dy: int) -> NDArray[np.bool_]:
        """Return for each cell whether the border and the terrain allow a step (dx, dy) that ends
        there.
        """
        inside = before(np.ones(walls.shape, dtype=np.bool_), dx, dy, False)
        if terrain is None:
            return inside
        classes = terrain.classes
        enters = terrain.enter[before(classes, dx, dy, 0), classes]
        return inside & (enters | before(free, dx, dy, False))

    steps = neighborhood.steps
    corners = neighborhood.corners
    dtype = _dtype(steps)
    links = np.zeros(walls.shape, dtype=dtype)
    for bit, (dx, dy) in enumerate(steps):
        allowed = may_step(dx, dy)
        if not into_walls:
            allowed &= ~walls
        if abs(dx) == 1 and abs(dy) == 1 and corners != "cut":
            passable = []
            for side_dx, side_dy in ((dx, 0), (0, dy)):
                # The side cell is one straight step after the start, and one straight step before
                # the end.
                rest = (dx - side_dx, dy - side_dy)
                passes = before(~walls, *rest, False) & may_step(*rest)
                if terrain is not None:
                    passes &= before(may_step(side_dx, side_dy), *rest, False)
                passable.append(passes)
            if corners == "never":
                allowed &= passable[0] & passable[1]
            else:
                allowed &= passable[0] | passable[1]
        links |= allowed.astype(dtype) << dtype(bit)
    return links
