"""Optional packages: graphics cards and the lab.

They name themselves in the entry-point group `fieldcraft.packages`; see
`packages/gpu/pyproject.toml`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Protocol, cast

from fieldcraft.base.errors import MissingLibrary, MissingPackage

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

GROUP = "fieldcraft.packages"


class Devices(Protocol):
    """The parts of the package `fieldcraft-gpu` that the library calls."""

    def layer_device(self, given: object) -> Any:
        """Return the device for layers: one that is given, one of that name, or for "auto" an
        object that chooses between a device and the CPU for each layer.
        """

    def agents(self, device: object, agents: NDArray[np.int32]) -> Any:
        """Return agents of a swarm in the memory of a device."""

    def food(self, device: object, portions: NDArray[np.int32], homes: NDArray[np.uint32]) -> Any:
        """Return food in the memory of a device."""


NAMES = ("gpu", "lab")
"""The names of the optional packages."""


@functools.cache
def _point(name: str) -> EntryPoint | None:
    """Return the entry point of the package that is registered under `name`."""
    from importlib import metadata  # takes 10 ms to import

    for point in metadata.entry_points(group=GROUP, name=name):
        return point
    return None


def is_installed(name: str) -> bool:
    """Return whether the package is installed that is registered under `name`."""
    return _point(name) is not None


@functools.cache
def package(name: str) -> ModuleType:
    """Return the package that is registered under `name`, "gpu" or "lab". Raises `MissingLibrary`
    where it is not installed.
    """
    point = _point(name)
    if point is None:
        raise MissingLibrary(f"fieldcraft-{name}", name, f"fc.{name}")
    return cast("ModuleType", point.load())


def as_attribute(name: str) -> ModuleType:
    """Return the same as `package`, for `fc.gpu` and `fc.lab`.

    Raises `MissingPackage`, an `AttributeError`: `hasattr(fc, "gpu")` is False then.
    """
    if not is_installed(name):
        raise MissingPackage(name)
    return package(name)


def devices() -> Devices:
    """Return the package for graphics cards. Raises `MissingLibrary` where it is not installed."""
    return cast("Devices", package("gpu"))
