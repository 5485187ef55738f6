"""Sums of footprints, exact under change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.layers.propagation.radial import radial_updates as radial_updates
from fieldcraft.layers.propagation.radial.footprints import Shape
from fieldcraft.layers.propagation.radial.radial import METRICS, Radial
from fieldcraft.layers.propagation.radial.radial_field import RadialField
from fieldcraft.layers.propagation.radial.radial_sources import Emitters
from fieldcraft.layers.propagation.radial.radial_updates import GridRadialUpdates, RadialUpdates
from fieldcraft.layers.sources.falloff import Falloff
from support.examples import examples
from support.radials import WORLDS, World, emission, filled, follow


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


@pytest.mark.parametrize("wrap", ["x", "y", True])
def test_walls_beyond_an_edge_that_wraps_are_followed(wrap: Any) -> None:
    grid = fc.Grid(100, 70, wrap=wrap)
    layer = fc.InfluenceMap(grid).add_layer("r", fc.Radial(6, metric="path"))
    layer.add_sources([(50.5, 1.5), (1.5, 35.5)], 3.0)
    layer.step()
    grid.set_walls(grid.cell_at([(50.5, 68.5), (98.5, 35.5)]))
    layer.step()
    fresh = fc.InfluenceMap(fc.Grid(walls=grid.walls, wrap=wrap)).add_layer("r", layer.propagation)
    fresh.add_sources([(50.5, 1.5), (1.5, 35.5)], 3.0)
    fresh.step()
    assert layer.values.tobytes() == fresh.values.tobytes()


@pytest.mark.parametrize("blend", ["sum", "max"])
def test_sources_are_added_again_after_a_change_of_settings(blend: str) -> None:
    imap = fc.InfluenceMap(fc.Grid(13, 9))
    layer = imap.add_layer("a", Radial(2, blend=blend))
    layer.add_sources([(3.5, 4.5), (8.5, 2.5)], [3.0, -2.0])
    layer.step()
    layer.propagation = Radial(4, "linear", blend=blend)
    layer.step()
    new = imap.add_layer("b", Radial(4, "linear", blend=blend))
    new.add_sources([(3.5, 4.5), (8.5, 2.5)], [3.0, -2.0])
    new.step()
    np.testing.assert_array_equal(layer.values, new.values)
    assert layer.values[4, 6] != 0


def test_each_source_has_its_own_radius_and_falloff_whenever_it_changes() -> None:
    imap = fc.InfluenceMap(fc.Grid(23, 9))
    layer = imap.add_layer("a", Radial(3))
    places = [(3.5, 4.5), (11.5, 4.5), (19.5, 4.5)]
    ids = layer.add_sources(places, 2.0, radii=[1.5, 3.0, 2.5], falloff="linear")

    def expected(radii: list[float], falloff: str) -> NDArray[np.float32]:
        total = np.zeros((9, 23), dtype=np.float32)
        for place, radius in zip(places, radii, strict=True):
            alone = fc.InfluenceMap(fc.Grid(23, 9)).add_layer("b", Radial(radius, falloff))
            alone.add_source(place, 2.0)
            alone.step()
            total += alone.values
        return total

    layer.step()
    np.testing.assert_allclose(layer.values, expected([1.5, 3.0, 2.5], "linear"), atol=1e-6)
    layer.sources.set_radii(ids[[0, 2]], [4.0, 1.0])
    layer.step()
    np.testing.assert_allclose(layer.values, expected([4.0, 3.0, 1.0], "linear"), atol=1e-6)
    layer.sources.set_strengths(ids[:1], [2.0])
    layer.step()
    np.testing.assert_allclose(layer.values, expected([4.0, 3.0, 1.0], "linear"), atol=1e-6)
