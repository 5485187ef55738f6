"""Seconds since each cell was last seen."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit import LastSeen
from support.refusals import refused
from support.worlds import WRAPS

pytestmark = pytest.mark.reference


class TestStaleness:
    def test_counts_seconds_since_each_cell_was_seen(self) -> None:
        walls = np.zeros((3, 5), dtype=bool)
        walls[1, 1] = True
        stale = LastSeen(fc.Grid(5, 3, walls=walls), unseen=60, most=100)
        stale.advance(2.5)
        stale.observe([0, 1])
        view = np.zeros((3, 5), dtype=bool)
        view[2] = True
        stale.advance(0.5)
        stale.observe(view)
        stale.advance(1.0)
        assert stale.values[0].tolist() == [1.5, 1.5, 64, 64, 64]
        assert stale.values[1].tolist() == [64, 0, 64, 64, 64]
        assert stale.values[2].tolist() == [1.0] * 5
        stale.advance(1000)
        assert stale.values.max() == 100
        assert fc.best(stale, (0.5, 0.5), 9).value == 100

    def test_bad_input(self) -> None:
        stale = LastSeen(fc.Grid(5, 3))
        for call in (
            lambda: stale.advance(-1),
            lambda: stale.observe([15]),
            lambda: stale.observe(np.ones((5, 3), dtype=bool)),
        ):
            with pytest.raises(InvalidValue):
                call()
        with refused(InvalidValue, "most"):
            LastSeen(fc.Grid(5, 3), most=0)


class Plain:
    """The same as a `LastSeen`, with a number for each cell."""

    def __init__(self, count: int, unseen: float) -> None:
        self.now = 0.0
        self.seen = np.full(count, -unseen)
        self.met = np.zeros(count, dtype=bool)

    def observe(self, cells: np.ndarray) -> None:
        self.seen[cells] = self.now
        self.met[cells] = True

    def check(self, stale: LastSeen) -> None:
        walls = stale.space.walls.reshape(-1)
        waited = np.minimum(self.now - self.seen, 4.0)
        assert stale.values.reshape(-1).tolist() == np.where(walls, 0, waited).tolist()
        assert stale.never.reshape(-1).tolist() == (~self.met & ~walls).tolist()
        known = np.where(self.met & ~walls, 1 / (1 + waited), 0)
        np.testing.assert_allclose(stale.knowledge.values.reshape(-1), known, rtol=1e-6)
        assert stale.time == self.now


CALLS = st.sampled_from(["advance", "ids", "mask", "save", "copy", "walls", "refused"])


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([*WRAPS, "hexagons", "graph"]),
    st.integers(0, 2**16),
    st.lists(CALLS, max_size=20),
)
def test_any_calls_have_the_results_of_plain_numbers(kind: object, seed: int, calls: list) -> None:
    rng = np.random.default_rng(seed)
    walls = rng.random((4, 7)) < 0.2
    space: fc.Space
    if kind == "hexagons":
        space = fc.HexGrid(7, 4, walls=walls)
    elif kind == "graph":
        space = fc.Grid(walls=walls, neighbors=8).to_graph()
    else:
        space = fc.Grid(walls=walls, wrap=kind)
    unseen = float(rng.choice([0.0, 2.5]))
    stale = LastSeen(space, unseen=unseen, most=4.0)
    plain = Plain(len(space), unseen)
    for call in calls:
        cells = rng.integers(0, len(space), 3)
        if call == "advance":
            seconds = float(rng.integers(0, 5)) / 4
            stale.advance(seconds)
            plain.now += seconds
        elif call == "ids":
            stale.observe(cells)
            plain.observe(cells)
        elif call == "mask":
            view = rng.random(space.shape) < 0.3
            stale.observe(view)
            plain.observe(np.flatnonzero(view))
        elif call == "save":
            file = io.BytesIO()
            np.savez(file, **stale.state())
            file.seek(0)
            stale = LastSeen(stale.space, unseen=7.0, most=4.0)
            with np.load(file) as state:
                stale.restore(state)
        elif call == "copy":
            stale = copy.deepcopy(pickle.loads(pickle.dumps(stale)))
        elif call == "walls":
            stale.space.set_walls(cells[:1], bool(rng.integers(2)))  # type: ignore[attr-defined]
        else:
            with refused(InvalidValue):
                stale.restore(stale.state() | {"now": -1})
        plain.check(stale)
