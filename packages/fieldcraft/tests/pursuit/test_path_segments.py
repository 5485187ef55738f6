"""Chances of steps along shortest paths: they add up, and lead nearer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.pursuit.motion.path_segments import path_segment, sectors_of, steps_toward
from fieldcraft.pursuit.transitions import backend

CAVE = fc.generate_map("cave", 23, 17, seed=6, neighbors=8)
SPACES = {"grid": CAVE, "graph": CAVE.to_graph(), "hexagons": fc.HexGrid(9, 7)}


@pytest.mark.parametrize("name", SPACES)
def test_all_targets_arrive_at_their_goals(name: str) -> None:
    space = SPACES[name]
    ground = backend(space)
    cell = int(np.flatnonzero(~space.walls.reshape(-1))[10])
    segment = path_segment(space, ground, cell)
    assert segment.order[0] == cell and (np.diff(segment.away[segment.order]) >= 0).all()
    np.testing.assert_allclose(
        segment.away, fc.distance_map(space, space.position_of(cell)).values.reshape(-1), rtol=1e-5
    )
    goals = np.zeros(len(space))
    goals[segment.order] = np.random.default_rng(1).uniform(0.1, 1, len(segment.order))
    chances = segment.split(goals)
    leaving = np.bincount(ground.origins, weights=chances.steps, minlength=len(space))
    np.testing.assert_allclose((leaving + chances.there)[segment.order], 1.0)
    mass = np.zeros(len(space))
    mass[cell] = 1.0
    arrived = np.zeros(len(space))
    for here in segment.order.tolist():  # cells come after those that lead to them
        arrived[here] = mass[here] * chances.there[here]
        arcs = np.flatnonzero(ground.origins == here)
        np.add.at(mass, ground.ends[arcs], mass[here] * chances.steps[arcs])
    np.testing.assert_allclose(arrived, goals / goals.sum(), atol=1e-12)


@pytest.mark.parametrize("name", SPACES)
def test_steps_toward_a_place_lead_nearer(name: str) -> None:
    space = SPACES[name]
    ground = backend(space)
    place = int(np.flatnonzero(~space.walls.reshape(-1))[7])
    away = fc.distance_map(space, space.position_of(place)).values.reshape(-1).astype(np.float64)
    chances = steps_toward(space, ground, place, away)
    used = np.flatnonzero(chances)
    assert (away[ground.ends[used]] < away[ground.origins[used]]).all()
    leaving = np.bincount(ground.origins, weights=chances, minlength=len(space))
    there = np.isfinite(away) & (away > 0)
    np.testing.assert_allclose(leaving[there], 1.0)


def test_preference_is_for_paths_straight_on() -> None:
    space = fc.Grid(11, 9)
    segment = path_segment(space, backend(space), 4 * 11 + 5)
    values = segment.preference(np.array([2.0, 0.0]), heading=4.0).reshape(9, 11)
    assert values[4, 10] > values[0, 5] > 0
    assert values[4, 10] > values[4, 0]
    still = segment.preference(np.zeros(2), heading=4.0)
    np.testing.assert_allclose(still, 1.0)


def test_sectors_part_the_map_and_are_cached() -> None:
    sectors = sectors_of(CAVE, int(np.flatnonzero(~CAVE.walls.reshape(-1))[0]))
    assert sectors_of(CAVE, int(sectors.centers[0])) is sectors
    assert (sectors.owners[sectors.centers] == np.arange(len(sectors.centers))).all()
    np.testing.assert_allclose(sectors.next.sum(axis=1), 1.0)
    behind = sectors.behind(CAVE.offsets_from(np.array(CAVE.size) / 2), np.array([1.0, 0.0]))
    assert ((behind >= 0) & (behind <= 1)).all() and 0 < behind.mean() < 1


@pytest.mark.parametrize("neighbors", [4, 8])
@pytest.mark.parametrize("kind", ["grid", "graph"])
def test_paths_from_all_cells_of_a_torus_are_alike(neighbors: Any, kind: str) -> None:
    grid = fc.Grid(13, 9, wrap=True, neighbors=neighbors)
    space = grid if kind == "grid" else grid.to_graph()
    ground = backend(space)
    straight = ground.positions[ground.ends] - ground.positions[ground.origins]
    moves = space.shortest_vectors(straight)[:, 0]

    def at(row: int, column: int) -> list[np.ndarray]:
        cell = row * 13 + column
        segment = path_segment(space, ground, cell)
        near = segment.preference(np.array([0.9, 0.3]), 4.0)
        onwards = segment.split(near).steps
        back = steps_toward(space, ground, cell, segment.away)
        found = [near] + [
            np.bincount(ground.origins, weights=steps * moves, minlength=len(space))
            for steps in (onwards, back)
        ]
        return [np.roll(each.reshape(9, 13), (-row, -column), (0, 1)) for each in found]

    for row, column in ((0, 0), (8, 12), (3, 12)):
        np.testing.assert_allclose(at(row, column), at(4, 6), atol=1e-12)
