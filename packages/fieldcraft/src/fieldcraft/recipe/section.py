"""Reading one table of a recipe key by key, noting every problem instead of stopping at the
first.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import BadRecipe, InvalidValue
from fieldcraft.recipe.document import Document, dotted
from fieldcraft.recipe.lines import Keys

__all__ = ["REQUIRED", "Problems", "Section"]

REQUIRED: Any = object()
"""The default of a key that must be there."""


class Problems:
    """The problems of a recipe found so far, to be raised together."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._found: dict[tuple[int, str], None] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, keys: Keys, text: str) -> None:
        """Notes a problem with the value at `keys`."""
        self._found[self.document.problem(keys, text)] = None

    def add_error(self, keys: Keys, error: Exception) -> None:
        """Notes what a check or a call refused."""
        self.add(keys, f"{dotted(keys[:-1])}: {error}" if len(keys) > 1 else str(error))

    def raise_all(self) -> None:
        """Raises `BadRecipe` with all problems in the order of their lines, if there are any."""
        if self._found:
            raise BadRecipe(
                str(self.document.path),
                [text for _, text in sorted(self._found, key=lambda problem: problem[0])],
            )


class Section:
    """One table of the recipe. Each method takes a key out and answers its value, or its default
    where it is absent or wrong.
    """

    def __init__(self, problems: Problems, keys: Keys, table: object) -> None:
        self.problems = problems
        self.keys = keys
        self._known: list[str] = []
        if isinstance(table, dict):
            self._table: dict[str, Any] = table
        else:
            self._table = {}
            problems.add(
                keys,
                f"{dotted(keys)} is a table. Got {_kind(table)}. Write it as [{dotted(keys)}] with"
                " its keys below.",
            )

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self._table

    def number(
        self,
        key: str,
        default: Any = REQUIRED,
        check: Callable[[str, object], float] = checks.finite,
    ) -> Any:
        """A finite number that the `check` takes."""
        return self._take(key, default, lambda value: check(key, value))

    def whole(self, key: str, default: Any = REQUIRED, minimum: int = 0) -> Any:
        """A whole number of at least `minimum`."""
        return self._take(key, default, lambda value: checks.whole(key, value, minimum=minimum))

    def flag(self, key: str, default: Any = REQUIRED) -> Any:
        """True or false."""
        return self._take(
            key,
            default,
            lambda value: (
                value if isinstance(value, bool) else _refuse(f"{key} is true or false", value)
            ),
        )

    def text(self, key: str, default: Any = REQUIRED) -> Any:
        """A text that isn't blank."""
        return self._take(key, default, lambda value: _text(key, value))

    def choice(self, key: str, allowed: Sequence[str], default: Any = REQUIRED) -> Any:
        """One of some words."""
        return self._take(key, default, lambda value: _one_of(key, value, allowed))

    def path(self, key: str, default: Any = REQUIRED) -> Any:
        """A path, with its variables replaced."""
        return self._take(
            key, default, lambda value: self.problems.document.resolve(_text(key, value))
        )

    def position(self, key: str, default: Any = REQUIRED) -> Any:
        """One [x, y], or [x, y, z] on 3D maps."""
        return self._take(key, default, lambda value: _numbers(key, value, "[x, y]", 2, 3))

    def numbers(self, key: str, shape: str, count: int, default: Any = REQUIRED) -> Any:
        """A list of `count` finite numbers, described by `shape`."""
        return self._take(key, default, lambda value: _numbers(key, value, shape, count))

    def rows(self, key: str, shape: str, fewest: int, most: int, default: Any = REQUIRED) -> Any:
        """A list of lists of `fewest` to `most` finite numbers, all equally long, at least one."""
        return self._take(key, default, lambda value: _rows(key, value, shape, fewest, most))

    def names(
        self, key: str, known: Iterable[str] | None, what: str, default: Any = REQUIRED
    ) -> Any:
        """A list of names, at least one, each `known` if that is given."""
        return self._take(key, default, lambda value: _names(key, value, known, what))

    def name(self, key: str, known: Iterable[str], what: str, default: Any = REQUIRED) -> Any:
        """One known name."""
        return self._take(
            key, default, lambda value: _known_name(key, _text(key, value), known, what)
        )

    def mapping(
        self, key: str, default: Any = REQUIRED, of: Callable[[str, object], Any] = checks.finite
    ) -> Any:
        """A table whose keys are free and whose values pass the check `of`."""
        value = self._take(
            key,
            default,
            lambda value: value if isinstance(value, dict) else _refuse(f"{key} is a table", value),
        )
        if value is default or value is None:
            return value
        answer = {}
        for name, item in value.items():
            try:
                answer[name] = of(name, item)
            except InvalidValue as error:
                self.problems.add_error((*self.keys, key, name), error)
        return answer

    def any(self, key: str, default: Any, convert: Callable[[Any], Any]) -> Any:
        """Whatever `convert` takes; it raises `InvalidValue` for the rest."""
        return self._take(key, default, convert)

    def put(
        self, options: dict[str, Any], key: str, take: Callable[[str], Any] | None = None
    ) -> None:
        """Puts a key's value, as `take` gives it, among the options if it is there; otherwise it
        only becomes known.
        """
        if take is not None and self.has(key):
            options[key] = take(key)
        else:
            value = self.any(key, None, lambda value: value)
            if value is not None and take is None:
                options[key] = value

    def span(self) -> tuple[float, float | None]:
        """The keys `from`, 0 if absent, and `until`, which comes later."""
        start = self.number("from", 0.0, checks.not_negative)
        until = self.number("until", None, checks.not_negative)
        if until is not None and until <= start:
            self.problems.add(
                (*self.keys, "until"),
                f"until comes after from, which is {start:g}. Got {until:g}. Write a later second.",
            )
        return start, until

    def finish(self) -> None:
        """Notes the keys that nobody asked for."""
        for key in self._table:
            if key not in self._known:
                near = difflib.get_close_matches(key, self._known, n=1)
                remedy = (
                    f"Perhaps {near[0]!r} is meant."
                    if near
                    else f"Known here: {', '.join(self._known)}."
                )
                where = dotted(self.keys)
                self.problems.add(
                    (*self.keys, key), f"There is no key {key!r} in {where or 'a recipe'}. {remedy}"
                )

    def _take(self, key: str, default: Any, convert: Callable[[Any], Any]) -> Any:
        self._known.append(key)
        if key not in self._table:
            if default is REQUIRED:
                self.problems.add(
                    self.keys, f"{dotted(self.keys) or 'A recipe'} needs the key {key!r}. Add it."
                )
                return None
            return default
        try:
            return convert(self._table[key])
        except InvalidValue as error:
            self.problems.add_error((*self.keys, key), error)
            return None if default is REQUIRED else default


