"""One live source as an object."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

if TYPE_CHECKING:
    from fieldcraft.sources.sources import Sources

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
        self,
        position: ArrayLike,
        *,
        velocity: ArrayLike | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Move to a world position; the policies are those of `Layer.add_source`.

        With a `velocity`, world units a second, it goes on in that direction as the layer's time
        passes, until it is moved again. With the policies "refuse" the layer then raises
        `OutsideMap` when it leaves the map, and `OnWall` when it gets into a wall.

        >>> import fieldcraft as fc
        >>> threat = fc.InfluenceMap(fc.Grid(6, 1)).add_layer("threat", fc.Radial(1))
        >>> guard = threat.add_source((0.5, 0.5))
        >>> guard.move((0.5, 0.5), velocity=(2, 0))
        >>> threat.at(2).values
        array([[0., 0., 0., 0., 1., 0.]], dtype=float32)
        """
        points, single = checks.positions(position, dimensions=self._sources.dimensions)
        if not single:
            raise InvalidValue(
                "A source has one position",
                got=f"an array of shape {np.shape(position)}",
                remedy="Move many with layer.sources.move(ids, positions)",
            )
        self._sources.move([self.id], points, velocities=velocity, on_wall=on_wall, outside=outside)

    def follow(
        self,
        path: ArrayLike,
        speed: float,
        *,
        repeat: bool = False,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Walk from here along the points of a path, as the layer's time passes.

        `path` is a `Path` or (N, 2) world positions, `speed` in world units a second. At its end
        the source stays; with `repeat` it begins again from here, so a patrol ends where it began.

        >>> import fieldcraft as fc
        >>> threat = fc.InfluenceMap(fc.Grid(6, 1)).add_layer("threat", fc.Radial(1))
        >>> guard = threat.add_source((0.5, 0.5))
        >>> guard.follow([(3.5, 0.5), (0.5, 0.5)], speed=1, repeat=True)
        >>> [float(threat.at(t).values.argmax()) for t in (1, 3, 5, 7)]
        [1.0, 3.0, 1.0, 1.0]
        """
        self._sources.follow(self.id, path, speed, repeat=repeat, on_wall=on_wall, outside=outside)

    def schedule(self, times: ArrayLike, strengths: ArrayLike, period: float | None = None) -> None:
        """Change the strength with time: `strengths[i]` holds from `times[i]` seconds from now on.

        The first time is 0. After `period` seconds, if given, it begins again.

        >>> import fieldcraft as fc
        >>> shells = fc.InfluenceMap(fc.Grid(1, 1)).add_layer("shells", fc.Radial(1))
        >>> gun = shells.add_source((0.5, 0.5), 0.0)
        >>> gun.schedule([0, 4, 5], [0, 9, 0], period=6)
        >>> [float(shells.at(t).values.max()) for t in (1, 4.5, 5.5, 10.5)]
        [0.0, 9.0, 0.0, 9.0]
        """
        self._sources.schedule(self.id, times, strengths, period)

    def resize(self, radius: float) -> None:
        """Give it another radius, in world units; for radial layers."""
        self._sources.set_radii([self.id], checks.positive("radius", radius))

    def remove(self) -> None:
        """Take it away. What it spread fades from the next step on."""
        self._sources.remove([self.id])
