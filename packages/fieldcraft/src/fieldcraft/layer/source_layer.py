"""Layers that take sources."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from inspect import signature
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft.falloff import Falloff
from fieldcraft.layer.moving import Moving
from fieldcraft.layer.without import Without
from fieldcraft.propagation import PROPAGATIONS
from fieldcraft.sources import Source, Sources

__all__ = ["SourceLayer", "SpreadLayer", "refuse_settings"]


def refuse_settings(others: Mapping[str, object]) -> None:
    """Refuse keywords that a source does not take: settings of layers with a remedy."""
    for name, value in others.items():
        if any(name in signature(kind).parameters for kind in PROPAGATIONS.values()):
            raise InvalidValue(
                "How influence spreads is a setting of the layer, for all of its sources",
                got=f"{name}={value!r} for a source",
                remedy="Add a layer for each behavior, and combine them: imap.add_layer(name,"
                f" fc.Spread(..., {name}={value!r})), say",
            )
        raise TypeError(f"A source takes no keyword {name!r}")


class SourceLayer(Moving):
    """A layer that takes sources, which act at each step."""

    def _about(self) -> str:
        return f"{self.propagation}, {len(self._sources)} sources"

    @property
    def sources(self) -> Sources:
        """The live sources, as arrays, with bulk calls to move, change and remove them."""
        return self._sources

    def add_source(
        self,
        position: ArrayLike,
        strength: float = 1.0,
        *,
        lifetime: float | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
        **others: Never,
    ) -> Source:
        """Put a source at a world (x, y) position. It acts from the center of its cell, from the
        next step on.

        Parameters
        ----------
        strength : float, optional
            What its cell reads; may be negative.
        lifetime : float, optional
            Seconds of this layer's time after which it goes by itself.
        on_wall : str, optional
            "refuse" a position on a wall, take the "nearest" open cell, or stand there and act
            "through" it.
        outside : str, optional
            "refuse" a position off the map, or "clamp" it to the rim.

        Raises
        ------
        OutsideMap
            If a position is outside the map.
        OnWall
            If a position is in a wall.
        InvalidValue
            If an argument has a wrong value, shape or type; then nothing has changed. How influence
            spreads is a setting of the layer: a `decay` of one source is refused.
        """
        refuse_settings(others)
        return self._source(position, strength, lifetime=lifetime, on_wall=on_wall, outside=outside)

    def add_sources(
        self,
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        lifetimes: ArrayLike | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
        **others: Never,
    ) -> NDArray[np.int64]:
        """Put sources at (N, 2) world positions; returns their ids, shape (N,), for
        `layer.sources`.

        `strengths` and `lifetimes` are one number for all or N numbers. The rest as in
        `add_source`.
        """
        refuse_settings(others)
        return self._add(
            positions, strengths, lifetimes=lifetimes, on_wall=on_wall, outside=outside
        )

    def source(self, identity: int | None = None, *, key: Hashable = None) -> Source:
        """The handle of a live source, by its id, or by the key that `sync` knows it by.

        Raises
        ------
        DeadSource
            For an id that is not of a live source.
        UnknownName
            For a key of none.
        """
        if (identity is None) == (key is None):
            raise InvalidValue(
                "A source is asked for by its id or by its key",
                got="both or neither",
                remedy="Pass one of the two",
            )
        if identity is not None:
            identity = checks.integer("identity", identity)
        if identity is None:
            identity = self._sources.id_of(checks.key("key", key))
            if identity is None:
                raise UnknownName("live source with a key", key, map(str, self._sources.keys))
        self._sources.positions_of([identity])
        return Source(self._sources, int(identity))

    def remove_at(self, positions: ArrayLike, *, outside: str = "refuse") -> int:
        """Remove every source in the cells at these world positions, one (x, y) pair or (N, 2);
        returns how many there were.

        A source that was put on a wall, and acts from the nearest open cell, is found in both.
        Where nothing stands nothing happens. Raises `OutsideMap` or `InvalidValue`; then nothing
        has changed.

        >>> layer.add_source((3.5, 2.5)); layer.remove_at((3.5, 2.5))    # doctest: +SKIP
        1
        """
        with self._lock:
            cells = np.atleast_1d(self.space.cell_at(positions, outside=outside))
            sources = self._sources
            put = np.asarray(self.space.cell_at(sources.positions, outside="clamp"))
            gone = sources.ids[np.isin(sources.cells, cells) | np.isin(put, cells)]
            sources.remove(gone)
            return len(gone)

    def sync(
        self,
        keys: Iterable[Hashable],
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        velocities: ArrayLike | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Make the keyed sources be exactly these entities: for everyone who holds a list of them
        each frame.

        `keys` are N different hashable values; new ones are added, known ones moved and given their
        new strength, missing ones removed. Sources added without a key are left alone. All or
        nothing happens. With `velocities`, world units a second, they go on by themselves as the
        layer's time passes, as with `Source.move`.
        """
        self._sources.sync(
            keys, positions, strengths, velocities=velocities, on_wall=on_wall, outside=outside
        )

    def without(self, *sources: Hashable | Source) -> Without:
        """The layer as it would be without some of its sources, as a map: what a unit asks that is
        not to shy at its own influence.

        `sources` are keys of `sync`, or what `add_source` returned; who is not among the sources by
        now takes nothing away. The map follows the layer from step to step. Without them a radial
        layer shows the sum, or the strongest, of all others, bit for bit; one that spreads shows
        where the others would lead in the end (`settle`), without deposits.

        >>> safest = fc.best(cover - allies.without("me"), here, radius=8)    # doctest: +SKIP
        """
        if not sources:
            raise InvalidValue(
                "without() takes the sources to leave out",
                got="none",
                remedy="Pass keys of sync(), or sources",
            )
        return Without(self, sources)

    def _source(
        self, position: ArrayLike, strength: float, *, lifetime: float | None, **shape: Any
    ) -> Source:
        strength = checks.finite("strength", strength)
        return Source(
            self._sources,
            int(self._add(position, strength, lifetimes=lifetime, one=True, **shape)[0]),
        )

    def _add(
        self,
        positions: ArrayLike,
        strengths: ArrayLike,
        *,
        radii: ArrayLike | None = None,
        falloff: Any = None,
        lifetimes: ArrayLike | None = None,
        on_wall: str,
        outside: str,
        one: bool = False,
    ) -> NDArray[np.int64]:
        with self._lock:
            curve = None if falloff is None else Falloff.of(falloff)
            return self._sources.add(
                positions,
                strengths,
                radii=radii,
                falloff=curve,
                lifetimes=lifetimes,
                now=self._ticks,
                on_wall=on_wall,
                outside=outside,
                one=one,
            )

    def _point(self, position: ArrayLike) -> NDArray[np.float64]:
        if isinstance(position, (int, np.integer)) and not isinstance(position, bool):
            return self.space.position_of(position)
        points, single = checks.positions(position, dimensions=self.space.dimensions)
        if not single:
            raise InvalidValue(
                "This takes one position",
                got=f"shape {np.shape(position)}",
                remedy="Use add_sources() or deposit() for many",
            )
        place: NDArray[np.float64] = points[0]
        return place


