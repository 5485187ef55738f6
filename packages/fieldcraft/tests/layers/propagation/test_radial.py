"""Radial fields: exact under change, equal to oracles, whole under a budget, whatever the tier and
the threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.layers.propagation.radial import updates as radial_updates
from fieldcraft.layers.propagation.radial.field import RadialField
from fieldcraft.layers.propagation.radial.footprints import Shape
from fieldcraft.layers.propagation.radial.radial import METRICS, Radial
from fieldcraft.layers.propagation.radial.updates import Emitters, GridRadialUpdates, RadialUpdates
from fieldcraft.layers.sources.falloff import Falloff, Ring
from support.examples import examples
from support.worlds import KNIGHT_AND_CORNER, GridWorld

FALLOFFS = [
    Falloff.of(f)
    for f in (
        "constant",
        "linear",
        "parabolic",
        "cubic",
        "exponential",
        "gaussian",
        "smoothstep",
        Ring(0.2, 0.9),
        [1, 0.5, -0.7, 0],
    )
]
RADII = [0.5, 1.0, 2.5, 7.0, 12.0]


@dataclass(frozen=True)
class World(GridWorld):
    """A map, a propagation, and the seed of all that happens."""

    metric: str
    blend: str
    thickness: float
    seed: int

    def field(self, space: fc.Grid) -> RadialUpdates:
        """A field that knows all shapes: number `i * len(RADII) + j` is falloff `i` with radius
        `j`.
        """
        field = GridRadialUpdates(
            Radial(3, metric=self.metric, blend=self.blend, thickness=self.thickness), space
        )
        for falloff in FALLOFFS:
            for radius in RADII:
                field.footprints.number(Shape(falloff, radius), field.walks)
        return field


WORLDS = st.builds(
    World,
    width=st.integers(1, 60),
    height=st.integers(1, 50),
    neighbors=st.sampled_from([4, 8, KNIGHT_AND_CORNER]),
    wrap=st.booleans(),
    walls=st.sampled_from([0.0, 0.03, 0.3]),
    has_terrain=st.sampled_from([False, False, True]),
    metric=st.sampled_from(METRICS),
    blend=st.sampled_from(["sum", "max"]),
    thickness=st.sampled_from([0.0, 0.0, 1.0, 2.5]),
    seed=st.integers(0, 2**16),
)


def emission(rng: np.random.Generator, count: int, cells: int) -> Emitters:
    """Random sources, a third of them gone."""
    strengths = rng.choice([rng.uniform(-5, 10), 1.0, -1.0, 2.0**20, 1e-7], count) * (
        rng.random(count) < 0.7
    )
    return Emitters(
        rng.integers(0, cells, count),
        strengths.astype(np.float32).astype(float),
        rng.integers(0, len(FALLOFFS) * len(RADII), count),
    )


def follow(field: RadialUpdates, slots: NDArray[np.int64], new: Emitters) -> None:
    """Begin to replace what a field holds of the sources in these rows."""
    rows = max(len(field.applied), int(slots.max(initial=-1)) + 1)
    alive, changed = np.ones(rows, bool), np.zeros(rows, bool)
    cells, strengths, numbers = np.zeros(rows, int), np.zeros(rows, np.float32), np.zeros(rows, int)
    changed[slots] = True
    cells[slots], strengths[slots], numbers[slots] = new.columns
    field.follow(numbers, alive, cells, strengths, changed)


def filled(field: RadialUpdates, sources: Emitters) -> RadialUpdates:
    follow(field, np.arange(len(sources)), sources)
    field.catch_up()
    return field


def same(one: RadialUpdates, other: RadialUpdates) -> None:
    np.testing.assert_array_equal(one.sums.sums, other.sums.sums)
    assert one.values.tobytes() == other.values.tobytes()


def changes(
    world: World, turns: int = 4, count: int = 10
) -> Iterator[tuple[NDArray[np.int64], Emitters, Emitters]]:
    """Rows that change, what stands in them then, and what stands in all: again and again."""
    rng = np.random.default_rng(world.seed)
    now = emission(rng, count, world.width * world.height)
    yield np.arange(count), now, now
    for _ in range(turns):
        rows = np.sort(rng.choice(count, int(rng.integers(1, count + 1)), replace=False))
        new = emission(rng, len(rows), world.width * world.height)
        stays = rng.random(len(rows)) < 0.2
        new.cells[stays] = now.cells[rows][stays]
        now = Emitters(now.cells.copy(), now.strengths.copy(), now.numbers.copy())
        now.cells[rows], now.strengths[rows], now.numbers[rows] = (
            new.cells,
            new.strengths,
            new.numbers,
        )
        yield rows, new, now


class TestExactUnderChange:
    @examples(16)
    @given(WORLDS)
    def test_incremental_is_a_fresh_rebuild_bit_for_bit(self, world: World) -> None:
        grid = world.grid()
        field = world.field(grid)
        for rows, new, now in changes(world):
            follow(field, rows, new)
            field.catch_up()
            same(field, filled(world.field(grid), now))
        follow(field, np.arange(len(now)), Emitters(now.cells, now.strengths * 0, now.numbers))
        field.catch_up()
        assert not field.sums.sums.any()
        assert field.values.tobytes() == bytes(field.values.nbytes)

    @examples(16)
    @given(WORLDS)
    def test_few_changes_in_one_call_are_those_in_several(self, world: World) -> None:
        grid = world.grid()
        field, other = world.field(grid), world.field(grid)
        for rows, new, _ in changes(world):
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(radial_updates, "_AT_ONCE_CELLS", 10**9)
                follow(field, rows, new)
            field.catch_up()
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(radial_updates, "_AT_ONCE_CELLS", -1)
                follow(other, rows, new)
            other.catch_up()
            same(field, other)

    @settings(max_examples=16)
    @given(WORLDS, st.sampled_from([1, 2, 5]))
    def test_budgeted_shows_whole_states_only_and_ends_equal(
        self, world: World, units: int
    ) -> None:
        grid = world.grid()
        field, whole = world.field(grid), world.field(grid)
        before = field.values.copy()
        for turn, (rows, new, _) in enumerate(changes(world)):
            follow(whole, rows, new)
            whole.catch_up()
            follow(field, rows, new)
            if turn == 2:
                field.catch_up()  # budgets come and go
            while not field.is_current:
                assert field.values.tobytes() == before.tobytes()
                assert field.catch_up(units) <= units
            same(field, whole)
            before = field.values.copy()

    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize("radius", [60.0, 110.0])
    def test_asking_who_contributes_leaves_work_under_way_alone(
        self, metric: str, radius: float
    ) -> None:
        rng = np.random.default_rng(0)
        grid = fc.Grid(120, 130, walls=rng.random((130, 120)) < 0.1)
        open_cells = np.flatnonzero(~grid.walls.reshape(-1))
        sources = Emitters(
            open_cells[[4000, 9000, 10000]], np.array([1.0, 2.0, 3.0]), np.zeros(3, np.int64)
        )
        fields = [GridRadialUpdates(Radial(radius, metric=metric), grid) for _ in range(2)]
        for field in fields:
            field.footprints.number(Shape(Falloff.of("linear"), radius), field.walks)
            follow(field, np.arange(3), sources)
        cell = int(open_cells[5000])
        fields[0].catch_up()
        while not fields[1].is_current:
            fields[1].catch_up(1)
            RadialField(fields[1]).contributions(cell)
        same(*fields)

    @pytest.mark.parametrize("metric", METRICS)
    def test_all_change_at_once_where_every_footprint_meets_a_wall(self, metric: str) -> None:
        walls = np.zeros((20, 30), bool)
        walls[::4] = True
        grid = fc.Grid(30, 20, walls=walls, neighbors=8)
        before, after = (
            Emitters(np.array(cells), np.ones(3), np.zeros(3, np.int64))
            for cells in ([31, 162, 400], [45, 170, 410])
        )
        field, fresh = (
            GridRadialUpdates(Radial(5, metric=metric), grid),
            GridRadialUpdates(Radial(5, metric=metric), grid),
        )
        for one in (field, fresh):
            one.footprints.number(Shape(Falloff.of("linear"), 5.0), one.walks)
        filled(filled(field, before), after)
        same(field, filled(fresh, after))


class TestTiersAndThreads:
    @pytest.mark.skipif(not kernels.compiled(), reason="the reference serves already")
    @examples(14)
    @given(WORLDS)
    def test_the_reference_has_the_same_bits(self, world: World) -> None:
        grid = world.grid()
        fast = world.field(grid)
        for rows, new, _ in changes(world, turns=2):
            follow(fast, rows, new)
            fast.catch_up()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "compiled", lambda: False)
            slow = world.field(grid)
            for rows, new, _ in changes(world, turns=2):
                follow(slow, rows, new)
                slow.catch_up(3)
                slow.catch_up()
        same(fast, slow)
        cell = int(fast.applied.cells[0])
        np.testing.assert_array_equal(
            RadialField(fast).contributions(cell)[1], RadialField(slow).contributions(cell)[1]
        )


class TestOracles:
    @pytest.mark.parametrize("as_graph", [False, True])
    def test_a_tower_of_nine_cells_radiates_alike_on_all_sides(self, as_graph: bool) -> None:
        city = fc.Grid(27, 25, neighbors=8)
        tower = [(row, column) for row in (11, 12, 13) for column in (12, 13, 14)]
        city.set_walls([row * 27 + column for row, column in tower])
        for metric, thickness in itertools.product(("connected", "path", "sight"), (0.0, 1.5)):
            layer = fc.InfluenceMap(city.to_graph() if as_graph else city).add_layer(
                "a", Radial(8, metric=metric, thickness=thickness)
            )
            layer.add_source((13.5, 12.5), 4.0, on_wall="through")
            layer.step()
            seen = layer.values.reshape(25, 27)[:, :27]
            assert seen.any() == (
                thickness > 0
            )  # in the middle of its walls it touches no open ground
            np.testing.assert_array_equal(seen, seen[:, ::-1])
            np.testing.assert_array_equal(seen, seen[::-1])

    def test_out_of_a_block_of_terrain_a_source_steps_freely(self) -> None:
        classes = np.zeros((9, 11), dtype=np.int64)
        classes[3:5, 4:6] = 2
        enter = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0]], dtype=np.bool_)
        grid = fc.Grid(11, 9, terrain=fc.Terrain(classes, enter))
        layer = fc.InfluenceMap(grid).add_layer("a", Radial(3, "constant", thickness=1.0))
        layer.add_source((5.5, 4.5), on_wall="through")
        layer.step()
        beside = [(2, 4), (2, 5), (3, 3), (4, 3), (5, 4), (5, 5), (3, 6), (4, 6)]
        assert all(layer.values[cell] == 1 for cell in beside)

    @settings(max_examples=14)
    @given(WORLDS)
    def test_max_is_the_strongest_and_sum_the_sum_of_single_sources(self, world: World) -> None:
        grid = world.grid()
        sources = emission(np.random.default_rng(world.seed), 8, len(grid))
        alone = World(**world.__dict__ | {"blend": "sum"})
        parts = np.array(
            [filled(alone.field(grid), sources.at(np.array([i]))).sums.sums for i in range(8)]
        )
        field = filled(world.field(grid), sources)
        if world.blend == "sum":
            expected = parts.sum(axis=0)
        else:
            # With equal magnitudes the positive one: order by magnitude, then by sign.
            best = np.argmax(2 * np.abs(parts) + (parts > 0), axis=0)
            expected = np.take_along_axis(parts, best[np.newaxis], axis=0)[0]
        np.testing.assert_array_equal(field.sums.sums, expected)
        np.testing.assert_array_equal(
            field.values, np.where(grid.walls, 0, expected / 2.0**24).astype(np.float32)
        )

    @settings(max_examples=14)
    @given(WORLDS)
    def test_contributions_make_the_value(self, world: World) -> None:
        grid = world.grid()
        sources = emission(np.random.default_rng(world.seed), 10, len(grid))
        field = filled(world.field(grid), sources)
        for cell in np.random.default_rng(world.seed + 1).integers(0, len(grid), 8).tolist():
            rows, amounts = RadialField(field).contributions(cell)
            assert (amounts != 0).all()
            assert (sources.strengths[rows] != 0).all()
            assert amounts.sum() == field.sums.sums.flat[cell] / 2.0**24
            if world.blend == "max":
                assert len(rows) <= 1
            if not grid.walls.flat[cell]:
                assert np.float32(amounts.sum()) == field.values.flat[cell]


class TestFootprintsAreShared:
    @pytest.mark.parametrize("metric", METRICS)
    def test_a_thousand_radii(self, metric: str) -> None:
        grid = fc.Grid(60, 60)
        layer = fc.InfluenceMap(grid).add_layer("a", fc.Radial(5, "constant", metric=metric))
        radii = np.linspace(4, 4.999, 1000)
        ids = layer.add_sources(np.full((1000, 2), 30.5), radii=radii)
        layer.step()
        assert layer.values[30, 30] == 1000
        layer.sources.set_radii(ids, radii + 1e-7)
        layer.step()
        assert layer.values[30, 30] == 1000
        assert layer.values[30, 35] == 0

    @pytest.mark.parametrize("metric", METRICS)
    def test_on_open_ground_nothing_is_searched(
        self, metric: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        walls = np.zeros((40, 60), bool)
        walls[:, 0] = True
        field = GridRadialUpdates(
            Radial(5, metric=metric), fc.Grid(60, 40, walls=walls, neighbors=8)
        )
        field.footprints.number(Shape(Falloff.of("linear"), 5.0), field.walks)
        searched: list[int] = []
        search = field.footprints.search
        monkeypatch.setattr(
            field.footprints,
            "search",
            lambda ground, cell, number: searched.append(cell) or search(ground, cell, number),
        )
        many = field._add_connected
        monkeypatch.setattr(
            field,
            "_add_connected",
            lambda jobs, blend: searched.extend(jobs.cells.tolist()) or many(jobs, blend),
        )
        near, far = 20 * 60 + 3, 20 * 60 + 30
        filled(field, Emitters(np.array([far, far + 7]), np.ones(2), np.zeros(2, np.int64)))
        assert searched == []
        filled(field, Emitters(np.array([far, near]), np.ones(2), np.zeros(2, np.int64)))
        assert set(searched) == (set() if metric == "straight" else {near})

    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize("wrap", [False, True])
    def test_a_radius_far_beyond_the_map_costs_what_the_map_costs(
        self, metric: str, wrap: bool
    ) -> None:
        walls = np.zeros((7, 9), bool)
        walls[3, 4] = True
        for grid in (fc.Grid(9, 7, wrap=wrap), fc.Grid(9, 7, walls=walls, wrap=wrap)):
            field = GridRadialUpdates(Radial(1e7, "linear", metric=metric), grid)
            number = field.footprints.number(Shape(Falloff.of("linear"), 1e7), field.walks)
            filled(field, Emitters(np.array([0, 62]), np.ones(2), np.full(2, number)))
            seen = [
                fc.visible(grid, grid.position_of(cell), 100) if metric == "sight" else ~grid.walls
                for cell in (0, 62)
            ]
            np.testing.assert_allclose(field.values, np.sum(seen, axis=0), atol=1e-5)
            follow(
                field, np.arange(2), Emitters(np.array([0, 62]), np.zeros(2), np.full(2, number))
            )
            field.catch_up()
            assert not field.sums.sums.any()
