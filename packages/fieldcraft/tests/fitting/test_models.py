"""Models of layers: influence as layers have it."""

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.fitting import LayerModel, Recorded
from fieldcraft.fitting.models import Reaching
from support.fitting import SPACES, SPREAD, recording

RADIAL = fc.Radial(5.0, "gaussian", metric="path")


def events(space, timeline, rng, moments=6, count=30):
    cells = np.flatnonzero(~space.walls.reshape(-1))
    where = space.position_of(rng.choice(cells, count))
    return Recorded.events(space, timeline, rng.integers(1, moments + 1, count), where)


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("kind", [SPREAD, RADIAL, fc.Radial(3.2, "linear", metric="straight")])
def test_influence_is_that_of_the_layer(space, kind):
    rng = np.random.default_rng(5)
    timeline = recording(space, rng)
    recorded = events(space, timeline, rng)
    model = LayerModel(kind, ["tank", "scout"], half_life=4.0)
    found, _ = Reaching("threat", model, recorded).values(model.start("threat"))
    for row, now in zip(found, recorded.seconds, strict=True):
        living = timeline.at(now)
        strengths = living.strengths * 0.5 ** (living.ages / 4.0)
        layer = fc.InfluenceMap(space).add_layer("threat", kind)
        layer.sync(living.keys, living.positions, strengths)
        layer.settle()
        np.testing.assert_allclose(
            row, layer.values.reshape(-1)[recorded.cells], rtol=1e-5, atol=1e-5
        )


def test_the_past_is_a_sum_over_all_earlier_rows():
    space, rng = SPACES["grid"], np.random.default_rng(2)
    timeline = recording(space, rng)
    recorded = events(space, timeline, rng)
    model = LayerModel(RADIAL, ["tank"], half_life=3.0, past=True)
    found, _ = Reaching("trail", model, recorded).values(model.start("trail"))
    for row, now in zip(found, recorded.seconds, strict=True):
        rows = np.flatnonzero((timeline.group_of == 0) & (timeline.seconds <= now))
        layer = fc.InfluenceMap(space).add_layer("trail", RADIAL)
        faded = timeline.strengths[rows] * 0.5 ** ((now - timeline.seconds[rows]) / 3.0)
        layer.sync(rows, timeline.positions[rows], faded)
        layer.settle()
        np.testing.assert_allclose(row, layer.values.reshape(-1)[recorded.cells], atol=1e-5)
