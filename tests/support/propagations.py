"""Propagations for laws about all of them."""

from __future__ import annotations

from typing import Any

from fieldcraft.layers.propagation import PROPAGATIONS, Propagation
from fieldcraft.layers.propagation.settings import declared


def usual(kind: type[Any]) -> Propagation:
    """Return a propagation with its defaults; numbers that are needed are 2."""
    needed = {name: 2.0 for name, setting in declared(kind).items() if setting.required}
    propagation: Propagation = kind(**needed)
    return propagation


def others(*known: type[Any]) -> list[Propagation]:
    """Return one of each kind of propagation besides these."""
    return [usual(kind) for kind in PROPAGATIONS.values() if kind not in known]
