"""Values between cells: exact where the ground is open, and nothing through a wall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import fieldcraft as fc
from fieldcraft import query
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space.wrapping import Wrap
from support.fields import Field, inside, noise, ramp, random_walls
from support.refusals import refused
from support.samples import SPACES
from support.worlds import WRAPS

pytestmark = pytest.mark.reference


def rows_and_columns(space: fc.Grid, points: np.ndarray) -> np.ndarray:
    """Positions as SciPy takes them: rows and columns of the array, whole numbers at the centers of
    cells.
    """
    u, v = ((points - space.origin) / space.cell_size - 0.5).T
    return np.stack([space.height - 1 - v if space.y_up else v, u])


@pytest.mark.parametrize("space", SPACES)
def test_bilinear_is_scipys_order_1_on_open_ground(space: fc.Grid) -> None:
    field, points = noise(space, 1), inside(space, 500, 2)
    expected = ndimage.map_coordinates(
        field.values, rows_and_columns(space, points), order=1, mode="nearest"
    )
    np.testing.assert_allclose(query.sample(field, points, how="bilinear"), expected, atol=1e-6)


@pytest.mark.parametrize("y_up", [False, True])
def test_bilinear_goes_round_a_torus(y_up: bool) -> None:
    space = fc.Grid(6, 9, cell_size=0.5, y_up=y_up, wrap=True)
    field, points = noise(space, 3), inside(space, 500, 4)
    expected = ndimage.map_coordinates(
        field.values, rows_and_columns(space, points), order=1, mode="grid-wrap"
    )
    np.testing.assert_allclose(query.sample(field, points, how="bilinear"), expected, atol=1e-6)
    again = query.sample(field, points + np.array(space.size) * [-3, 7], how="bilinear")
    np.testing.assert_allclose(again, expected, atol=1e-5)


@pytest.mark.parametrize("space", SPACES)
def test_bilinear_reproduces_a_ramp(space: fc.Grid) -> None:
    field = ramp(space, (0.75, -1.5), base=2.0)
    points = inside(space, 300, 5)
    half = space.cell_size / 2
    points = np.clip(
        points, np.array(space.origin) + half, np.array(space.origin) + space.size - half
    )
    np.testing.assert_allclose(
        query.sample(field, points, how="bilinear"),
        2.0 + points @ [0.75, -1.5],
        rtol=3e-7,
        atol=3e-6,
    )


@pytest.mark.parametrize("space", SPACES)
def test_both_ways_read_the_cell_at_its_centre(space: fc.Grid) -> None:
    field = noise(space, 6)
    centers = space.position_of(np.arange(len(space)))
    assert query.sample(field, centers).tobytes() == field.values.tobytes()
    np.testing.assert_allclose(
        query.sample(field, centers, how="bilinear"), field.values.reshape(-1), atol=1e-6
    )


def test_nothing_comes_through_a_wall() -> None:
    walls = np.zeros((3, 5), bool)
    walls[:, 2] = True
    space = fc.Grid(5, 3, walls=walls)
    values = np.zeros((3, 5), np.float32)
    values[:, 3:] = 100.0
    field = Field(space, values)
    x = np.linspace(0.0, 1.999, 50)
    assert (query.sample(field, np.stack([x, np.full(50, 1.3)], axis=1), how="bilinear") == 0).all()


def test_nothing_comes_past_the_corner_of_two_walls() -> None:
    space = fc.Grid(2, 2, walls=[[False, True], [True, False]])
    field = Field(space, np.array([[1.0, 50.0], [50.0, 9.0]], np.float32))
    assert query.sample(field, (0.99, 0.99), how="bilinear") == 1.0
    assert query.sample(field, (1.0, 1.0), how="bilinear") == 9.0


def test_a_cell_round_the_corner_takes_part_and_the_weights_add_up() -> None:
    space = fc.Grid(2, 2, walls=[[False, True], [False, False]])
    field = Field(space, np.array([[1.0, 50.0], [3.0, 9.0]], np.float32))
    x, y = 0.8, 0.7
    weights = np.array([0.7 * 0.8, 0.7 * 0.2, 0.3 * 0.2])
    expected = weights @ [1.0, 3.0, 9.0] / weights.sum()
    assert query.sample(field, (x, y), how="bilinear") == pytest.approx(expected, rel=1e-6)
    values = np.full((2, 2), 5.0, np.float32)
    values[0, 1] = -80
    assert query.sample(Field(space, values), (x, y), how="bilinear") == 5.0


def test_a_step_that_the_terrain_forbids_is_a_wall_between() -> None:
    cliff = fc.Terrain([[0, 1]], np.array([[True, False], [True, True]]))
    field = Field(fc.Grid(2, 1, terrain=cliff), np.array([[1.0, 9.0]], np.float32))
    assert query.sample(field, (0.9, 0.5), how="bilinear") == 1.0
    assert query.sample(field, (1.1, 0.5), how="bilinear") == 9.0
    np.testing.assert_array_equal(
        query.gradient(field, [(0.9, 0.5), (1.1, 0.5)], how="bilinear"), 0
    )


def test_on_a_wall_the_cell_itself_is_read() -> None:
    space = fc.Grid(3, 1, walls=[[False, True, False]])
    field = Field(space, np.array([[4.0, 7.0, 4.0]], np.float32))
    for how in ("nearest", "bilinear"):
        assert query.sample(field, (1.2, 0.4), how=how) == 7.0
        assert query.gradient(field, (1.2, 0.4), how=how).tolist() == [0.0, 0.0]


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
@settings(max_examples=16)
def test_no_answer_depends_on_walls_or_on_closed_rooms(seed: int, y_up: bool, wrap: Wrap) -> None:
    rng = np.random.default_rng(seed)
    space = fc.Grid(9, 6, walls=random_walls((6, 9), 0.4, seed), y_up=y_up, wrap=wrap)
    rooms = query.regions(
        Field(space, np.ones(space.shape, np.float32))
    ).labels  # four neighbors: straight steps
    field = noise(space, seed)
    points = inside(space, 60, seed)
    cells = space.cell_at(points)
    room = rng.integers(1, rooms.max() + 1) if rooms.max() else 0
    points = points[(rooms.reshape(-1)[cells] == room) & ~space.walls.reshape(-1)[cells]]
    other = Field(space, np.where(rooms == room, field.values, np.float32(1e6)))
    for ask in (query.sample, query.gradient):
        for how in ("nearest", "bilinear"):
            assert ask(field, points, how=how).tobytes() == ask(other, points, how=how).tobytes()


@given(st.integers(0, 10**6))
@settings(max_examples=12)
def test_between_open_neighbors_the_value_does_not_jump(seed: int) -> None:
    space = fc.Grid(8, 5, walls=random_walls((5, 8), 0.3, seed))
    field = noise(space, seed)
    rng = np.random.default_rng(seed)
    x, y = (
        rng.integers(1, 8, 40).astype(float),
        rng.random(40) * 5,
    )  # on the edge between two columns
    left, right = np.stack([x - 1e-9, y], axis=1), np.stack([x + 1e-9, y], axis=1)
    walls = space.walls.reshape(-1)
    both = ~walls[space.cell_at(left)] & ~walls[space.cell_at(right)]
    a, b = (query.sample(field, points[both], how="bilinear") for points in (left, right))
    np.testing.assert_allclose(a, b, atol=1e-6)


def test_shapes_types_and_one_position() -> None:
    field = noise(fc.Grid(5, 3), 11)
    for how in ("nearest", "bilinear"):
        many = query.sample(field, [(1.2, 2.2), (4.9, 0.1)], how=how)
        assert many.shape == (2,) and many.dtype == np.float32
        one = query.sample(field, (1.2, 2.2), how=how)
        assert isinstance(one, float) and one == float(many[0])
        slopes = query.gradient(field, [(1.2, 2.2), (4.9, 0.1)], how=how)
        assert slopes.shape == (2, 2)
        assert query.gradient(field, (1.2, 2.2), how=how).tolist() == slopes[0].tolist()
        assert query.sample(field, np.empty((0, 2)), how=how).shape == (0,)
        assert query.sample(field, [], how=how).shape == (0,)
        assert query.gradient(field, [], how=how).shape == (0, 2)
    strided = np.zeros((4, 4))[::2, ::2] + 0.5
    assert query.sample(field, strided, how="bilinear").shape == (2,)


def test_a_crowd_gets_what_each_would_get_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    space = fc.Grid(90, 41, walls=random_walls((41, 90), 0.2, 12))
    field, points = noise(space, 13), inside(space, 12_000, 14)
    answers = []
    for threads in (1, 3):
        monkeypatch.setattr("fieldcraft.kernels.compiling.pool._count", threads)
        answers.append(
            (
                query.sample(field, points, how="bilinear"),
                query.gradient(field, points, how="bilinear"),
            )
        )
    assert all(one.tobytes() == other.tobytes() for one, other in zip(*answers, strict=True))
    for i in (0, 5999, 6000, 11_999):
        assert query.sample(field, points[i], how="bilinear") == answers[0][0][i]
        assert (
            query.gradient(field, points[i], how="bilinear").tolist() == answers[0][1][i].tolist()
        )


@pytest.mark.parametrize("how", ["nearest", "bilinear"])
def test_off_the_map(how: str) -> None:
    space = fc.Grid(4, 3, cell_size=0.1, origin=(1.0, 2.0))
    field = noise(space, 15)
    for wrong in ((0.99, 2.1), (1.4000001, 2.1), (1.1, 1.999), (1.1, 2.3000001)):
        for ask in (query.sample, query.gradient):
            with refused(OutsideMap, "1.0, 2.0"):
                ask(field, wrong, how=how)
            with refused(OutsideMap, "at index 1"):
                ask(field, [(1.1, 2.1), wrong], how=how)
    rim = [(1.0, 2.1), (9.0, 2.1), (1.1, -5.0), (50.0, 50.0)]
    ends = [(1.0, 2.1), (1.39999999, 2.1), (1.1, 2.0), (1.39999999, 2.2999999999)]
    for ask in (query.sample, query.gradient):
        np.testing.assert_allclose(
            ask(field, rim, how=how, outside="clamp"),
            ask(field, ends, how=how),
            rtol=1e-5,
            atol=1e-6,
        )
    assert query.sample(field, (9.0, 9.0), how=how, outside="clamp") == float(field.values[2, 3])


@pytest.mark.parametrize("outside", ["refuse", "clamp"])
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_positions_are_finite(wrong: float, wrap: Wrap, outside: str) -> None:
    field = noise(fc.Grid(4, 3, wrap=wrap), 16)
    for ask in (query.sample, query.gradient):
        for how in ("nearest", "bilinear"):
            with refused(InvalidValue, "at index 1"):
                ask(field, np.array([(1.0, 1.0), (1.0, wrong)]), how=how, outside=outside)


@pytest.mark.parametrize("wrap", WRAPS)
def test_so_far_away_that_no_cell_can_be_counted(wrap: Wrap) -> None:
    field = noise(fc.Grid(4, 3, cell_size=1e-6, wrap=wrap), 18)
    for ask in (query.sample, query.gradient):
        with refused(InvalidValue, "1e+305"):
            ask(field, (0.0, 1e305), how="bilinear", outside="clamp")
    for question in (
        lambda: query.best(field, (0.0, 1e305), 1.0, outside="clamp"),
        lambda: query.along(field, [(0.0, 1e305)], outside="clamp"),
    ):
        with refused(InvalidValue, "1e+305"):
            question()


def test_refusals() -> None:
    field = noise(fc.Grid(4, 3), 17)
    for ask in (query.sample, query.gradient):
        with refused(InvalidValue, "'cubic'"):
            ask(field, (1, 1), how="cubic")
        with refused(InvalidValue, "'wrap'"):
            ask(field, (1, 1), how="bilinear", outside="wrap")
        with refused(InvalidValue, "(2, 3)"):
            ask(field, np.zeros((2, 3)))
        with refused(InvalidValue, "ndarray"):
            ask(field.values, (1, 1))
        with refused(InvalidValue, "dict"):
            ask({"values": 1}, (1, 1))
    with pytest.raises(InvalidValue, match=r"shape \(height, width\)"):
        query.sample(Field(field.space, np.zeros((4, 3), np.float32)), (1, 1))
