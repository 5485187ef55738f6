"""Trails on a device, beside those of the CPU: bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import InvalidValue
from fieldcraft_gpu import Device
from support.refusals import refused


def _same(one: fc.Layer, other: fc.Layer) -> None:
    names = ("values", "vectors") if getattr(one.propagation, "vector", False) else ("values",)
    for name in names:
        ours, theirs = (
            np.ascontiguousarray(getattr(layer, name)).view(np.uint32) for layer in (one, other)
        )
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("seed", range(16))
def test_a_trail_on_a_device_has_the_bits_of_the_cpu(
    device: Device, seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    height, width = rng.integers(9, 50, 2).tolist()
    walls = rng.random((height, width)) < (0.12 if seed % 3 else 0.0)
    grid = fc.Grid(width, height, walls=walls, wrap=seed % 4 == 1, y_up=seed % 5 == 2)
    vector = seed % 2 == 1
    trail = fc.Trail(
        keep=float(rng.uniform(0.5, 1)),
        blur=(3, 3, 1, 5, 9)[seed % 5],
        edges=("conserve", "lose")[seed // 2 % 2],
        vector=vector,
        accumulate=seed % 6 != 5,
        floor=(1e-6, 1e-2)[seed // 4 % 2],
    )
    maps = [fc.InfluenceMap(grid) for _ in range(2)]
    layers = [
        imap.add_layer("trail", trail, device=place)
        for imap, place in zip(maps, ("cpu", device), strict=True)
    ]
    stamp = fc.Stamp.disc(2.4, "parabolic") - 0.3 * fc.Stamp.disc(1.2)
    for round_ in range(10):
        count = int(rng.integers(1, 60))
        cells = rng.choice(np.flatnonzero(~grid.walls), count)
        amounts = rng.normal(size=(count, 2) if vector else count) * 10.0 ** rng.integers(
            -4, 5, size=(count, 1) if vector else count
        )
        positions = rng.uniform((0, 0), (width, height), (5, 2)) * 0.999
        strokes = rng.normal(size=(5, 2) if vector else 5) * 100
        how, blend = (
            ("nearest", "bilinear")[round_ % 2],
            ("add", "add", "max", "replace")[int(rng.integers(4))],
        )
        turns = rng.integers(0, 4, 5) * 30.0
        for layer in layers:
            layer.deposit_at(cells, amounts)
            layer.stamp(stamp, positions, strokes, rotations=turns, how=how, blend=blend)
            layer.step(round_ * 4 % 7)
        _same(*layers)
        if round_ == 3:
            grid.set_walls(rng.choice(height * width, 4))
        if round_ == 4:
            for layer in layers:
                layer.tune(keep=0.77, edges="lose")
        if round_ == 5:
            some = rng.normal(size=layers[0]._field.shape).astype(np.float32)
            for layer in layers:
                layer.write(some)
        if round_ == 6:
            maps[1].save(tmp_path / "map")
            maps = [maps[0], maps[1].copy()]
            layers = [imap["trail"] for imap in maps]
        if round_ == 7:  # a save goes on where it was loaded, on the CPU
            again = fc.InfluenceMap.load(tmp_path / "map")
            assert again.save(tmp_path / "again") is None
            maps[1].save(tmp_path / "map")
            layers = [layers[0], layers[1]]
    maps[0].save(tmp_path / "cpu")
    maps[1].save(tmp_path / "device")
    assert (tmp_path / "cpu").read_bytes() == (tmp_path / "device").read_bytes()


def test_a_long_run_has_the_bits_of_the_cpu(device: Device) -> None:
    rng = np.random.default_rng(8)
    grid = fc.Grid(128, 97, walls=rng.random((97, 128)) < 0.05)
    layers = [
        fc.InfluenceMap(grid, device=place).add_layer("trail", fc.Trail(keep=0.98))
        for place in ("cpu", device)
    ]
    for _ in range(4):
        cells = rng.choice(np.flatnonzero(~grid.walls), 3000)
        amounts = rng.normal(size=3000) * 10.0 ** rng.integers(-4, 5, size=3000)
        for layer in layers:
            layer.deposit_at(cells, amounts)
            layer.step(60)
        _same(*layers)
    assert layers[1].values.any()


def test_few_cells_come_back_alone_and_all_come_back_once(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = fc.Grid(40, 30)
    layer = fc.InfluenceMap(grid, device=device).add_layer("trail", fc.Trail())
    layer.deposit([(3.5, 4.5), (20.5, 9.5)], [5.0, 7.0])
    layer.step(3)
    read: list[int] = []
    whole = device.read
    monkeypatch.setattr(
        type(device),
        "read",
        lambda self, buffer, dtype, shape: (
            read.append(int(np.prod(shape))) or whole(buffer, dtype, shape)
        ),
    )
    points = [(3.5, 4.5), (21.5, 9.5), (35.5, 20.5)]
    few = layer.sample(points)
    assert read == [3]
    assert layer.sample((20.5, 9.5)) == layer.values[9, 20]
    assert read == [3, 1, 1200]
    np.testing.assert_array_equal(
        few, [layer.values[4, 3], layer.values[9, 21], layer.values[20, 35]]
    )
    fc.best(layer, (10.5, 10.5), 5.0)
    assert layer.values is not None
    assert read == [3, 1, 1200]
    assert "on " + device.name in repr(layer)


def test_refuses_what_a_device_does_not_carry(device: Device) -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 7), device=device)
    with refused(InvalidValue, 'device="cpu"'):
        imap.add_layer("past", fc.Flood())
    with refused(InvalidValue, "width"):
        imap.add_layer("odd", fc.Trail(blur=(0.25, 0.5, 0.25)))
    auto = fc.InfluenceMap(fc.Grid(9, 7), device="auto")
    assert "on the CPU" in repr(auto.add_layer("odd", fc.Trail(blur=(0.25, 0.5, 0.25))))
    assert device.name in repr(auto.add_layer("trail", fc.Trail()))
    layer = imap.add_layer("trail", fc.Trail())
    with refused(InvalidValue, "width"):
        layer.tune(blur=(0.25, 0.5, 0.25))
    with refused(InvalidValue, "at most"):
        layer.deposit_at(np.array([3]), 1e9)
    with refused(InvalidValue, "adds up"):
        layer.deposit_at(np.full(300_000, 3), 2.0**20)
    layer.step(1)
    assert not layer.values.any()
    graph = fc.InfluenceMap(fc.Grid(5, 4).to_graph())
    with refused(InvalidValue):
        graph.add_layer("trail", fc.Trail(), device=device)
