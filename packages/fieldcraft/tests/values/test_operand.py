"""Whatever is a map goes into expressions, windows, curves and NumPy, and stays live."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.values.operand import Operand
from support.refusals import refused

_FAR = np.float32(1e20)


class _World:
    """A closed room in a map that is not square, a layer, and one of each kind of map on it, with a
    way to change it.
    """

    def __init__(self) -> None:
        walls = np.zeros((7, 11), dtype=bool)
        walls[2, :8] = walls[:2, 7] = True  # the cells above are shut in
        walls[5, 3] = True
        self.space = space = fc.Grid(walls=walls)
        self.layer = fc.InfluenceMap(space).add_layer(
            "threat", fc.Radial(4, metric="straight"), every=0.1
        )
        self.layer.add_source((9.5, 4.5), strength=3.0)
        self.layer.step()
        belief, staleness = fc.Belief(space, 1.0), fc.LastSeen(space, unseen=30)
        pursuit, distances = (
            fc.Pursuit(space, (5.5, 4.5), (1, 0)),
            fc.distance_map(space, (10.5, 6.5)),
        )
        staleness.observe([40, 41])
        pursuit.step(3)
        flight = fc.flee_map(distances)
        teams = fc.InfluenceMap(space).add_teams(["red", "blue"], fc.Radial(3))
        teams["red"].add_source((4.5, 4.5))
        self.maps: dict[str, tuple[Operand, object]] = {
            "layer": (self.layer, self.layer.step),
            "expression": (
                self.layer * 2 - 1,
                lambda: [self.layer.add_source((4.5, 3.5)), self.layer.step()],
            ),
            "belief": (belief, belief.step),
            "staleness": (staleness, lambda: staleness.advance(2.5)),
            "pursuit": (pursuit, pursuit.step),
            "distances": (distances, lambda: [space.set_walls([60]), distances.repair()]),
            "flight": (flight, lambda: [space.set_walls([61]), flight.repair()]),
            "teams": (
                teams.tension(),
                lambda: [
                    teams["blue"].add_source((6.5, 4.5)),
                    teams["blue"].step(),
                    teams["red"].step(),
                ],
            ),
        }


def _expected(operand: Operand) -> np.ndarray:
    """What expressions read, said without them."""
    plain = np.array(operand.values)
    plain[np.isinf(plain)] = _FAR
    plain[operand.space.walls] = 0
    return plain


KINDS = [
    "layer",
    "expression",
    "belief",
    "staleness",
    "pursuit",
    "distances",
    "flight",
    "teams",
]


@pytest.mark.parametrize("kind", KINDS)
def test_is_an_operand_and_stays_live(kind):
    world = _World()
    operand, change = world.maps[kind]
    x = world.layer
    asked = {
        "x + o": (x + operand, lambda o: x.values + o),
        "o * 2": (operand * 2, lambda o: o * np.float32(2)),
        "-o": (-operand, lambda o: -o),
        "array - o": (np.ones(world.space.shape) - operand, lambda o: np.float32(1) - o),
        "where": (fc.where(operand > 1, operand, x), lambda o: np.where(o > 1, o, x.values)),
        "maximum": (fc.maximum(x, operand), lambda o: np.maximum(x.values, o)),
        "formula": (
            fc.formula("a - 0.5 * b", {"a": x, "b": operand}),
            lambda o: x.values - np.float32(0.5) * o,
        ),
        "curve": (
            operand.curve("linear", 8, 0),
            lambda o: np.clip((o - np.float32(8)) / np.float32(-8), 0, 1),
        ),
        "both": ((operand > 0) & ~(x > 1), lambda o: (o > 0) & ~(x.values > 1)),
        "root": (np.sqrt(operand), lambda o: np.sqrt(np.maximum(o, 0))),
        "own": (operand.curve(lambda values: np.tanh(values) + 1), lambda o: np.tanh(o) + 1),
    }
    open_ = ~world.space.walls
    before = [(name, expression.values.copy()) for name, (expression, _) in asked.items()]
    for name, (expression, plain) in asked.items():
        expected = plain(_expected(operand)).astype(np.float32) * ~world.space.walls
        np.testing.assert_allclose(expression.values, expected, rtol=1e-6, err_msg=name)
    version = operand.version
    change()
    if kind != "layer":
        assert operand.version != version
        assert any(
            (expression.values != old)[open_].any()
            for (_, old), (expression, _) in zip(before, asked.values(), strict=True)
        )
    for name, (expression, plain) in asked.items():
        expected = plain(_expected(operand)).astype(np.float32) * ~world.space.walls
        np.testing.assert_allclose(
            expression.values, expected, rtol=1e-6, err_msg=f"{name}, after a change"
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "**", "&", "|"])
def test_operators_that_assign_lose_no_map(kind, sign):
    world = _World()
    names = {"map": world.maps[kind][0]}
    if kind in ("expression", "teams"):
        exec(f"total = map; total {sign}= 2; total = total.values - (map {sign} 2).values", names)
        assert not names["total"].any()
    else:
        with refused(InvalidValue, "map + 1"):
            exec(f"map {sign}= 2", names)


@pytest.mark.parametrize("kind", KINDS)
def test_goes_into_windows_questions_and_numpy(kind):
    world = _World()
    operand, _ = world.maps[kind]
    window = fc.window(operand, (5.5, 4.5), 2.5)
    np.testing.assert_array_equal(window.values, fc.window(operand + 0, (5.5, 4.5), 2.5).values)
    assert (
        fc.window(operand.curve(np.tanh), (5.5, 4.5), 2.5).values.tobytes()
        == np.tanh(window.values).tobytes()
    )
    assert bool(fc.best(operand, (5.5, 4.5), 3.0).found)
    assert np.asarray(operand).shape == world.space.shape
    assert np.argmax(operand) == operand.values.argmax()
    assert np.mean(operand) == operand.values.mean()
    assert np.array(operand).flags.writeable
    assert not operand.values.flags.writeable
    np.testing.assert_array_equal(
        operand.read(np.empty(world.space.shape, np.float32)), operand.values
    )
    assert operand.sample((5.5, 4.5)) == operand.values[4, 5]
    assert isinstance(np.maximum(operand, 1), fc.compose.Expression)
    total = np.zeros(world.space.shape)
    np.add(total, operand, out=total)
    np.testing.assert_array_equal(total, operand.values.astype(np.float64))


def test_a_distance_map_reads_a_number_where_no_way_leads():
    world = _World()
    distances = world.maps["distances"][0]
    shut_in = np.zeros(world.space.shape, dtype=bool)
    shut_in[:2, :7] = True
    assert np.isinf(distances.values[shut_in]).all()
    assert ((0 + distances).values[shut_in] == _FAR).all()
    assert ((0 + distances).values[world.space.walls] == 0).all()
    assert (fc.minimum(distances, 99).values[shut_in] == 99).all()
    assert (distances.curve("linear", 40, 0).values[shut_in] == 0).all()
    assert 0 < fc.minimum(distances, 99).normalize().values[6, 9] < 0.1
    # An infinite cost is ground from which no way leads, not a wall of the space.
    dear = np.ones(world.space.shape)
    dear[6, 0] = np.inf
    assert (0 + fc.distance_map(world.space, (10.5, 6.5), cost=dear)).values[6, 0] == _FAR


def test_numpy_says_what_it_cannot_do():
    world = _World()
    layer = world.layer
    with refused(InvalidValue, "np.arctan2", "map.values"):
        np.arctan2(layer, layer)
    with refused(InvalidValue, "layer.write"):
        np.add(layer, 1, out=layer)
    with refused(InvalidValue, "where="):
        np.add(layer, 1, where=True)
    assert np.maximum.reduce(layer).shape == (11,)
    np.testing.assert_array_equal(np.sin(layer).values, np.sin(layer.values) * ~world.space.walls)
    np.testing.assert_array_equal(np.clip(layer, 0, 1), layer.values.clip(0, 1))


def test_truth_is_one_or_zero():
    world = _World()
    a, b = world.layer, world.layer * -3 + 1
    grid = ~world.space.walls
    for text, plain in (
        ("a and b", (a.values != 0) & (b.values != 0)),
        ("a or b", (a.values != 0) | (b.values != 0)),
        ("not a", a.values == 0),
        ("a > 1 and b < 0 or not a > 0", ((a.values > 1) & (b.values < 0)) | ~(a.values > 0)),
    ):
        np.testing.assert_array_equal(
            fc.formula(text, {"a": a, "b": b}).values,
            (plain & grid).astype(np.float32),
            err_msg=text,
        )
    both = (a > 1) & (b < 0)
    assert both.name == "threat > 1 and threat * -3 + 1 < 0"
    np.testing.assert_array_equal(fc.formula(both.name, {"threat": a}).values, both.values)
    np.testing.assert_array_equal(
        (a.normalize() & 1).values, ((a.values > 0) & grid).astype(np.float32)
    )


@pytest.mark.parametrize("exponent", [0, 0.5, 1, 2, 3, 2.5, 7, -1, -1.5, 0.3, 2.2, 30, -40])
def test_powers_are_powers(exponent):
    world = _World()
    for operand in (world.layer, world.layer - 1):
        plain = np.asarray(operand.values, dtype=np.float64)
        with np.errstate(all="ignore"):
            expected = plain**exponent
            expected[~np.isfinite(expected)] = 0
        power = operand**exponent
        np.testing.assert_allclose(power.values, expected * ~world.space.walls, rtol=4e-6)
        np.testing.assert_array_equal(
            fc.formula(power.name, {"threat": world.layer}).values, power.values
        )


def test_powers_and_functions_say_what_they_take():
    layer = _World().layer
    with refused(InvalidValue, "two maps"):
        _ = layer**layer
    with refused(InvalidValue, "exponent"):
        layer.curve("power", 0, 1, -1)
    with refused(InvalidValue, "low, high and an exponent"):
        layer.curve("power", 0, 1)
    with refused(InvalidValue, "float64 of shape ()"):
        _ = layer.curve(lambda values: float(values.max())).values
    with refused(InvalidValue, "nan for 0"):
        _ = layer.curve(lambda values: values / values).values
    np.testing.assert_array_equal(fc.formula("a ** 2 ** 3", {"a": layer}).values, (layer**8).values)
    np.testing.assert_allclose((2**layer).values, 2**layer.values * ~layer.space.walls, rtol=1e-6)


def test_values_go_by_dlpack_as_a_copy() -> None:
    world = _World()
    for operand in (world.layer, 1 + world.layer):
        found = np.from_dlpack(operand)
        assert found.dtype == np.float32 and np.array_equal(found, operand.values)
        assert not np.shares_memory(found, operand.values)
        with pytest.raises(BufferError, match="copy"):
            operand.__dlpack__(copy=False)
