"""Fast = reference, bit for bit, whatever the map, the parameters, the threads and the path through
the scheduler.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.propagation.spread import active_set
from fieldcraft.layers.propagation.spread import spread as spreads
from fieldcraft.layers.propagation.spread import spread_on_grid as scheduler
from fieldcraft.space.wrapping import Wrap
from oracles import spread as reference
from oracles.spread import settled
from support.examples import examples
from support.worlds import KNIGHT_AND_CORNER, WRAPS, GridWorld

pytestmark = pytest.mark.skipif(
    not kernels.compiled(),
    reason="the reference serves in this process, so there is nothing to compare",
)

EVERY = 0.1
NEIGHBORS = [
    4,
    8,
    KNIGHT_AND_CORNER,
    [(0, 1), (3, 0)],
    [(17, 0), (0, -20), (1, 1)],
    [(1, 0), (-1, 0), (0, 1), (0, -1)],
    [(x, 1) for x in range(-6, 6)],
]
FALLOFFS = list(spreads.FALLOFFS)


@dataclass(frozen=True)
class World(GridWorld):
    """One case: a map, parameters, what the cells hold at first, and the seed of all that
    happens.
    """

    cell_size: ClassVar[float] = 0.5

    spread: fc.Spread
    filled: float
    signed: bool
    seed: int


WORLDS = st.builds(
    World,
    width=st.integers(1, 90),
    height=st.integers(1, 100),
    neighbors=st.sampled_from(NEIGHBORS),
    wrap=st.sampled_from(WRAPS),
    walls=st.sampled_from([0.0, 0.1, 0.4]),
    has_terrain=st.booleans(),
    spread=st.builds(
        fc.Spread,
        decay=st.sampled_from([0.0, 0.1, 0.5, 2.0]),
        momentum=st.sampled_from([0.0, 0.3, 1.0]),
        falloff=st.sampled_from(FALLOFFS),
        half_life=st.sampled_from([None, None, 0.05, 0.7]),
        floor=st.sampled_from([0.0, 1e-3, 0.2]),
    ),
    filled=st.sampled_from([0.0, 0.02, 1.0]),
    signed=st.booleans(),
    seed=st.integers(0, 10**6),
)
# What the `near` kernels serve comes up too seldom among all of these.
NEAR_WORLDS = st.builds(
    World,
    width=st.integers(1, 140),
    height=st.integers(1, 140),
    neighbors=st.sampled_from([4, 8]),
    wrap=st.sampled_from(WRAPS),
    walls=st.sampled_from([0.0, 0.2]),
    has_terrain=st.just(False),
    spread=st.builds(
        fc.Spread,
        decay=st.sampled_from([0.0, 0.2, 3.0]),
        momentum=st.sampled_from([0.0, 0.3, 1.0]),
        falloff=st.sampled_from(FALLOFFS[:3]),
        floor=st.sampled_from([0.0, 1e-3, 0.2]),
    ),
    filled=st.sampled_from([0.0, 0.02, 1.0]),
    signed=st.just(False),
    seed=st.integers(0, 10**6),
)


class Twin:
    """A field with the fast kernels, and the same by the reference alone; every call goes to
    both.
    """

    def __init__(self, world: World) -> None:
        self.rng = np.random.default_rng(world.seed + 1)
        self.world = world
        self.grid = world.grid()
        self.fast = world.spread.field(self.grid, EVERY)
        self.values = np.zeros(self.grid.shape, np.float32)
        self.held = np.zeros(len(self.grid), bool)
        self.tune(world.spread)

    def tune(self, spread: fc.Spread) -> None:
        lengths = self.grid.neighborhood.lengths(self.grid.cell_size)
        self.exponent = FALLOFFS.index(spread.falloff)
        self.losses = (
            np.exp(-spread.decay * lengths) if self.exponent == 0 else spread.decay * lengths
        ).astype(np.float32)
        self.momentum = np.float32(spread.momentum)
        self.keep = np.float32(
            -1 if spread.half_life is None else 0.5 ** (EVERY / spread.half_life)
        )
        self.floor = np.float32(spread.floor)
        self.fast.tune(spread, EVERY)

    @property
    def frozen(self) -> NDArray[np.uint8]:
        return (self.grid.walls | self.held.reshape(self.grid.shape)).astype(np.uint8)

    def fill(self) -> None:
        shape = self.grid.shape
        values = (self.rng.random(shape) * 5).astype(np.float32) * (
            self.rng.random(shape) < self.world.filled
        )
        if self.world.signed:
            values *= self.rng.choice([-1, 1], shape).astype(np.float32)
        values = np.where(self.frozen != 0, self.values, values + np.float32(0))
        self.values = values.copy()
        self.fast.values[:] = values
        self.fast.touched(None)

    def pin(self) -> None:
        count = int(self.rng.integers(0, 5))
        cells = np.sort(self.rng.choice(len(self.grid), min(count, len(self.grid)), replace=False))
        turns = (
            self.world.signed or self.rng.random() < 0.1
        )  # the first negative value changes which kernel serves
        strengths = (self.rng.random(len(cells)) * 8 - (4 if turns else 0)).astype(np.float32)
        self.fast.pin(cells, strengths)
        flat = self.values.reshape(-1)
        flat[self.held & self.grid.walls.reshape(-1)] = 0
        self.held[:] = False
        self.held[cells] = True
        flat[cells] = strengths

    def poke(self) -> None:
        cell = int(self.rng.integers(len(self.grid)))
        if not self.grid.walls.reshape(-1)[cell]:
            change = np.float32(self.rng.choice([1.0, -0.5, -9.0]))
            self.values.reshape(-1)[cell] += change
            self.fast.values.reshape(-1)[cell] += change
            self.fast.touched(np.array([cell]))

    def dig(self) -> None:
        """Walls come and go."""
        passable = (
            np.ones(len(self.grid), bool)
            if self.grid.terrain is None
            else ~self.grid.terrain.walls.reshape(-1)
        )
        cells = self.rng.choice(len(self.grid), min(4, len(self.grid)), replace=False)
        self.grid.set_walls(cells[passable[cells]], bool(self.rng.integers(2)))
        self.fast._follow_walls()
        self.values[self.grid.walls & ~self.held.reshape(self.grid.shape)] = 0

    def run(self, count: int) -> None:
        self.fast.run(count)
        for _ in range(count):
            self.values = reference.spread(
                self.values,
                self.frozen,
                self.grid.links(),
                self.steps,
                self.losses,
                self.exponent,
                self.momentum,
                self.keep,
                self.floor,
                self.grid.wrap_flags,
            )

    def settle(self) -> None:
        self.fast.settle()
        way = (self.grid.links(), self.steps, self.losses, self.exponent, self.grid.wrap_flags)
        self.values = settled(
            self.values, self.frozen, lambda values: reference.targets(values, *way), self.floor
        )

    @property
    def steps(self) -> NDArray[np.int64]:
        return np.array(self.grid.neighborhood.steps)

    def check(self, what: str) -> None:
        same_bits(self.fast.values, self.values, f"{what} in {self.world}")


def same_bits(fast: NDArray[np.float32], slow: NDArray[np.float32], what: str) -> None:
    """Fails unless the two hold the same bits."""
    differs = np.argwhere(fast.view(np.int32) != slow.view(np.int32))
    assert not len(differs), (
        f"{what}: {len(differs)} cells differ, first at {differs[0]}: {fast[*differs[0]]!r},"
        f" reference {slow[*differs[0]]!r}"
    )


def live(world: World, segments: int = 4, longest: int = 24) -> Twin:
    """A short life of a world: sources come, change and go, cells are poked, steps are taken in
    batches of any size.
    """
    twin = Twin(world)
    twin.fill()
    for segment in range(segments):
        twin.pin()
        for count in twin.rng.integers(1, longest, 2).tolist():
            twin.run(count)
            twin.check(f"{count} steps, segment {segment}")
            if twin.rng.random() < 0.3:
                twin.poke()
            if twin.rng.random() < 0.2:
                twin.dig()
    return twin


@contextmanager
def path(**constants: object) -> Iterator[None]:
    """The scheduler with other constants: none of them may change a value."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in constants.items():
            if name == "threads":
                patch.setattr(pool, "_count", value)
            else:
                module = scheduler if hasattr(scheduler, f"_{name.upper()}") else active_set
                patch.setattr(module, f"_{name.upper()}", value)
        yield


