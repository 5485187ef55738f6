"""One live source as an object."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.base.synonyms import refuse_to_set
from fieldcraft.base.words import IfOutside, IfSourceOnWall

if TYPE_CHECKING:
    from fieldcraft.layers.sources.sources import Sources


class Source(Suggesting):
    """One source of a layer: a handle on a row of its `Sources`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> layer = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("threat", fc.Radial(2))
    >>> source = layer.add_source((0.5, 0.5), 4.0)
    >>> source.move((2.5, 0.5))
    >>> source.strength = 8
    >>> source
    <Source 0 at (2.5, 0.5), strength 8>
    >>> source.remove()
    >>> source.alive
    False
    """

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
        """World (x, y), or (x, y, z), as given. The source acts from the center of its cell."""
        return tuple(self._sources.positions_of([self.id])[0].tolist())

    if not TYPE_CHECKING:  # type checkers refuse it themselves
        position = position.setter(refuse_to_set("position"))

    @property
    def strength(self) -> float:
        """The value of its cell. May be set; visible from the next step on."""
        return float(self._sources.strengths_of([self.id])[0])

    @strength.setter
    def strength(self, value: float) -> None:
        self._sources.set_strengths([self.id], checks.finite("strength", value))

    def move(
        self,
        position: ArrayLike,
        *,
        velocity: ArrayLike | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Move to a world position.

        Parameters
        ----------
        position : array_like of shape (2,) or (3,)
            World position.
        velocity : array_like of shape (2,) or (3,), optional
            World units a second: the source continues in that direction as the layer's time passes,
            until it is moved again.
        on_wall, outside : str, optional
            As in `Layer.add_source`. With "refuse" a step raises `OnWall` or `OutsideMap` when the
            source moves into a wall or off the map.

        Examples
        --------
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
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Walk from here along the points of a path, as the layer's time passes.

        Parameters
        ----------
        path : Path or array_like of shape (N, 2)
            World positions. The source stays at the last one.
        speed : float
            World units a second, above 0.
        repeat : bool, optional
            Whether to begin again from here at the end of the path; a patrol ends where it began.
        on_wall, outside : str, optional
            As in `move`.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> threat = fc.InfluenceMap(fc.Grid(6, 1)).add_layer("threat", fc.Radial(1))
        >>> guard = threat.add_source((0.5, 0.5))
        >>> guard.follow([(3.5, 0.5), (0.5, 0.5)], speed=1, repeat=True)
        >>> [float(threat.at(t).values.argmax()) for t in (1, 3, 5, 7)]
        [1.0, 3.0, 1.0, 1.0]
        """
        self._sources.follow(self.id, path, speed, repeat=repeat, on_wall=on_wall, outside=outside)

    def schedule(self, times: ArrayLike, strengths: ArrayLike, period: float | None = None) -> None:
        """Change the strength with time: it is `strengths[i]` from `times[i]` seconds from now on.

        Parameters
        ----------
        times : array_like of shape (N,)
            Seconds from now, ascending; the first is 0.
        strengths : array_like of shape (N,)
            The strengths from these times on.
        period : float, optional
            Seconds after which the schedule begins again.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> shells = fc.InfluenceMap(fc.Grid(1, 1)).add_layer("shells", fc.Radial(1))
        >>> gun = shells.add_source((0.5, 0.5), 0.0)
        >>> gun.schedule([0, 4, 5], [0, 9, 0], period=6)
        >>> [float(shells.at(t).values.max()) for t in (1, 4.5, 5.5, 10.5)]
        [0.0, 9.0, 0.0, 9.0]
        """
        self._sources.schedule(self.id, times, strengths, period)

    def resize(self, radius: float) -> None:
        """Set the radius, in world units; for radial layers."""
        self._sources.set_radii([self.id], checks.positive("radius", radius))

    def remove(self) -> None:
        """Remove the source; its influence fades from the next step on."""
        self._sources.remove([self.id])
