"""A few changes in one call: fast = reference, and the public calls that end there = a fresh
map.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc

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
    columns = layer.sources.columns
    alive = columns.alive
    fresh.add_sources(
        columns.positions[alive], columns.strengths[alive], radii=columns.radii[alive]
    )
    fresh.step()
    return fresh.values


@settings(max_examples=16)
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
