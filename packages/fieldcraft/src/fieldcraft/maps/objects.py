"""Objects in map files, such as spawn points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Listed", "MapObjects", "objects_by_name"]

Listed = tuple[str, tuple[float, float], Mapping[str, Any]]
"""The name, position and properties of an object."""


@dataclass(frozen=True, eq=False)
class MapObjects:
    """The objects of one name in a map file: the world positions of their centers, (N, 2), and the
    properties of each.
    """

    positions: NDArray[np.float64]
    properties: tuple[Mapping[str, Any], ...]


def objects_by_name(listed: Iterable[Listed]) -> dict[str, MapObjects]:
    """Return objects by their names, without those that have none."""
    found: dict[str, list[Listed]] = {}
    for each in listed:
        if each[0]:
            found.setdefault(each[0], []).append(each)
    return {
        name: MapObjects(np.array([each[1] for each in some]), tuple(each[2] for each in some))
        for name, some in found.items()
    }
