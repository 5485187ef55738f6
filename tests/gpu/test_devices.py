"""Devices: what they are, how they are examined, and what is said where there is none."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import ConcurrentUse, InvalidValue, NoDevice
from fieldcraft.gpu import Device, cards, examination
from support.refusals import refused


def test_says_what_it_is(device: Device) -> None:
    assert device.exact, device.examined
    assert f"{examination.PATTERNS:,} patterns: all as on the CPU" in device.examined
    assert device is fc.gpu.device()
    assert device is fc.gpu.device(device.name[:4].upper())
    assert device.limits["max-storage-buffers-per-shader-stage"] == 8
    assert device.name in repr(device)
    assert fc.gpu.adapters()[0].name == device.name


def test_an_examination_finds_fused_products(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shader that rounds but once is what a driver may make of an unguarded one."""
    compiled = type(device).compiled

    def fused(self: Device, code: str, *rest: Any) -> Any:
        return compiled(self, code.replace("kept(kept(v.x * v.y, p.zero) + v.z, p.zero)", "v.x * v.y - v.z"), *rest)

    monkeypatch.setattr(type(device), "compiled", fused)
    monkeypatch.setattr(device, "_shaders", {})
    exact, said = examination.examine(device)
    assert not exact
    assert "products and sums differ in" in said
    monkeypatch.setattr(device, "exact", exact)
    monkeypatch.setattr(device, "examined", said)
    with refused(NoDevice, "differ in"):
        fc.gpu.device()
    assert fc.gpu.device(exact=False) is device


def test_no_pattern_is_subnormal_and_fusing_would_show() -> None:
    asked = examination.patterns()
    wanted, _ = examination.answers(asked)
    for floats in wanted[:, :3].T:
        size = np.abs(floats.view(np.float32))
        assert not ((size > 0) & (size < np.finfo(np.float32).tiny)).any()
    wide = asked.astype(np.longdouble)
    once = (wide[:, 0] * wide[:, 1] + wide[:, 2]).astype(np.float32).view(np.uint32)
    assert (once != wanted[:, 0]).mean() > 0.1


def test_names_the_library_its_version_and_the_adapters(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    with refused(NoDevice, "Choose among"):
        fc.gpu.device("no such card")
    with refused(InvalidValue, "fc.gpu.device()"):
        fc.InfluenceMap(fc.Grid(3, 2), device=3)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "wgpu", SimpleNamespace(__version__="0.19.3", version_info=(0, 19, 3)))
    with refused(NoDevice, "0.19.3", "fieldcraft[gpu]"):
        cards.library()
    monkeypatch.setitem(sys.modules, "wgpu", None)
    with refused(NoDevice, "fieldcraft[gpu]"):
        cards.library()
    monkeypatch.undo()
    monkeypatch.setattr(cards, "_found", lambda: ())
    with refused(NoDevice, "mesa-vulkan-drivers"):
        fc.gpu.adapters()
    assert "the CPU" in repr(fc.InfluenceMap(fc.Grid(3, 2), device="auto").add_layer("trail", fc.Trail()))


def test_refuses_a_second_thread_and_a_fork(device: Device) -> None:
    found: list[BaseException] = []

    def other() -> None:
        try:
            device.fence()
        except ConcurrentUse as error:
            found.append(error)

    with device.using():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(found) == 1
    assert "one thread" in str(found[0])
    device._pid += 1
    try:
        with refused(ConcurrentUse, "fork"):
            device.fence()
    finally:
        device._pid -= 1
    assert multiprocessing.current_process().name
