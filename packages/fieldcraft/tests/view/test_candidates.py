"""Candidates of questions drawn over a picture."""

import numpy as np
import pytest

import fieldcraft as fc


@pytest.fixture
def drawn():
    grid = fc.Grid(9, 5, walls=[[column == 6 for column in range(9)]] * 5)
    question = fc.Question(
        {"grid": 1},
        require=[{"reachable": "me"}],
        score=[{"distance": "me", "curve": ["linear", 8, 0]}],
    )
    answer = question.ask(grid, me=(0.5, 2.5))
    place = fc.view.Placement(grid, scale=20)
    picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=20)
    fc.view.draw_candidates(picture, place, answer.explain(), width=8)
    return place, picture


def at(drawn, position):
    x, y = drawn[0].pixel_of(position).astype(int)
    return drawn[1][y, x, :3].astype(int)


def test_better_candidates_are_brighter_and_removed_ones_gray(drawn):
    near, far, removed = at(drawn, (1.5, 2.5)), at(drawn, (5.5, 4.5)), at(drawn, (8.5, 2.5))
    assert near.sum() > far.sum()
    assert np.ptp(removed) < 30 < np.ptp(far)


def test_the_chosen_one_has_a_white_ring(drawn):
    x, y = drawn[0].pixel_of((0.5, 2.5)).astype(int)
    assert (drawn[1][y, x + 7, :3] > 200).all()
    assert np.ptp(drawn[1][y, x, :3].astype(int)) > 80


def test_scores_are_written_beside_the_chosen_ones():
    grid = fc.Grid(9, 5)
    found = fc.Question({"points": "me"}).ask(grid, me=(2.5, 2.5)).explain()
    place, pictures = fc.view.Placement(grid, scale=20), []
    for numbers in (False, True):
        picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=20)
        fc.view.draw_candidates(picture, place, found, numbers=numbers)
        pictures.append(picture)
    assert (pictures[0] != pictures[1]).any()


def test_other_things_are_refused():
    grid = fc.Grid(9, 5)
    picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=20)
    with pytest.raises(fc.errors.InvalidValue, match=r"Pass answer.explain\(\)"):
        fc.view.draw_candidates(picture, fc.view.Placement(grid, scale=20), grid)
    found = fc.Question({"points": "me"}).ask(grid, me=(2.5, 2.5)).explain()
    with pytest.raises(fc.errors.InvalidValue, match="size of its placement"):
        fc.view.draw_candidates(picture, fc.view.Placement(grid, scale=10), found)
