"""Errors: every one says rule, received value and remedy, and survives the way to another
process.
"""

from __future__ import annotations

import ast
import copy
import pickle
from pathlib import Path

import pytest

import fieldcraft
from fieldcraft.base import errors

SOURCES = sorted(Path(fieldcraft.__file__).parent.rglob("*.py"))

ONE_OF_EACH = [
    errors.FieldcraftError("A rule", got="this", remedy="Do that"),
    errors.InvalidValue("A rule", got="this", remedy="Do that"),
    errors.OutsideMap("A rule", got="this", remedy="Do that"),
    errors.OnWall("A rule", got="this", remedy="Do that"),
    errors.NameTaken("A rule", got="this", remedy="Do that"),
    errors.UnknownName("layer", "thraet", ["threat", "food"]),
    errors.WrongLayer(
        "mark", "layers with fc.Fade", "'noise', of class SpreadLayer", "Use add_source()"
    ),
    errors.DeadSource("A rule", got="this", remedy="Do that"),
    errors.ConcurrentUse("A rule", got="this", remedy="Do that"),
    errors.NotAnArray("A rule", got="this", remedy="Do that"),
    errors.NoDevice("A rule", got="this", remedy="Do that"),
    errors.DeviceLost("A rule", got="this", remedy="Do that"),
    errors.MissingLibrary("pygame", "view", "A window"),
    errors.MissingPackage("gpu"),
    errors.NoSuchArgument("Trail takes no argument 'decay'", got="decay=1", remedy="Use another"),
    errors.NoSuchName("fc has no 'astar'", got="fc.astar", remedy="Use another"),
    errors.BadMapFile("A rule", got="this", remedy="Do that"),
    errors.BadTimeline("A rule", got="this", remedy="Do that"),
    errors.BadSaveFile("A rule", got="this", remedy="Do that"),
    errors.BadRecipe("recipe.toml", ["line 3: a typo", "line 7: another"]),
    errors.BadSettings("game.toml", ["line 3: a typo"]),
]


def test_one_of_each_covers_every_error() -> None:
    assert {type(error).__name__ for error in ONE_OF_EACH} == set(errors.__all__)


@pytest.mark.parametrize("error", ONE_OF_EACH, ids=lambda error: type(error).__name__)
class TestEach:
    def test_is_a_fieldcraft_error(self, error: errors.FieldcraftError) -> None:
        assert isinstance(error, errors.FieldcraftError)

    def test_crosses_to_another_process(self, error: errors.FieldcraftError) -> None:
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert type(again) is type(error)
            assert str(again) == str(error)
            assert again.__dict__ == error.__dict__

    def test_message_is_made_of_sentences(self, error: errors.FieldcraftError) -> None:
        assert ".." not in str(error).replace("...", "")
        assert "?." not in str(error)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.InvalidValue, ValueError),
        (errors.OutsideMap, ValueError),
        (errors.OnWall, ValueError),
        (errors.NameTaken, ValueError),
        (errors.DeadSource, ValueError),
        (errors.UnknownName, KeyError),
        (errors.ConcurrentUse, RuntimeError),
        (errors.MissingLibrary, ImportError),
        (errors.BadMapFile, ValueError),
        (errors.BadTimeline, ValueError),
        (errors.BadSaveFile, ValueError),
        (errors.BadRecipe, ValueError),
    ],
)
def test_is_caught_by_the_builtin_that_fits(kind: type, builtin: type) -> None:
    assert issubclass(kind, builtin)


def test_message_joins_rule_value_and_remedy() -> None:
    error = errors.InvalidValue(
        "momentum is in [0, 1]", got="momentum=2", remedy="Pass a momentum between 0 and 1"
    )
    assert str(error) == "momentum is in [0, 1]. Got momentum=2. Pass a momentum between 0 and 1."
    assert (error.rule, error.got, error.remedy) == (
        "momentum is in [0, 1]",
        "momentum=2",
        "Pass a momentum between 0 and 1",
    )


def test_unknown_name_suggests_the_near_one() -> None:
    assert str(errors.UnknownName("layer", "thraet", ["threat", "food"])).endswith(
        "Did you mean 'threat'?"
    )


def test_unknown_name_lists_what_there_is() -> None:
    assert "Known: food, threat." in str(errors.UnknownName("layer", "zzz", ["threat", "food"]))
    assert "none yet" in str(errors.UnknownName("layer", "zzz", []))
    assert "..." in str(errors.UnknownName("layer", "zzz", [f"name {i}" for i in range(99)]))
    assert "None" in str(errors.UnknownName("layer", None, ["threat"]))


def test_missing_library_says_how_to_install_it() -> None:
    assert "pip install './packages/fieldcraft[view]', in a clone of the repository" in str(
        errors.MissingLibrary("pygame", "view", "A window")
    )


def test_bad_recipe_lists_every_problem() -> None:
    message = str(errors.BadRecipe("recipe.toml", ["line 3: a typo", "line 7: another"]))
    assert "2 problems" in message
    assert "line 3: a typo" in message
    assert "line 7: another" in message


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SOURCES[0].parent)))
def test_every_refusal_says_what_came_and_what_to_do(path: Path) -> None:
    """No `raise InvalidValue("rule")` that leaves the reader alone: each names `got` and
    `remedy`.
    """
    kinds = {
        name
        for name in errors.__all__
        if name
        not in (
            "FieldcraftError",
            "UnknownName",
            "MissingLibrary",
            "MissingPackage",
            "BadRecipe",
            "BadSettings",
        )
    }
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in kinds
            and len(node.args) == 1
        ):
            named = {keyword.arg for keyword in node.keywords}
            assert {"got", "remedy"} <= named or None in named, f"line {node.lineno}"
