"""The worlds that the lab can drive: of a recipe, or of an influence map. Packages bring others by
entry points.

A live world makes whole steps, obeys orders between them, and can be kept and gone back to, bit for
bit.
"""

from __future__ import annotations

import io
import pickle
import tempfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from fieldcraft import clock, packing
from fieldcraft.demo import recipe_path
from fieldcraft.errors import BadSaveFile, FieldcraftError, InvalidValue, UnknownName
from fieldcraft.falloff import Falloff
from fieldcraft.files import is_there
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer.operand import Operand
from fieldcraft.propagation import Stamp
from fieldcraft.recipe.parts import Recipe
from fieldcraft.recipe.read import read_recipe
from fieldcraft.recipe.world import MAX_STEPS, World
from fieldcraft.recordings import Timeline
from fieldcraft.space import Mesh, Space
from fieldcraft.space.topology import Topology
from fieldcraft_lab.obeying import obey
from fieldcraft_lab.orders import ORDERS, Order

__all__ = ["WORLDS", "Live", "LiveMap", "LiveRecipe", "begun", "opened"]

WORLDS = "fieldcraft.lab"
"""The group of entry points by which packages offer worlds to the lab: name -> a function of the
text behind the name.
"""

_SHARED = (Recipe, Timeline, Stamp, Falloff, Topology, Mesh)
"""Kinds of things that never change: keyframes point at them and hold no copies."""


class Live(Protocol):
    """A world that goes on in steps."""

    kind: str
    title: str
    step_seconds: float
    end: int | None
    orders: tuple[type, ...]

    @property
    def space(self) -> Space:
        """The map that it lies on, as it is now."""
        ...

    @property
    def maps(self) -> Mapping[str, Operand]:
        """All that can be seen, by name: things with `space`, `values` and `version`."""
        ...

    def step(self) -> None:
        """Go on by one step."""
        ...

    def obey(self, order: Any) -> None:
        """Do as one of `orders` says, or raise a `FieldcraftError`; then nothing has changed."""
        ...

    def keyframe(self) -> bytes:
        """All that changes, to go back to."""
        ...

    def at(self, keyframe: bytes) -> Live:
        """Another world at the moment of a keyframe, which goes on with the same bits."""
        ...

    def digest(self) -> str:
        """The SHA-256 of all that there is now."""
        ...

    def origin(self) -> dict[str, Any]:
        """The plain data that `begun` begins the world from, as it was before the first step."""
        ...


class _Keeper:
    """Keyframes as bytes, which live as long as this program; what never changes is shared by
    all.
    """

    def __init__(self) -> None:
        self._shared: dict[int, Any] = {}

    def kept(self, value: Any) -> bytes:
        file = io.BytesIO()
        keeper = self

        class Pickler(pickle.Pickler):
            def persistent_id(self, found: Any) -> int | None:
                if isinstance(found, _SHARED):
                    keeper._shared[id(found)] = found
                    return id(found)
                return None

        Pickler(file, 5).dump(value)
        return file.getvalue()

    def taken(self, data: bytes) -> Any:
        keeper = self

        class Unpickler(pickle.Unpickler):
            def persistent_load(self, identity: Any) -> Any:
                return keeper._shared[identity]

        return Unpickler(io.BytesIO(data)).load()


class LiveMap:
    """An influence map that the lab drives by steps of `step` seconds; by default the shortest
    interval of its layers.
    """

    kind = "map"
    end: int | None = None
    orders: tuple[type, ...] = ORDERS

    def __init__(self, imap: InfluenceMap, step: float | None = None, title: str = "") -> None:
        if not isinstance(imap, InfluenceMap):
            raise InvalidValue(
                "The lab shows an influence map",
                got=type(imap).__name__,
                remedy="Pass fc.InfluenceMap, or a recipe's path",
            )
        shortest = min((layer.every for layer in imap.layers.values()), default=0.1)
        self.step_seconds = (
            shortest if step is None else clock.seconds(clock.ticks("step", step, minimum=1))
        )
        self.title = title
        self._keeper = _Keeper()
        self._start = _archive(imap)
        self.imap = _imap_of(self._start)

    @property
    def space(self) -> Space:
        """The map's space."""
        return self.imap.space

    @property
    def maps(self) -> Mapping[str, Operand]:
        """The layers."""
        return self.imap.layers

    def step(self) -> None:
        """Go on by one step, however many updates that means for a layer."""
        self.imap.advance(self.step_seconds, max_steps=MAX_STEPS)

    def obey(self, order: Order) -> None:
        """Do as an order says."""
        obey(order, self.imap)

    def keyframe(self) -> bytes:
        """All that changes."""
        return self._keeper.kept(self.imap)

    def at(self, keyframe: bytes) -> LiveMap:
        """Another map at the moment of a keyframe."""
        twin = object.__new__(LiveMap)
        twin.__dict__.update(self.__dict__)
        twin.imap = self._keeper.taken(keyframe)
        return twin

    def digest(self) -> str:
        """The SHA-256 of the map."""
        return digest_of(self.imap)

    def origin(self) -> dict[str, Any]:
        """The map as it was, and the step."""
        return {
            "archive": np.frombuffer(self._start, dtype=np.uint8),
            "step": self.step_seconds,
            "title": self.title,
        }

    @classmethod
    def begun(cls, origin: dict[str, Any]) -> LiveMap:
        """The world of an origin."""
        return cls(_imap_of(origin["archive"].tobytes()), origin["step"], origin["title"])


