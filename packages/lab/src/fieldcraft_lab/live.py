"""The base classes of worlds that the lab drives, and the world of an influence map.

A live world takes whole steps and applies orders between them. It can be stored in a keyframe, and
goes on from there with the same bits.
"""

from __future__ import annotations

import copy
import io
import pickle
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.commands.recipe.recipe_parts import Recipe
from fieldcraft.commands.recipe.world import MAX_STEPS
from fieldcraft.formats.recordings import Timeline
from fieldcraft.layers import Layer, SourceLayer
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.map_saves import saved_arrays
from fieldcraft.layers.propagation import Stamp
from fieldcraft.layers.sources.falloff import Falloff
from fieldcraft.layers.teams import Teams
from fieldcraft.space import Mesh, Space, encoding
from fieldcraft.space.graph.topology import Topology
from fieldcraft.values.operand import Operand
from fieldcraft.view.palettes import team_colors
from fieldcraft_lab.apply import apply
from fieldcraft_lab.controls import controls, curve
from fieldcraft_lab.orders import ORDERS, Order, Tune
from fieldcraft_lab.team_maps import OWNER, maps_of, share_tables

__all__ = ["LayerWorld", "Live", "LiveMap", "MapWorld", "shortest_interval"]

_SHARED = (Recipe, Timeline, Stamp, Falloff, Topology, Mesh)
"""Kinds of objects that never change: keyframes refer to them and hold no copies."""
_MOST_SOURCES = 2000
LEAST_CELLS = 20_000
"""An update of a small map takes as long as that of so many cells."""
_GAME_UPDATES = 20  # of so many small maps, that a step of a world without layers takes as long as


class PlayerAction(NamedTuple):
    """An action of a player: its name, a text, and whether it needs a position. Actions of a
    `group` are choices, each with a `label`.
    """

    name: str
    text: str
    needs_place: bool
    group: str = ""
    label: str = ""


