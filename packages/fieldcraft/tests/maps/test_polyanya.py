"""Polyanya's meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps import load_map
from fieldcraft.space import Graph
from support import damage, realdata

# Two squares side by side, and a triangle below the second.
SMALL = """mesh
2
7 3
0 0 1 0
2 0 2 0 1
4 0 1 1
0 2 1 0
2 2 3 0 1 2
4 2 2 1 2
3 5 1 2
4 0 1 4 3 -1 -1 1 -1
4 1 2 5 4 0 -1 -1 2
3 4 5 6 -1 1 -1
"""


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "a.mesh"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_polygons_and_sides(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, SMALL))
    assert isinstance(graph, Graph) and graph.edges.tolist() == [[0, 1], [1, 2]] and not graph.y_up
    np.testing.assert_allclose(graph.areas, [4, 4, 3])
    assert graph.cell_at([(1.9, 0.1), (2.1, 0.1), (3, 4)]).tolist() == [0, 1, 2]
    with pytest.raises(InvalidValue, match="neighbors"):
        load_map(tmp_path / "a.mesh", neighbors=4)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mesh\n2\n", "mesh\n1\n", "version 2"),
        ("mesh", "mush", "begins with"),
        ("7 3", "7", "ends after"),
        ("7 3", "7 -3", "how many"),
        ("7 3", "7 9", "as many polygons|ends"),
        ("7 3", "4000000 3", "corners|polygons"),
        ("7 3", "1e300 3", "whole"),
        ("7 3", "4000000000 3", "at most 2,147,483,648. Got 4,000,000,000 in"),
        ("7 3", "7.5 3", "whole"),
        ("0 0 1 0\n", "0 0 999999999 0\n", "how many polygons are round"),
        ("4 0 1 4 3", "4 0 1 4 77", "77 in polygon 0"),
        ("4 0 1 4 3", "4 0 1 4 1e99", "whole"),
        ("0 0 1 0\n", "nan 0 1 0\n", "finite"),
        ("0 0 1 0\n", "x 0 1 0\n", "numbers"),
        ("6 -1 1 -1\n", "6 -1 1\n", "as many polygons"),
        ("6 -1 1 -1\n", "6 -1 1 -1 5\n", "ends after"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SMALL
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, SMALL.replace(old, new, 1)))


@damage.fuzz
@given(content=damage.damaged(SMALL.encode()))
def test_no_damage_gets_past_the_loader(tmp_path: Path, content: bytes) -> None:
    damage.load_or_refuse(written(tmp_path, content))


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
