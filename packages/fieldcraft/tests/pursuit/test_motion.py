"""Beliefs that know how somebody moves: several hypotheses, weighed by what is seen and what is
not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit.motion import (
    DoubleBack,
    Hide,
    Journey,
    Motion,
    Run,
    Stand,
    Wander,
)
from fieldcraft.pursuit.transitions import backend
from support.refusals import refused
from support.worlds import KINDS, open_cells

READY: dict[str, Callable[[], Any]] = {
    "wander": lambda: Wander(pace=0.5),
    "run": Run,
    "hide": Hide,
    "double back": DoubleBack,
    "stand": Stand,
    "back at once": lambda: DoubleBack(turn=(0.0, 2.0)),
    "all": lambda: Motion(paces=(0.5, 1.0), changes=0.2),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**20))
def test_sums_to_one_and_is_only_where_one_can_have_got_to(kind: str, seed: int) -> None:
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    if not len(space.adjacency.ends):
        return
    for name, motion in READY.items():
        belief = fc.Belief(space, 1.0, motion=motion())
        start = int(dice.choice(open_cells(space)))
        belief.see(space.position_of(start), velocity=dice.normal(size=space.dimensions))
        reached = np.zeros(len(space), dtype=bool)
        reached[start] = True
        for _ in range(5):
            belief.observe([start], missed=0.5)
            belief.step()
            reached[space.adjacency.ends[reached[space.adjacency.origins]]] = True
            chance = belief.probability().reshape(-1)
            assert (chance >= 0).all(), name
            assert chance.sum() == pytest.approx(1, abs=1e-9), name
            assert not chance[~reached].any(), name
            assert sum(belief.hypotheses().values()) == pytest.approx(1), name


@settings(max_examples=12)
@given(seed=st.integers(0, 2**16))
def test_grid_and_graph_believe_the_same(seed: int) -> None:
    dice = np.random.default_rng(seed)
    walls = dice.random((9, 14)) < 0.2
    walls[4, 7] = False
    grid = fc.Grid(14, 9, walls=walls, neighbors=8)
    if not len(grid.adjacency.ends):
        return
    ways, narrow = grid.adjacency, dice.random(len(grid.adjacency.ends))
    narrow /= np.bincount(ways.origins, narrow, minlength=len(grid))[ways.origins] * 1.5
    mass = dice.random(grid.shape)
    outs = []
    for space in (grid, grid.to_graph()):
        flow = backend(space).drift(narrow)
        placed = flow.from_space(mass.reshape(space.shape))
        out = np.zeros_like(placed)
        flow.run(placed, 0.5, out)
        outs.append(flow.to_space(out).reshape(-1))
    np.testing.assert_allclose(outs[0], outs[1], rtol=1e-12)
    matrix = np.zeros((len(grid), len(grid)))
    np.add.at(matrix, (ways.origins, ways.ends), narrow)
    matrix += np.diag(1 - matrix.sum(axis=1))
    np.testing.assert_allclose(outs[0], 0.5 * mass.reshape(-1) @ matrix, rtol=1e-6)
    assert outs[0].sum() == pytest.approx(0.5 * mass.sum(), rel=1e-13)


@pytest.mark.parametrize("as_graph", [False, True])
def test_goes_on_bit_for_bit(as_graph: bool) -> None:
    cave = fc.generate_map("cave", 31, 22, seed=5, neighbors=8)
    space: Any = cave.to_graph() if as_graph else cave
    at = space.position_of(space.nearest_open(340))
    made = lambda: fc.Belief(  # noqa: E731
        space,
        2.0,
        targets=2,
        motion={"back": DoubleBack(turn=(0.5, 2.0)), "hides": Hide()},
    )
    one, other = made(), made()
    one.see(at, target=1, velocity=(1.0, 0.5))
    one.advance(1.3)
    one.observe(np.arange(0, len(space), 3))
    kept = one.state()
    other.restore(kept)
    for belief in (one, other):
        belief.advance(0.9)
        belief.observe(np.arange(1, len(space), 5))
        belief.see(at, target=0)
        belief.advance(0.6)
    for target in range(2):
        np.testing.assert_array_equal(one.probability(target), other.probability(target))
        assert one.hypotheses(target) == other.hypotheses(target)
    plain = fc.Belief(space, 2.0, targets=2)
    for memory in (
        {**kept, "cells": np.array([0, len(space)])},
        {**kept, "weights": kept["weights"] * 2},
    ):
        with refused(InvalidValue, "of a state"):
            made().restore(memory)
    with refused(InvalidValue, "masses"):
        plain.restore(kept)


def test_follows_walls() -> None:
    grid = fc.Grid(12, 5, neighbors=8)
    belief = fc.Belief(grid, 1.0, motion=Motion())
    belief.see((3.5, 2.5), velocity=(1.0, 0.0))
    belief.step(3)
    before = belief.hypotheses()
    grid.set_walls(np.flatnonzero(belief.probability().reshape(-1) > 0.05))
    belief.step(2)
    assert not belief.probability()[
        grid.walls
    ].any() and belief.probability().sum() == pytest.approx(1)
    assert belief.hypotheses().keys() == before.keys()


def test_bad_input() -> None:
    grid = fc.Grid(6, 4)
    for motion, word in (
        (3, "motion is"),
        ({"runs": 3}, "Several motions"),
        ({1: Run()}, "Several motions"),
        ({"runs": (-1, Run())}, "weight"),
        ({"runs": (0, Run())}, "sum above 0"),
        ({}, "sum above 0"),
    ):
        with refused(InvalidValue, word):
            fc.Belief(grid, 1.0, motion=motion)  # type: ignore[arg-type]
    with refused(InvalidValue, "doubt"):
        fc.Belief(grid, 1.0, doubt=2)
    for call, word in (
        (lambda: Wander(stay=1), "stay"),
        (lambda: Wander(pace=0), "pace"),
        (lambda: Run(stray=2), "stray"),
        (lambda: Run(heading=-1), "heading"),
        (lambda: Hide(near=(4, 2)), "near"),
        (lambda: Hide(sight=0), "sight"),
        (lambda: DoubleBack(turn=(3, 1)), "turn"),
        (lambda: Journey([]), "goals"),
        (lambda: Journey([(1, 1)], weights=[0]), "weights"),
        (lambda: Motion(paces=(0,)), "paces"),
        (lambda: Motion(paces=()), "paces"),
        (lambda: Motion(speed=0), "speed"),
        (lambda: Motion(changes=-1), "changes"),
        (lambda: Motion(heading=-1), "heading"),
    ):
        with refused(InvalidValue, word):
            call()
    belief = fc.Belief(grid, 1.0, motion=Motion())
    with refused(InvalidValue, "hypothesis"):
        belief.probability(hypothesis="flies")
    with refused(InvalidValue, "velocity"):
        belief.see((1.5, 1.5), velocity=[(1, 0), (0, 1)])
