"""The ranges of a search: a setting, and where its best value may lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fieldcraft.errors import InvalidValue

__all__ = ["Range", "nested", "parse_fixed", "parse_range", "toml_of"]

Value = float | int | str


@dataclass(frozen=True)
class Range:
    """A setting to be searched: numbers from `low` to `high`, whole ones if `whole`, by equal
    ratios if `log`; or one of `choices`.
    """

    name: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    integer: bool = False
    choices: tuple[str, ...] = ()

    def __contains__(self, value: Value) -> bool:
        if isinstance(value, str) or self.choices:
            return value in self.choices
        return self.low <= value <= self.high

    def distribution(self, optuna: Any) -> Any:
        """Return the range as Optuna draws from it."""
        if self.choices:
            return optuna.distributions.CategoricalDistribution(self.choices)
        if self.integer:
            low, high = int(self.low), int(self.high)
            return optuna.distributions.IntDistribution(low, high, log=self.log)
        return optuna.distributions.FloatDistribution(self.low, self.high, log=self.log)

    def __str__(self) -> str:
        if self.choices:
            return f"{self.name}={','.join(self.choices)}"
        return f"{self.name}={self.low:g}:{self.high:g}{':log' if self.log else ''}"


def parse_range(text: str, usual: Mapping[str, Any]) -> Range:
    """The range of "name=low:high", "name=low:high:log" or "name=word,word"; `usual` has the
    settings that there are, by dotted name.

    Raises
    ------
    InvalidValue
        For a name that there is not, and for anything else.
    """
    name, equals, said = text.partition("=")
    name, remedy = name.strip(), "Write caution=0:40, caution=1:100:log or metric=straight,path"
    if not equals or name not in usual:
        raise InvalidValue(
            f"--search names a setting, one of {', '.join(sorted(usual))}"[:400],
            got=repr(text)[:80],
            remedy=remedy,
            about="search",
        )
    known = usual[name]
    if isinstance(known, str):
        words = tuple(dict.fromkeys(word.strip() for word in said.split(",") if word.strip()))
        if len(words) < 2:
            raise InvalidValue(
                "Words to choose from are two or more", got=repr(text)[:80], remedy=remedy
            )
        return Range(name, choices=words)
    low, _, rest = said.partition(":")
    high, _, scale = rest.partition(":")
    try:
        first, last = float(low), float(high)
    except ValueError:
        raise InvalidValue("A range has two numbers", got=repr(text)[:80], remedy=remedy) from None
    log = scale == "log"
    if (
        not first < last
        or scale not in ("", "log")
        or (log and first <= 0)
        or not abs(first) + abs(last) < 1e12
    ):
        raise InvalidValue(
            "A range rises, and begins above 0 if it is log", got=repr(text)[:80], remedy=remedy
        )
    whole = isinstance(known, int)
    if whole and not (first.is_integer() and last.is_integer()):
        raise InvalidValue(f"{name} is a whole number", got=repr(text)[:80], remedy=remedy)
    return Range(name, first, last, log, whole)


def parse_fixed(texts: Iterable[str], usual: Mapping[str, Any]) -> dict[str, Value]:
    """The settings of texts "name=value"; raises `InvalidValue` for a name that there is not, and
    for a value of another kind.
    """
    found: dict[str, Value] = {}
    for text in texts:
        name, equals, said = (part.strip() for part in text.partition("="))
        known = usual.get(name)
        if not equals or known is None:
            raise InvalidValue(
                f"--fix sets a setting, one of {', '.join(sorted(usual))}"[:400],
                got=repr(text)[:80],
                remedy="Write limit=120, say",
            )
        try:
            found[name] = said if isinstance(known, str) else type(known)(said)
        except ValueError:
            raise InvalidValue(
                f"{name} is a number, as {known!r}",
                got=repr(text)[:80],
                remedy="Write limit=120, say",
            ) from None
    return found


def nested(values: Mapping[str, Value]) -> dict[str, Any]:
    """Dotted names as tables in tables, as a settings file has them."""
    table: dict[str, Any] = {}
    for name, value in values.items():
        *parents, last = name.split(".")
        place = table
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return table


def toml_of(values: Mapping[str, Value], told: list[str]) -> str:
    """A settings file for `fieldcraft play --settings`, with lines that tell where it comes
    from.
    """

    def said(value: Value) -> str:
        return f'"{value}"' if isinstance(value, str) else repr(value)

    def tables(table: Mapping[str, Any], where: str) -> Iterator[str]:
        plain = {name: value for name, value in table.items() if not isinstance(value, dict)}
        if where and plain:
            yield from ("", f"[{where}]")
        yield from (f"{name} = {said(value)}" for name, value in plain.items())
        for name, part in table.items():
            if isinstance(part, dict):
                yield from tables(part, f"{where}.{name}" if where else name)

    return "\n".join([*(f"# {line}" for line in told), *tables(nested(values), "")]) + "\n"
