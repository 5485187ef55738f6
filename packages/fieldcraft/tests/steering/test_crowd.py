"""A crowd's step is what the single verbs give one after the other, and crowds get where they want
to without entering walls.
"""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.paths import distance_map, flow_field
from support.crowds import World
from support.refusals import refused

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=25)
@given(seeds)
def test_a_step_is_the_verbs_one_after_the_other(seed: int) -> None:
    world = World(seed)
    space, size, rng = world.space, world.size, world.rng
    radius, apart, ahead = (
        float(rng.choice(choice)) * size for choice in ([0, 0.3], [0, 1.5], [0, 1.7])
    )
    crowd = steering.Crowd(
        space,
        radius=radius,
        separation_radius=apart,
        ahead=ahead,
        response=5.0,
        separation=3.0,
        avoidance=2.0,
    )
    at, moving, dt = world.agents(60, room=0.3), rng.normal(size=(60, 2)) * size, 0.2
    top, most = (rng.random(60) + 0.5) * 2 * size, 8 * size
    flow = flow_field(distance_map(space, space.position_of(world.open_cells[:1])))
    for wish in (flow, rng.normal(size=(60, 2)) * size):
        follow = steering.follow_flow(at, moving, wish, top) if wish is flow else wish - moving
        pushes = (
            steering.separation(steering.Neighbors(at, apart, space=space), strength=top)
            if apart
            else np.zeros((60, 2))
        )
        avoid = steering.avoid_walls(space, at, moving, ahead) if ahead else np.zeros((60, 2))
        force = 5 * follow + 3 * pushes + 2 * avoid
        fast = steering.accelerate(moving, force, dt, max_speed=top, max_force=most)
        expected = steering.move(space, at, fast * dt, radius=radius)
        places, velocities = crowd.step(at, moving, wish, dt, max_speed=top, max_force=most)
        gap = places - expected
        gap = space.shortest_vectors(gap)
        np.testing.assert_allclose(gap, 0, atol=1e-9 * np.abs(at).max() + 1e-7 * size)
        untouched = np.abs(velocities - fast).max(axis=1) <= 1e-9 * size
        traveled = places - at
        traveled = space.shortest_vectors(traveled)
        short = np.hypot(*(fast * dt).T) < 0.4 * min(space.size)
        np.testing.assert_allclose(
            velocities[~untouched & short],
            traveled[~untouched & short] / dt,
            atol=1e-9 * np.abs(at).max() / dt,
        )


def test_a_crowd_goes_through_a_door_to_its_goal_and_keeps_apart() -> None:
    walls = np.zeros((21, 40), dtype=bool)
    walls[:, 20] = True
    walls[9:12, 20] = False
    space = fc.Grid(40, 21, walls=walls, neighbors=8)
    flow = flow_field(distance_map(space, [(39.5, y + 0.5) for y in range(21)]))
    rng = np.random.default_rng(2)
    at, moving = rng.random((150, 2)) * (10, 20) + 0.5, np.zeros((150, 2))
    crowd = steering.Crowd(space, radius=0.3, separation_radius=0.8)
    for step in range(900):
        at, moving = crowd.step(at, moving, flow, 1 / 30, max_speed=3.0, max_force=30.0)
        assert not space.walls.reshape(-1)[space.cell_at(at)].any()
        assert (np.hypot(*moving.T) <= 3.0 + 1e-9).all()
        if step == 150:
            waiting = at[at[:, 0] < 20]
            assert (steering.Neighbors(waiting, 0.1).counts() > 0).mean() < 0.1
    assert (at[:, 0] > 37).mean() > 0.95


def test_wants_a_velocity_and_gets_it() -> None:
    crowd = steering.Crowd(fc.Grid(90, 70), separation_radius=0)
    at, moving = np.array([[10.0, 10.0]]), np.zeros((1, 2))
    for _ in range(100):
        at, moving = crowd.step(at, moving, [(1.5, 0.5)], 0.1, max_speed=4.0)
    np.testing.assert_allclose(moving, [(1.5, 0.5)], atol=1e-6)


def test_who_runs_into_a_wall_keeps_only_what_goes_along_it() -> None:
    space = fc.Grid(9, 7)
    crowd = steering.Crowd(space, separation_radius=0, ahead=0, response=0)
    at, moving = crowd.step([(8.5, 3.5)], [(3.0, 1.0)], [(0, 0)], 1.0, max_speed=9.0)
    np.testing.assert_allclose(at, [(9, 4.5)], atol=1e-5)
    np.testing.assert_allclose(moving, [(0.5, 1.0)], atol=1e-5)
    at, moving = crowd.step(at, moving, [(0, 0)], 1.0, max_speed=9.0)
    np.testing.assert_allclose(moving, [(0.0, 1.0)], atol=1e-5)


