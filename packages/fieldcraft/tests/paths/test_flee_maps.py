"""Flee maps: the way to safety."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.paths import distance_map, flee_map
from support import grids
from support.refusals import refused


@settings(max_examples=25, deadline=None)
@given(world=grids.worlds(14), strength=st.sampled_from([1.01, 1.2, 3.0]))
def test_every_cell_is_a_place_to_run_to_for_what_it_is_worth(
    world: grids.World, strength: float
) -> None:
    space = world.grid()
    arguments = world.arguments(space)
    if arguments is None:
        return
    danger = distance_map(space, arguments[0], **arguments[1])
    away = danger.exact
    top = away.max(where=np.isfinite(away), initial=0)
    lacking = strength * (top - np.where(np.isfinite(away), away, top))
    open_ = np.flatnonzero(~danger.walls)
    expected = distance_map(
        space,
        space.position_of(open_),
        cost=arguments[1].get("cost"),
        start_costs=lacking.reshape(-1)[open_],
    )
    flee = flee_map(danger, strength=strength)
    if lacking.any():
        assert np.array_equal(flee.exact, expected.exact)
    else:
        np.testing.assert_allclose(flee.exact, expected.exact, rtol=1e-12)
    assert np.array_equal(flee.values, flee.exact.astype(np.float32))


def corridor() -> fc.Grid:
    """A corridor with a dead end on the left and much room on the right."""
    walls = np.zeros((5, 40), dtype=bool)
    walls[:2, :12] = walls[3:, :12] = True
    return fc.Grid(40, 5, walls=walls, neighbors=8)


def test_one_does_not_run_into_the_dead_end_while_there_is_time() -> None:
    space = corridor()
    threat, runner = (12.5, 0.5), (8.5, 2.5)
    danger = distance_map(space, threat)
    uphill = danger.sample((0.5, 2.5)) - danger.sample(runner)
    assert uphill > 0  # the dead end is farther from the threat than the runner is
    flee = flee_map(danger, strength=2.5)
    assert flee.descend(runner).positions[-1, 0] > 35
    assert flee.values.min() == 0


def test_one_who_is_too_far_in_stays() -> None:
    flee = flee_map(distance_map(corridor(), (12.5, 2.5)), strength=1.2)
    assert flee.descend((3.5, 2.5)).positions[-1].tolist() == [0.5, 2.5]


def test_beyond_the_limit_is_safe() -> None:
    space = fc.Grid(20, 3)
    flee = flee_map(distance_map(space, (0.5, 0.5), limit=5))
    assert np.array_equal(flee.values[0, 6:], np.zeros(14))
    assert (
        flee.descend((2.5, 0.5)).positions[-1].tolist() == [6.5, 0.5] or flee.sample((2.5, 0.5)) < 5
    )


def test_repair_follows_danger_walls_and_costs() -> None:
    space = fc.Grid(20, 9, neighbors=8)
    danger = distance_map(space, (3.5, 4.5))
    flee = flee_map(danger)
    flee.values
    assert len(flee.repair()) == 0
    space.set_walls(np.arange(5) * 20 + 8)
    assert flee.outdated
    assert flee.repair() is None
    assert not flee.outdated
    assert flee.version == 1
    assert np.array_equal(flee.exact, flee_map(distance_map(space, (3.5, 4.5))).exact)
    danger.repair(cost=1 + np.random.default_rng(1).random(space.shape))
    assert flee.outdated
    kept = flee.exact
    assert np.array_equal(flee.exact, kept)
    flee.repair()
    assert np.array_equal(flee.exact, flee_map(danger).exact)


@pytest.mark.parametrize("strength", [1, 0.5, -2, np.nan, "far"])
def test_strengths_that_lead_nowhere_are_refused(strength: object) -> None:
    with pytest.raises(InvalidValue):
        flee_map(distance_map(fc.Grid(3, 2), (0.5, 0.5)), strength=strength)  # type: ignore[arg-type]


def test_something_other_than_a_distance_map_is_refused() -> None:
    with pytest.raises(InvalidValue, match="distance map"):
        flee_map(fc.Grid(3, 2))  # type: ignore[arg-type]


def test_a_flee_map_has_the_size_of_its_danger() -> None:
    danger = fc.distance_map(fc.Grid(7, 5), (1.5, 1.5), size=2)
    assert fc.flee_map(danger).size == 2


def test_a_copied_flee_map_follows_its_own_danger() -> None:
    space = fc.Grid(20, 9, neighbors=8)
    flee = flee_map(distance_map(space, (3.5, 4.5), size=1), strength=1.5)
    flee.values
    space.set_walls(np.arange(5) * 20 + 8)
    flee.danger.repair()
    flee.repair()
    for other in (copy.deepcopy(flee), pickle.loads(pickle.dumps(flee))):
        assert (other.strength, other.size, other.version) == (1.5, 1, flee.version)
        np.testing.assert_array_equal(other.values, flee.values)
        other.space.set_walls(np.arange(4, 9) * 20 + 12)
        assert other.danger.space is other.space
        assert other.outdated
        other.repair()
        assert (other.values != flee.values).any()
        danger = distance_map(other.space, (3.5, 4.5))
        np.testing.assert_allclose(other.exact, flee_map(danger, strength=1.5).exact)
    assert not flee.outdated


def test_a_strength_is_bounded():
    with refused(InvalidValue, "at most 1e"):
        fc.flee_map(fc.distance_map(fc.Grid(4, 1), (0.5, 0.5)), strength=1.7e308)
