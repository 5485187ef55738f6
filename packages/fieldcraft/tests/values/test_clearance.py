"""The clearance of squares and discs against counting, also after changes of the walls."""

import numpy as np
import pytest

import fieldcraft as fc


def counted(space):
    """The largest footprint of each cell, tried one size after the other."""
    sizes = np.zeros(space.shape)
    for cell in range(len(space)):
        size = 0
        while size < min(space.shape) and fits(space, cell, size + 1):
            size += 1
        sizes.flat[cell] = size
    return sizes


def fits(space, cell, size):
    if isinstance(space, fc.HexGrid):
        steps = np.asarray(space.steps_between(np.arange(len(space)), cell))
        disc = steps <= (size - 1) // 2
        whole = 1 + 3 * ((size - 1) // 2) * ((size - 1) // 2 + 1)
        return size % 2 == 0 or (disc.sum() == whole and not space.walls.reshape(-1)[disc].any())
    row, column = divmod(cell, space.width)
    rows = np.arange(row - size // 2, row + (size - 1) // 2 + 1)
    columns = np.arange(column - size // 2, column + (size - 1) // 2 + 1)
    if space.wrap:
        rows, columns = rows % space.height, columns % space.width
    inside = (rows >= 0) & (rows < space.height), (columns >= 0) & (columns < space.width)
    return all(each.all() for each in inside) and not space.walls[np.ix_(rows, columns)].any()


SPACES = {
    "grid": lambda walls: fc.Grid(walls=walls),
    "y_up": lambda walls: fc.Grid(walls=walls, y_up=True, neighbors=8, cell_size=0.5),
    "torus": lambda walls: fc.Grid(walls=walls, wrap=True),
    "pointy": lambda walls: fc.HexGrid(*walls.shape[::-1], walls=walls),
    "flat": lambda walls: fc.HexGrid(
        *walls.shape[::-1], walls=walls, orientation="flat", y_up=True
    ),
}


@pytest.mark.parametrize("kind", SPACES)
def test_clearance_follows_the_walls_as_if_counted_anew(kind):
    rng = np.random.default_rng(4)
    for density in (0.0, 0.03, 0.3):
        space = SPACES[kind](rng.random((12, 17)) < density)
        room = fc.question.Clearance(space)
        for _ in range(12):
            expected = counted(space)
            if isinstance(space, fc.HexGrid):
                expected -= (expected % 2 == 0) & (expected > 0)
            np.testing.assert_array_equal(room.values, expected)
            cells = rng.choice(len(space), rng.integers(1, 5), replace=False)
            space.set_walls(cells, blocked=bool(rng.random() < 0.5))


def test_clearance_is_a_map_for_expressions():
    space = fc.Grid(7, 5)
    room = fc.question.Clearance(space)
    large = room >= 3
    assert large.values.sum() == 3 * 5
    space.set_walls(space.cell_at((3.5, 2.5)))
    assert large.values.sum() < 3 * 5
    np.testing.assert_array_equal(large.values, room.values >= 3)


def test_other_spaces_are_refused():
    graph = fc.Grid(3, 3).to_graph()
    with pytest.raises(
        fc.errors.InvalidValue, match="Footprints fit on squares, hexagons and meshes"
    ):
        fc.question.Clearance(graph)
