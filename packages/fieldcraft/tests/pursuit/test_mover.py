"""Motions of one's own, and random walks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit.motion import (
    Lost,
    Motion,
    Mover,
    Stand,
    Wander,
)
from support.refusals import refused
from support.worlds import KINDS, open_cells


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6)
@given(seed=st.integers(0, 2**20))
def test_one_that_wanders_is_the_plain_belief_bit_for_bit(kind: str, seed: int) -> None:
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    if not len(space.adjacency.ends):
        return
    ways: list[Any] = [
        None,
        Wander(),
        {"it": (1.0, Wander()), "never": (0, Stand())},
        Motion(0, 0, 0, 0, wanders=2.0),
    ]
    beliefs = [fc.Belief(space, 2.0, motion=motion) for motion in ways]
    start = int(dice.choice(open_cells(space)))
    view = dice.random(space.shape) < 0.3
    for belief in beliefs:
        belief.see(space.position_of(start))
        belief.step(3)
        belief.observe(view, missed=0.25)
        belief.report(space.position_of(start), 2.0)
        belief.step(2)
    assert len({belief.probability().tobytes() for belief in beliefs}) == 1


def test_a_way_of_moving_of_ones_own() -> None:
    @dataclass(frozen=True)
    class East(Mover):
        faster: float = 1.0

        def chances(self, lost: Lost) -> NDArray[np.float64]:
            places, ways = lost.space.positions, lost.space.adjacency
            east = places[ways.ends, 0] > places[ways.origins, 0]
            return np.where(east, self.faster, 0.0) * lost.slower()

    hall = fc.Grid(9, 2)
    belief = fc.Belief(hall, 1.0, motion=East())
    belief.see((1.5, 0.5))
    belief.step(4)
    assert belief.estimate().tolist() == [5.5, 0.5]
    assert belief.hypotheses() == {"east": 1.0}
    for faster, rule in (
        (1.5, "sum to at most 1"),
        (-0.1, "at least 0"),
        (np.nan, "at least 0"),
    ):
        wrong = fc.Belief(hall, 1.0, motion=East(faster))
        with refused(InvalidValue, rule, "East"):
            wrong.step()

    @dataclass(frozen=True)
    class Fast(East):
        def chances(self, lost: Lost) -> NDArray[np.float64]:
            return super().chances(lost) / lost.slower()

    with refused(InvalidValue, "no faster than its target", "Fast"):
        fc.Belief(hall, 1.0, every=0.5, motion=Fast()).step()

    @dataclass(frozen=True)
    class Short(Mover):
        def chances(self, lost: Lost) -> NDArray[np.float64]:
            return np.zeros(3)

    with refused(InvalidValue, "a number for each step", "shape (3,)"):
        fc.Belief(hall, 1.0, motion=Short()).step()
