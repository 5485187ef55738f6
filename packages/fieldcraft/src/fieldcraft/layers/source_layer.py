"""Layers that take sources."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from inspect import signature
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.base.spelling import most_similar
from fieldcraft.base.words import IfOnWall, IfOutside, IfSourceOnWall
from fieldcraft.layers.propagated_layer import PropagatedLayer
from fieldcraft.layers.propagation import PROPAGATIONS, Attribution
from fieldcraft.layers.sources import Source, Sources
from fieldcraft.layers.sources.placing import distinct_ground
from fieldcraft.layers.without import OtherSources, Without
from fieldcraft.values.exclusion import Near


def refuse_settings(others: Mapping[str, object]) -> None:
    """Refuse keywords that a source does not take; settings of layers with a remedy."""
    for name, value in others.items():
        if any(name in signature(kind).parameters for kind in PROPAGATIONS.values()):
            raise InvalidValue(
                "How influence spreads is a setting of the layer, for all of its sources",
                got=f"{name}={value!r} for a source",
                remedy="Add a layer for each behavior, and combine them: imap.add_layer(name,"
                f" fc.Spread(..., {name}={value!r})), say",
            )
        one = signature(SourceLayer.add_source).parameters
        many = signature(SourceLayer.add_sources).parameters
        message = f"A source takes no keyword {name!r}"
        meant = most_similar(name, [*one, *many])
        if meant:
            message += f". Did you mean {meant!r}?"
        raise TypeError(message)


class SourceLayer(PropagatedLayer):
    """A layer that takes sources, which act in each step."""

    def _about(self) -> str:
        return f"{self.propagation}, {len(self.steps.sources)} sources"

    @property
    def sources(self) -> Sources:
        """The live sources as arrays, with methods to move, change and remove many at once."""
        return self.steps.sources

    def add_source(
        self,
        position: ArrayLike,
        strength: float = 1.0,
        *,
        lifetime: float | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
        **others: Never,
    ) -> Source:
        """Add a source at a world position. It acts from the center of its cell, from the next step
        on.

        Parameters
        ----------
        position : array_like of shape (2,)
            World position (x, y).
        strength : float, optional
            The value of its cell; may be negative.
        lifetime : float, optional
            Seconds of this layer's time after which the source is removed.
        on_wall : str, optional
            "refuse" a position on a wall, use the "nearest" open cell, or act "through" the wall.
        outside : str, optional
            "refuse" a position off the map, or "clamp" it to the rim.

        Returns
        -------
        Source
            A handle to move, change and remove it.

        Raises
        ------
        OutsideMap
            If the position is outside the map.
        OnWall
            If the position is in a wall.
        InvalidValue
            If an argument has a wrong value, shape or type; then nothing has changed. How influence
            spreads is a setting of the layer: a `decay` of one source is refused.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(4, 1))
        >>> threat = imap.add_layer("threat", fc.Spread(decay=0.5, momentum=1.0))
        >>> orc = threat.add_source((0.5, 0.5), strength=8.0)
        >>> imap.step(3)
        >>> threat.values.round(2)
        array([[8.  , 4.85, 2.94, 1.79]], dtype=float32)
        >>> orc.remove()
        """
        refuse_settings(others)
        return self._added(position, strength, lifetime=lifetime, on_wall=on_wall, outside=outside)

    def add_sources(
        self,
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        lifetimes: ArrayLike | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
        **others: Never,
    ) -> NDArray[np.int64]:
        """Add sources at world positions.

        Parameters
        ----------
        positions : array_like of shape (N, 2)
            World positions.
        strengths, lifetimes : float or array_like of shape (N,), optional
            One number for all or N numbers.
        on_wall, outside
            As for `add_source`.

        Returns
        -------
        ndarray of int64, (N,)
            Their ids for `layer.sources`.
        """
        refuse_settings(others)
        return self.steps.sources.add(
            positions,
            strengths,
            lifetimes=lifetimes,
            now=self.steps.ticks,
            on_wall=on_wall,
            outside=outside,
        )

    def source(self, identity: int | None = None, *, key: Hashable = None) -> Source:
        """Return the handle of a live source, by its id or by its key.

        Parameters
        ----------
        identity : int, optional
            Its id, as `add_sources` returns it.
        key : hashable, optional
            Its key in `sync`.

        Raises
        ------
        DeadSource
            If no live source has this id.
        UnknownName
            If no live source has this key.
        """
        if (identity is None) == (key is None):
            raise InvalidValue(
                "A source has an id, and a key after sync()",
                got="both or neither",
                remedy="Pass one of the two",
            )
        sources = self.steps.sources
        if identity is not None:
            if not isinstance(identity, int | np.integer):
                raise InvalidValue(
                    "The id of a source is a whole number",
                    got=checks.short(identity),
                    remedy=f"For a key of sync() pass key={checks.short(identity)}",
                )
            identity = checks.integer("identity", identity)
        else:
            identity = sources.id_of(checks.key("key", key))
            if identity is None:
                raise UnknownName("live source with a key", key, map(str, sources.keys))
        sources.positions_of([identity])  # raises `DeadSource` where there is none
        return Source(sources, identity)

    def remove_at(self, positions: ArrayLike, *, outside: IfOutside = "refuse") -> int:
        """Remove all sources in the cells at world positions, and return their number.

        A source on a wall that acts from the nearest open cell is removed at both.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions.
        outside : str, optional
            "refuse" positions off the map, or "clamp" them to the rim.

        Raises
        ------
        OutsideMap
            If a position is outside the map; then nothing has changed.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> threat = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("threat", fc.Spread(0.2))
        >>> _ = threat.add_source((3.5, 2.5))
        >>> threat.remove_at((3.5, 2.5))
        1
        """
        with self.steps.lock:
            cells = np.atleast_1d(self.space.cell_at(positions, outside=outside))
            sources = self.steps.sources
            own_cells = np.asarray(self.space.cell_at(sources.positions, outside="clamp"))
            gone = sources.ids[np.isin(sources.cells, cells) | np.isin(own_cells, cells)]
            sources.remove(gone)
            return len(gone)

    def sync(
        self,
        keys: Iterable[Hashable],
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        velocities: ArrayLike | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Add, move and remove sources so that those with a key are exactly these: for a list of
        entities in each frame.

        New keys are added, known ones are moved and get their new strength, missing ones are
        removed. Sources without a key do not change. If an argument is refused, nothing changes.

        Parameters
        ----------
        keys : iterable of hashable
            N different keys, such as the ids of units.
        positions : array_like of shape (N, 2)
            World positions.
        strengths : float or array_like of shape (N,), optional
            May be negative.
        velocities : array_like of shape (N, 2), optional
            World units a second, with which they move as the layer's time passes.
        on_wall, outside : str, optional
            As in `add_source`.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(4, 1))
        >>> threat = imap.add_layer("threat", fc.Spread(decay=0.5, momentum=1.0))
        >>> threat.sync(["ann", "bob"], [(0.5, 0.5), (3.5, 0.5)], [8.0, 2.0])
        >>> threat.sync(["bob"], [(2.5, 0.5)], [2.0])
        >>> len(threat.sources)
        1
        """
        self.steps.sources.sync(
            keys, positions, strengths, velocities=velocities, on_wall=on_wall, outside=outside
        )

    def without(self, *sources: Hashable | Source) -> Without:
        """Return the layer without some of its sources, as a map: for a unit that ignores its own
        influence.

        The map follows the layer. That of a radial layer has the bits of a layer with all other
        sources; that of one that spreads is settled, and has no deposits.

        Parameters
        ----------
        *sources : hashable or Source
            Keys of `sync`, or handles. Sources that are gone change nothing.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(4, 1))
        >>> allies = imap.add_layer("allies", fc.Radial(2.0, "linear"))
        >>> allies.sync(["me", "you"], [(0.5, 0.5), (3.5, 0.5)])
        >>> imap.step()
        >>> allies.values, allies.without("me").values
        (array([[1. , 0.5, 0.5, 1. ]], dtype=float32), array([[0. , 0. , 0.5, 1. ]], dtype=float32))
        """
        if not sources:
            raise InvalidValue(
                "without() takes the sources to leave out",
                got="none",
                remedy="Pass keys of sync(), or sources",
            )
        return Without(self, sources)

    def source_ids(self, keys: Sequence[object]) -> NDArray[np.int64]:
        """See `Operand.source_ids`."""
        return self.steps.sources.ids_of_any(keys)

    def values_near(self, near: Near) -> NDArray[np.float32]:
        """See `Operand.values_near`."""
        found = near.known.get(id(self))
        if found is None:
            with self.steps.lock:
                found = self._values_near(near)
            near.known[id(self)] = found
        return found

    def _values_near(self, near: Near) -> NDArray[np.float32]:
        ids = self.source_ids(near.keys)
        mine = ids >= 0
        if mine.all():
            return self._values_of_others(near, ids)
        values = self.values.reshape(-1)
        if not mine.any():
            return np.asarray(values[near.cells])
        found = np.empty(near.cells.shape, dtype=np.float32)
        found[mine] = self._values_of_others(near.of(mine), ids[mine])
        found[~mine] = values[near.cells[~mine]]
        return found

    def attribution_without(self, cell: int, key: object) -> Attribution:
        """Return the sources of a cell's value without the source with a key; see `attribution`."""
        with self.steps.lock:
            identity = int(self.source_ids([key])[0])
            if identity < 0:
                return self.attribution(cell)
            return self._attribution_of_others(cell, identity)

    def _attribution_of_others(self, cell: int, identity: int) -> Attribution:
        return OtherSources(self).attribution([identity], cell)

    def _values_of_others(self, near: Near, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the values of cells near agents, (N, k), each without the source with an id."""
        found: NDArray[np.float32] = OtherSources(self).values_near(near, ids, ())
        return found

    def _added(
        self,
        position: ArrayLike,
        strength: float,
        *,
        radius: float | None = None,
        falloff: Any = None,
        lifetime: float | None,
        on_wall: IfSourceOnWall,
        outside: IfOutside,
    ) -> Source:
        """Add a source at one position; see `add_source`."""
        ids = self.steps.sources.add(
            position,
            checks.finite("strength", strength),
            radii=radius,
            falloff=falloff,
            lifetimes=lifetime,
            now=self.steps.ticks,
            on_wall=on_wall,
            outside=outside,
            one=True,
        )
        return Source(self.steps.sources, int(ids[0]))

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


class SpreadLayer(SourceLayer, kind="spread"):
    """A layer with `Spread`, `Diffuse` or `Flood`: takes sources and deposits."""

    _instead = (
        "Use add_source() or deposit(), or add a layer of that kind; settle() brings this one to"
        " its end"
    )

    def deposit(
        self,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        on_wall: IfOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Add to the values of cells at once: an event that spreads and fades.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions; deposits in one cell add.
        amounts : float or array_like of shape (N,), optional
            One number for all or N numbers; a result beyond 1e30 is refused.
        on_wall : str, optional
            "refuse" a position on a wall, or use the "nearest" open cell.
        outside : str, optional
            "refuse" a position off the map, or "clamp" it to the rim.

        Raises
        ------
        OutsideMap, OnWall, InvalidValue
            If an argument is refused; then nothing has changed.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> noise = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("noise", fc.Spread(0.5, 1.0))
        >>> noise.deposit((1.5, 0.5), 4.0)
        >>> noise.values
        array([[0., 4., 0., 0.]], dtype=float32)
        """
        with self.steps.lock:
            cells = self._open_cells(positions, on_wall, outside)
            self.steps.field.add(cells, checks.amounts("amounts", amounts, len(cells)))
            self.steps.changes += 1

    def put(self, cells: ArrayLike, values: ArrayLike) -> None:
        """Set the values of cells at once. Cells of sources get their values again with the next
        step.

        Parameters
        ----------
        cells : int or array_like of shape (N,)
            Cell ids of open ground, each once.
        values : float or array_like of shape (N,)
            One number for all or N numbers.

        Raises
        ------
        OutsideMap, OnWall, InvalidValue
            If an argument is refused; then nothing has changed.
        """
        with self.steps.lock:
            self.steps.catch_up()
            places = distinct_ground(self.space, cells)
            self.steps.field.put(places, checks.amounts("values", values, len(places)))
            self.steps.changes += 1

    def add_static(
        self, position: ArrayLike, value: float = 1.0, *, on_wall: IfSourceOnWall = "refuse"
    ) -> Source:
        """Add an influence that stays until its `remove()` is called; visible from the next step
        on.

        Parameters
        ----------
        position : array_like of shape (2,), or int
            A world position, or a cell (on graphs, a vertex).
        value : float, optional
            The value of its cell; may be negative.
        on_wall : str, optional
            As for `add_source`, whose errors it raises.
        """
        return self.add_source(self._point(position), value, on_wall=on_wall)

    def add_dynamic(
        self, position: ArrayLike, value: float = 1.0, *, on_wall: IfOnWall = "refuse"
    ) -> None:
        """Add an influence that spreads and decays; visible at once.

        Parameters
        ----------
        position, value, on_wall
            As for `add_static`.
        """
        self.deposit(self._point(position), checks.finite("value", value), on_wall=on_wall)
