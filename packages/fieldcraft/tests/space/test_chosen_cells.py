"""Chosen cells, as results of queries."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.chosen_cells import ChosenCells, chosen
from support.refusals import refused

GRID = fc.Grid(4, 3)
VALUES = np.arange(12, dtype=np.float32)


def test_a_missing_choice_has_no_place() -> None:
    spots = ChosenCells.at(np.array([5, -1]), GRID, VALUES)
    assert spots.found.tolist() == [True, False]
    assert spots.values[0] == 5
    assert np.isnan(spots.values[1])
    assert np.isnan(spots.positions[1]).all()
    assert spots.positions[0].tolist() == [1.5, 1.5]
    with refused(InvalidValue, "single position"):
        bool(spots)


def test_one_choice_is_true_if_it_was_found() -> None:
    assert ChosenCells.at(np.array(5), GRID, VALUES)
    assert not ChosenCells.at(np.array(-1), GRID, VALUES)
    assert ChosenCells.at(np.array(5), GRID, VALUES).value == 5


def test_the_first_of_several_choices() -> None:
    spots = ChosenCells.at(np.array([[7, 5], [2, 1]]), GRID, VALUES, ranked=True)
    assert spots.cell.tolist() == [7, 2]
    assert spots.value.tolist() == [7, 2]
    assert spots.position.tolist() == [[3.5, 1.5], [2.5, 0.5]]


def test_agents_that_stay_are_not_found() -> None:
    steps = ChosenCells.steps(np.array([1, 4]), np.array([1, 5]), GRID, VALUES)
    assert steps.found.tolist() == [False, True]
    assert steps.targets is steps.cells


@pytest.mark.parametrize("single", [False, True])
def test_what_replaces_a_missing_choice(single: bool) -> None:
    cells = np.array([[-1]])
    own = np.array([6])
    assert not np.any(chosen(cells, own, single, None, "nan", GRID, VALUES).found)
    stays = chosen(cells, own, single, None, "stay", GRID, VALUES)
    assert np.ravel(stays.cells).tolist() == [6]
    assert not np.any(stays.found)
    with refused(InvalidValue, "(2.5, 1.5)", 'none="stay"'):
        chosen(cells, own, single, None, "refuse", GRID, VALUES)
