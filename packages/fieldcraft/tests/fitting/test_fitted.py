"""Fits: influence as layers have it, exact gradients, planted numbers found again, bad input."""

import numpy as np
import pytest
from scipy.special import logsumexp

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.fitting import LayerModel, Recorded
from fieldcraft.fitting.models import Reaching
from support.fitting import SPACES, SPREAD, recording


def planted(space, layers, formula, truth, rng, moments, each):
    """Recordings in which events fall as the formula with the true numbers says."""
    timeline = recording(space, rng, moments, sources=10)
    when = np.repeat(np.arange(1.0, moments + 1), each)
    cells = np.flatnonzero(~space.walls.reshape(-1))
    blank = Recorded.events(
        space, timeline, when, space.position_of(cells[:1]).repeat(len(when), 0)
    )
    chances = fc.fitting.Fitted(
        formula, truth, layers, {name: truth[name] for name in "ab"}, 0.0, True
    ).chances(blank)
    where = np.concatenate([rng.choice(cells, each, p=row) for row in chances])
    return Recorded.events(space, timeline, when, space.position_of(where))


def test_planted_numbers_are_found_within_two_percent():
    rng = np.random.default_rng(11)
    groups = {"tank": "heavy", "scout": "light"}
    layers = {
        "threat": LayerModel(SPREAD, groups, half_life=4.0),
        "cover": LayerModel(fc.Radial(4.0, "parabolic", metric="path"), ["scout"]),
    }
    truth = {
        "a": 3.0,
        "b": -1.5,
        "threat.decay": 0.4,
        "threat.half_life": 2.5,
        "threat.light": 2.0,
        "cover.radius": 5.5,
    }
    formula = "a * threat + b * cover"
    space = SPACES["grid"]
    recordings = [planted(space, layers, formula, truth, rng, 60, 4000) for _ in range(3)]
    learned = fc.fit(formula, layers, recordings, {"a": 1.0, "b": -0.1})
    assert learned.converged
    for name, value in truth.items():
        assert learned.parameters[name] == pytest.approx(value, rel=0.02), name
    assert learned.layers["cover"].kind.radius == learned.parameters["cover.radius"]
    assert learned.bits == pytest.approx(learned.bits_of(recordings), rel=1e-9)
    assert learned.bits >= fc.fitting.Fitted(
        formula, truth, layers, learned.weights, 0.0, True
    ).bits_of(recordings)


def test_choices_are_fitted_like_a_conditional_logit():
    space, rng = fc.Grid(30, 1), np.random.default_rng(3)
    builder = fc.recordings.TimelineBuilder()
    builder.add(0, "none", "red", (0.5, 0.5))
    height = np.linspace(0, 3, 30)
    places = rng.integers(0, 30, (4000, 3))
    chances = np.exp(2.0 * height[places] - logsumexp(2.0 * height[places], axis=1)[:, None])
    chosen = (chances.cumsum(axis=1) < rng.random((4000, 1))).sum(axis=1)
    candidates = [space.position_of(row) for row in places]
    recorded = Recorded.choices(
        space, builder.build(), np.arange(4000), candidates, chosen, maps={"height": [height]}
    )
    learned = fc.fit("taste * height", {}, recorded, {"taste": 0.1})
    assert learned.weights["taste"] == pytest.approx(2.0, rel=0.05)


def test_the_future_is_not_used():
    space, rng = SPACES["grid"], np.random.default_rng(9)
    timeline = recording(space, rng)
    builder = fc.recordings.TimelineBuilder()
    for row in range(len(timeline)):
        if timeline.seconds[row] <= 3:
            builder.add(
                timeline.seconds[row],
                timeline.ids[timeline.entities[row]],
                timeline.groups[timeline.group_of[row]],
                tuple(timeline.positions[row].tolist()),
                timeline.strengths[row],
            )
    for past in (False, True):
        model = LayerModel(SPREAD, ["tank"], past=past)
        found = [
            Reaching("t", model, Recorded.events(space, each, [3.0], [(0.5, 0.5)])).values(
                model.start("t")
            )[0]
            for each in (timeline, builder.build())
        ]
        np.testing.assert_array_equal(*found)


GRID = SPACES["grid"]
TIMELINE = recording(GRID, np.random.default_rng(1))
COME = Recorded.events(GRID, TIMELINE, [1.0], [(0.5, 0.5)])
THREAT = LayerModel(SPREAD, ["tank"])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: LayerModel(fc.Spread(decay=0.1), ["tank"]), InvalidValue, "pin=False"),
        (lambda: LayerModel(fc.Radial(4.0), ["tank"]), InvalidValue, "metric"),
        (lambda: LayerModel(fc.Radial(4.0, "constant", metric="path"), ["t"]), InvalidValue, "grad"),
        (lambda: LayerModel(fc.Fade(0.1), ["tank"]), InvalidValue, "Spread and Radial"),
        (lambda: LayerModel(SPREAD, "tank"), InvalidValue, "groups"),
        (lambda: LayerModel(SPREAD, ["tank"], half_life=0), InvalidValue, "half_life"),
        (lambda: LayerModel(SPREAD, ["tank"], half_life=1e300), InvalidValue, "1e-09 to 1e[+]09"),
        (lambda: LayerModel(SPREAD, ["tank"], half_life=1e-300), InvalidValue, "1e-09 to 1e[+]09"),
        (lambda: Recorded.events(GRID, TIMELINE, [], []), InvalidValue, "no events"),
        (lambda: Recorded.events(GRID, TIMELINE, [-1], [(0.5, 0.5)]), InvalidValue, "at least 0"),
        (lambda: Recorded.events(GRID, TIMELINE, [1, 2], [(0.5, 0.5)]), InvalidValue, "seconds"),
        (lambda: Recorded.events(GRID, None, [1], [(0.5, 0.5)]), InvalidValue, "Timeline"),
        (
            lambda: Recorded.events(GRID, TIMELINE, [1], [(0.5, 0.5)], maps={"far": [1, 2]}),
            InvalidValue,
            "far",
        ),
        (lambda: Recorded.choices(GRID, TIMELINE, [1], [[(0.5, 0.5)]], [1]), InvalidValue, "index"),
        (lambda: Recorded.choices(GRID, TIMELINE, [1], [[]], [0]), InvalidValue, "index"),
        (lambda: fc.fit("a * threat", {"threat": THREAT}, [], {"a": 1}), InvalidValue, "recording"),
        (lambda: fc.fit("a * threta", {"threat": THREAT}, COME, {"a": 1}), InvalidValue, "threat"),
        (
            lambda: fc.fit("a * smooth(threat)", {"threat": THREAT}, COME, {"a": 1}),
            InvalidValue,
            "smooth",
        ),
        (
            lambda: fc.fit("a * t", {"t": LayerModel(SPREAD, ["tnak"])}, COME, {"a": 1}),
            UnknownName,
            "tank",
        ),
        (
            lambda: fc.fit("a * threat", {"threat": THREAT}, COME, {"a": 1}, fixed=["threat.deacy"]),
            UnknownName,
            "threat.decay",
        ),
        (
            lambda: fc.fit("a * threat", {"threat": THREAT}, COME, {"a": 1},
                           fixed=["a", "threat.decay"]),
            InvalidValue,
            "all of them",
        ),
        (lambda: fc.fit("a * a", {"a": THREAT}, COME, {"a": 1}), InvalidValue, "Names differ"),
        (lambda: fc.fit("a * threat", {"threat": SPREAD}, COME, {"a": 1}), InvalidValue, "Model"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
