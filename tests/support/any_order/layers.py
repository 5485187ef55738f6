"""Random layers with every propagation, and the operations on them."""

from __future__ import annotations

from typing import Any

import numpy as np

import fieldcraft as fc
from fieldcraft.layers import ArrayLayer, MemoryLayer, RadialLayer, SpreadLayer, TrailLayer
from fieldcraft.layers.propagated_layer import PropagatedLayer
from fieldcraft.layers.propagation import PROPAGATIONS
from fieldcraft.layers.propagation.propagation import spelled
from fieldcraft.layers.propagation.settings import Setting, declared
from fieldcraft.layers.source_layer import SourceLayer
from fieldcraft.layers.stamped_layer import StampedLayer
from support.any_order.drawing import SECONDS, Scene, operation, peek

LAYERS: list[type | None] = [*PROPAGATIONS.values(), None]
"""The propagations of layers; None is an array of your own."""

_NUMBERS = [0.0, 0.1, 0.3, 0.5, 0.9, 1.0, 2.5, 4.0]
_WEIGHTS = [1, 1, 3, 5, (0.25, 0.5, 0.25)]


def _value(scene: Scene, setting: Setting) -> Any:
    """Return a random value of a setting."""
    if setting.optional and scene.chance(0.5):
        return None
    if setting.kind in ("choice", "curve"):
        return scene.one_of(setting.choices)
    if setting.kind == "flag":
        return scene.chance(0.5)
    if setting.kind == "weights":
        return scene.one_of(_WEIGHTS)
    if setting.kind == "vector":
        return scene.one_of([(0.0, 0.0), (1.5, -0.5), (-2.0, 0.0)])
    if setting.kind == "integer":
        return int(max(setting.low, scene.dice.integers(5)))
    if setting.kind == "text":
        layers = scene.named(fc.Layer)
        return scene.one_of(layers) if layers else None
    low, high = max(setting.low, -3.0), min(setting.high, 4.0)
    return float(np.clip(scene.one_of(_NUMBERS), low, high))


def settings_of(scene: Scene, kind: type, *, part: float = 0.5) -> dict[str, Any]:
    """Return some settings of a propagation, each with a random value."""
    found = {}
    for name, setting in declared(kind).items():
        if setting.required or scene.chance(part):
            found[name] = _value(scene, setting)
    return found


def _code(kind: type, settings: dict[str, Any]) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    return f"{spelled(kind)}({arguments})"


def propagation_of(scene: Scene, kind: type) -> str:
    """Return the code of a random propagation that the space takes."""
    for _ in range(50):
        settings = settings_of(scene, kind)
        try:
            propagation = kind(**settings)
            fc.InfluenceMap(scene.space.with_walls(None)).add_layer("a", propagation)
        except fc.errors.UnknownName:
            scene.budget = False  # a flood with a barrier reads another layer
            return _code(kind, settings)
        except fc.FieldcraftError:
            continue
        return _code(kind, settings)
    return _code(
        kind, {"blur": 1} if "blur" in declared(kind) else settings_of(scene, kind, part=0)
    )


def add_layer(scene: Scene, name: str, kind: type | None) -> None:
    """Add a layer with a propagation of a class."""
    every = scene.one_of([0.1, 0.1, 0.25, 0.3])
    how = f"values={scene.array([0.0, 1.0, -2.0, 3.5])}"
    if kind is not None:
        how = propagation_of(scene, kind)
    scene.add(f"{name} = imap.add_layer({name!r}, {how}, every={every})")


# Layers


@operation(fc.Layer, "step", weight=2.0)
def step(scene: Scene, name: str) -> str:
    return f"{name}.step({int(scene.dice.integers(1, 4))})"


@operation(fc.Layer, "advance")
def advance(scene: Scene, name: str) -> str:
    return f"{name}.advance({scene.one_of(SECONDS)})"


