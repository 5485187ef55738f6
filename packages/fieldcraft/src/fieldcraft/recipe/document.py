"""Recipe files as text: reading them within bounds, their lines, and values set from outside."""

from __future__ import annotations

import difflib
import os
import re
import stat
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import BadRecipe, InvalidValue
from fieldcraft.recipe.lines import Keys, find_lines

__all__ = ["DATA", "Document", "data_beside", "dotted", "parse_value"]

MAX_BYTES = 2**18
MAX_LINE = 4096
_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
DATA = "FIELDCRAFT_DATA"


class Document:
    """A parsed recipe: `table` as `tomllib` gives it, and where each value came from.

    `overrides` are texts such as "layers.threat.decay=0.5", each applied to the table in order.
    `data` is the folder that `${FIELDCRAFT_DATA}` in paths stands for; by default the environment
    variable of that name, else the first folder `shared/data` found beside the recipe's folder or
    above it. `text` stands in for what is in the file.

    Raises `BadRecipe` if the file can't be read as TOML or an override doesn't fit.
    """

    def __init__(
        self,
        path: str | Path,
        overrides: Iterable[str] = (),
        *,
        data: str | Path | None = None,
        text: str | None = None,
    ) -> None:
        self.path = Path(path)
        self.data = None if data is None else Path(data)
        text = self._read() if text is None else text
        self.text = text
        try:
            self.table: dict[str, Any] = tomllib.loads(text)
            self._lines = find_lines(text)
        except tomllib.TOMLDecodeError as error:
            raise BadRecipe(str(self.path), [_syntax_problem(str(error), text)]) from None
        except RecursionError:
            raise BadRecipe(
                str(self.path),
                [
                    "The file nests arrays or tables far too deep. Write them flat, as in the"
                    " recipes that come with fieldcraft."
                ],
            ) from None
        except ValueError as error:
            raise BadRecipe(
                str(self.path), [f"A value cannot be read: {error}. Write a smaller one."]
            ) from None
        self._set: dict[Keys, str] = {}
        problems = [problem for text in overrides if (problem := self._override(text))]
        if problems:
            raise BadRecipe(str(self.path), problems)

    def _read(self) -> str:
        try:
            status = self.path.stat()
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from None
        if not stat.S_ISREG(status.st_mode):
            raise BadRecipe(str(self.path), ["A recipe is a file. Name one that ends in .toml."])
        if status.st_size > MAX_BYTES:
            raise BadRecipe(
                str(self.path),
                [
                    f"A recipe has at most {MAX_BYTES // 1024} KiB. Got {status.st_size // 1024}"
                    " KiB."
                ],
            )
        try:
            raw = self.path.read_bytes()
        except OSError as error:
            raise self._unreadable(error) from None
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise BadRecipe(
                str(self.path),
                [
                    f"line {line}: A recipe is UTF-8 text. Got byte 0x{raw[error.start]:02x}. Check"
                    " that this is a TOML file."
                ],
            ) from None
        for number, line_text in enumerate(text.split("\n"), start=1):
            if len(line_text) > MAX_LINE:
                raise BadRecipe(
                    str(self.path),
                    [
                        f"line {number}: A line has at most {MAX_LINE} characters. Got"
                        f" {len(line_text)}. Break it up."
                    ],
                )
        return text

    def _unreadable(self, error: OSError | ValueError) -> BadRecipe:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return BadRecipe(str(self.path), [f"The file cannot be read: {reason}. Check the path."])

    def line(self, keys: Keys) -> int | None:
        """The line of a key or item, or of the nearest thing around it; None for what was set from
        outside.
        """
        while keys:
            if keys in self._set:
                return None
            if keys in self._lines:
                return self._lines[keys]
            keys = keys[:-1]
        return 1

    def value(self, keys: Keys) -> Any:
        """The value at `keys` as the file or an override gives it; None if there is none."""
        place: Any = self.table
        for key in keys:
            try:
                place = place[key]
            except (KeyError, IndexError, TypeError):
                return None
        return place

    def problem(self, keys: Keys, text: str) -> tuple[int, str]:
        """A problem with the value at `keys`, with its line, which also sorts it."""
        line = self.line(keys)
        if line is not None:
            return line, f"line {line}: {text}"
        source = next(
            self._set[keys[:end]] for end in range(len(keys), 0, -1) if keys[:end] in self._set
        )
        return 0, f"--set {source}: {text}"

    def resolve(self, text: str) -> Path:
        """A path of the recipe: `${NAME}` is replaced, and what is relative is so to the recipe's
        folder.

        Raises `InvalidValue` for an unknown variable.
        """
        filled = _VARIABLE.sub(self._variable, text)
        if "\0" in filled:
            raise InvalidValue(
                "A path holds no null character", got=repr(text), remedy="Take it out"
            )
        return self.path.parent / Path(filled)

    def _variable(self, match: re.Match[str]) -> str:
        name = match[1]
        if name == DATA and self.data is not None:
            return str(self.data)
        if name in os.environ:
            return os.environ[name]
        if name == DATA:
            if (found := data_beside(self.path)) is not None:
                return str(found)
            raise InvalidValue(
                "The recipe reads recorded data",
                got=f"no folder for ${{{DATA}}}",
                remedy=f"Pass --data DIR, or set the environment variable {DATA}",
            )
        raise InvalidValue(
            "A variable in a path is set",
            got=f"${{{name}}}",
            remedy="Set that environment variable, or write the path out",
        )

    def _override(self, text: str) -> str | None:
        """Applies one "key=value"; the problem with it, if any."""
        name, equals, value = text.partition("=")
        names = [part.strip() for part in name.split(".")]
        if not equals or not all(names):
            return (
                f"--set takes KEY=VALUE. Got {text!r}. Write for example layers.threat.decay=0.5."
            )
        place: Any = self.table
        keys: Keys = ()
        for depth, part in enumerate(names):
            key: str | int = part
            if isinstance(place, list):
                found = _index(place, part)
                if found is None:
                    known = [
                        str(item["name"])
                        for item in place
                        if isinstance(item, dict) and "name" in item
                    ]
                    listed = f" or a name: {', '.join(known)}" if known else ""
                    return (
                        f"--set {text}: {dotted(keys)} has {len(place)} items. Got {part!r}. Pass"
                        f" an index below that{listed}."
                    )
                key = found
            elif not isinstance(place, dict):
                return f"--set {text}: {dotted(keys)} is a plain value. Drop what follows it."
            keys = (*keys, key)
            if depth == len(names) - 1:
                place[key] = parse_value(value)
            elif isinstance(place, dict) and part not in place:
                near = difflib.get_close_matches(part, list(place), n=1)
                remedy = (
                    f"Perhaps {near[0]!r} is meant"
                    if near
                    else f"Known: {', '.join(place) or 'none'}"
                )
                return f"--set {text}: There is no {dotted(keys)} in the recipe. {remedy}."
            else:
                place = place[key]
        self._set[keys] = name.strip()
        return None


