"""What feeds a layer: sources, which act at each step, and deposits, which only fade."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.layer.prints import Prints
from fieldcraft.propagation import Fade, Radial, Trail
from fieldcraft.propagation.footprints import too_large
from fieldcraft.propagation.radial import MOST_SOURCES, MOST_STRENGTH
from fieldcraft.propagation.trail import TrailField
from fieldcraft.sources import Source, Sources
from fieldcraft.sources.placing import place

if TYPE_CHECKING:
    from fieldcraft.propagation import Field

__all__ = ["Fed"]


class Fed(Prints):
    """The verbs of a layer by which influence comes onto it."""

    if TYPE_CHECKING:
        _sources: Sources

        @property
        def _values(self) -> NDArray[np.float32]: ...

    @property
    def sources(self) -> Sources:
        """The live sources, as arrays, with bulk calls to move, change and remove them."""
        return self._sources

    def add_source(
        self,
        position: ArrayLike,
        strength: float = 1.0,
        *,
        radius: float | None = None,
        falloff: Any = None,
        lifetime: float | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> Source:
        """Put a source at a world (x, y) position. It acts from the centre of its cell, from the next step on.

        Parameters
        ----------
        strength: what its cell reads; may be negative.
        radius, falloff: its own, in place of those of a layer with `Radial`; the radius in world units.
        lifetime: seconds of this layer's time after which it goes by itself.
        on_wall: "refuse" a position on a wall, take the "nearest" open cell, or stand there and act "through" it.
        outside: "refuse" a position off the map, or "clamp" it to the rim.

        Raises `OutsideMap`, `OnWall` or `InvalidValue`; then nothing has changed.
        """
        points, single = checks.positions(position, dimensions=self.space.dimensions)
        if not single:
            raise InvalidValue(
                "add_source() takes one (x, y) pair", got=f"an array of shape {np.shape(position)}", remedy="Use add_sources() for many"
            )
        ids = self.add_sources(
            points,
            checks.finite("strength", strength),
            radii=radius,
            falloff=falloff,
            lifetimes=lifetime,
            on_wall=on_wall,
            outside=outside,
        )
        return Source(self._sources, int(ids[0]))

    def source(self, identity: int) -> Source:
        """The handle of a live source, by its id; raises `DeadSource` for any other."""
        self._sources.positions_of([identity])
        return Source(self._sources, int(identity))

    def add_sources(
        self,
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        radii: ArrayLike | None = None,
        falloff: Any = None,
        lifetimes: ArrayLike | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> NDArray[np.int64]:
        """Put sources at (N, 2) world positions; returns their ids, shape (N,), for `layer.sources`.

        `strengths`, `radii` and `lifetimes` are one number for all or N numbers. The rest as in `add_source`.
        """
        with self._guard:
            self._emitting()
            if radii is not None or falloff is not None:
                self._radiating("radii and falloffs")
            curve = None if falloff is None else Falloff.of(falloff)
            expires = None
            if lifetimes is not None:
                points, _ = checks.positions(positions, dimensions=self.space.dimensions)
                seconds = checks.numbers("lifetimes", lifetimes, len(points))
                expires = np.array([self._ticks + clock.ticks("lifetime", s, minimum=1) for s in seconds.tolist()], dtype=np.int64)
            return self._sources.add(positions, strengths, radii=radii, falloff=curve, expires=expires, on_wall=on_wall, outside=outside)

    def sync(
        self,
        keys: Iterable[Hashable],
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        radii: ArrayLike | None = None,
        falloff: Any = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Make the keyed sources be exactly these entities: for everyone who holds a list of them each frame.

        `keys` are N different hashable values; new ones are added, known ones moved and given their new strength,
        missing ones removed. `radii` and `falloff` are those of a radial layer's sources, as in `add_sources`; without
        them known ones keep theirs. Sources added without a key are left alone. All or nothing happens.
        """
        with self._guard:
            self._emitting()
            if radii is not None or falloff is not None:
                self._radiating("radii and falloffs")
            curve = None if falloff is None else Falloff.of(falloff)
            self._sources.sync(keys, positions, strengths, radii=radii, falloff=curve, on_wall=on_wall, outside=outside)

    def deposit(self, positions: ArrayLike, amounts: ArrayLike = 1.0, *, on_wall: str = "refuse", outside: str = "refuse") -> None:
        """Add to the values of cells at once: an event that only fades.

        Deposits in one cell add. In the cell of a source the source wins at the next step. `amounts` is one number for
        all or N numbers; a result beyond 1e30 in size raises `InvalidValue` and changes nothing.

        On a layer with `Trail` deposits come in at the next update, in any order to the same bits; on one of vectors amounts
        are one (x, y) or an (N, 2) array. On a layer with `Fade` values stay within 0 and its maximum.
        """
        with self._guard:
            field = self._fading("deposits")
            if isinstance(field, TrailField):
                self._leave(field, positions, amounts, on_wall=on_wall, outside=outside)
                return
            self._catch_up()
            points, cells = place(self.space, positions, on_wall=on_wall, outside=outside, walls_allowed=False)
            extra = checks.amounts("amounts", amounts, len(points))
            touched, inverse = np.unique(cells, return_inverse=True)
            flat = self._values.reshape(-1)
            after = flat[touched] + np.bincount(inverse, weights=extra, minlength=len(touched))
            if (np.abs(after) > checks.LARGEST).any():
                raise InvalidValue(
                    f"Values are at most {checks.LARGEST:g} in size",
                    got=f"deposits that add up to {after[np.abs(after).argmax()]:g} in a cell",
                    remedy="Deposit less",
                )
            flat[touched] = after
            self._version += 1
            field.touched(touched)

    def _limit_sources(self) -> None:
        if isinstance(self._propagation, Radial):
            self._sources.limit(MOST_STRENGTH, MOST_SOURCES, too_large(self.space))

    def _radiating(self, what: str) -> None:
        if not isinstance(self._propagation, Radial):
            raise InvalidValue(
                f"{what} are for layers with fc.Radial",
                got=f"layer {self.name!r} with {type(self._propagation).__name__}",
                remedy="Leave it out",
            )

    def _emitting(self) -> None:
        self._moving("sources")
        if isinstance(self._propagation, (Fade, Trail)):
            verb = "mark() wherever something is known" if isinstance(self._propagation, Fade) else "deposit() or stamp() each step"
            raise InvalidValue(
                f"A layer with fc.{type(self._propagation).__name__} takes what agents leave, and has no sources",
                got=f"layer {self.name!r}",
                remedy=f"Call layer.{verb}",
            )

    def _fading(self, what: str) -> Field:
        field = self._moving(what)
        if isinstance(self._propagation, Radial):
            raise InvalidValue(
                f"{what} need a layer whose values fade; a radial one shows its sources and nothing else",
                got=f"layer {self.name!r} with Radial",
                remedy="Add a source with a lifetime, or a layer with fc.Spread(...)",
            )
        return field

    def _moving(self, what: str) -> Field:
        if self._field is None:
            raise InvalidValue(
                f"{what} need a layer with a propagation",
                got=f"layer {self.name!r}, which carries an array of yours",
                remedy="Change it with layer.write(array), or add a layer with fc.Spread(...)",
            )
        return self._field
