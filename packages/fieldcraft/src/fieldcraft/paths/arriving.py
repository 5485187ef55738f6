"""Flow fields that lead to the very positions of their goals, not only into the cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.paths.directions import FlowField, Sampler

__all__ = ["ArrivingFlow"]

_SLOWS = 0.5  # typical steps before the goal where directions begin to shorten


class ArrivingFlow(FlowField):
    """A flow field that goes on within the goals' cells, to the nearest of the positions given
    there; made by `flow_field`.

    There directions are unit vectors down to half a typical step from the goal, and shorten from
    there on to 0 at it, so that whoever follows them comes to rest there. Everywhere else, and in
    `vectors`, it is the field that it was made from.
    """

    def __init__(self, field: FlowField) -> None:
        self.field = field
        self.distance_map, self.space = field.distance_map, field.space

    def __reduce__(self) -> tuple[type[ArrivingFlow], tuple[FlowField]]:
        return ArrivingFlow, (self.field,)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """See `FlowField.vectors`."""
        return self.field.vectors

    @property
    def version(self) -> tuple[int, int]:
        """See `FlowField.version`."""
        return self.field.version

    def sample(self, positions: ArrayLike, *, outside: str = "refuse") -> NDArray[np.float64]:
        """See `FlowField.sample`; in the cells of goals the directions lead to their positions and
        are at most 1 long.
        """
        points, single = checks.positions(positions, dimensions=self.space.dimensions)
        found = np.atleast_2d(self.field.sample(points, outside=outside))
        self._aim(points, found, outside)
        return found[0] if single else found

    def sampler(self, *, outside: str = "refuse") -> Sampler:
        """See `FlowField.sampler`."""
        serve = self.field.sampler(outside=outside)

        def aimed(
            points: NDArray[np.float64], first: int, last: int, out: NDArray[np.float64]
        ) -> None:
            serve(points, first, last, out)
            self._aim(points[first:last], out[first:last], outside)

        return aimed

    def _aim(self, points: NDArray[np.float64], found: NDArray[np.float64], outside: str) -> None:
        """Turn the directions of those in a goal's cell to its position."""
        ends = self.ends()
        still = np.flatnonzero(~found.any(axis=1))
        if not len(still) or not len(ends):
            return
        cells = np.atleast_1d(self.space.cell_at(points[still], outside="clamp"))
        there = np.isin(cells, ends)
        still, cells = still[there], cells[there]
        goals = self.distance_map.goal_positions
        lies_in = np.atleast_1d(self.space.cell_at(goals))
        slows = _SLOWS * self.space.typical_step
        for cell in np.unique(cells).tolist():
            here = still[cells == cell]
            away = self.space.short_way(
                goals[lies_in == cell][np.newaxis] - points[here][:, np.newaxis]
            )
            far = np.sqrt((away**2).sum(axis=2))
            nearest = far.argmin(axis=1)
            rows = np.arange(len(here))
            found[here] = away[rows, nearest] / np.maximum(far[rows, nearest], slows)[:, np.newaxis]