PATHS = {
    "as it comes": {},
    "only waves": {"few_tiles": -1.0, "first_test": 10**6, "last_test": 10**6, "threads": 1},
    "only tiles": {"few_tiles": 1.0},
    "from one to the other": {"first_test": 1, "last_test": 2},
    "one step a wave": {"few_tiles": -1.0, "most_levels": 1},
    "three steps a wave": {"few_tiles": -1.0, "most_levels": 3, "threads": 1},
    "a cache for few rows": {"few_tiles": -1.0, "ring_bytes": 20_000},
    "two threads": {"few_tiles": -1.0, "threads": 2, "cells_per_thread": 1, "most_levels": 4},
    "three threads": {"few_tiles": -1.0, "threads": 3, "cells_per_thread": 1, "most_levels": 2},
    "many bands": {"few_tiles": -1.0, "threads": 5, "cells_per_thread": 1, "most_levels": 1},
}


@pytest.mark.parametrize("name", PATHS)
class TestSteps:
    @examples(4)
    @given(world=WORLDS)
    def test_any_world(self, name: str, world: World) -> None:
        with path(**PATHS[name]):
            live(world)

    @examples(4)
    @given(world=NEAR_WORLDS)
    def test_near_world(self, name: str, world: World) -> None:
        with path(**PATHS[name]):
            live(world, longest=40)