def data_beside(path: Path) -> Path | None:
    """The first folder `shared/data` beside a file or above it, if there is one."""
    return next(
        (
            found
            for folder in checks.path("path", path).resolve().parents
            if (found := folder / "shared" / "data").is_dir()
        ),
        None,
    )


def parse_value(text: str) -> Any:
    """A value as TOML means it; text that is no TOML value stands for itself."""
    checks.text("text", text)
    try:
        return tomllib.loads(f"value = {text}")["value"] if "\n" not in text else text
    except (ValueError, RecursionError):
        return text.strip()


def dotted(keys: Keys) -> str:
    """Keys as one reads them: layers.threat, sources[2]."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def _index(items: list[Any], part: str) -> int | None:
    if part.isascii() and part.isdigit() and len(part) < 9:
        return int(part) if int(part) < len(items) else None
    return next(
        (
            index
            for index, item in enumerate(items)
            if isinstance(item, dict) and item.get("name") == part
        ),
        None,
    )


def _syntax_problem(message: str, text: str) -> str:
    match = _AT.search(message)
    if match is None:
        return f"{message}. Mend the TOML there."
    said = message[: match.start()]
    if match[1] is None:
        return (
            f"line {text.count(chr(10)) + 1}: {said} at the end of the file. Is a quote or a"
            " bracket left open?"
        )
    return f"line {match[1]}, column {match[2]}: {said}. Mend the TOML there."
