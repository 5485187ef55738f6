"""Shots as a threat that grows while they come nearer."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc


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
    np.testing.assert_array_equal(seen.values, fc.space.watchers(grid, enemies, 9))


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
