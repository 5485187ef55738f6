"""The NumPy crowd of the benchmark takes the same steps as fieldcraft's: a race against a wrong one
would say nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.paths import distance_map, flow_field
from fieldcraft.space.grid.passages import passages

ROOT = Path(__file__).resolve().parents[1]
if not (ROOT / "bench").is_dir():
    pytest.skip("the bench folder is not part of this installation", allow_module_level=True)
sys.path.insert(0, str(ROOT))

from bench import crowd_numpy  # noqa: E402


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.5])
def test_the_same_steps(radius: float) -> None:
    rng = np.random.default_rng(4)
    space = fc.Grid(45, 30, walls=rng.random((30, 45)) < 0.2, neighbors=8)
    flow = flow_field(distance_map(space, space.position_of(space.nearest_open(700))))
    crowd = steering.Crowd(space, radius=radius, ahead=2.0)
    at = space.position_of(rng.choice(np.flatnonzero(~space.walls.reshape(-1)), 800)) + rng.uniform(
        -0.5, 0.5, (800, 2)
    )
    moving = rng.normal(size=at.shape) * 3
    for dt in (1 / 60, 0.1, 0.9):
        for _ in range(20):
            others = crowd_numpy.step(
                crowd, passages(space), flow.vectors, flow._gates, at, moving, dt, 4.0, 30.0
            )
            at, moving = crowd.step(at, moving, flow, dt, max_speed=4.0, max_force=30.0)
            np.testing.assert_allclose(others[0], at, rtol=0, atol=1e-9)
            np.testing.assert_allclose(others[1], moving, rtol=0, atol=1e-7)
