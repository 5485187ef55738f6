"""Questions: each word against plain loops, budgets, falling back, and reading."""

import pickle

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import BadSettings
from support.questions import ENEMIES, ME, WALLS, WHOLE

# Words


# Choosing


# Budgets


# Reading


TEXT = """
[cover]
generate = { reach = 9 }
require = [{ hidden_from = "enemies" }, { value = "threat < 0.8" }]
score = [{ distance = "me", curve = ["linear", 9, 0] }, { value = "threat" }]
choose = { count = 3, spacing = 2 }
fall_back = "stay"

[stay]
generate = { points = "me" }
"""


def test_toml_and_python_have_the_same_words(imap):
    questions = fc.Question.read("enemies.toml", text=TEXT)
    assert list(questions) == ["cover", "stay"]
    given = {"me": ME, "enemies": ENEMIES}
    read, made = questions["cover"].ask(imap, **given), fc.Question(**WHOLE).ask(imap, **given)
    np.testing.assert_array_equal(read.chosen.cells, made.chosen.cells)
    assert questions["cover"].fall_back is questions["stay"]
    with pytest.raises(fc.errors.UnknownName, match="Did you mean 'cover'"):
        questions["cower"]


def test_a_file_is_read_again_while_a_game_runs(imap, tmp_path):
    path = tmp_path / "enemies.toml"
    path.write_text(TEXT)
    questions = fc.Question.read(path)
    under_way = questions["stay"].start(imap, me=ME)
    assert not questions.reload()
    path.write_text(TEXT.replace('points = "me"', "reach = 1"))
    assert questions.reload()
    assert len(questions["stay"].ask(imap, me=ME).explain()) == 5
    under_way.finish()
    assert len(under_way.explain()) == 1
    path.write_text(TEXT.replace("reach", "raech"))
    with pytest.raises(BadSettings, match="Perhaps 'reach' is meant"):
        questions.reload()
    assert len(questions["stay"].ask(imap, me=ME).explain()) == 5


def test_a_layer_of_the_same_name_replaces_the_one_before(imap):
    question = fc.Question({"points": "me"}, score=[{"value": "threat"}])
    question.ask(imap, me=ME)
    imap.remove_layer("threat")
    imap.add_layer("threat", values=np.full(WALLS.shape, 7.0))
    assert question.ask(imap, me=ME).chosen.value == 7
    assert question.ask(imap, me=ME, threat=2 * imap["threat"]).chosen.value == 14


def test_questions_are_pickled(imap):
    question = pickle.loads(pickle.dumps(fc.Question(**WHOLE)))
    given = {"me": ME, "enemies": ENEMIES}
    expected = fc.Question(**WHOLE).ask(imap, **given).chosen.cells
    np.testing.assert_array_equal(question.ask(imap, **given).chosen.cells, expected)
