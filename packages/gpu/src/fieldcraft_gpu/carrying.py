"""Which fields a device carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue, NoDevice
from fieldcraft.propagation import Fade, Propagation, Radial, Spread, Trail
from fieldcraft.propagation.carried import Carried
from fieldcraft.propagation.field import Field
from fieldcraft.space import Space, grid_of
from fieldcraft_gpu.devices import Device, device
from fieldcraft_gpu.fades import DeviceFadeField
from fieldcraft_gpu.radials import DeviceRadialField
from fieldcraft_gpu.spreads import DeviceSpreadField
from fieldcraft_gpu.swarm import DeviceAgents, DeviceFood
from fieldcraft_gpu.trails import DeviceTrailField

__all__ = ["CARRIED", "Carrier", "agents", "carrier", "checked_device", "food"]

CARRIED: dict[type[Propagation], Callable[[Any, Any, float, Device], Field]] = {
    Trail: DeviceTrailField,
    Spread: DeviceSpreadField,
    Radial: DeviceRadialField,
    Fade: DeviceFadeField,
}
"""The field of each kind of propagation that a device carries."""


class Carrier:
    """The carrier chooses the fields of layers: those of a device, or with `auto` the CPU's where
    it has none.
    """

    def __init__(self, opened: Device | None, *, auto: bool = False) -> None:
        self.device = opened
        self.auto = auto

    def __repr__(self) -> str:
        device = "the CPU" if self.device is None else repr(self.device)
        return f"<{'auto: ' if self.auto else ''}{device}>"

    def field(self, propagation: Propagation, space: Space, every: float) -> Field:
        """Values of a propagation on the device. An array of your own stays on the CPU, where you
        are.
        """
        if isinstance(propagation, Carried) or (self.auto and self.device is None):
            return propagation.field(space, every)
        made = CARRIED.get(type(propagation))
        try:
            if made is None or self.device is None:
                raise InvalidValue(
                    "A device carries layers with"
                    f" {', '.join(f'fc.{kind.__name__}' for kind in CARRIED)}",
                    got=repr(propagation),
                    remedy='Pass add_layer(..., device="cpu") for this layer, or device="auto"',
                )
            return made(propagation, grid_of(space, "A layer on a device"), every, self.device)
        except InvalidValue:
            if self.auto:
                return propagation.field(space, every)
            raise

    def carrier(self, field: Field) -> str:
        """The carrier that a map or a layer asks for: "gpu", "auto", part of a card's name, or one
        of `device()`; or its name in words.
        """
        if self.device is None:
            return "the CPU"
        return self.device.carrier(field)


def carrier(given: object) -> Carrier:
    """The carrier that a map or a layer asks for: "gpu", "auto", part of a card's name, or one of
    `device()`; or its name in words.
    """
    if isinstance(given, Carrier):
        return given
    if isinstance(given, str) and given == "auto":
        try:
            return Carrier(device(), auto=True)
        except NoDevice:
            return Carrier(None, auto=True)
    return Carrier(checked_device(given))


def checked_device(given: object) -> Device:
    """A device that was given as such, by "gpu" or part of its name, or as what carries a map.
    Raises `InvalidValue` or `NoDevice`.
    """
    if isinstance(given, Carrier) and given.device is not None:
        return given.device
    if isinstance(given, Device):
        return given
    if isinstance(given, str):
        return device(None if given == "gpu" else given)
    raise InvalidValue(
        "A device is one of fc.gpu.device()",
        got=repr(given),
        remedy='Pass fc.gpu.device(), or "gpu" for the first',
    )


def agents(given: object, agents: NDArray[np.int32]) -> DeviceAgents:
    """Return agents of a swarm in the memory of a device. Raises `InvalidValue` or `NoDevice`."""
    return DeviceAgents(checked_device(given), agents)


def food(given: object, portions: NDArray[np.int32], homes: NDArray[np.uint32]) -> DeviceFood:
    """Return food in the memory of a device. Raises `InvalidValue` or `NoDevice`."""
    return DeviceFood(checked_device(given), portions, homes)
