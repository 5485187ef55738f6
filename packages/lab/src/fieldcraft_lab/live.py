"""The worlds that the lab can drive: of a recipe, or of an influence map. Packages bring others by
entry points.

A live world makes whole steps, obeys orders between them, and can be kept and gone back to, bit for
bit.
"""

from __future__ import annotations

import copy
import io
import pickle
import tempfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from fieldcraft import checks, clock, packing
from fieldcraft.demo import SHIPPED, recipe_path
from fieldcraft.errors import BadSaveFile, FieldcraftError, UnknownName
from fieldcraft.falloff import Falloff
from fieldcraft.files import is_there
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer.operand import Operand
from fieldcraft.propagation import Stamp
from fieldcraft.propagation.settings import values_of
from fieldcraft.recipe.parts import Recipe
from fieldcraft.recipe.read import read_recipe
from fieldcraft.recipe.world import MAX_STEPS, World
from fieldcraft.recordings import Timeline
from fieldcraft.space import Mesh, Space
from fieldcraft.space.topology import Topology
from fieldcraft_lab.obeying import obey
from fieldcraft_lab.orders import ORDERS, Order, Paint

__all__ = [
    "WORLDS",
    "Live",
    "LiveMap",
    "LiveRecipe",
    "begun",
    "games",
    "opened",
    "recipes",
    "shortest_interval",
]

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

    @property
    def maps(self) -> Mapping[str, Operand]:
        """All that can be seen, by name: things with `space`, `values` and `version`."""

    def step(self) -> None:
        """Go on by one step."""

    def obey(self, order: Any) -> None:
        """Do as one of `orders` says, or raise a `FieldcraftError`; then nothing has changed."""

    def keyframe(self) -> bytes:
        """All that changes, to go back to."""

    def at(self, keyframe: bytes) -> Live:
        """Another world at the moment of a keyframe, which goes on with the same bits."""

    def digest(self) -> str:
        """The SHA-256 of all that there is now."""

    def origin(self) -> dict[str, Any]:
        """The plain data that `begun` begins the world from, as it was before the first step."""


class _OfLayers:
    """What worlds of layers share. `world` is all that changes.

    Keyframes are bytes, which live as long as this program; what never changes is shared by all.
    """

    orders: tuple[type, ...] = ORDERS
    end: int | None = None

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
        """The map that it lies on."""
        return self.imap.space

    def keyframe(self) -> bytes:
        """All that changes."""
        file = io.BytesIO()
        pickler = pickle.Pickler(file, 5)
        pickler.persistent_id = self._identity  # type: ignore[method-assign]
        pickler.dump(self.world)
        return file.getvalue()

    def _identity(self, value: Any) -> int | None:
        return id(self._shared.setdefault(id(value), value)) if isinstance(value, _SHARED) else None

    def at(self, keyframe: bytes) -> Self:
        """Another world at the moment of a keyframe."""
        unpickler = pickle.Unpickler(io.BytesIO(keyframe))
        unpickler.persistent_load = self._shared.__getitem__  # type: ignore[method-assign]
        twin = copy.copy(self)
        twin.world = unpickler.load()
        return twin

    def digest(self) -> str:
        """The SHA-256 of the influence map."""
        return digest_of(self.imap)


class LiveMap(_OfLayers):
    """An influence map that the lab drives by steps of `step` seconds; by default the shortest
    interval of its layers.
    """

    kind = "map"

    def __init__(self, imap: InfluenceMap, step: float | None = None, title: str = "") -> None:
        remedy = "Pass fc.InfluenceMap, or a recipe's path"
        checks.instance(imap, InfluenceMap, "The lab shows an influence map", remedy)
        self.step_seconds = (
            shortest_interval(imap)
            if step is None
            else clock.seconds(clock.ticks("step", step, minimum=1))
        )
        self._start = _archive(imap)
        super().__init__(_imap_of(self._start), title)

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


class LiveRecipe(_OfLayers):
    """The world of a recipe."""

    kind = "recipe"

    def __init__(self, recipe: Recipe, overrides: tuple[str, ...] = ()) -> None:
        super().__init__(World(recipe), recipe.title)
        self.recipe = recipe
        self.overrides = overrides
        self.written = [recipe.document.text]
        self.step_seconds = self.world.step
        self.end = self.world.steps

    @property
    def imap(self) -> InfluenceMap:
        """The influence map of the recipe."""
        found: InfluenceMap = self.world.imap
        return found

    @property
    def maps(self) -> Mapping[str, Operand]:
        """The layers and all that follows from them."""
        found: Mapping[str, Operand] = self.world.maps
        return found

    def step(self) -> None:
        """Go on by one step; beyond the recipe's end, too."""
        self.world.tick()

    def obey(self, order: Order) -> None:
        """Do as an order says; a source of the recipe that is touched belongs to whoever touched
        it.
        """
        obey(order, self.imap, release=self.world.release)
        if isinstance(order, Paint):
            self.world.walls_changed()

    def name_of(self, layer: str, source: int) -> str | None:
        """The name that the recipe gives a source."""
        part = self.world.part_of(layer, source)
        name = None if part is None else self.recipe.document.value((*part.keys, "name"))
        return name if isinstance(name, str) else None

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


def shortest_interval(imap: InfluenceMap) -> float:
    """The seconds of a step of a map of which nobody said any."""
    return min((layer.every for layer in imap.layers.values()), default=0.1)


def _offers() -> dict[str, Any]:
    """What packages offer to the lab, by name."""
    return {point.name: point.load() for point in metadata.entry_points(group=WORLDS)}


def opened(name: str, *, overrides: tuple[str, ...] = (), data: str | Path | None = None) -> Live:
    """The world that a text on the command line names: a recipe (.toml), a saved map, or a world of
    another package.

    Raises
    ------
    UnknownName
        Or what reading raises.
    """
    offers = _offers()
    named = {each: world for world in offers.values() for each in getattr(world, "names", ())}
    if name in named:
        game: Live = named[name](name, overrides)
        return game
    recipe = recipe_path(Path(name))
    if recipe.suffix == ".toml":
        return LiveRecipe(read_recipe(recipe, overrides, data=data), overrides)
    if is_there(name):
        return LiveMap(InfluenceMap.load(name), title=Path(name).stem)
    word, _, rest = name.partition(":")
    others = {word: world for word, world in offers.items() if not hasattr(world, "names")}
    if word not in others:
        raise UnknownName("world or file", name, {*others, *named, *recipes()})
    found: Live = others[word](rest, overrides)
    return found


def recipes() -> list[str]:
    """The names of the recipes that come with fieldcraft."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def games() -> list[str]:
    """The names of the worlds that other packages bring."""
    return [name for world in _offers().values() for name in getattr(world, "names", ())]


def begun(kind: str, origin: dict[str, Any]) -> Live:
    """The world that an `origin` of this kind begins; raises `BadSaveFile` for one that no package
    here knows.
    """
    known: dict[str, Any] = {LiveMap.kind: LiveMap, LiveRecipe.kind: LiveRecipe}
    if kind not in known:
        known |= {getattr(world, "kind", name): world for name, world in _offers().items()}
    if kind not in known:
        raise BadSaveFile(
            "A session is of a world that can be opened here",
            got=repr(kind),
            remedy="Install the package that brings it",
        )
    try:
        world: Live = known[kind].begun(origin)
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
            "settings": {key: _plain(value) for key, value in values_of(state.propagation).items()},
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
