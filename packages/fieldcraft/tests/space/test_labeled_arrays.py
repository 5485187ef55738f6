"""Labeled arrays in the order of a grid's cells."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.labeled_arrays import coordinates, rounding, unlabeled
from support.refusals import refused

xarray = pytest.importorskip("xarray")


def test_dimensions_are_matched_by_name_and_cells_by_coordinates() -> None:
    grid = fc.Grid(3, 2, y_up=True)
    values = [[1, 2, 3], [4, 5, 6]]
    labeled = xarray.DataArray(values, dims=("y", "x"), coords={"y": [0.5, 1.5]})
    assert np.asarray(unlabeled(grid, labeled)).tolist() == values[::-1]
    assert np.asarray(unlabeled(grid, labeled.transpose())).tolist() == values[::-1]
    assert unlabeled(grid, values) is values


def test_coordinates_that_are_not_those_of_the_cells_are_refused() -> None:
    grid = fc.Grid(3, 2)
    labeled = xarray.DataArray(np.zeros((2, 3)), dims=("y", "x"), coords={"x": [0.5, 1.5, 3.5]})
    with refused(InvalidValue, "The x coordinates", "centers"):
        unlabeled(grid, labeled)
    with refused(InvalidValue, "dims y and x"):
        unlabeled(grid, labeled.rename(x="column"))
    with refused(InvalidValue, "finite numbers"):
        coordinates(labeled.assign_coords(x=["a", "b", "c"]), "x")


def test_coordinates_in_float32_may_be_rounded() -> None:
    grid = fc.Grid(3, 2, origin=(1e6, 0))
    centers = grid.position_of(range(3))[:, 0].astype(np.float32)
    labeled = xarray.DataArray(np.ones((2, 3)), dims=("y", "x"), coords={"x": centers})
    assert rounding(labeled, "x") > 0.05
    assert np.asarray(unlabeled(grid, labeled)).shape == (2, 3)
