"""The kinds of layers in a recipe: tables become propagations, by the fields of these and their own
checks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.propagation import PROPAGATIONS, Propagation
from fieldcraft.propagation.canvas import BLENDS
from fieldcraft.propagation.carried import Carried
from fieldcraft.propagation.radial import METRICS
from fieldcraft.propagation.settings import Check, curve
from fieldcraft.recipe.parse_shapes import falloff_of, stamp_of
from fieldcraft.recipe.parts import LayerPart, Mark, Stamping
from fieldcraft.recipe.section import REQUIRED, Section

__all__ = ["check_source_keys", "check_strength", "kinds", "layer_of"]

_SOURCE_KEYS = {
    "spread": (),
    "radial": ("radius", "falloff"),
    "memory": ("radius", "falloff"),
    "trail": ("stamp", "rotation", "scale", "direction"),
    "array": ("stamp", "rotation", "scale"),
}
"""The keys that sources of each kind of layer may have of their own."""
_READERS: dict[Check, Callable[[Any], Any]] = {curve: falloff_of}
"""The settings that a recipe writes in its own way."""


def kinds() -> dict[str, type[Propagation]]:
    """The propagations by the words of a recipe."""
    return {**PROPAGATIONS, "stamps": Carried}


def layer_of(section: Section, name: str, words: tuple[str, ...]) -> LayerPart:
    """A layer, from its table."""
    kind = section.choice("propagation", words, words[0])
    propagation = _propagation(section, kinds()[kind])
    return LayerPart(
        section.keys,
        name,
        kind,
        propagation,
        mark=_mark(section) if propagation.layer == "memory" else None,
        stamping=(
            _stamping(section, propagation) if propagation.layer in ("trail", "array") else None
        ),
        every=section.number("every", 0.1, checks.positive),
        cell_size=section.number("cell_size", None, checks.positive),
        walls=section.flag("walls", True),
    )


def _propagation(section: Section, kind: type[Propagation]) -> Propagation:
    """A propagation with the settings of a table; what it refuses is noted, and its default taken
    in place of it.
    """
    settings, wrong = {}, False
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        needed = field.default is dataclasses.MISSING
        value = section.any(
            field.name,
            REQUIRED if needed else field.default,
            _taking(field.name, field.metadata["check"]),
        )
        if not needed or value is not None:
            settings[field.name] = value
        wrong = wrong or (needed and value is None)
    for one, others in kind.stands_in.items():
        if section.has(one) and any(section.has(other) for other in others):
            section.problems.add(
                (*section.keys, one),
                f"A layer that {kind.does} does so by {' and '.join(others)}, or by {one}. Got"
                " both. Leave one of them out.",
            )
    if wrong:
        return _stand_in(kind)
    try:
        return kind(**settings)
    except InvalidValue as error:
        section.problems.add_error(
            (*section.keys, error.about if section.has(error.about) else "propagation"), error
        )
        return _stand_in(kind)


def _taking(name: str, check: Check) -> Callable[[Any], Any]:
    return lambda value: check(name, _READERS.get(check, lambda given: given)(value))


def _stand_in(kind: type[Propagation]) -> Propagation:
    """Any propagation of a kind, for the rest of a recipe that is refused anyhow to be read by."""
    missing = [
        field.name
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]
        if field.default is dataclasses.MISSING
    ]
    return kind(**dict.fromkeys(missing, 1.0))


def _mark(section: Section) -> Mark:
    return Mark(
        radius=section.number("radius", None, checks.positive),
        falloff=section.any("falloff", Falloff.of("constant"), falloff_of),
        metric=section.choice("metric", METRICS, "connected"),
    )


def _stamping(section: Section, propagation: Propagation) -> Stamping:
    return Stamping(
        stamp=section.any("stamp", None, stamp_of),
        how=section.choice("how", ("nearest", "bilinear"), "nearest"),
        blend=(
            section.choice("blend", tuple(BLENDS), "add") if propagation.layer == "array" else "add"
        ),
    )


def check_strength(section: Section, key: str, strength: float, layer: LayerPart | None) -> None:
    """Note a strength that a layer can't take."""
    if layer is None:
        return
    what, does = layer.propagation, layer.propagation.does
    if strength > what.most or (what.least < 0 and strength < what.least):
        section.problems.add(
            (*section.keys, key),
            f"{key} on a layer that {does} is at most {what.most:,.0f}. Got {strength:g}. Count in"
            " larger units.",
        )
    elif strength < what.least:
        section.problems.add(
            (*section.keys, key),
            f"{key} on a layer that {does} is at least {what.least:g}. Got {strength:g}. Marks fade"
            " by themselves.",
        )


def check_source_keys(section: Section, layer: LayerPart | None) -> None:
    """Note the keys that only sources of other kinds of layers have."""
    for key in dict.fromkeys(key for keys in _SOURCE_KEYS.values() for key in keys):
        if (
            layer is not None
            and section.has(key)
            and key not in _SOURCE_KEYS[layer.propagation.layer]
        ):
            takers = [name for name, kind in kinds().items() if key in _SOURCE_KEYS[kind.layer]]
            section.problems.add(
                (*section.keys, key),
                f"{key} is for sources of {' and '.join(takers)} layers. Layer {layer.name!r}"
                f" {layer.propagation.does}. "
                f'Write propagation = "{takers[0]}" there.',
            )
