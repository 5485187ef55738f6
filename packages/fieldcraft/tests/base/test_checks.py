"""The checks of arguments: sound values pass unchanged, others are refused with a message."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.staging import Staging
from fieldcraft.commands.recipe.recipe_parts import data_beside
from fieldcraft.formats.maps.ros import save_ros
from support.refusals import refused

NUMBERS = [checks.finite, checks.positive, checks.not_negative, checks.fraction]
NOT_NUMBERS = [None, "1", b"1", True, np.True_, [1.0], np.array([1.0]), np.array(1.0), 1j, ...]


@pytest.mark.parametrize("check", NUMBERS)
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
def test_a_number_is_a_number(check: Callable[..., float], value: object) -> None:
    with refused(InvalidValue, "decay"):
        check("decay", value)


@pytest.mark.parametrize("check", NUMBERS)
@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, np.float32("nan"), 10**400, -(10**400)],
    ids=lambda v: str(v)[:9],
)
def test_a_number_is_finite(check: Callable[..., float], value: float) -> None:
    with refused(InvalidValue, "decay", "finite"):
        check("decay", value)


@pytest.mark.parametrize(
    "value",
    [1, 1.0, np.float32(1), np.float64(1), np.int64(1), np.uint8(1)],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.parametrize("check", NUMBERS)
def test_numbers_of_every_kind_become_floats(check: Callable[..., float], value: float) -> None:
    assert type(check("decay", value)) is float
    assert check("decay", value) == 1.0


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (checks.positive, 0),
        (checks.positive, -0.0),
        (checks.positive, -1e-300),
        (checks.not_negative, -5e-324),
        (checks.fraction, -1e-9),
        (checks.fraction, 1.0000000000000002),
    ],
)
def test_ranges_are_kept(check: Callable[..., float], value: float) -> None:
    with refused(InvalidValue, "decay", repr(value)):
        check("decay", value)


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (checks.positive, 5e-324),
        (checks.not_negative, 0),
        (checks.not_negative, -0.0),
        (checks.fraction, 0),
        (checks.fraction, 1),
    ],
)
def test_edges_of_ranges_pass(check: Callable[..., float], value: float) -> None:
    assert check("decay", value) == value


@pytest.mark.parametrize(
    "value", [1.0, "1", True, None, np.float64(2), math.nan, np.array([1])], ids=repr
)
def test_a_whole_number_is_whole(value: object) -> None:
    with refused(InvalidValue, "count"):
        checks.integer("count", value)


def test_a_whole_number_has_a_minimum() -> None:
    assert checks.integer("count", np.int32(3), minimum=3) == 3
    with refused(InvalidValue, "count=2", "at least 3"):
        checks.integer("count", 2, minimum=3)


@pytest.mark.parametrize("value", ["Refuse", "", None, 1, ["refuse"], b"refuse"], ids=repr)
def test_a_choice_is_one_of_the_words(value: object) -> None:
    assert checks.choice("outside", "clamp", ("refuse", "clamp")) == "clamp"
    with refused(InvalidValue, "'refuse', 'clamp'", repr(value)):
        checks.choice("outside", value, ("refuse", "clamp"))


def test_an_array_has_rows_of_one_length() -> None:
    assert checks.array("walls", [[1, 2], [3, 4]]).shape == (2, 2)
    with refused(InvalidValue, "walls", "[[1], [1, 2]]"):
        checks.array("walls", [[1], [1, 2]])


class TestPositions:
    @pytest.mark.parametrize(
        "value",
        [(1, 2), [1.0, 2.0], np.array([1, 2], np.int8), np.array([1, 2], np.float32)],
        ids=repr,
    )
    def test_one_pair(self, value: object) -> None:
        points, single = checks.positions(value)
        assert single
        assert points.dtype == np.float64
        assert points.tolist() == [[1.0, 2.0]]

    def test_many(self) -> None:
        points, single = checks.positions([(1, 2), (3, 4), (5, 6)])
        assert not single
        assert points.shape == (3, 2)

    @pytest.mark.parametrize(
        "value", [[], (), np.zeros((0, 2)), np.zeros(0), np.zeros((0, 2), dtype=object)], ids=repr
    )
    def test_none_at_all(self, value: object) -> None:
        points, single = checks.positions(value)
        assert not single
        assert points.shape == (0, 2)

    def test_three_dimensions(self) -> None:
        assert checks.positions((1, 2, 3), dimensions=3)[0].shape == (1, 3)
        with refused(InvalidValue, "(x, y, z) triples", "one (x, y, z) triple"):
            checks.positions((1, 2), dimensions=3)

    @pytest.mark.parametrize(
        "value",
        [
            1.0,
            (1,),
            (1, 2, 3),
            [[1], [2]],
            np.zeros((3, 3)),
            np.zeros((2, 2, 2)),
            np.zeros((5, 0)),
            np.zeros((0, 2, 2)),
            [[]],
        ],
        ids=lambda value: str(np.shape(value)),
    )
    def test_another_shape(self, value: object) -> None:
        with refused(InvalidValue, "Positions are (x, y) pairs", str(np.shape(value))):
            checks.positions(value)

    @pytest.mark.parametrize(
        "value",
        [
            "ab",
            ("1", "2"),
            None,
            (None, 1),
            [(1, 2), (3,)],
            np.array([True, False]),
            (1j, 2),
            {"x": 1},
            (10**400, 1),
        ],
        ids=lambda value: repr(value)[:30],
    )
    def test_something_else(self, value: object) -> None:
        with refused(InvalidValue, "Positions"):
            checks.positions(value)

    def test_not_finite(self) -> None:
        with refused(InvalidValue, "finite", "(2.0, nan) at index 1"):
            checks.positions([(0, 0), (2, math.nan), (math.inf, 0)])

    def test_the_array_is_a_copy(self) -> None:
        mine = np.array([[1.0, 2.0]])
        points, _ = checks.positions(mine)
        points[:] = 9
        assert mine.tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("check", [checks.numbers, checks.amounts])
class TestNumbers:
    def test_one_stands_for_all(self, check: Callable[..., np.ndarray]) -> None:
        assert check("strengths", 2, 3).tolist() == [2, 2, 2]

    def test_one_each(self, check: Callable[..., np.ndarray]) -> None:
        assert check("strengths", [1, 2, 3], 3).tolist() == [1, 2, 3]
        assert check("strengths", [], 0).shape == (0,)
        assert check("strengths", 5, 0).shape == (0,)

    @pytest.mark.parametrize("value", [[1, 2], [[1, 2, 3]], [1, 2, 3, 4], []], ids=repr)
    def test_another_count(self, check: Callable[..., np.ndarray], value: object) -> None:
        with refused(InvalidValue, "strengths", "3"):
            check("strengths", value, 3)

    @pytest.mark.parametrize(
        "value",
        ["strong", None, [1, None, 3], [True, True, True], [1j, 1, 1], [1, [2, 3], 4]],
        ids=repr,
    )
    def test_something_else(self, check: Callable[..., np.ndarray], value: object) -> None:
        with refused(InvalidValue, "strengths"):
            check("strengths", value, 3)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_not_finite(self, check: Callable[..., np.ndarray], value: float) -> None:
        with refused(InvalidValue, "strengths are finite", f"{value} at index 1"):
            check("strengths", [1, value, 3], 3)


def test_amounts_leave_room_for_sums_and_differences() -> None:
    assert checks.amounts("strengths", [1e30, -1e30], 2).dtype == np.float32
    for value in (1.0001e30, -3.4e38, 1e300):
        with refused(InvalidValue, "strengths", "1e+30", str(value)):
            checks.amounts("strengths", [1, value], 2)


def _in_itself() -> list[object]:
    found: list[object] = []
    found.append(found)
    return found


GRID = fc.Grid(12, 8)
LAYER = fc.InfluenceMap(GRID).add_layer("threat", fc.Spread(decay=0.1))
HOSTILE: dict[str, Callable[[], object]] = {
    "one number for positions": lambda: LAYER.sync(["a"], np.array(np.nan)),
    "paces in themselves": lambda: fc.pursuit.Motion(paces=_in_itself()),  # type: ignore[arg-type]
    "a path in itself": lambda: fc.query.along(LAYER, _in_itself()),
    "labels in themselves": lambda: fc.Graph([(0, 0), (1, 1)], [(0, 1)], labels=_in_itself()),
    "endless points of a curve": lambda: LAYER.curve((x, 0.0) for x in itertools.count()),
    "half a character": lambda: checks.text("title", "a\ud800"),
    "a path with NUL": lambda: data_beside("a\0b"),  # type: ignore[arg-type]
    "a folder with half a character": lambda: Staging(Path("a\ud800"), ["a"]).__enter__(),
    "a picture with NUL": lambda: fc.view.save_png("a\0.png", np.zeros((3, 5, 4), np.uint8)),
    "a map with half a character": lambda: save_ros("a\ud800.yaml", GRID),
    "a folder with NUL": lambda: Staging(Path("a\0b"), ["a"]).__enter__(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_arguments_are_refused(name: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        HOSTILE[name]()
    assert caught.value.rule and caught.value.got and caught.value.remedy


def test_objects_with_a_position_stand_for_it() -> None:
    class Unit:
        def __init__(self, x: float, y: float) -> None:
            self.position = (x, y)

    class Units(list):
        pass

    points, single = checks.positions(Unit(1, 2))
    assert single and points.tolist() == [[1, 2]]
    points, single = checks.positions(Units([Unit(1, 2), Unit(3, 4)]))
    assert not single and points.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(InvalidValue, match="numbers"):
        checks.positions([Unit(1, 2), "here"])
    grid = fc.Grid(4, 3)
    path = fc.shortest_path(grid, Unit(0.5, 0.5), Unit(3.5, 0.5))
    assert path.cost == 3 and path.positions[0].tolist() == [0.5, 0.5]
    assert fc.distance_map(grid, Unit(3.5, 0.5)).descend(Unit(0.5, 0.5)).cost == 3


def test_numbers_too_long_to_print_are_refused() -> None:
    for check in (checks.finite, checks.positive, checks.not_negative, checks.fraction):
        with refused(InvalidValue):
            check("speed", -(10**5000))


def test_a_threshold_is_a_number_of_float32():
    assert checks.threshold("above", 0.1) == np.float32(0.1)
    assert checks.threshold("above", 1e300) == np.inf
    with pytest.raises(InvalidValue):
        checks.threshold("above", np.nan)


def test_arrays_are_such_that_kernels_take_them_and_large_numbers_compare():
    packet = b"x" + np.arange(6.0).tobytes()
    numbers = np.frombuffer(packet, dtype=np.float64, offset=1)
    assert not numbers.flags.aligned
    found = checks.array("Costs", numbers)
    assert found.flags.aligned
    np.testing.assert_array_equal(found, numbers)
    assert checks.array("Costs", np.ones(2, dtype=np.float16)).dtype == np.float32


def test_costs_and_positions_out_of_a_packet_are_read():
    grid = fc.Grid(3, 2)
    packet = b"x" + np.array([0.5, 0.5, 1.0, 1.5, 2.5, 1.5]).tobytes()
    costs = np.frombuffer(packet, dtype=np.float64, offset=1).reshape(2, 3)
    places = costs.reshape(3, 2)
    same = fc.distance_map(grid, (0.5, 0.5), cost=costs.copy()).values
    np.testing.assert_array_equal(fc.distance_map(grid, (0.5, 0.5), cost=costs).values, same)
    assert len(fc.reach(grid, (0.5, 0.5), 9.0, cost=costs)) == 6
    between = fc.sample(costs, places, how="bilinear", space=grid)
    np.testing.assert_array_equal(
        between, fc.sample(costs, places.copy(), how="bilinear", space=grid)
    )
