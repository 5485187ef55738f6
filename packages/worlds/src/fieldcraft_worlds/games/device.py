"""The device of layers and swarms of games: the CPU, or a graphics card chosen on the command line.

It changes no value, so it is part of no state, no setting and no save.
"""

from __future__ import annotations

_chosen: str | None = None


def choose_device(name: str | None) -> None:
    """Open the next worlds on a graphics card: "gpu", or part of its name; None for the CPU."""
    global _chosen
    if name == "cpu":
        name = None
    _chosen = name


def chosen_device() -> str | None:
    """Return the device of worlds, as `InfluenceMap` takes it."""
    return _chosen
