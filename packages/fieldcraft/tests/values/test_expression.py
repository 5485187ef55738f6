"""Expressions: what they equal, when they compute, what they refuse."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import ConcurrentUse, InvalidValue, OutsideMap
from fieldcraft.values import lerp, maximum, minimum
from fieldcraft.values.operand import Operand
from support.expressions import HEIGHT, WIDTH, a_map, walled
from support.tiers import plain

# What they equal


# Walls


# When they compute


def test_nothing_is_computed_before_it_is_asked_for(imap, one_by_one):
    net = ((imap["ally"] - imap["enemy"]).normalize() < 0.5) * 2
    assert net.name and net.space is imap.space and net.version >= 0
    assert not one_by_one
    assert net.values.shape == (HEIGHT, WIDTH)
    assert len(one_by_one) == 2  # the range, then the values


def test_values_are_kept_until_an_input_changes(imap, one_by_one):
    threat = imap.add_layer("threat", fc.Spread(decay=0.3, momentum=1.0))
    threat.add_source((4, 5), strength=8.0)
    net = imap["ally"] - threat
    before, version = net.read(), net.version
    net.values
    computed = len(one_by_one)
    assert (
        np.array_equal(net.values, before)
        and net.version == version
        and net.sample((1, 1)) == net.values[1, 1]
    )
    assert len(one_by_one) == computed
    imap["enemy"].write(np.ones((HEIGHT, WIDTH)))
    assert net.version == version
    for change in (
        imap.step,
        lambda: threat.deposit((9, 9), 3.0),
        lambda: imap["ally"].write(np.ones((HEIGHT, WIDTH))),
        threat.settle,
    ):
        change()
        assert net.version != version
        version = net.version
        assert np.array_equal(net.values, imap["ally"].values - threat.values)
        assert len(one_by_one) == computed + 1
        computed += 1


def test_smoothed_and_nested_maps_follow_their_inputs(imap):
    ally = imap["ally"]
    inner = ally * 2
    outer = inner.smooth() + inner.normalize()
    first = outer.read()
    ally.write(np.random.default_rng(5).random((HEIGHT, WIDTH)))
    fresh = (ally * 2).smooth() + (ally * 2).normalize()
    assert not np.array_equal(outer.values, first)
    assert np.array_equal(outer.values, fresh.values)


def test_uncompiled_kernels_give_the_same_bits():
    imap, _ = walled()
    a, b, c = imap.layers.values()

    def made():
        return ((a - 0.5 * b).normalize() * c.smooth(2)).curve("logistic", -1, 1) - c.invert() / a

    fast = made().values.tobytes()
    with plain():
        assert made().values.tobytes() == fast


def test_another_thread_is_told_that_the_map_is_in_use(imap):
    net = imap["ally"] + 1
    told = []

    def ask():
        try:
            net.values
        except ConcurrentUse as error:
            told.append(error)

    with imap["ally"].steps.lock:
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join(20)
    assert len(told) == 1
    assert net.values.shape == (HEIGHT, WIDTH)


# Usable wherever a layer is


def test_it_reads_like_a_layer():
    imap = a_map(space=fc.Grid(WIDTH, HEIGHT, y_up=True, cell_size=2.0, origin=(-3, 5)))
    net = imap["ally"] * 2
    spots = imap.space.position_of([0, 40, 500])
    assert np.array_equal(net.sample(spots), imap["ally"].sample(spots) * 2)
    assert net.sample(spots[1]) == pytest.approx(imap["ally"].sample(spots[1]) * 2)
    with pytest.raises(OutsideMap):
        net.sample((-4, 5))
    assert net.sample((-4, 5), outside="clamp") == net.sample((-2, 6))
    out = np.empty((HEIGHT, WIDTH), np.float32)
    assert net.read(out) is out and np.array_equal(out, net.values)
    assert net.read(out) is out and np.array_equal(out, net.read())
    assert net.values.dtype == np.float32
    with pytest.raises(ValueError):
        net.values[0, 0] = 1
    target = imap.add_layer("kept", values=net.values)
    assert np.array_equal(target.values, net.values)
    assert str(net).startswith("ally * 2\n")


@pytest.mark.parametrize(
    "out",
    [
        np.empty((WIDTH, HEIGHT), np.float32),
        np.empty((HEIGHT, WIDTH)),
        [1, 2],
        np.zeros((HEIGHT, WIDTH), ">f4"),
    ],
)
def test_read_refuses_what_it_cannot_fill(imap, out):
    with pytest.raises(InvalidValue, match="float32 array of shape"):
        (imap["ally"] * 2).read(out)


def test_layers_are_still_told_apart_by_identity(imap):
    a, b = imap["ally"], imap["enemy"]
    assert a == a and a != b and len({a, b, a}) == 2 and {a: 1}[a] == 1
    assert a in [b, a]


def test_names(imap):
    net = imap["ally"] - 0.5 * imap["enemy"]
    assert net.name == "ally - 0.5 * enemy"
    net.name = "net"
    assert (net * 2).name == "net * 2" and repr(net).startswith("<Expression net ")
    with pytest.raises(InvalidValue):
        net.name = ""


# Cells of other sizes


@pytest.mark.parametrize("y_up", [False, True])
def test_a_coarse_map_is_read_on_finer_cells(y_up):
    space = fc.Grid(
        WIDTH,
        HEIGHT,
        y_up=y_up,
        origin=(2, -7),
        walls=np.random.default_rng(0).random((HEIGHT, WIDTH)) < 0.2,
    )
    imap = a_map(space=space)
    rng = np.random.default_rng(9)
    coarse = imap.add_layer("coarse", cell_size=4, values=rng.random(space.coarser(4).shape))
    with pytest.raises(InvalidValue, match=r"same space.*on\(fine.space\)"):
        coarse + imap["ally"]
    fine = coarse.on(space)
    centers = space.position_of(np.arange(len(space)))
    expected = np.where(space.walls, 0, coarse.sample(centers).reshape(space.shape))
    assert np.array_equal(fine.values, expected)
    assert np.array_equal(
        (fine + imap["ally"]).values, np.where(space.walls, 0, expected + imap["ally"].values)
    )
    coarse.write(np.zeros_like(coarse.values))
    assert not fine.values.any()
    with pytest.raises(InvalidValue, match="finer"):
        imap["ally"].on(coarse.space)
    with pytest.raises(InvalidValue, match="within its own"):
        coarse.on(fc.Grid(WIDTH, HEIGHT, origin=(200, 0)))
    with pytest.raises(InvalidValue, match="cells of a space"):
        coarse.on(3)


# What they refuse


@pytest.mark.parametrize(
    ("operation", "rule"),
    [
        (lambda a: a + np.zeros((WIDTH, HEIGHT)), "transpose"),
        (lambda a: a - [1, 2, 3], "shape"),
        (lambda a: a * np.full((HEIGHT, WIDTH), np.nan), "finite"),
        (lambda a: a * np.full((HEIGHT, WIDTH), 1e31), "at most 1e"),
        (lambda a: a + "x", "map, a number or an array"),
        (lambda a: a + None, "map, a number or an array"),
        (lambda a: a + float("nan"), "finite"),
        (lambda a: a - 1e31, "at most 1e"),
        (lambda a: a + 10**400, "finite"),
        (lambda a: a + True, "number"),
        (lambda a: a + 1j, "map, a number or an array"),
        (lambda a: a - [[1], [1, 2]], "even array"),
        (lambda a: a.clamp(2, 1), "low <= high"),
        (lambda a: a.curve("cubic"), "shape is one of"),
        (lambda a: a.curve("linear", 1), "low and high"),
        (lambda a: a.curve("linear", 2, 2), "another high"),
        (lambda a: a.curve("linear", 0, float("inf")), "finite"),
        (lambda a: a.curve("linear", 0, a), "high is a number"),
        (lambda a: a.curve("step"), "one threshold"),
        (lambda a: a.curve([(0, 1)]), "2 to 64 points"),
        (lambda a: a.curve([(1, 1), (0, 1)]), "ascend"),
        (lambda a: a.curve([(0, 0), (1e-30, 1e30)]), "no steeper"),
        (lambda a: a.curve([(0, 0), (1, 1)], 3), "define a curve completely"),
        (lambda a: a.curve([1, 2]), "word, points or a function"),
        (lambda a: a.curve(7), "word, points or a function"),
        (lambda a: a.smooth(0), "at least 1"),
        (lambda a: a.smooth(65), "at most 64"),
        (lambda a: a.smooth(1.5), "whole number"),
        (lambda a: minimum(a), "two operands or more"),
        (lambda a: maximum(1, 2), "at least one map"),
        (lambda a: lerp(1, 2, np.ones((HEIGHT, WIDTH))), "at least one map"),
        (lambda a: bool(a + 1), "neither true nor false"),
        (lambda a: 0 < a + 1 < 2, "neither true nor false"),
        (lambda a: min(a, a), "neither true nor false"),
    ],
)
def test_bad_operands_are_refused_with_the_rule(imap, operation, rule):
    with pytest.raises(InvalidValue, match=rule):
        operation(imap["ally"])


def test_a_map_whose_values_have_another_shape_is_not_read_beyond_its_end(imap):
    class Broken(Operand):
        name, space, version = "broken", imap.space, 1
        values = np.zeros((2, 2), np.float32)

    with pytest.raises(InvalidValue, match="have its shape"):
        (Broken() + imap["ally"]).read()
