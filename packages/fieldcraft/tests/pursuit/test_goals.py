"""Motions with goals."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.pursuit.motion import (
    DoubleBack,
    Hide,
    Journey,
    Run,
    Wander,
)


class TestReadyMotions:
    def test_one_who_runs_is_ahead(self) -> None:
        field = fc.Grid(61, 41, neighbors=8)
        means = {}
        for name, motion in {
            "runs": Run(),
            "wanders": Wander(),
            "back": DoubleBack(turn=(2.0, 2.0)),
        }.items():
            belief = fc.Belief(field, 1.0, motion=motion)
            belief.see((30.5, 20.5), velocity=(1.0, 0.0))
            belief.advance(12.0)
            means[name] = belief.estimate("mean")[0]
        assert means["wanders"] == pytest.approx(30.5, abs=1e-6)
        assert means["runs"] > 36
        assert means["back"] < 29

    def test_one_who_hides_is_where_few_see(self) -> None:
        walls = np.zeros((15, 21), dtype=bool)
        walls[5:10, 8] = True
        grid = fc.Grid(21, 15, walls=walls, neighbors=8)
        belief = fc.Belief(grid, 1.0, motion=Hide(near=(2, 9), stray=0.0))
        belief.see((4.5, 7.5))
        belief.advance(40.0)
        seen = fc.visible(grid, (4.5, 7.5), 10.0)
        assert belief.probability()[~seen].sum() > 0.95
        settled = belief.probability()
        belief.advance(20.0)
        np.testing.assert_allclose(belief.probability(), settled, atol=0.02)

    def test_one_who_goes_somewhere_arrives_as_often_as_it_draws(self) -> None:
        hall = fc.Grid(21, 3, neighbors=4)
        belief = fc.Belief(
            hall,
            1.0,
            motion=Journey([(0.5, 1.5), (20.5, 1.5), (20.6, 1.4)], weights=[1, 1, 2], stray=0.0),
        )
        belief.see((10.5, 1.5))
        belief.advance(40.0)
        chance = belief.probability()
        assert (chance[1, 0], chance[1, 20]) == pytest.approx((0.25, 0.75), abs=0.02)

    def test_a_goal_on_the_way_to_another_is_passed_by_who_goes_on(self) -> None:
        hall = fc.Grid(15, 1)
        belief = fc.Belief(
            hall, 1.0, motion=Journey([(5.5, 0.5), (14.5, 0.5)], stray=0.0, stay=0.0)
        )
        belief.see((0.5, 0.5))
        belief.step(30)
        assert (belief.probability()[0, [5, 14]]).tolist() == pytest.approx([0.5, 0.5], abs=0.01)

    def test_a_slower_pace_gets_less_far(self) -> None:
        hall = fc.Grid(61, 1)
        belief = fc.Belief(hall, 1.0, motion=Journey([(60.5, 0.5)], stray=0.0, stay=0.0, pace=0.25))
        belief.see((0.5, 0.5))
        belief.step(40)
        assert belief.estimate("mean")[0] == pytest.approx(10.5, abs=1e-4)
