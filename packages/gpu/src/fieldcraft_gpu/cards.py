"""The graphics cards at hand: the only file that imports wgpu."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fieldcraft.errors import NoDevice

__all__ = ["SPAWN", "Adapter", "adapters", "library", "runtime_folder"]

SPAWN = 'Start it with multiprocessing.get_context("spawn"), and open a device there'
_KNOWN = (0, 32)


def library() -> Any:
    """The library wgpu, of the one version that is known to do."""
    os.environ.setdefault("WGPU_LOG_LEVEL", "ERROR")
    try:
        wgpu = importlib.import_module("wgpu")
    except ImportError as error:
        raise NoDevice(
            "A device needs the library wgpu",
            got=str(error),
            remedy="Install it with: pip install 'fieldcraft[gpu]'",
        ) from error
    version = tuple(getattr(wgpu, "version_info", ())[:2])
    if version != _KNOWN:
        raise NoDevice(
            "This fieldcraft works with wgpu 0.32",
            got=f"wgpu {wgpu.__version__}",
            remedy="Install it with: pip install 'fieldcraft[gpu]'",
        )
    return wgpu


@dataclass(frozen=True)
class Adapter:
    """A card or a software renderer, as its driver names it."""

    name: str
    kind: str
    """`DiscreteGPU`, `IntegratedGPU`, `CPU` for software, and others."""
    backend: str
    driver: str
    handle: Any


_asked_in: list[int] = []
"""The process that has loaded drivers: what is forked from it has their memory, and none of their
threads.
"""


@functools.cache
def _found() -> tuple[Adapter, ...]:
    wgpu = library()
    _asked_in[:] = [os.getpid()]
    with runtime_folder():
        handles = wgpu.gpu.enumerate_adapters_sync()
    found = []
    for handle in handles:
        info = handle.info
        if (
            info["backend_type"] != "OpenGL"
        ):  # the same cards again, with fewer of the things that are asked for
            found.append(
                Adapter(
                    info["device"],
                    info["adapter_type"],
                    info["backend_type"],
                    info["description"],
                    handle,
                )
            )
    order = {"DiscreteGPU": 0, "IntegratedGPU": 1}
    return tuple(sorted(found, key=lambda adapter: order.get(adapter.kind, 2)))


@contextlib.contextmanager
def runtime_folder() -> Iterator[None]:
    """Drivers complain on the terminal where this is not set."""
    unset = "XDG_RUNTIME_DIR" not in os.environ
    if unset:
        os.environ["XDG_RUNTIME_DIR"] = "/tmp"
    try:
        yield
    finally:
        if unset:
            os.environ.pop("XDG_RUNTIME_DIR", None)


def adapters() -> tuple[Adapter, ...]:
    """The cards at hand, the strongest kind first. Raises `NoDevice` without wgpu, where it finds
    none, and after a fork.
    """
    found = _found()
    if _asked_in and _asked_in[0] != os.getpid():
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
