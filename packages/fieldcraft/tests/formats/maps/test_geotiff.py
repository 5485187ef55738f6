from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import fieldcraft as fc
from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps import load_map
from fieldcraft.formats.maps.geotiff import read_geotiff, save_geotiff

rasterio = pytest.importorskip("rasterio", reason="needs rasterio")
pytestmark = pytest.mark.filterwarnings(
    "ignore:Use `@` matmul:PendingDeprecationWarning"
)  # rasterio, of its own transforms


def written(
    path: Path,
    values: np.ndarray,
    transform: object = None,
    nodata: float | None = -1.0,
    crs: str | None = "EPSG:32633",
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
        crs=crs,
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
    for name, transform, said in (
        ("oblong", affine(30, 0, 0, 0, -20, 0), "square.*gdalwarp -tr 25 25"),
        ("turned", affine(20, 5, 0, 5, -20, 0), "turned by .*north up"),
        ("south", affine(9, 0, 0, 0, 9, 0), "the first in the north"),
        ("mirrored", affine(-9, 0, 0, 0, -9, 0), "from west to east"),
    ):
        with pytest.raises(BadMapFile, match=said) as caught:
            read_geotiff(written(tmp_path / f"{name}.tif", heights, transform))
        assert "cut off" not in str(caught.value)
    path = written(tmp_path / "fine.tif", heights)
    for options, said in (
        ({"band": 2}, "1 to 1"),
        ({"window": (0, 0, 6, 1)}, "5 x 4 pixels"),
    ):
        with pytest.raises(BadMapFile, match=said):
            read_geotiff(path, **options)
    for options in ({"band": 0}, {"window": (0, 0, 0, 1)}, {"window": 3}, {"window": (1, 2)}):
        with pytest.raises(InvalidValue):
            read_geotiff(path, **options)
    with pytest.raises(BadMapFile):
        read_geotiff(tmp_path / "none.tif")
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "fine.tif",
        "mirrored.tif",
        "oblong.tif",
        "south.tif",
        "turned.tif",
    ]


@pytest.mark.parametrize(
    ("wide", "high"),
    [(3, 3 + 6e-9), (300.0379, 300.0418), (3004.18, 3034.23), (200.3, 199.9)],
)
def test_pixels_that_are_nearly_square(tmp_path: Path, wide: float, high: float) -> None:
    """Each pixel's center is in the cell of its row and column."""
    values = np.arange(70 * 60, dtype=np.float32).reshape(60, 70)
    transform = rasterio.transform.Affine(wide, 0, 101_985, 0, -high, 2_826_915)
    path = written(tmp_path / "nearly.tif", values, transform)
    for window in (None, (0, 0, 70, 60), (51, 3, 19, 40)):
        column, row, width, height = window or (0, 0, 70, 60)
        raster = read_geotiff(path, window=window)
        rows, columns = np.divmod(np.arange(width * height), width)
        x = 101_985 + (column + columns + 0.5) * wide
        y = 2_826_915 - (row + rows + 0.5) * high
        cells = raster.space.cell_at(np.stack([x, y], axis=1))
        assert np.array_equal(cells, np.arange(width * height))
        assert raster.values[0, 0] == values[row, column]


def test_cells_more_than_half_a_pixel_off_are_refused(tmp_path: Path) -> None:
    values = np.zeros((60, 170), dtype=np.float32)
    transform = rasterio.transform.Affine(30, 0, 0, 0, -30.4, 0)
    path = written(tmp_path / "oblong.tif", values, transform)
    with pytest.raises(BadMapFile, match=r"square.*0\.6 pixels off.*window="):
        read_geotiff(path)
    assert read_geotiff(path, window=(0, 0, 70, 60)).space.shape == (60, 70)


def test_a_picture_without_a_georeference_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "picture.tif"
    Image.fromarray(np.zeros((3, 4), dtype=np.uint8)).save(path)
    with pytest.raises(BadMapFile, match=r"without one.*Save it as PNG") as caught:
        load_map(path)
    assert "north" not in str(caught.value)


def test_ground_control_points_are_refused(tmp_path: Path) -> None:
    point = rasterio.control.GroundControlPoint
    places = [point(row=0, col=0, x=1, y=1), point(0, 3, 4, 1), point(2, 0, 1, 3)]
    path = tmp_path / "points.tif"
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        height=3,
        width=4,
        count=1,
        dtype="uint8",
        gcps=places,
        crs="EPSG:32633",
    ) as file:
        file.write(np.zeros((3, 4), dtype=np.uint8), 1)
    with pytest.raises(BadMapFile, match="3 ground control points"):
        read_geotiff(path)


def test_degrees_are_refused_unless_they_are_wanted(tmp_path: Path) -> None:
    values = np.zeros((3, 4), dtype=np.float32)
    transform = rasterio.transform.from_origin(14, 60, 0.5, 0.5)
    path = written(tmp_path / "dem.tif", values, transform, crs="EPSG:4326")
    with pytest.raises(BadMapFile, match=r"latitude 60\.0 .* only 50 % as long.*gdalwarp -t_srs"):
        read_geotiff(path)
    assert read_geotiff(path, degrees=True).space.cell_size == 0.5
    assert fc.load_map(path, degrees=True).cell_size == 0.5
    assert read_geotiff(written(tmp_path / "meters.tif", values)).space.cell_size > 0
