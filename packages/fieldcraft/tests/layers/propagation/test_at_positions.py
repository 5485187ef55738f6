"""Influence without a map: from exact positions to exact positions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation import at_positions as direct


def by_the_definition(positions, sources, strengths, radii, falloff, blend):
    """One source after the other, in plain Python."""
    curve = fc.Falloff.of(falloff)
    result = []
    for point in positions:
        amounts = [
            strength * float(curve(math.dist(point, source) / radius))
            for source, strength, radius in zip(sources, strengths, radii, strict=True)
        ]
        if blend == "sum":
            result.append(math.fsum(amounts))
        else:
            result.append(max(amounts, key=lambda amount: (abs(amount), amount > 0), default=0.0))
    return np.array(result)


@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.sampled_from([0, 1, 5, 16, 17, 60]),
    dimensions=st.sampled_from([2, 3]),
    falloff=st.sampled_from(
        ["constant", "linear", "parabolic", "gaussian", fc.Ring(0.3), (1.0, -0.5, 0.25)]
    ),
    blend=st.sampled_from(["sum", "max"]),
    most=st.sampled_from([20, 1 << 20]),
)
def test_influence_without_a_map_is_its_definition(seed, count, dimensions, falloff, blend, most):
    rng = np.random.default_rng(seed)
    points, sources = rng.uniform(-9, 9, (23, dimensions)), rng.uniform(-9, 9, (count, dimensions))
    points[: min(count, 4)] = sources[:4]  # some ask where a source is
    strengths, radii = rng.normal(size=count) * 3, rng.uniform(0.5, 8, count)
    kept, direct._MOST_PAIRS = direct._MOST_PAIRS, most
    try:
        found = fc.propagation.influence_at(
            points, sources, strengths, radii, falloff=falloff, blend=blend
        )
    finally:
        direct._MOST_PAIRS = kept
    assert found.shape == (23,)
    assert np.allclose(
        found,
        by_the_definition(points, sources, strengths, radii, falloff, blend),
        rtol=1e-12,
        atol=1e-12,
    )


def test_at_centers_of_cells_it_is_what_a_straight_layer_reads():
    space = fc.Grid(23, 14, cell_size=2.0)
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer("guns", fc.Radial(9, "linear", metric="straight"))
    rng = np.random.default_rng(4)
    sources = space.position_of(rng.choice(len(space), 40, replace=False))
    strengths = rng.uniform(-3, 3, 40)
    layer.add_sources(sources, strengths)
    imap.step()
    found = fc.propagation.influence_at(space.positions, sources, strengths, 9, falloff="linear")
    assert np.allclose(found, layer.values.reshape(-1), atol=1e-4)


def test_it_tells_places_within_a_cell_apart():
    near, nearer = fc.propagation.influence_at(
        [(5.2, 5.5), (5.3, 5.5)], [(5.9, 5.5)], 1, 2, falloff="linear"
    )
    assert near == pytest.approx(0.65) and nearer == pytest.approx(0.7)
    assert fc.propagation.influence_at((1, 1), [(0, 0), (2, 2)], [2.0, -2.0], 9, blend="max") > 0


def test_the_edge_belongs_to_a_source_and_what_lies_beyond_does_not():
    crowd = np.full((20, 2), 50.0)
    sources = np.vstack([[(0.0, 0.0)], crowd])
    found = fc.propagation.influence_at(
        [(0.3, 0.0), (0.30001, 0.0)], sources, 1.0, 0.3, falloff="constant"
    )
    assert found.tolist() == [1.0, 0.0]


def test_nobody_there_is_no_influence():
    assert fc.propagation.influence_at((1, 1), [], 1, 5) == 0
    assert fc.propagation.influence_at([], [(1, 1)], 1, 5).shape == (0,)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"radius": 0}, "Radii are above 0"),
        ({"radius": [1, 2, 3]}, "one for each"),
        ({"strengths": [np.nan, 1]}, "finite"),
        ({"strengths": 1e40}, "at most 1e"),
        ({"sources": [(1, 1, 1)]}, "pair"),
        ({"positions": (np.inf, 1)}, "finite"),
        ({"positions": (1e200, 1)}, "within 1e"),
        ({"blend": "add"}, "one of"),
        ({"falloff": "linaer"}, "linear"),
    ],
)
def test_what_makes_no_sense_is_refused(change, words):
    asked = {
        "positions": (0, 0),
        "sources": [(1, 1), (2, 2)],
        "strengths": 1.0,
        "radius": 3.0,
    } | change
    with pytest.raises(InvalidValue, match=words):
        fc.propagation.influence_at(**asked)


def test_the_nearer_in_time_the_more_threatened_and_passed_is_safe() -> None:
    grid = fc.Grid(12, 5, cell_size=2)
    shot = fc.incoming(grid, (1, 5), (23, 5), speed=4)
    before = fc.propagation.shot_danger(grid, [shot], 10)[2]
    assert (np.diff(before) < 0).all()
    np.testing.assert_allclose(before, 1 - np.arange(12) * 2 / 4 / 10, atol=1e-3)
    later = fc.propagation.shot_danger(grid, [shot], 10, elapsed=2.1)[2]
    assert not later[:4].any()
    assert (later[5:] > before[5:]).all()


def test_walls_stop_it_and_shots_add() -> None:
    walls = np.zeros((5, 12), bool)
    walls[2, 6] = True
    grid = fc.Grid(12, 5, walls=walls)
    shots = [
        fc.incoming(grid, (0.5, 2.5), (11.5, 2.5), speed=5),
        fc.incoming(grid, (0.5, 2.5), (0.5, 4.5), speed=5),
    ]
    both = fc.propagation.shot_danger(grid, shots, 5, strengths=[2, 3], falloff="constant")
    assert both[2, 0] == 5
    assert (both[2, 1:6] == 2).all()
    assert not both[2, 6:].any()
    assert (both[3:, 0] == 3).all()
    imap = fc.InfluenceMap(grid)
    layer = imap.add_layer("threat", values=both)
    layer.write(fc.propagation.shot_danger(grid, [], 5))
    assert not layer.values.any()


def test_cover_is_where_no_enemy_sees() -> None:
    grid = fc.generate_map("rooms", 50, 30, seed=4, neighbors=8)
    enemies = grid.position_of(
        np.random.default_rng(1).choice(np.flatnonzero(~grid.walls.reshape(-1)), 6)
    )
    imap = fc.InfluenceMap(grid)
    seen = imap.add_layer("seen", fc.Radial(9, "constant", metric="sight"))
    seen.add_sources(enemies)
    imap.step()
    np.testing.assert_array_equal(seen.values, fc.query.watchers(grid, enemies, 9))


def test_refuses() -> None:
    grid = fc.Grid(12, 5)
    shot = fc.incoming(grid, (0.5, 2.5), (11.5, 2.5), speed=5)
    for call in (
        lambda: fc.propagation.shot_danger(grid, [shot], 0),
        lambda: fc.propagation.shot_danger(grid, [shot], 1, strengths=[1, 2]),
        lambda: fc.propagation.shot_danger(grid, ["bang"], 1),  # type: ignore[list-item]
        lambda: fc.propagation.shot_danger(fc.Grid(2, 2), [shot], 1),
        lambda: fc.propagation.shot_danger(grid, [shot], 1, elapsed=float("nan")),
    ):
        with pytest.raises(fc.FieldcraftError):
            call()


def test_on_a_graph_of_squares_it_is_that_of_the_grid() -> None:
    grid = fc.Grid(12, 5)
    graph = grid.to_graph()
    shots = [
        fc.incoming(space, (0.5, 2.5), (11.5, 2.5), speed=5, width=2) for space in (grid, graph)
    ]
    assert (
        fc.propagation.shot_danger(graph, shots[1:], 9).tolist()
        == fc.propagation.shot_danger(grid, shots[:1], 9).reshape(-1).tolist()
    )
