"""Layers on a device have the bits of the CPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft_gpu import Device
from support.refusals import refused

KNIGHT = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
STAMP = fc.Stamp.disc(2.4, "parabolic") - 0.3 * fc.Stamp.disc(1.2)

Acts = list[Callable[[Any], object]]


def trail(seed: int, rng: np.random.Generator) -> fc.Trail:
    return fc.Trail(
        keep=float(rng.uniform(0.5, 1)),
        blur=(3, 3, 1, 5, 9)[seed % 5],
        edges=("conserve", "lose")[seed // 2 % 2],
        vector=seed % 2 == 1,
        accumulate=seed % 6 != 5,
        floor=(1e-6, 1e-2)[seed // 4 % 2],
    )


def spread(seed: int, rng: np.random.Generator) -> fc.Spread:
    return fc.Spread(
        decay=float(rng.uniform(0, 0.6)),
        momentum=float(rng.uniform(0.1, 1)),
        falloff=("exponential", "linear")[seed // 2 % 2],
        half_life=0.4 if seed % 5 == 2 else None,
        stack=("max", "sum")[seed % 2],
    )


def radial(seed: int, rng: np.random.Generator) -> fc.Radial:
    metric = ("connected", "straight", "path", "sight")[seed % 4]
    return fc.Radial(float(rng.uniform(2, 9)), metric=metric, falloff="parabolic")


def fade(seed: int, rng: np.random.Generator) -> fc.Fade:
    mark_spread = 0.3 if seed % 3 == 2 else 0.0
    return fc.Fade(
        float(rng.uniform(0.05, 2)), 0.5, float(rng.uniform(1, 50)), mark_spread=mark_spread
    )


def acts(kind: Any, round_: int, grid: fc.Grid, rng: np.random.Generator) -> Acts:
    """What happens to a layer in a round."""
    cells = rng.choice(np.flatnonzero(~grid.walls), 9)
    places = grid.position_of(cells)
    pair = (9, 2) if getattr(kind, "vector", False) else 9
    amounts = rng.normal(size=pair) * 10.0 ** rng.integers(-3, 5)
    radius = float(rng.uniform(1, 12))
    if isinstance(kind, fc.Trail):
        how = {"how": ("nearest", "bilinear")[round_ % 2], "rotations": 30.0 * round_}
        blend = ("add", "max", "replace")[round_ % 3]
        tuned = {"keep": 0.77, "edges": "lose"}
        return [
            lambda layer: layer.deposit_at(cells, amounts),
            lambda layer: layer.stamp(STAMP, places, amounts, blend=blend, **how),
            lambda layer: round_ == 4 and layer.tune(**tuned),
            lambda layer: round_ == 5 and layer.write(np.ones(layer.steps.field.shape, np.float32)),
        ]
    if isinstance(kind, fc.Fade):
        sizes = np.abs(amounts)
        return [
            lambda layer: layer.mark(places[:2]),
            lambda layer: layer.mark(places[2:], sizes[2:], radius=min(radius, 5.0)),
            lambda layer: round_ == 4 and layer.write(np.minimum(layer.values + 0.25, 1.0)),
            lambda layer: round_ == 6 and layer.tune(amount=kind.amount * 1.5),
        ]
    found: Acts = [
        lambda layer: layer.add_sources(places[:3], amounts[:3]),
        lambda layer: layer.add_source(places[3], amounts[3], lifetime=0.5),
        lambda layer: layer.source(int(layer.sources.ids[0])).move(places[4]),
        lambda layer: layer.source(int(layer.sources.ids[1])).remove(),
    ]
    if isinstance(kind, fc.Spread):
        return [
            *(found if round_ % 3 == 0 else []),
            lambda layer: round_ % 4 == 2 and layer.deposit(places, amounts),
            lambda layer: round_ == 6 and layer.tune(momentum=0.9, decay=0.1),
            lambda layer: round_ == 9 and layer.settle(),
        ]
    return [
        *found,
        lambda layer: layer.add_source(places[5], amounts[5], radius=radius),
        lambda layer: round_ == 3 and layer.write(np.full(grid.shape, 2.5, np.float32)),
        lambda layer: round_ == 4 and layer.validate(len(grid)),
        lambda layer: round_ == 6 and layer.tune(radius=radius),
    ]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind_of", [trail, spread, radial, fade])
def test_a_layer_on_a_device_has_the_bits_of_the_cpu(
    device: Device, kind_of: Any, seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    height, width = rng.integers(9, 60, 2).tolist()
    walls = rng.random((height, width)) < (0.12 if seed % 3 else 0.0)
    neighbors = (8, 4, [*KNIGHT, (1, 0), (-1, 0)])[seed % 3 if kind_of is spread else 0]
    ground = {
        "wrap": (False, True, "x", "y")[seed % 4],
        "y_up": seed % 5 == 2,
        "neighbors": neighbors,
    }
    grid, kind = fc.Grid(width, height, walls=walls, **ground), kind_of(seed, rng)
    maps = [fc.InfluenceMap(grid) for _ in range(2)]
    for imap, place in zip(maps, ("cpu", device), strict=True):
        imap.add_layer("a", kind, device=place)
    seen = False
    for round_ in range(12):
        happens = acts(kind, round_, grid, rng)
        for imap in maps:
            for act in happens:
                act(imap["a"])
            imap["a"].step(round_ * 4 % 7)
        if round_ % 3 != 1:  # else nothing is read back
            name = "vectors" if getattr(kind, "vector", False) else "values"
            ours, theirs = (np.ascontiguousarray(getattr(imap["a"], name)) for imap in maps)
            np.testing.assert_array_equal(ours.view(np.uint32), theirs.view(np.uint32))
            seen = seen or bool(ours.any())
            if name == "values":
                drawn = device.read(maps[1]["a"].steps.field.now, np.uint32, grid.shape)  # type: ignore[attr-defined]
                np.testing.assert_array_equal(ours.view(np.uint32), drawn)
        if round_ == 5:
            grid.set_walls(rng.choice(height * width, 5))
        if round_ == 8:
            maps = [imap.copy() for imap in maps]
    assert seen and device.name in repr(maps[1]["a"])
    for imap, name in zip(maps, ("cpu", "device"), strict=True):
        imap.save(tmp_path / name)
    assert (tmp_path / "cpu").read_bytes() == (tmp_path / "device").read_bytes()


REFUSED = [
    (fc.Flood(), 'device="cpu"'),
    (fc.Trail(blur=(0.25, 0.5, 0.25)), "width"),
    (fc.Spread(0.1, 0.5, falloff="quadratic"), "quadratic"),
    (fc.Spread(0.1, 0.5, floor=0.0), "floor"),
    (fc.Spread(0.1, 0.5, pin=False), "pin"),
    (fc.Radial(3.0, blend="max"), "adds up"),
    (fc.Radial(3.0, metric="straight", exact=True), "centers"),
    (fc.Fade(half_life=2.0), "half_life"),
    (fc.Fade(diffusion=0.2), "diffusion"),
]


@pytest.mark.parametrize(("kind", "word"), REFUSED)
def test_what_a_device_does_not_carry_stays_on_the_cpu(
    device: Device, kind: Any, word: str
) -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 7), device=device)
    with refused(InvalidValue, word):
        imap.add_layer("a", kind)
    assert "a" not in imap
    assert "on the CPU" in repr(imap.add_layer("a", kind, device="auto"))


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
        drawn = device.read(layers[1].steps.field.now, np.uint32, grid.shape)
        np.testing.assert_array_equal(layers[0].values.view(np.uint32), drawn)
    assert layers[1].steps.field._epoch > 0


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


def test_amounts_that_do_not_fit_change_nothing(device: Device) -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 7), device=device)
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