class SpreadLayer(SourceLayer):
    """A layer with `Spread`, `Diffuse` or `Flood`: sources, and deposits that nothing holds."""

    _instead = (
        "Use add_source() or deposit(), or add a layer of that kind; settle() brings this one to"
        " its end"
    )

    def deposit(
        self,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Add to the values of cells at once: an event that only fades.

        Deposits in one cell add. In the cell of a source the source wins at the next step.
        `amounts` is one number for all or N numbers; a result beyond 1e30 in size raises
        `InvalidValue` and changes nothing.
        """
        with self._lock:
            cells = self._open_cells(positions, on_wall, outside)
            self._field.add(cells, checks.amounts("amounts", amounts, len(cells)))
            self._version += 1

    def add_static(
        self, position: ArrayLike, value: float = 1.0, *, on_wall: str = "refuse"
    ) -> Source:
        """Put an influence somewhere that stays until `remove()` is called on what comes back;
        shows from the next step on.

        The position is a world position, or a cell (on graphs, a vertex) as an int. How far it
        reaches is up to the propagation. Raises what `add_source` raises.
        """
        return self.add_source(self._point(position), value, on_wall=on_wall)

    def add_dynamic(
        self, position: ArrayLike, value: float = 1.0, *, on_wall: str = "refuse"
    ) -> None:
        """Put an influence somewhere that spreads and decays by itself; shows at once. Position and
        errors as in `add_static`.
        """
        self.deposit(self._point(position), checks.finite("value", value), on_wall=on_wall)
