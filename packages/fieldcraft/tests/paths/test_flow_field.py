"""Flow fields of every kind of space follow their distance maps."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.paths import distance_map, flow_field
from support.worlds import KINDS, open_cells

LED = ("grid", "torus", "cylinder", "y up", "waypoints", "mesh", "hexes", "torus of hexes")


@pytest.mark.parametrize("kind", LED)
@pytest.mark.parametrize("seed", range(4))
def test_a_field_that_is_read_again_is_a_new_one(kind: str, seed: int) -> None:
    space = KINDS[kind](np.random.default_rng(seed))
    rng = np.random.default_rng(seed + 100)
    free = rng.permutation(open_cells(space))
    goals = space.position_of(free[:2])
    distances = distance_map(space, goals)
    field = flow_field(distances)
    np.testing.assert_array_equal(field.vectors, field.vectors)
    first = field.version
    assert first == (distances.version, space.walls_version)
    for cell in free[2:6].tolist():
        space.set_walls([cell])
        distances.repair()
        expected = flow_field(distance_map(space, goals))
        np.testing.assert_allclose(field.vectors, expected.vectors, atol=1e-6)
    assert field.version == (distances.version, space.walls_version)


@pytest.mark.parametrize("kind", LED)
def test_directions_are_unit_vectors_and_0_at_goals(kind: str) -> None:
    for seed in range(6):
        space = KINDS[kind](np.random.default_rng(seed))
        goal = int(open_cells(space)[0])
        distances = distance_map(space, space.position_of(goal))
        vectors = flow_field(distances).vectors.reshape(len(space), -1)
        sizes = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1))
        reached = np.isfinite(distances.values.reshape(-1))
        reached[goal] = False
        np.testing.assert_allclose(sizes[reached], 1, atol=1e-6)
        assert not sizes[~reached].any()


def test_its_name_is_that_of_its_map() -> None:
    distances = distance_map(fc.Grid(5, 3), (0.5, 0.5))
    assert repr(flow_field(distances)) == "<FlowField of <DistanceMap to 1 goal on 5 x 3>>"
