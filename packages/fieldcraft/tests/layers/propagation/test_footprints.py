"""Footprints of sources, shared and cached."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.layers.propagation.radial.footprints import Shape
from fieldcraft.layers.propagation.radial.radial import METRICS, Radial
from fieldcraft.layers.propagation.radial.radial_updates import Emitters, GridRadialUpdates
from fieldcraft.layers.sources.falloff import Falloff
from support.radials import filled, follow


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
