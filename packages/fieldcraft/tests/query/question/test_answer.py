"""Answers, slice by slice."""

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.query.question import answer as answer_module
from support.questions import ENEMIES, ME, WALLS, WHOLE, asked, away


def test_the_next_question_is_asked_if_nothing_is_left(imap):
    here = fc.Question({"points": "me"}, name="here")
    retreat = fc.Question(
        {"reach": 2}, require=[{"value": "threat < -1"}], fall_back=here, name="retreat"
    )
    hide = fc.Question({"ring": [0, 0.1]}, require=[{"value": "threat > 2"}], fall_back=retreat)
    answer = hide.ask(imap, me=ME)
    assert answer.question is here
    assert answer.position.tolist() == list(ME)
    last = answer.explain()
    names = [each.name for each in (last, last.earlier, last.earlier.earlier)]
    assert names == ["here", "retreat", "question"]
    assert "retreat: 13 candidates, 0 left" in str(last)


def test_an_answer_without_a_cell_is_false(imap):
    answer = asked(imap, {"reach": 3}, require=[{"value": "threat > 2"}])
    assert not answer
    assert np.isnan(answer.position).all()
    assert answer.positions.shape == (0, 2)
    walled = imap.space.position_of(np.flatnonzero(WALLS)[:2])
    assert asked(imap, {"points": walled}).explain().removed_by == ["wall", "wall"]


@pytest.mark.parametrize("budget", [{"candidates": 1}, {"candidates": 37}, {"microseconds": 1}])
@pytest.mark.parametrize("generate", [{"reach": 9}, {"reach": 60, "cost": "1 + threat"}])
def test_slices_give_the_same_answer(imap, budget, generate, monkeypatch):
    monkeypatch.setattr("fieldcraft.query.question.generators._PIECE", 20)
    question = fc.Question(**WHOLE | {"generate": generate}, budget=budget)
    whole = question.ask(imap, me=ME, enemies=ENEMIES)
    sliced = question.start(imap, me=ME, enemies=ENEMIES)
    slices = 1
    with pytest.raises(InvalidValue, match="once it is complete"):
        sliced.position
    while not sliced.advance():
        slices += 1
    assert slices > 3
    np.testing.assert_array_equal(sliced.chosen.cells, whole.chosen.cells)
    np.testing.assert_array_equal(sliced.explain().parts, whole.explain().parts)
    cost = 1 + imap["threat"] if "cost" in generate else None
    reach = fc.reach(imap.space, ME, generate["reach"], cost=cost)
    np.testing.assert_array_equal(sliced.explain().cells, reach.cells)
    assert sliced.advance()


def test_many_candidates_are_measured_in_parts(imap, monkeypatch):
    question = fc.Question(
        {"reach": 30},
        require=[{"hidden_from": "enemies"}, {"distance": "enemies", "by": "path", "least": 3}],
        score=[{"value": "1 - threat", "curve": ["linear", 0, 1]}],
    )
    whole = question.ask(imap, me=ME, enemies=ENEMIES).explain()
    assert len(whole) > 2 * 129
    monkeypatch.setattr(answer_module, "AT_ONCE", 129)
    parts = question.ask(imap, me=ME, enemies=ENEMIES).explain()
    np.testing.assert_array_equal(parts.cells, whole.cells)
    np.testing.assert_array_equal(parts.parts, whole.parts)
    assert parts.removed_by == whole.removed_by


def test_a_slice_looks_at_no_more_candidates_than_its_budget(imap):
    question, given = fc.Question(**WHOLE), {"me": ME, "enemies": ENEMIES}
    total = len(question.ask(imap, **given).explain())
    answer = question.start(imap, **given)
    slices = before = 0
    while not answer.advance(candidates=10):
        found = answer.explain()
        looked = np.count_nonzero(~found.left) + np.count_nonzero(~np.isnan(found.parts))
        assert before <= looked <= before + 10
        slices, before = slices + 1, looked
    assert before > 0
    assert slices > total // 10


def test_positions_are_those_of_the_start(imap):
    place = np.array(ME)
    answer = fc.Question({"ring": [0, 3]}).start(imap, me=place)
    place += 5
    answer.finish()
    assert away(imap.space, answer.explain().cells, ME).max() <= 3


def test_without_a_budget_one_slice_is_all(imap):
    assert fc.Question(**WHOLE).start(imap, me=ME, enemies=ENEMIES).advance()


@pytest.mark.parametrize(
    ("cells", "expected"),
    [([], []), ([7, 3, 9], [7, 3, 9]), ([7, 3, 7, 9, 3, 1], [7, 3, 9, 1])],
)
def test_candidates_come_once_in_their_order(cells, expected):
    found = answer_module._once(np.array(cells, dtype=np.int64))
    assert found.tolist() == expected
