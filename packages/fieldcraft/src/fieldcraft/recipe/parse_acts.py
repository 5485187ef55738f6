"""The actors of a recipe, from its tables to plain parts: sources, recordings, deposits."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.recipe.parse_kinds import check_source_keys, check_strength
from fieldcraft.recipe.parse_shapes import falloff_of, stamp_of
from fieldcraft.recipe.parts import DepositPart, LayerPart, SourcePart, TimelinePart
from fieldcraft.recipe.section import Section

__all__ = ["parse_deposit", "parse_source", "parse_timeline"]

_SHORTEST = 0.001
_ON_WALL = ("refuse", "nearest", "through")
_OUTSIDE = ("refuse", "clamp")
_NEEDED = 'Write stamp = { shape = "disc", radius = 3 } there, say.'


def parse_source(section: Section, layers: Mapping[str, LayerPart]) -> SourcePart:
    """A source of the recipe."""
    name = section.name("layer", layers, "layer")
    layer = layers.get(name)
    section.text("name", None)
    path: tuple[tuple[float, ...], ...] = ()
    position = section.position("position", None)
    path = section.rows("path", "[seconds, x, y]", 3, 4, ())
    if section.has("position") == section.has("path"):
        section.problems.add(
            section.keys,
            "A source has either a position or a path. Write position = [x, y] or path = [[seconds,"
            " x, y], ...].",
        )
    elif position is not None:
        path = ((0.0, *position),)
    elif any(later[0] <= earlier[0] for earlier, later in itertools.pairwise(path)):
        section.problems.add(
            (*section.keys, "path"),
            "The seconds of a path rise from each point to the next. Sort the points.",
        )
    repeat = section.flag("repeat", False)
    if repeat and len(path) < 2:
        section.problems.add(
            (*section.keys, "repeat"),
            "Only a path of at least two points repeats. Write path = [[0, x, y], [10, x, y]].",
        )
    strength = section.number("strength", _usual(layer))
    start, until = section.span()
    on_wall, outside = _policies(section, layer, "refuse", "refuse")
    check_strength(section, "strength", strength, layer)
    part = SourcePart(
        section.keys,
        name,
        path,
        repeat,
        strength,
        start,
        until,
        on_wall,
        outside,
        radius=section.number("radius", None, checks.positive),
        falloff=section.any("falloff", None, falloff_of),
        stamp=section.any("stamp", None, stamp_of),
        rotation=section.any("rotation", 0.0, _rotation),
        scale=section.number("scale", 1.0, checks.positive),
        direction=section.numbers("direction", "[x, y]", 2, None),
    )
    check_source_keys(section, layer)
    _check_leaving(section, part, layer)
    section.finish()
    return part


def _check_leaving(section: Section, part: SourcePart, layer: LayerPart | None) -> None:
    """Note a source that would leave nothing."""
    if layer is None:
        return
    own = None if layer.stamping is None else layer.stamping.stamp
    if layer.is_cleared and part.stamp is None and own is None:
        section.problems.add(
            section.keys,
            f"A source of stamps has a stamp, its own or its layer's. {_NEEDED}",
        )
    has_no_stamp = part.stamp is None and own is None
    for key in ("rotation", "scale"):
        if layer.gathers and has_no_stamp and section.has(key):
            section.problems.add(
                (*section.keys, key),
                f"{key} is for a stamp, and neither the source nor its layer has one. Add it.",
            )
    if not layer.gathers:
        return
    vectors = layer.vector
    if vectors and len(part.path) == 1 and part.direction is None:
        section.problems.add(
            section.keys,
            "A source on a trail of vectors leaves the way that it goes. It stands still. Write a"
            " path, or direction = [x, y].",
        )
    if not vectors and part.direction is not None:
        section.problems.add(
            (*section.keys, "direction"),
            f"direction is for trails of vectors. Layer {layer.name!r} holds numbers. Write vector"
            " = true there.",
        )


def _usual(layer: LayerPart | None) -> float:
    """The strength of what doesn't name one."""
    return 1.0 if layer is None else layer.propagation.usual


def _rotation(value: Any) -> float | str:
    if value == "heading":
        return "heading"
    if isinstance(value, str):
        raise InvalidValue(
            'rotation is degrees, or "heading"',
            got=repr(value)[:60],
            remedy='Write rotation = 90, or rotation = "heading"',
        )
    return checks.finite("rotation", value)


def _policies(
    section: Section, layer: LayerPart | None, on_wall: str, outside: str
) -> tuple[str, str]:
    policies = (
        section.choice(
            "on_wall", _ON_WALL, "through" if layer is not None and layer.is_cleared else on_wall
        ),
        section.choice("outside", _OUTSIDE, outside),
    )
    if policies[0] == "through" and layer is not None and (layer.mark is not None or layer.gathers):
        section.problems.add(
            (*section.keys, "on_wall"),
            f'Walls hold nothing on a layer that {layer.propagation.does}. Got on_wall = "through".'
            ' Write "nearest".',
        )
    return policies


