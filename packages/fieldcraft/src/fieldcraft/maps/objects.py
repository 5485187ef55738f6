"""Objects in map files, such as spawn points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MapObjects", "objects_by_name"]


@dataclass(frozen=True, eq=False)
class MapObjects:
    """The objects of one name in a map file: the world positions of their centers, (N, 2), and the
    properties of each.
    """

    positions: NDArray[np.float64]
    properties: tuple[Mapping[str, Any], ...]


def objects_by_name(
    listed: Iterable[tuple[str, tuple[float, float], Mapping[str, Any]]],
) -> dict[str, MapObjects]:
    """Objects (name, position, properties) by their names; those without one are left out."""
    found: dict[str, list[Any]] = {}
    for name, position, properties in listed:
        if name:
            found.setdefault(name, []).append((position, properties))
    return {
        name: MapObjects(
            np.array([position for position, _ in some], dtype=np.float64).reshape(-1, 2),
            tuple(properties for _, properties in some),
        )
        for name, some in found.items()
    }
