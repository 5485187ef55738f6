"""One live source, for who would rather hold it than know its id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

if TYPE_CHECKING:
    from fieldcraft.sources.book import Sources

__all__ = ["Source"]


class Source:
    """One source of a layer: a handle on a row of its `Sources`."""

    __slots__ = ("_sources", "id")

    def __init__(self, sources: Sources, identity: int) -> None:
        self._sources = sources
        self.id = identity

    def __repr__(self) -> str:
        if not self.alive:
            return f"<Source {self.id}, gone>"
        place = ", ".join(f"{value:g}" for value in self.position)
        return f"<Source {self.id} at ({place}), strength {self.strength:g}>"

    @property
    def alive(self) -> bool:
        """Whether it is still there: not removed, and within its lifetime."""
        return self._sources.is_alive(self.id)

    @property
    def position(self) -> tuple[float, ...]:
        """World (x, y), or (x, y, z), as it was given. It acts from the center of its cell."""
        return tuple(self._sources.positions_of([self.id])[0].tolist())

    @property
    def strength(self) -> float:
        """The value that its cell reads. May be set; shows from the next step on."""
        return float(self._sources.strengths_of([self.id])[0])

    @strength.setter
    def strength(self, value: float) -> None:
        self._sources.set_strengths([self.id], checks.finite("strength", value))

    def move(
        self, position: ArrayLike, *, on_wall: str = "refuse", outside: str = "refuse"
    ) -> None:
        """Go to a world position; the policies are those of `Layer.add_source`."""
        points, single = checks.positions(position, dimensions=self._sources.dimensions)
        if not single:
            raise InvalidValue(
                "A source has one position",
                got=f"an array of shape {np.shape(position)}",
                remedy="Move many with layer.sources.move(ids, positions)",
            )
        self._sources.move([self.id], points, on_wall=on_wall, outside=outside)

    def resize(self, radius: float) -> None:
        """Give it another radius, in world units; for radial layers."""
        self._sources.set_radii([self.id], checks.positive("radius", radius))

    def remove(self) -> None:
        """Take it away. What it spread fades from the next step on."""
        self._sources.remove([self.id])
