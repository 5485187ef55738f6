"""The field of a trail on graphs and meshes: it gathers and evaporates, and does not blur."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.propagation.trail_field import TrailField

__all__ = ["GraphTrailField"]


class GraphTrailField(TrailField):
    """See `Trail`: each vertex for itself. Vectors have as many parts as positions."""

    def _derive(self) -> None:
        super()._derive()
        if self.trail.blur != 1:
            raise InvalidValue(
                "A trail on a graph or mesh does not blur",
                got=f"blur={self.trail.blur!r}",
                remedy="Pass blur=1",
            )

    def _step(self) -> None:
        walls = self.space.walls.reshape(-1)
        for plane, canvas in zip(self.planes, self.inflow, strict=True):
            came = canvas.sums.reshape(-1) / kernels.stamps.SCALE
            new = (self._gain * plane.astype(np.float64) + came).astype(np.float32)
            plane[:] = np.where(walls | (np.abs(new) < self._floor), 0, new)
            canvas.sums[:] = 0

    def step_in_units(self) -> Iterator[None]:
        """Take one step, in one unit."""
        self.run(1)
        yield

    def state(self) -> dict[str, NDArray[Any]]:
        """See `TrailField.state`."""
        found = super().state()
        if "inflow" in found:
            found["inflow"] = found["inflow"].reshape(self.planes.shape)
        return found
