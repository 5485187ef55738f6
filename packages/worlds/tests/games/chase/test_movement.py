"""Movement: agents walk alike on a grid, over a mesh and along waypoints."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft_worlds.games.chase.movement import Movement, movement_on

NOTHING = -1
WALLED = fc.Grid(14, 9, walls=[[3 <= x <= 4 and y < 7 for x in range(14)] for y in range(9)])


def gap_mesh() -> fc.Graph:
    """Two squares with two units between them, and an edge that leads over the gap."""
    corners = np.array(
        [(0, 0), (4, 0), (4, 4), (0, 4), (6, 0), (10, 0), (10, 4), (6, 4)], dtype=float
    )
    mesh = fc.Mesh(corners, [[0, 1, 2, 3], [4, 5, 6, 7]])
    return fc.Graph([(2, 2), (8, 2)], [(0, 1)], mesh=mesh)


def waypoints() -> fc.Graph:
    ways = WALLED.to_graph()
    return fc.Graph(ways.positions, ways.edges, blocked=np.flatnonzero(ways.walls))


def walked(movement: Movement, positions, goals, *, steps: int, speed: float = 3.0):
    """Each moment of agents on their way: positions, velocities, cells, ahead."""
    at = np.array(positions, dtype=float)
    state = at, np.zeros_like(at), movement.cells_of(at), np.full(len(at), NOTHING)
    for _ in range(steps):
        yield state
        state = movement.step(
            *state,
            np.zeros_like(at),
            np.array(goals),
            np.full(len(at), speed),
            0.1,
            np.zeros(len(at), dtype=bool),
        )
    yield state


@pytest.mark.parametrize(
    "space", [WALLED, fc.Grid(12, 7, wrap=True), waypoints()], ids=["grid", "torus", "waypoints"]
)
def test_agents_with_a_goal_get_there_round_walls(space):
    movement = movement_on(space, 1.0, np.ones(len(space), dtype=bool))
    starts = space.position_of([0, 1, 28])
    goals = np.array([12, 12, NOTHING])
    *_, (at, velocities, cells, _) = walked(movement, starts, goals, steps=120)
    assert (cells[:2] == 12).all() or np.abs(
        space.shortest_vectors(space.position_of(12) - at[:2])
    ).max() < 1.5
    assert space.shortest_vectors(starts[2] - at[2]) == pytest.approx(
        0, abs=0.1
    )  # no goal and no wish: it stays
    assert np.isfinite(velocities).all()


def test_on_waypoints_agents_are_on_edges_and_keep_their_speed():
    space = waypoints()
    movement = movement_on(space, 1.0, np.ones(len(space), dtype=bool))
    assert not movement.is_straight
    before = None
    for at, velocities, cells, ahead in walked(
        movement, space.position_of([0, 100]), [12, 5], steps=80, speed=2.0
    ):
        ends = np.where(ahead == NOTHING, cells, ahead)
        starts, stops = space.position_of(cells), space.position_of(ends)
        length = np.linalg.norm(stops - starts, axis=1)
        detour = np.linalg.norm(at - starts, axis=1) + np.linalg.norm(stops - at, axis=1) - length
        assert np.abs(detour).max() < 1e-9
        assert not space.walls[cells].any()
        seen = movement.eyes(at, cells, ahead)
        assert (
            np.linalg.norm(at - seen, axis=1)
            <= np.minimum(np.linalg.norm(at - starts, axis=1), np.linalg.norm(at - stops, axis=1))
            + 1e-9
        ).all()
        if before is not None:
            assert np.linalg.norm(at - before, axis=1).max() <= 0.2 + 1e-9
            assert velocities == pytest.approx((at - before) / 0.1)
        before = at


def test_over_a_gap_leap_those_who_may_and_those_whose_way_leads_there():
    space = gap_mesh()
    movement = movement_on(space, 0.1, np.ones(len(space), dtype=bool))
    place = np.array([[3.0, 1.0], [3.0, 2.0], [3.0, 3.0]])
    cells = movement.cells_of(place)
    wishes = np.tile([1.0, 0.0], (3, 1))
    state = place, np.zeros((3, 2)), cells, np.full(3, NOTHING)
    leapers, goals = np.array([True, False, False]), np.array([NOTHING, NOTHING, 1])
    for _ in range(40):
        state = movement.step(*state, wishes, goals, np.full(3, 3.0), 0.1, leapers)
    assert state[2].tolist() == [1, 0, 1]
    assert state[0][1, 0] <= 4.0 + 1e-6  # the second walked against the rim


def test_the_way_down_a_distance_map_is_a_direction_or_a_vertex():
    for space in (WALLED, waypoints()):
        movement = movement_on(space, 1.0, np.ones(len(space), dtype=bool))
        at = space.position_of([30, 40])
        ways, following = movement.downhill_step(
            fc.distance_map(space, space.position_of(12)),
            at,
            np.array([30, 40]),
            np.full(2, NOTHING),
        )
        if movement.is_straight:
            assert (following == NOTHING).all() and np.linalg.norm(ways, axis=1) == pytest.approx(
                1, abs=1e-5
            )
        else:
            assert not ways.any() and all(
                after in space.neighbors_of(cell)
                for cell, after in zip((30, 40), following, strict=True)
            )