@examples(20)
@given(world=WORLDS)
@example(World(8, 3, 4, True, 0.0, False, fc.Spread(0.0, 1.0, falloff="linear"), 0.0, True, 5))
def test_settle(world: World) -> None:
    twin = live(world, segments=2, longest=6)
    twin.settle()
    twin.check("settled")
    twin.run(3)
    twin.check("steps after settling")


@pytest.mark.parametrize("falloff", FALLOFFS)
@pytest.mark.parametrize("decay", [0.0, 1e-9, 1e-4])
def test_settle_where_almost_nothing_weakens(falloff: str, decay: float) -> None:
    """Sources of nearly the same size and both signs: every tie must go to the positive one, and
    the search must end.
    """
    rng = np.random.default_rng(7)
    for seed in range(10):
        world = World(
            9,
            6,
            [4, 8, KNIGHT_AND_CORNER][seed % 3],
            seed % 2 == 0,
            0.2,
            False,
            fc.Spread(decay, 1.0, falloff=falloff),
            0.0,
            True,
            seed,
        )
        twin = Twin(world)
        cells = np.sort(rng.choice(len(twin.grid), 4, replace=False))
        strengths = np.full(4, rng.random() + 1, np.float32)
        for i in range(4):
            for _ in range(rng.integers(0, 4)):
                strengths[i] = np.nextafter(strengths[i], np.float32(9))
        strengths *= rng.choice([-1, 1], 4).astype(np.float32)
        twin.fast.pin(cells, strengths)
        twin.held[cells] = True
        twin.values.reshape(-1)[cells] = strengths
        twin.settle()
        twin.check(f"settled, seed {seed}")


@pytest.mark.parametrize("size", [1e-44, 1e-38, 1e-20, 1e20, 1e30])
@pytest.mark.parametrize("falloff", FALLOFFS)
def test_very_small_and_very_large_values(falloff: str, size: float) -> None:
    for seed in range(2):
        world = World(
            23,
            17,
            [4, 8][seed % 2],
            False,
            0.1,
            False,
            fc.Spread(0.01, 0.6, falloff=falloff, floor=0.0, half_life=0.3),
            0.0,
            True,
            seed,
        )
        twin = Twin(world)
        cells = np.array([5, 100, 101, 250])
        strengths = (np.array([1, -0.7, 0.3, -1]) * size).astype(np.float32)
        twin.fast.pin(cells, strengths)
        twin.held[cells] = True
        twin.values.reshape(-1)[cells] = strengths
        for count in (1, 7, 30):
            twin.run(count)
            twin.check(f"{count} steps")
        twin.fast.pin(cells[:0], strengths[:0])
        twin.held[:] = False
        twin.values[twin.grid.walls] = 0
        twin.run(40)
        twin.check("fading")
        assert np.isfinite(twin.values).all()


