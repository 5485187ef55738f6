"""Mazes: perfect without loops, of any size, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import ndimage, sparse
from scipy.sparse import csgraph

import fieldcraft as fc
from fieldcraft.maps.mazes import ALGORITHMS, EAST, SOUTH, maze_doors, maze_growth, maze_walls
from support.refusals import refused

SIZES = st.tuples(st.integers(1, 18), st.integers(1, 18))


def joined(doors: NDArray[np.uint8]) -> sparse.csr_matrix:
    """The rooms and doors as a graph."""
    columns = doors.shape[1]
    rooms = np.arange(doors.size).reshape(doors.shape)
    east, south = (doors & EAST) > 0, (doors & SOUTH) > 0
    assert not east[:, -1].any()
    assert not south[-1].any()
    assert doors.max(initial=0) <= EAST | SOUTH
    starts = np.concatenate([rooms[east], rooms[south]])
    ends = np.concatenate([rooms[east] + 1, rooms[south] + columns])
    return sparse.csr_matrix((np.ones(len(starts)), (starts, ends)), shape=(doors.size, doors.size))


def dead_ends(doors: NDArray[np.uint8]) -> int:
    graph = joined(doors)
    return int(((graph + graph.T).sum(axis=0) == 1).sum())


@pytest.mark.parametrize("algorithm", ALGORITHMS)
class TestEveryAlgorithm:
    @settings(max_examples=40, deadline=None)
    @given(size=SIZES, seed=st.integers(0, 2**32))
    def test_is_a_spanning_tree(self, algorithm: str, size: tuple[int, int], seed: int) -> None:
        doors = maze_doors(*size, algorithm=algorithm, seed=seed)
        assert doors.shape == size[::-1]
        graph = joined(doors)
        assert graph.nnz == doors.size - 1
        assert csgraph.connected_components(graph, directed=False, return_labels=False) == 1

    def test_the_seed_decides(self, algorithm: str) -> None:
        one, again, other = (
            maze_doors(12, 9, algorithm=algorithm, seed=seed) for seed in (4, 4, 5)
        )
        np.testing.assert_array_equal(one, again)
        assert (one != other).any()

    def test_loops_open_the_dead_ends(self, algorithm: str) -> None:
        counts = {}
        for loops in (0.0, 0.25, 0.5, 1.0):
            doors = [
                maze_doors(40, 31, algorithm=algorithm, seed=seed, loops=loops) for seed in range(4)
            ]
            counts[loops] = sum(dead_ends(each) for each in doors)
            assert all(
                csgraph.connected_components(joined(each), directed=False, return_labels=False) == 1
                for each in doors
            )
        assert counts[1.0] == 0
        # A door into another dead end opens both, so somewhat fewer are left than were passed over.
        assert 0.6 * counts[0.0] <= counts[0.25] <= 0.8 * counts[0.0]
        assert 0.3 * counts[0.0] <= counts[0.5] <= 0.55 * counts[0.0]


def test_algorithms_look_different() -> None:
    ends = {
        name: sum(dead_ends(maze_doors(40, 30, algorithm=name, seed=seed)) for seed in range(5))
        for name in ALGORITHMS
    }
    assert ends["backtracker"] < 0.13 * 6000 < 0.2 * 6000 < ends["growing"]


class TestOnAGrid:
    @settings(max_examples=40, deadline=None)
    @given(
        algorithm=st.sampled_from(ALGORITHMS),
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

    def test_walls_are_where_no_doors_are(self) -> None:
        doors = np.array([[EAST, SOUTH], [0, 0]], dtype=np.uint8)
        drawn = ["#####", "#...#", "###.#", "#.#.#", "#####"]
        np.testing.assert_array_equal(
            maze_walls(doors), [[letter == "#" for letter in line] for line in drawn]
        )
        assert maze_walls(doors, 2).shape == (7, 7)

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
        ((9, 9), {"loops": 1.5}, "loops lies in"),
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
    with refused(fc.errors.InvalidValue, f"{next(iter(option))} is of mazes"):
        fc.generate_map("cave", 20, 20, **option)


def test_rooms_are_checked_too() -> None:
    with refused(fc.errors.InvalidValue, "at most 16,777,216 rooms"):
        maze_doors(2**13, 2**13)
    with refused(fc.errors.InvalidValue, "rows is at least 1"):
        maze_doors(3, 0)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("loops", [0.0, 0.7])
def test_a_maze_grows_step_by_step_into_the_maze(algorithm, loops):
    whole = maze_doors(9, 6, algorithm=algorithm, loops=loops, seed=4)
    frames = list(maze_growth(9, 6, algorithm=algorithm, loops=loops, seed=4))
    assert np.array_equal(frames[-1], whole)
    before = np.zeros_like(whole)
    for frame in frames:
        opened = frame & ~before
        assert not (before & ~frame).any()
        assert sum(int(bits).bit_count() for bits in opened.reshape(-1).tolist()) == 1
        before = frame