def test_who_is_walled_in_is_put_out() -> None:
    space = fc.Grid(9, 7)
    space.set_walls(space.cell_at((4.5, 3.5)))
    at, _ = steering.Crowd(space).step(
        [(4.4, 3.5), (1.5, 1.5)], (0, 0), [(0, 0), (0, 0)], 0.1, max_speed=1.0
    )
    assert not space.walls.reshape(-1)[space.cell_at(at)].any()


def test_none_and_one() -> None:
    space = fc.Grid(9, 7)
    crowd = steering.Crowd(space)
    assert [part.shape for part in crowd.step([], [], [], 0.1, max_speed=1.0)] == [(0, 2), (0, 2)]
    flow = flow_field(distance_map(space, (1, 1)))
    assert [part.shape for part in crowd.step([], [], flow, 0.1, max_speed=[])] == [(0, 2), (0, 2)]
    assert crowd.step([(1, 1)], [(0, 0)], flow, 0.1, max_speed=0)[0].tolist() == [[1, 1]]


def test_bad_input_is_refused() -> None:
    space = fc.Grid(9, 7)
    crowd, at = steering.Crowd(space), [(1, 1), (2, 1)]
    for name in ("radius", "separation_radius", "ahead", "response", "separation", "avoidance"):
        with refused(InvalidValue, name):
            steering.Crowd(space, **{name: -1.0})
    for kind, word, call in (
        (InvalidValue, "half a cell", lambda: steering.Crowd(space, radius=0.7)),
        (InvalidValue, "Grid", lambda: steering.Crowd("meadow")),
        (InvalidValue, "dt", lambda: crowd.step(at, at, at, 0, max_speed=1)),
        (InvalidValue, "max_speed", lambda: crowd.step(at, at, at, 0.1, max_speed=-1)),
        (
            InvalidValue,
            "max_force",
            lambda: crowd.step(at, at, at, 0.1, max_speed=1, max_force=math.nan),
        ),
        (
            InvalidValue,
            "max_force",
            lambda: crowd.step(at, at, at, 0.1, max_speed=1, max_force=-math.inf),
        ),
        (InvalidValue, "cells", lambda: crowd.step(at, at, at, 10.0, max_speed=1e6)),
        (InvalidValue, "Desired", lambda: crowd.step(at, at, [(1, 1)], 0.1, max_speed=1)),
        (
            InvalidValue,
            "Velocities",
            lambda: crowd.step(at, [(math.nan, 0), (0, 0)], at, 0.1, max_speed=1),
        ),
        (
            InvalidValue,
            "one (x, y) pair",
            lambda: crowd.step((1, 1), (0, 0), (0, 0), 0.1, max_speed=1),
        ),
        (
            InvalidValue,
            "own grid",
            lambda: crowd.step(
                at, at, flow_field(distance_map(fc.Grid(9, 7), (1, 1))), 0.1, max_speed=1
            ),
        ),
        (
            OutsideMap,
            "(9.0, 1.0)",
            lambda: crowd.step([(1, 1), (9, 1)], (0, 0), (0, 0), 0.1, max_speed=1),
        ),
    ):
        with refused(kind, word):
            call()


def test_a_crowd_walks_as_its_parts_do_and_keeps_the_velocity_along_walls() -> None:
    cave = fc.generate_map("cave", 90, 60, seed=3, neighbors=8)
    flow = fc.flow_field(fc.distance_map(cave, cave.open_near((80.5, 50.5))))
    dice = np.random.default_rng(3)
    positions = cave.open_near(dice.uniform((2, 2), (88, 58), (300, 2)))
    velocities = np.zeros((300, 2))
    crowd = steering.Crowd(cave, radius=0.3, separation_radius=1.0, ahead=1.5)
    places, paces, touched = positions, velocities, 0
    for _ in range(20):
        places, paces = crowd.step(places, paces, flow, 1 / 60, max_speed=3.0, max_force=30)
        near = steering.Neighbors(positions, radius=1.0)
        force = 8 * steering.follow_flow(positions, velocities, flow, max_speed=3.0)
        force += 8 * steering.separation(near, strength=3.0)
        force += 4 * steering.avoid_walls(cave, positions, velocities, ahead=1.5)
        velocities = steering.accelerate(velocities, force, dt=1 / 60, max_speed=3.0, max_force=30)
        moved = steering.move(cave, positions, velocities / 60, radius=0.3)
        at_walls = (moved != positions + velocities / 60).any(axis=1)
        velocities[at_walls] = (moved - positions)[at_walls] * 60
        positions, touched = moved, touched + np.count_nonzero(at_walls)
        assert np.abs(places - positions).max() < 1e-9
    assert touched > 50
