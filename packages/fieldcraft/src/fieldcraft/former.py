"""Names that fieldcraft does not have: those of earlier versions and those of NumPy, each with what
to write in its place.
"""

from __future__ import annotations

from typing import Any

from fieldcraft.errors import FieldcraftError

__all__ = ["NoSuchName", "missing"]


class NoSuchName(FieldcraftError, AttributeError):
    """A name is asked for that a thing of fieldcraft does not have; the message says what to write
    in its place.
    """

    def __init__(self, owner: str, name: str, remedy: str) -> None:
        super().__init__(f"{owner} has no {name!r}", remedy=remedy)
        self.name = name


_MODULE = {
    "Staleness": "fc.LastSeen",
    "Timeline": "fc.recordings.Timeline",
    "TimelineBuilder": "fc.recordings.TimelineBuilder",
    "load": "fc.InfluenceMap.load",
    "pitch": "fc.recordings.pitch",
    "read_football": "fc.recordings.read_football",
    "read_pedestrians": "fc.recordings.read_pedestrians",
    "read_starcraft": "fc.recordings.read_starcraft",
    "read_tracks": "fc.recordings.read_tracks",
    "tether": "fc.Stamp.tether",
    "threat": "fc.shot_danger",
}

_GUESSES = {
    "at": "sample(positions)",
    "at_cells": "sample_cells(cells)",
    "contributions": "account(cell)",
    "interval": "every",
    "memory": "snapshot()",
    "normalise": "normalize()",
    "recall": "restore(snapshot)",
    "stale": "outdated",
    "staleness": "lag",
}

_CLASSES = {
    "Graph": {"block_edges": "set_edges(edges, blocked=True)"},
    "LastSeen": {"step": "advance(seconds)"},
    "Teams": {
        "areas": "regions()",
        "items": "layers.items()",
        "keys": "layers.keys()",
        "values": "layers.values()",
    },
}

_REDUCTIONS = (
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "cumsum",
    "max",
    "mean",
    "min",
    "nonzero",
    "round",
    "std",
    "sum",
    "var",
)
_OF_ARRAYS = (
    "T",
    "astype",
    "dtype",
    "fill",
    "flat",
    "flatten",
    "item",
    "nbytes",
    "ndim",
    "ravel",
    "reshape",
    "size",
    "tolist",
    "transpose",
)


def missing(thing: Any, name: str, *, is_map: bool = False) -> AttributeError:
    """The error for a name that a module, an object of a class, or a map does not have."""
    if isinstance(thing, str):
        if name in _MODULE:
            return NoSuchName(thing, name, f"It is {_MODULE[name]} now")
        return AttributeError(f"module {thing!r} has no attribute {name!r}", name=name)
    kind = type(thing).__name__
    now = _CLASSES.get(kind, {}).get(name) or (_GUESSES.get(name) if is_map else None)
    if now and hasattr(type(thing), now.partition("(")[0].partition(".")[0]):
        return NoSuchName(f"A {kind}", name, f"Write .{now}")
    if is_map and name in _REDUCTIONS:
        return NoSuchName(
            f"A {kind}",
            name,
            f"Its values have: np.{name}(map), or map.values.{name}(). Of two maps: fc.maximum,"
            " fc.minimum",
        )
    if is_map and name in _OF_ARRAYS:
        return NoSuchName(
            f"A {kind}", name, f"Its values are an array, [row, column]: map.values.{name}"
        )
    return AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=thing)
