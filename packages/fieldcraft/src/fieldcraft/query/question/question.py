"""Questions as data: made in Python, or read from TOML with the same keys."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.base.missing_names import Suggesting, SuggestingArguments
from fieldcraft.base.settings.dataclasses import SettingsFile, Table, Text
from fieldcraft.base.settings.toml import nearest
from fieldcraft.query.question.answer import Answer
from fieldcraft.query.question.context import Context, Formulas
from fieldcraft.query.question.generators import GENERATORS, Points
from fieldcraft.query.question.measures import MEASURES, Measure
from fieldcraft.query.question.scoring import Budget, Choose, Requirement, Score
from fieldcraft.space import Space
from fieldcraft.values.layered import Layered

T = TypeVar("T")

MOST_FALL_BACKS = 40
"""The most questions that are asked one after the other when none has an answer."""
Words = Mapping[str, Any]


class Question(Suggesting, SuggestingArguments):
    """A question for places: its candidates, their requirements, and their scores.

    `ask` returns the answer at once, `start` computes it over several frames. The arguments have
    the keys of a TOML file; see `Question.read` and the guide "Choosing positions".

    Parameters
    ----------
    generate : mapping
        The candidates, one of `{"reach": 12}` (cells within a walk, `around` "me", `cost`),
        `{"ring": [4, 10]}` (between two straight distances, `around`), `{"grid": 4}` (at this
        spacing on the map, or `within` a distance `around` a position), `{"peaks": "cover"}` (local
        maxima above `threshold`, `spacing` apart, at most `count`), `{"path": "route"}` (along a
        path, every `spacing`) and `{"points": "ammo"}` (given positions).
    require : sequence of mapping
        The requirements, each with `least`, `most` or both: `{"value": "threat < 2"}` (a formula
        over layers), `{"distance": "enemies", "least": 4}` (`by` "straight" or "path", `to` the
        "nearest", "farthest" or "mean"), `{"visible_from": "me"}`, `{"hidden_from": "enemies"}`
        (with `range`, `facing`, `angle`, and `heights` and `eye` as in `visible`),
        `{"owner": "red"}`, `{"fits": 3}` (a footprint of 3 cells a side) and `{"reachable": "me"}`.
    score : sequence of mapping
        The same measures, each with a response `curve`, such as `["linear", 20, 0]`, and a
        `weight`. The score is their sum.
    choose : mapping, optional
        `count` cells at least `spacing` apart: the best, or with `random` random ones of this
        percentage of the best.
    fall_back : Question, optional
        The question that replaces this one if no candidate is left.
    budget : mapping, optional
        The work of one `Answer.advance`: `{"candidates": 64}` or `{"microseconds": 150}`.
    name : str
        In explanations.

    Raises
    ------
    BadSettings
        If there are problems, with all of them. It is an `InvalidValue`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 0, 1, 0],
    ...                       [0, 0, 0, 0, 0],
    ...                       [0, 0, 0, 1, 0]])
    >>> cover = fc.Question(
    ...     generate={"reach": 4},
    ...     require=[{"hidden_from": "enemies"}],
    ...     score=[{"distance": "me", "curve": ["linear", 4, 0]}],
    ... )
    >>> answer = cover.ask(grid, me=(1.5, 1.5), enemies=[(4.5, 0.5)])
    >>> answer.position
    array([1.5, 1.5])
    """

    def __init__(
        self,
        generate: Words,
        *,
        require: Sequence[Words] = (),
        score: Sequence[Words] = (),
        choose: Words | None = None,
        fall_back: Question | None = None,
        budget: Words | None = None,
        name: str = "question",
    ) -> None:
        if fall_back is not None:
            rule = "fall_back is a question"
            remedy = "Pass a fieldcraft.Question"
            checks.instance(fall_back, Question, rule, remedy)
            if _has_long_chain(fall_back, MOST_FALL_BACKS - 1):
                raise InvalidValue(
                    f"A question falls back at most {MOST_FALL_BACKS} times",
                    got="more",
                    remedy="Leave some out",
                )
        self.fall_back = fall_back
        self.name = checks.text("name", name)
        for word, tables in (("require", require), ("score", score)):
            if isinstance(tables, Mapping):
                raise InvalidValue(
                    f"{word} is a list of tables",
                    got=f"one table, {word}={checks.short(tables)}",
                    remedy="Pass a list: [{...}]",
                )
        words = {
            "generate": generate,
            "require": checks.sequence("require", require),
            "score": checks.sequence("score", score),
            "choose": {} if choose is None else choose,
        }
        if budget is not None:
            words["budget"] = budget
        file = SettingsFile(None, text="")
        table = Table(file, (), words)
        self._read(table)
        table.finish()
        file.raise_all()

    def _read(self, table: Table) -> None:
        """Read the keys of a table."""
        if "generate" not in table:
            table.report("", "The key 'generate' is needed. Add generate = { reach = 12 }, say.")
        generate = table.table("generate")
        self.generate = _one_of(generate, GENERATORS) or Points(())
        generate.finish()
        requirements = (_measured(each, Requirement) for each in table.tables("require"))
        self.require = tuple(each for each in requirements if each is not None)
        scores = (_measured(each, Score) for each in table.tables("score"))
        self.score = tuple(each for each in scores if each is not None)
        self.choose = table.table("choose").make_all(Choose) or Choose()
        self.budget = None
        if "budget" in table:
            self.budget = table.table("budget").make_all(Budget)
        self.formulas = Formulas()

    @staticmethod
    def read(path: str | os.PathLike[str], *, text: str | None = None) -> Questions:
        """Return the questions of a TOML file by name; see `Questions`.

        Parameters
        ----------
        path : str or path
            The file.
        text : str, optional
            Read in place of the file.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> list(fc.Question.read("enemies.toml", text="near = { generate = { reach = 3 } }"))
        ['near']
        """
        return Questions(path, text=text)

    def __repr__(self) -> str:
        return (
            f"<Question {self.name!r}: {len(self.require)} requirements, {len(self.score)} scores>"
        )

    def start(
        self, imap: Layered | Space, *, rng: np.random.Generator | None = None, **given: Any
    ) -> Answer:
        """Return an answer that `advance` computes, a slice at a time.

        Parameters
        ----------
        imap : InfluenceMap or Space
            The map; a space for questions that read no layers.
        rng : numpy.random.Generator, optional
            The source of random numbers, needed for `choose` with `random`.
        **given
            The names in the question: positions, such as `me` and `enemies`, and maps, numbers and
            teams beside the layers and teams of the map. Positions are read when they are needed.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> answer = fc.Question({"reach": 3}).start(fc.Grid(9, 9), me=(4.5, 4.5))
        >>> while not answer.advance(candidates=10):
        ...     pass  # the next frame
        >>> len(answer.explain())
        25
        """
        if rng is not None:
            checks.generator(rng)
        return Answer(self, Context(imap, given, self.formulas), rng)

    def ask(
        self, imap: Layered | Space, *, rng: np.random.Generator | None = None, **given: Any
    ) -> Answer:
        """Return the answer at once.

        Parameters
        ----------
        imap, rng, **given
            As for `start`.

        Returns
        -------
        Answer
            The complete answer; it is true if a place was found.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> near = fc.Question({"points": "kits"}, score=[{"distance": "me", "weight": -1}])
        >>> near.ask(fc.Grid(9, 1), me=(6.5, 0.5), kits=[(1.5, 0.5), (8.5, 0.5)]).position
        array([8.5, 0.5])
        """
        answer = self.start(imap, rng=rng, **given)
        answer.finish()
        return answer


class Questions(Suggesting, Mapping[str, Question]):
    """The questions of a TOML file by name; `reload` reads it again while a game runs.

    Each table of the file is a question with the keys of `Question`. `fall_back` is the name of
    another question of the file.

    Raises
    ------
    BadSettings
        If the file has problems. The message lists all of them, each with its line and a remedy.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> questions = fc.Question.read("enemies.toml", text='''
    ... [heal]
    ... generate = { points = "kits" }
    ... require = [{ value = "threat", most = 0.5 }]
    ... score = [{ distance = "me", curve = ["linear", 30, 0] }]
    ... ''')
    >>> imap = fc.InfluenceMap(fc.Grid(9, 1))
    >>> threat = imap.add_layer("threat", values=[[0, 0, 0, 0, 0, 0, 0, 0, 1]])
    >>> questions["heal"].ask(imap, me=(6.5, 0.5), kits=[(1.5, 0.5), (8.5, 0.5)]).position
    array([1.5, 0.5])
    """

    def __init__(self, path: str | os.PathLike[str], *, text: str | None = None) -> None:
        self.path: Path = checks.path("path", path)
        self._text = ""
        self._questions: dict[str, Question] = {}
        self.reload(text=text)

    def __getitem__(self, name: str) -> Question:
        if not isinstance(name, str) or name not in self._questions:
            raise UnknownName("question", name, self._questions)
        return self._questions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._questions)

    def __len__(self) -> int:
        return len(self._questions)

    def reload(self, *, text: str | None = None) -> bool:
        """Read the file again, or a text in its place; return whether it has changed.

        If the file has problems this raises, and the questions do not change. Answers that have
        been started continue with the old questions.
        """
        if text is not None:
            checks.text("text", text)
        file = SettingsFile(self.path, text=text)
        if self._questions and file.text == self._text:
            return False
        found = {}
        names = {}
        for name, given in file.table.items():
            table = Table(file, (name,), given)
            question = Question.__new__(Question)
            question.name = name
            question.fall_back = None
            question._read(table)
            names[name] = table.get("fall_back", Text)
            found[name] = question
            table.finish()
        for name, other in names.items():
            if other is not None and other not in found:
                problem = f"There is no question {other!r}. {nearest(other, found)}."
                file.report_in((name,), "fall_back", problem)
            elif other is not None:
                found[name].fall_back = found[other]
        for name in found:
            if _in_circle(found[name]):
                problem = "Questions don't fall back in a circle. Leave one of them out."
                file.report_in((name,), "fall_back", problem)
            elif _has_long_chain(found[name], MOST_FALL_BACKS):
                problem = f"A question falls back at most {MOST_FALL_BACKS} times. Leave some out."
                file.report_in((name,), "fall_back", problem)
        if not found:
            file.report((), "A file of questions has a table for each. Add [cover], say.")
        file.raise_all()
        self._questions = found
        self._text = file.text
        return True


def _in_circle(question: Question) -> bool:
    """Return whether a question falls back to itself, within as many questions as are allowed."""
    at = question.fall_back
    for _ in range(MOST_FALL_BACKS):
        if at is None or at is question:
            break
        at = at.fall_back
    return at is question


def _has_long_chain(question: Question, most: int) -> bool:
    """Return whether a question falls back more than `most` times."""
    at = question.fall_back
    for _ in range(most):
        if at is None:
            return False
        at = at.fall_back
    return at is not None


def _one_of(table: Table, kinds: Sequence[Callable[..., T]]) -> T | None:
    """Return one of some classes from a table, or None with the problem reported."""
    words = {fields(kind)[0].name: kind for kind in kinds}  # type: ignore[arg-type]
    given = [word for word in words if word in table]
    if len(given) != 1:
        got = " and ".join(given) or ", ".join(map(repr, table.given)) or "nothing"
        wrong = next((key for key in table.given if key not in words), "")
        if given:
            hint = "Leave one of them out"
        else:
            hint = nearest(wrong, words)
        table.report("", f"There is one of {', '.join(words)}. Got {got}. {hint}.")
        table.given = {}
        return None
    return table.make(words[given[0]])  # type: ignore[arg-type]


_KEYS_OF_OTHERS: dict[type, dict[str, str]] = {
    Requirement: {each.name: "score" for each in fields(Score)},
    Score: {each.name: "require" for each in fields(Requirement)},
}
"""Keys that are at home in another list of tables, and its name."""


def _measured(table: Table, kind: type[T]) -> T | None:
    """Return a requirement or a score, or None with the problem reported."""
    measure: Measure | None = _one_of(table, MEASURES)
    found = None
    if measure is not None:
        found = table.make(kind, measure=measure)
    table.finish(_KEYS_OF_OTHERS[kind])
    return found
