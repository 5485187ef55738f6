"""Beliefs that know how somebody moves: several hypotheses, weighed by what is seen and what is
not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
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
    DoubleBack,
    Hide,
    Journey,
    Lost,
    Motion,
    Mover,
    Run,
    Stand,
    Wander,
)
from fieldcraft.pursuit.transitions import backend
from fieldcraft.space import Space
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


def interval(
    space: Space, mover: Mover, cell: int, velocity: tuple[float, ...], stride: float
) -> NDArray[np.float64]:
    """The matrix of an interval of a motion whose parts follow no clock, from row to column: part
    by part, all cells in each.
    """
    lost = Lost(space, cell, np.array(velocity), stride, 1.0)
    ways, count, stages = space.adjacency, len(space), mover.stages
    begins, moves = np.eye(count * len(stages)), np.zeros((count * len(stages),) * 2)
    for number, stage in enumerate(stages):
        own = np.zeros((count, count))
        np.add.at(own, (ways.origins, ways.ends), stage.mover.chances(lost))
        own += np.diag(1 - own.sum(axis=1))
        moves[number * count : (number + 1) * count, number * count : (number + 1) * count] = own
        for at, likely in zip(*stage.mover.arriving(lost), strict=True) if stage.arrives else ():
            begins[number * count + at, number * count + at] -= likely
            parting = stage.mover.parting(lost)[at] if stage.follows else [1.0]
            for offset, share in zip(stage.follows or (1,), parting, strict=True):
                begins[number * count + at, (number + offset) * count + at] += likely * share
    return np.asarray(begins @ moves)


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


def small() -> tuple[fc.Grid, dict[str, Mover], dict[str, float]]:
    """Eight cells, one of them a wall, ways of moving on them, and how likely each is."""
    walls = np.zeros((2, 4), dtype=bool)
    walls[0, 2] = True
    movers = {
        "runs": Run(far=1),
        "wanders": Wander(0.2),
        "stands": Stand(),
        "goes": Journey([(0.5, 1.5), (3.5, 1.5)], weights=[1, 3]),
    }
    return (
        fc.Grid(4, 2, walls=walls, neighbors=8),
        movers,
        {"runs": 0.4, "wanders": 0.3, "stands": 0.2, "goes": 0.1},
    )


LOOKS = ([4], [1, 5], [6], [7, 0])


def test_weights_and_cells_are_bayes_rule_over_all_paths() -> None:
    grid, movers, first = small()
    start, velocity = 1, (1.0, 0.0)
    belief = fc.Belief(
        grid, 1.0, every=1.0, motion={name: (first[name], mover) for name, mover in movers.items()}
    )
    belief.see((1.5, 0.5), velocity=velocity)
    joint = {}
    for name, mover in movers.items():
        matrix = interval(grid, mover, start, velocity, 1.0)
        paths = {start: first[name]}
        for seen in LOOKS:
            longer: dict[int, float] = {}
            for (before, chance), after in itertools.product(paths.items(), range(len(matrix))):
                kept = chance * matrix[before, after] * (0.25 if after % len(grid) in seen else 1.0)
                longer[after] = longer.get(after, 0.0) + kept
            paths = longer
        joint[name] = np.bincount(
            np.array(list(paths)) % len(grid), list(paths.values()), minlength=len(grid)
        )
    for seen in LOOKS:
        belief.step()
        assert belief.observe(seen, missed=0.25)
    total = sum(cells.sum() for cells in joint.values())
    expected = {name: cells.sum() / total for name, cells in joint.items()}
    assert belief.hypotheses() == pytest.approx(expected, rel=1e-6)
    assert len({round(weight, 3) for weight in expected.values()}) == 4
    np.testing.assert_allclose(
        belief.probability().reshape(-1), sum(joint.values()) / total, atol=1e-7
    )
    for name, cells in joint.items():
        np.testing.assert_allclose(
            belief.probability(hypothesis=name).reshape(-1), cells / cells.sum(), atol=1e-6
        )
    before = {name: cells[7] for name, cells in joint.items()}
    belief.see((3.5, 1.5))  # found after four steps: of each counts how likely it held the place
    posterior = {
        name: 0.8 * chance / sum(before.values()) + 0.2 * first[name]
        for name, chance in before.items()
    }
    assert belief.hypotheses() == pytest.approx(posterior, rel=1e-6)


def test_whoever_changes_goes_over_to_the_others_where_it_is() -> None:
    grid, _, _ = small()
    motion = Motion(runs=0.4, hides=0, doubles_back=0, stands=0.2, wanders=0.3, far=1, changes=0.5)
    ways = {"runs": Run(far=1), "wanders": Wander(), "stands": Stand()}
    first = dict(zip(ways, np.array([0.4, 0.3, 0.2]) / 0.9, strict=True))
    belief = fc.Belief(grid, 1.0, every=1.0, motion=motion)
    belief.see((1.5, 0.5), velocity=(1.0, 0.0))
    matrices = {name: interval(grid, mover, 1, (1.0, 0.0), 1.0) for name, mover in ways.items()}
    held = {name: np.eye(len(matrix))[1] * first[name] for name, matrix in matrices.items()}
    for seen in LOOKS:
        leaving = {name: (1 - np.exp(-0.5)) * mass for name, mass in held.items()}
        for name in ways:
            held[name] = held[name] - leaving[name]
        for name, other in itertools.permutations(ways, 2):
            held[other][: len(grid)] += (
                leaving[name].reshape(-1, len(grid)).sum(axis=0) * first[other] / (1 - first[name])
            )
        held = {name: mass @ matrices[name] for name, mass in held.items()}
        for mass in held.values():
            mass.reshape(-1, len(grid))[:, seen] *= 0.25
        total = sum(mass.sum() for mass in held.values())
        held = {name: mass / total for name, mass in held.items()}
        belief.step()
        belief.observe(seen, missed=0.25)
    assert belief.hypotheses() == pytest.approx(
        {name: mass.sum() for name, mass in held.items()}, rel=1e-6
    )
    for name, mass in held.items():
        own = mass.reshape(-1, len(grid)).sum(axis=0)
        np.testing.assert_allclose(
            belief.probability(hypothesis=name).reshape(-1), own / own.sum(), atol=1e-6
        )


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
    kept = one.snapshot()
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
        with refused(InvalidValue, "of a snapshot"):
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
