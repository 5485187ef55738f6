"""Eased maps: what they refuse, and maps of any kind that they follow. A law on every space is in
`laws/test_every_space.py`.
"""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.refusals import refused


def test_expressions_are_eased_too() -> None:
    imap = fc.InfluenceMap(fc.Grid(3, 2))
    one = imap.add_layer("one", values=np.ones((2, 3)))
    soft = fc.compose.Eased(2 * one, half_life=1.0)
    assert soft.values.tolist() == [[2, 2, 2], [2, 2, 2]]
    one.write(np.zeros((2, 3)))
    soft.advance(2.0)
    assert soft.values.tolist() == [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]
    assert repr(soft).startswith("<Eased: <Expression") and soft.name == "2 * one eased"


def test_frames_of_any_length_end_in_the_same_values() -> None:
    imap = fc.InfluenceMap(fc.Grid(3, 2))
    one = imap.add_layer("one", values=np.zeros((2, 3)))
    softs = [fc.compose.Eased(one, half_life=0.3) for _ in range(3)]
    one.write([[1, 2, 3], [4, 5, -6]])
    for soft, frames in zip(softs, (1, 30, 144), strict=True):
        for _ in range(frames):
            soft.advance(1 / frames)
    assert np.allclose(softs[0].values, softs[1].values) and softs[0].values[1, 2] < -5
    assert np.allclose(softs[0].values, softs[2].values)


def test_a_state_goes_on_with_the_same_bits() -> None:
    imap = fc.InfluenceMap(fc.Grid(3, 2))
    one = imap.add_layer("one", values=np.ones((2, 3)))
    soft = fc.compose.Eased(one, half_life=1.0)
    one.write([[1, 2, 3], [4, 5, -6]])
    soft.advance(0.7)
    kept = soft.state()
    other = fc.compose.Eased(one, half_life=1.0)
    version = other.version
    other.restore(kept)
    assert other.version > version
    soft.advance(0.3)
    other.advance(0.3)
    assert other.values.tobytes() == soft.values.tobytes()
    assert not np.array_equal(kept["exact"], soft.state()["exact"])
    before = soft.values
    wrong = (
        {"exact": np.ones((3, 2))},
        {"exact": [["a"] * 3] * 2},
        {"exact": kept["exact"] * np.nan},
    )
    for state in (*wrong, {}, None):
        with refused(InvalidValue, "A state of an eased map", "state()"):
            soft.restore(state)  # type: ignore[arg-type]
    assert soft.values.tobytes() == before.tobytes()


def test_what_is_no_map_or_no_half_life_is_refused() -> None:
    imap = fc.InfluenceMap(fc.Grid(3, 2))
    one = imap.add_layer("one", values=np.ones((2, 3)))
    with refused(InvalidValue, "A layer or an expression is eased", "ndarray"):
        fc.compose.Eased(np.ones((2, 3)), half_life=1.0)  # type: ignore[arg-type]
    with refused(InvalidValue, "half_life"):
        fc.compose.Eased(one, half_life=0.0)
    with refused(InvalidValue, "dt"):
        fc.compose.Eased(one, half_life=1.0).advance(-1.0)


def test_infinite_distances_are_taken_over_at_once() -> None:
    grid = fc.Grid(walls=[[0, 1, 0, 0], [0, 0, 0, 0]])
    distances = fc.distance_map(grid, (0.5, 0.5))
    soft = fc.compose.Eased(distances, half_life=1.0)
    for blocked in (True, False):
        grid.set_walls([5], blocked)
        distances.repair()
        soft.advance(0.5)
        expected = np.where(grid.walls, 0, distances.values)
        assert soft.values.tolist() == expected.tolist()
        assert np.isinf(soft.values).any() == blocked
        other = fc.compose.Eased(distances, half_life=1.0)
        other.restore(soft.state())
        assert other.values.tolist() == soft.values.tolist()
