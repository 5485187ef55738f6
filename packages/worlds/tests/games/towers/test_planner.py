"""What planners forecast, and what follows from it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft_worlds.games.towers import Settings
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import Regroup, Strike
from fieldcraft_worlds.games.towers.planner import AI_OF, Planner
from fieldcraft_worlds.games.towers.rules import start
from fieldcraft_worlds.games.towers.settings import COMMANDERS, HUMAN
from fieldcraft_worlds.games.towers.state import State, Units

RULES = Settings(towers=3, units=40, limit=60)


def opened(settings: Settings = RULES, seed: int = 4) -> tuple[TowersDerived, State]:
    derived = TowersDerived(fc.generate_map("open", 64, 40, seed=2, neighbors=8), settings)
    state = replace(start(derived, np.random.default_rng(seed)), begun=True)
    derived.follow(state)
    return derived, state


def with_units(
    derived: TowersDerived, state: State, count: int, *, team: int, squad: int, cell: int
) -> State:
    first = int(state.units.ids.max(initial=999)) + 1
    new = Units(
        ids=np.arange(first, first + count),
        teams=np.full(count, team),
        squads=np.full(count, squad),
        positions=np.repeat(derived.space.position_of(cell)[None], count, axis=0),
        velocities=np.zeros((count, 2)),
        health=np.full(count, 80.0),
        ready=np.zeros(count, dtype=np.int64),
    )
    found = replace(state, units=state.units.joined(new))
    derived.follow(found)
    return found


def planner() -> Planner:
    found = AI_OF["planner"]
    assert isinstance(found, Planner)
    return found


@pytest.mark.parametrize("name", sorted(AI_OF))
def test_everybody_tells_why_it_strikes_where(name: str) -> None:
    derived, state = opened()
    reason = AI_OF[name].reasons(derived, state, 0)
    assert reason
    rows, words = zip(*reason, strict=True)
    assert (state.towers.teams[list(rows)] == 1).all()
    assert all("cells" in each for each in words)
    ready = with_units(derived, state, 30, team=0, squad=0, cell=int(derived.rings[0][0]))
    struck = [
        order.tower for order in AI_OF[name].decide(derived, ready, 0) if isinstance(order, Strike)
    ]
    best = AI_OF[name].reasons(derived, ready, 0)[0][0]
    assert int(state.towers.ids[best]) in struck


def test_settings_and_leaders_name_the_same_commanders() -> None:
    assert set(COMMANDERS) - {HUMAN} == set(AI_OF)


def test_a_forecast_leaves_the_game_as_it_is() -> None:
    derived, state = opened()
    before = {layer: derived.imap[layer].values.copy() for layer in RULES.teams}
    found = planner().forecasts(derived, state, 0, 12)
    assert found
    for name, values in before.items():
        np.testing.assert_array_equal(derived.imap[name].values, values)
    assert planner().forecasts(derived, state, 0, 12) == found


@pytest.mark.parametrize("size", [1, 12, 30])
def test_to_ask_only_for_the_ground_that_counts_changes_no_forecast(size: int) -> None:
    derived, state = opened()
    every = planner().forecasts(derived, state, 0, size)
    some = planner().forecasts(derived, state, 0, size, every_ground=False)
    assert some == [
        each if other.ground is not None else replace(each, ground=None)
        for each, other in zip(every, some, strict=True)
    ]
    assert all(
        (each.ground is None) == (size * max(1 - each.lost, 0) <= each.needed) for each in some
    )


def test_both_teams_try_strikes_on_one_copy_that_is_put_back() -> None:
    derived, state = opened()
    planner().forecasts(derived, state, 0, 12)
    twin = derived.twin()
    planner().forecasts(derived, state, 1, 12)
    assert derived.twin() is twin
    for name in RULES.teams:
        twin.layer(name, fc.layer.RadialLayer).step()
        np.testing.assert_array_equal(twin[name].values, derived.imap[name].values)
    derived.follow(state)
    assert derived.twin() is not twin


def test_a_strike_needs_what_lanchester_says_and_gains_ground() -> None:
    derived, state = opened()
    for forecast in planner().forecasts(derived, state, 0, 12):
        alone = math.sqrt(2 * forecast.cover * (20 / 80) * 800 / 12.5)
        assert forecast.needed == pytest.approx(math.hypot(alone, forecast.defenders), rel=1e-6)
        assert forecast.cover >= 1
        assert forecast.ground is not None and forecast.ground > 0
        assert forecast.lost >= 0


def test_defenders_make_a_strike_dearer() -> None:
    derived, state = opened()
    calm = planner().forecasts(derived, state, 0, 12)[0]
    held = with_units(derived, state, 9, team=1, squad=0, cell=int(derived.rings[calm.row][0]))
    guarded = next(
        each for each in planner().forecasts(derived, held, 0, 12) if each.tower == calm.tower
    )
    assert guarded.defenders == 9
    assert guarded.needed == pytest.approx(math.hypot(calm.needed, 9))
    assert guarded.worth < calm.worth


def test_a_wave_that_is_too_weak_turns_back_before_it_is_under_fire() -> None:
    derived, state = opened()
    best = planner().forecasts(derived, state, 0, 2)[0]
    targets = state.squads.towers.copy()
    targets[0, 1] = best.tower
    squads = replace(state.squads, towers=targets)
    weak = with_units(derived, replace(state, squads=squads), 2, team=0, squad=1, cell=best.start)
    assert Regroup(0, 1, 0) in planner().decide(derived, weak, 0)


def test_a_wave_waits_until_it_is_enough() -> None:
    derived, state = opened()
    best = planner().forecasts(derived, state, 0, 12)[0]
    few = with_units(derived, state, max(1, int(best.needed) - 2), team=0, squad=0, cell=best.start)
    assert not any(isinstance(order, Strike) for order in planner().decide(derived, few, 0))
    many = with_units(derived, few, 20, team=0, squad=0, cell=best.start)
    assert any(isinstance(order, Strike) for order in planner().decide(derived, many, 0))
