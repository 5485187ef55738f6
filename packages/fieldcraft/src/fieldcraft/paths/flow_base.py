"""The questions that every flow field answers, on whatever space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.space import Space

if TYPE_CHECKING:
    from fieldcraft.paths.distances import DistanceMap

__all__ = ["FlowField", "Sampler"]

Sampler = Callable[[NDArray[np.float64], int, int, NDArray[np.float64]], None]


class FlowField(ABC):
    """Directions that lead to the goals of a distance map, on a grid, graph or mesh; made by
    `flow_field`.

    It reads the distances when it is first looked at, and what has changed in them or in the walls
    whenever it is looked at.
    """

    distance_map: DistanceMap
    space: Space

    def __repr__(self) -> str:
        return f"<FlowField of {self.distance_map!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from fieldcraft.paths.flow import flow_field

        return flow_field, (self.distance_map,)

    @property
    @abstractmethod
    def vectors(self) -> NDArray[np.float32]:
        """The direction of each cell: float32, (height, width, 2) on a grid, (N, 2) or (N, 3) on a
        graph, along the world's axes.

        Unit vectors; 0 at goals, in walls and where no goal can be reached from. A read-only view,
        which changes with the map.
        """

    @property
    @abstractmethod
    def version(self) -> tuple[int, int]:
        """The versions of the distance map and of the walls that the field shows; another one after
        it has changed.
        """

    @abstractmethod
    def sample(self, positions: ArrayLike, *, outside: str = "refuse") -> NDArray[np.float64]:
        """The directions in which to walk from world positions, of the same shape: unit vectors, or
        0 where there is nowhere to go.

        `outside` is "refuse" or "clamp", see `cell_at` of the space. Raises `OutsideMap` or
        `InvalidValue`.
        """

    @abstractmethod
    def sampler(self, *, outside: str = "refuse") -> Sampler:
        """`sample` for a band of checked positions, for whoever calls kernels: `serve(points,
        first, last, out)`.
        """

    def ends(self) -> NDArray[np.int64]:
        """The cells where ways end: a goal that another one undercuts is not a goal, nor is one in
        a wall.
        """
        distances = self.distance_map
        ends: NDArray[np.int64] = distances.goals[
            distances.measured(distances.goals) == distances.start_costs
        ]
        return ends