@operation(fc.Layer, "every", weight=0.5)
def every(scene: Scene, name: str) -> str:
    return f"{name}.every = {scene.one_of([0.05, 0.1, 0.3, 1.0])}"


@operation(fc.Layer, "priority", weight=0.2)
def priority(scene: Scene, name: str) -> str:
    return f"{name}.priority = {scene.one_of([-1.0, 0.0, 2.0])}"


@operation(fc.Layer, "resistance", weight=0.7)
def resistance(scene: Scene, name: str) -> str:
    if scene.chance(0.3):
        return f"{name}.resistance = None"
    return f"{name}.resistance = {scene.array([0.0, 0.0, 0.5, 2.0, 40.0])}"


@operation(RadialLayer, "set_heights", "heights", weight=0.7)
def heights(scene: Scene, name: str) -> str:
    if scene.chance(0.3):
        return f"{name}.set_heights(None)"
    ground = scene.array([0.0, 0.0, 0.5, 2.0])
    return f"{name}.set_heights({ground}, eye={scene.one_of([0.0, 0.5, 1.0])})"


@operation(fc.Layer, "write", weight=0.5)
def write(scene: Scene, name: str) -> str:
    values = scene.array([0.0, 0.0, 1.0, -2.0, 7.0])
    layer = scene.get(name)
    if layer.steps.field.shape != scene.space.shape:
        return f"{name}.write(np.stack([{values}] * {layer.steps.field.shape[-1]}, axis=-1))"
    return f"{name}.write({values})"


@operation(PropagatedLayer, "tune", "propagation")
def tune(scene: Scene, name: str) -> str | None:
    kind = type(scene.get(name).propagation)
    settings = settings_of(scene, kind, part=0.3)
    settings.pop("barrier", None)
    if not settings:
        return None
    arguments = ", ".join(f"{key}={value!r}" for key, value in settings.items())
    return f"{name}.tune({arguments})"


@operation(PropagatedLayer, "settle", weight=0.5)
def settle(scene: Scene, name: str) -> str:
    return f"{name}.settle()"


# Layers with sources


def _keywords(scene: Scene, name: str) -> str:
    found = scene.on_wall()
    if scene.chance(0.3):
        found += f", lifetime={scene.one_of([0.1, 0.3, 1.0])}"
    if isinstance(scene.get(name), RadialLayer) and scene.chance(0.4):
        found += f", radius={scene.one_of([0.5, 1.0, 2.0, 4.0])}"
    return found


@operation(SourceLayer, "add_source", weight=3.0)
def add_source(scene: Scene, name: str) -> str:
    strength, keywords = scene.amount(), _keywords(scene, name)
    return f"{name}.add_source({scene.place()}, {strength}, {keywords})"


@operation(SourceLayer, "add_sources")
def add_sources(scene: Scene, name: str) -> str:
    places = scene.places()
    return f"{name}.add_sources({places}, {scene.amounts(len(places))}, {scene.on_wall()})"


@operation(SourceLayer, "sync", weight=2.0)
def sync(scene: Scene, name: str) -> str:
    places = scene.places()
    keys = [f"k{number}" for number in scene.dice.permutation(5)[: len(places)]]
    more = scene.on_wall()
    if scene.chance(0.4):
        more += f", velocities={[[scene.amount() for _ in place] for place in places]}"
    return f"{name}.sync({keys}, {places}, {scene.amounts(len(places))}, {more})"


def _source(scene: Scene, name: str) -> str | None:
    ids = scene.get(name).sources.ids.tolist()
    return f"{name}.source({scene.one_of(ids)})" if ids else None


