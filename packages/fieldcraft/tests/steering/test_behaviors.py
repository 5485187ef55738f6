"""Each behavior wants what Reynolds says it wants."""

from __future__ import annotations

import math

import numpy as np

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.paths import distance_map, flow_field
from fieldcraft.steering import (
    accelerate,
    arrive,
    evade,
    flee,
    follow_flow,
    pursue,
    seek,
    wander,
)
from support.refusals import refused

AT = np.array([[1.0, 1.0], [4.0, 5.0], [2.0, 2.0]])
STILL = np.zeros((3, 2))


def test_seek_and_flee_at_full_speed() -> None:
    np.testing.assert_allclose(
        seek(AT, STILL, (1, 1), 10.0), [(0, 0), (-6, -8), (-math.sqrt(50), -math.sqrt(50))]
    )
    np.testing.assert_allclose(seek(AT, (1, 2), (1, 1), 10.0)[1], (-7, -10))
    np.testing.assert_allclose(
        seek(AT, STILL, np.add(AT, (0, 2)), [1, 2, 3]), [(0, 1), (0, 2), (0, 3)]
    )
    np.testing.assert_allclose(flee(AT, STILL, (1, 1), 10.0), -seek(AT, STILL, (1, 1), 10.0))
    np.testing.assert_allclose(
        flee(AT, (1, 1), (1, 1), 10.0, within=2.0),
        [(0, 0), (0, 0), (math.sqrt(50) - 1, math.sqrt(50) - 1)],
    )
    assert seek((1, 1), (0, 0), (4, 5), 10.0).tolist() == [6, 8]
    assert flee((4, 5), (0, 0), (1, 1), 10.0).shape == (2,)


def test_who_seeks_gets_there_and_who_arrives_stays() -> None:
    at, moving = np.array([[0.0, 0.0], [9.0, -4.0]]), np.zeros((2, 2))
    for _ in range(400):
        moving = accelerate(
            moving,
            6 * arrive(at, moving, (5, 5), 2.0, slowing=1.5),
            0.05,
            max_speed=2.0,
            max_force=20.0,
        )
        at = at + moving * 0.05
    np.testing.assert_allclose(at, [(5, 5), (5, 5)], atol=1e-3)
    np.testing.assert_allclose(moving, 0, atol=1e-3)


def test_arrive_slows_down_evenly() -> None:
    force = arrive([(0, 0), (8, 0), (9, 0), (10, 0)], np.zeros((4, 2)), (10, 0), 4.0, slowing=4.0)
    np.testing.assert_allclose(force, [(4, 0), (2, 0), (1, 0), (0, 0)])


def test_pursue_leads_the_target() -> None:
    force = pursue(
        (0, 0), (0, 0), (10, 0), (0, 1), 5.0, horizon=9.0
    )  # 2 s away, so it will be at (10, 2)
    np.testing.assert_allclose(force, np.array([10, 2]) / math.hypot(10, 2) * 5)
    np.testing.assert_allclose(pursue((0, 0), (0, 0), (10, 0), (0, 1), 5.0, horizon=0.0), (5, 0))
    np.testing.assert_allclose(evade((0, 0), (0, 0), (10, 0), (0, 1), 5.0, horizon=9.0), -force)
    assert evade((0, 0), (1, 0), (10, 0), (0, 1), 5.0, horizon=9.0, within=5.0).tolist() == [0, 0]
    assert pursue((0, 0), (0, 0), (10, 0), (0, 1), 0.0, horizon=2.0).tolist() == [0, 0]
    assert pursue(AT, STILL, AT, STILL, 2.0, horizon=1.0).shape == (3, 2)


