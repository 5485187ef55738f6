"""Pitch control: who would have the ball where."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from research.experiments.pitch_control import pitch_control
from support.examples import examples

STILL = np.zeros((1, 2))
LINE = np.column_stack([np.linspace(-30, 30, 41), np.zeros(41)])


def test_between_two_who_stand_it_is_even_in_the_middle_and_falls_from_one_to_the_other() -> None:
    found = pitch_control(
        LINE, (np.array([[-20.0, 0]]), np.array([[20.0, 0]])), (STILL, STILL), np.array([0.0, 5.0])
    )
    assert abs(found[20] - 0.5) < 1e-12
    assert (np.diff(found) <= 1e-12).all()
    assert found[0] > 0.95
    assert found[-1] < 0.05


def test_who_runs_there_has_it_sooner() -> None:
    pair = (np.array([[-20.0, 0]]), np.array([[20.0, 0]]))
    runs = pitch_control(LINE[20:21], pair, (np.array([[5.0, 0]]), STILL), np.zeros(2))
    leaves = pitch_control(LINE[20:21], pair, (np.array([[-5.0, 0]]), STILL), np.zeros(2))
    assert runs[0] > 0.6
    assert leaves[0] < 0.4


def test_a_team_alone_controls_all() -> None:
    found = pitch_control(
        LINE, (np.array([[0.0, 30.0]]), np.empty((0, 2))), (STILL, np.empty((0, 2))), np.zeros(2)
    )
    np.testing.assert_allclose(found, 1.0)


@given(st.integers(0, 10_000))
@examples(10)
def test_the_teams_share_and_another_player_never_loses_ground(seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = rng.uniform((-50, -30), (50, 30), (30, 2))
    sides = [rng.uniform((-50, -30), (50, 30), (count, 2)) for count in (5, 7)]
    moves = [rng.normal(0, 3, side.shape) for side in sides]
    ball = rng.uniform((-50, -30), (50, 30))
    one = pitch_control(places, (sides[0], sides[1]), (moves[0], moves[1]), ball)
    other = pitch_control(places, (sides[1], sides[0]), (moves[1], moves[0]), ball)
    np.testing.assert_allclose(one + other, 1.0)
    assert one.min() >= 0
    joined = np.append(sides[0], rng.uniform((-50, -30), (50, 30), (1, 2)), axis=0)
    more = pitch_control(
        places, (joined, sides[1]), (np.append(moves[0], [[0.0, 0.0]], axis=0), moves[1]), ball
    )
    assert (more >= one - 0.01).all()  # sums stop at 99 %
