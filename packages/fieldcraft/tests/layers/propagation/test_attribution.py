"""The sources that a value of Spread comes from."""

from __future__ import annotations

import pytest

import fieldcraft as fc


@pytest.mark.parametrize("falloff", ["exponential", "linear", "quadratic"])
@pytest.mark.parametrize("as_graph", [False, True])
def test_the_nearest_of_equal_sources_supports_a_cell(falloff: str, as_graph: bool) -> None:
    grid = fc.Grid(9, 2)
    space = grid.to_graph() if as_graph else grid
    layer = fc.InfluenceMap(space).add_layer("a", fc.Spread(0.1, 1.0, falloff))  # type: ignore[arg-type]
    near = layer.add_source((0.5, 0.5), 9.0)
    layer.add_source((8.5, 0.5), 9.0)
    layer.settle()
    found = layer.attribution(2)
    assert found.sources.tolist() == [near.id]
    assert found.amounts.tolist() == pytest.approx([float(layer.values.reshape(-1)[2])])


def test_sources_in_one_cell_share_by_strength_or_the_strongest_has_all() -> None:
    for stack, amounts in (("max", [6.0]), ("sum", [2.0, 6.0])):
        layer = fc.InfluenceMap(fc.Grid(3, 2)).add_layer("a", fc.Spread(0.0, 1.0, stack=stack))  # type: ignore[arg-type]
        layer.add_sources([(0.5, 0.5), (0.5, 0.5)], [2.0, 6.0])
        layer.settle()
        assert sorted(layer.attribution(4).amounts.tolist()) == amounts


def test_what_was_deposited_comes_from_no_source() -> None:
    layer = fc.InfluenceMap(fc.Grid(3, 2)).add_layer("a", fc.Spread(0.1))
    layer.deposit((0.5, 0.5), 4.0)
    found = layer.attribution(0)
    assert not len(found.sources)
    assert "deposited" in found.remainder_is


def test_a_resistance_weakens_what_arrives() -> None:
    layer = fc.InfluenceMap(fc.Grid(5, 1)).add_layer("a", fc.Spread(0.1, 1.0))
    source = layer.add_source((0.5, 0.5), 8.0)
    layer.resistance = [[0, 0, 1, 0, 0]]
    layer.settle()
    found = layer.attribution(4)
    assert found.sources.tolist() == [source.id]
    assert found.amounts.tolist() == pytest.approx([float(layer.values[0, 4])], rel=1e-5)