@operation(SourceLayer, "source", "sources", weight=3.0)
def change_a_source(scene: Scene, name: str) -> str | None:
    source = _source(scene, name)
    if source is None:
        return None
    schedule = f"schedule([0.0, 0.3, 0.6], {scene.amounts(3)}, period={scene.one_of([None, 1.0])})"
    calls = [
        f"move({scene.place()}, {scene.on_wall()})",
        "remove()",
        f"resize({scene.one_of([0.5, 1.5, 3.0])})",
        f"follow({[scene.place(), scene.place()]}, 2.0, repeat={scene.chance(0.5)}, {scene.on_wall()})",
        schedule,
    ]
    if scene.chance(0.2):
        return f"{source}.strength = {scene.amount()}"
    return f"{source}.{scene.one_of(calls)}"


@operation(SourceLayer, "remove_at", weight=0.5)
def remove_at(scene: Scene, name: str) -> str:
    return f"{name}.remove_at({scene.places(2)})"


@operation(SpreadLayer, "deposit", "add_dynamic", "add_static")
def deposit(scene: Scene, name: str) -> str:
    if scene.chance(0.2):
        return f"{name}.add_static({scene.place()}, {scene.amount()}, {scene.on_wall()})"
    if scene.chance(0.2):
        return f"{name}.add_dynamic({scene.place()}, {scene.amount()})"
    places = scene.places()
    return f"{name}.deposit({places}, {scene.amounts(len(places))}, {scene.on_wall(through=False)})"


@operation(SpreadLayer, "put", weight=0.5)
def put_values(scene: Scene, name: str) -> str:
    cells = scene.cells()
    return f"{name}.put({cells}, {scene.amounts(len(cells))})"


@operation(RadialLayer, "add_static", weight=0.5)
def add_static(scene: Scene, name: str) -> str:
    flood, steps = scene.chance(0.5), int(scene.dice.integers(1, 4))
    return (
        f"{name}.add_static({scene.place()}, {scene.amount()}, flood={flood}, iterations={steps})"
    )


@operation(RadialLayer, "validate", weight=0.5)
def validate(scene: Scene, name: str) -> str:
    return f"{name}.validate({int(scene.dice.integers(1, 60))}, rate={scene.one_of([None, 0.5])})"


# Memory, trails and arrays


@operation(MemoryLayer, "mark", weight=3.0)
def mark(scene: Scene, name: str) -> str:
    places, more = scene.places(), ""
    if scene.chance(0.5):
        metric = scene.one_of(["straight", "connected", "path", "sight"])
        more = f", radius={scene.one_of([0.6, 1.0, 2.5])}, falloff='linear', metric={metric!r}"
        if metric == "sight" and scene.chance(0.5):
            more += scene.over_heights()
    amounts = scene.amounts(len(places), negative=False)
    return f"{name}.mark({places}, {amounts}{more}, {scene.on_wall(through=False)})"


@operation(MemoryLayer, "deposit")
def deposit_in_memory(scene: Scene, name: str) -> str:
    places = scene.places()
    return f"{name}.deposit({places}, {scene.amounts(len(places))})"


@operation(fc.Layer, "state", "restore", weight=0.3)
def restore(scene: Scene, name: str) -> str:
    return f"{name}.restore({name}.state())"


def _vectors(scene: Scene, name: str, count: int) -> list[Any]:
    if not scene.get(name).steps.field.vector:
        return scene.amounts(count)
    return [scene.amounts(scene.space.dimensions) for _ in range(count)]


@operation(TrailLayer, "deposit", weight=3.0)
def deposit_on_a_trail(scene: Scene, name: str) -> str:
    places = scene.places()
    return f"{name}.deposit({places}, {_vectors(scene, name, len(places))})"


@operation(TrailLayer, "deposit_at")
def deposit_at(scene: Scene, name: str) -> str:
    cells = scene.cells()
    return f"{name}.deposit_at(np.array({cells}), {_vectors(scene, name, len(cells))})"


