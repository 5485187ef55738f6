"""Devices: cards that carry layers and swarms."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, NoDevice
from fieldcraft.propagation import Fade, Propagation, Radial, Spread, Trail
from fieldcraft.propagation.carried import Carried
from fieldcraft.propagation.field import Field
from fieldcraft.space import Space, grid_of
from fieldcraft_gpu.cards import adapters
from fieldcraft_gpu.devices import Card
from fieldcraft_gpu.fades import DeviceFadeField
from fieldcraft_gpu.fields import refuse
from fieldcraft_gpu.radials import DeviceRadialField
from fieldcraft_gpu.spreads import DeviceSpreadField
from fieldcraft_gpu.swarm import DeviceAgents, DeviceFood
from fieldcraft_gpu.trails import DeviceTrailField

__all__ = ["CARRIED", "Device", "agents", "carrier", "checked_device", "device", "food"]

CARRIED: dict[type[Propagation], Callable[[Any, Any, float, Card], Field]] = {
    Trail: DeviceTrailField,
    Spread: DeviceSpreadField,
    Radial: DeviceRadialField,
    Fade: DeviceFadeField,
}
"""The field of each kind of propagation that a device carries."""


class Device(Card):
    """A card that carries layers; see `device`."""

    def field(self, propagation: Propagation, space: Space, every: float) -> Field:
        """Values of a propagation on the device; raises `InvalidValue` for one that it does not
        carry. An array of your own stays on the CPU, where you are.
        """
        if isinstance(propagation, Carried):
            return propagation._field(space, every)
        made = CARRIED.get(type(propagation))
        names = ", ".join(f"fc.{kind.__name__}" for kind in CARRIED)
        refuse((made is None, f"A device carries layers with {names}", repr(propagation)))
        assert made is not None
        return made(propagation, grid_of(space, "A layer on a device"), every, self)

    def carrier(self, field: Field) -> str:
        """The name of the carrier of a field."""
        if getattr(field, "device", None) is not self:
            return "the CPU"
        return f"{self.name}{', which is lost' if self.lost else ''}"


class _Auto:
    """The fields of a device where there is one that has them, else those of the CPU."""

    def __init__(self) -> None:
        self.device: Device | None = None
        with contextlib.suppress(NoDevice):
            self.device = device()

    def __repr__(self) -> str:
        return f"<auto: {self.device or 'the CPU'}>"

    def field(self, propagation: Propagation, space: Space, every: float) -> Field:
        """Values of a propagation."""
        if self.device is not None:
            with contextlib.suppress(InvalidValue):
                return self.device.field(propagation, space, every)
        return propagation._field(space, every)

    def carrier(self, field: Field) -> str:
        """The name of the carrier of a field."""
        return "the CPU" if self.device is None else self.device.carrier(field)


_opened: dict[tuple[int, str], Device] = {}
_opening = threading.Lock()


def device(name: str | None = None, *, exact: bool = True) -> Device:
    """A device to hold layers and swarms, opened once and then shared.

    Parameters
    ----------
    name : str, optional
        Part of an adapter's name, such as "nvidia" or "llvmpipe"; by default the first of
        `adapters()`.
    exact : bool, optional
        Whether its floats must have been found to be those of the CPU, when it was examined. False
        takes it as it is: swarms, stamps and deposits reckon in whole numbers and stay exact,
        layers that blur or spread may differ in their last bits.

    Raises
    ------
    NoDevice
        If there is none, or none of that name, or `exact` is asked of one that is not.
    """
    if name is not None:
        checks.text("name", name)
    checks.flag("exact", exact)
    found, part = adapters(), (name or "").lower()
    chosen = next((each for each in found if part in f"{each.name} {each.driver}".lower()), None)
    if chosen is None:
        raise NoDevice(
            "A device has a name that an adapter has",
            got=repr(name),
            remedy=f"Choose among: {', '.join(sorted({each.name for each in found}))}",
        )
    with _opening:
        place = (os.getpid(), chosen.name)
        if place not in _opened or _opened[place].lost:
            _opened[place] = Device(chosen)
        opened = _opened[place]
    if exact and not opened.exact:
        raise NoDevice(
            "An exact device reckons as the CPU does",
            got=f"{opened.name}: {opened.examined}",
            remedy="Pass exact=False for a run that may differ in its last bits, or take the CPU",
        )
    return opened


def carrier(given: object) -> Device | _Auto:
    """The carrier that a map or a layer asks for: "gpu", "auto", part of a card's name, or one of
    `device()`.
    """
    if isinstance(given, _Auto):
        return given
    return _Auto() if isinstance(given, str) and given == "auto" else checked_device(given)


def checked_device(given: object) -> Device:
    """A device that was given as such, by "gpu" or part of its name, or as what carries a map.
    Raises `InvalidValue` or `NoDevice`.
    """
    if isinstance(given, str):
        return device(None if given == "gpu" else given)
    found = given.device if isinstance(given, _Auto) else given
    if not isinstance(found, Device):
        raise InvalidValue(
            "A device is one of fc.gpu.device()",
            got=repr(given),
            remedy='Pass fc.gpu.device(), or "gpu" for the first',
        )
    return found


def agents(given: object, agents: NDArray[np.int32]) -> DeviceAgents:
    """Return agents of a swarm in the memory of a device. Raises `InvalidValue` or `NoDevice`."""
    return DeviceAgents(checked_device(given), agents)


def food(given: object, portions: NDArray[np.int32], homes: NDArray[np.uint32]) -> DeviceFood:
    """Return food in the memory of a device. Raises `InvalidValue` or `NoDevice`."""
    return DeviceFood(checked_device(given), portions, homes)
