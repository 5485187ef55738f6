"""Connected regions: what SciPy labels on open maps."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

import fieldcraft as fc
from fieldcraft import query
from fieldcraft.base.errors import InvalidValue
from support.fields import CROSS, SQUARE, Field, noise, random_walls
from support.refusals import refused


@given(
    st.integers(0, 10**6), st.sampled_from([4, 8]), st.sampled_from([-5.0, 0.0, 0.3]), st.booleans()
)
@settings(max_examples=16)
def test_regions_are_scipys_labels(seed: int, neighbors: int, threshold: float, y_up: bool) -> None:
    space = fc.Grid(19, 12, cell_size=0.5, origin=(3.0, -1.0), neighbors=neighbors, y_up=y_up)
    field = noise(space, seed, levels=5)
    labels, count = ndimage.label(
        field.values > threshold, structure=CROSS if neighbors == 4 else SQUARE
    )
    found = query.regions(field, threshold)
    assert len(found) == count
    assert ((found.labels > 0) == (labels > 0)).all()
    assert (
        len(np.unique(np.stack([found.labels, labels]).reshape(2, -1), axis=1).T)
        == count + (labels == 0).any()
    )
    assert (np.diff(found.totals) <= 0).all()
    for region in found:
        own = found.labels == region.label
        assert region.area == own.sum() * 0.25
        np.testing.assert_allclose(region.total, field.values[own].sum(dtype=float), rtol=1e-12)
        assert region.peak_value == field.values[own].max()
        cells = np.flatnonzero(own)
        assert space.cell_at(region.peak) == cells[field.values[own].argmax()]
        centers = space.position_of(cells)
        away = np.hypot(*(centers - centers.mean(axis=0)).T)
        assert np.hypot(*(np.array(region.center) - centers.mean(axis=0))) <= away.min() + 1e-9
        assert found.labels.flat[space.cell_at(region.center)] == region.label


@given(
    st.integers(0, 10**6),
    st.sampled_from([4, 8, [(1, 0), (0, 1), (1, 1)], [(1, 2), (2, 1)]]),
    st.booleans(),
)
@settings(max_examples=14)
def test_walls_terrain_and_tables_of_steps_decide_what_is_joined(
    seed: int, neighbors: object, wrap: bool
) -> None:
    rng = np.random.default_rng(seed)
    terrain = fc.Terrain(rng.integers(0, 3, (7, 11)), rng.random((3, 3)) < 0.7)
    space = fc.Grid(
        11,
        7,
        walls=random_walls((7, 11), 0.2, seed),
        terrain=terrain,
        neighbors=neighbors,
        wrap=wrap,
    )
    field = noise(space, seed)
    pairs = []
    for k, (dx, dy) in enumerate(space.neighborhood.steps):
        for row, column in np.argwhere((space.links() >> np.uint8(k)) & 1):
            y, x = (row - dy) % 7, (column - dx) % 11
            if not space.walls[y, x] and min(field.values[y, x], field.values[row, column]) > 0:
                pairs.append((y * 11 + x, row * 11 + column))
    inside = ((field.values > 0) & ~space.walls).reshape(-1)
    graph = csr_matrix(
        (np.ones(len(pairs)), tuple(np.array(pairs).reshape(-1, 2).T)), shape=(77, 77)
    )
    _, expected = connected_components(graph, directed=True, connection="weak")
    found = query.regions(field).labels.reshape(-1)
    assert ((found > 0) == inside).all()
    same = expected[:, None] == expected[None, :]
    assert ((found[:, None] == found[None, :]) == same)[np.ix_(inside, inside)].all()


def test_a_region_across_the_rim_of_a_torus_has_its_centre_in_it() -> None:
    values = np.zeros((3, 8), np.float32)
    values[1, [6, 7, 0, 1, 2]] = [1, 1, 1, 1, 2]
    found = query.regions(Field(fc.Grid(8, 3, wrap=True), values))
    assert len(found) == 1
    assert found[0].center == (0.5, 1.5) and found[0].peak == (2.5, 1.5)
    assert query.regions(Field(fc.Grid(8, 3), values))[0].total == 4.0


def test_it_is_a_sequence() -> None:
    values = np.array([[1, 0, 5, 5, 0, 2]], np.float32)
    found = query.regions(Field(fc.Grid(6, 1, cell_size=3.0), values))
    assert [region.total for region in found] == [10.0, 2.0, 1.0]
    assert found.labels.tolist() == [[3, 0, 1, 1, 0, 2]]
    assert (
        found[-1].label == 3 and found[0].area == 18.0 and found.areas.tolist() == [18.0, 9.0, 9.0]
    )
    assert (
        found.peaks.shape == found.centers.shape == (3, 2) and found.peak_values.dtype == np.float32
    )
    assert "3" in repr(found)
    equal = query.regions(Field(fc.Grid(5, 1), np.array([[1, 0, 1, 0, 1]], np.float32)))
    assert equal.labels.tolist() == [[1, 0, 2, 0, 3]]


def test_no_region() -> None:
    found = query.regions(Field(fc.Grid(4, 3), np.zeros((3, 4), np.float32)))
    assert (
        len(found) == 0
        and list(found) == []
        and not found.labels.any()
        and found.centers.shape == (0, 2)
    )
    everything = fc.Grid(4, 3, walls=np.ones((3, 4), bool))
    assert len(query.regions(noise(everything, 1), -2.0)) == 0


def test_refusals() -> None:
    for threshold in (np.nan, np.inf, "high"):
        with refused(InvalidValue, "threshold"):
            query.regions(noise(fc.Grid(4, 3), 2), threshold)  # type: ignore[arg-type]
