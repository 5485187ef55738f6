"""Memory on a device, beside that of the CPU: bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import InvalidValue
from fieldcraft_gpu import Device
from support.refusals import refused


@pytest.mark.parametrize("seed", range(6))
def test_memory_on_a_device_has_the_bits_of_the_cpu(
    device: Device, seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    height, width = rng.integers(9, 70, 2).tolist()
    walls = rng.random((height, width)) < (0.12 if seed % 2 else 0.0)
    grid = fc.Grid(width, height, walls=walls, wrap=seed % 3 == 1, neighbors=8)
    fade = fc.Fade(
        amount=float(rng.uniform(0.05, 2)),
        interval=0.5,
        maximum=float(rng.uniform(1, 50)),
        bleed=0.3 if seed % 3 == 2 else 0.0,
    )
    maps = [fc.InfluenceMap(grid) for _ in range(2)]
    layers = [
        imap.add_layer("a", fade, device=place)
        for imap, place in zip(maps, ("cpu", device), strict=True)
    ]
    for round_ in range(12):
        places = grid.position_of(rng.choice(np.flatnonzero(~grid.walls), 5))
        amounts = rng.uniform(0, 60, 5)
        for layer in layers:
            layer.mark(places[:2])
            layer.mark(places[2:], amounts[2:], radius=3.0 + round_ / 4)
            layer.step(int(2 ** (round_ % 7)))
            if round_ == 4:
                layer.write(np.minimum(layer.values + np.float32(0.25), np.float32(fade.maximum)))
            if round_ == 6:
                layer.tune(amount=fade.amount * 1.5)
        if round_ % 3 != 1:
            np.testing.assert_array_equal(
                layers[0].values.view(np.uint32), layers[1].values.view(np.uint32)
            )
            drawn = device.read(layers[1]._field.now, np.uint32, grid.shape)
            np.testing.assert_array_equal(layers[0].values.view(np.uint32), drawn)
        if round_ in (5, 9):
            grid.set_walls(rng.choice(height * width, 5))
        if round_ == 8:
            maps = [imap.copy() for imap in maps]
            layers = [imap["a"] for imap in maps]  # type: ignore[misc]
    assert layers[0].values.any()
    for imap, name in zip(maps, ("cpu", "device"), strict=True):
        imap.save(tmp_path / name)
    assert (tmp_path / "cpu").read_bytes() == (tmp_path / "device").read_bytes()


def test_moments_that_move_to_a_later_epoch(device: Device) -> None:
    grid = fc.Grid(40, 20)
    layers = [
        fc.InfluenceMap(grid, device=place).add_layer("a", fc.Fade(amount=1.0, maximum=2.0))
        for place in ("cpu", device)
    ]
    for round_ in range(30):
        for layer in layers:
            layer.mark((round_ + 0.5, 7.5), 1.0 + round_ % 2)
            layer.step(7)
        drawn = device.read(layers[1]._field.now, np.uint32, grid.shape)
        np.testing.assert_array_equal(layers[0].values.view(np.uint32), drawn)
    assert layers[1]._field._epoch > 0


def test_refuses_what_a_device_does_not_remember(device: Device) -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 7), device=device)
    with refused(InvalidValue, "half_life"):
        imap.add_layer("a", fc.Fade(half_life=2.0))
    with refused(InvalidValue, "seep"):
        imap.add_layer("a", fc.Fade(seep=0.2))
    assert "a" not in imap
