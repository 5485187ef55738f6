"""Radial sums on a device, beside those of the CPU: bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import InvalidValue
from fieldcraft_gpu import Device
from support.refusals import refused


@pytest.mark.parametrize("seed", range(8))
def test_radial_sums_on_a_device_have_the_bits_of_the_cpu(
    device: Device, seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    height, width = rng.integers(9, 60, 2).tolist()
    walls = rng.random((height, width)) < (0.12 if seed % 2 else 0.0)
    grid = fc.Grid(width, height, walls=walls, wrap=seed % 4 in (1, 2), neighbors=8)
    radial = fc.Radial(
        float(rng.uniform(2, 9)),
        metric=("connected", "straight", "path", "sight")[seed % 4],
        falloff="parabolic",
    )
    maps = [fc.InfluenceMap(grid) for _ in range(2)]
    layers = [
        imap.add_layer("a", radial, device=place)
        for imap, place in zip(maps, ("cpu", device), strict=True)
    ]
    held: list[list[fc.Source]] = [[], []]
    for round_ in range(12):
        ground = np.flatnonzero(~grid.walls)
        cells, strengths = (
            rng.choice(ground, 6),
            rng.normal(size=6) * 10.0 ** rng.integers(-3, 5, size=6),
        )
        radii = rng.uniform(1, 12, 2)
        for layer, sources in zip(layers, held, strict=True):
            places = grid.position_of(cells)
            sources += [
                layer.add_source(places[k], strengths[k], radius=None if k else radii[0])
                for k in range(2)
            ]
            if round_ % 2 and len(sources) > 1:
                sources[1].move(places[2])
                sources.pop(0).remove()
            if round_ == 3:
                layer.write(np.full(grid.shape, 2.5, np.float32))
            if round_ == 4:
                assert layer.validate(len(grid)) > 0
            if round_ == 6:
                layer.tune(radius=float(radii[1]))
            layer.step(round_ % 3)
        if round_ % 3 != 1:
            np.testing.assert_array_equal(
                layers[0].values.view(np.uint32), layers[1].values.view(np.uint32)
            )
        if round_ == 5:
            grid.set_walls(rng.choice(height * width, 5))
        if round_ == 8:
            maps = [imap.copy() for imap in maps]
            layers = [imap["a"] for imap in maps]  # type: ignore[misc]
            held = [[], []]
    assert layers[0].values.any()
    assert device.name in repr(layers[1])
    for imap, name in zip(maps, ("cpu", "device"), strict=True):
        imap.save(tmp_path / name)
    assert (tmp_path / "cpu").read_bytes() == (tmp_path / "device").read_bytes()


def test_the_strongest_and_what_explains_a_cell_are_the_hosts(device: Device) -> None:
    grid = fc.Grid(30, 20, neighbors=8)
    found = []
    for place in ("cpu", device):
        imap = fc.InfluenceMap(grid, device=place)
        layer = imap.add_layer("a", fc.Radial(5.0))
        for x, strength in ((4.5, 3.0), (7.5, -8.0), (9.5, 5.0)):
            layer.add_source((x, 9.5), strength)
        layer.step()
        account = layer.account(int(grid.cell_at((7.5, 8.5))))
        found.append(
            (account.amounts.tolist(), layer.sample(np.array([[5.5, 9.5], [8.5, 9.5]])).tolist())
        )
    assert found[0] == found[1]


def test_refuses_what_a_device_does_not_sum(device: Device) -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 7), device=device)
    with refused(InvalidValue, "adds up"):
        imap.add_layer("a", fc.Radial(3.0, blend="max"))
    with refused(InvalidValue, "centres"):
        imap.add_layer("a", fc.Radial(3.0, metric="straight", exact=True))
    assert "a" not in imap
    assert "the CPU" in repr(imap.add_layer("a", fc.Radial(3.0, blend="max"), device="auto"))
