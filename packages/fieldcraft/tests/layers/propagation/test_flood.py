"""Flood: fronts that run over grids and graphs step by step, and ground that cools."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.layers.propagation import Flood
from support.refusals import refused


def cave(seed: int = 3, **options: object) -> fc.Grid:
    return fc.Grid(23, 14, walls=np.random.default_rng(seed).random((14, 23)) < 0.25, **options)


def levels(space: fc.Grid | fc.Graph, starts: list[int]) -> np.ndarray:
    """How many steps away each cell is, by SciPy."""
    ways = space.adjacency
    matrix = csr_array(
        (np.ones(len(ways.ends)), ways.ends, ways.starts), shape=(len(space), len(space))
    )
    return dijkstra(matrix, indices=starts, unweighted=True, min_only=True).reshape(space.shape)


def opened(space: fc.Grid | fc.Graph, number: int) -> int:
    return int(np.flatnonzero(~space.walls.reshape(-1))[number])


SPACES = [
    cave(neighbors=4),
    cave(neighbors=8),
    cave(4, wrap=True),
    cave().to_graph(),
    fc.Graph(
        [(0, 0), (1, 0), (2, 0), (3, 0), (4, 1)],
        [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)],
        directed=True,
    ),
]


class TestLaws:
    @pytest.mark.parametrize("space", SPACES, ids=str)
    def test_after_k_steps_the_front_is_level_k(self, space: fc.Grid | fc.Graph) -> None:
        cells = [opened(space, 0), opened(space, 4)]
        imap = fc.InfluenceMap(space)
        by_source, by_deposit = (
            imap.add_layer(name, Flood(cooling=0.2)) for name in ("source", "deposit")
        )
        for cell in cells:
            by_source.add_source(space.position_of(cell))
            by_deposit.deposit(space.position_of(cell))
        away = levels(space, cells)
        for step in range(1, 12):
            imap.step()
            expected = np.where(away <= step, np.maximum(1 - 0.2 * (step - away), 0), 0)
            np.testing.assert_allclose(by_deposit.values, expected, atol=1e-6)
            expected.reshape(-1)[cells] = 1  # sources stay hot
            np.testing.assert_allclose(by_source.values, expected, atol=1e-6)
            assert not by_source.values[space.walls].any()

    @pytest.mark.parametrize("space", SPACES[:4], ids=str)
    def test_bits_are_those_of_a_pursuit_without_barrier(self, space: fc.Grid | fc.Graph) -> None:
        start = space.position_of(opened(space, 9))
        layer = fc.InfluenceMap(space).add_layer("heat", Flood(cooling=0.1))
        layer.deposit(start)
        hunt = fc.Pursuit(space, start, speed=1.0)
        for _ in range(14):
            layer.step()
            hunt.step()
            if hunt.stopped is None:
                np.testing.assert_array_equal(layer.values, hunt.values)

    @settings(max_examples=12, deadline=None)
    @given(st.integers(0, 999))
    def test_newer_floods_run_over_older_ground(self, seed: int) -> None:
        grid = cave(seed)
        rng = np.random.default_rng(seed)
        layer = fc.InfluenceMap(grid).add_layer("heat", Flood(cooling=0.05))
        events = [
            (int(when), opened(grid, int(rng.integers(40))), float(rng.choice([-2, 1, 3])))
            for when in (0, 0, 2, 5)
        ]
        ages = np.full(grid.shape, np.inf)
        begun = np.full(grid.shape, -1.0)
        strength = np.zeros(grid.shape)
        # Plainly: every flood on its own by its levels, older ones first; where one met a newer one
        # it went no further.
        for step in range(12):
            for when, cell, size in events:
                if when == step:
                    layer.deposit(grid.position_of(cell), size - layer.values.reshape(-1)[cell])
                    ages.reshape(-1)[cell], begun.reshape(-1)[cell], strength.reshape(-1)[cell] = (
                        0,
                        step,
                        size,
                    )
            new = {}
            ways = grid.adjacency
            for cell in np.flatnonzero(ages.reshape(-1) == 0).tolist():
                mine = (
                    begun.reshape(-1)[cell],
                    abs(strength.reshape(-1)[cell]),
                    strength.reshape(-1)[cell],
                )
                for end in ways.ends[ways.starts[cell] : ways.starts[cell + 1]].tolist():
                    if begun.reshape(-1)[end] < mine[0]:
                        new[end] = max(new.get(end, mine), mine)
            ages += 1
            for end, (label, _, size) in new.items():
                ages.reshape(-1)[end], begun.reshape(-1)[end], strength.reshape(-1)[end] = (
                    0,
                    label,
                    size,
                )
            layer.step()
            expected = (
                np.where(
                    np.isfinite(ages),
                    np.maximum(1 - 0.05 * np.where(np.isfinite(ages), ages, 0), 0),
                    0,
                )
                * strength
            )
            np.testing.assert_allclose(layer.values, expected, atol=1e-5)

    def test_grid_and_graph_agree_to_the_bit(self) -> None:
        grid = cave(8)
        layers = [
            fc.InfluenceMap(space).add_layer("heat", Flood(0.15, steps=6))
            for space in (grid, grid.to_graph())
        ]
        for layer in layers:
            layer.add_source(grid.position_of(opened(grid, 30)), 2.5)
            layer.step(3)
            layer.deposit(grid.position_of(opened(grid, 5)), -1.5)
            layer.step(4)
        np.testing.assert_array_equal(layers[0].values.reshape(-1), layers[1].values)


class TestFloods:
    def test_steps_and_no_cooling(self) -> None:
        layer = fc.InfluenceMap(fc.Grid(9, 1)).add_layer("reach", Flood(cooling=0, steps=3))
        layer.add_source((0.5, 0.5), 5)
        layer.step(9)
        assert layer.values[0].tolist() == [5] * 4 + [0] * 5
        nowhere = fc.InfluenceMap(fc.Grid(3, 1)).add_layer("reach", Flood(steps=0))
        nowhere.add_source((1.5, 0.5))
        nowhere.step(3)
        assert nowhere.values[0].tolist() == [0, 1, 0]

    def test_a_source_that_goes_leaves_ground_that_cools_and_one_that_moves_begins_anew(
        self,
    ) -> None:
        layer = fc.InfluenceMap(fc.Grid(7, 1)).add_layer("heat", Flood(cooling=0.5))
        source = layer.add_source((0.5, 0.5))
        layer.step(2)
        assert layer.values[0].tolist() == [1, 0.5, 1, 0, 0, 0, 0]
        source.remove()
        layer.step()
        assert layer.values[0].tolist() == [0.5, 0, 0.5, 1, 0, 0, 0]
        layer.step(9)
        assert not layer.values.any()
        layer.sync(["he"], [(3.5, 0.5)])
        layer.step()
        assert layer.values[0].tolist() == [0, 0, 1, 1, 1, 0, 0]
        layer.sync(["he"], [(4.5, 0.5)])
        layer.step()
        assert layer.values[0].tolist() == [0, 1, 0.5, 1, 1, 1, 0]

    def test_walls_and_doors(self) -> None:
        grid = fc.Grid(6, 1)
        layer = fc.InfluenceMap(grid).add_layer("heat", Flood(cooling=0.25))
        layer.add_source((0.5, 0.5))
        grid.set_walls([2])
        layer.step(4)
        assert layer.values[0].tolist() == [1, 0.25, 0, 0, 0, 0]
        grid.set_walls([2], False)
        layer.step(2)
        assert layer.values[0].tolist() == [1, 0, 0, 0, 0, 0]  # the front has passed
        grid.set_walls([1])
        layer.step()
        grid.set_walls([1], False)
        layer.step(2)
        assert layer.values[0].tolist() == [1, 0.75, 1, 0, 0, 0]  # what was a wall is untouched
        tower = fc.Grid(3, 1, walls=[[False, True, False]])
        layer = fc.InfluenceMap(tower).add_layer("heat", Flood())
        source = layer.add_source((1.5, 0.5), on_wall="through")
        layer.step()
        assert layer.values[0].tolist() == [1, 1, 1]
        source.remove()
        layer.step()
        np.testing.assert_allclose(layer.values[0], [0.9, 0, 0.9])

    def test_written_and_deposited(self) -> None:
        layer = fc.InfluenceMap(fc.Grid(5, 1)).add_layer("heat", Flood(cooling=0.5))
        layer.write([[0, 0, 4, 0, 0]])
        layer.step()
        assert layer.values[0].tolist() == [0, 4, 2, 4, 0]
        layer.deposit((2.5, 0.5), 1.0)
        layer.step()
        assert layer.values[0].tolist() == [4, 3, 1.5, 3, 4]
        layer.write(np.zeros((1, 5)))
        layer.step(3)
        assert not layer.values.any()
        layer.deposit((0.5, 0.5))
        layer.step()
        assert layer.values[0].tolist() == [0.5, 1, 0, 0, 0]

    def test_parameters_change_while_it_runs(self) -> None:
        layer = fc.InfluenceMap(fc.Grid(9, 1)).add_layer("heat", Flood(cooling=0.25))
        layer.add_source((0.5, 0.5))
        layer.step(2)
        layer.tune(cooling=0.5, steps=3)
        layer.step(2)
        assert layer.values[0].tolist() == [1, 0, 0, 0.5, 0, 0, 0, 0, 0]

    def test_settled_it_is_cold_but_for_its_sources(self) -> None:
        grid = cave(6)
        layer = fc.InfluenceMap(grid).add_layer("heat", Flood())
        layer.add_source(grid.position_of(opened(grid, 3)), 2)
        layer.settle()
        assert layer.values.sum() == 2
        touched = fc.InfluenceMap(grid).add_layer("reach", Flood(cooling=0))
        touched.add_source(grid.position_of(opened(grid, 3)), 2)
        touched.settle()
        np.testing.assert_array_equal(
            touched.values > 0, np.isfinite(levels(grid, [opened(grid, 3)]))
        )


class TestSaves:
    def test_what_is_damaged_is_refused(self) -> None:
        layer = fc.InfluenceMap(fc.Grid(4, 3)).add_layer("heat", Flood())
        layer.add_source((1.5, 1.5))
        layer.step(2)
        field = layer.steps.field
        assert field is not None
        good = field.state()
        for name, wrong in (
            ("now", np.array([-1])),
            ("now", np.array([1.0])),
            ("marks", good["marks"][:, :-1]),
            ("marks", good["marks"] + 9),
            ("strengths", good["strengths"].astype(float)),
            ("strengths", good["strengths"] * np.nan),
            ("front", np.array([99])),
            ("pinned", np.array([3, 1])),
        ):
            with pytest.raises(ValueError, match=r"out of range|not steps|not finite|cells"):
                field.restore({**good, name: wrong}, layer.sources)


@pytest.mark.parametrize("as_graph", [False, True])
def test_floods_obey_a_barrier_which_does_not_decay(as_graph: bool, tmp_path: Path) -> None:
    grid = fc.Grid(11, 5)
    imap = fc.InfluenceMap(grid.to_graph() if as_graph else grid)
    barrier = imap.register_type("barrier")
    # From the top to one cell above the bottom; each reaches one step up and down.
    barrier.add_static((5.5, 1.5), 1.0, iterations=1)
    barrier.add_static((5.5, 2.5), 0.25, iterations=1)
    imap.step()
    wall = barrier.values.reshape(5, 11)
    assert wall[1, 5] == 1.25 and wall[0, 5] == 1.0 and wall[3, 5] == 0.25 and wall[4, 5] == 0
    chase = imap.add_layer("chase", fc.Flood(cooling=0.05, barrier="barrier"))
    chase.deposit((3.5, 1.5), 1.0)
    imap.advance(0.35)
    imap.save(tmp_path / "chase.save")
    others = [
        imap.copy(),
        fc.InfluenceMap.load(tmp_path / "chase.save"),
        pickle.loads(pickle.dumps(imap)),
    ]
    for each in (imap, *others):
        each.step(7)
        heat = each["chase"].values.reshape(5, 11)
        assert not heat[wall > 0].any()
        assert heat[4, 5] > 0  # through the gap
        assert heat[0, 10] == 0 < heat[4, 8]
        np.testing.assert_array_equal(heat, chase.values.reshape(5, 11))
        np.testing.assert_array_equal(each["barrier"].values.reshape(5, 11), wall)
    barrier.sources.remove(barrier.sources.ids)
    imap.step()
    chase.deposit((3.5, 1.5), 1.0)
    imap.step(3)
    assert chase.values.reshape(5, 11)[1, 5] > 0
    imap.remove_layer("barrier")
    imap.step()


def test_a_barrier_is_a_layer_on_the_same_cells() -> None:
    imap = fc.InfluenceMap(fc.Grid(8, 4))
    with refused(UnknownName, "walls"):
        imap.add_layer("chase", fc.Flood(barrier="walls"))
    imap.add_layer("walls", values=np.zeros((2, 4)), cell_size=2)
    with refused(InvalidValue, "cell_size"):
        imap.add_layer("chase", fc.Flood(barrier="walls"))
    assert list(imap) == ["walls"]


def test_kinds_flood() -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 1))
    alarm = imap.register_type("alarm", propagation=Flood(cooling=0.25))
    fire = alarm.add_static(0, 2.0)
    alarm.add_dynamic((8.5, 0.5), 1.0)
    alarm.step(2)
    assert alarm.values[0].tolist() == [2, 1.5, 2, 0, 0, 0, 1, 0.75, 0.5]
    fire.remove()
    assert fc.explain(alarm, (2.5, 0.5)).remainder_is == "a flood"


@pytest.mark.parametrize(
    ("parameters", "fragment"),
    [
        ({"cooling": -0.1}, "cooling"),
        ({"cooling": 2}, "cooling"),
        ({"steps": -1}, "steps"),
        ({"steps": 2.5}, "steps"),
        ({"stack": "min"}, "stack"),
    ],
)
def test_what_is_no_flood_is_refused(parameters, fragment) -> None:
    with refused(InvalidValue, fragment):
        Flood(**parameters)


def test_a_barrier_that_does_not_fit_is_refused_by_tune_and_by_a_new_layer() -> None:
    imap = fc.InfluenceMap(fc.Grid(4, 2))
    imap.add_layer("smoke", fc.Fade(1.0))
    imap.add_layer("coarse", fc.Fade(1.0), cell_size=2.0)
    flood = imap.add_layer("flood", fc.Flood(barrier="smoke"))
    with refused(UnknownName, "nothing"):
        flood.tune(barrier="nothing")
    with refused(InvalidValue, "same cells"):
        flood.tune(barrier="coarse")
    assert flood.propagation == fc.Flood(barrier="smoke")
    imap.remove_layer("smoke")
    flood.tune(cooling=0.5)  # a barrier that is gone blocks nothing
    with refused(InvalidValue, "same cells"):
        imap.add_layer("smoke", fc.Fade(1.0), cell_size=2.0)
    imap.add_layer("smoke", fc.Fade(1.0)).mark((2.5, 0.5))
    flood.deposit((0.5, 0.5), 8.0)
    imap.step(2)
