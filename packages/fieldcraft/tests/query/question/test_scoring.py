"""Scores and choices."""

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.questions import ME, asked, away


def test_scores_are_weighted_curves_that_add_up(imap):
    answer = asked(
        imap,
        {"grid": 1},
        score=[
            {"distance": "me", "curve": ["smoothstep", 10, 0], "weight": 2},
            {"value": "threat", "curve": [[0, 1], [0.5, 0.25], [1, 0]]},
            {"value": "2 * threat"},
        ],
    )
    found = answer.explain()
    rows = np.flatnonzero(found.left)
    threat = imap["threat"].values.reshape(-1)[found.cells[rows]]
    share = np.clip(1 - away(imap.space, found.cells[rows], ME) / 10, 0, 1)
    far = 2 * share * share * (3 - 2 * share)
    safe = np.interp(threat, [0, 0.5, 1], [1, 0.25, 0])
    parts = np.stack([far, safe, 2 * threat], axis=1)
    np.testing.assert_allclose(found.parts[rows], parts, atol=2e-6)
    best = rows[parts.sum(axis=1).argmax()]
    assert answer.chosen.cell == found.cells[best]
    assert answer.chosen.value == pytest.approx(found.scores[best])
    assert np.isnan(found.scores[~found.left]).all()


def test_agents_keep_to_places_that_others_have_not_taken(imap):
    question = fc.Question(
        {"reach": 6}, require=[{"distance": "taken", "least": 3}], score=[{"value": "threat"}]
    )
    taken = []
    for _ in range(4):
        taken.append(question.ask(imap, me=ME, taken=taken).position)
    apart = np.hypot(*(np.array(taken)[:, np.newaxis] - taken).T)
    assert (apart[~np.eye(4, dtype=bool)] >= 3).all()


def test_several_are_chosen_apart_the_best_first(imap):
    score = [{"value": "threat"}]
    answer = asked(imap, {"reach": 8}, score=score, choose={"count": 4, "spacing": 3})
    own = {"count": 4, "spacing": 3, "where": fc.distance_map(imap.space, ME).exact <= 8}
    expected = fc.best(imap["threat"], ME, 40, **own)
    np.testing.assert_array_equal(answer.chosen.cells, expected.cells)
    np.testing.assert_allclose(answer.chosen.values, expected.values)


def test_random_choices_are_among_the_best_percent_and_follow_the_generator(imap):
    score, choose = [{"value": "threat"}], {"random": 5, "count": 3}
    answers = [
        asked(imap, {"reach": 8}, score=score, choose=choose, rng=np.random.default_rng(seed))
        for seed in (1, 1, 2, 3, 4)
    ]
    scores = np.sort(answers[0].explain().scores[answers[0].explain().left])[::-1]
    least = scores[int(np.ceil(0.05 * len(scores))) - 1]
    assert all((each.chosen.values >= least - 1e-6).all() for each in answers)
    np.testing.assert_array_equal(answers[0].chosen.cells, answers[1].chosen.cells)
    assert len({tuple(each.chosen.cells.tolist()) for each in answers}) > 2
    with pytest.raises(InvalidValue, match="needs a generator"):
        asked(imap, {"reach": 8}, choose={"random": 5})
