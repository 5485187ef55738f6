"""The kinds of layers in a recipe: the keys of each, and what may act on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.propagation import Fade, Flood, Trail
from fieldcraft.propagation.canvas import BLENDS, MOST_AMOUNT
from fieldcraft.propagation.radial import METRICS
from fieldcraft.propagation.radial_field import MOST_STRENGTH
from fieldcraft.propagation.spread import FALLOFFS
from fieldcraft.propagation.trail import EDGES
from fieldcraft.recipe.parse_shapes import falloff_of, stamp_of
from fieldcraft.recipe.parts import LayerPart
from fieldcraft.recipe.section import Section

__all__ = ["KINDS", "check_source_keys", "check_strength", "options_of"]

_HOW = ("nearest", "bilinear")


@dataclass(frozen=True)
class Kind:
    """A kind of layer: how its table becomes options, what it does in a word, and which keys its sources may have of their own."""

    options: Callable[[Section], dict[str, Any]]
    does: str
    source_keys: tuple[str, ...] = ()


def options_of(section: Section, kind: str) -> dict[str, Any]:
    """The options of a layer of a kind, from its table."""
    return KINDS[kind].options(section)


def check_strength(section: Section, key: str, strength: float, layer: LayerPart | None) -> None:
    """Note a strength that a layer can't take."""
    if layer is None:
        return
    if layer.kind == "radial" and abs(strength) > MOST_STRENGTH:
        section.problems.add(
            (*section.keys, key), f"{key} on a radial layer is at most {MOST_STRENGTH:,.0f}. Got {strength:g}. Count in larger units."
        )
    if layer.kind in ("trail", "stamps") and abs(strength) > MOST_AMOUNT:
        section.problems.add(
            (*section.keys, key),
            f"{key} on a layer that {KINDS[layer.kind].does} is at most {MOST_AMOUNT:,.0f}. Got {strength:g}. Count in larger units.",
        )
    if layer.kind == "fade" and strength < 0:
        section.problems.add(
            (*section.keys, key), f"{key} on a layer that fades is at least 0. Got {strength:g}. Marks fade by themselves."
        )


def check_source_keys(section: Section, layer: LayerPart | None) -> None:
    """Note the keys that only sources of other kinds of layers have."""
    for key in dict.fromkeys(key for kind in KINDS.values() for key in kind.source_keys):
        if layer is not None and section.has(key) and key not in KINDS[layer.kind].source_keys:
            takers = [name for name, kind in KINDS.items() if key in kind.source_keys]
            section.problems.add(
                (*section.keys, key),
                f"{key} is for sources of {' and '.join(takers)} layers. Layer {layer.name!r} {KINDS[layer.kind].does}. "
                f'Write propagation = "{takers[0]}" there.',
            )


def _spread(section: Section) -> dict[str, Any]:
    return {
        "decay": section.number("decay", check=checks.not_negative),
        "momentum": section.number("momentum", check=checks.fraction),
        "falloff": section.choice("falloff", tuple(FALLOFFS), "exponential"),
        "half_life": section.number("half_life", None, checks.positive),
        "floor": section.number("floor", 1e-3, checks.not_negative),
        "stack": section.choice("stack", ("max", "sum"), "max"),
    }


def _radial(section: Section) -> dict[str, Any]:
    return {
        "radius": section.number("radius", check=checks.positive),
        "falloff": section.any("falloff", Falloff.of("quadratic"), falloff_of),
        "metric": section.choice("metric", METRICS, "connected"),
        "blend": section.choice("blend", ("sum", "max"), "sum"),
    }


def _fade(section: Section) -> dict[str, Any]:
    plain = Fade()
    options: dict[str, Any] = {
        "amount": section.number("amount", plain.amount, checks.positive),
        "interval": section.number("interval", plain.interval, checks.positive),
        "maximum": section.number("maximum", plain.maximum, checks.positive),
        "half_life": section.number("half_life", None, checks.positive),
        "floor": section.number("floor", plain.floor, checks.positive),
        "bleed": section.number("bleed", plain.bleed, checks.not_negative),
    }
    if section.has("half_life") and (section.has("amount") or section.has("interval")):
        section.problems.add(
            (*section.keys, "half_life"), "A layer fades by amount and interval, or by half_life. Got both. Leave one of them out."
        )
    _try(section, Fade, options)
    options["radius"] = section.number("radius", None, checks.positive)
    options["mark_falloff"] = section.any("falloff", Falloff.of("constant"), falloff_of)
    options["metric"] = section.choice("metric", METRICS, "connected")
    return options


def _flood(section: Section) -> dict[str, Any]:
    plain = Flood()
    return {
        "cooling": section.number("cooling", plain.cooling, checks.fraction),
        "steps": section.whole("steps", None),
        "stack": section.choice("stack", ("max", "sum"), plain.stack),
    }


def _trail(section: Section) -> dict[str, Any]:
    plain = Trail()
    options: dict[str, Any] = {
        "keep": section.number("keep", None, checks.not_negative),
        "half_life": section.number("half_life", None, checks.positive),
        "blur": section.any("blur", plain.blur, lambda value: value),
        "edges": section.choice("edges", EDGES, plain.edges),
        "vector": section.flag("vector", plain.vector),
        "accumulate": section.flag("accumulate", plain.accumulate),
        "floor": section.number("floor", plain.floor, checks.not_negative),
    }
    _try(section, Trail, options)
    options.update(_stamping(section, None))
    return options


def _stamps(section: Section) -> dict[str, Any]:
    return {**_stamping(section, None), "blend": section.choice("blend", tuple(BLENDS), "add")}


def _stamping(section: Section, default: Any) -> dict[str, Any]:
    return {"stamp": section.any("stamp", default, stamp_of), "how": section.choice("how", _HOW, "nearest")}


def _try(section: Section, propagation: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Note what a propagation refuses, at the key that its rule is about."""
    try:
        propagation(**options)
    except InvalidValue as error:
        about = [key for key in options if section.has(key) and re.search(rf"\b{key}\b", str(error))]
        section.problems.add_error((*section.keys, about[0]) if about else (*section.keys, "propagation"), error)


KINDS = {
    "spread": Kind(_spread, "spreads"),
    "radial": Kind(_radial, "radiates", ("radius", "falloff")),
    "fade": Kind(_fade, "fades", ("radius", "falloff")),
    "flood": Kind(_flood, "is a flood"),
    "trail": Kind(_trail, "is a trail", ("stamp", "rotation", "scale", "direction")),
    "stamps": Kind(_stamps, "holds stamps", ("stamp", "rotation", "scale")),
}
