"""The objective of a fit: its gradient is that of differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.fitting import LayerModel, Recorded
from fieldcraft.fitting.objective import Objective
from support.fitting import SPACES, SPREAD, recording

CURVES = st.sampled_from(["linear", "parabolic", "cubic", "exponential", "gaussian", "smoothstep"])


FORMULAS = [
    "a * log(threat) + b * cover",
    "a * min(threat, cover) + b * max(threat, 2 * cover) - height",
    "a * sqrt(cover + 0.1) * threat + b * abs(cover - threat) / (1 + height)",
    "where(height > 0.5, a * threat, clamp(b * cover, 0.2, 3)) + logistic(threat - cover) * a",
    "a * cover ** 2 + lerp(threat, cover, 0.3) * b",
]


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    space=st.sampled_from(sorted(SPACES)),
    curve=CURVES,
    formula=st.sampled_from(FORMULAS),
    past=st.booleans(),
    shared=st.sampled_from([None, "both"]),
)
def test_gradients_are_those_of_central_differences(seed, space, curve, formula, past, shared):
    ground, rng = SPACES[space], np.random.default_rng(seed)
    timeline = recording(ground, rng)
    height = rng.uniform(0, 1, ground.shape)
    cells = np.flatnonzero(~ground.walls.reshape(-1))
    places = [ground.position_of(rng.choice(cells, 8)) for _ in range(10)]
    recorded = [
        Recorded.events(
            ground,
            timeline,
            rng.integers(1, 7, 9),
            ground.position_of(rng.choice(cells, 9)),
            maps={"height": height},
        ),
        Recorded.choices(
            ground,
            timeline,
            rng.uniform(1, 7, 10),
            places,
            rng.integers(0, 8, 10),
            maps={"height": height},
        ),
    ]
    groups = {"tank": "heavy", "scout": "light"}
    half_life = 3.0 if shared is None else None
    layers = {
        "threat": LayerModel(SPREAD, groups, half_life=4.0),
        "cover": LayerModel(
            fc.Radial(4.1, curve, metric="path"), groups, half_life, past, shared=shared
        ),
    }
    weights = {"a": rng.normal(), "b": rng.normal()}
    objective = Objective(formula, layers, recorded, weights, penalty=0.1)
    at = objective.start + rng.normal(0, 0.3, len(objective.names))
    value, slope = objective.value_and_gradient(at)
    step, checked = 1e-6, 0
    for place in range(len(at)):
        there = np.eye(len(at))[place] * step
        high, low = (objective.value_and_gradient(at + s * there)[0] for s in (1, -1))
        if abs(high - 2 * value + low) < 1e-4 * step:  # else there is a kink between the two
            difference = (high - low) / (2 * step)
            name = objective.names[place]
            assert slope[place] == pytest.approx(difference, rel=1e-4, abs=1e-7), name
            checked += 1
    assert checked > len(at) / 2
