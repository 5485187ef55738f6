"""Devices: their properties, their test, and errors without one."""

from __future__ import annotations

import os
import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import ConcurrentUse, InvalidValue, NoDevice
from fieldcraft.steering import Deposit, Swarm, Walk
from fieldcraft_gpu import Device, card, examination, wgpu_library
from support.refusals import refused


def test_the_properties_of_a_device(device: Device) -> None:
    assert device.exact, device.examined
    assert f"{examination.PATTERNS:,} patterns: all as on the CPU" in device.examined
    assert device is fc.gpu.device()
    assert device is fc.gpu.device(device.name[:4].upper())
    assert device.limits["max-storage-buffers-per-shader-stage"] == 8
    assert device.name in repr(device)
    assert fc.gpu.adapters()[0].name == device.name


def test_an_examination_finds_fused_products(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shader that rounds but once is what a driver may make of an unguarded one."""
    compiled = type(device).compiled

    def fused(self: Device, code: str, *rest: Any) -> Any:
        return compiled(
            self,
            code.replace("kept(kept(v.x * v.y, p.zero) + v.z, p.zero)", "v.x * v.y - v.z"),
            *rest,
        )

    monkeypatch.setattr(type(device), "compiled", fused)
    monkeypatch.setattr(device, "_shaders", {})
    exact, report = examination.examine(device)
    assert not exact
    assert "products and sums differ in" in report
    monkeypatch.setattr(device, "exact", exact)
    monkeypatch.setattr(device, "examined", report)
    with refused(NoDevice, "differ in"):
        fc.gpu.device()
    assert fc.gpu.device(exact=False) is device


def test_no_pattern_is_subnormal_and_fusing_would_show() -> None:
    inputs = examination.patterns()
    wanted, _ = examination.results(inputs)
    for floats in wanted[:, :3].T:
        size = np.abs(floats.view(np.float32))
        assert not ((size > 0) & (size < np.finfo(np.float32).tiny)).any()
    wide = inputs.astype(np.longdouble)
    once = (wide[:, 0] * wide[:, 1] + wide[:, 2]).astype(np.float32).view(np.uint32)
    assert (once != wanted[:, 0]).mean() > 0.1


def test_names_the_library_its_version_and_the_adapters(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refused(NoDevice, "Choose among"):
        fc.gpu.device("no such card")
    with refused(InvalidValue, "fc.gpu.device()"):
        fc.InfluenceMap(fc.Grid(3, 2), device=3)  # type: ignore[arg-type]
    monkeypatch.setitem(
        sys.modules, "wgpu", SimpleNamespace(__version__="0.19.3", version_info=(0, 19, 3))
    )
    with refused(NoDevice, "0.19.3", "./packages/gpu"):
        wgpu_library.library()
    monkeypatch.setitem(sys.modules, "wgpu", None)
    with refused(NoDevice, "./packages/gpu"):
        wgpu_library.library()
    monkeypatch.undo()
    monkeypatch.setattr(wgpu_library, "_found", lambda: ())
    with refused(NoDevice, "mesa-vulkan-drivers"):
        fc.gpu.adapters()
    assert "the CPU" in repr(
        fc.InfluenceMap(fc.Grid(3, 2), device="auto").add_layer("trail", fc.Trail())
    )


def test_refuses_a_second_thread(device: Device) -> None:
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_that_was_forked_is_refused(device: Device) -> None:
    """Opening a device there would wait for ever."""
    grid = fc.Grid(9, 7)
    trail = fc.InfluenceMap(grid, device=device).add_layer("trail", fc.Trail())
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        calls = []
        for ask in (
            device.fence,
            lambda: device.uniform(bytes(16)),
            trail.step,
            lambda: trail.values,
            fc.gpu.adapters,
            lambda: fc.InfluenceMap(grid, device="gpu"),
        ):
            try:
                ask()
                calls.append("nothing")
            except (ConcurrentUse, NoDevice) as error:
                calls.append("spawn" if "spawn" in str(error) else str(error))
        calls.append(
            "CPU"
            if "the CPU"
            in repr(fc.InfluenceMap(grid, device="auto").add_layer("trail", fc.Trail()))
            else "no"
        )
        os.write(writer, " ".join(calls).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        assert file.read() == "spawn spawn spawn nothing spawn spawn CPU"
    os.waitpid(child, 0)
    trail.deposit_at(np.array([3]))
    trail.step()
    assert trail.values.any()


@pytest.fixture
def small(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device of which no shader is given more than 2 MiB, as a card with little memory is."""
    monkeypatch.setattr(
        card,
        "_WIDER",
        {
            "max-storage-buffer-binding-size": (1 << 21, 1 << 21),
            "max-buffer-size": (1 << 28, 1 << 28),
        },
    )
    return Device(device.adapter)


KINDS = {
    "trail": fc.Trail(),
    "flow": fc.Trail(vector=True),
    "spread": fc.Spread(0.2, 0.5),
    "radial": fc.Radial(5.0),
    "fade": fc.Fade(),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_map_larger_than_a_binding_is_refused_whole(small: Device, name: str) -> None:
    large, fits = (
        fc.InfluenceMap(fc.Grid(800, 700), device=small),
        fc.InfluenceMap(fc.Grid(100, 80), device=small),
    )
    with refused(InvalidValue, "2 MiB", "smaller map"):
        large.add_layer(name, KINDS[name])
    assert name not in large
    assert small.name in repr(fits.add_layer(name, KINDS[name]))
    large.add_layer(name, KINDS[name], device="cpu")
    assert name in large


def test_more_agents_than_fit_are_refused_whole(small: Device) -> None:
    grid = fc.Grid(100, 80)
    most = (1 << 21) // 12
    assert small.most_bytes // 12 == most
    with refused(InvalidValue, "2 MiB", "fewer agents"):
        Swarm.scattered(grid, most + 1, device=small)
    found = []
    for place in (small, None):
        trail = fc.InfluenceMap(grid, device=place).add_layer("trail", fc.Trail(keep=0.9))
        swarm = Swarm.scattered(grid, most, device=place)
        swarm.run(Walk(5.0, follow=1.0), 0.1, steps=3, trail=trail, deposits=Deposit(trail))
        found.append((swarm.agents.tobytes(), trail.values.tobytes()))
    assert found[0] == found[1]
    crowd = Swarm.scattered(grid, most + 1)
    with refused(InvalidValue, "2 MiB"):
        crowd.copy(device=small)
    assert len(crowd) == most + 1
