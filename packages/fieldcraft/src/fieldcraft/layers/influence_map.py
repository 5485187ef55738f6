"""The layers on one space."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, cast, overload

from numpy.typing import ArrayLike

from fieldcraft.base import clock, packages, pictured
from fieldcraft.base.errors import InvalidValue, NameTaken, UnknownName
from fieldcraft.base.missing_names import Suggesting, SuggestingArguments
from fieldcraft.base.state import NOT_A_STATE, not_a_state
from fieldcraft.base.words import DynamicKind, StaticKind
from fieldcraft.layers import (
    ArrayLayer,
    Layer,
    MemoryLayer,
    RadialLayer,
    SingleThreadLock,
    SpreadLayer,
    TrailLayer,
)
from fieldcraft.layers.any_layer import AnyLayer
from fieldcraft.layers.new_layer import LayerSettings, new_layer
from fieldcraft.layers.propagated_layer import check_barrier
from fieldcraft.layers.propagation import Flood, Propagation, Radial, Spread
from fieldcraft.layers.propagation.propagation import (
    Device,
    Gathering,
    Radiating,
    Remembering,
    Spreading,
)
from fieldcraft.layers.register_type import kind_of
from fieldcraft.layers.schedule import Advance, Schedule, Timed
from fieldcraft.space import Space, checked_space

if TYPE_CHECKING:
    from fieldcraft.layers.teams.teams import Teams

Kind = TypeVar("Kind", bound=Layer)
Clocked = TypeVar("Clocked", bound=Timed)


class InfluenceMap(Suggesting, SuggestingArguments):
    """Layers of influence on one space, for which time passes together.

    One thread uses a map at a time; calls of a second one raise `ConcurrentUse`.

    Parameters
    ----------
    space : Space
        The grid, hexagons, graph or mesh of the layers.
    device : Device or str, optional
        Where the values of layers are, see `add_layer`; by default on the CPU.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
    >>> threat = imap.add_layer("threat", fc.Spread(decay=0.5, momentum=1.0))
    >>> guard = threat.add_source((1.5, 1.5), strength=8.0)
    >>> imap.step(4)
    >>> threat.values.round(1)
    array([[2.9, 4.9, 2.9, 1.8, 1.1],
           [4.9, 8. , 4.9, 2.9, 1.8],
           [2.9, 4.9, 2.9, 1.8, 1.1]], dtype=float32)
    >>> print(imap)
    <InfluenceMap on <Grid 5 x 3, cell_size 1, 15 open cells>: threat>
    """

    def __init__(self, space: Space, *, device: Device | str | None = None) -> None:
        self.space: Space = checked_space(space, "An influence map is on")
        self.device = device_of(device)
        self._layers: dict[str, Layer] = {}
        self.attachments: dict[str, Any] = {}
        """What packages attach to this map by a name of theirs, such as the page of the lab. Copies
        and saves are without.
        """
        self._enemies: tuple[dict[str, tuple[str, ...]], ...] = ()
        self._teams: tuple[Teams, ...] | None = ()
        self._lock = SingleThreadLock()
        self.schedule = Schedule(self._layers, self._lock)
        """The clock of the map."""

    def _repr_html_(self) -> str:
        return pictured.html_of(self)

    def __repr__(self) -> str:
        return f"<InfluenceMap on {self.space!r}: {', '.join(self._layers) or 'no layers'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            held = {
                "_lock": self._lock,
                "_layers": self._layers,
                "schedule": self.schedule,
                "_enemies": self._enemies,
            }
            return InfluenceMap, (self.space,), held | {"device": self.device}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._teams = None
        for layer in list(self._layers.values()):
            self._include(layer)

    def __getitem__(self, name: str) -> AnyLayer:
        try:
            return cast("AnyLayer", self._layers[name])
        except (KeyError, TypeError):  # names that are unhashable, too
            raise UnknownName("layer", name, self._layers) from None

    if not TYPE_CHECKING:  # type checkers refuse both themselves

        def __setitem__(self, name: object, layer: object) -> None:
            raise InvalidValue(
                "Layers are made by their map",
                got=f"imap[{name!r}] = ...",
                remedy="Write imap.add_layer(name, propagation), or (name, values=array)",
            )

        def __delitem__(self, name: object) -> None:
            raise InvalidValue(
                "Layers are removed by a call",
                got=f"del imap[{name!r}]",
                remedy=f"Write imap.remove_layer({name!r})",
            )

    def layer(self, name: str, kind: type[Kind]) -> Kind:
        """Return the layer with a name and of a class, for type checkers and editors.

        Raises
        ------
        UnknownName
            If there is no layer with that name.
        InvalidValue
            If it is of another class.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
        >>> _ = imap.add_layer("noise", fc.Spread(decay=0.2))
        >>> imap.layer("noise", fc.layer.SourceLayer).name
        'noise'
        """
        layer = self[name]
        if not isinstance(layer, kind):
            raise InvalidValue(
                f"Layer {name!r} is a {type(layer).__name__}",
                got=f"kind={kind.__name__}",
                remedy="Pass that class",
            )
        return layer

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._layers

    def __iter__(self) -> Iterator[str]:
        return iter(self._layers)

    def __len__(self) -> int:
        return len(self._layers)

    @property
    def layers(self) -> Mapping[str, AnyLayer]:
        """The layers by name, in the order of their addition; read-only."""
        return cast("Mapping[str, AnyLayer]", MappingProxyType(self._layers))

    @overload
    def add_layer(
        self, name: str, propagation: Spreading, **settings: Unpack[LayerSettings]
    ) -> SpreadLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Radiating, **settings: Unpack[LayerSettings]
    ) -> RadialLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Remembering, **settings: Unpack[LayerSettings]
    ) -> MemoryLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Gathering, **settings: Unpack[LayerSettings]
    ) -> TrailLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: None = None, **settings: Unpack[LayerSettings]
    ) -> ArrayLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Propagation | None = None, **settings: Unpack[LayerSettings]
    ) -> Any: ...
    def add_layer(
        self,
        name: str,
        propagation: Propagation | None = None,
        *,
        every: float = 0.1,
        cell_size: float | None = None,
        walls: ArrayLike | bool | None = None,
        values: ArrayLike | None = None,
        priority: float = 0.0,
        device: Device | str | None = None,
    ) -> Layer:
        """Add a layer and return it.

        Parameters
        ----------
        name : str
            A new one, not empty.
        propagation : Propagation, optional
            How influence moves from cell to cell, `Spread`, `Diffuse`, `Flood`, `Radial`, `Fade` or
            `Trail`; it determines the class of the layer, see `Layer`. Without one the layer
            contains the array `values`.
        every : float, optional
            Seconds between two steps.
        cell_size : float, optional
            For coarser cells of its own: a whole multiple of the map's.
        walls : array_like or bool, optional
            Walls of its own, bool of the map's shape (height, width), for another mobility; False
            for none, as for units that fly.
        values : array_like, optional
            Initial values, in the layer's shape.
        priority : float, optional
            With a budget, `advance` updates layers of higher priority first.
        device : Device or str, optional
            Where its values are, in place of the map's: "cpu", "gpu" for the first graphics card, a
            result of `fc.gpu.device()`, or "auto" for a card if it supports this layer, else the
            CPU. `repr(layer)` shows which.

        Returns
        -------
        Layer
            Of the class that belongs to the propagation.

        Raises
        ------
        NameTaken
            If the name is in use.
        InvalidValue
            If an argument has a wrong value, shape or type.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(6, 4))
        >>> imap.add_layer("fog", fc.Diffuse(), cell_size=2.0).values.shape
        (2, 3)
        """
        with self._lock:
            if isinstance(name, str) and name in self._layers:
                raise NameTaken(
                    "Layer names differ",
                    got=f"{name!r}, which exists",
                    remedy="Choose another, or imap.remove_layer() it first",
                )
            if propagation is None and values is None:
                raise InvalidValue(
                    "A layer has a propagation or values",
                    got="neither",
                    remedy="Pass fc.Spread(decay, momentum), or values=array",
                )
            if device is None:
                chosen = self.device
            else:
                chosen = device_of(device)
            layer = new_layer(
                name,
                self.space,
                propagation,
                self._lock,
                every=every,
                cell_size=cell_size,
                walls=walls,
                priority=priority,
                device=chosen,
            )
            if values is not None:
                layer.write(values)
            self._check_barriers(layer)
            self._include(layer)
            return layer

    @overload
    def register_type(
        self, name: DynamicKind, **settings: Unpack[LayerSettings]
    ) -> SpreadLayer: ...
    @overload
    def register_type(self, name: StaticKind, **settings: Unpack[LayerSettings]) -> RadialLayer: ...
    @overload
    def register_type(
        self, name: str, *, static: Literal[True], **settings: Unpack[LayerSettings]
    ) -> RadialLayer: ...
    @overload
    def register_type(
        self, name: str, *, static: Literal[False], **settings: Unpack[LayerSettings]
    ) -> SpreadLayer: ...
    @overload
    def register_type(
        self, name: str, *, propagation: Spreading, **settings: Unpack[LayerSettings]
    ) -> SpreadLayer: ...
    @overload
    def register_type(
        self, name: str, *, propagation: Radiating, **settings: Unpack[LayerSettings]
    ) -> RadialLayer: ...
    @overload
    def register_type(
        self,
        name: str,
        *,
        static: bool | None = None,
        propagation: Propagation | None = None,
        **settings: Unpack[LayerSettings],
    ) -> Any: ...
    def register_type(
        self,
        name: str,
        *,
        static: bool | None = None,
        propagation: Propagation | None = None,
        **settings: Any,
    ) -> Layer:
        """Add a layer for a kind of influence, to call `add_static` and `add_dynamic` on.

        There are presets for "player", "enemy", "ally", "bullet", "noise" and "barrier". Raises
        what `add_layer` raises.

        Parameters
        ----------
        name : str
            The name of the kind and of its layer; a new one.
        static : bool, optional
            For a kind without a preset: whether it stays until it is removed (`Radial`), or spreads
            and decays (`Spread`).
        propagation : Propagation, optional
            A propagation in place of the preset.
        **settings : object
            Further keywords of `add_layer`.

        Returns
        -------
        Layer

        Examples
        --------
        >>> import fieldcraft as fc
        >>> noise = fc.InfluenceMap(fc.Grid(5, 3)).register_type("noise")
        >>> noise.add_dynamic((2.5, 1.5), 8.0)
        >>> float(noise.sample((2.5, 1.5)))
        8.0
        """
        if propagation is None:
            propagation = kind_of(name, static).propagation(self.space)
        elif static is not None:
            kind: type[Propagation] = Spread
            if static:
                kind = Radial
            if not isinstance(propagation, kind):
                raise InvalidValue(
                    f"static={static} goes with fc.{kind.__name__}",
                    got=repr(propagation),
                    remedy="Leave one of the two out",
                )
        layer: Layer = self.add_layer(name, propagation, **settings)
        return layer

    def add_teams(
        self,
        names: Iterable[str],
        propagation: Propagation,
        *,
        hostile: Mapping[str, Iterable[str]] | None = None,
        **settings: Any,
    ) -> Teams:
        """Add a layer for each team.

        Raises what `add_layer` raises, and `InvalidValue` or `UnknownName` for other names in
        `hostile`. Then no layer was added.

        Parameters
        ----------
        names : iterable of str
            The names of the teams and of their layers; new ones, at least one.
        propagation : Propagation
            How their influence spreads, `Radial` or `Spread`.
        hostile : mapping of str to iterable of str, optional
            `{name: names of its enemies}`; by default all others.
        **settings : object
            Further keywords of `add_layer`, such as `every`, `cell_size` and `walls`.

        Returns
        -------
        Teams

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(6, 1))
        >>> teams = imap.add_teams(["red", "blue"], fc.Radial(4.0, "linear"))
        >>> _ = teams["red"].add_source((0.5, 0.5)), teams["blue"].add_source((5.5, 0.5))
        >>> imap.step()
        >>> teams.influence("red").values
        array([[ 1.  ,  0.75,  0.25, -0.25, -0.75, -1.  ]], dtype=float32)
        """
        from fieldcraft.layers.teams.teams import add_teams

        with self._lock:
            before = self.teams
            teams = add_teams(self, names, propagation, hostile=hostile, **settings)
            self._enemies = (*self._enemies, dict(teams.hostile))
            self._teams = (*before, teams)
            return teams

    @property
    def teams(self) -> tuple[Teams, ...]:
        """The teams of each call of `add_teams`, in order; copies, saves and pickles have them too.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(6, 1))
        >>> _ = imap.add_teams(["red", "blue"], fc.Radial(4.0))
        >>> imap.save("level.fieldcraft")
        >>> fc.InfluenceMap.load("level.fieldcraft").teams
        (<Teams red, blue>,)
        """
        from fieldcraft.layers.teams.teams import Teams

        with self._lock:
            if self._teams is None:
                self._teams = tuple(Teams(self, table, hostile=table) for table in self._enemies)
            return self._teams

    @property
    def time(self) -> float:
        """Seconds that were passed to `advance`."""
        return clock.seconds(self.schedule.ticks)

    def add(self, timed: Clocked, *, every: float = 0.1) -> Clocked:
        """Add a `Belief`, `LastSeen`, `Pursuit` or search that advances with the layers, and return
        it.

        Saves and copies of the map contain its layers only; store `state()` of what was added.

        Parameters
        ----------
        timed : Belief, LastSeen, Pursuit, SearchParty or compose.Eased
            An object with `advance(dt)`, which is no longer to be called.
        every : float, optional
            Seconds that pass for it in one `step` of the map.

        Raises
        ------
        InvalidValue
            If it has no clock, or was added before.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
        >>> seen = imap.add(fc.LastSeen(imap.space))
        >>> _ = imap.advance(2.5)
        >>> seen.time
        2.5
        """
        if not isinstance(timed, Timed) or isinstance(timed, (Layer, InfluenceMap)):
            raise InvalidValue(
                "What is added to a map has a clock: advance(dt)",
                got=repr(timed),
                remedy="Pass a Belief, LastSeen, Pursuit, SearchParty or compose.Eased;"
                " add_layer() makes layers",
            )
        self.schedule.add(timed, every)
        return timed

    def remove(self, timed: Timed) -> None:
        """Remove an object that was added: it no longer advances."""
        self.schedule.remove(timed)

    def step(self, count: int = 1) -> None:
        """Take `count` steps of every layer, whatever its interval, and advance all added objects
        by as many intervals.

        Ctrl-C ends a long count where all layers have taken as many steps.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
        >>> threat = imap.add_layer("threat", fc.Spread(decay=0.5, momentum=1.0))
        >>> _ = threat.add_source((0.5, 0.5), strength=4.0)
        >>> imap.step(2)
        >>> threat.values.round(2)
        array([[4.  , 2.43, 1.47]], dtype=float32)
        """
        self.schedule.step(count)

    def advance(
        self,
        dt: float,
        *,
        max_steps: int = 8,
        budget_ms: float | None = None,
        budget_work: int | None = None,
    ) -> Advance:
        """Let `dt` seconds pass: each layer takes the steps that become due.

        Time is counted in whole ticks of 1 / 705,600,000 s, so 30, 60 and 144 frames a second give
        the same bits. A turn-based game calls `step()` instead, or passes a larger `max_steps`.

        With a budget, work is done in units of at most 0.25 ms (on a machine of today), layers of
        higher priority first, until the budget is used up. The rest waits for the next call, and
        `layer.lag` is the time that waits. Until then a layer keeps its last complete values;
        afterwards it has the values that it would have without a budget if sources and walls have
        not changed meanwhile. A step takes them as they are when it begins, so changes act in steps
        that wait, too. `copy`, `save`, `layer.state`, `layer.at`, `step`, `advance` without a
        budget, and whatever changes values or settings, such as `deposit`, make all waiting steps
        first.

        Parameters
        ----------
        dt : float
            Seconds, at least 0.
        max_steps : int, optional
            The most steps of a layer in one call, or waiting for a budget. More are dropped,
            reported in the result, and logged as a warning the first time (logger "fieldcraft").
        budget_ms : float, optional
            Milliseconds, overrun by at most one unit.
        budget_work : int, optional
            Units of work, in place of milliseconds: runs are then repeatable.

        Returns
        -------
        Advance
            The steps made and dropped, by layer.

        Raises
        ------
        InvalidValue
            For a time that is not from 0 to 10**9 seconds, and where a clock would count more than
            51 years.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
        >>> threat = imap.add_layer("threat", fc.Spread(decay=0.2), every=0.1)
        >>> print(imap.advance(0.25))
        steps: threat 2
        """
        return self.schedule.advance(
            dt, max_steps=max_steps, budget_ms=budget_ms, budget_work=budget_work
        )

    def copy(self) -> InfluenceMap:
        """Return an independent copy that continues with the same bits, on the same space: both
        follow its walls.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
        >>> gas = imap.add_layer("gas", values=[[0, 4, 0]])
        >>> plan = imap.copy()
        >>> plan["gas"].write([[1, 1, 1]])
        >>> gas.values
        array([[0., 4., 0.]], dtype=float32)
        """
        with self._lock:
            twin = InfluenceMap(self.space, device=self.device)
            twin.schedule.ticks = self.schedule.ticks
            twin.schedule.next = self.schedule.next
            for layer in self._layers.values():
                twin._include(layer._copied(twin._lock))
            twin._set_teams(self._enemies)
            return twin

    def state(self) -> dict[str, Any]:
        """Return all that can change of the layers as a dict of numbers, words, arrays and dicts of
        these, from which `restore` continues: the time, and the `Layer.state` of each by its name.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
        >>> gas = imap.add_layer("gas", values=[[0, 4, 0]])
        >>> before = imap.state()
        >>> gas.write([[1, 1, 1]])
        >>> imap.restore(before)
        >>> gas.values
        array([[0., 4., 0.]], dtype=float32)
        """
        with self._lock:
            layers = {name: layer.state() for name, layer in self._layers.items()}
            return self.schedule.state() | {"layers": layers}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from the `state` of this map, or of one with the same layers on the same space,
        bit for bit.

        Raises
        ------
        InvalidValue
            For anything else; then nothing has changed.
        """
        with self._lock:
            try:
                layers = state["layers"]
                if layers.keys() != self._layers.keys():
                    raise ValueError(f"layers {', '.join(layers)}")
                others = {
                    name: layer._restored(layers[name]) for name, layer in self._layers.items()
                }
                self.schedule.restore(state)
            except NOT_A_STATE as error:
                raise not_a_state(error) from error
            for name, layer in self._layers.items():
                layer._become(others[name])

    def recover(self, *, device: Device | str | None = None) -> dict[str, int]:
        """Continue without a device that was lost: each layer on it from the values that were last
        read from it, or written.

        The layers stay the same objects, with their sources, on the CPU or on `device`.

        Parameters
        ----------
        device : Device or str, optional
            Where to continue; by default on the CPU.

        Returns
        -------
        dict of str to int
            How many steps of each of these layers are lost: their `time` goes back by as much, and
            deposits since then are lost too. None are lost if values were read after the last step.

        Raises
        ------
        InvalidValue
            If no layer was on a device that is lost; then nothing has changed.
        """
        with self._lock:
            lost = {
                name: layer
                for name, layer in self._layers.items()
                if getattr(getattr(layer.steps.field, "device", None), "lost", False)
            }
            is_lost = self.device is not None and self.device.lost
            if not lost and not is_lost:
                raise InvalidValue(
                    "A map recovers from a device that was lost",
                    got="no such device",
                    remedy="Continue; nothing is lost",
                )
            target = device_of(device)
            gone = {name: layer._recovered(target) for name, layer in lost.items()}
            if is_lost:
                self.device = target
            return gone

    def watch(self, *, port: int = 0, browser: bool = False) -> Any:
        """Show the map on a page in the browser while the program runs; to be called each frame.

        The first call starts the page and prints its address. Each call applies changes from the
        page (settings, sources, walls) and sends it a picture; without an open page a call costs
        almost nothing.

        Parameters
        ----------
        port : int, optional
            A port of this machine; 0 for any free one.
        browser : bool, optional
            Whether to open the page.

        Returns
        -------
        object
            With `url` and `close()`.

        Raises
        ------
        MissingLibrary
            Without the extra `lab`.
        """
        return packages.package("lab").watch(self, port=port, browser=browser)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all layers, sources and walls to one file.

        The file is replaced at once: an interruption leaves the old file or the new one.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
        >>> _ = imap.add_layer("gas", values=[[0, 4, 0]])
        >>> imap.save("level.fieldcraft")
        >>> fc.InfluenceMap.load("level.fieldcraft")["gas"].values
        array([[0., 4., 0.]], dtype=float32)
        """
        from fieldcraft.layers import map_saves

        with self._lock:
            map_saves.save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str], *, most_bytes: int = 1 << 30) -> InfluenceMap:
        """Return the influence map of a file that `save` wrote; it continues with the same bits.

        Parameters
        ----------
        path : str or path
            The file. It is safe to load one from a stranger: nothing in it is run.
        most_bytes : int, optional
            The most that its arrays may take in memory together; checked before any is unpacked.

        Raises
        ------
        BadSaveFile
            If the file is missing, damaged, not a save, of a newer version, or too large.
        """
        from fieldcraft.layers import map_saves

        return map_saves.load(InfluenceMap, path, most_bytes)

    def _include(self, layer: Layer) -> None:
        """Add a layer. A flood may read the others as its barrier."""
        self._layers[layer.name] = layer
        if isinstance(layer.propagation, Flood):
            layer.steps.others = self._layers  # a cycle, which only the garbage collector frees

    def _check_barriers(self, layer: Layer) -> None:
        """Refuse a new flood with a barrier of other cells, and a new barrier with other cells than
        a flood that names it.
        """
        check_barrier(layer.space, layer.steps.field.barrier, self._layers)
        for flood in self._layers.values():
            if flood.steps.field.barrier == layer.name:
                check_barrier(flood.space, layer.name, {layer.name: layer})

    def _set_teams(self, enemies: tuple[dict[str, tuple[str, ...]], ...]) -> None:
        """Set the enemies of each team, a table for each call of `add_teams`."""
        self._enemies = enemies
        self._teams = None

    def remove_layer(self, name: str) -> None:
        """Remove a layer from the map, and from `teams` where it is one of a team."""
        with self._lock:
            del self._layers[self[name].name]
            left = (_without(name, table) for table in self._enemies)
            self._set_teams(tuple(table for table in left if table))


def device_of(device: Device | str | None) -> Device | None:
    """Return a device, also by its name, or None for the CPU."""
    if device is None or (isinstance(device, str) and device == "cpu"):
        return None
    return cast(Device, packages.devices().layer_device(device))


def _without(name: str, enemies: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return a table of teams and their enemies without one team."""
    return {
        team: tuple(other for other in others if other != name)
        for team, others in enemies.items()
        if team != name
    }
