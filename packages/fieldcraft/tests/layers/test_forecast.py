"""Sources that move by themselves, and layers as they will be."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.layers.forecast import shared_futures
from support.patrols import patrol

KINDS = (
    fc.Radial(3.0),
    fc.Radial(4.0, metric="path"),
    fc.Spread(decay=0.4, momentum=0.7),
    fc.Diffuse(),
    fc.Flood(),
)


@pytest.mark.parametrize("kind", KINDS, ids=repr)
@pytest.mark.parametrize("space", ["grid", "hexagons", "graph"])
@pytest.mark.parametrize("steps", [0, 1, 9])
def test_a_forecast_is_what_a_copy_becomes(kind: fc.Radial, space: str, steps: int) -> None:
    imap = patrol(kind, space)
    imap.step(2)
    layer, twin = imap["threat"], imap.copy()
    before = layer.values.copy(), layer.time, layer.sources.positions
    then = layer.at(steps * 0.25).values
    twin.step(steps)
    assert np.array_equal(then, twin["threat"].values)
    after = layer.values, layer.time, layer.sources.positions
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_memories_and_trails_are_foreseen() -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    seen = imap.add_layer("seen", fc.Fade(interval=1.0), every=0.5)
    scent = imap.add_layer("scent", fc.Trail(), every=0.5)
    seen.mark((2.5, 2.5), 8.0)
    scent.deposit((6.5, 1.5), 4.0)
    then = seen.at(3.0).values, scent.at(3.0).values
    imap.advance(3.0)
    assert np.array_equal(then[0], seen.values)
    assert np.array_equal(then[1], scent.values)


@pytest.mark.parametrize("before", [0.0, 0.3])
@pytest.mark.parametrize("t", [0.0, 0.1, 0.2, 0.7, 1.0, 1.45])
@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_a_forecast_is_what_the_layer_shows_after_that_time(
    kind: fc.Radial, t: float, before: float
) -> None:
    imap = patrol(kind, "grid")
    imap.advance(0.5 + before)
    layer = imap["threat"]
    due = (before + t) % layer.every
    then = layer.at(t).values.copy()
    imap.advance(t)
    is_update = min(due, layer.every - due) < 1e-9
    if is_update or not isinstance(kind, fc.Radial):  # which shows sources between updates too
        assert np.array_equal(then, layer.values)
        return
    shown = layer.values.copy()
    layer.every = due  # so that an update comes just then
    imap.advance(0.0)
    assert np.array_equal(then, layer.values)
    if t == 0.7 and before == 0.0:
        assert not np.array_equal(then, shown)


@given(st.floats(0.01, 6), st.floats(-1, 1), st.floats(-1, 1))
@settings(max_examples=16, deadline=None)
def test_radial_layers_are_exact_between_updates(t: float, vx: float, vy: float) -> None:
    grid = fc.Grid(17, 15)
    moving = fc.InfluenceMap(grid).add_layer("moving", fc.Radial(4.0), every=0.5)
    moving.add_source((8.5, 7.5), 2.0).move((8.5, 7.5), velocity=(vx, vy))
    by_hand = fc.InfluenceMap(grid).add_layer("by hand", fc.Radial(4.0))
    by_hand.add_source((8.5 + t * vx, 7.5 + t * vy), 2.0)
    by_hand.step()
    near_edge = np.abs(np.array([t * vx, t * vy]) % 1 - 0.5).min() < 1e-6
    assert near_edge or np.array_equal(moving.at(t).values, by_hand.values)


def test_a_forecast_follows_its_layer_and_makes_expressions() -> None:
    layer = fc.InfluenceMap(fc.Grid(9, 4)).add_layer("threat", fc.Radial(1.0), every=1.0)
    source = layer.add_source((0.5, 0.5))
    soon = layer.at(2.0)
    cost = 1 + 4 * soon
    source.move((0.5, 0.5), velocity=(1, 0))
    assert cost.sample((2.5, 0.5)) == 5
    layer.step(3)
    assert cost.sample((5.5, 0.5)) == 5
    assert cost.sample((2.5, 0.5)) == 1


@pytest.mark.parametrize(
    ("propagation", "change"),
    [
        (fc.Trail(blur=1), lambda layer: layer.deposit((0.5, 0.5), 4.0)),
        (fc.Trail(blur=1), lambda layer: layer.deposit_at(np.array([0]), 4.0)),
        (fc.Trail(blur=1), lambda layer: layer.stamp(fc.Stamp.disc(0.6), (0.5, 0.5), 4.0)),
        (fc.Spread(0.1, 0.5), lambda layer: layer.tune(momentum=1.0)),
        (fc.Spread(0.1, 0.5), lambda layer: setattr(layer, "resistance", [[0, 2, 0, 0]])),
        (fc.Spread(0.1, 0.5), lambda layer: setattr(layer, "every", 0.05)),
        (fc.Spread(0.1, 0.5), lambda layer: layer.advance(0.05)),
        (fc.Spread(0.1, 0.5), lambda layer: layer.add_source((3.5, 0.5), 2.0)),
        (fc.Spread(0.1, 0.5), lambda layer: layer.source(0).follow([(3.5, 0.5)], 9.0)),
        (fc.Spread(0.1, 0.5), lambda layer: layer.source(0).schedule([0, 0.1], [8, 2])),
    ],
)
def test_a_forecast_follows_what_shows_with_a_later_step(propagation: Any, change: Any) -> None:
    layer: Any = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("a", propagation)
    if isinstance(propagation, fc.Spread):
        layer.add_source((0.5, 0.5), 8.0)
    layer.step()
    soon = layer.at(0.15)
    before = soon.values.copy()
    change(layer)
    assert soon.values.tobytes() == layer.at(0.15).values.tobytes() != before.tobytes()


def test_a_forecast_of_a_flood_follows_its_barrier() -> None:
    imap = fc.InfluenceMap(fc.Grid(4, 1))
    barrier = imap.add_layer("barrier", values=[[0, 0, 0, 0]])
    flood = imap.add_layer("flood", fc.Flood(barrier="barrier"))
    flood.add_source((0.5, 0.5), 8.0)
    soon = flood.at(0.4)
    assert soon.values.all()
    barrier.write([[0, 0, 1, 0]])
    assert soon.values.tobytes() == flood.at(0.4).values.tobytes()
    assert not soon.values[0, 2:].any()


def test_a_copied_forecast_follows_the_copied_layer() -> None:
    layer = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("a", fc.Spread(0.1, 0.5))
    layer.add_source((0.5, 0.5), 8.0)
    layer.step()
    soon = layer.at(0.1)
    assert soon.values.any()
    # A copied layer counts its versions anew, and comes to the number that the original had.
    twin = copy.deepcopy(soon)
    while twin.version < soon.version:
        twin.layer.step()
    assert twin.values.tobytes() == twin.layer.at(0.1).values.tobytes()


def test_forecasts_that_share_their_steps_show_what_others_show() -> None:
    imap = patrol(fc.Spread(decay=0.4, momentum=0.7))
    imap.step(2)
    layer = imap["threat"]
    times = (0.3, 1.0, 0.5, 2.0)
    alone = [layer.at(seconds).values.copy() for seconds in times]
    with shared_futures():
        for seconds, expected in zip(times, alone, strict=True):
            np.testing.assert_array_equal(layer.at(seconds).values, expected)
        layer.add_source((2.5, 1.5), 7.0)
        for seconds in times:
            expected = imap.copy()
            expected.advance(seconds)
            np.testing.assert_array_equal(layer.at(seconds).values, expected["threat"].values)
