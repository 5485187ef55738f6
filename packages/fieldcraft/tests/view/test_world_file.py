from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import fieldcraft as fc
from fieldcraft.errors import InvalidValue


@pytest.mark.parametrize("y_up", [True, False])
@pytest.mark.parametrize("scale", [1, 3])
def test_pixels_lie_where_the_world_file_says(tmp_path: Path, y_up: bool, scale: int) -> None:
    grid = fc.Grid(9, 6, cell_size=0.5, origin=(-1.0, 2.0), y_up=y_up)
    layer = fc.InfluenceMap(grid).add_layer("here", values=np.zeros((6, 9)))
    layer.write(np.where(np.arange(54).reshape(6, 9) == int(grid.cell_at((2.1, 3.2))), 1.0, 0.0))
    fc.view.save_map(tmp_path / "map.png", layer, limits=(0, 1), scale=2 * scale)
    a, d, b, e, c, f = map(float, (tmp_path / "map.pgw").read_text().split())
    assert (d, b) == (0, 0)
    shown = np.asarray(Image.open(tmp_path / "map.png").convert("RGB")).astype(int).sum(axis=2)
    assert shown.shape == (6 * scale, 9 * scale)
    rows, columns = np.nonzero(shown == shown.max())
    assert len(rows) == scale**2
    for row, column in zip(rows, columns, strict=True):
        assert grid.cell_at((a * column + c, e * row + f)) == grid.cell_at((2.1, 3.2))
    rasterio = pytest.importorskip("rasterio")
    with rasterio.open(tmp_path / "map.png") as raster:
        assert raster.transform @ (0, 0) == pytest.approx((c - a / 2, f - e / 2))


def test_odd_arguments_are_refused(tmp_path: Path) -> None:
    layer = fc.InfluenceMap(fc.Grid(5, 4)).add_layer("here", values=np.zeros((4, 5)))
    graph = fc.InfluenceMap(fc.Grid(5, 4).to_graph()).add_layer(
        "here", fc.Spread(decay=0.1, momentum=0.5)
    )
    for call in (
        lambda: fc.view.save_map(tmp_path / "map.png", graph),
        lambda: fc.view.save_map(tmp_path / "map.jpg", layer),
        lambda: fc.view.save_map(tmp_path / "map.png", layer, crop=True),
        lambda: fc.view.save_map(tmp_path / "map.png", layer, scale=0),
        lambda: fc.view.save_map(tmp_path / "map.png", np.zeros((4, 5))),
    ):
        with pytest.raises(InvalidValue):
            call()
    assert list(tmp_path.iterdir()) == []
