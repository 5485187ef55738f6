from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps import load_map
from fieldcraft.formats.maps.geotiff import read_geotiff, save_geotiff

rasterio = pytest.importorskip("rasterio", reason="needs rasterio")
pytestmark = pytest.mark.filterwarnings(
    "ignore:Use `@` matmul:PendingDeprecationWarning"
)  # rasterio, of its own transforms


def written(
    path: Path, values: np.ndarray, transform: object = None, nodata: float | None = -1.0
) -> Path:
    north_up = rasterio.transform.from_origin(500_000, 5_200_000, 30, 30)
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        height=values.shape[0],
        width=values.shape[1],
        count=1,
        dtype=values.dtype,
        crs="EPSG:32633",
        transform=transform or north_up,
        nodata=nodata,
    ) as file:
        file.write(values, 1)
    return path


def test_coordinates_are_those_of_the_file(tmp_path: Path) -> None:
    heights = np.arange(35, dtype=np.float32).reshape(5, 7)
    heights[2, 3] = -1
    path = written(tmp_path / "dem.tif", heights)
    raster = read_geotiff(path)
    space = raster.space
    assert (space.shape, space.cell_size, space.y_up, raster.crs) == (
        (5, 7),
        30.0,
        True,
        "EPSG:32633",
    )
    with rasterio.open(path) as file:
        for x, y in ((500_015, 5_199_985), (500_195, 5_199_870), (500_100, 5_199_920)):
            if (value := next(file.sample([(x, y)]))[0]) >= 0:
                assert raster.values.flat[space.cell_at((x, y))] == value
    assert space.walls.sum() == 1
    assert space.walls[2, 3]
    assert load_map(path, mobility="air").walls.sum() == 0


def test_a_window_is_the_same_ground(tmp_path: Path) -> None:
    heights = np.random.default_rng(1).random((20, 31)).astype(np.float32)
    path = written(tmp_path / "dem.tif", heights, nodata=None)
    piece = read_geotiff(path, window=(4, 3, 9, 6))
    assert (piece.values == heights[3:9, 4:13]).all()
    whole = read_geotiff(path)
    for cell in range(len(piece.space)):
        assert (
            piece.values.flat[cell]
            == whole.values.flat[whole.space.cell_at(piece.space.position_of(cell))]
        )


@pytest.mark.parametrize("y_up", [True, False])
def test_what_is_written_is_read_again(tmp_path: Path, y_up: bool) -> None:
    rng = np.random.default_rng(2)
    grid = fc.Grid(
        9, 6, walls=rng.random((6, 9)) < 0.2, cell_size=2.5, origin=(-4.0, 7.0), y_up=y_up
    )
    imap = fc.InfluenceMap(grid)
    layer = imap.add_layer("height", values=rng.random((6, 9)))
    save_geotiff(tmp_path / "out.tif", layer, grid, crs="EPSG:3857")
    back = read_geotiff(tmp_path / "out.tif")
    assert back.crs == "EPSG:3857"
    for cell in range(len(grid)):
        there = back.space.cell_at(grid.position_of(cell))
        assert back.space.walls.flat[there] == grid.walls.flat[cell]
        assert back.values.flat[there] == (0 if grid.walls.flat[cell] else layer.values.flat[cell])


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    grid = fc.Grid(3, 2)
    for values, space, crs in (
        (np.zeros((3, 2)), grid, ""),
        (np.zeros((2, 3)), grid.to_graph(), ""),
        (np.zeros((2, 3)), grid, "EPSG:x"),
    ):
        with pytest.raises(InvalidValue):
            save_geotiff(tmp_path / "a.tif", values, space, crs=crs)  # type: ignore[arg-type]
    heights = np.zeros((4, 5), dtype=np.float32)
    affine = rasterio.transform.Affine
    for name, transform in (
        ("oblong", affine(30, 0, 0, 0, -20, 0)),
        ("turned", affine(20, 5, 0, 5, -20, 0)),
        ("south", affine(9, 0, 0, 0, 9, 0)),
    ):
        with pytest.raises(BadMapFile, match="north that is not up"):
            read_geotiff(written(tmp_path / f"{name}.tif", heights, transform))
    path = written(tmp_path / "fine.tif", heights)
    for options in ({"band": 2}, {"window": (0, 0, 6, 1)}):
        with pytest.raises(BadMapFile):
            read_geotiff(path, **options)
    for options in ({"band": 0}, {"window": (0, 0, 0, 1)}, {"window": 3}, {"window": (1, 2)}):
        with pytest.raises(InvalidValue):
            read_geotiff(path, **options)
    with pytest.raises(BadMapFile):
        read_geotiff(tmp_path / "none.tif")
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "fine.tif",
        "oblong.tif",
        "south.tif",
        "turned.tif",
    ]
