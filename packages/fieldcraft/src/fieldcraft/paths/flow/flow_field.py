"""Flow fields on every kind of space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base.interruption import atomic
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.shared.arrays import Ints
from fieldcraft.space import Space
from fieldcraft.space.csr import NO_CELLS

if TYPE_CHECKING:
    from fieldcraft.paths.distance_maps import DistanceMap


class FlowField(Suggesting, ABC):
    """Directions that lead to the goals of a distance map, on a grid, graph or mesh; made by
    `flow_field`.

    The field is computed when it is first read, and updated when it is read after a change of
    distances or walls.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> field = fc.flow_field(fc.distance_map(fc.Grid(3, 2), (0.5, 0.5)))
    >>> field.vectors[0, 2], field.sample((1.5, 0.5))
    (array([-1.,  0.], dtype=float32), array([-1.,  0.]))
    """

    space: Space
    _shown: NDArray[np.float32]

    def __init__(self, distance_map: DistanceMap) -> None:
        self.distance_map = distance_map
        self._seen: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return f"<FlowField of {self.distance_map!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.distance_map,)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The direction of each cell: float32, (height, width, 2) on a grid, (N, 2) or (N, 3) on a
        graph, along the world's axes.

        Unit vectors; 0 at goals, in walls and where no goal is reached. A read-only view, which
        changes with the map.
        """
        self._follow()
        return self._shown

    if TYPE_CHECKING:

        @property
        def next(self) -> NDArray[np.int64]:
            """On graphs and meshes: the next vertex from each vertex, (N,)."""

    @property
    def version(self) -> tuple[int, int]:
        """The versions of the distance map and of the walls that the field shows."""
        return self._follow()

    @abstractmethod
    def sample(self, positions: ArrayLike, *, outside: IfOutside = "refuse") -> NDArray[np.float64]:
        """Return the directions to walk from world positions.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions; on a 3D graph of shape (3,) or (N, 3).
        outside : {"refuse", "clamp"}
            With "clamp" positions off the map count as in the nearest cell.

        Returns
        -------
        ndarray of float64
            Unit vectors in the shape of `positions`, or 0 where no goal is reached.

        Raises
        ------
        OutsideMap
            If a position is outside the map.
        InvalidValue
            If an argument has a wrong value, shape or type.
        """

    @abstractmethod
    def _update(self, changed: Ints | None, walls: Ints) -> None:
        """Read the distance map in changed cells, all for None, and changed walls."""

    def _follow(self) -> tuple[int, int]:
        now = (self.distance_map.version, self.space.walls_version)
        if now != self._seen:
            self._take_over(now)
        return now

    @atomic
    def _take_over(self, now: tuple[int, int]) -> None:
        if self._seen is None:
            self._update(None, NO_CELLS)
        else:
            changed = self._changed_since(self._seen[0])
            self._update(changed, self.space.walls_changed(self._seen[1]))
        self._seen = now

    def _changed_since(self, version: int) -> Ints | None:
        """Return the cells where the distance map has changed since a version, as far as directions
        depend on it; None if maybe all.
        """
        return self.distance_map.changed_since(version)

    def _goal_cells(self) -> Ints:
        """Return the cells where paths end: no goals in walls, and no goals nearer to another
        goal.
        """
        distances = self.distance_map
        ends: Ints = distances.goals[distances.measured(distances.goals) == distances.start_costs]
        return ends