def test_wander_turns_a_little_at_a_time() -> None:
    rng = np.random.default_rng(5)
    moving, angles = np.tile([[1.0, 0.0]], (500, 1)), np.zeros(500)
    forces, turned = wander(moving, angles, rng, max_speed=1.0, jitter=12.0, wildness=0.5)
    wanted = moving + forces
    np.testing.assert_allclose(np.hypot(*wanted.T), 1)
    assert 9 < turned.std() < 15
    assert (np.abs(np.arctan2(wanted[:, 1], wanted[:, 0])) <= math.asin(0.5) + 1e-9).all()
    again = wander(
        moving, angles, np.random.default_rng(5), max_speed=1.0, jitter=12.0, wildness=0.5
    )
    assert again[0].tobytes() == forces.tobytes()
    straight, _ = wander(moving, angles, rng, max_speed=3.0, wildness=0.0)
    np.testing.assert_allclose(straight, np.tile([[2.0, 0.0]], (500, 1)))
    assert wander([], [], rng, max_speed=1.0)[0].shape == (0, 2)
    np.testing.assert_allclose(
        wander(STILL, 0.0, rng, max_speed=2.0, wildness=0)[0], np.tile([[2.0, 0.0]], (3, 1))
    )
    many = np.zeros(3)
    for _ in range(300):
        _, many = wander(STILL, many, rng, max_speed=1.0, jitter=120.0)
        assert (np.abs(many) <= 180).all()


def test_follow_flow() -> None:
    space = fc.Grid(12, 5, neighbors=8)
    flow = flow_field(distance_map(space, (11.5, 2.5)))
    np.testing.assert_allclose(
        follow_flow([(2.5, 2.5), (11.5, 2.5)], (1, 0), flow, 3.0), [(2, 0), (-1, 0)], atol=1e-6
    )
    with refused(OutsideMap):
        follow_flow((99, 2.5), (0, 0), flow, 3.0)
    assert follow_flow((99, 2.5), (1, 0), flow, 3.0, outside="clamp").tolist() == [-1, 0]
    with refused(InvalidValue, "flow"):
        follow_flow((1, 1), (0, 0), "north", 3.0)  # type: ignore[arg-type]


def test_accelerate() -> None:
    np.testing.assert_allclose(accelerate([(1, 0), (3, 0)], (0, 2), 0.5, max_speed=2.0)[0], (1, 1))
    np.testing.assert_allclose(
        np.hypot(*accelerate([(1, 0), (3, 0)], (0, 2), 0.5, max_speed=2.0)[1]), 2
    )
    strong = accelerate([(0, 0), (0, 0)], [(1, 2), (3, 4)], 2, max_speed=9, max_force=[9, 2.5])
    np.testing.assert_allclose(strong, [(2, 4), (3, 4)])
    assert accelerate((1, 0), (0, 0), 1, max_speed=0).tolist() == [0, 0]
    assert accelerate([], [], 1, max_speed=1).shape == (0, 2)
    with refused(InvalidValue, "dt"):
        accelerate((1, 0), (0, 0), -1, max_speed=1)
    with refused(InvalidValue, "Velocities"):
        accelerate(3, (0, 0), 1, max_speed=1)
    with refused(InvalidValue, "max_force"):
        accelerate((1, 0), (0, 0), 1, max_speed=1, max_force=-1)


def test_bad_input_is_refused() -> None:
    for call in (seek, flee):
        with refused(InvalidValue, "(2, 2)"):
            call(AT, np.zeros((2, 2)), (1, 1), 1.0)
        with refused(InvalidValue, "finite"):
            call(AT, STILL, (math.inf, 1), 1.0)
        with refused(InvalidValue, "max_speed"):
            call(AT, STILL, (1, 1), -1.0)
        with refused(InvalidValue, "max_speed"):
            call(AT, STILL, (1, 1), [1, 2])
        with refused(InvalidValue, "Positions"):
            call([(1, 2, 3)], STILL, (1, 1), 1.0)
        assert call([], [], (1, 1), 1.0).shape == (0, 2)
    with refused(InvalidValue, "slowing"):
        arrive(AT, STILL, (1, 1), 1.0, slowing=0)
    with refused(InvalidValue, "horizon"):
        pursue(AT, STILL, AT, STILL, 1.0, horizon=-1)
    with refused(InvalidValue, "within"):
        flee(AT, STILL, (1, 1), 1.0, within=-1)
    with refused(InvalidValue, "Generator"):
        wander(STILL, 0, 7, max_speed=1)  # type: ignore[arg-type]
    with refused(InvalidValue, "angles"):
        wander(STILL, [0, 0], np.random.default_rng(), max_speed=1)
