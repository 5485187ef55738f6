"""Functions of higher packages that lower classes call, set in `fieldcraft/__init__.py`.

Maps are calculated with (`fieldcraft.compose`), sampled between cells (`fieldcraft.query`) and
drawn in notebooks (`fieldcraft.view`) by packages above them in the import order, and
grids are made into graphs by a module above that of grids. Graphics cards and the lab are optional
packages, which name themselves in the entry-point group `fieldcraft.packages`; see
`packages/gpu/pyproject.toml`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

from fieldcraft.errors import MissingLibrary

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

    # `verbs` and `sample` are hooks too; type checkers and editors follow them to these.
    from fieldcraft.compose import verbs as verbs
    from fieldcraft.influence_map import InfluenceMap
    from fieldcraft.query.sampling import sample as sample
    from fieldcraft.space import Graph, Grid


html_of: Callable[[InfluenceMap], str]
png_of: Callable[[Pictured], bytes | None]
others_with: Callable[[str], str]
"""The propagations of the layers that have a method, in the words of a message; "" for none."""
graph_of: Callable[[Grid], Graph]


class Pictured:
    """A thing that notebooks show as a picture."""

    def _repr_png_(self) -> bytes | None:
        return png_of(self)  # noqa: F821 - annotated above


GROUP = "fieldcraft.packages"


class Devices(Protocol):
    """The parts of the package `fieldcraft-gpu` that the library calls."""

    def carrier(self, given: object) -> Any:
        """Return the object that creates the fields of layers for a device, a name of one, or
        "auto".
        """

    def agents(self, device: object, agents: NDArray[np.int32]) -> Any:
        """Return agents of a swarm in the memory of a device."""

    def food(self, device: object, portions: NDArray[np.int32], homes: NDArray[np.uint32]) -> Any:
        """Return food in the memory of a device."""


@functools.cache
def package(name: str) -> ModuleType:
    """Return the package that is registered under `name`, "gpu" or "lab". Raises `MissingLibrary`
    where it is not installed.
    """
    from importlib import metadata  # takes 10 ms to import

    for point in metadata.entry_points(group=GROUP, name=name):
        return cast("ModuleType", point.load())
    raise MissingLibrary(f"fieldcraft-{name}", name, f"fc.{name}")


def devices() -> Devices:
    """Return the package for graphics cards. Raises `MissingLibrary` where it is not installed."""
    return cast("Devices", package("gpu"))
