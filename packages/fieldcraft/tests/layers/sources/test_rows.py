"""Rows of sources: bulk calls, lifetimes, pins."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import DeadSource, InvalidValue
from support.live_sources import OPEN
from support.refusals import refused, unchanged


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of Python a call runs."""
    lines = 0

    def count(*event: object) -> object:
        nonlocal lines
        lines += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines


class TestBulk:
    def test_columns_are_in_the_order_of_ids(self, layer: fc.Layer) -> None:
        ids = layer.add_sources([(0.5, 0.5), (1.5, 0.5), (2.5, 0.5)], [1, 2, 3])
        assert ids.dtype == np.int64
        layer.sources.remove(ids[1])
        layer.sources.move(ids[[2, 0]], [(7, 5), (8, 5)])
        layer.sources.set_strengths(ids[[2, 0]], [30, 10])
        order = np.argsort(layer.sources.ids)
        assert layer.sources.ids[order].tolist() == sorted(ids[[0, 2]].tolist())
        by_id = dict(
            zip(
                layer.sources.ids.tolist(),
                zip(
                    layer.sources.positions.tolist(), layer.sources.strengths.tolist(), strict=True
                ),
                strict=True,
            )
        )
        assert by_id == {int(ids[0]): ([8.0, 5.0], 10.0), int(ids[2]): ([7.0, 5.0], 30.0)}
        assert layer.sources.positions_of(ids[[2, 0]]).tolist() == [[7, 5], [8, 5]]
        assert layer.sources.strengths_of(ids[[2, 0]]).tolist() == [30, 10]
        assert layer.sources.cells.dtype == np.int64
        assert repr(layer.sources) == "<Sources: 2 alive>"

    def test_one_strength_for_all(self, layer: fc.Layer) -> None:
        ids = layer.add_sources([OPEN] * 3)
        assert layer.sources.strengths.tolist() == [1, 1, 1]
        layer.sources.set_strengths(ids, 4)
        assert layer.sources.strengths.tolist() == [4, 4, 4]

    def test_none_at_all(self, layer: fc.Layer) -> None:
        layer.add_source(OPEN)
        assert layer.add_sources([], []).shape == (0,)
        assert layer.add_sources(np.zeros((0, 2)), 3, lifetimes=1).shape == (0,)
        layer.sources.move([], [])
        layer.sources.remove([])
        layer.sources.set_strengths([], [])
        assert len(layer.sources) == 1

    def test_answers_are_copies(self, layer: fc.Layer) -> None:
        layer.add_source(OPEN)
        for column in (
            layer.sources.positions,
            layer.sources.strengths,
            layer.sources.cells,
            layer.sources.ids,
        ):
            column[:] = 5
        assert layer.sources.positions.tolist() == [[0.5, 0.5]]
        assert layer.sources.strengths.tolist() == [1]

    @pytest.mark.parametrize(
        "ids", [[1.0], ["a"], None, [[0]], [True], [[0], [0, 1]], 0.5], ids=repr
    )
    def test_what_is_no_id(self, layer: fc.Layer, ids: object) -> None:
        layer.add_sources([OPEN, OPEN])
        for call in (
            layer.sources.remove,
            lambda i: layer.sources.move(i, [OPEN]),
            lambda i: layer.sources.set_strengths(i, 1),
        ):
            with unchanged(layer), refused(InvalidValue):
                call(ids)

    @pytest.mark.parametrize(
        "identity", [-1, 2, 16, 10**6, 2**32, 2**62, np.uint64(2**63 + 1)], ids=repr
    )
    def test_ids_of_nobody(self, layer: fc.Layer, identity: int) -> None:
        layer.add_sources([OPEN, OPEN])
        with unchanged(layer), refused(DeadSource):
            layer.sources.remove([identity])

    def test_an_id_twice(self, layer: fc.Layer) -> None:
        ids = layer.add_sources([OPEN, OPEN])
        for call in (
            lambda: layer.sources.remove(ids[[0, 0]]),
            lambda: layer.sources.move(ids[[1, 0, 1]], [OPEN] * 3),
            lambda: layer.sources.set_strengths(ids[[0, 0]], 2),
        ):
            with unchanged(layer), refused(InvalidValue, "once"):
                call()

    @pytest.mark.parametrize("count", [1, 3])
    def test_counts_that_differ(self, layer: fc.Layer, count: int) -> None:
        ids = layer.add_sources([OPEN, OPEN])
        with unchanged(layer), refused(InvalidValue, f"{count} positions for 2 sources"):
            layer.sources.move(ids, [OPEN] * count)
        for call in (
            lambda: layer.sources.set_strengths(ids, [1.0] * count),
            lambda: layer.add_sources([OPEN, OPEN], [1.0] * count),
            lambda: layer.add_sources([OPEN, OPEN], 1, lifetimes=[1.0] * count),
        ):
            with unchanged(layer), refused(InvalidValue, "2"):
                call()

    def test_one_bad_of_many_changes_nothing(self, layer: fc.Layer) -> None:
        ids = layer.add_sources([OPEN] * 3, [1, 2, 3])
        bad = [OPEN, OPEN, (np.nan, 1)]
        for call in (
            lambda: layer.add_sources(bad),
            lambda: layer.sources.move(ids, bad),
            lambda: layer.add_sources([OPEN] * 3, [1, 2, np.nan]),
            lambda: layer.sources.set_strengths(ids, [1, np.inf, 2]),
            lambda: layer.add_sources([OPEN] * 3, lifetimes=[1, 2, np.nan]),
            lambda: layer.add_sources([OPEN] * 3, lifetimes=[1, 2, 0]),
            lambda: layer.add_sources([OPEN] * 3, lifetimes=[1, -2, 1]),
        ):
            with unchanged(layer), refused(InvalidValue):
                call()

    def test_ten_thousand_without_a_python_loop(self, layer: fc.Layer) -> None:
        rng = np.random.default_rng(0)
        positions = rng.random((10_000, 2)) * (9, 2)

        def come_and_go() -> None:
            ids = layer.add_sources(positions, rng.random(10_000))
            layer.sources.move(ids, positions)
            layer.sources.set_strengths(ids, 2.0)
            layer.sources.remove(ids)

        come_and_go()  # whatever is compiled or imported, is so now
        assert 0 < lines_run(come_and_go) < 10_000
        assert len(layer.sources) == 0


