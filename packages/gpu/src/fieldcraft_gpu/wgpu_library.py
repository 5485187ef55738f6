"""The graphics cards of this machine. The only file that imports wgpu."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fieldcraft.base import install
from fieldcraft.base.errors import NoDevice

SPAWN = 'Start it with multiprocessing.get_context("spawn"), and open a device there'
_SUPPORTED = (0, 32)


def library() -> Any:
    """Return the library wgpu, of the supported version."""
    os.environ.setdefault("WGPU_LOG_LEVEL", "ERROR")
    try:
        wgpu = importlib.import_module("wgpu")
    except ImportError as error:
        raise NoDevice(
            "A device needs the library wgpu",
            got=str(error),
            remedy=install.remedy("gpu"),
        ) from error
    version = tuple(getattr(wgpu, "version_info", ())[:2])
    if version != _SUPPORTED:
        raise NoDevice(
            "This fieldcraft works with wgpu 0.32",
            got=f"wgpu {wgpu.__version__}",
            remedy=install.remedy("gpu"),
        )
    return wgpu


@dataclass(frozen=True)
class Adapter:
    """A card or a software renderer, with the names of its driver."""

    name: str
    kind: str
    """`DiscreteGPU`, `IntegratedGPU`, `CPU` for software, and others."""
    backend: str
    driver: str
    handle: Any


_loaded_in: list[int] = []
"""The process that has loaded drivers: a fork of it has their memory, but none of their threads."""


@functools.cache
def _found() -> tuple[Adapter, ...]:
    wgpu = library()
    _loaded_in[:] = [os.getpid()]
    with runtime_folder():
        handles = wgpu.gpu.enumerate_adapters_sync()
    found = []
    for handle in handles:
        info = handle.info
        if info["backend_type"] != "OpenGL":  # the same cards again, with fewer features
            names = (info["device"], info["adapter_type"], info["backend_type"])
            found.append(Adapter(*names, info["description"], handle))
    order = {"DiscreteGPU": 0, "IntegratedGPU": 1}
    return tuple(sorted(found, key=lambda adapter: order.get(adapter.kind, 2)))


@contextlib.contextmanager
def runtime_folder() -> Iterator[None]:
    """Set the folder that drivers need to stay quiet."""
    unset = "XDG_RUNTIME_DIR" not in os.environ
    if unset:
        os.environ["XDG_RUNTIME_DIR"] = "/tmp"
    try:
        yield
    finally:
        if unset:
            os.environ.pop("XDG_RUNTIME_DIR", None)


def adapters() -> tuple[Adapter, ...]:
    """Return the cards of this machine, the strongest kind first. Raises `NoDevice` without wgpu,
    without a card, and after a fork.
    """
    found = _found()
    if _loaded_in and _loaded_in[0] != os.getpid():
        raise NoDevice(
            "Drivers of graphics cards do not survive a fork",
            got="a process that was forked after fc.gpu was used",
            remedy=SPAWN,
        )
    if not found:
        raise NoDevice(
            "A device needs a graphics card with a driver for Vulkan, Metal or Direct3D 12",
            got="none that wgpu finds",
            remedy=(
                "Install the card's driver, or a software one: apt install mesa-vulkan-drivers"
                " libvulkan1"
            ),
        )
    return found