class Live(ABC):
    """A world that goes on in steps, and its description for the page."""

    kind: str
    title: str
    step_seconds: float
    end: int | None = None
    orders: tuple[type, ...]

    @property
    def imap(self) -> InfluenceMap | None:
        """The influence map, if the world is one."""
        return None

    @property
    @abstractmethod
    def space(self) -> Space:
        """The map, as it is now."""

    @property
    @abstractmethod
    def maps(self) -> Mapping[str, Operand]:
        """All maps that can be shown, by name."""

    @abstractmethod
    def step(self) -> None:
        """Take one step."""

    @abstractmethod
    def apply(self, order: Order) -> None:
        """Apply one of `orders`, or raise a `FieldcraftError` and change nothing."""

    @abstractmethod
    def keyframe(self) -> bytes:
        """Return everything that changes, for `at`."""

    @abstractmethod
    def at(self, keyframe: bytes) -> Self:
        """Return another world at the moment of a keyframe."""

    @abstractmethod
    def digest(self) -> str:
        """Return the SHA-256 of the state."""

    def cells_of_step(self, orders: Sequence[Any]) -> int:
        """Return how many cells one step updates at most, whichever of some orders are applied;
        for a bound on sessions of strangers. Each update counts at least `LEAST_CELLS`.
        """
        return _GAME_UPDATES * max(len(self.space), LEAST_CELLS)

    def origin(self) -> dict[str, Any]:
        """Return plain data from which the world can be created before its first step."""
        raise NotImplementedError

    # Description

    @abstractmethod
    def controls(self, initial: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """Return the controls of each layer, and the curves of falloffs; `initial` are the settings
        at the beginning.
        """

    @abstractmethod
    def markers(self) -> dict[str, Any]:
        """Return the sources of each layer, or the marks of units."""

    @abstractmethod
    def markers_version(self) -> Any:
        """Return a value that changes whenever `markers` does."""

    @property
    def actions(self) -> list[PlayerAction]:
        """The actions of a player."""
        return []

    def layers(self) -> dict[str, Any]:
        """Return what can be added to each layer."""
        return {}

    def limits(self) -> dict[str, list[float]]:
        """Return the values of the end colors that the world sets, by map."""
        return {}

    def tables(self, *, light: bool = False) -> dict[str, NDArray[np.uint8]]:
        """Return the color tables of maps with colors of their own, on a dark or a light page."""
        return {}

    def teams(self) -> list[tuple[str, str]]:
        """Return the names and colors of the maps that the page draws together: those of teams, or
        fields of a game.
        """
        return []

    def kinds(self) -> dict[str, list[tuple[str, str]]]:
        """Return the maps whose values are numbers of kinds, -1 for none: the name and the color of
        each kind.
        """
        return {}

    def front_lines(self) -> list[NDArray[np.float64]] | None:
        """Return the lines between the ground of hostile teams, shape (N, 2) each; None for a world
        without teams.
        """
        return None

    def name_of(self, layer: str, source: int) -> str | None:
        """Return the name of a source, if it has one."""
        return None

    def units_near(self, name: str, position: tuple[float, ...]) -> list[Any] | None:
        """Return the units that contribute to a map at a position; None for maps of layers."""
        return None


class _KeyframePickler(pickle.Pickler):
    """Stores constant objects in a table, and refers to them."""

    def __init__(self, file: IO[bytes], shared: dict[int, Any]) -> None:
        super().__init__(file, 5)
        self.shared = shared

    def persistent_id(self, value: Any) -> int | None:
        if isinstance(value, _SHARED):
            return id(self.shared.setdefault(id(value), value))
        return None


class _KeyframeUnpickler(pickle.Unpickler):
    """Takes constant objects from the table."""

    def __init__(self, file: IO[bytes], shared: dict[int, Any]) -> None:
        super().__init__(file)
        self.shared = shared

    def persistent_load(self, key: int) -> Any:
        return self.shared[key]


class LayerWorld(Live):
    """A world whose maps are layers. `world` is everything that changes.

    Keyframes are bytes that are valid within this process; constant objects are shared.
    """

    orders: tuple[type, ...] = ORDERS

    def __init__(self, world: Any, title: str) -> None:
        self.world = world
        self.title = title
        self._shared: dict[int, Any] = {}

    @property
    def imap(self) -> InfluenceMap:
        """The influence map."""
        found: InfluenceMap = self.world
        return found

    @property
    def space(self) -> Space:
        """The map."""
        return self.imap.space

    @property
    def maps(self) -> Mapping[str, Operand]:
        """The layers."""
        return self.imap.layers

    def apply(self, order: Order) -> None:
        """Apply an order."""
        apply(order, self.imap)

    def cells_of_step(self, orders: Sequence[Any]) -> int:
        """Return how many cells one step updates at most."""
        step = clock.ticks("step", self.step_seconds)
        shortest: dict[str, int] = {}
        for order in orders:
            if isinstance(order, Tune) and order.name == "every":
                every = _ticks_of(order.value)
                shortest[order.layer] = min(every, shortest.get(order.layer, every))
        total = LEAST_CELLS
        for name, layer in self.imap.layers.items():
            every = clock.ticks("every", layer.every)
            every = min(every, shortest.get(name, every))
            updates = -(-step // every)
            total += updates * max(len(layer.space), LEAST_CELLS)
        return total

    def keyframe(self) -> bytes:
        """Return everything that changes."""
        file = io.BytesIO()
        _KeyframePickler(file, self._shared).dump(self.world)
        return file.getvalue()

    def at(self, keyframe: bytes) -> Self:
        """Return another world at the moment of a keyframe."""
        twin = copy.copy(self)
        twin.world = _KeyframeUnpickler(io.BytesIO(keyframe), self._shared).load()
        return twin

    def digest(self) -> str:
        """Return the SHA-256 of the influence map."""
        return _digest_of(self.imap)

    def controls(self, initial: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """Return the controls of each layer."""
        return {
            name: {
                "controls": controls(self.imap, layer, initial.get(name)),
                "curve": curve(layer),
            }
            for name, layer in self.imap.layers.items()
        }

    def markers(self) -> dict[str, Any]:
        """Return the sources of each layer."""
        found = {}
        for name, layer in _source_layers(self.imap).items():
            sources = layer.sources
            keyed = {sources.id_of(key) for key in sources.keys}
            found[name] = _listed(sources.ids, _acting(layer), sources.strengths, keyed)
        return found

    def markers_version(self) -> tuple[int, ...]:
        """Return the version of the sources of each layer."""
        return tuple(layer.sources.rows.version for layer in _source_layers(self.imap).values())

    def layers(self) -> dict[str, Any]:
        """Return what can be added to each layer."""
        return {name: _accepted(layer) for name, layer in self.imap.layers.items()}


class MapWorld(LayerWorld):
    """The world of an influence map, with the maps that follow from the first of its teams."""

    def __init__(self, imap: InfluenceMap, title: str) -> None:
        super().__init__(imap, title)
        self._team_maps: tuple[Teams, dict[str, Operand]] | None = None

    def _teams(self) -> Teams | None:
        """Return the teams of the present map, None for more teams than there are colors."""
        if not self.imap.teams:
            return None
        teams = self.imap.teams[0]
        try:
            _colors_of(teams)
        except InvalidValue:
            return None
        return teams

    @property
    def maps(self) -> Mapping[str, Operand]:
        """The layers, and the maps that follow from teams."""
        teams = self._teams()
        if teams is None:
            return self.imap.layers
        if self._team_maps is None or self._team_maps[0] is not teams:
            self._team_maps = (teams, maps_of(teams))
        return dict(self.imap.layers) | self._team_maps[1]

    def teams(self) -> list[tuple[str, str]]:
        """Return the teams with their default colors."""
        teams = self._teams()
        if teams is None:
            return []
        return _colors_of(teams)

    def kinds(self) -> dict[str, list[tuple[str, str]]]:
        """Return the teams as the kinds of the map of owners."""
        colors = self.teams()
        if not colors:
            return {}
        return {OWNER: colors}

    def tables(self, *, light: bool = False) -> dict[str, NDArray[np.uint8]]:
        """Return the color tables of the shares of teams."""
        return share_tables(self.teams(), light=light)

    def front_lines(self) -> list[NDArray[np.float64]] | None:
        """Return the lines between the ground of hostile teams."""
        teams = self._teams()
        if teams is None:
            return None
        return [line.points for line in teams.front_lines()]


class LiveMap(MapWorld):
    """A copy of an influence map that the lab drives by steps of `step` seconds; by default the
    shortest interval of its layers. `teams` are the names of layers that are those of teams; by
    default those of the map.
    """

    kind = "map"

    def __init__(
        self,
        imap: InfluenceMap,
        step: float | None = None,
        title: str = "",
        teams: Sequence[str] = (),
    ) -> None:
        remedy = "Pass fc.InfluenceMap, or a recipe's path"
        checks.instance(imap, InfluenceMap, "The lab shows an influence map", remedy)
        if step is None:
            self.step_seconds = shortest_interval(imap)
        else:
            self.step_seconds = clock.seconds(clock.ticks("step", step, minimum=1))
        self._start = _archive(imap)
        super().__init__(_imap_of(self._start), title)
        self._names = tuple(teams)
        self._named: tuple[InfluenceMap, Teams] | None = None
        self.teams()  # raises an error for names that are not those of layers

    def _teams(self) -> Teams | None:
        """Return the named teams of the present map, or those that it has."""
        if not self._names:
            return super()._teams()
        for teams in self.imap.teams:
            if teams.names == self._names:
                return teams
        if self._named is None or self._named[0] is not self.imap:
            self._named = (self.imap, Teams(self.imap, self._names))
        return self._named[1]

    def step(self) -> None:
        """Take one step, which may be any number of updates of a layer."""
        self.imap.advance(self.step_seconds, max_steps=MAX_STEPS)

    def origin(self) -> dict[str, Any]:
        """Return the initial map and the step."""
        return {
            "archive": np.frombuffer(self._start, dtype=np.uint8),
            "step": self.step_seconds,
            "title": self.title,
            "teams": self._names,
        }

    @classmethod
    def from_origin(cls, origin: dict[str, Any]) -> LiveMap:
        """Return the world of an origin."""
        imap = _imap_of(origin["archive"].tobytes())
        return cls(imap, origin["step"], origin["title"], origin.get("teams", ()))


def _colors_of(teams: Teams) -> list[tuple[str, str]]:
    """Return the names of teams and their default colors."""
    found = team_colors(teams.names, [None] * len(teams))
    return [(name, "#" + bytes(color).hex()) for name, color in zip(teams, found, strict=True)]


def _ticks_of(value: object) -> int:
    """Return the interval that an order sets in ticks, 1 for what is no interval."""
    try:
        return clock.ticks("every", value, minimum=1)  # type: ignore[arg-type]
    except InvalidValue:
        return 1


def shortest_interval(imap: InfluenceMap) -> float:
    """Return the shortest interval of the layers of a map, in seconds."""
    return min((layer.every for layer in imap.layers.values()), default=0.1)


def _source_layers(imap: InfluenceMap) -> dict[str, SourceLayer]:
    """Return the layers that take sources, by name."""
    return {name: each for name, each in imap.layers.items() if isinstance(each, SourceLayer)}


def _acting(layer: SourceLayer) -> NDArray[np.float64]:
    """Return where the sources of a layer act: their positions, or for those in walls that act from
    the nearest open cell its center.
    """
    places: NDArray[np.float64] = layer.sources.positions
    cells = layer.sources.cells
    space = layer.space
    if not len(cells):
        return places
    own = np.asarray(space.cell_at(places, outside="clamp"))
    moved = (own != cells) & space.walls.reshape(-1)[own]
    if moved.any():
        places = places.copy()
        places[moved] = space.position_of(cells[moved])
    return places


def _listed(
    ids: Any, positions: Any, strengths: Any, keyed: Container[int | None]
) -> dict[str, Any]:
    """Return the sources of a layer as the page reads them; `keyed` are moved by the program."""
    first = slice(_MOST_SOURCES)
    rows = zip(
        ids[first].tolist(), positions[first, :2].tolist(), strengths[first].tolist(), strict=True
    )
    found = [[identity, *place, strength, identity in keyed] for identity, place, strength in rows]
    return {"sources": found, "all": len(ids)}


def _accepted(layer: Layer) -> dict[str, Any]:
    """Return what can be added to a layer."""
    if layer.propagation is None:
        vector = False
        kind = "array"
    else:
        vector = getattr(layer.propagation, "vector", False)
        kind = type(layer.propagation).__name__
    return {
        "sources": isinstance(layer, SourceLayer),
        "deposits": hasattr(layer, "deposit") and not vector,
        "kind": kind,
    }


def _digest_of(imap: InfluenceMap) -> str:
    """Return the SHA-256 of walls, and of the settings, clock, values and sources of layers."""
    layers = {}
    for name, layer in imap.layers.items():
        state = layer.state()
        columns = layer.steps.sources.state()["columns"]
        alive = columns["alive"]
        layers[name] = {
            "settings": {key: _plain(value) for key, value in state["settings"].items()},
            "clock": (state["every"], state["ticks"], state["due"]),
            "arrays": saved_arrays(layer, state),
            "sources": {
                key: column[alive]
                for key, column in columns.items()
                if key not in ("alive", "free")
            },
            "walls": np.ascontiguousarray(layer.space.walls),
        }
    return encoding.digest({"ticks": imap.schedule.ticks, "layers": layers})


def _plain(value: Any) -> Any:
    """Return a setting as plain data."""
    if value is None or isinstance(value, (bool, int, float, str, dict)):
        return value
    return str(value)


def _archive(imap: InfluenceMap) -> bytes:
    """Return the bytes of the save of a map."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "map"
        imap.save(path)
        return path.read_bytes()


def _imap_of(archive: bytes) -> InfluenceMap:
    """Return the map of the bytes of a save."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "map"
        path.write_bytes(archive)
        return InfluenceMap.load(path)
