"""Mazes: perfect without loops, of any size, the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import ndimage, sparse
from scipy.sparse import csgraph

import fieldcraft as fc
from fieldcraft.formats.maps import MAZE_ALGORITHMS
from support.refusals import refused

SIZES = st.tuples(st.integers(1, 18), st.integers(1, 18))


def rooms(walls: NDArray[np.bool_]) -> sparse.csr_matrix:
    """The rooms of a maze of corridors 1 cell wide and the doors between them, as a graph."""
    is_open = ~walls
    assert is_open[1::2, 1::2].all()
    numbers = np.arange(is_open[1::2, 1::2].size).reshape(is_open[1::2, 1::2].shape)
    east, south = is_open[1::2, 2:-1:2], is_open[2:-1:2, 1::2]
    starts = np.concatenate([numbers[:, :-1][east], numbers[:-1][south]])
    ends = np.concatenate([numbers[:, 1:][east], numbers[1:][south]])
    shape = (numbers.size, numbers.size)
    return sparse.csr_matrix((np.ones(len(starts)), (starts, ends)), shape=shape)


def dead_ends(walls: NDArray[np.bool_]) -> int:
    graph = rooms(walls)
    return int(((graph + graph.T).sum(axis=0) == 1).sum())


def maze(columns: int, rows: int, **options: Any) -> NDArray[np.bool_]:
    return fc.generate_map("maze", 2 * columns + 1, 2 * rows + 1, **options).walls


@pytest.mark.parametrize("algorithm", MAZE_ALGORITHMS)
class TestEveryAlgorithm:
    @settings(max_examples=16, deadline=None)
    @given(size=SIZES, seed=st.integers(0, 2**32))
    def test_is_a_spanning_tree(self, algorithm: str, size: tuple[int, int], seed: int) -> None:
        graph = rooms(maze(*size, algorithm=algorithm, seed=seed))
        assert graph.nnz == size[0] * size[1] - 1
        assert csgraph.connected_components(graph, directed=False, return_labels=False) == 1

    def test_loops_open_the_dead_ends(self, algorithm: str) -> None:
        counts = {}
        for loops in (0.0, 0.25, 0.5, 1.0):
            walls = [maze(40, 31, algorithm=algorithm, seed=seed, loops=loops) for seed in range(4)]
            counts[loops] = sum(map(dead_ends, walls))
        assert counts[1.0] == 0
        # A door into another dead end opens both, so somewhat fewer are left than were passed over.
        assert 0.6 * counts[0.0] <= counts[0.25] <= 0.8 * counts[0.0]
        assert 0.3 * counts[0.0] <= counts[0.5] <= 0.55 * counts[0.0]


def test_algorithms_look_different() -> None:
    ends = {
        name: sum(dead_ends(maze(40, 30, algorithm=name, seed=seed)) for seed in range(5))
        for name in MAZE_ALGORITHMS
    }
    assert ends["backtracker"] < 0.13 * 6000 < 0.2 * 6000 < ends["growing"]


class TestOnAGrid:
    @settings(max_examples=16, deadline=None)
    @given(
        algorithm=st.sampled_from(MAZE_ALGORITHMS),
        size=st.tuples(st.integers(5, 60), st.integers(5, 60)),
        corridor=st.integers(1, 3),
        seed=st.integers(0, 1000),
    )
    def test_is_one_piece_of_corridors_in_a_frame(
        self, algorithm: str, size: tuple[int, int], corridor: int, seed: int
    ) -> None:
        grid = fc.generate_map("maze", *size, algorithm=algorithm, corridor=corridor, seed=seed)
        assert grid.shape == size[::-1]
        assert ndimage.label(~grid.walls)[1] == 1
        assert grid.walls[[0, -1]].all()
        assert grid.walls[:, [0, -1]].all()
        rooms = ((size[0] - 1) // (corridor + 1)) * ((size[1] - 1) // (corridor + 1))
        assert np.count_nonzero(~grid.walls) == rooms * corridor**2 + (rooms - 1) * corridor
        inside = ndimage.binary_opening(~grid.walls, structure=np.ones((corridor, corridor)))
        np.testing.assert_array_equal(
            inside, ndimage.binary_opening(inside, structure=np.ones((corridor, corridor)))
        )
        assert np.count_nonzero(inside) >= rooms * corridor**2

    def test_what_is_left_over_is_wall(self) -> None:
        small, large = (fc.generate_map("maze", 21 + more, 15 + more, seed=3) for more in (0, 1))
        np.testing.assert_array_equal(large.walls[:15, :21], small.walls)
        assert large.walls[15].all()
        assert large.walls[:, 21].all()

    def test_the_smallest_and_the_longest(self) -> None:
        assert np.count_nonzero(~fc.generate_map("maze", 3, 3).walls) == 1
        strip = fc.generate_map("maze", 100_000, 3)
        assert np.count_nonzero(~strip.walls) == 99_997

    def test_options_reach_the_grid(self) -> None:
        grid = fc.generate_map("maze", 12, 9, cell_size=2.5, neighbors=8, y_up=True, loops=0.5)
        assert (grid.size, grid.neighborhood.is_eight, grid.y_up) == ((30, 22.5), True, True)


@pytest.mark.parametrize(
    ("size", "options", "says"),
    [
        ((1, 1), {}, "width is at least 3"),
        ((9, 2), {}, "height is at least 3"),
        ((9, 5), {"corridor": 4}, "height is at least 6"),
        ((10**6, 10**6), {}, "at most 16,777,216 cells"),
        ((9, 9), {"algorithm": "minotaur"}, "algorithm is one of"),
        ((9, 9), {"loops": 1.5}, "loops is in"),
        ((9, 9), {"loops": float("nan")}, "loops is a finite number"),
        ((9, 9), {"corridor": 0}, "corridor is at least 1"),
        ((9, 9), {"seed": -1}, "seed is at least 0"),
        ((9.5, 9), {}, "width is a whole number"),
    ],
)
def test_bad_mazes_are_refused(
    size: tuple[int, int], options: dict[str, object], says: str
) -> None:
    with refused(fc.errors.InvalidValue, says):
        fc.generate_map("maze", *size, **options)


@pytest.mark.parametrize("option", [{"algorithm": "growing"}, {"loops": 0.0}, {"corridor": 1}])
def test_other_kinds_take_no_options_of_mazes(option: dict[str, object]) -> None:
    with refused(fc.errors.InvalidValue, f"Only mazes have {next(iter(option))}"):
        fc.generate_map("cave", 20, 20, **option)