class TestLifetimes:
    def test_ends_after_its_seconds(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(9, 6))
        layer = imap.add_layer("a", fc.Spread(0.2, 0.5), every=0.1)
        sources = [
            layer.add_source(OPEN, lifetime=seconds) for seconds in (0.05, 0.1, 0.25, 0.3, 1e6)
        ]
        alive = []
        for _ in range(4):
            imap.step()
            alive.append([source.alive for source in sources])
        assert alive == [
            [False, False, True, True, True],
            [False, False, True, True, True],
            [False, False, False, False, True],
            [False, False, False, False, True],
        ]

    def test_one_number_and_many_mean_the_same(self) -> None:
        """0.1 is no float32: a lifetime of one step must not last two because it came in an
        array.
        """
        imap = fc.InfluenceMap(fc.Grid(9, 6))
        layer = imap.add_layer("a", fc.Spread(0.2, 0.5), every=0.1)
        layer.add_source(OPEN, lifetime=0.1)
        layer.add_sources([OPEN, OPEN], lifetimes=0.1)
        layer.add_sources([OPEN, OPEN], lifetimes=[0.1, np.float64(0.1)])
        imap.step()
        assert len(layer.sources) == 0

    def test_inside_a_batch_of_steps(self) -> None:
        """Steps in one call or one by one: the source is there in the same ones."""
        results = set()
        for batches in ([30], [1] * 30, [7, 23], [13, 1, 16]):
            imap = fc.InfluenceMap(fc.Grid(9, 6))
            layer = imap.add_layer("a", fc.Spread(0.2, 0.5), every=0.1)
            layer.add_sources([OPEN, (4.5, 4.5), (8.5, 0.5)], [3, 5, 4], lifetimes=[0.75, 1.3, 0.1])
            for count in batches:
                imap.step(count)
            results.add((layer.values.tobytes(), len(layer.sources)))
        assert len(results) == 1

    @pytest.mark.parametrize("lifetime", [0, -1, np.nan, np.inf, 1e-12, 2e9, "1", True])
    def test_refuses(self, layer: fc.Layer, lifetime: object) -> None:
        with unchanged(layer), refused(InvalidValue, "lifetime"):
            layer.add_source(OPEN, lifetime=lifetime)
        with unchanged(layer), refused(InvalidValue, "lifetime"):
            layer.add_sources([OPEN, OPEN], lifetimes=[lifetime, lifetime])


def test_ids_that_come_twice_or_are_gone_are_refused_in_any_order(layer: fc.Layer) -> None:
    ids = layer.add_sources([OPEN] * 4)
    layer.sources.remove(ids[2:3])
    places = np.full((3, 2), 0.5)
    for order in ([1, 0, 1], [0, 0, 3], [3, 3, 1]):
        with unchanged(layer), refused(InvalidValue, "3 ids with repeats"):
            layer.sources.move(ids[order], places)
    with unchanged(layer), refused(DeadSource, f"id {ids[2]}"):
        layer.sources.move(ids[[1, 1, 2]], places)
    with unchanged(layer), refused(DeadSource, "id -1"):
        layer.sources.move(np.array([-1]), places[:1])
    layer.sources.move(ids[[3, 0, 1]], np.array([(3.5, 0.5), (0.5, 1.5), (1.5, 1.5)]))
    assert layer.sources.positions_of(ids[[0, 1, 3]]).tolist() == [
        [0.5, 1.5],
        [1.5, 1.5],
        [3.5, 0.5],
    ]
