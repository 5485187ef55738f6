"""Questions with mistakes: in their words, their files, and their calls."""

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import BadSettings, FieldcraftError, InvalidValue

ME = (3.5, 2.5)


@pytest.fixture
def imap():
    imap = fc.InfluenceMap(fc.Grid(9, 6))
    imap.add_layer("threat", values=np.ones((6, 9)))
    return imap


BAD_WORDS = {
    "There is one of reach, ring": {"generate": {"rech": 3}},
    "Perhaps 'reach' is meant": {"generate": {"rech": 3}},
    "Got reach and ring": {"generate": {"reach": 3, "ring": [1, 2]}},
    "There is no key 'arround'. Perhaps 'around' is meant": {
        "generate": {"reach": 3, "arround": "me"}
    },
    "generate is a table": {"generate": 3},
    "ring is \\[least, most\\]": {"generate": {"ring": [3]}},
    "least <= most": {"generate": {"ring": [3, 2]}},
    "reach is not negative|reach.*at least 0": {"generate": {"reach": -1}},
    "grid": {"generate": {"grid": 0}},
    "Perhaps 'distance' is meant": {"require": [{"distanse": "me", "most": 3}]},
    "least, most or both": {"require": [{"distance": "me"}]},
    "A requirement has least <= most": {"require": [{"distance": "me", "least": 3, "most": 2}]},
    "There is no key 'weight': it belongs to 'score'": {
        "require": [{"value": "threat", "weight": 2}]
    },
    "There is no key 'least': it belongs to 'require'": {
        "score": [{"value": "threat", "least": 2}]
    },
    "There is no key 'wait'. Perhaps 'weight'": {"score": [{"value": "threat", "wait": 2}]},
    "require is a list of tables": {"require": {"value": "threat"}},
    "score is a list of tables": {"score": {"value": "threat"}},
    "In a formula at character 9": {"score": [{"value": "threat +"}]},
    "In a formula at character 1": {"generate": {"peaks": "))"}},
    "A curve|shape is one of": {"score": [{"value": "threat", "curve": ["liner", 1, 0]}]},
    "A curve goes from low to another high": {
        "score": [{"value": "threat", "curve": ["linear", 1, 1]}]
    },
    "weight is": {"score": [{"value": "threat", "weight": "much"}]},
    "count": {"choose": {"count": 0}},
    "random is above 0": {"choose": {"random": 0}},
    "candidates": {"budget": {"candidates": 0}},
    "microseconds": {"budget": {"microseconds": 0}},
    "in candidates or in microseconds": {"budget": {}},
    "at most 360": {"require": [{"visible_from": "me", "angle": 400}]},
    "Paths lead to the nearest": {"score": [{"distance": "me", "by": "path", "to": "mean"}]},
    "fits": {"require": [{"fits": 0}]},
    "fall_back is a question": {"fall_back": "retreat"},
}


@pytest.mark.parametrize("message", BAD_WORDS)
def test_bad_words_are_refused(message):
    with pytest.raises(InvalidValue, match=message):
        fc.Question(**{"generate": {"reach": 3}, **BAD_WORDS[message]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has a table for each"),
        ("[a]\nscore = []", "'generate' is needed"),
        ("a = 3", "a is a table"),
        ("[a]\ngenerate = {reach = 1}\nfall_back = 'b'", "line 3.*There is no question 'b'"),
        ("[a]\ngenerate = {reach = 1}\nfall_back = 'a'", "fall back in a circle"),
        ("[a]\ngenerate = {reach = 1}\nrequires = []", "line 3.*Perhaps 'require' is meant"),
        ("[a]\ngenerate = {reach = 1}\nscore = {value = 'threat'}", "score is a list of tables"),
        ("[a]\ngenerate = {reach = 1}\nscore = [{value = '2 *'}]", "line 3.*In a formula at"),
    ],
)
def test_bad_files_are_refused_with_lines(text, message):
    with pytest.raises(BadSettings, match=message):
        fc.Question.read("bad.toml", text=text)


BAD_CALLS = {
    "There is no position passed to ask\\(\\)": lambda q, i: q({"reach": 3}).ask(i, mee=ME),
    "Did you mean 'mee'": lambda q, i: q({"reach": 3}).ask(i, mee=ME),
    "without any": lambda q, i: q({"points": "me"}).ask(i, me=[]),
    "A question is asked on a space": lambda q, i: q({"reach": 3}).ask("imap", me=ME),
    "outside|Positions": lambda q, i: q({"ring": [0, 3]}).ask(i, me=(99, 99)),
    "There is no layer of that name": lambda q, i: q({"peaks": "treat"}).ask(i),
    "above 0|at least 1": lambda q, i: q({"reach": 3}).start(i, me=ME).advance(candidates=0),
    "microseconds": lambda q, i: q({"reach": 3}).start(i, me=ME).advance(microseconds=0),
    "Footprints fit": lambda q, i: q({"points": "me"}, require=[{"fits": 2}]).ask(
        i.space.to_graph(), me=ME
    ),
    "There is no layer, and no array passed to ask\\(\\), of that name. Got 'ground'": lambda q, i: (
        q({"points": "me"}, require=[{"visible_from": "me", "heights": "ground"}]).ask(i, me=ME)
    ),
    "by a team of the map.*imap.add_teams": lambda q, i: q(
        {"points": "me"}, require=[{"owner": "red"}]
    ).ask(i, me=ME),
    "stands for teams": lambda q, i: q({"points": "me"}, require=[{"owner": "red"}]).ask(
        i, me=ME, teams=3
    ),
    "maps of the cells": lambda q, i: q({"points": "me"}, score=[{"value": "near"}]).ask(
        i, me=ME, near=fc.distance_map(fc.Grid(3, 3), (0.5, 0.5))
    ),
}


@pytest.mark.parametrize("message", BAD_CALLS)
def test_bad_calls_are_refused(imap, message):
    with pytest.raises(FieldcraftError, match=message):
        BAD_CALLS[message](fc.Question, imap)


def test_chains_of_questions_end_soon():
    def chain(length):
        tables = (
            f"[q{i}]\ngenerate = {{reach = 1}}\nfall_back = 'q{i + 1}'\n" for i in range(length)
        )
        return "".join(tables) + f"[q{length}]\ngenerate = {{reach = 1}}\n"

    assert len(fc.Question.read("a.toml", text=chain(40))) == 41
    for length in (41, 3000):
        with pytest.raises(BadSettings, match="falls back at most 40 times"):
            fc.Question.read("a.toml", text=chain(length))
    question = None
    for _ in range(41):
        question = fc.Question({"reach": 1}, fall_back=question)
    with pytest.raises(InvalidValue, match="falls back at most 40 times"):
        fc.Question({"reach": 1}, fall_back=question)
    circle = "[a]\ngenerate = {reach = 1}\nfall_back = 'b'\n"
    both = circle + circle.replace("a]", "b]").replace("'b'", "'a'")
    with pytest.raises(BadSettings, match="circle"):
        fc.Question.read("a.toml", text=both)
    # A question that falls back into a circle, which it is not part of.
    with pytest.raises(BadSettings, match="circle"):
        fc.Question.read("a.toml", text=both + circle.replace("a]", "c]"))


def test_a_refused_table_is_left_as_it_was() -> None:
    requirement = {"value": "threat", "least": 0, "weight": 2}
    with pytest.raises(InvalidValue, match="it belongs to 'score'"):
        fc.Question(generate={"reach": 3, "around": "me"}, require=[requirement])
    assert requirement == {"value": "threat", "least": 0, "weight": 2}
