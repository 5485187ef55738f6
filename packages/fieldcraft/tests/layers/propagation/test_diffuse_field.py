"""The field that diffuses: what cells share with their neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.ndimage import convolve
from scipy.sparse import csr_array

import fieldcraft as fc
from fieldcraft.kernels import compiled
from fieldcraft.layers.propagation.diffuse.diffuse_field import ListedDiffuseField
from fieldcraft.space import Space
from support.diffusing import SEEDS, every_space, filled
from support.tiers import plain as uncompiled
from support.worlds import KINDS, open_cells

some = settings(max_examples=10, deadline=None)


def mixing(space: Space, rate: float, degrees: NDArray[np.int64]) -> NDArray[np.float64]:
    """The matrix of a step that loses nothing: column `v` is where one at `v` goes."""
    ways = space.adjacency
    shares = rate / np.maximum(degrees, 1)
    gives = csr_array(
        (shares[ways.origins], (ways.ends, ways.origins)), shape=(len(space), len(space))
    ).toarray()
    return gives + np.diag(1 - gives.sum(axis=0))


def degrees_of(space: Space) -> NDArray[np.int64]:
    if isinstance(space, fc.Grid):
        return np.full(len(space), len(space.neighborhood.steps))
    if isinstance(space, fc.HexGrid):
        return np.full(len(space), 6)
    assert isinstance(space, fc.Graph)
    return np.bincount(space.topology.origins, minlength=len(space))


@every_space
@some
@given(seed=SEEDS, rate=st.floats(0, 1))
def test_each_neighbor_gets_an_equal_share_and_the_sum_stays(
    kind: str, seed: int, rate: float
) -> None:
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    layer = filled(space, fc.Diffuse(rate, floor=0), dice)
    expected = np.asarray(layer.values, dtype=np.float64).reshape(-1)
    matrix = mixing(space, np.float64(rate), degrees_of(space))
    for _ in range(3):
        layer.step()
        expected = matrix @ expected
        np.testing.assert_allclose(layer.values.reshape(-1), expected, rtol=1e-5, atol=1e-6)
    assert not layer.values[space.walls].any()
    assert layer.values.sum(dtype=np.float64) == pytest.approx(expected.sum(), rel=1e-5)


def test_it_is_netlogos_diffuse_on_a_torus_and_at_its_rim() -> None:
    dice = np.random.default_rng(3)
    around = np.full((3, 3), 0.4 / 8)
    around[1, 1] = 0.6
    torus = filled(fc.Grid(19, 13, neighbors=8, wrap=True), fc.Diffuse(0.4, floor=0), dice)
    before = np.asarray(torus.values, dtype=np.float64)
    torus.step()
    np.testing.assert_allclose(torus.values, convolve(before, around, mode="wrap"), rtol=1e-5)
    lost = filled(fc.Grid(19, 13, neighbors=8), fc.Diffuse(0.4, edges="lose", floor=0), dice)
    before = np.asarray(lost.values, dtype=np.float64)
    lost.step()
    np.testing.assert_allclose(lost.values, convolve(before, around, mode="constant"), rtol=1e-5)
    boxed = fc.InfluenceMap(fc.Grid(5, 4, neighbors=8)).add_layer("h", fc.Diffuse(0.8, floor=0))
    boxed.deposit((0.5, 0.5), 1.0)
    boxed.step()
    assert boxed.values[0, 0] == pytest.approx(
        0.2 + 0.1 * 5
    )  # five of its eight neighbors are not there


@pytest.mark.skipif(not compiled(), reason="the compiled kernels are not in use here")
@every_space
@some
@given(
    seed=SEEDS,
    edges=st.sampled_from(["conserve", "lose"]),
    keep=st.sampled_from([1.0, 0.9]),
    floor=st.sampled_from([0.0, 0.1]),
    resists=st.booleans(),
)
def test_compiled_kernels_give_the_bits_of_their_text(
    kind: str, seed: int, edges: str, keep: float, floor: float, resists: bool
) -> None:
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    layer = filled(space, fc.Diffuse(0.7, keep=keep, edges=edges, floor=floor), dice)
    plain = np.array(layer.values)
    layer.add_source(space.position_of(open_cells(space)[0]), 2.0)
    slow = fc.InfluenceMap(space).add_layer("heat", layer.propagation)
    slow.write(plain)
    slow.add_source(space.position_of(open_cells(space)[0]), 2.0)
    if resists:
        layer.resistance = slow.resistance = dice.random(space.shape)
    with uncompiled():
        slow.step(4)
    layer.step(4)
    np.testing.assert_array_equal(layer.values, slow.values)


@pytest.mark.reference
@some
@given(seed=SEEDS, neighbors=st.sampled_from([4, 8]), wrap=st.just(False))
def test_rows_and_lists_give_the_same_bits(seed: int, neighbors: int, wrap: bool) -> None:
    dice = np.random.default_rng(seed)
    grid = fc.Grid(17, 11, walls=dice.random((11, 17)) < 0.3, neighbors=neighbors, wrap=wrap)
    layer = filled(grid, fc.Diffuse(0.6), dice)
    listed = ListedDiffuseField(fc.Diffuse(0.6), grid, 1.0, np.full(len(grid), neighbors))
    listed.write(np.array(layer.values))
    listed.run(5)
    layer.step(5)
    np.testing.assert_array_equal(layer.values, listed.values)


def test_what_a_new_wall_stands_on_moves_to_its_open_neighbors() -> None:
    for space in (fc.Grid(5, 4), fc.HexGrid(5, 4), fc.Grid(5, 4).to_graph()):
        layer = fc.InfluenceMap(space).add_layer("gas", fc.Diffuse(edges="conserve"))
        layer.deposit(space.position_of(7), 100.0)
        space.set_walls([7])
        assert layer.values.reshape(-1)[7] == 0 == layer.sample(space.position_of(7))
        layer.step(3)
        assert layer.values.sum() == pytest.approx(100)


@pytest.mark.parametrize(
    "propagation",
    [fc.Diffuse(), fc.Spread(0.1, 1.0), fc.Radial(3), fc.Fade(), fc.Flood(), fc.Trail()],
)
def test_walls_read_zero_at_once(propagation: Any) -> None:
    space = fc.Grid(5, 4)
    layer = fc.InfluenceMap(space).add_layer("any", propagation)
    put = next(
        getattr(layer, verb) for verb in ("add_source", "mark", "deposit") if hasattr(layer, verb)
    )
    put((1.5, 1.5) if layer.propagation._takes_sources else (2.5, 1.5), 9.0)
    layer.step(2)
    version = layer.version
    assert layer.values[1, 2] != 0
    space.set_walls([7])
    assert layer.version != version
    assert layer.values[1, 2] == 0 == layer.sample((2.5, 1.5))
    layer.step()
    assert layer.values[1, 2] == 0
