"""What every question asks of the thing it is put to, and how its kernel is called."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.space import AnySpace, Grid
from fieldcraft.space.keeping import kept_until_walls_change

__all__ = ["Ground", "Readable", "crowd", "frozen", "squared", "too_far"]

_SLACK = 1e-9  # distances are equal to one part in so many, so that 0.3 is three cells of 0.1


class Readable(Protocol):
    """Anything that has values on a grid or a graph: a layer, an expression, what a game keeps itself."""

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now, shape (height, width), [row, column]; (N,) on a graph."""
        ...

    @property
    def space(self) -> AnySpace:
        """What they lie on."""
        ...


class Ground:
    """The values and the grid of one thing that questions are put to."""

    def __init__(self, layer: Readable) -> None:
        space = getattr(layer, "space", None)
        values: Any = getattr(layer, "values", None) if isinstance(space, Grid) else None
        if not isinstance(space, Grid) or not isinstance(values, np.ndarray):
            raise InvalidValue(
                "A question is put to a layer or an expression on a grid",
                got=type(layer).__name__,
                remedy="Pass imap[name], or add your array as a layer: imap.add_layer(name, values=array)",
            )
        if values.shape != space.shape or values.dtype.kind not in "fiub":
            raise InvalidValue(
                "Values are numbers in the space's shape (height, width)",
                got=f"{values.dtype} of shape {values.shape} on a space of {space.shape}",
                remedy="Let `values` be an array indexed [row, column]",
            )
        self.space = space
        self.values = frozen(np.ascontiguousarray(values, dtype=np.float32))
        self.walls = frozen(space.walls)
        self.flat = self.values.reshape(-1)

    def obstacles(self) -> tuple[NDArray[np.bool_], bool, NDArray[np.uint8], NDArray[np.bool_], bool]:
        """What may bar a step, as `kernels.sample.bilinear` takes it.

        Walls; whether nothing bars any step; classes of ground, which two of them may be entered from each other, and
        whether these say more than walls do.
        """
        terrain = self.space.terrain
        if terrain is None or terrain.is_plain:
            nothing = frozen(np.zeros((1, 1), dtype=np.uint8)), np.ones((1, 1), dtype=np.bool_), False
            return self.walls, _is_open(self.space), *nothing
        return self.walls, False, frozen(terrain.classes), terrain.enter & terrain.enter.T, True

    def places(self, positions: ArrayLike, outside: str) -> tuple[NDArray[np.float64], bool]:
        """World positions in cells from the origin, (N, 2), as `kernels.sample` takes them; and whether it was one pair."""
        points, single = checks.positions(positions)
        with np.errstate(over="ignore", invalid="ignore"):
            self.space.cell_at(points, outside=outside)
            places = (points - self.space.origin) / self.space.cell_size
        if not np.isfinite(places).all():
            raise too_far(points[~np.isfinite(places).all(axis=1)][0])
        size = (self.space.width, self.space.height)
        return (np.mod(places, size) if self.space.wrap else np.clip(places, 0, size)), single

    def positions(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """The way back from `places`."""
        if self.space.wrap:
            places = np.mod(places, (self.space.width, self.space.height))
        return np.asarray(places * self.space.cell_size + self.space.origin)

    def closed(self, where: Readable | ArrayLike | None) -> NDArray[np.uint8]:
        """Which cells can't be answers, 1 or 0: walls, and those where the mask says no. Free to be changed."""
        if where is None:
            return self.walls.astype(np.uint8)
        return (self.walls | ~self._mask(where)).astype(np.uint8)

    def _mask(self, where: Readable | ArrayLike) -> NDArray[np.bool_]:
        if isinstance(getattr(where, "space", None), Grid):
            other = Ground(where)  # type: ignore[arg-type]
            if not other.space.same_cells(self.space):
                raise InvalidValue(
                    "where lies on the ground of the layer that is asked",
                    got=f"{other.space!r} for {self.space!r}",
                    remedy="Use layers of one cell size, or pass an array of bool",
                )
            return np.asarray(other.values != 0)
        mask = np.asarray(where)
        if mask.shape != self.space.shape or mask.dtype != np.bool_:
            hint = " (it looks like [x, y]: transpose it)" if mask.shape == self.space.shape[::-1] != self.space.shape else ""
            raise InvalidValue(
                f"where is an array of bool of shape {self.space.shape}, or a layer or expression that is not 0 where cells may be taken",
                got=f"{mask.dtype} of shape {mask.shape}{hint}",
                remedy="Pass a comparison such as layer.values > 0.5",
            )
        return mask


@kept_until_walls_change
def _is_open(space: Grid) -> bool:
    """Whether a grid has no walls; looked up once for each change of them."""
    return not space.walls.any()


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view: one kind of array, so that each kernel is compiled once."""
    view = array.view()
    view.flags.writeable = False
    return view


def crowd(call: Callable[[int, int], pool.Call], count: int, least: int) -> None:
    """Serve `count` agents, on several threads where each has `least` to do; `call(first, last)` serves some of them."""
    bands = max(1, min(pool.threads(), count // least))
    edges = [count * band // bands for band in range(bands + 1)]
    pool.run([call(first, last) for first, last in pairwise(edges)])


def too_far(point: NDArray[np.float64]) -> InvalidValue:
    """What is said about a position so far away that its cell is beyond float64."""
    return InvalidValue("Positions lie within 1e308 cells of the map", got=f"{tuple(point.tolist())}", remedy="Mend that position")


def squared(distance: float, cell_size: float, *, at_least: bool) -> float:
    """A world distance in cells, squared, a hair to the generous side: for "at least", or for "at most", this far."""
    cells = distance / cell_size
    # Beyond 1e9 cells lies no map, and the square of more might overflow.
    return min(cells, 1e9) ** 2 * (1 - _SLACK if at_least else 1 + _SLACK)
