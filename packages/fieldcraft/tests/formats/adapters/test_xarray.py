from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.adapters.xarray import from_xarray, to_xarray

xarray = pytest.importorskip("xarray", reason="needs xarray")


@pytest.mark.parametrize("y_up", [True, False])
def test_an_array_with_coordinates_that_shares_memory(y_up: bool) -> None:
    grid = fc.Grid(9, 6, cell_size=0.5, origin=(-1.0, 2.0), y_up=y_up)
    imap = fc.InfluenceMap(grid)
    scent = imap.add_layer("scent", fc.Spread(decay=0.2, momentum=1.0))
    scent.add_source((0.3, 4.1), 5.0)
    array = to_xarray(scent, crs="EPSG:3857")
    imap.step(4)
    assert np.shares_memory(array.values, scent.values)
    assert (array.name, array.dims, array.attrs) == ("scent", ("y", "x"), {"crs": "EPSG:3857"})
    for x, y in ((0.3, 4.1), (-0.9, 2.1), (3.2, 4.9)):
        assert float(array.sel(x=x, y=y, method="nearest")) == scent.sample((x, y))


def test_distance_maps_and_expressions_too() -> None:
    grid = fc.Grid(5, 4)
    distances = fc.distance_map(grid, (2.5, 1.5))
    assert float(to_xarray(distances).sel(x=4.5, y=1.5)) == 2.0
    assert float(to_xarray(1 + distances, name="more").max()) == distances.values.max() + 1
    with pytest.raises(InvalidValue, match="grid"):
        to_xarray(fc.distance_map(grid.to_graph(), (2.5, 1.5)))
    with pytest.raises(InvalidValue):
        to_xarray(3)  # type: ignore[arg-type]


def test_to_zarr_and_back(tmp_path: Path) -> None:
    pytest.importorskip("zarr", reason="needs zarr")
    grid = fc.Grid(9, 6, cell_size=0.5, origin=(-1.0, 2.0), y_up=True)
    layer = fc.InfluenceMap(grid).add_layer("height", values=np.arange(54.0).reshape(6, 9))
    to_xarray(layer, crs="EPSG:3857").to_dataset().to_zarr(
        tmp_path / "height.zarr", mode="w", consolidated=False
    )
    again = xarray.open_zarr(tmp_path / "height.zarr", consolidated=False)["height"]
    assert again.attrs["crs"] == "EPSG:3857"
    np.testing.assert_array_equal(again.values, layer.values)
    assert float(again.sel(x=0.3, y=4.1, method="nearest")) == layer.sample((0.3, 4.1))


@pytest.mark.parametrize("y_up", [True, False])
@pytest.mark.parametrize("ascending", [True, False])
def test_rows_come_in_by_their_coordinates(y_up: bool, ascending: bool) -> None:
    grid = fc.Grid(3, 2, cell_size=2.0, origin=(-1.0, 4.0), y_up=y_up)
    y = [5.0, 7.0] if ascending else [7.0, 5.0]
    values = np.arange(6.0).reshape(2, 3)
    array = xarray.DataArray(values, dims=("y", "x"), coords={"y": y, "x": [0.0, 2.0, 4.0]})
    layer = fc.InfluenceMap(grid).add_layer("height", values=array.transpose("x", "y"))
    made, rows = from_xarray(array.isel(x=slice(None, None, 1 if y_up else -1)))
    copy = fc.InfluenceMap(made).add_layer("height", values=rows)
    for x in (0.0, 2.0, 4.0):
        for row in y:
            assert layer.sample((x, row)) == copy.sample((x, row)) == float(array.sel(x=x, y=row))
    resisting = fc.InfluenceMap(grid).add_layer("gas", fc.Spread(0.1, 1.0))
    resisting.resistance = array
    np.testing.assert_array_equal(resisting.resistance, layer.values)


@pytest.mark.parametrize("y_up", [True, False])
@pytest.mark.parametrize("ascending", [True, False])
def test_masks_costs_and_operands_are_read_by_their_coordinates(
    y_up: bool, ascending: bool
) -> None:
    def labeled(values: np.ndarray) -> xarray.DataArray:
        coords = {"y": [0.5, 1.5], "x": [0.5, 1.5, 2.5]}
        array = xarray.DataArray(values.reshape(2, 3), dims=("y", "x"), coords=coords)
        return array if ascending else array[::-1]

    corner = labeled(np.arange(6) == 5)  # (2.5, 1.5)
    grid = fc.Grid(3, 2, y_up=y_up)
    at = int(grid.cell_at((2.5, 1.5)))
    assert np.flatnonzero(fc.Grid(walls=corner, y_up=y_up).walls).tolist() == [at]
    assert grid.cell_ids(corner).tolist() == [at]
    grid.set_opaque(corner)
    assert np.flatnonzero(grid.opaque).tolist() == [at]
    assert fc.Belief(grid, 1.0, where=corner).probability().reshape(-1)[at] == 1
    layers = fc.InfluenceMap(grid)
    fade = layers.add_layer("seen", fc.Fade())
    fade.mark(corner)
    assert np.flatnonzero(fade.values).tolist() == [at]
    number = labeled(np.arange(6.0))
    assert (fade * 0 + number).sample((2.5, 1.5)) == 5
    chosen = fc.best(fade * 0, (0.5, 0.5), 9.0, where=corner).positions
    np.testing.assert_array_equal(chosen, (2.5, 1.5))
    assert fc.best(number, (0.5, 0.5), 9.0, space=grid).value == 5
    distances = fc.distance_map(grid, (0.5, 0.5), cost=1 + number)
    assert distances.sample((2.5, 0.5)) == 4
    assert fc.shortest_path(grid, (0.5, 0.5), (2.5, 0.5), cost=1 + number).cost == 4
    np.testing.assert_array_equal(
        fc.visible(grid, (0.5, 0.5), 9.0, heights=9 * number),
        fc.visible(grid, (0.5, 0.5), 9.0, heights=9 * (fade * 0 + number).values),
    )
    with pytest.raises(InvalidValue):
        fc.distance_map(grid, (0.5, 0.5), cost=1 + number.assign_coords(x=[1.5, 2.5, 3.5]))