@settings(max_examples=10)
@given(
    world=WORLDS, spreads=st.lists(WORLDS.map(lambda world: world.spread), min_size=3, max_size=3)
)
def test_parameters_may_change_between_steps(world: World, spreads: list[fc.Spread]) -> None:
    twin = Twin(world)
    twin.fill()
    for spread in spreads:
        twin.pin()
        twin.run(5)
        twin.tune(spread)
        twin.run(4)
        twin.check(f"after {spread}")


@pytest.mark.parametrize("neighbors", [4, 8])
@pytest.mark.parametrize("wrap", WRAPS)
def test_a_large_quiet_map_with_a_local_source(neighbors: int, wrap: Wrap) -> None:
    """Tiles fall asleep and wake again: across their edges, across the rim of a torus, when a
    source moves far.
    """
    world = World(
        150, 90, neighbors, wrap, 0.05, False, fc.Spread(1.0, 0.6, half_life=0.2), 0.0, False, 3
    )
    twin = Twin(world)
    for cell in (149, 90 * 149, 44 * 150 + 75, 0):
        twin.fast.pin(np.array([cell]), np.array([4], np.float32))
        flat = twin.values.reshape(-1)
        flat[twin.held & twin.grid.walls.reshape(-1)] = 0
        twin.held[:] = False
        twin.held[cell] = True
        flat[cell] = 4
        twin.run(60)
        twin.check(f"source in cell {cell}")


# A comparison that cannot fail proves nothing: here are wrong kernels
# -----------------------------------------------


def _one_ulp(values: NDArray[np.float32]) -> None:
    row, column = np.unravel_index(np.argmax(values), values.shape)
    values[row, column] = np.nextafter(values[row, column], np.float32(np.inf))


def _a_column_late(values: NDArray[np.float32]) -> None:
    values[:, -1] *= np.float32(0.5)


STEPPING = {
    "wave_near": (8, 3, {"few_tiles": -1.0}, 5),
    "wave_near by bands": (8, 3, {"few_tiles": -1.0, "threads": 2, "cells_per_thread": 1}, 5),
    "wave_any": (KNIGHT_AND_CORNER, 3, {"few_tiles": -1.0}, 7),
    "tiles_near": (8, 3, {"few_tiles": 1.0}, 4),
    "tiles_any": (KNIGHT_AND_CORNER, 3, {"few_tiles": 1.0}, 5),
}  # ..., and the place of the values among the arguments


def test_every_kernel_is_broken_once() -> None:
    from fieldcraft.kernels.spread import spread_steps, spread_tiles

    assert {
        name
        for name in (*spread_steps.__all__, *spread_tiles.__all__)
        if name.startswith(("wave", "tiles"))
    } == {kernel.split()[0] for kernel in STEPPING}


@pytest.mark.parametrize("damage", [_one_ulp, _a_column_late])
@pytest.mark.parametrize("kernel", STEPPING)
def test_a_wrong_kernel_is_found(
    monkeypatch: pytest.MonkeyPatch, kernel: str, damage: Callable[[NDArray[np.float32]], None]
) -> None:
    neighbors, count, constants, place = STEPPING[kernel]
    kernel = kernel.split()[0]
    from fieldcraft.kernels.spread import spread_steps, spread_tiles

    fast = spread_tiles if kernel.startswith("tiles") else spread_steps

    right = getattr(fast, kernel)
    calls = 0

    def wrong(*arguments: Any) -> object:
        nonlocal calls
        calls += 1
        result = right(*arguments)
        damage(arguments[place])
        return result

    world = World(40, 35, neighbors, False, 0.1, False, fc.Spread(0.2, 0.5), 1.0, False, 1)
    with path(**{"threads": 1, **constants}):
        for broken in (False, True):
            if broken:
                monkeypatch.setattr(fast, kernel, wrong)
            twin = Twin(world)
            twin.fill()
            twin.pin()
            # The first step looks how many tiles are awake; the kernel in question follows it.
            twin.run(1)
            twin.run(count)
            if broken:
                assert calls > 0
                with pytest.raises(AssertionError, match="cells differ"):
                    twin.check("broken")
            else:
                twin.check("whole")


def test_a_wave_allocates_nothing() -> None:
    """Where Numba compiles it, a row that is allocated takes as long as four that are stepped."""
    source = Path(kernels.spread.vectors.__file__).read_text()
    called = {
        node.func.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert not called & {"zeros", "empty", "full", "concatenate", "copy"}
