"""What units can hit within a turn, and who gets to each cell first."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.query import first_arrival
from support.rooms import arena


@pytest.mark.parametrize("kind", ["grid", "hexagons", "graph"])
@pytest.mark.parametrize("seed", range(3))
def test_who_arrives_first(seed: int, kind: str) -> None:
    grid = arena(seed)
    space = fc.HexGrid(14, 9, walls=grid.walls) if kind == "hexagons" else grid
    ours, theirs = space.position_of([0, 3]), space.position_of([8 * 14 + 12])
    space = grid.to_graph() if kind == "graph" else space
    arrival = first_arrival(space, ours, theirs, our_speed=[1.0, 3.0], their_speed=2.0, margin=0.5)
    mine = np.minimum(
        fc.distance_map(space, ours[0]).exact, fc.distance_map(space, ours[1]).exact / 3
    )
    other = fc.distance_map(space, theirs).exact / 2
    assert np.allclose(arrival.ours, mine)
    assert np.allclose(arrival.theirs, other)
    assert np.array_equal(arrival.safe, mine + 0.5 < other)
    assert np.array_equal(arrival.lost, other + 0.5 < mine)
    some = arrival.safe.astype(int) + arrival.contested + arrival.lost
    assert np.array_equal(some, (np.isfinite(mine) | np.isfinite(other)).astype(int))
    swapped = first_arrival(space, theirs, ours, our_speed=2.0, their_speed=[1.0, 3.0], margin=0.5)
    assert np.array_equal(swapped.safe, arrival.lost)
    assert swapped.contact_time == arrival.contact_time


def test_time_to_contact() -> None:
    arrival = first_arrival(fc.Grid(11, 2), (0.5, 0.5), (10.5, 0.5), our_speed=1.5)
    assert arrival.contact_time == 4
    assert arrival.contact.tolist() == [6.5, 0.5]
    apart = fc.Grid(walls=[[0, 1, 0]])
    never = first_arrival(apart, (0.5, 0.5), (2.5, 0.5))
    assert never.contact_time == math.inf
    assert np.isnan(never.contact).all()
    assert never.contested.sum() == 0
    assert (never.safe.sum(), never.lost.sum()) == (1, 1)


@pytest.mark.parametrize(
    ("cells", "size", "ours", "our_speed", "theirs", "their_speed", "tied"),
    [(7, 0.7, 4, 1.1, 0, 3.3, 6), (5, 0.1, 1, 3.0, 3, 9.0, 0), (6, 0.7, 3, 3.0, 4, 4.5, 1)],
)
def test_rounding_decides_no_tie(
    cells: int, size: float, ours: int, our_speed: float, theirs: int, their_speed: float, tied: int
) -> None:
    """Both sides are in a cell at the same time, up to the last bit of the time."""
    space = fc.Grid(cells, 1, cell_size=size)
    places = space.position_of(ours), space.position_of(theirs)
    arrival = first_arrival(space, *places, our_speed=our_speed, their_speed=their_speed)
    assert arrival.ours[0, tied] != arrival.theirs[0, tied]
    assert arrival.contested[0, tied]
    swapped = first_arrival(space, *places[::-1], our_speed=their_speed, their_speed=our_speed)
    assert swapped.contested[0, tied]


def test_bad_sides_are_refused() -> None:
    space = fc.Grid(walls=[[0, 0, 1]])
    with pytest.raises(InvalidValue, match="our_speed"):
        first_arrival(space, (0.5, 0.5), (1.5, 0.5), our_speed=0)
    with pytest.raises(InvalidValue, match="margin"):
        first_arrival(space, (0.5, 0.5), (1.5, 0.5), margin=-1)
    with pytest.raises(OnWall):
        first_arrival(space, (0.5, 0.5), (2.5, 0.5))


def test_a_side_that_hardly_moves_comes_never():
    lane = fc.Grid(4, 1)
    arrival = first_arrival(lane, (0.5, 0.5), (3.5, 0.5), our_speed=1e-320)
    assert arrival.ours.tolist() == [[0, np.inf, np.inf, np.inf]]
