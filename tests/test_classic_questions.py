"""Twelve classic questions, each in at most eight lines of TOML, answered on one map."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "questions.py"
MODULE = runpy.run_path(str(EXAMPLE))
IMAP, GIVEN = MODULE["scene"]()
SPACE, THREAT = IMAP.space, IMAP["threat"]
QUESTIONS = fc.Question.read(EXAMPLE.with_suffix(".toml"))
ANSWERS = {
    name: question.ask(IMAP, rng=np.random.default_rng(4), **GIVEN)
    for name, question in QUESTIONS.items()
}
ENEMIES, ME, TARGET = GIVEN["enemies"], GIVEN["me"], GIVEN["target"]


def far(position, places):
    return np.hypot(*(np.atleast_2d(places) - position).T).min()


def seen(position, places, **sight):
    return fc.sees(SPACE, places, position, np.inf, **sight).any()


def best_left(name):
    """The candidates that are left, the best first."""
    found = ANSWERS[name].explain()
    rows = np.flatnonzero(found.left)
    return found.positions[rows[np.argsort(-found.scores[rows], kind="stable")]]


RULES = {
    "cover": lambda at: not seen(at, ENEMIES) and far(at, ENEMIES) >= 6,
    "flank": lambda at: (
        seen(at, TARGET) and not seen(at, TARGET, facing=GIVEN["facing"], angle=130)
    ),
    "snipe": lambda at: seen(at, TARGET) and far(at, TARGET) >= 10,
    "retreat": lambda at: THREAT.sample(at) < 0.3,
    "heal": lambda at: THREAT.sample(at) < 0.5 and far(at, GIVEN["kits"]) == 0,
    "ambush": lambda at: seen(at, GIVEN["corner"]) and not seen(at, GIVEN["coming"]),
    "patrol": lambda at: IMAP["seen"].sample(at) < 0.5,
    "build": lambda at: GIVEN["room"].sample(at) >= 5,
    "ammunition": lambda at: not seen(at, ENEMIES) and THREAT.sample(at) < 0.5,
    "regroup": lambda at: GIVEN["room"].sample(at) >= 3 and THREAT.sample(at) < 0.3,
    "surround": lambda at: 4 <= far(at, TARGET) <= 5.5,
    "flee": lambda at: not seen(at, ENEMIES),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_answer_meets_what_the_question_means(name):
    answer = ANSWERS[name]
    assert answer
    assert answer.question.name == name
    for position in (*answer.positions, *best_left(name)):
        assert RULES[name](tuple(position.tolist()))
    removed = ~answer.explain().left
    assert removed.any() or name == "surround"


def test_the_best_ones_score_highest():
    near = best_left("cover")
    assert far(near[0], ME) == min(far(each, ME) for each in near)
    kits = [fc.shortest_path(SPACE, ME, each).length for each in best_left("heal")]
    assert kits == sorted(kits)
    ammo = [fc.shortest_path(SPACE, ME, each).length for each in best_left("ammunition")]
    assert ammo == sorted(ammo)
    patrol = ANSWERS["patrol"].explain()
    top = np.sort(patrol.scores[patrol.left])[::-1][: int(np.ceil(patrol.left.sum() / 10))]
    assert ANSWERS["patrol"].chosen.value >= top[-1] - 1e-6
    around = ANSWERS["surround"].positions
    angles = np.sort(np.degrees(np.arctan2(*(around - TARGET).T[::-1])))
    assert len(around) >= 5
    assert np.diff(np.append(angles, angles[0] + 360)).max() <= 120


def test_each_has_at_most_eight_lines():
    text = EXAMPLE.with_suffix(".toml").read_text()
    parts = [part.splitlines() for part in text.split("\n[")[1:]]
    assert len(parts) == 12 == len(QUESTIONS)
    assert max(len([line for line in part if line.strip()]) for part in parts) <= 8


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_slice_is_a_piece_of_work_not_the_whole(name):
    question = QUESTIONS[name]
    answer = question.start(IMAP, rng=np.random.default_rng(4), **GIVEN)
    slices = 1
    while not answer.advance(microseconds=1):
        slices += 1
    assert slices > 2
    np.testing.assert_array_equal(answer.chosen.cells, ANSWERS[name].chosen.cells)


def test_what_each_explains_adds_up():
    for answer in ANSWERS.values():
        found = answer.explain()
        np.testing.assert_allclose(found.parts.sum(axis=1)[found.left], found.scores[found.left])
        assert set(found.chosen.tolist()) <= set(found.cells[found.left].tolist())