class LiveRecipe:
    """The world of a recipe."""

    kind = "recipe"
    orders: tuple[type, ...] = ORDERS

    def __init__(self, recipe: Recipe, overrides: tuple[str, ...] = ()) -> None:
        self.recipe = recipe
        self.overrides = overrides
        self.world = World(recipe)
        self.title = recipe.title
        self.written = [recipe.document.text]
        self.step_seconds = self.world.step
        self.end: int | None = self.world.steps
        self._keeper = _Keeper()

    @property
    def imap(self) -> InfluenceMap:
        """The influence map of the recipe."""
        return self.world.imap

    @property
    def space(self) -> Space:
        """The recipe's map."""
        return self.world.imap.space

    @property
    def maps(self) -> Mapping[str, Operand]:
        """The layers and all that follows from them."""
        return self.world.maps

    def step(self) -> None:
        """Go on by one step; beyond the recipe's end, too."""
        self.world.tick()

    def obey(self, order: Order) -> None:
        """Do as an order says; a source of the recipe that is touched belongs to whoever touched
        it.
        """
        obey(order, self.imap, release=self.world.release)

    def name_of(self, layer: str, source: int) -> str | None:
        """The name that the recipe gives a source."""
        part = self.world.part_of(layer, source)
        name = None if part is None else self.recipe.document.value((*part.keys, "name"))
        return name if isinstance(name, str) else None

    def keyframe(self) -> bytes:
        """All that changes."""
        return self._keeper.kept(self.world)

    def at(self, keyframe: bytes) -> LiveRecipe:
        """Another world at the moment of a keyframe."""
        twin = object.__new__(LiveRecipe)
        twin.__dict__.update(self.__dict__)
        twin.world = self._keeper.taken(keyframe)
        return twin

    def digest(self) -> str:
        """The SHA-256 of the influence map."""
        return digest_of(self.imap)

    def origin(self) -> dict[str, Any]:
        """The recipe's text, where it lies, and what was set from outside."""
        document = self.recipe.document
        return {
            "text": document.text,
            "path": str(document.file.resolve()),
            "overrides": tuple(self.overrides),
            "data": None if document.data is None else str(document.data),
        }

    @classmethod
    def begun(cls, origin: dict[str, Any]) -> LiveRecipe:
        """The world of an origin; maps and recordings are read where the recipe says they are."""
        overrides = tuple(origin["overrides"])
        return cls(
            read_recipe(origin["path"], overrides, data=origin["data"], text=origin["text"]),
            overrides,
        )


_BEGUN: dict[str, Any] = {LiveMap.kind: LiveMap.begun, LiveRecipe.kind: LiveRecipe.begun}


def opened(name: str, *, overrides: tuple[str, ...] = (), data: str | Path | None = None) -> Live:
    """The world that a text on the command line names: a recipe (.toml), a saved map, or a world of
    another package.

    Raises
    ------
    UnknownName
        Or what reading raises.
    """
    recipe = recipe_path(Path(name))
    if recipe.suffix == ".toml":
        return LiveRecipe(read_recipe(recipe, overrides, data=data), overrides)
    if is_there(name):
        return LiveMap(InfluenceMap.load(name), title=Path(name).stem)
    word, _, rest = name.partition(":")
    points = {point.name: point for point in metadata.entry_points(group=WORLDS)}
    if word in points:
        world: Live = points[word].load()(rest, overrides)
        return world
    for point in points.values():
        offered = point.load()
        if name in getattr(offered, "names", ()):
            found: Live = offered(name, overrides)
            return found
    known = {name for point in points.values() for name in getattr(point.load(), "names", ())}
    raise UnknownName("world or file", name, {*points, *known})


def begun(kind: str, origin: dict[str, Any]) -> Live:
    """The world that an `origin` of this kind begins; raises `BadSaveFile` for one that no package
    here knows.
    """
    found = _BEGUN.get(kind)
    if found is None:
        for point in metadata.entry_points(group=WORLDS):
            offered = point.load()
            if kind == getattr(offered, "kind", point.name):
                found = offered.begun
    if found is None:
        raise BadSaveFile(
            "A session is of a world that can be opened here",
            got=repr(kind),
            remedy="Install the package that brings it",
        )
    try:
        world: Live = found(origin)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, FieldcraftError):
            raise
        raise BadSaveFile(
            "A session says how its world begins",
            got=str(error)[:80],
            remedy="Use another copy of the file",
        ) from error
    return world


def digest_of(imap: InfluenceMap) -> str:
    """The SHA-256 of an influence map: walls, and of each layer settings, clock, values and
    sources.
    """
    layers = {}
    for name, layer in imap.layers.items():
        state = layer._state()
        columns, _ = state.sources.state()
        alive = columns["alive"]
        layers[name] = {
            "settings": {key: _plain(value) for key, value in state.propagation.settings().items()},
            "clock": (state.every, state.ticks, state.due),
            "arrays": dict(state.arrays),
            "sources": {
                key: column[alive]
                for key, column in columns.items()
                if key not in ("alive", "free")
            },
            "walls": np.ascontiguousarray(layer.space.walls),
        }
    return packing.digest({"ticks": imap._ticks, "layers": layers})


def _plain(value: Any) -> Any:
    if isinstance(value, Falloff):
        state = value.state()
        return {**state, "ring": None if state["ring"] is None else tuple(state["ring"])}
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _archive(imap: InfluenceMap) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "map"
        imap.save(path)
        return path.read_bytes()


def _imap_of(archive: bytes) -> InfluenceMap:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "map"
        path.write_bytes(archive)
        return InfluenceMap.load(path)