@operation(StampedLayer, "stamp", weight=2.0)
def stamp(scene: Scene, name: str) -> str:
    places, more = scene.places(), ""
    if isinstance(scene.get(name), ArrayLayer) and scene.chance(0.4):
        more = f", seconds={scene.one_of([0.1, 0.3, 1.0])}"
    elif scene.chance(0.4):
        more = f", blend={scene.one_of(['add', 'max', 'replace'])!r}"
    if scene.chance(0.3):
        more += ", how='bilinear'"
    shape = f"fc.Stamp.disc({scene.one_of([0.6, 1.2, 2.0])})"
    return f"{name}.stamp({shape}, {places}, {_vectors(scene, name, len(places))}{more})"


@operation(StampedLayer, "put", weight=0.7)
def put(scene: Scene, name: str) -> str:
    cells = scene.cells()
    return f"{name}.put({cells}, {_vectors(scene, name, len(cells))})"


# Expressions that change nothing


@peek(
    fc.Layer,
    "values",
    "read",
    "version",
    "time",
    "lag",
    "updates",
    "shape",
    "sources",
    "vectors",
    "propagation",
)
def read(scene: Scene, name: str) -> str:
    words = ["values", "read()", "version", "time", "lag", "updates", "finite_values()"]
    return f"{name}.{scene.one_of(words)}"


@peek(fc.Layer, "sample")
def sample(scene: Scene, name: str) -> str:
    how = scene.one_of(["nearest", "bilinear"])
    return f"{name}.sample({scene.places()}, how={how!r}, outside='clamp')"


@peek(fc.Layer, "at")
def at(scene: Scene, name: str) -> str:
    return f"{name}.at({scene.one_of(SECONDS)}).values"


@peek(fc.Layer, "attribution")
def attribution(scene: Scene, name: str) -> str:
    return f"{name}.attribution({scene.cell()})"


@peek(fc.Layer)
def query(scene: Scene, name: str) -> str:
    place = scene.place()
    words = [
        f"fc.best({name}, {place}, 2.0, outside='clamp')",
        f"fc.best({name}, {place}, 2.0, occupied={scene.cells()}, outside='clamp')",
        f"fc.best({name}, {place}, 2.0, within=0.1, rng=np.random.default_rng(3), outside='clamp')",
        f"fc.explain({name}, {place}, outside='clamp')",
        f"fc.explain(1 - fc.maximum({name}, 0) * 2, {place}, outside='clamp')",
        f"fc.peaks({name})",
        f"fc.regions({name}, 0.5)",
        f"({name} * 2 + 1).values",
        f"str({name}), repr({name})",
    ]
    return str(scene.one_of(words))


@peek(RadialLayer, "strongest", "strongest_near")
def strongest(scene: Scene, name: str) -> str:
    source = _source(scene, name)
    if source is None or scene.chance(0.5):
        return f"{name}.strongest"
    owner = f"fc.Teams(imap, [{name}.name]).owner('source')"
    return f"fc.sample({owner}, {scene.place()}, without={source}, outside='clamp')"


@peek(SourceLayer, "without", "attribution_without")
def without(scene: Scene, name: str) -> str | None:
    source = _source(scene, name)
    if source is None:
        return None
    place = scene.place()
    words = [
        f"{name}.without({source}).values",
        f"fc.best({name}, {place}, 2.0, without={source}, outside='clamp')",
        f"fc.sample(2 * {name}.at(0.5) - {name}, {place}, without={source}, outside='clamp')",
        f"{name}.sample({place}, without={source}, outside='clamp')",
        f"fc.pick({name}, {place}, 2.0, rng=np.random.default_rng(1), above=0.5,"
        f" without={source}, outside='clamp')",
        f"fc.query.Reservations({name}.space).best({name}, {place}, 2.0, agents=1,"
        f" without={source}, outside='clamp')",
        f"fc.explain({name}, {place}, without={source}, outside='clamp')",
        f"fc.observe([{name}, 2 * {name}], {place}, 3, without={source}, outside='clamp')",
        f"fc.peaks({name}.normalize(), without={source})",
    ]
    return str(scene.one_of(words))


@peek(fc.Layer, "state")
def state(scene: Scene, name: str) -> str:
    return f"{name}.state()"
