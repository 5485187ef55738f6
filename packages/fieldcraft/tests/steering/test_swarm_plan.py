"""Checked arguments of a swarm's steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.steering import Deposit, Emitter, Forage, Reversed, Walk
from fieldcraft.steering.swarm.swarm_plan import SwarmPlan, check_swarm_grid
from fieldcraft.steering.swarm.walk import rule_of
from support.refusals import refused

GRID = fc.Grid(12, 8)
OTHER = fc.Grid(9, 8)


def plan(walk: Walk, **given: Any) -> SwarmPlan:
    names = ("trail", "flow", "crowd", "group")
    layers = [given.get(name) for name in names]
    deposits, emitters = given.get("deposits", ()), given.get("emitters", ())
    rule = rule_of(walk, 0.1, GRID, 1)
    return SwarmPlan.of(GRID, rule, *layers, deposits, emitters, given.get("forage"))


def layer(space: fc.Grid = GRID, **settings: Any) -> fc.layers.TrailLayer:
    return fc.InfluenceMap(space).add_layer("a", fc.Trail(**settings))


def test_layers_are_read_where_their_weight_is_not_0() -> None:
    scent = layer()
    assert plan(Walk(4.0, follow=1.0), trail=scent).trails == (scent, scent)
    assert plan(Walk(4.0), trail=scent).trails == (None, None)
    two = layer()
    assert plan(Walk(4.0, follow=1.0), trail=[scent, two]).trails == (scent, two)


def test_layers_that_are_written_come_once() -> None:
    scent = layer()
    deposits = [Deposit(scent, 1.0, role=0), Deposit(scent, 2.0, role=1)]
    found = plan(Walk(4.0), deposits=deposits, emitters=[Emitter(scent, 5)])
    assert [each.role for each in found.deposits] == [0, 1]
    assert found.updated == [scent]
    assert not found.needs_host


def test_what_only_the_cpu_can_do() -> None:
    flow = layer(vector=True)
    assert not plan(Walk(4.0, align=1.0), flow=flow).needs_host
    assert plan(Walk(4.0, align=1.0), flow=Reversed(flow)).needs_host
    amounts = np.linspace(0, 1, 9)
    assert not plan(Walk(4.0), deposits=[Deposit(flow, 1.0)]).needs_host
    assert plan(Walk(4.0), deposits=[Deposit(flow, amounts)]).needs_host


@pytest.mark.parametrize(
    ("walk", "given", "word"),
    [
        (Walk(4.0, follow=1.0), {}, "needs a layer"),
        (Walk(4.0, follow=1.0), {"trail": layer(OTHER)}, "on their ground"),
        (Walk(4.0, follow=1.0), {"trail": [layer()] * 3}, "one layer, or two"),
        (Walk(4.0, align=1.0), {"flow": layer()}, "layer of vectors"),
        (Walk(4.0), {"deposits": [layer()]}, "Deposit"),
        (Walk(4.0), {"emitters": [3]}, "Emitter"),
        (
            Walk(4.0),
            {"forage": Forage(OTHER, np.zeros((8, 9), dtype=int), np.ones((8, 9), dtype=bool))},
            "ground of the agents",
        ),
    ],
)
def test_what_is_refused(walk: Walk, given: dict[str, Any], word: str) -> None:
    with refused(InvalidValue, word):
        plan(walk, **given)


def test_swarms_walk_on_grids() -> None:
    check_swarm_grid(GRID)
    with refused(InvalidValue, "grid"):
        check_swarm_grid(fc.HexGrid(5, 4))
