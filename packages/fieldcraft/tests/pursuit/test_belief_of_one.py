"""The belief about one target: Bayes' rule over all its paths."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit.motion import (
    Journey,
    Lost,
    Motion,
    Mover,
    Run,
    Stand,
    Wander,
)
from fieldcraft.space import Space


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


def test_every_part_of_a_state_is_read() -> None:
    belief = fc.Belief(fc.Grid(4, 2), 1.0)
    belief.see((1.5, 0.5))
    state = belief.state()
    for name in state:
        with pytest.raises(InvalidValue):
            belief.restore({other: state[other] for other in state if other != name})
