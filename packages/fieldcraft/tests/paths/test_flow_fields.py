"""The flow field of a distance map: of which kind it is, and what has none."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.paths import distance_map, flow_field
from fieldcraft.paths.flow.flow_on_graph import GraphFlow
from fieldcraft.paths.flow.flow_on_grid import GridFlow
from support.refusals import refused
from support.worlds import KINDS, open_cells


def test_the_same_field_for_the_same_map() -> None:
    space = fc.Grid(9, 6)
    distances = distance_map(space, (1, 1))
    field = flow_field(distances)
    assert flow_field(distances) is field
    assert flow_field(distance_map(space, (1, 1))) is not field
    del field
    gc.collect()
    assert flow_field(distances).distance_map is distances


@pytest.mark.parametrize("kind", ["grid", "hexes", "waypoints", "mesh"])
def test_only_fields_on_graphs_know_the_next_vertex(kind: str) -> None:
    space = KINDS[kind](np.random.default_rng(1))
    field = flow_field(distance_map(space, space.position_of(open_cells(space)[0])))
    if isinstance(space, fc.Grid):
        assert isinstance(field, GridFlow)
    else:
        assert isinstance(field, GraphFlow)
        assert len(field.next) == len(space)


def test_only_maps_of_distances_to_goals_are_taken() -> None:
    with refused(InvalidValue, "distance map"):
        flow_field("goal")  # type: ignore[arg-type]
    with refused(InvalidValue, "outward=True"):
        flow_field(distance_map(fc.Grid(9, 6), (1, 1), outward=True))
