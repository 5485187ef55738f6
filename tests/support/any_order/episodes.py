"""Random scripts: a space of some kind, layers, followers, and operations in any order."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

import fieldcraft as fc
from support.any_order.drawing import OPERATIONS, PEEKS, EndOfScript, Scene, drawn
from support.any_order.followers import FOLLOWERS
from support.any_order.layers import LAYERS, add_layer

_LAYERS = 3
_FOLLOWERS = 3
_KEEPS_STATE = ("belief", "seen", "pursuit", "party", "eased")


@dataclass(frozen=True)
class Episode:
    """A random script and what it was made of.

    Parameters
    ----------
    kind : str
        The kind of the space.
    number : int
        Its number, from which all follows.
    script : list of str
        The lines.
    """

    kind: str
    number: int
    script: list[str]


def episode(kind: str, number: int, *, seed: int = 0, operations: int = 40) -> Episode:
    """Return a random script on a space of a kind.

    Consecutive numbers go through all layers and followers in turn.
    """
    dice = np.random.default_rng([seed, number, *kind.encode()])
    scene = Scene(dice)
    with suppress(EndOfScript):
        _write(scene, kind, number, operations)
    scene.lines.append("compare")
    return Episode(kind, number, scene.lines)


def _write(scene: Scene, kind: str, number: int, operations: int) -> None:
    """Write the lines of a script."""
    ground = int(scene.dice.integers(2**31))
    scene.add(f"space = worlds.EVERY[{kind!r}](np.random.default_rng({ground}))")
    scene.add("imap = fc.InfluenceMap(space)")
    for place in range(_LAYERS):
        add_layer(scene, "abc"[place], LAYERS[(_LAYERS * number + place) % len(LAYERS)])
    names = list(FOLLOWERS)
    for place in range(_FOLLOWERS):
        FOLLOWERS[names[(_FOLLOWERS * number + place) % len(names)]](scene)
    for _ in range(operations):
        _treat(scene)
        line = drawn(scene, OPERATIONS)
        if line is not None:
            scene.add(line)
        if scene.chance(0.4):
            scene.lines.append("compare")


def _treat(scene: Scene) -> None:
    """Add what happens to A alone before the next operation."""
    if scene.chance(0.5):
        line = drawn(scene, PEEKS)
        if line is not None:
            scene.lines.append(f"A: peek {line}")
    if not scene.chance(0.25):
        return
    kinds = ["pickle", "deepcopy", "threads 2"]
    if not scene.named(fc.DistanceMap):  # it would say that it is outdated, since versions grow
        kinds.append("undo")
    if scene.budget:
        kinds += [f"pieces {scene.one_of([1, 2, 7])}"] * 3
    if not scene.bound:
        kinds += ["copy", "save"]
    kinds += [f"state {name}" for name in _KEEPS_STATE if _can_be_renewed(scene, name)]
    scene.lines.append(f"A: {scene.one_of(kinds)}")


def _can_be_renewed(scene: Scene, name: str) -> bool:
    """Return whether a new object with a state goes on as the first one.

    A new one has the walls as they are, and the first one follows them with its next step. A search
    party walks typical steps of the walls when it is made, which change on graphs.
    """
    each = scene.get(name)
    if each is None or (name == "party" and isinstance(scene.space, fc.Graph)):
        return False
    if isinstance(each, fc.Pursuit):
        version = each._flood.walls_version
    else:
        version = getattr(each, "_walls_version", scene.space.walls_version)
    return bool(version == scene.space.walls_version)