def test_labels_that_do_not_fit_are_refused() -> None:
    layer = fc.InfluenceMap(fc.Grid(3, 2)).add_layer("height", values=np.zeros((2, 3)))
    values = np.zeros((2, 3))
    for dims, coords in (
        (("lat", "lon"), {}),
        (("y", "x"), {"y": [0.5, 1.5], "x": [0.5, 1.5, 3.5]}),
        (("y", "x"), {"y": [10.5, 11.5]}),
    ):
        array = xarray.DataArray(values, dims=dims, coords=coords)
        with pytest.raises(InvalidValue):
            layer.write(array)
        with pytest.raises(InvalidValue):
            from_xarray(array)
    with pytest.raises(InvalidValue, match="Dataset"):
        from_xarray(array.to_dataset(name="height"))
    layer.write(xarray.DataArray(values + 1, dims=("y", "x")))
    assert layer.values.min() == 1


def labeled_map(x: Any, y: Any, **more: Any) -> Any:
    values = np.arange(len(x) * len(y), dtype=np.float32).reshape(len(y), len(x))
    return xarray.DataArray(values, dims=("y", "x"), coords={"y": y, "x": x}, **more)


@pytest.mark.parametrize("step", [0.1, 0.01, 0.05])
def test_rounded_coordinates_of_large_maps(step: float) -> None:
    x = (np.arange(3600) * step + step / 2).astype(np.float32)
    y = (90 - np.arange(40) * step).astype(np.float32)
    array = labeled_map(x, y)
    grid, values = from_xarray(array)
    assert abs(grid.cell_size / step - 1) < 1e-6
    for column, row in ((0, 0), (3599, 0), (1717, 39), (3599, 39)):
        cell = grid.cell_at((float(x[column]), float(y[row])))
        assert cell == row * 3600 + column
        assert values.reshape(-1)[cell] == array.values[row, column]
    layer = fc.InfluenceMap(grid).add_layer("height", values=array)
    np.testing.assert_array_equal(layer.values, values)


def test_maps_of_one_row_or_column() -> None:
    grid, _ = from_xarray(labeled_map([1.0, 3.0, 5.0], [4.0]))
    assert (grid.shape, grid.cell_size, grid.origin) == ((1, 3), 2.0, (0.0, 3.0))
    grid, _ = from_xarray(labeled_map([4.0], [5.0, 3.0, 1.0]))
    assert (grid.shape, grid.cell_size, grid.y_up) == ((3, 1), 2.0, True)
    grid, _ = from_xarray(labeled_map([4.0], [5.0]))
    assert (grid.cell_size, grid.origin) == (1.0, (3.5, 4.5))


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        (["a", "b"], [0.5, 1.5], "numbers"),
        ([0.5, 1.5], ["a", "b"], "numbers"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[ns]"), [0.5, 1.5], "numbers"),
        ([], [0.5, 1.5], "at least one"),
        ([0.5, np.nan], [0.5, 1.5], "finite numbers"),
        ([0.5, 0.5], [0.5, 0.5], "evenly spaced"),
        ([0.5, 1.5], [0.5, 2.5], "evenly spaced"),
        ([0.5, 1.5, 2.5], [0.5, 2.5, 1.5], "evenly spaced"),
    ],
)
def test_coordinates_of_other_kinds_are_refused(x: Any, y: Any, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        from_xarray(labeled_map(x, y))


def test_coordinates_that_are_text_do_not_fit_a_layer() -> None:
    layer = fc.InfluenceMap(fc.Grid(2, 2)).add_layer("height", values=np.zeros((2, 2)))
    with pytest.raises(InvalidValue, match="numbers"):
        layer.write(labeled_map(["a", "b"], [0.5, 1.5]))


def test_dims_on_hexagons_are_matched_by_name() -> None:
    hexes = fc.HexGrid(3, 3)
    rows = np.arange(9, dtype=np.float32).reshape(3, 3)
    layer = fc.InfluenceMap(hexes).add_layer("height", values=np.zeros((3, 3)))
    layer.write(xarray.DataArray(rows.T, dims=("x", "y")))
    np.testing.assert_array_equal(layer.values, rows)
    layer.write(xarray.DataArray(rows + 1, dims=("y", "x")))
    np.testing.assert_array_equal(layer.values, rows + 1)
    with pytest.raises(InvalidValue, match="dims y and x"):
        layer.write(xarray.DataArray(rows, dims=("lat", "lon")))
    with pytest.raises(InvalidValue, match=r"hexagons.*array\.values"):
        layer.write(labeled_map([0.0, 1.0, 2.0], [2.0, 1.0, 0.0]))


def test_units_of_degrees_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    array = labeled_map([0.5, 1.5], [0.5, 1.5])
    from_xarray(array)
    assert not caplog.records
    array.coords["x"].attrs["units"] = "degrees_east"
    with caplog.at_level(logging.WARNING):
        from_xarray(array)
    assert "degrees" in caplog.text and "Reproject" in caplog.text
