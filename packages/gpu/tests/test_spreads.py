"""Spread on a device, beside that of the CPU: bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import InvalidValue
from fieldcraft_gpu import Device
from support.refusals import refused
from support.worlds import KNIGHT

KNIGHT_AND_SIDES = [*KNIGHT, (1, 0), (-1, 0)]


@pytest.mark.parametrize("seed", range(14))
def test_spread_on_a_device_has_the_bits_of_the_cpu(
    device: Device, seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    height, width = rng.integers(7, 70, 2).tolist()
    walls = rng.random((height, width)) < (0.15 if seed % 3 else 0.0)
    grid = fc.Grid(
        width, height, walls=walls, wrap=seed % 4 == 1, neighbors=(4, 8, KNIGHT_AND_SIDES)[seed % 3]
    )
    spread = fc.Spread(
        decay=float(rng.uniform(0, 0.6)),
        momentum=float(rng.uniform(0.1, 1)),
        falloff=("exponential", "linear")[seed // 2 % 2],
        half_life=0.4 if seed % 5 == 2 else None,
        stack=("max", "sum")[seed % 2],
    )
    maps = [fc.InfluenceMap(grid) for _ in range(2)]
    layers = [
        imap.add_layer("a", spread, device=place)
        for imap, place in zip(maps, ("cpu", device), strict=True)
    ]
    for round_ in range(12):
        ground = np.flatnonzero(~grid.walls)
        cells = rng.choice(ground, 3)
        strengths = rng.normal(size=3) * 20
        for layer in layers:
            for key, (cell, strength) in enumerate(
                zip(cells.tolist(), strengths.tolist(), strict=True)
            ):
                if round_ % 3 == 0:
                    layer.add_source(
                        grid.position_of(cell), strength, lifetime=None if key else 0.5
                    )
            if round_ % 4 == 2:
                layer.deposit(grid.position_of(cells), strengths)
            layer.step(round_ * 5 % 12)
        if round_ % 2:
            np.testing.assert_array_equal(
                layers[0].values.view(np.uint32), layers[1].values.view(np.uint32)
            )
        if round_ == 5:
            grid.set_walls(rng.choice(height * width, 4))
        if round_ == 6:
            for layer in layers:
                layer.tune(momentum=0.9, decay=0.1)
        if round_ == 8:
            maps = [imap.copy() for imap in maps]
            layers = [imap["a"] for imap in maps]  # type: ignore[misc]
        if round_ == 9:
            for layer in layers:
                layer.settle()
    for imap, name in zip(maps, ("cpu", "device"), strict=True):
        imap.save(tmp_path / name)
    assert layers[0].values.any()
    assert (tmp_path / "cpu").read_bytes() == (tmp_path / "device").read_bytes()


def test_sources_that_move_at_each_step_bring_nothing_back(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = fc.Grid(60, 40, walls=np.random.default_rng(1).random((40, 60)) < 0.1, neighbors=8)
    layers = [
        fc.InfluenceMap(grid, device=place).add_layer("a", fc.Spread(0.2, 0.8))
        for place in ("cpu", device)
    ]
    read: list[int] = []
    whole = type(device).read
    monkeypatch.setattr(
        type(device), "read", lambda self, *given: read.append(1) or whole(self, *given)
    )
    ground = grid.position_of(np.flatnonzero(~grid.walls))
    sources = [layer.add_source(ground[0], 9.0) for layer in layers]
    for step in range(40):
        for layer, source in zip(layers, sources, strict=True):
            source.move(ground[step * 17])
            layer.step(1 + step % 5)
    assert read == []
    np.testing.assert_array_equal(
        layers[0].values.view(np.uint32), layers[1].values.view(np.uint32)
    )
    assert read == [1]


def test_refuses_roots_and_floors_that_devices_flush(device: Device) -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 7), device=device)
    with refused(InvalidValue, "quadratic"):
        imap.add_layer("a", fc.Spread(0.1, 0.5, falloff="quadratic"))
    with refused(InvalidValue, "floor"):
        imap.add_layer("a", fc.Spread(0.1, 0.5, floor=0.0))
    assert "a" not in imap