def _kind(value: object) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "a table",
    }
    return names.get(type(value), type(value).__name__)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _refuse(rule: str, value: object, remedy: str = "") -> Any:
    raise InvalidValue(rule, got=_shown(value), remedy=remedy)


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        _refuse(f"{key} is a text", value, "Write it in quotes")
    return str(value)


def _one_of(key: str, value: object, allowed: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        near = difflib.get_close_matches(str(value), allowed, n=1)
        _refuse(
            f"{key} is one of {', '.join(allowed)}",
            value,
            f"Perhaps {near[0]!r} is meant" if near else "",
        )
    return str(value)


def _numbers(key: str, value: object, shape: str, fewest: int, most: int = 0) -> tuple[float, ...]:
    if not isinstance(value, list) or not fewest <= len(value) <= max(fewest, most):
        _refuse(f"{key} is {shape}", value)
    assert isinstance(value, list)
    return tuple(checks.finite(key, item) for item in value)


def _rows(
    key: str, value: object, shape: str, fewest: int, most: int
) -> tuple[tuple[float, ...], ...]:
    if not isinstance(value, list) or not value:
        _refuse(f"{key} is a list of {shape}", value)
    assert isinstance(value, list)
    rows = tuple(_numbers(f"Each item of {key}", item, shape, fewest, most) for item in value)
    if len({len(row) for row in rows}) > 1:
        _refuse(f"All items of {key} have as many numbers", value)
    return rows


def _names(key: str, value: object, known: Iterable[str] | None, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        _refuse(f"{key} is a list of names", value, 'Write ["one", "two"]')
    assert isinstance(value, list)
    if len(set(value)) != len(value):
        _refuse(f"The names in {key} differ", value)
    return tuple(
        value if known is None else [_known_name(key, item, known, what) for item in value]
    )


def _known_name(key: str, value: str, known: Iterable[str], what: str) -> str:
    names = sorted(known)
    if value not in names:
        near = difflib.get_close_matches(value, names, n=1)
        listed = ", ".join(names) if names else "none"
        _refuse(
            f"{key} names a {what} of this recipe",
            value,
            f"Perhaps {near[0]!r} is meant" if near else f"Known: {listed}",
        )
    return value
