"""Radial kernels: fast = reference, bit for bit, and the reference = what is said in words."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft import kernels
from oracles import radial as reference
from support.worlds import KNIGHT_AND_CORNER, GridWorld

if kernels.compiled():
    from fieldcraft.kernels import radial as fast

compiled_only = pytest.mark.skipif(
    not kernels.compiled(),
    reason="the reference serves in this process, so there is nothing to compare",
)

NEIGHBORS = [
    4,
    8,
    KNIGHT_AND_CORNER,
    [(0, 1), (3, 0), (-1, 0)],
    [(1, 0), (-1, 0), (0, 1), (0, -1), (2, 2), (-2, -2)],
]
MOST = 2.0**20 * reference.SCALE


@dataclass(frozen=True)
class World(GridWorld):
    """A map and the seed of all that happens on it."""

    shares: ClassVar[tuple[float, float, float]] = (0.5, 0.45, 0.05)

    seed: int


def worlds(most: int = 70) -> st.SearchStrategy[World]:
    return st.builds(
        World,
        width=st.integers(1, most),
        height=st.integers(1, most),
        neighbors=st.sampled_from(NEIGHBORS),
        wrap=st.booleans(),
        walls=st.sampled_from([0.0, 0.1, 0.35]),
        has_terrain=st.booleans(),
        seed=st.integers(0, 2**16),
    )


def tiles(shape: tuple[int, int]) -> tuple[int, int]:
    return (-(-shape[0] // reference.TILE_ROWS), -(-shape[1] // reference.TILE_COLUMNS))


def sums_and_tiles(
    world: World, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    sums = rng.integers(-(2**46), 2**46, world.shape) * (rng.random(world.shape) < 0.5)
    return sums, (rng.random(tiles(world.shape)) < 0.5).astype(np.uint8)


def strength(rng: np.random.Generator) -> float:
    return float(
        rng.choice(
            [
                rng.uniform(-1, 1) * reference.SCALE * 10,
                rng.uniform(-1, 1) * MOST,
                MOST,
                -MOST,
                0.0,
                reference.SCALE,
            ]
        )
    )


def weights_of(rng: np.random.Generator, shape: Any) -> NDArray[np.float64]:
    """Weights in [-1, 1], some of them at ties of the rounding."""
    found = rng.uniform(-1, 1, shape)
    ties = rng.random(shape) < 0.2
    found[ties] = (rng.integers(-8, 8, shape)[ties] + 0.5) / reference.SCALE
    return found


def both(name: str, arrays: tuple[NDArray[Any], ...], *arguments: Any) -> tuple[NDArray[Any], ...]:
    """Run a kernel on copies of the arrays that it writes, by both tiers, and compare bits."""
    slow, quick = [a.copy() for a in arrays], [a.copy() for a in arrays]
    expected = getattr(reference, name)(*arguments, *slow)
    found = getattr(fast, name)(*arguments, *quick)
    assert found == expected
    for one, other in zip(slow, quick, strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
    return tuple(quick)


@compiled_only
class TestFastIsReference:
    @settings(max_examples=25)
    @given(worlds(), st.integers(0, 40))
    def test_stamps(self, world: World, reach: int) -> None:
        rng = np.random.default_rng(world.seed)
        sums, dirty = sums_and_tiles(world, rng)
        weights = weights_of(rng, (2 * reach + 1, 2 * reach + 1))
        cell = int(rng.integers(sums.size))
        first, last = sorted(rng.integers(0, 2 * reach + 2, 2).tolist())
        for rows in ((0, 2 * reach + 1), (first, last)):
            for name in ("stamp", "stamp_strongest"):
                both(name, (sums, dirty), weights, cell, strength(rng), *rows, world.wrap)

    @settings(max_examples=16)
    @given(worlds(), st.integers(0, 12), st.integers(1, 3), st.booleans())
    def test_many_stamps_in_bands(self, world: World, count: int, bands: int, anew: bool) -> None:
        rng = np.random.default_rng(world.seed)
        sums, dirty = sums_and_tiles(world, rng)
        reaches = rng.integers(0, 12, 3)
        sizes = (2 * reaches + 1) ** 2
        tables = weights_of(rng, int(sizes.sum()))
        cells, which = rng.integers(0, sums.size, count), rng.integers(0, 3, count)
        strengths = np.array([strength(rng) for _ in range(count)])
        prints = (tables, np.cumsum(sizes) - sizes, reaches)
        jobs = ((cells, strengths, which), prints, world.wrap)
        bands = 1 if world.wrap else bands
        edges = [len(dirty) * band // bands * reference.TILE_ROWS for band in range(bands)] + [
            world.height
        ]
        whole = both("stamp_many", (sums, dirty), *jobs, 0, world.height, anew)
        for top, bottom in itertools.pairwise(edges):
            sums, dirty = both("stamp_many", (sums, dirty), *jobs, top, bottom, anew)
        np.testing.assert_array_equal(sums, whole[0])
        np.testing.assert_array_equal(dirty, whole[1])

    @settings(max_examples=16)
    @given(worlds())
    def test_listed_cells(self, world: World) -> None:
        rng = np.random.default_rng(world.seed)
        sums, dirty = sums_and_tiles(world, rng)
        cells = rng.permutation(sums.size)[: int(rng.integers(sums.size + 1))]
        first, last = sorted(rng.integers(0, len(cells) + 1, 2).tolist())
        for name in ("scatter", "scatter_strongest"):
            both(
                name, (sums, dirty), cells, weights_of(rng, len(cells)), strength(rng), first, last
            )

    @settings(max_examples=16)
    @given(worlds())
    def test_clear_and_publish(self, world: World) -> None:
        rng = np.random.default_rng(world.seed)
        sums, dirty = sums_and_tiles(world, rng)
        sums[rng.random(world.shape) < 0.1] = rng.choice([2**62, -(2**62), 2**53 + 1, 1, -1])
        values = rng.random(world.shape).astype(np.float32)
        first, last = sorted(rng.integers(0, len(dirty) + 1, 2).tolist())
        walls = world.grid().walls
        slow, quick = values.copy(), values.copy()
        count = reference.publish(sums, walls, dirty, first, last, slow)
        assert (
            fast.publish(sums, walls, dirty, first, last, quick)
            == count
            == np.count_nonzero(dirty[first:last])
        )
        assert slow.tobytes() == quick.tobytes()
        both("clear", (sums,), dirty, first, last)

    @settings(max_examples=25)
    @given(worlds(), st.integers(0, 12))
    def test_boxes(self, world: World, count: int) -> None:
        rng = np.random.default_rng(world.seed)
        _, dirty = sums_and_tiles(world, rng)
        cells, which, reaches = (
            rng.integers(0, world.width * world.height, count),
            rng.integers(0, 4, count),
            np.array([0, 1, 9, 33]),
        )
        (marked,) = both(
            "mark_boxes", (dirty * 0,), cells, which, reaches, *world.shape, world.wrap
        )
        assert marked.any() == (count > 0)
        few = (rng.random(dirty.shape) < 0.05).astype(np.uint8)
        slow, quick = np.zeros(count, np.bool_), np.ones(count, np.bool_)
        reference.reaching(few, cells, which, reaches, *world.shape, world.wrap, slow)
        fast.reaching(few, cells, which, reaches, *world.shape, world.wrap, quick)
        assert slow.tolist() == quick.tolist()

    @settings(max_examples=25)
    @given(
        worlds(), st.sampled_from([0.4, 1.0, 2.5, 7.0, 11.3, 60.0]), st.sampled_from([1, 7, 10**6])
    )
    def test_connected(self, world: World, radius: float, most: int) -> None:
        grid, cell = (
            world.grid(),
            int(np.random.default_rng(world.seed).integers(world.width * world.height)),
        )
        links, _masks, steps, _ = ground(grid)
        expected = reference.connected(links, steps, cell, radius, world.wrap)
        found, calls = connected(grid, cell, radius, most)
        assert found == expected
        assert calls == max(1, -(-len(expected) // most))

    @settings(max_examples=25)
    @given(
        worlds(), st.sampled_from([0.4, 1.0, 2.5, 7.0, 11.3, 60.0]), st.sampled_from([1, 7, 10**6])
    )
    def test_path(self, world: World, radius: float, most: int) -> None:
        grid, cell = (
            world.grid(),
            int(np.random.default_rng(world.seed).integers(world.width * world.height)),
        )
        links, _masks, steps, lengths = ground(grid)
        limit = int(radius * reference.LENGTH_SCALE)
        assert path(grid, cell, limit, most) == reference.path(
            links, steps, lengths, cell, limit, world.wrap
        )

    @settings(max_examples=16)
    @given(worlds(40), st.sampled_from([1.0, 7.0, 40.0]), st.sampled_from([7, 10**6]))
    def test_path_over_cells_that_resist(self, world: World, radius: float, most: int) -> None:
        rng = np.random.default_rng(world.seed)
        grid, cell = world.grid(), int(rng.integers(world.width * world.height))
        links, _masks, steps, lengths = ground(grid)
        limit = int(radius * reference.LENGTH_SCALE)
        extra = rng.integers(0, 1 << 28, world.shape) * rng.integers(0, 2, world.shape)
        extra[rng.random(world.shape) < 0.1] = 1 << 55
        found = path(grid, cell, limit, most, extra=extra)
        assert found == reference.path(links, steps, lengths, cell, limit, world.wrap, extra)

    def test_scratch_serves_many_searches(self) -> None:
        grid = World(30, 20, 8, True, 0.3, False, 5).grid()
        links, _masks, steps, lengths = ground(grid)
        room = Room(9, grid)
        for cell in range(0, 600, 37):
            assert path(grid, cell, 9 << 24, 50, room) == reference.path(
                links, steps, lengths, cell, 9 << 24, True
            )
            assert connected(grid, cell, 9.0, 50, room)[0] == reference.connected(
                links, steps, cell, 9.0, True
            )


class Room:
    """Scratch of the searches."""

    def __init__(self, reach: int, grid: fc.Grid) -> None:
        side = 2 * reach + 1
        lengths = ground(grid)[3]
        nodes = side * side * len(lengths) + 1
        self.seen = np.zeros((side, side), np.int64)
        self.cells, self.distances = np.full(side * side, -1), np.full(side * side, -1)
        heads = np.full(int(lengths.max() // lengths.min()) + 2, 7)
        queue = np.full(nodes, -1), np.full(nodes, -1)
        self.of_paths = (np.full((side, side), -99), self.seen, heads, *queue)
        self.mark = 0


def ground(
    grid: fc.Grid,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    links = grid.links()
    steps = np.array(grid.neighborhood.steps)
    lengths = np.rint(grid.neighborhood.lengths(1.0) * reference.LENGTH_SCALE).astype(np.int64)
    return links, np.array([1 << k for k in range(len(steps))], dtype=links.dtype), steps, lengths


def connected(
    grid: fc.Grid, cell: int, radius: float, most: int, room: Room | None = None
) -> tuple[dict[int, int], int]:
    room = room or Room(int(radius), grid)
    room.mark += 2
    links, masks, steps, _ = ground(grid)
    head = tail = calls = 0
    while tail == 0 or head < tail:
        before = head
        head, tail = fast.connected(
            (links, masks, steps, grid.wrap),
            cell,
            radius,
            room.mark,
            head,
            tail,
            most,
            room.cells,
            room.distances,
            room.seen,
        )
        calls += 1
        assert head - before <= most
    cells = room.cells[:tail].tolist()
    assert len(set(cells)) == tail
    return dict(zip(cells, room.distances[:tail].tolist(), strict=True)), calls


def path(
    grid: fc.Grid,
    cell: int,
    limit: int,
    most: int,
    room: Room | None = None,
    extra: NDArray[np.int64] | None = None,
) -> dict[int, int]:
    room = room or Room(limit >> 24, grid)
    room.mark += 2
    links, masks, steps, lengths = ground(grid)
    state = np.zeros(4, np.int64)
    while state[3] == 0 or state[2] > 0:
        before = state[1]
        fast.path(
            (links, masks, steps, grid.wrap),
            lengths,
            extra,
            cell,
            limit,
            room.mark,
            most,
            room.cells,
            room.distances,
            state,
            room.of_paths,
        )
        assert state[1] - before <= most
    count = int(state[1])
    cells, gone = room.cells[:count].tolist(), room.distances[:count].tolist()
    assert len(set(cells)) == count
    return dict(zip(cells, gone, strict=True))


class TestReference:
    """The specification against the words of its docstrings, on maps small enough to see."""

    def test_amounts_round_half_to_even(self) -> None:
        found = reference.amount(1.0, np.array([0.5, 1.5, -0.5, -1.5, 2.4, -2.6, 0.0]))
        np.testing.assert_array_equal(found, [0, 2, 0, -2, 2, -3, 0])

    @pytest.mark.parametrize("size", [1, 2, 5, 6])
    def test_offsets_go_the_short_way_round(self, size: int) -> None:
        for here in range(size):
            for there in range(size):
                away = reference.offset(here, there, size, True)
                assert (here + away) % size == there
                assert abs(away) == min((there - here) % size, (here - there) % size)
        assert reference.offset(0, size // 2, size, True) == size // 2  # forwards on a tie

    def test_taking_off_restores_exactly(self) -> None:
        rng = np.random.default_rng(2)
        sums = rng.integers(-(2**60), 2**60, (17, 23))
        before, dirty = sums.copy(), np.zeros(tiles((17, 23)), np.uint8)
        weights = rng.random((9, 9))
        kernel = fast if kernels.compiled() else reference
        jobs = [(int(rng.integers(17 * 23)), float(rng.uniform(-MOST, MOST))) for _ in range(50)]
        for cell, amount in jobs:
            kernel.stamp(weights, cell, amount, 0, 9, False, sums, dirty)
        assert not np.array_equal(sums, before)
        for cell, amount in reversed(jobs):
            kernel.stamp(weights, cell, -amount, 0, 9, False, sums, dirty)
        np.testing.assert_array_equal(sums, before)

    @pytest.mark.parametrize(
        ("old", "new", "stays"),
        [(5, -5, 5), (-5, 5, 5), (3, -4, -4), (-4, 3, -4), (0, -1, -1), (0, 0, 0)],
    )
    def test_the_strongest_magnitude_stays_and_of_equals_the_positive(
        self, old: int, new: int, stays: int
    ) -> None:
        for kernel in {reference, fast if kernels.compiled() else reference}:
            sums, dirty = np.full((1, 1), old), np.ones((1, 1), np.uint8)
            kernel.stamp_strongest(np.ones((1, 1)), 0, float(new), 0, 1, False, sums, dirty)
            assert sums[0, 0] == stays
            sums[0, 0] = old
            kernel.scatter_strongest(np.array([0]), np.ones(1), float(new), 0, 1, sums, dirty)
            assert sums[0, 0] == stays

    def test_straight_crosses_walls_and_connected_does_not(self) -> None:
        walls = np.zeros((5, 7), bool)
        walls[:, 3] = True
        grid = fc.Grid(7, 5, walls=walls)
        links, _, steps, _ = ground(grid)
        cell = 2 * 7 + 1
        straight = reference.straight((5, 7), cell, 3.0, False)
        assert straight == {
            y * 7 + x: (x - 1) ** 2 + (y - 2) ** 2
            for y in range(5)
            for x in range(7)
            if (x - 1) ** 2 + (y - 2) ** 2 <= 9
        }
        joined = reference.connected(links, steps, cell, 3.0, False)
        assert joined == {there: away for there, away in straight.items() if there % 7 < 3}

    def test_connected_does_not_leave_the_radius(self) -> None:
        walls = np.zeros((3, 9), bool)
        walls[0, 2] = walls[1, 2] = True  # the way round leads over row 2
        grid = fc.Grid(9, 3, walls=walls)
        links, _, steps, _ = ground(grid)
        near = reference.connected(links, steps, 1, 2.0, False)
        assert 3 not in near
        assert 3 in reference.straight((3, 9), 1, 2.0, False)
        assert 3 in reference.connected(links, steps, 1, 3.0, False)

    def test_path_counts_steps(self) -> None:
        walls = np.zeros((3, 4), bool)
        walls[0, 1] = walls[1, 1] = True
        grid = fc.Grid(4, 3, walls=walls)
        links, _, steps, lengths = ground(grid)
        found = reference.path(links, steps, lengths, 0, 6 << 24, False)
        assert {cell: gone >> 24 for cell, gone in found.items()} == {
            0: 0,
            4: 1,
            8: 2,
            9: 3,
            10: 4,
            11: 5,
            6: 5,
            7: 6,
            2: 6,
        }
