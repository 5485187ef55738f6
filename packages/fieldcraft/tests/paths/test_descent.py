"""Steps of agents down a distance map."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from support.charged import charged_space
from support.refusals import refused


@settings(max_examples=16, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["grid", "king", "torus", "graph"]),
    charge=st.sampled_from(["mean", "enter"]),
)
def test_steps_go_down_by_what_they_cost(seed, kind, charge):
    space = charged_space(seed, kind)
    rng = np.random.default_rng(seed)
    cost = rng.integers(1, 4, space.shape).astype(float)
    free = np.flatnonzero(~space.walls.reshape(-1))
    distances = fc.distance_map(
        space, space.position_of(int(rng.choice(free))), cost=cost, charge=charge
    )
    walkers = rng.choice(free, 9)
    steps = distances.step(space.position_of(walkers))
    exact, flat, ways = distances.exact.reshape(-1), cost.reshape(-1), space.adjacency
    for walker, cell, found in zip(
        walkers.tolist(), steps.cells.tolist(), steps.found.tolist(), strict=True
    ):
        if not found:
            assert cell == walker
            assert exact[walker] in (0, np.inf)
            continue
        arcs = np.arange(ways.starts[walker], ways.starts[walker + 1])
        length = ways.lengths[arcs[ways.ends[arcs] == cell]].min()
        price = length * (flat[cell] if charge == "enter" else (flat[walker] + flat[cell]) / 2)
        assert exact[walker] == pytest.approx(exact[cell] + price)
    one = distances.step(space.position_of(int(walkers[0])))
    assert int(one.cells) == steps.cells[0]
    np.testing.assert_array_equal(steps.positions, space.position_of(steps.cells))
    # Apart: nobody steps onto another, and nobody away from the goal.
    different = np.unique(walkers)
    one_per_cell = distances.step(space.position_of(different), one_per_cell=True)
    assert len(np.unique(one_per_cell.cells)) == len(different)
    assert (exact[one_per_cell.cells] <= exact[different]).all()


def test_monsters_line_up_and_surround():
    space = fc.Grid(9, 5, tiles=True)
    space.set_walls([0, 1, 2, 3, 18, 19, 20, 21])  # a corridor along row 1 that opens into a room
    hunt = fc.distance_map(space, (7, 2))
    monsters = np.array([(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)])
    together = hunt.step(monsters, one_per_cell=True)
    assert together.positions.tolist() == [[1, 1], [2, 1], [3, 1]], (
        "the foremost goes first, and makes room"
    )
    room = fc.Grid(9, 5, tiles=True, neighbors=8)
    hunt, pack = (
        fc.distance_map(room, (7, 2)),
        np.array([(3.0, 1.0), (3.0, 3.0), (2.0, 3.0), (4.0, 1.0), (5.0, 4.0)]),
    )
    for _ in range(12):
        steps = hunt.step(pack, one_per_cell=True, onto_goals=False)
        assert len(np.unique(steps.cells)) == len(pack)
        pack = steps.positions
    assert np.abs(pack - (7, 2)).max() == 1, "five stand round the player"
    hunt = fc.distance_map(space, (7, 2))
    with refused(OnWall, "walker", "index 1"):
        hunt.step([(3.0, 1.0), (0.0, 0.0)])
    with refused(InvalidValue, "one_per_cell"):
        hunt.step(pack, one_per_cell=1)
