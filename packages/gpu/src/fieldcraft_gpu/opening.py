"""Devices: opened cards with layers and swarms."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, NoDevice
from fieldcraft.layers.propagation import Fade, Propagation, Radial, Spread, Trail
from fieldcraft.layers.propagation.array import ArrayValues
from fieldcraft.layers.propagation.propagation import Field
from fieldcraft.space import Space, grid_of
from fieldcraft_gpu.card import Card
from fieldcraft_gpu.fade_field import DeviceFadeField
from fieldcraft_gpu.fields import refuse
from fieldcraft_gpu.radial_field import DeviceRadialField
from fieldcraft_gpu.spread_field import DeviceSpreadField
from fieldcraft_gpu.swarm import DeviceAgents, DeviceFood
from fieldcraft_gpu.trail_field import DeviceTrailField
from fieldcraft_gpu.wgpu_library import adapters

FIELDS: dict[type[Propagation], Callable[[Any, Any, float, Card], Field]] = {
    Trail: DeviceTrailField,
    Spread: DeviceSpreadField,
    Radial: DeviceRadialField,
    Fade: DeviceFadeField,
}
"""The field of each kind of propagation that devices support."""


class Device(Card):
    """An opened card with layers; see `device`."""

    def field(self, propagation: Propagation, space: Space, every: float) -> Field:
        """Return a field of a propagation on the device; raises `InvalidValue` for unsupported
        ones. An array of the user stays on the CPU.
        """
        if isinstance(propagation, ArrayValues):
            return propagation.field(space, every)
        create = FIELDS.get(type(propagation))
        names = ", ".join(f"fc.{kind.__name__}" for kind in FIELDS)
        refuse((create is None, f"A device supports layers with {names}", repr(propagation)))
        assert create is not None
        return create(propagation, grid_of(space, "A layer on a device"), every, self)

    def device_name(self, field: Field) -> str:
        """Return the name of the device of a field."""
        if getattr(field, "device", None) is not self:
            return "the CPU"
        if self.lost:
            return f"{self.name}, which is lost"
        return str(self.name)


class _Auto:
    """Fields of a device if there is one that supports them, else of the CPU."""

    def __init__(self) -> None:
        self.device: Device | None = None
        with contextlib.suppress(NoDevice):
            self.device = device()

    def __repr__(self) -> str:
        return f"<auto: {self.device or 'the CPU'}>"

    @property
    def lost(self) -> bool:
        """Whether its device no longer works."""
        return self.device is not None and self.device.lost

    def field(self, propagation: Propagation, space: Space, every: float) -> Field:
        """Return a field of a propagation."""
        if self.device is not None:
            with contextlib.suppress(InvalidValue):
                return self.device.field(propagation, space, every)
        return propagation.field(space, every)

    def device_name(self, field: Field) -> str:
        """Return the name of the device of a field."""
        if self.device is None:
            return "the CPU"
        return self.device.device_name(field)


_opened: dict[tuple[int, str], Device] = {}
_opening = threading.Lock()


def device(name: str | None = None, *, exact: bool = True) -> Device:
    """Return a device for layers and swarms, which is opened once and then shared.

    Parameters
    ----------
    name : str, optional
        Part of an adapter's name, such as "nvidia" or "llvmpipe"; by default the first of
        `adapters()`.
    exact : bool, optional
        Whether its floats must equal those of the CPU, as tested when it was opened. With False,
        swarms, stamps and deposits are still exact, because they use integers; layers that blur or
        spread may differ in their last bits.

    Raises
    ------
    NoDevice
        Without a device, without one of that name, or if it is not exact.
    """
    if name is not None:
        checks.text("name", name)
    checks.flag("exact", exact)
    found = adapters()
    part = (name or "").lower()
    chosen = next((each for each in found if part in f"{each.name} {each.driver}".lower()), None)
    if chosen is None:
        raise NoDevice(
            "The name of a device is part of the name of an adapter",
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
            "An exact device has the floats of the CPU",
            got=f"{opened.name}: {opened.examined}",
            remedy="Pass exact=False for a run that may differ in its last bits, or use the CPU",
        )
    return opened


def layer_device(given: object) -> Device | _Auto:
    """Return the device for layers: "gpu" for the first, "auto" for one only where it supports a
    layer, else part of a card's name or a device.
    """
    if isinstance(given, _Auto):
        return given
    if isinstance(given, str) and given == "auto":
        return _Auto()
    return checked_device(given)


def checked_device(given: object) -> Device:
    """Return the device for "gpu", part of a name, or a result of `layer_device`. Raises
    `InvalidValue` or `NoDevice`.
    """
    if isinstance(given, str):
        if given == "gpu":
            return device()
        return device(given)
    if isinstance(given, _Auto):
        found: object = given.device
    else:
        found = given
    if not isinstance(found, Device):
        raise InvalidValue(
            "A device is a result of fc.gpu.device()",
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
