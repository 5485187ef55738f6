"""A few changes in one call: fast = reference, and the public calls that end there = a fresh
map.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.propagation.radial_field import RadialField
from oracles import changes as reference

RADII = np.array([0.4, 1.0, 2.5, 6.0])


def crowd(
    seed: int, walls: float, neighbors: int, metric: str
) -> tuple[fc.InfluenceMap, fc.Layer, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    space = fc.Grid(
        37,
        26,
        walls=rng.random((26, 37)) < walls,
        neighbors=neighbors,
        y_up=bool(seed & 1),
        cell_size=0.5,
    )
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer(
        "crowd", fc.Radial(1.5, ("linear", "constant")[seed >> 1 & 1], metric=metric)
    )
    places = space.position_of(rng.choice(np.flatnonzero(~space.walls.reshape(-1)), 12))
    ids = layer.add_sources(places, rng.uniform(-3, 3, 12), radii=rng.choice(RADII, 12))
    imap.step()
    return imap, layer, ids


def change(layer: fc.Layer, ids: NDArray[np.int64], rng: np.random.Generator) -> None:
    """Move, resize, weaken or remove some."""
    alive = ids[[layer.sources.is_alive(i) for i in ids.tolist()]]
    some = rng.choice(alive, int(rng.integers(0, len(alive) + 1)), replace=False)
    kind = int(rng.integers(0, 6))
    if kind == 0:
        layer.sources.remove(some[:1])
    elif kind == 1:
        layer.sources.set_radii(some, rng.choice(RADII, len(some)))
    elif kind == 2:
        layer.sources.set_strengths(some, rng.uniform(-3, 3, len(some)))
    else:
        open_cells = np.flatnonzero(~layer.space.walls.reshape(-1))
        layer.sources.move(some, layer.space.position_of(rng.choice(open_cells, len(some))))


def rebuilt(layer: fc.Layer) -> NDArray[np.float32]:
    fresh = fc.InfluenceMap(layer.space).add_layer("fresh", layer.propagation)
    for row, shape in zip(
        np.flatnonzero(layer.sources._alive),
        layer.sources._shapes[layer.sources._alive],
        strict=True,
    ):
        fresh.add_source(
            layer.sources._positions[row],
            float(layer.sources._strengths[row]),
            radius=layer.sources.shapes[shape].radius,
        )
    fresh.step()
    return fresh.values


@settings(max_examples=40)
@given(
    st.integers(0, 2**16),
    st.sampled_from([0.0, 0.004, 0.1]),
    st.sampled_from([4, 8]),
    st.sampled_from(["straight", "connected", "path", "sight"]),
)
def test_a_few_changes_at_a_time_show_what_a_fresh_map_shows(
    seed: int, walls: float, neighbors: int, metric: str
) -> None:
    imap, layer, ids = crowd(seed, walls, neighbors, metric)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        change(layer, ids, rng)
        if rng.random() < 0.3:
            imap.advance(0.1, budget_work=2)  # the other way, cut short
        imap.step()
        assert layer.values.tobytes() == rebuilt(layer).tobytes()
    layer.sources.remove(layer.sources.ids)
    imap.step()
    assert layer.values.tobytes() == bytes(layer.values.nbytes)


@pytest.mark.skipif(
    not kernels.compiled(),
    reason="the reference serves in this process, so there is nothing to compare",
)
@settings(max_examples=60)
@given(
    st.integers(0, 2**16),
    st.sampled_from([0.0, 0.004, 0.1]),
    st.booleans(),
    st.sampled_from([40, 400, 10**6]),
)
def test_fast_is_reference(seed: int, walls: float, walls_matter: bool, most: int) -> None:
    from fieldcraft.kernels import changes

    _, layer, ids = crowd(seed, walls, 4, "connected")
    change(layer, ids, np.random.default_rng(seed))
    field = layer._field
    assert isinstance(field, RadialField)
    field._number(layer.sources)
    before = field.walks.walls_before if walls_matter else np.zeros((0, 0), np.int32)
    answers = []
    for kernel in (changes.patch, reference.patch):
        held, prints = field._held, field.footprints
        written: list[Any] = [
            a.copy()
            for a in (
                held.cells,
                held.strengths,
                held.shapes,
                field.sums.total,
                field.sums.shown,
                field.sums.stale,
            )
        ]
        sources = [column.copy() for column in layer.sources.columns]
        done = kernel(
            *sources,
            field._numbers,
            *written[:5],
            field.walks.walls,
            written[5],
            before,
            prints.packed,
            prints.starts,
            prints.reaches,
            prints.chords,
            prints.first_chords,
            most,
        )
        answers.append((done, [a.tobytes() for a in (*written, *sources)]))
    assert answers[0] == answers[1]


@pytest.mark.skipif(
    not kernels.compiled(),
    reason="the reference serves in this process, so there is nothing to compare",
)
@settings(max_examples=60)
@given(st.integers(0, 2**16))
def test_taking_is_the_same_in_both_tiers(seed: int) -> None:
    from fieldcraft.kernels import changes

    _, layer, ids = crowd(seed, 0.1, 4, "connected")
    change(layer, ids, np.random.default_rng(seed))
    field = layer._field
    assert isinstance(field, RadialField)
    field._number(layer.sources)
    answers = []
    for kernel in (changes.take, reference.take):
        held, count = field._held, int(layer.sources.columns.changed.sum())
        kept = [a.copy() for a in (held.cells, held.strengths, held.shapes)]
        lists = [np.zeros(count, dtype) for dtype in (int, int, float, int, int, float, int)]
        columns = [column.copy() for column in layer.sources.columns]
        answers.append(
            (
                kernel(*columns, field._numbers, *kept, *lists),
                [a.tobytes() for a in (*columns, *kept, *lists)],
            )
        )
    assert answers[0] == answers[1]
    assert answers[0][0][0] <= count
