"""Fits: influence as layers have it, exact gradients, planted numbers found again, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.fitting import LayerModel, Recorded
from fieldcraft.fitting.models import Reaching
from fieldcraft.fitting.objective import Objective

SPREAD = fc.Spread(decay=0.3, momentum=1.0, floor=0.0, pin=False)
RADIAL = fc.Radial(5.0, "gaussian", metric="path")
WALLS = np.zeros((9, 12), dtype=bool)
WALLS[2:7, 5] = True
SPACES = {
    "grid": fc.Grid(walls=WALLS, neighbors=8),
    "hexagons": fc.HexGrid(9, 7),
    "graph": fc.Graph(
        np.random.default_rng(4).uniform(0, 6, (20, 2)),
        [(a, (a * k + 1) % 20) for a in range(20) for k in (1, 2, 3)],
    ),
}


def recording(space, rng, moments=6, sources=7, groups=("tank", "scout")):
    """A timeline of entities that are seen now and then."""
    builder = fc.recordings.TimelineBuilder()
    cells = np.flatnonzero(~space.walls.reshape(-1))
    for number in range(sources):
        name = groups[number % len(groups)]
        for second in np.sort(rng.uniform(0, moments, 3)).tolist():
            place = tuple(space.position_of(int(rng.choice(cells))).tolist())
            builder.add(second, str(number), name, place, rng.uniform(0.5, 3))
    return builder.build()


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
