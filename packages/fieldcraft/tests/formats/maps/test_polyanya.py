"""Polyanya's meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps import load_map
from fieldcraft.space import Graph
from support import realdata
from support.map_files import POLYANYA, written


def test_polygons_and_sides(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, "a.mesh", POLYANYA))
    assert isinstance(graph, Graph) and graph.edges.tolist() == [[0, 1], [1, 2]] and not graph.y_up
    np.testing.assert_allclose(graph.areas, [4, 4, 3])
    assert graph.cell_at([(1.9, 0.1), (2.1, 0.1), (3, 4)]).tolist() == [0, 1, 2]
    with pytest.raises(InvalidValue, match="neighbors"):
        load_map(tmp_path / "a.mesh", neighbors=4)


@pytest.mark.parametrize(
    ("name", "polygons", "area"),
    [("arena", 120, 2054), ("arena-merged", 55, 2054), ("aurora-merged", 19244, 493772)],
)
def test_real_meshes_cover_the_open_cells_of_their_maps(
    name: str, polygons: int, area: int
) -> None:
    folder = realdata.folder("navmesh") / "polyanya"
    graph = load_map(folder / f"{name}.mesh")
    assert isinstance(graph, Graph) and len(graph) == polygons and graph.areas.sum() == area
    grid = load_map(folder / f"{name.split('-')[0]}.map", neighbors=4)
    cells = np.flatnonzero(~grid.walls)
    assert graph.mesh is not None
    assert (graph.mesh.locate(grid.position_of(cells))[0] >= 0).all()
    assert (graph.mesh.locate(grid.position_of(np.flatnonzero(grid.walls)))[0] < 0).all()


def test_numbers_with_many_digits_are_read_whole(tmp_path: Path) -> None:
    hundred = f"1.{'0' * 31}e2"
    text = f"mesh\n2\n3 1\n0 0 1 0\n{hundred} 0 1 0\n0 1 1 0\n3 0 1 2 -1 -1 -1\n"
    graph = load_map(written(tmp_path, "a.mesh", text))
    assert graph.areas.tolist() == [50]
    longer = text.replace(hundred, f"1.{'0' * 70}e2")
    with pytest.raises(BadMapFile, match="a number of 74 characters"):
        load_map(written(tmp_path, "a.mesh", longer))
