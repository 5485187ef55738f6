"""Tables of synonyms name what there is."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base import synonyms
from fieldcraft.base.errors import InvalidValue
from support.objects import objects


def test_remedies_name_what_there_is() -> None:
    things = objects() | {"space": fc.Grid(3, 2)}
    things |= {"map": things["layer"] + 1}
    for words in (*synonyms.WORDS.values(), synonyms.SUBJECTS):
        for remedy in words.values():
            for owner, name in re.findall(r"\b(\w+)\.(\w+)", remedy):
                if owner in things:
                    assert hasattr(things[owner], name), remedy
            for owner, name in re.findall(r"\b(\w+)\.(\w+)\(", remedy):
                if owner in things:
                    assert callable(getattr(things[owner], name)), remedy
            for module, name in re.findall(
                r"\bfc\.(view|query|steering|question|recordings)\.(\w+)", remedy
            ):
                assert hasattr(getattr(fc, module), name), remedy


def test_remedies_name_kinds_of_maps() -> None:
    remedies = [remedy for words in synonyms.WORDS.values() for remedy in words.values()]
    kinds = {kind for remedy in remedies for kind in re.findall(r'generate_map\("(\w+)"', remedy)}
    assert kinds and kinds <= set(fc.maps.KINDS)


@pytest.mark.parametrize(
    "statement",
    [
        "layer.values = np.zeros((4, 5))",
        "grid.walls = np.zeros((4, 5))",
        "grid.opaque = np.zeros((4, 5))",
        "source.position = (2.5, 2.5)",
        "imap['threat'] = layer",
        "del imap['threat']",
    ],
)
def test_assignments_are_answered_with_the_call(statement: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        exec(statement, {"np": np} | objects())
    assert re.search(
        r"\b(write|set_walls|set_opaque|move|add_layer|remove_layer)\(", str(refused.value)
    )


def test_no_synonym_is_the_name_of_something() -> None:
    things = objects()
    owners = {"InfluenceMap": "imap", "Layer": "layer", "Space": "grid", "Path": "path"}
    owners |= {"FlowField": "flow", "Source": "source", "Teams": "teams", "fc": "fc"}
    for kind, owner in owners.items():
        for name in synonyms.WORDS[kind]:
            assert not hasattr(things[owner], name), f"{owner}.{name}"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: fc.Radial(3, "quadratic"), r"calls 1 - u\*\*2 'parabolic'"),
        (lambda: fc.Spread(0.1, falloff="parabolic"), "fc.Spread has 'quadratic'"),
        (lambda: fc.Radial(3, metric="euclidean"), "Perhaps 'straight' is meant"),
        (lambda: fc.Grid(3, 2).cell_at((9, 9), outside="clip"), "Perhaps 'clamp' is meant"),
        (
            lambda: fc.sample(np.ones((2, 3)), (1, 1), how="linear", space=fc.Grid(3, 2)),
            "'bilinear'",
        ),
    ],
)
def test_a_wrong_word_is_answered_with_what_is_meant(call: Any, said: str) -> None:
    with pytest.raises(fc.errors.InvalidValue, match=said):
        call()


def test_words_with_remedies_are_those_of_some_argument() -> None:
    for name, kind in (("falloff", "quadratic"), ("metric", "euclid")):
        assert kind in synonyms.VALUES[name]
    u = np.linspace(0, 1, 5)
    assert fc.Falloff.of(lambda u: (1 - u) ** 2)(u).round(6).tolist() == ((1 - u) ** 2).tolist()


def test_names_of_items_are_written_in_brackets() -> None:
    imap = fc.InfluenceMap(fc.Grid(3, 2))
    teams = imap.add_teams(["red", "front"], fc.Radial(2.0))
    text = "near = { generate = { reach = 3 } }"
    questions = fc.Question.read("enemies.toml", text=text)
    for holder, name, written in (
        (imap, "red", r"Write imap\['red'\]"),
        (teams, "red", r"Write teams\['red'\]"),
        (teams, "front", r"Write teams\['front'\]"),
        (questions, "near", r"Write questions\['near'\]"),
    ):
        with pytest.raises(fc.errors.NoSuchName, match=written):
            getattr(holder, name)
    with pytest.raises(AttributeError, match="Did you mean 'reload'"):
        _ = questions.relaod  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(imap)).layers.keys() == imap.layers.keys()