def parse_timeline(section: Section, layers: Mapping[str, LayerPart]) -> TimelinePart:
    """A recording of the recipe."""
    file = section.path("file")
    kind = section.choice(
        "format", ("csv", "starcraft", "football", "tracks", "pedestrians"), "csv"
    )
    options: dict[str, Any] = {}
    if kind in ("csv", "starcraft"):
        section.put(options, "half_life", lambda key: section.number(key, check=checks.positive))
    if kind == "starcraft":
        section.put(options, "strengths", section.mapping)
        section.put(options, "unfinished", lambda key: section.number(key, check=checks.fraction))
        section.put(options, "neutral", section.flag)
        section.put(
            options, "loops_per_second", lambda key: section.number(key, check=checks.positive)
        )
    elif kind in ("football", "pedestrians"):
        section.put(
            options, "frames_per_second", lambda key: section.number(key, check=checks.positive)
        )
        section.put(options, "keep_every", lambda key: section.whole(key, minimum=1))
    if kind == "football":
        section.put(options, "metres", lambda key: section.numbers(key, "[length, width]", 2))
        section.put(options, "ball", section.flag)
    elif kind == "pedestrians":
        section.put(options, "unit", lambda key: section.choice(key, ("m", "cm")))
    if kind in ("tracks", "pedestrians"):
        section.put(options, "group", section.text)
    goes_to = (
        section.mapping("layers", of=lambda group, value: _layer_of(group, value, list(layers)))
        or {}
    )
    if not goes_to and section.has("layers"):
        section.problems.add(
            (*section.keys, "layers"),
            'layers says which group goes to which layer. Write layers = { "group" = "layer" }.',
        )
    fed = [layers[name] for name in dict.fromkeys(goes_to.values())]
    start = section.number("from", 0.0, checks.not_negative)
    strength = section.number("strength", 1.0)
    faint = section.number("faint", 0.05, checks.fraction)
    on_wall, outside = _policies(
        section,
        next((layer for layer in fed if layer.mark is not None or layer.gathers), None),
        "nearest",
        "clamp",
    )
    for layer in fed:
        if layer.is_cleared and layer.stamping is not None and layer.stamping.stamp is None:
            section.problems.add(
                (*section.keys, "layers"),
                f"A recording puts the stamps of its layer. Layer {layer.name!r} has none."
                f" {_NEEDED}",
            )
    section.finish()
    return TimelinePart(
        section.keys, file, kind, options, goes_to, start, strength, faint, on_wall, outside
    )


def _layer_of(group: str, value: object, layers: list[str]) -> str:
    if not isinstance(value, str) or value not in layers:
        raise InvalidValue(
            f"A group goes to a layer of this recipe: {', '.join(layers) or 'none'}",
            got=f"{group!r} = {value!r}",
            remedy="Name one of these layers",
        )
    return value


def parse_deposit(section: Section, layers: Mapping[str, LayerPart]) -> DepositPart:
    """A deposit of the recipe."""
    name = section.name("layer", layers, "layer")
    layer = layers.get(name)
    section.text("name", None)
    if layer is not None and layer.propagation.layer == "radial":
        section.problems.add(
            (*section.keys, "layer"),
            f"Deposits fade, and on a radial layer nothing does. Got layer {name!r}. Write a source"
            " with from and until.",
        )
    if (
        layer is not None
        and layer.is_cleared
        and layer.stamping is not None
        and layer.stamping.stamp is None
    ):
        section.problems.add(
            section.keys,
            f"A deposit on stamps is the stamp of its layer. Layer {name!r} has none. {_NEEDED}",
        )
    position = section.position("position")
    if layer is not None and layer.gathers and layer.vector:
        amount: Any = section.numbers("amount", "[x, y] on a trail of vectors", 2) or (0.0, 0.0)
    else:
        amount = section.number("amount", _usual(layer))
        check_strength(section, "amount", amount, layer)
    at = section.number("at", 0.0, checks.not_negative)
    every = section.number("every", None, checks.positive)
    if every is not None and every < _SHORTEST:
        section.problems.add(
            (*section.keys, "every"),
            f"A deposit comes at most every {_SHORTEST} seconds. Got {every:g}. Deposit more at"
            " once.",
        )
    on_wall = section.choice("on_wall", ("refuse", "nearest"), "refuse")
    outside = section.choice("outside", _OUTSIDE, "refuse")
    section.finish()
    return DepositPart(
        section.keys, name, position or (0.0, 0.0), amount, at, every, on_wall, outside
    )
