"""Any block size, any halo, any number of stores, any memory, reopened at any time: the bits of one
array.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fieldcraft as fc
import fieldcraft_cluster as cluster
from fieldcraft.space.wrapping import Wrap
from fieldcraft_cluster.partition import Box
from fieldcraft_cluster.store import Stores

KNIGHT = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
STAMP = fc.Stamp.disc(2.6, "linear")

KINDS = {
    "spread": fc.Spread(decay=0.05, momentum=0.6),
    "spread at once": fc.Spread(decay=0.3, momentum=1.0, falloff="linear", stack="sum"),
    "spread root": fc.Spread(decay=0.2, momentum=0.5, falloff="quadratic", half_life=0.7),
    "spread loose": fc.Spread(decay=0.1, momentum=0.7, pin=False),
    "trail": fc.Trail(keep=0.9),
    "trail lost": fc.Trail(half_life=0.5, blur=5, edges="lose"),
    "trail weighed": fc.Trail(blur=(0.1, 0.2, 0.4, 0.2, 0.1)),
    "trail of vectors": fc.Trail(keep=0.95, vector=True),
    "crowd": fc.Trail(accumulate=False),
    "fade": fc.Fade(amount=10, interval=1.0),
    "fade half": fc.Fade(half_life=0.4, mark_spread=0.4),
    "radial straight": fc.Radial(radius=4.5, metric="straight"),
    "radial connected": fc.Radial(radius=4.0, metric="connected", falloff="linear"),
    "radial path": fc.Radial(radius=5.0, metric="path"),
    "radial sight": fc.Radial(radius=4.0, metric="sight", blend="max"),
}


@dataclass
class Pair:
    """The same layer on one array and in blocks."""

    rng: np.random.Generator
    kind: str
    grid: fc.Grid
    one: Any
    world: cluster.World
    two: Any
    make: Any
    alive: list[tuple[int, int]] = field(default_factory=list)

    def points(self, count: int) -> np.ndarray:
        """Positions of open cells, those at halos of blocks among them."""
        free = np.flatnonzero(~self.grid.walls)
        return (
            self.grid.position_of(self.rng.choice(free, count)) if len(free) else np.zeros((0, 2))
        )

    def act(self, what: int) -> None:
        one, two, rng = self.one, self.two, self.rng
        points = self.points(int(rng.integers(1, 4)))
        if not len(points):
            return
        amounts = np.round(rng.normal(size=len(points)) * 5, 2)
        word = type(one).__name__
        if what == 0:
            cells = np.unique(rng.integers(len(self.grid), size=3))
            state = bool(rng.random() < 0.6)
            self.grid.set_walls(cells, state)
            self.world.set_walls(self.grid.position_of(cells), state)
        elif what == 7 and self.kind == "spread":
            parameters = {"decay": float(rng.random()), "half_life": 0.4}
            one.tune(**parameters)
            two.tune(**parameters)
        elif word in ("SpreadLayer", "RadialLayer"):
            if what == 1 and self.alive:
                a, b = self.alive.pop(int(rng.integers(len(self.alive))))
                one.sources.remove([a])
                two.remove([b])
            elif what == 2 and self.alive:
                a, b = self.alive[int(rng.integers(len(self.alive)))]
                one.sources.move([a], points[:1])
                two.move([b], points[:1])
            elif what == 3 and word == "SpreadLayer":
                one.deposit(points, amounts)
                two.deposit(points, amounts)
            elif what == 4 and self.alive:
                a, b = self.alive[int(rng.integers(len(self.alive)))]
                one.sources.set_strengths([a], amounts[0])
                two.set_strengths([b], amounts[0])
            elif what == 5:  # these end by themselves
                one.add_sources(points, amounts, lifetimes=0.5)
                two.add_sources(points, amounts, lifetimes=0.5)
            else:
                self.alive += zip(
                    one.add_sources(points, amounts), two.add_sources(points, amounts), strict=True
                )
        elif word == "MemoryLayer":
            metric = ("straight", "connected", "path", "sight")[what % 4]
            how = {"radius": 3.0, "falloff": "linear", "metric": metric} if what > 1 else {}
            one.mark(points, np.abs(amounts) * 10, **how)
            two.mark(points, np.abs(amounts) * 10, **how)
        else:
            amounts = rng.normal(size=(len(points), 2)) if "vectors" in self.kind else amounts
            verb = ("deposit", "stamp")[what % 2]
            first = (STAMP,) if verb == "stamp" else ()
            extra = {"rotations": 30.0, "scales": 1.3} if what == 3 else {}
            getattr(one, verb)(*first, points, amounts, **extra)
            getattr(two, verb)(*first, points, amounts, **extra)

    def again(self) -> None:
        """Close the world and open it from its last checkpoint."""
        self.world.checkpoint()
        self.world.close()
        self.world = self.make()
        self.two = self.world.layer("layer")

    def agree(self) -> None:
        height, width = self.grid.shape
        assert self.two.values_in(Box(0, height, 0, width)).tobytes() == self.one.values.tobytes()


@st.composite
def pairs(draw: st.DrawFn, kinds: tuple[str, ...]) -> tuple[Any, ...]:
    width, height = draw(st.integers(3, 30)), draw(st.integers(3, 30))
    return (
        draw(st.sampled_from(kinds)),
        width,
        height + (width == height),
        draw(st.integers(2, 31)),
        draw(st.sampled_from([1, 2, 3, 5, 8, 16, 32])),
        draw(st.sampled_from([False, "x", "y", True])),
        draw(st.sampled_from([4, 8, "knight"])),
        draw(st.booleans()),
        draw(st.sampled_from([0.0, 0.1, 0.35])),
        draw(st.integers(1, 3)),
        draw(st.sampled_from([2e9, 3e4])),
        draw(st.integers(0, 2**32)),
    )


def made(
    folder: Path,
    kind: str,
    width: int,
    height: int,
    block: int,
    k: int,
    wrap: Wrap,
    neighbors: Any,
    y_up: bool,
    walls: float,
    stores: int,
    memory: float,
    seed: int,
) -> Pair:
    rng = np.random.default_rng(seed)
    steps = KNIGHT if neighbors == "knight" else neighbors
    if kind.startswith(("fade", "radial")) and (min(width, height) <= 24 or neighbors == "knight"):
        wrap = False  # a radius would reach around the map
    if kind.startswith(("trail", "crowd")) and min(width, height) <= 12:
        wrap = False
    blocked = rng.random((height, width)) < walls
    grid = fc.Grid(
        width,
        height,
        walls=blocked,
        neighbors=steps,
        wrap=wrap,
        y_up=y_up,
        cell_size=1.5,
        origin=(-3.0, 2.0),
    )
    one = fc.InfluenceMap(grid).add_layer("layer", KINDS[kind], every=0.1)
    resistance = (
        rng.random((height, width)).astype(np.float32) * (rng.random((height, width)) < 0.1)
        if seed % 5 == 0
        else None
    )
    extra = {}
    if resistance is not None and kind.startswith("spread"):
        one.resistance = resistance
        extra["resistance"] = {"layer": resistance}

    def make() -> cluster.World:
        return cluster.World(
            folder,
            (width, height),
            block=block,
            walls=blocked,
            neighbors=steps,
            wrap=wrap,
            y_up=y_up,
            cell_size=1.5,
            origin=(-3.0, 2.0),
            memory=memory,
            halo_steps=k,
            **extra,
        )

    world = make()
    two = world.add_layer(
        "layer", KINDS[kind], every=0.1, reach=3.0 if kind.startswith("fade") else None
    )
    world.move_to(Stores(stores))
    return Pair(rng, kind, grid, one, world, two, make)


@pytest.mark.parametrize(
    "kinds",
    [
        ("spread", "spread at once", "spread root", "spread loose"),
        tuple(k for k in KINDS if not k.startswith("spread")),
    ],
)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_blocks_give_the_bits_of_one_array(kinds: tuple[str, ...], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pair = made(Path(folder), *data.draw(pairs(kinds)))
        for what, steps in data.draw(
            st.lists(
                st.tuples(st.integers(0, 7), st.sampled_from([0, 1, 2, 7, 20])),
                min_size=2,
                max_size=8,
            )
        ):
            pair.act(what)
            if steps == 7 and what in (2, 6):
                pair.again()
            if steps == 2 and what in (4, 5) and "spread" in pair.kind and "loose" not in pair.kind:
                pair.one.settle()
                pair.two.settle()
            pair.agree()
            pair.one.step(steps)
            pair.world.step(steps)
            pair.agree()


@pytest.mark.parametrize(("kind", "memory"), [("spread", 2e9), *((kind, 3e3) for kind in KINDS)])
def test_new_walls_read_0_at_once_in_memory_in_files_and_with_other_halos(
    tmp_path: Path, kind: str, memory: float
) -> None:
    pair = made(tmp_path, kind, 20, 14, 8, 2, False, 4, False, 0.0, 1, memory, 6)
    for _ in range(3):
        pair.act(6)
        pair.one.step()
        pair.world.step()
    before = np.count_nonzero(pair.one.values)
    cells = np.arange(0, 280, 3)
    pair.grid.set_walls(cells)
    pair.world.set_walls(pair.grid.position_of(cells))
    pair.agree()
    assert 0 < np.count_nonzero(pair.one.values) < before
    for stores, halo_steps in ((2, None), (1, 3)):  # by way of files
        pair.world.move_to(Stores(stores), halo_steps)
        pair.agree()
    pair.one.step(3)
    pair.world.step(3)
    pair.agree()


def test_a_world_opened_again_blurs_by_the_same_weights(tmp_path: Path) -> None:
    pair = made(tmp_path, "trail weighed", 25, 5, 16, 3, False, 4, False, 0.1, 1, 2e9, 125)
    for reopens in (False, True):
        pair.act(2)
        if reopens:
            pair.again()
        pair.one.step(7)
        pair.world.step(7)
        pair.agree()
    assert pair.two.propagation == pair.one.propagation
