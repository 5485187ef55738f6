"""Optional packages: graphics cards and the lab.

They name themselves in the entry-point group `fieldcraft.packages`; see
`packages/gpu/pyproject.toml`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Protocol, cast

from fieldcraft.base.errors import MissingLibrary

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

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
