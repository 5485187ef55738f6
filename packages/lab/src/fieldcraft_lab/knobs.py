"""The knobs of a layer: its settings, as sliders and choices with ranges that make sense for the
map.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fieldcraft.falloff import CURVES, Falloff
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer import Layer
from fieldcraft.propagation import Radial, Spread
from fieldcraft.propagation.radial import METRICS
from fieldcraft.propagation.spread import FALLOFFS
from fieldcraft.propagation.trail import EDGES

__all__ = ["curve", "knobs", "settings"]

_WORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("Spread", "falloff"): tuple(FALLOFFS),
    ("Spread", "stack"): ("max", "sum"),
    ("Flood", "stack"): ("max", "sum"),
    ("Radial", "falloff"): tuple(CURVES),
    ("Radial", "metric"): METRICS,
    ("Radial", "blend"): ("sum", "max"),
    ("Trail", "edges"): EDGES,
}
_FRACTIONS = ("momentum", "keep", "bleed", "cooling")
_LOGARITHMIC = {
    "half_life": (0.02, 60.0),
    "floor": (1e-6, 1.0),
    "every": (1 / 120, 5.0),
    "interval": (0.05, 60.0),
}


def settings(layer: Layer) -> dict[str, Any]:
    """The settings of a layer by name, as plain data; falloffs that have no name are None."""
    found: dict[str, Any] = {} if layer.propagation is None else dict(layer.propagation.settings())
    plain = {
        name: _plain(value)
        for name, value in found.items()
        if name not in ("vector", "accumulate", "barrier", "steps", "exact")
    }
    return {**plain, "every": layer.every}


def knobs(imap: InfluenceMap, layer: Layer) -> list[dict[str, Any]]:
    """The things that a page needs to draw the knobs of a layer, each with its value now."""
    kind = type(layer.propagation).__name__
    optional = ("half_life",) if isinstance(layer.propagation, Spread) else ()
    found = []
    for name, value in settings(layer).items():
        words = _WORDS.get((kind, name))
        if isinstance(value, bool):
            found.append({"name": name, "kind": "flag", "value": value})
        elif words is not None:
            found.append({"name": name, "kind": "word", "words": list(words), "value": value})
        elif isinstance(value, (int, float)) or name in optional:
            low, high, log, step = _range(imap, name, value)
            found.append(
                {
                    "name": name,
                    "kind": "number",
                    "low": low,
                    "high": high,
                    "log": log,
                    "step": step,
                    "value": value,
                }
            )
            found[-1]["optional"] = name in optional
    return found


def _range(imap: InfluenceMap, name: str, value: float | None) -> tuple[float, float, bool, float]:
    """The ends of a slider, whether its notches are equal factors, and its step, 0 for a continuous
    one.
    """
    now = 0.0 if value is None else float(value)
    low, high = imap.space.extent
    reach = float((high - low)[:2].max()) or 1.0
    if name == "blur":
        return 1, 15, False, 2
    if name in _FRACTIONS:
        return 0.0, 1.0, False, 0.0
    if name in _LOGARITHMIC:
        least, most = _LOGARITHMIC[name]
        return min(least, now or least), max(most, now), True, 0.0
    if name == "radius":
        return reach / 200, max(reach, now), True, 0.0
    if name == "decay":
        return 0.0, max(4 * now, 8 / reach, 0.02), False, 0.0
    return 0.0, max(4 * now, 1.0), False, 0.0


def _plain(value: Any) -> Any:
    if isinstance(value, Falloff):
        return value.name if value.name in CURVES else None
    return value if not isinstance(value, float) or math.isfinite(value) else None


def curve(layer: Layer) -> dict[str, Any] | None:
    """The falloff of a layer as a page draws it: by which setting it reaches farther, and the
    weights along the way.
    """
    propagation = layer.propagation
    if isinstance(propagation, Radial):
        return {
            "setting": "radius",
            "weights": np.round(Falloff.of(propagation.falloff)(np.linspace(0, 1, 41)), 4).tolist(),
        }
    if isinstance(propagation, Spread):
        return {"setting": "decay", "exponent": propagation.exponent}
    return None
