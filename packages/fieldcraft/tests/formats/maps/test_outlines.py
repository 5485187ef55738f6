from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.base.errors import BadMapFile
from fieldcraft.formats.maps.outlines import blocked_cells, ellipse, rectangle

HEIGHT, WIDTH = 6, 9


def picture(*shapes: list[tuple[float, float]] | np.ndarray, closed: bool = True) -> list[str]:
    outlines = [(np.asarray(shape, dtype=float), closed) for shape in shapes]
    blocked = blocked_cells((HEIGHT, WIDTH), outlines)
    return ["".join("#" if each else "-" for each in row) for row in blocked]


def test_a_rectangle_on_the_cells_blocks_just_these() -> None:
    assert picture(rectangle(2, 1, 4, 3)) == [
        "---------",
        "--####---",
        "--####---",
        "--####---",
        "---------",
        "---------",
    ]


def test_a_cell_is_blocked_by_its_center() -> None:
    assert picture(rectangle(1.6, 1.4, 2, 2)) == [
        "---------",
        "--##-----",
        "--##-----",
        "---------",
        "---------",
        "---------",
    ]


@pytest.mark.parametrize(("x", "column"), [(2.8, 2), (2.95, 3), (3.1, 3), (2.51, 2)])
def test_a_wall_thinner_than_a_cell_still_blocks_one_column(x: float, column: int) -> None:
    row = "".join("#" if at == column else "-" for at in range(WIDTH))
    assert picture(rectangle(x, -1, 0.2, 20)) == [row] * HEIGHT


def test_a_thin_wall_along_x_blocks_one_row() -> None:
    assert (
        picture(rectangle(0, 2.9, 9, 0.15)) == ["---------"] * 2 + ["#########"] + ["---------"] * 3
    )


def test_a_line_blocks_the_cells_along_it() -> None:
    assert picture([(0, 0.2), (4, 0.2), (4, 3.9)], closed=False) == [
        "#####----",
        "----#----",
        "----#----",
        "----#----",
        "---------",
        "---------",
    ]


def test_what_touches_no_line_between_centers_blocks_nothing() -> None:
    assert picture(rectangle(2.6, 2.6, 0.3, 0.3)) == ["---------"] * HEIGHT


def test_shapes_reach_beyond_the_map_and_add_up() -> None:
    assert picture(
        rectangle(-50, -50, 51, 51),
        rectangle(8, 5, 100, 100),
        rectangle(100, 0, 5, 5),
        rectangle(0, 0, 1, 1),
    ) == [
        "#--------",
        "---------",
        "---------",
        "---------",
        "---------",
        "--------#",
    ]


def test_an_ellipse_is_round() -> None:
    height, width = 40, 60
    outline = ellipse(50, 34, cell=1) + np.array((5, 3))
    y, x = np.mgrid[:height, :width] + 0.5
    inside = ((x - 30) / 25) ** 2 + ((y - 20) / 17) ** 2
    blocked = blocked_cells((height, width), [(outline, True)])
    assert blocked[inside < 0.999].all()
    # Beyond its rim only its four tips, too thin for a center, may block.
    assert np.count_nonzero(blocked & (inside > 1.001)) <= 4


def test_a_star_is_hollow_where_it_covers_itself_twice() -> None:
    turns = np.arange(5) * 4 * np.pi / 5 - np.pi / 2
    star = 20.5 + 20 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    blocked = blocked_cells((41, 41), [(star, True)])
    assert not blocked[20, 20] and blocked[8, 20]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e12])
def test_points_are_finite_and_near(bad: float) -> None:
    with pytest.raises(BadMapFile, match="near the map"):
        picture([(0, 0), (1, bad), (2, 2)])


def test_too_much_to_draw_is_refused() -> None:
    zigzag = np.tile([(0.0, 0.0), (4096.0, 4096.0)], (3000, 1))
    with pytest.raises(BadMapFile, match="simple enough"):
        blocked_cells((4096, 4096), [(zigzag, True)])


def inside(polygon: np.ndarray, x: float, y: float) -> bool:
    """The textbook even-odd test, one edge at a time."""
    odd = False
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if (y0 <= y) != (y1 <= y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            odd = not odd
    return odd


def crosses(polygon: np.ndarray, start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Whether an edge crosses the segment properly."""

    def side(
        a: np.ndarray | tuple[float, float],
        b: np.ndarray | tuple[float, float],
        c: np.ndarray | tuple[float, float],
    ) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    return any(
        side(start, end, p) * side(start, end, q) < 0 and side(p, q, start) * side(p, q, end) < 0
        for p, q in zip(polygon, np.roll(polygon, -1, axis=0), strict=True)
    )


# Steps of 0.07 keep points off the centers, where rounding would decide.
coordinate = st.integers(-20, 150).map(lambda step: step * 0.07 + 0.013)
polygons = st.lists(st.tuples(coordinate, coordinate), min_size=3, max_size=7).map(np.array)


@settings(max_examples=35, deadline=None, derandomize=True, database=None)
@given(polygon=polygons)
def test_centers_inside_are_blocked_and_nothing_leaks_through(polygon: np.ndarray) -> None:
    blocked = blocked_cells((HEIGHT, WIDTH), [(polygon, True)])
    for row in range(HEIGHT):
        for column in range(WIDTH):
            center = (column + 0.5, row + 0.5)
            if inside(polygon, *center):
                assert blocked[row, column]
            for down, right in ((0, 1), (1, 0)):
                if (
                    row + down < HEIGHT
                    and column + right < WIDTH
                    and not blocked[row, column]
                    and not blocked[row + down, column + right]
                ):
                    assert not crosses(polygon, center, (center[0] + right, center[1] + down))


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(polygon=polygons)
def test_a_cell_is_blocked_only_by_what_is_in_it(polygon: np.ndarray) -> None:
    for row, column in np.argwhere(blocked_cells((HEIGHT, WIDTH), [(polygon, True)])):
        x, y = column + 0.5, row + 0.5
        arms = [((x - 1, y), (x + 1, y)), ((x, y - 1), (x, y + 1))]
        assert inside(polygon, x, y) or any(crosses(polygon, *arm) for arm in arms)
