"""The law of refusals: a call that raises an error has changed nothing.

Calls are derived from the signatures of public methods and from the settings of propagations: good
arguments, one of which is replaced by a wrong value. A world with refused calls and a twin without
them have the same state, the same values after steps, and the same save. What is not refused is
called on the twin too.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import FieldcraftError
from fieldcraft.layers.propagation.settings import declared, values_of
from support.any_order.drawing import Scene
from support.any_order.layers import LAYERS, add_layer
from support.worlds import EVERY

Call = Callable[["World"], object]

CALLS = 60
"""Calls of methods, and changes of settings, on each layer of each kind of space."""

WRONG: list[Any] = [
    float("nan"),
    float("inf"),
    -1.0,
    -5,
    0,
    1e40,
    2**70,
    np.uint64(2**64 - 1),
    True,
    None,
    "nonsense",
    b"bytes",
    object(),
    {"a": 1},
    [],
    [float("nan")],
    [[float("nan"), 0.5]],
    [(1e9, 1e9), (0.5, 0.5)],
    [(0.5, 0.5), (1e9, 1e9)],
    [0, 0],
    [0, 10**9],
    [1.0, float("nan")],
    np.ones((2, 3, 5)),
    np.full((2, 2), "text"),
]

NOT_CALLED = {
    "restored": "saves and copies call it",
    "watch": "opens a page",
    "recover": "needs a device that is lost",
    "save": "compared at the end",
    "load": "makes another map",
    "read": "writes to an array of the caller",
    **dict.fromkeys(
        ("ids_of", "forget_changes", "all_changed", "expire", "pins", "limit", "set_lock"),
        "is not for users",
    ),
    **dict.fromkeys(("state", "key_of", "id_of", "ids_of_any", "source_ids"), "is not for users"),
    **dict.fromkeys(("values_near", "values_without", "strongest_near"), "is not for users"),
    "attribution_without": "is not for users",
}


class World:
    """A map with a layer of some kind, sources, and a second layer."""

    def __init__(self, kind: str, place: int, seed: int) -> None:
        self.scene = Scene(np.random.default_rng([seed, place]))
        self.scene.add(f"space = worlds.EVERY[{kind!r}](np.random.default_rng({seed}))")
        self.scene.add("imap = fc.InfluenceMap(space)")
        add_layer(self.scene, "a", LAYERS[place])
        self.scene.add("b = imap.add_layer('b', fc.Fade(1.0))")
        self.imap: fc.InfluenceMap = self.scene.get("imap")
        self.layer: Any = self.imap["a"]
        self.space = self.imap.space
        opened = np.flatnonzero(~self.space.walls.reshape(-1))
        self.center = self.space.position_of(int(opened[0]) if len(opened) else 0)
        if isinstance(self.layer, fc.layers.SourceLayer) and len(opened):
            self.layer.sync(["one", "two"], [self.center, self.center], [2.0, 1.0])
            self.layer.add_source(self.center, 3.0, lifetime=1.0)
        self.imap.step(2)

    def good(self, name: str) -> Any:
        """Return an argument that a parameter of this name takes."""
        return {
            "positions": [self.center, self.center],
            "position": self.center,
            "path": [self.center],
            "ids": self.ids[:2],
            "identity": int(self.ids[0]) if len(self.ids) else 0,
            "keys": ["one", "two"],
            "cells": [0],
            "cell": 0,
            "edges": [],
            "values": np.ones(self.layer.steps.field.shape),
            "stamp": fc.Stamp.disc(1.0),
            "times": [0.0, 1.0],
            "strengths": [1.0, 2.0],
            "names": ["c", "d"],
            "name": "e",
            "propagation": fc.Spread(0.2),
            "layer": "a",
            "kind": fc.Layer,
            "state": self.imap["b"].state(),
            "timed": fc.LastSeen(self.space),
            "dt": 0.1,
            "t": 0.1,
            "radius": 1.5,
            "speed": 1.0,
            "value": 2.0,
        }.get(name, 1.0)

    @property
    def ids(self) -> Any:
        """The ids of the sources."""
        return self.layer.steps.sources.ids

    def state(self) -> list[object]:
        """Return all that a refused call must leave as it is."""
        found: list[object] = [
            self.space.walls.tobytes(),
            self.space.opaque.tobytes(),
            self.imap.time,
        ]
        for name, layer in self.imap.layers.items():
            try:
                state = layer.state()
            except FieldcraftError as error:  # steps that wait bring a source into a wall
                found.append((name, str(error)))
                continue
            sources = layer.steps.sources.state()
            arrays = {**state["field"], **sources["columns"]}
            clock = [state[name] for name in ("settings", "priority", "every", "ticks", "due")]
            found += [
                (name, clock),
                {key: (array.shape, array.tobytes()) for key, array in arrays.items()},
                sources["keys"],
                layer.values.tobytes(),
            ]
        return found


def _targets(world: World) -> dict[str, Callable[[World], Any]]:
    """Return the objects whose methods are called, each as a function of the world."""
    found: dict[str, Callable[[World], Any]] = {
        "imap": lambda world: world.imap,
        "layer": _layer,
        "space": lambda world: world.space,
    }
    if len(world.ids):
        found["sources"] = lambda world: world.layer.sources
        found["source"] = lambda world: world.layer.source(key="one")
    return found


def calls(world: World) -> Iterator[tuple[str, Call]]:
    """Yield wrong calls, each with its text."""
    for target, of in _targets(world).items():
        kind = type(of(world))
        names = [name for name in dir(kind) if name[0] != "_" and name not in NOT_CALLED]
        if target == "sources":
            names.remove("advance")  # steps call it
        for name in names:
            member = inspect.getattr_static(kind, name)
            if target == "space" and not name.startswith("set_"):
                continue
            if isinstance(member, property) and member.fset is not None:
                for wrong in WRONG:
                    yield f"{target}.{name} = {wrong!r}", _assign(of, name, wrong)
            elif inspect.isfunction(member):
                yield from _wrong_calls(f"{target}.{name}", of, name, inspect.signature(member))


def changes_of_settings(world: World) -> Iterator[tuple[str, Call]]:
    """Yield calls that change settings of the propagation: wrong values, and values that only some
    spaces take.
    """
    if world.layer.propagation is None:
        return
    for name, setting in declared(world.layer.propagation).items():
        for value in (*WRONG, *setting.choices, 3, 5, (0.25, 0.5, 0.25)):

            def call(world: World, name: str = name, value: Any = value) -> object:
                return world.layer.tune(**{name: value})

            yield f"layer.tune({name}={value!r})", call
    for other in LAYERS:
        if other is not None:
            yield f"layer.propagation = {other}", _assign(_layer, "propagation", other)


def _layer(world: World) -> Any:
    return world.layer


def _assign(of: Callable[[World], Any], name: str, wrong: Any) -> Call:
    return lambda world: setattr(of(world), name, wrong)


def _wrong_calls(
    text: str, of: Callable[[World], Any], method: str, signature: inspect.Signature
) -> Iterator[tuple[str, Call]]:
    parameters = list(signature.parameters.values())[1:]
    taken = [
        each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    needed = [each.name for each in taken if each.default is each.empty]
    for changed, wrong in itertools.product([each.name for each in taken], WRONG):

        def call(world: World, changed: str = changed, wrong: Any = wrong) -> object:
            arguments = {name: world.good(name) for name in needed} | {changed: wrong}
            return getattr(of(world), method)(**arguments)

        yield f"{text}(..., {changed}={wrong!r})", call


def refuses(call: Call, world: World) -> bool:
    """Return whether a call raises an error that the library means to raise.

    The arguments of `advance` may be good and a source still move into a wall while time passes.
    That refuses nothing: time passes up to there.
    """
    try:
        call(world)
    except (FieldcraftError, TypeError) as error:
        return not str(error).startswith("A source that moves stays on")
    return False


def step(world: World) -> None:
    """Take a step of all layers."""
    world.imap.step()


def check(kind: str, place: int, folder: Path, seed: int, most: int) -> None:
    """Compare a world with refused calls and its twin."""
    world = World(kind, place, seed)
    twin = World(kind, place, seed)
    dice = np.random.default_rng([seed, place, 7])
    drawn = []
    for group in (list(calls(world)), list(changes_of_settings(world))):
        drawn += [group[number] for number in dice.permutation(len(group))[:most].tolist()]
    for number in dice.permutation(len(drawn)).tolist():
        text, call = drawn[number]
        before = (world.layer.propagation, kind, place, seed)
        if not refuses(call, world):
            assert not refuses(call, twin), (text, before)
        assert world.state() == twin.state(), (text, before)
        # A step may raise the error of a source that moves off the map: then it does in both.
        assert refuses(step, world) == refuses(step, twin), (text, before)
        assert world.state() == twin.state(), (text, "after a step", before)
    for each, name in ((world, "world"), (twin, "twin")):
        for _ in range(3):
            refuses(step, each)
        try:
            each.imap.save(folder / name)
        except FieldcraftError as error:  # steps that wait bring a source into a wall
            (folder / name).write_text(str(error))
    assert (folder / "world").read_bytes() == (folder / "twin").read_bytes()


@pytest.mark.parametrize("kind", EVERY)
def test_a_refused_call_changes_nothing(kind: str, tmp_path: Path) -> None:
    for place in range(len(LAYERS)):
        check(kind, place, tmp_path, seed=1, most=CALLS)


def test_settings_are_restored_by_tuning_back() -> None:
    """Each propagation takes its own settings again: `tune` of all of them changes nothing."""
    for place, kind in enumerate(LAYERS):
        if kind is not None:
            world = World("grid", place, 3)
            before = world.layer.propagation
            world.layer.tune(**values_of(before))
            assert world.layer.propagation == before
