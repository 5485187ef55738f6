"""The controls of a layer on the page, from the settings that its propagation declares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fieldcraft.base import checks
from fieldcraft.layers import Layer
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.propagation import Propagation, Radial, Spread
from fieldcraft.layers.propagation.settings import Setting, declared, values_of
from fieldcraft.layers.sources.falloff import CURVES, Falloff
from fieldcraft.space import Grid

FIXED = {
    "vector": "A layer has numbers or vectors from its beginning",
    "exact": "It is chosen when a layer is added",
    "barrier": "It names another layer",
}
"""Settings without a control, and why."""
_EVERY = Setting("Time between two updates", checks.positive, "number", above=True, unit="s")


def settings(layer: Layer) -> dict[str, Any]:
    """Return the settings of a layer by name, as plain data; falloffs without a name are None.

    Left out are those in `FIXED`, and vectors that are not one for all cells: whether a layer has
    one is chosen when it is made, and an array of them is too large for a page.
    """
    plain: dict[str, Any] = {}
    if layer.propagation is not None:
        known = declared(layer.propagation)
        for name, value in values_of(layer.propagation).items():
            is_vector = known[name].kind == "vector"
            if name not in FIXED and (isinstance(value, tuple) or not is_vector):
                plain[name] = _plain(value)
    return {**plain, "every": layer.every}


def controls(
    imap: InfluenceMap, layer: Layer, initial: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Return the description of each control of a layer, with its current value.

    The ranges of sliders follow from the values in `initial`, so that they do not change while a
    layer is tuned.
    """
    if layer.propagation is None:
        known = {}
    else:
        known = declared(layer.propagation)
    found: list[dict[str, Any]] = []
    now = settings(layer)
    first = initial or now
    for name, value in now.items():
        setting = known.get(name, _EVERY)
        control = {"name": name, "value": value, "about": setting.about, "unit": setting.unit}
        if setting.kind == "flag":
            found.append({**control, "kind": "flag"})
        elif setting.choices:
            found.append({**control, "kind": "word", "words": list(setting.choices)})
        elif setting.kind == "vector":
            most = _most_drift(layer, {**now, **first})
            ends = {"low": -most, "high": most, "log": False, "step": 0.0}
            found.append({**control, "kind": "vector", **ends})
        elif value is None or isinstance(value, (int, float)):
            low, high, log, step = _range(imap, setting, float(first.get(name) or 0.0))
            ends = {"low": low, "high": high, "log": log, "step": step}
            found.append({**control, "kind": "number", **ends, "optional": setting.optional})
    return found


def replaced_by(propagation: Propagation, name: str) -> list[str]:
    """Return the names of the optional settings that a value of a setting replaces."""
    found = []
    for one, others in propagation.replaces.items():
        for other in others:
            if name == other:
                found.append(one)
            elif name == one:
                found.append(other)
    settings = declared(propagation)
    return [each for each in found if settings[each].optional]


def _range(imap: InfluenceMap, setting: Setting, now: float) -> tuple[float, float, bool, float]:
    """Return the ends of a slider, whether it is logarithmic, and its step, 0 for a continuous one.

    Declared bounds are taken as they are; for settings without, ends are guessed from the unit, the
    size of the map and the default.
    """
    first, last = imap.space.extent
    reach = float((last - first)[:2].max()) or 1.0
    if setting.kind == "weights":
        return 1, 15, False, 2
    if setting.kind == "integer":
        return setting.low, max(4 * now, 100.0), False, 1
    if setting.high < checks.LARGEST:
        low = setting.low
        if setting.above:
            low = setting.high / 1000
        return low, setting.high, False, 0.0
    if setting.unit == "1 / world unit":
        return 0.0, max(4 * now, 8 / reach, 0.02), False, 0.0
    usual = setting.default or 1.0
    if setting.unit == "s":
        low = 1 / 120
        high = 60.0
    elif setting.unit == "world units" and setting.above:
        low = reach / 200
        high = reach
    elif not setting.above and not 0 < usual < 0.01:
        return 0.0, max(4 * now, 1.0), False, 0.0
    else:
        low = usual / 1000
        high = usual * 1000
    if now:
        low = min(low, now)
    return low, max(high, now), True, 0.0


def _most_drift(layer: Layer, first: dict[str, Any]) -> float:
    """Return the end of the sliders of a drift, from the settings that a layer had at first: on
    squares the largest drift along an axis that the layer takes, else a tenth of the map a second.
    """
    space = layer.space
    if isinstance(space, Grid):
        most = (1 - first["rate"]) * space.cell_size / first["every"]
    else:
        low, high = space.extent
        most = float((high - low).max()) / 10
    return max(most, *(abs(part) for part in first["drift"])) or 1.0


def _plain(value: Any) -> Any:
    if isinstance(value, Falloff):
        if value.name in CURVES:
            return value.name
        return None
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None


def curve(layer: Layer) -> dict[str, Any] | None:
    """Return the falloff of a layer as a page draws it: the setting by which it reaches farther,
    and the weights along a radius.
    """
    propagation = layer.propagation
    if isinstance(propagation, Radial):
        weights = Falloff.of(propagation.falloff)(np.linspace(0, 1, 41))
        return {"setting": "radius", "weights": np.round(weights, 4).tolist()}
    if isinstance(propagation, Spread):
        return {"setting": "decay", "exponent": propagation.exponent}
    return None
