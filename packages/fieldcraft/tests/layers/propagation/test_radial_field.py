"""Radial fields: exact under change, equal to oracles, whole under a budget, whatever the tier and
the threads.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

import fieldcraft as fc
from fieldcraft.layers.propagation.radial.radial import Radial
from fieldcraft.layers.propagation.radial.radial_field import RadialField
from support.radials import WORLDS, World, emission, filled


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


@pytest.mark.parametrize("blend", ["sum", "max"])
def test_wrong_values_are_corrected_by_at_most_the_rate(blend: str) -> None:
    grid = fc.Grid(9, 8)
    layer = fc.InfluenceMap(grid).add_layer("a", Radial(3, blend=blend), every=0.5)
    layer.add_source((4.5, 3.5), 2.0)
    layer.step()
    truth = layer.read()
    layer.write(truth + 3)
    assert layer.validate(len(grid), rate=2.0) == len(grid)
    np.testing.assert_allclose(layer.values, truth + 2, atol=1e-6)
    assert layer.validate(len(grid)) == len(grid)
    np.testing.assert_array_equal(layer.values, truth)
    assert layer.validate(len(grid)) == 0
