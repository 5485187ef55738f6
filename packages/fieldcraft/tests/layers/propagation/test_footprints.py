"""Footprints of sources, shared and cached."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.layers.propagation.radial import footprints as footprints_file
from fieldcraft.layers.propagation.radial.footprints import GridFootprints, Shape
from fieldcraft.layers.propagation.radial.radial import METRICS, Radial
from fieldcraft.layers.propagation.radial.radial_sources import Emitters
from fieldcraft.layers.propagation.radial.radial_updates import GridRadialUpdates
from fieldcraft.layers.propagation.radial.walks_on_grid import GridWalks
from fieldcraft.layers.sources.falloff import Falloff
from fieldcraft.space.wrapping import Wrap
from support.radials import filled, follow
from support.worlds import WRAPS


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
    @pytest.mark.parametrize("wrap", WRAPS)
    def test_a_radius_far_beyond_the_map_costs_what_the_map_costs(
        self, metric: str, wrap: Wrap
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


def searched(footprints: GridFootprints, walks: GridWalks, cells: range) -> int:
    """Search some footprints; return the most that one search has dropped."""
    number = footprints.number(Shape(Falloff.of("linear"), 4.0), walks)
    most = 0
    for cell in cells:
        before = len(footprints._found)
        footprints.search(walks, cell, number)
        most = max(most, before + 1 - len(footprints._found))
        held = sum(len(each.cells) for each in footprints._found.values())
        assert held == footprints._cached
    return most


def test_the_oldest_footprints_make_room_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footprints_file, "_MOST_CACHED", 500)
    grid = fc.Grid(60, 40, neighbors=8)
    footprints = GridFootprints(grid, "connected")
    walks = GridWalks.of(grid)
    assert searched(footprints, walks, range(900, 1000)) <= 2
    assert footprints._cached <= 500 + 81
    assert list(footprints._found)[-1] == (999, 0)
    assert (900, 0) not in footprints._found


def test_footprints_on_other_walls_are_dropped_a_few_at_a_time() -> None:
    """To drop all at once takes milliseconds, more than a unit of work may."""
    grid = fc.Grid(60, 40, neighbors=8)
    footprints = GridFootprints(grid, "connected")
    assert searched(footprints, GridWalks.of(grid), range(900, 1000)) == 0
    grid.set_walls(np.arange(905, 920))
    walks = GridWalks.of(grid)
    assert searched(footprints, walks, range(950, 1000)) <= 5  # its own and four more
    assert all(each.walks == footprints._walks for each in footprints._found.values())
    for cell in range(950, 960):
        cells, weights = footprints.search(walks, cell, 0)
        fresh = GridFootprints(grid, "connected")
        number = fresh.number(Shape(Falloff.of("linear"), 4.0), walks)
        expected = fresh.search(walks, cell, number)
        np.testing.assert_array_equal(cells, expected[0])
        np.testing.assert_array_equal(weights, expected[1])
