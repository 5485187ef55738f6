"""Trails and stamps on hexagons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.propagation.trail import graph_trail_field
from support.refusals import refused
from support.worlds import KINDS, open_cells

HEXES = ("hexes", "hexes, y up", "torus of hexes")
hexagons = pytest.mark.parametrize("kind", HEXES)
some = settings(max_examples=10)


@pytest.mark.parametrize("kind", [*HEXES, "grid", "torus", "y up"])
@some
@given(seed=st.integers(0, 2**16), blur=st.sampled_from([1, 3, 5]))
def test_a_blur_that_conserves_keeps_the_sum_and_stays_off_walls(
    kind: str, seed: int, blur: int
) -> None:
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    layer = fc.InfluenceMap(space).add_layer("t", fc.Trail(keep=1.0, blur=blur, floor=0.0))
    layer.deposit(space.position_of(dice.choice(open_cells(space), 5)), dice.random(5))
    layer.step()
    before = float(layer.values.sum(dtype=np.float64))
    layer.step(4)
    assert layer.values.sum(dtype=np.float64) == pytest.approx(before, rel=1e-5)
    assert not layer.values[space.walls].any() and (layer.values >= 0).all()
    parts = space.parts()
    for part in range(int(parts.max()) + 1):
        held = float(layer.values[parts == part].sum())
        assert held >= -1e-9


@hexagons
def test_one_step_gives_a_seventh_to_each_neighbor(kind: str) -> None:
    space = KINDS[kind](np.random.default_rng(5)).with_walls(None)
    cell = int(np.argmax([len(space.neighbors_of(each)) for each in range(len(space))]))
    near = space.neighbors_of(cell)
    assert len(near) == 6
    for edges, stays in (("conserve", 1.0), ("lose", 1.0)):
        layer = fc.InfluenceMap(space).add_layer(
            "t", fc.Trail(keep=1.0, blur=3, edges=edges, floor=0.0)
        )
        layer.deposit(space.position_of(cell), 7.0)
        layer.step(2)
        np.testing.assert_allclose(layer.values.reshape(-1)[[cell, *near]], stays, rtol=1e-6)
        space.set_walls(near[:1])
        layer.write(np.zeros(space.shape, dtype=np.float32))
        layer.deposit(space.position_of(cell), 7.0)
        layer.step(2)
        assert layer.values.reshape(-1)[cell] == pytest.approx(
            2.0 if edges == "conserve" else 1.0, rel=1e-6
        )
        space.set_walls(near[:1], False)


@hexagons
@some
@given(
    seed=st.integers(0, 2**16),
    how=st.sampled_from(["nearest", "bilinear"]),
    blend=st.sampled_from(["add", "max", "replace"]),
)
def test_a_stamp_gives_each_cell_the_weight_at_its_middle(
    kind: str, seed: int, how: str, blend: str
) -> None:
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    stamp = fc.Stamp.disc(2.1, "linear") - 0.5 * fc.Stamp.cone(1.5, 120)
    layer = fc.InfluenceMap(space).add_layer("s", values=np.zeros(space.shape, dtype=np.float32))
    points = space.position_of(dice.integers(0, len(space), 3)) + dice.uniform(-0.2, 0.2, (3, 2))
    turns, sizes, amounts = (
        dice.uniform(0, 360, 3),
        dice.uniform(0.6, 1.4, 3),
        dice.uniform(-2, 2, 3),
    )
    layer.stamp(stamp, points, amounts, rotations=turns, scales=sizes, how=how, blend=blend)
    expected = np.zeros(len(space))
    for point, turn, size, amount in zip(points, turns, sizes, amounts, strict=True):
        middle = point if how == "bilinear" else space.position_of(space.cell_at(point))
        new = amount * stamp.at(space.offsets_from(middle), rotation=turn, scale=size)
        if blend == "add":
            expected += new
        elif blend == "max":
            expected = np.where(
                (np.abs(new) > np.abs(expected))
                | ((np.abs(new) == np.abs(expected)) & (new > expected)),
                new,
                expected,
            )
        else:
            expected = np.where(new != 0, new, expected)
    np.testing.assert_allclose(layer.values.reshape(-1), expected, atol=1e-5)


def test_refuses() -> None:
    space = fc.HexGrid(6, 4)
    with refused(InvalidValue, "A blur on hexagons is a width"):
        fc.InfluenceMap(space).add_layer("t", fc.Trail(blur=(0.25, 0.5, 0.25)))
    layer = fc.InfluenceMap(space).add_layer("a", values=np.zeros((4, 6), dtype=np.float32))
    with refused(InvalidValue, "A stamp covers the middle of a cell"):
        layer.stamp(fc.Stamp.ring(0.3, 0.6), space.position_of(3))
    with refused(InvalidValue, "A trail on a graph or mesh does not blur"):
        fc.InfluenceMap(space.graph).add_layer("t", fc.Trail())


@hexagons
@some
@given(
    seed=st.integers(0, 2**16),
    blur=st.sampled_from([1, 3, 5, 7]),
    edges=st.sampled_from(["conserve", "lose"]),
    vector=st.booleans(),
    threads=st.sampled_from([1, 3]),
)
def test_an_update_is_a_sparse_product(
    kind: str, seed: int, blur: int, edges: str, vector: bool, threads: int
) -> None:
    """The same bits as by SciPy's matrix of what exchanges; at the rim of a torus nearly so, as the
    order of neighbors is another one there.
    """
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    layer = fc.InfluenceMap(space).add_layer(
        "t", fc.Trail(keep=0.9, blur=blur, edges=edges, floor=0.01, vector=vector)
    )
    field = layer.steps.field
    ways, size = space.adjacency, (len(space),) * 2
    there = csr_array((np.ones(len(ways.ends)), ways.ends, ways.starts), shape=size)
    between = there.multiply(there.T).tocsr()
    between.sort_indices()
    missing = 6.0 - np.diff(between.indptr) if edges == "conserve" else 0.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "_count", threads)
        patch.setattr(graph_trail_field, "_CELLS_PER_THREAD", 1)
        for _ in range(3):
            at = space.position_of(dice.choice(open_cells(space), 5))
            layer.deposit(at, dice.normal(size=(5, 2) if vector else 5))
            expected = []
            for plane, sums in zip(field.planes, field.inflow, strict=True):
                mean = plane.reshape(-1).astype(np.float64)
                for _ in range(blur // 2):
                    mean = 1 / 7 * (mean + between @ mean + missing * mean)
                new = (0.9 * mean + sums.sums.reshape(-1) / 2**24).astype(np.float32)
                expected.append(
                    np.where(
                        space.walls.reshape(-1) | (np.abs(new) < np.float32(0.01)),
                        np.float32(0),
                        new,
                    )
                )
            layer.step()
            found = field.planes.reshape(len(expected), -1)
            np.testing.assert_allclose(found, expected, rtol=1e-6 if space.wrap else 0)
